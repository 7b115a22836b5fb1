"""Every prediction format round-trips, plain, gzipped, with byte order mark and CRLF; every bad file is explained."""

import csv
import gzip
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics.shared import prediction_files
from metrics.shared.prediction_files import read_predictions

PREDICTIONS = {
    "q1": "Paris",
    "1147-5-1": "威廉·瓊斯",
    "q3": "",
    "q4": ' a "quoted", text\twith\na line break ',
    "17": "12",
    "id": "🦉 é\u2028",
    "long": "x" * 200_000,
}


def _json(value: object, indent: int | None = None) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=indent).encode()


def _json_lines(rows: list) -> bytes:
    return b"".join(_json(row) + b"\n" for row in rows)


def _delimited(rows: list[list[str]], delimiter: str, line_end: str = "\n") -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=line_end).writerows(rows)
    return text.getvalue().encode()


def _parquet(columns: dict) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def harness_row(number: int, id_: str, text: str, filter_: str = "none") -> dict:
    """One row as lm-evaluation-harness 0.4 logs it for a generation task."""
    return {
        "doc_id": number,
        "doc": {"id": id_, "question": "Where?", "answers": {"text": ["Rome"], "answer_start": [0]}},
        "target": "Rome",
        "arguments": {"gen_args_0": {"arg_0": "Q: Where? A:", "arg_1": {"until": ["\n"]}}},
        "resps": [["raw " + text]],
        "filtered_resps": [text],
        "filter": filter_,
        "metrics": ["exact_match"],
        "doc_hash": "0" * 64,
        "prompt_hash": "1" * 64,
        "target_hash": "2" * 64,
        "exact_match": 0.0,
    }


FORMATS: dict[str, tuple[str, str, Callable[[dict], bytes]]] = {
    "flat": ("predictions.json", "JSON object {id: prediction}", _json),
    "run_qa": ("predict_predictions.json", "JSON object {id: prediction}", lambda p: _json(p, indent=4) + b"\n"),
    "orb": ("predictions.json", "JSON object {id: prediction}", lambda p: _json({k: [v] for k, v in p.items()})),
    "beerqa": ("p.json", 'JSON object {"answer": {id: prediction}}', lambda p: _json({"answer": p, "sp": {}}, 2)),
    "squad": (
        "p.json",
        "JSON list",
        lambda p: _json([{"id": k, "prediction_text": v, "no_answer_probability": 0.0} for k, v in p.items()]),
    ),
    "json lines": (
        "p.jsonl",
        "JSON Lines",
        lambda p: _json_lines([{"prediction": v, "qid": k, "answer": "gold"} for k, v in p.items()]),
    ),
    "csv": ("p.csv", "CSV", lambda p: _delimited([["id", "answer"], *map(list, p.items())], ",")),
    "tsv": ("p.TSV", "TSV", lambda p: _delimited([["Question_ID", "output"], *map(list, p.items())], "\t")),
    "parquet": (
        "p.parquet",
        "Parquet",
        lambda p: _parquet({"n": [1.5] * len(p), "example_id": list(p), "predicted_answer": list(p.values())}),
    ),
    "harness": (
        "samples_orb_2026-01-31T12-00-00.000000.jsonl",
        "lm-evaluation-harness samples",
        lambda p: _json_lines([harness_row(number, *pair) for number, pair in enumerate(p.items())]),
    ),
}
TEXT_FORMATS = [name for name in FORMATS if name != "parquet"]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, bytes], Path]:
    def write_file(name: str, content: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write_file


@pytest.fixture(params=["at once", "streamed"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of reading JSON: a file above the limit is streamed."""
    if request.param == "streamed":
        monkeypatch.setattr(prediction_files, "_WHOLE_FILE_BYTES", 1000)
    return request.param


# Formats


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gzip"])
def test_every_format_round_trips(name: str, compressed: bool, size: str, write: Callable) -> None:
    file_name, format, content_of = FORMATS[name]
    content = content_of(PREDICTIONS)
    path = write(file_name + ".gz", gzip.compress(content)) if compressed else write(file_name, content)
    predictions = read_predictions(path)
    assert list(predictions.items()) == list(PREDICTIONS.items())
    assert predictions.format == format
    assert not predictions.left_out


@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_byte_order_mark_and_crlf_change_nothing(name: str, size: str, write: Callable) -> None:
    file_name, _, content_of = FORMATS[name]
    wanted = {"q1": "Paris", "q2": "臺北市" * 1000, "q3": ""}
    content = b"\xef\xbb\xbf" + content_of(wanted).replace(b"\n", b"\r\n") + b"\r\n"
    assert read_predictions(write(file_name, content)) == wanted


def test_gzip_is_known_by_its_content(write: Callable) -> None:
    assert read_predictions(write("p.json", gzip.compress(b'{"a": "b"}'))) == {"a": "b"}


def test_line_breaks_inside_csv_fields_stay(write: Callable) -> None:
    content = _delimited([["id", "prediction"], ["a", "x\ny"], ["b", "x\r\ny"]], ",", "\r\n")
    assert read_predictions(write("p.csv", content)) == {"a": "x\ny", "b": "x\r\ny"}


def test_csv_fields_above_the_limit_of_the_csv_module_leave_that_limit_alone(write: Callable) -> None:
    before = csv.field_size_limit()
    content = _delimited([["id", "prediction"], ["a", "x" * (before + 1)]], ",")
    assert len(read_predictions(write("p.csv", content))["a"]) == before + 1
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("row", [{"id": "q1", "prediction": "Paris"}, harness_row(0, "q1", "Paris")])
def test_a_single_row_of_json_lines_is_not_taken_for_an_object_of_ids(row: dict, write: Callable) -> None:
    assert read_predictions(write("p.jsonl", _json(row) + b"\n")) == {"q1": "Paris"}


def test_json_lines_under_another_ending_and_with_blank_lines(size: str, write: Callable) -> None:
    content = b'\n{"id": 1, "text": "one"}\n\n{"id": 2, "text": "two"}\n\n' + b"\n" * 1000
    assert read_predictions(write("output.json", content)) == {"1": "one", "2": "two"}


def test_ids_that_are_numbers_become_strings(write: Callable) -> None:
    wanted = {"7": "a", "3109101566": "b"}
    assert read_predictions(write("p.parquet", _parquet({"id": [7, 3109101566], "text": ["a", "b"]}))) == wanted
    assert read_predictions(write("p.json", b'[{"id": 7, "text": "a"}, {"id": 3109101566, "text": "b"}]')) == wanted
    assert read_predictions(write("p.csv", b"id,text\n7,a\n3109101566,b\n")) == wanted


# Spans


@pytest.mark.parametrize("benchmark", [None, "orb", "orb/drop"])
def test_of_orbs_lists_the_first_element_counts(benchmark: str | None, size: str, write: Callable) -> None:
    content = _json(
        {"a": "text", "b": ["first", "second", "third"], "c": [["Ann", "Bo"]], "d": [["Ann"], ["Bo"]]}, indent=400
    )
    predictions = read_predictions(write("p.json", content), benchmark)
    assert predictions == {"a": "text", "b": "first", "c": ["Ann", "Bo"], "d": "Ann"}
    assert predictions.left_out == {"list elements after the first": 3}


def test_in_a_row_a_list_holds_the_spans_of_one_answer(write: Callable) -> None:
    wanted = {"a": ["Ann", "Bo"], "b": "Ann"}
    rows = [{"id": "a", "prediction": ["Ann", "Bo"]}, {"id": "b", "prediction": ["Ann"]}]
    assert read_predictions(write("p.jsonl", _json_lines(rows))) == wanted
    assert read_predictions(write("p.json", _json(rows))) == wanted
    table = {name: [row[name] for row in rows] for name in ("id", "prediction")}
    assert read_predictions(write("p.parquet", _parquet(table))) == wanted


@pytest.mark.parametrize("benchmark", ["drcd", "beerqa"])
def test_lists_are_refused_where_only_texts_make_sense(benchmark: str, write: Callable) -> None:
    with pytest.raises(ValueError, match=r"entry 1, id 'a': .* a text \(only ORB's may be lists\), found \['x'\]"):
        read_predictions(write("p.json", b'{"a": ["x"]}'), benchmark)


# Columns


def test_a_prediction_is_preferred_to_an_answer_beside_it(write: Callable) -> None:
    assert read_predictions(write("p.csv", b"id,answer,prediction\na,gold,predicted\n")) == {"a": "predicted"}


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("key,prediction", r"no id column: name it with id_column \(--id-column\).* found the columns 'key', 'pred"),
        ("id,guess", r"no prediction column: name it with prediction_column .* found the columns 'id', 'guess'"),
        ("id,qid,prediction", r"the id column may be 'id' or 'qid': name it with id_column"),
        ("id,answer,output", r"the prediction column may be 'answer' or 'output': .* 'id', 'answer', 'output'"),
        ("id,prediction,prediction", "the column 'prediction' occurs twice"),
    ],
)
def test_missing_and_ambiguous_columns(header: str, message: str, write: Callable) -> None:
    row = ",".join("x" for _ in header.split(","))
    with pytest.raises(ValueError, match=message):
        read_predictions(write("p.csv", f"{header}\n{row}\n".encode()))


def test_columns_named_by_the_caller(write: Callable) -> None:
    path = write("p.csv", b"id,key,answer,output\n1,a,x,y\n")
    assert read_predictions(path, id_column="key", prediction_column="output") == {"a": "y"}
    with pytest.raises(ValueError, match="no id column 'k'; found the columns 'id', 'key', 'answer', 'output'"):
        read_predictions(path, id_column="k")
    with pytest.raises(ValueError, match="no columns; name none"):
        read_predictions(write("p.json", b'{"a": "b"}'), id_column="id")


# lm-evaluation-harness


def test_harness_ids_under_other_names(write: Callable) -> None:
    row = harness_row(3, "q1", "Paris")
    row["doc"] = {"query_id": 17, "key": "k", "question": "Where?"}
    path = write("samples.jsonl", _json_lines([row]))
    assert read_predictions(path) == {"17": "Paris"}
    assert read_predictions(path, id_column="key") == {"k": "Paris"}
    assert read_predictions(path, id_column="doc_id") == {"3": "Paris"}
    del row["doc"]["query_id"]
    with pytest.raises(ValueError, match="no id column: .* found the columns 'key', 'question'"):
        read_predictions(write("samples.jsonl", _json_lines([row])))


def test_harness_raw_responses_and_filters(write: Callable) -> None:
    rows = [harness_row(n, f"q{n}", text, f) for f, text in (("strict", "A"), ("flexible", "B")) for n in range(2)]
    path = write("samples.jsonl", _json_lines(rows))
    with pytest.raises(ValueError, match=r"line 3: .* several filters, 'strict' and 'flexible': .*prediction_column"):
        read_predictions(path)
    predictions = read_predictions(path, prediction_column="flexible")
    assert predictions == {"q0": "B", "q1": "B"}
    assert predictions.left_out == {"rows of other filters": 2}
    assert read_predictions(path, prediction_column="resps") == {"q0": "raw A", "q1": "raw A"}
    with pytest.raises(ValueError, match="no rows of the filter 'loose'; found the filters"):
        read_predictions(path, prediction_column="loose")


def test_harness_rows_of_squad_v2_which_ask_for_a_likelihood_as_well(write: Callable) -> None:
    row = harness_row(0, "q1", "Paris")
    row["resps"] = [["Paris"], [["-3.25", "False"]]]
    row["filtered_resps"] = ["Paris", ["-3.25", "False"]]
    path = write("samples.jsonl", _json_lines([row]))
    assert read_predictions(path) == read_predictions(path, prediction_column="resps") == {"q1": "Paris"}


def test_harness_rows_with_several_samples_and_with_none(write: Callable) -> None:
    row = harness_row(0, "q1", "Paris")
    row["resps"] = [["Paris", "Rome", "Oslo"]]
    predictions = read_predictions(write("samples.jsonl", _json_lines([row])), prediction_column="resps")
    assert predictions == {"q1": "Paris"}
    assert predictions.left_out == {"responses after the first": 2}
    row["filtered_resps"] = [["-1.5", "True"], ["-2.5", "False"]]
    with pytest.raises(ValueError, match="line 1: expected a generated text under 'filtered_resps', found"):
        read_predictions(write("samples.jsonl", _json_lines([row])))


# Bad files

BAD_FILES = {
    "empty": ("p.json", b"", "the file is empty"),
    "blank": ("p.json", b"\xef\xbb\xbf \r\n", "the file is empty"),
    "empty csv": ("p.csv", b"", "the file is empty"),
    "no entries": ("p.json", b"{}", "holds no predictions"),
    "no rows": ("p.json", b"[]", "holds no predictions"),
    "header only": ("p.csv", b"id,prediction\n", "holds no predictions"),
    "no text": ("p.json", b"Paris", "neither JSON nor Parquet; expected .* ends in .csv or .tsv"),
    "broken": ("p.json", b'{"a": x}', "not JSON: Expecting value at line 1, column 7"),
    "truncated in a text": ("p.json", b'{"a": "x", "b": "y', "truncated JSON: Unterminated string .*line 1, column 17"),
    "truncated between": ("p.json", b'{"a": "x",\n"b":', "truncated JSON: .*line 2"),
    "truncated line": ("p.jsonl", b'{"id": 1, "text": "x"}\n{"id": 2, "te', "line 2: truncated JSON"),
    "broken line": ("p.jsonl", b'{"id": 1, "text": "x"}\n{"id": 2} 3\n', "line 2: not JSON: ' 3' follows"),
    "truncated csv": ("p.csv", b'id,prediction\na,"x', "line 2: truncated or badly quoted: unexpected end"),
    "ragged csv": ("p.csv", b"id,prediction\na,x\nb\n", "line 3: expected 2 fields"),
    "wide csv": ("p.csv", b"id,prediction\na,x,y\n", "line 2: expected 2 fields"),
    "truncated gzip": ("p.json", gzip.compress(_json(PREDICTIONS))[:-20], "truncated or damaged gzip"),
    "truncated parquet": ("p.parquet", _parquet({"id": ["a"], "text": ["b"]})[:-9], "truncated or damaged Parquet"),
    "no parquet": ("p.parquet", b"id,prediction\n", "not a Parquet file"),
    "latin-1": ("p.json", '{"a": "é"}'.encode("latin-1"), "not UTF-8: byte 7 is 0xe9"),
    "big5 lines": ("p.csv", "id,text\na,臺北".encode("big5"), "not UTF-8: byte"),
    "too deep": ("p.json", b"[" * 200_000, "nested too deep"),
    "a number": ("p.json", b"3", "neither JSON nor Parquet"),
    "rows that are texts": ("p.json", b'["Paris"]', "entry 1: expected an object with an id and a prediction, found"),
    "gold of drcd": ("gold.json", b'{"version": "1.3", "data": []}', "a list under 'data', as in a gold file"),
    "gold of orb": ("gold.jsonl", b'{"context": "", "qa_pairs": []}\n' * 2, "found the columns 'context', 'qa_pairs'"),
    "n-best": ("nbest_predictions.json", b'{"a": [{"text": "x"}]}', "entry 1, id 'a': .* as in an n-best file"),
    "repeated key": ("p.json", b'{"a": "x", "b": "y", "a": "x"}', "the key 'a' occurs twice"),
    "repeated id": ("p.csv", b"id,prediction\na,x\nb,y\na,z\n", "line 4: the id 'a' occurs twice"),
    "number and text": ("p.json", b'[{"id": 1, "text": "x"}, {"id": "1", "text": "y"}]', "entry 2: the id '1' occurs"),
    "key twice in a row": ("p.jsonl", b'{"id": 1, "text": "x", "id": 2}\n' * 2, "the key 'id' occurs twice"),
    "null": ("p.json", b'{"a": null}', "entry 1, id 'a': the prediction must be a text, found None"),
    "null cell": ("p.parquet", _parquet({"id": ["a", "b"], "text": ["x", None]}), "row 1, id 'b': .* found None"),
    "number": ("p.json", b'{"a": 12}', "id 'a': the prediction must be a text, found 12"),
    "not a number": ("p.json", b'{"a": NaN}', "id 'a': the prediction must be a text, found nan"),
    "object": ("p.json", b'{"a": {"text": "x"}}', "id 'a': the prediction must be a text, found {'text': 'x'}"),
    "bytes": ("p.parquet", _parquet({"id": ["a"], "text": [b"x"]}), "must be a text, found b'x'"),
    "empty list": ("p.json", b'{"a": []}', r"id 'a': .* a list of one or more texts, found \[\]"),
    "no spans": ("p.json", b'{"a": [[]]}', r"id 'a': .* a list of one or more texts, found \[\[\]\]"),
    "deep spans": ("p.json", b'{"a": [[["x"]]]}', "id 'a': .* a list of one or more texts"),
    "null among spans": ("p.json", b'{"a": [["x", null]]}', "id 'a': .* a list of one or more texts"),
    "empty id": ("p.json", b'{"": "x"}', "entry 1: the id must be a text or a whole number, found ''"),
    "null id": ("p.json", b'[{"id": null, "text": "x"}]', "entry 1: the id must be .* found None"),
    "true as id": ("p.json", b'[{"id": true, "text": "x"}]', "entry 1: the id must be .* found True"),
    "fraction as id": ("p.parquet", _parquet({"id": [1.0], "text": ["x"]}), "row 0: the id must be .* found 1.0"),
    "key missing": ("p.jsonl", b'{"id": 1, "text": "x"}\n{"id": 2}\n', "line 2: key 'text' is missing; found 'id'"),
    "lone surrogate": ("p.json", b'{"a": "\\ud800"}', "entry 1, id 'a': a lone surrogate at character 0"),
    "lone surrogate in a span": ("p.json", b'{"a": [["x", "y\\udfff"]]}', "a lone surrogate at character 1"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files_are_explained(case: str, write: Callable) -> None:
    name, content, message = BAD_FILES[case]
    path = write(name, content)
    with pytest.raises(ValueError, match=message) as caught:
        read_predictions(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


STREAMED_CASES = ["truncated in a text", "truncated between", "repeated key", "null", "number", "n-best", "empty list"]


@pytest.mark.parametrize("case", STREAMED_CASES)
def test_bad_files_are_explained_when_streamed(case: str, write: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prediction_files, "_WHOLE_FILE_BYTES", 3)
    name, content, message = BAD_FILES[case]
    expected = {"truncated": "truncated or not JSON after entry", "repeated": "the id 'a' occurs twice"}
    with pytest.raises(ValueError, match=expected.get(case.split()[0], message)):
        read_predictions(write(name, content))


@pytest.mark.parametrize("name", ["flat", "orb", "beerqa", "squad", "parquet", "json lines", "harness"])
def test_no_truncated_file_is_read_as_if_it_were_whole(name: str, write: Callable) -> None:
    file_name, _, content_of = FORMATS[name]
    wanted = {"q1": "Paris", "q2": "臺北市"}
    content = content_of(wanted).rstrip(b"\n")
    for length in range(0, len(content), 7):
        path = write(file_name, content[:length])
        try:
            predictions = read_predictions(path)
        except ValueError as error:
            assert "\n" not in str(error)
        else:  # cut between two rows of JSON Lines, where nothing shows it
            assert file_name.endswith(".jsonl")
            assert predictions == {"q1": "Paris"}


def test_a_file_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_predictions(tmp_path / "none.json")


def test_heavy_packages_are_imported_only_where_used(write: Callable) -> None:
    path = write("p.json", b'{"a": "b"}')
    program = (
        "import sys; from metrics.shared.prediction_files import read_predictions; read_predictions(sys.argv[1]);"
        "sys.exit(bool({'ijson', 'pyarrow', 'numpy', 'datasets'} & set(sys.modules)))"
    )
    root = Path(__file__).resolve().parents[1]
    assert subprocess.run([sys.executable, "-c", program, path], cwd=root, check=False).returncode == 0
