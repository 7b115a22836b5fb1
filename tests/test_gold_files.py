"""Gold files of all formats: what is read, what is counted, and every error by its message."""

from __future__ import annotations

import gzip
import hashlib
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.shared import file_records
from metrics.shared.file_records import content_sha256
from metrics.shared.gold_files import (
    Question,
    ReadingReport,
    detect_benchmark,
    parse_benchmark,
    read_gold,
)
from metrics.shared.question import COLUMNS, located_answers

DRCD_CONTEXT = "臺北市位於臺灣北部，人口約兩百五十萬。臺北市是首都。"


def drcd_document(**qa_changes: object) -> dict:
    qa: dict[str, object] = {
        "id": "1-1-1",
        "question": "人口多少？",
        "answers": [
            {"id": "1", "text": "約兩百五十萬", "answer_start": 12},
            {"id": "2", "text": "兩百五十萬", "answer_start": 13},
        ],
    }
    qa |= qa_changes
    plain = {"id": "1-1-2", "question": "在哪？", "answers": [{"id": "1", "text": "臺灣北部", "answer_start": 5}]}
    paragraph = {"id": "1-1", "context": DRCD_CONTEXT, "qas": [qa, plain]}
    return {"version": "1.3", "data": [{"title": "臺北", "id": "1", "paragraphs": [paragraph]}]}


def beerqa_document(**changes: object) -> dict:
    record = {
        "id": "a1",
        "src": "hotpotqa",
        "question": "Who?",
        "answers": ["Bo Ek", "yes"],
        "context": [["Ann", "Ann met Bo."], ["Bo", "Bo Ek sang."]],
    }
    return {"version": "1.0", "split": "dev", "data": [record | changes]}


def orb_passage(answers: object, dataset: str = "drop", **changes: object) -> dict:
    pair = {"question": "Who?", "answers": answers, "dataset": dataset, "qid": "o1"}
    return {"context": "Ann and Bo ran 33 yards, then 3 more.", "qa_pairs": [pair | changes]}


def written(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return path


def read(benchmark: str, path: Path, **options: object) -> list[Question]:
    return list(read_gold(benchmark, path, **options))  # type: ignore[arg-type]


@pytest.fixture(params=["as a whole", "streamed"])
def way_of_reading(request, monkeypatch):
    """Both ways of reading a JSON object give the same questions and refuse the same files."""
    if request.param == "streamed":
        monkeypatch.setattr(file_records, "WHOLE_FILE_BYTES", 0)


def test_drcd_question(tmp_path, way_of_reading):
    first, second = read("drcd", written(tmp_path / "gold.json", drcd_document()))
    assert first == Question(
        id="1-1-1",
        dataset="drcd",
        title="臺北",
        question="人口多少？",
        context=DRCD_CONTEXT,
        paragraphs=[{"title": "臺北", "text": DRCD_CONTEXT}],
        answers={"text": ["約兩百五十萬", "兩百五十萬"], "answer_start": [12, 13]},
        references=["約兩百五十萬", "兩百五十萬"],
    )
    assert second.references == ["臺灣北部"]
    assert tuple(first.columns()) == COLUMNS


def test_beerqa_question(tmp_path, way_of_reading):
    report = ReadingReport()
    (question,) = read("beerqa", written(tmp_path / "gold.json", beerqa_document()), report=report)
    assert question == Question(
        id="a1",
        dataset="hotpotqa",
        title="Ann; Bo",
        question="Who?",
        context="Ann met Bo.\nBo Ek sang.",
        paragraphs=[{"title": "Ann", "text": "Ann met Bo."}, {"title": "Bo", "text": "Bo Ek sang."}],
        answers={"text": ["Bo Ek", "yes"], "answer_start": [12, -1]},
        references=["Bo Ek", "yes"],
    )
    assert (report.questions, report.datasets, report.not_in_context) == (1, {"hotpotqa": 1}, 1)


def test_beerqa_test_questions_have_neither_answers_nor_context(tmp_path):
    record = {"id": "a1", "src": "three-hop", "question": "Who?"}
    path = written(tmp_path / "gold.json", {"version": "1.0", "split": "test", "data": [record]})
    (question,) = read("beerqa", path)
    assert (question.references, question.context, question.paragraphs) == ([], "", [])
    with pytest.raises(ValueError, match=r"question 'a1': key 'answers' is missing or empty, which only a test split"):
        read("beerqa", path, need_answers=True)


@pytest.mark.parametrize(
    ("dataset", "answers", "references", "answer_start"),
    [
        ("squad1", [["Ann"], ["Bo", "left out"]], ["Ann", "Bo"], [0, 8]),
        ("DROP", [["3"]], ["3"], [30]),  # not the 3 inside of 33
        ("drop", [[["Ann", "Bo"]], ["Ann"]], [["Ann", "Bo"], "Ann"], [0, 8, 0]),
        ("quoref_syn", [[["Bo"]]], [["Bo"]], [8]),
        ("squad2", [[""]], [""], []),
        ("narrativeqa", [["a girl"]], ["a girl"], [-1]),
        ("squad1", [], [], []),
    ],
)
def test_orb_question(tmp_path, dataset, answers, references, answer_start):
    (question,) = read("orb", written(tmp_path / "gold.jsonl", orb_passage(answers, dataset)))
    assert question.references == references
    assert question.answers["answer_start"] == answer_start
    assert question.dataset == dataset.lower()
    assert (question.kind, question.original_qid) == (None, None)


def test_orb_first_element_of_an_answer_alone_counts_and_the_rest_is_counted(tmp_path):
    report = ReadingReport()
    path = written(tmp_path / "gold.jsonl", orb_passage([["Ann", "x", "y"], ["Bo", "z"]], "squad1"))
    (question,) = read("orb", path, report=report)
    assert question.references == ["Ann", "Bo"]
    assert report.unread_answers == 3


def test_orb_synthetic_question_keeps_kind_and_origin(tmp_path):
    passage = orb_passage([["Ann"]], "drop_syn", kind="negation", original_qid=7)
    (question,) = read("orb", written(tmp_path / "gold.jsonl", passage))
    assert (question.kind, question.original_qid) == ("negation", "7")


def test_one_dataset_of_orb(tmp_path):
    lines = [orb_passage([["Ann"]], "squad1"), orb_passage([["Bo"]], "DROP", qid="o2")]
    path = tmp_path / "gold.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    assert [question.id for question in read("orb/drop", path)] == ["o2"]
    with pytest.raises(ValueError, match=r"gold.jsonl: holds no questions of ropes$"):
        read("orb/ropes", path)


@pytest.mark.parametrize("name", ["squad", "drcd/x", "orb/", "orb/squad", "beerqa/squad"])
def test_unknown_benchmark(name):
    with pytest.raises(ValueError, match=r"unknown (benchmark|dataset name)"):
        parse_benchmark(name)


@pytest.mark.parametrize(
    "dressed",
    [
        pytest.param(gzip.compress, id="gzip"),
        pytest.param(lambda content: b"\xef\xbb\xbf" + content, id="byte order mark"),
        pytest.param(lambda content: content.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(
            lambda content: gzip.compress(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n") + b"\r\n\r\n"), id="all"
        ),
    ],
)
@pytest.mark.parametrize("benchmark", ["drcd", "orb", "beerqa"])
def test_dress_of_a_file_makes_no_difference(tmp_path, benchmark, dressed, way_of_reading):
    passages = [orb_passage([["Ann"]]), orb_passage([["Bo"]], qid="o2")]
    contents = {
        "drcd": json.dumps(drcd_document(), indent=1, ensure_ascii=False),
        "beerqa": json.dumps(beerqa_document(), indent=1),
        "orb": "\n".join(map(json.dumps, passages)) + "\n",
    }
    plain, other = tmp_path / "plain.json", tmp_path / "other.json"
    plain.write_bytes(contents[benchmark].encode())
    other.write_bytes(dressed(contents[benchmark].encode()))
    assert read(benchmark, other) == read(benchmark, plain) != []
    assert detect_benchmark(other) == detect_benchmark(plain) == benchmark


def test_checksum_is_of_the_decompressed_content(tmp_path):
    plain, packed = tmp_path / "a.json", tmp_path / "a.json.gz"
    plain.write_bytes(b"content")
    packed.write_bytes(gzip.compress(b"content"))
    assert content_sha256(packed) == content_sha256(plain) == hashlib.sha256(b"content").hexdigest()


def test_numbers_as_ids_become_strings(tmp_path, way_of_reading):
    assert read("drcd", written(tmp_path / "d.json", drcd_document(id=17)))[0].id == "17"
    assert read("beerqa", written(tmp_path / "b.json", beerqa_document(id=17)))[0].id == "17"
    assert read("orb", written(tmp_path / "o.jsonl", orb_passage([["Ann"]], qid=0)))[0].id == "0"


def test_memory_stays_flat_when_streamed(tmp_path, monkeypatch):
    monkeypatch.setattr(file_records, "WHOLE_FILE_BYTES", 0)
    peaks = []
    for size in (500, 2_500):
        records = [beerqa_document(id=f"{i:024x}")["data"][0] for i in range(size)]
        path = written(tmp_path / f"{size}.json", {"data": records})
        del records
        tracemalloc.start()
        assert sum(1 for _ in read_gold("beerqa", path)) == size
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # Ids are kept, to find those that occur twice; a question as a whole takes over 1,500 bytes.
    assert (peaks[1] - peaks[0]) / 2_000 < 300


# answer_start


@pytest.mark.parametrize(
    ("text", "stated", "found", "repaired", "lost"),
    [
        ("臺灣北部", 5, 5, 0, 0),
        ("臺北市", 19, 19, 0, 0),  # stands there twice; either place is right
        ("臺灣北部", 6, 5, 1, 0),
        ("臺灣北部", -1, 5, 1, 0),
        ("臺灣北部", 10**6, 5, 1, 0),
        ("臺北市", 1, -1, 0, 1),
        ("高雄", 0, -1, 0, 1),
    ],
)
def test_answer_start_is_checked_repaired_and_counted(tmp_path, text, stated, found, repaired, lost):
    report = ReadingReport()
    document = drcd_document(answers=[{"id": "1", "text": text, "answer_start": stated}])
    question, _ = read("drcd", written(tmp_path / "gold.json", document), report=report)
    assert question.answers == {"text": [text], "answer_start": [found]}
    assert question.references == [text]
    assert (report.repaired_starts, report.lost_starts) == (repaired, lost)


@given(st.lists(st.text(alphabet="ab é3.-", max_size=4)), st.text(alphabet="ab é3.-", max_size=40))
def test_located_answers_stand_where_they_are_said_to_stand(texts, context):
    report = ReadingReport()
    answers = located_answers(texts, context, report)
    assert answers["text"] == [text for text in texts if text]
    for text, start in zip(answers["text"], answers["answer_start"], strict=True):
        places = [at for at in range(len(context)) if context.startswith(text, at)]
        ends_a_word = {at for at in range(1, len(context)) if context[at - 1].isalnum() and context[at].isalnum()}
        whole = [at for at in places if at not in ends_a_word and at + len(text) not in ends_a_word]
        if text[0].isalnum() and text[-1].isalnum():
            assert start == (whole[0] if whole else -1)
        else:
            assert start in [*places, -1]
            assert start >= 0 or not whole
    assert report.not_in_context == answers["answer_start"].count(-1)


# Errors


@pytest.mark.parametrize(
    ("benchmark", "content", "message"),
    [
        pytest.param("drcd", b"", r"gold.json: the file is empty", id="empty"),
        pytest.param("orb", b" \n", r"gold.json: the file is empty", id="blank"),
        pytest.param(
            "drcd", b'{"version": "1.3"}', r"gold.json: (the file: key 'data'|holds no questions)", id="no data"
        ),
        pytest.param("beerqa", b'{"data": []}', r"gold.json: holds no questions", id="no questions"),
        pytest.param("drcd", b"hello", r"gold.json: truncated or not JSON", id="not JSON"),
        pytest.param("orb", b"hello", r"gold.json: line 1: truncated or not JSON", id="not JSON Lines"),
        pytest.param("beerqa", b"\xff\xfe", r"gold.json: (not UTF-8|truncated or not JSON)", id="not UTF-8"),
        pytest.param("orb", b'{"a": "\xff"}', r"gold.json: line 1: not UTF-8: byte 7 is 0xff", id="ORB not UTF-8"),
        pytest.param("orb", b"[1]", r"gold.json: line 1: must be an object, found \[1\]", id="a list a line"),
        pytest.param("drcd", b'{"data": [[1]]}', r"gold.json: data\[0\]: must be an object, found \[1\]", id="a list"),
    ],
)
def test_what_is_not_a_gold_file(tmp_path, way_of_reading, benchmark, content, message):
    path = tmp_path / "gold.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read(benchmark, path)


def test_truncated_json_names_the_last_question(tmp_path, monkeypatch):
    records = [beerqa_document(id=f"a{i}")["data"][0] for i in range(9)]
    content = json.dumps({"data": records}).encode()
    path = tmp_path / "gold.json"
    path.write_bytes(content[: content.index(b'"a7"') + 20])
    with pytest.raises(ValueError, match=r"gold.json: truncated or not JSON: .* line 1, column \d+.* \"a7\""):
        read("beerqa", path)
    monkeypatch.setattr(file_records, "WHOLE_FILE_BYTES", 0)
    with pytest.raises(ValueError, match=r"gold.json: truncated or not JSON .*\(behind question 'a6'\)"):
        read("beerqa", path)


def test_truncated_json_lines_name_line_and_last_question(tmp_path):
    lines = [json.dumps(orb_passage([["Ann"]], qid=f"o{i}")) for i in range(3)]
    path = tmp_path / "gold.jsonl"
    path.write_text("\n".join(lines)[:-9])
    with pytest.raises(ValueError, match=r"gold.jsonl: line 3: truncated or not JSON: .*\(behind question 'o1'\)"):
        read("orb", path)


@pytest.mark.parametrize("damage", [lambda packed: packed[:-30], lambda packed: packed[:40] + b"x" + packed[41:]])
def test_damaged_gzip(tmp_path, damage, way_of_reading):
    path = tmp_path / "gold.json.gz"
    path.write_bytes(damage(gzip.compress(json.dumps(drcd_document()).encode())))
    with pytest.raises(ValueError, match=r"gold.json.gz: truncated or damaged gzip data"):
        read("drcd", path)


def test_damaged_parquet(tmp_path):
    path = tmp_path / "gold.parquet"
    path.write_bytes(b"PAR1 and nothing behind it")
    with pytest.raises(ValueError, match=r"gold.parquet: truncated or damaged Parquet"):
        read("drcd", path)


@pytest.mark.parametrize("asked", ["drcd", "orb", "beerqa"])
@pytest.mark.parametrize("given_", ["drcd", "orb", "beerqa"])
def test_file_of_another_benchmark(tmp_path, asked, given_):
    contents = {"drcd": drcd_document(), "beerqa": beerqa_document(), "orb": orb_passage([["Ann"]])}
    titles = {"drcd": "DRCD", "beerqa": "BeerQA", "orb": "ORB"}
    path = written(tmp_path / "gold.json", contents[given_])
    if asked == given_:
        assert read(asked, path)
        return
    message = rf"gold.json: this is a file in {titles[given_]}'s format, not in {titles[asked]}'s"
    with pytest.raises(ValueError, match=message):
        read(asked, path)


def without(record: dict, key: str) -> dict:
    return {name: value for name, value in record.items() if name != key}


@pytest.mark.parametrize("key", ["question", "id"])
def test_missing_key_of_drcd_question(tmp_path, way_of_reading, key):
    document = drcd_document()
    qas = document["data"][0]["paragraphs"][0]["qas"]
    qas[1] = without(qas[1], key)
    where = r"question '1-1-2'" if key == "question" else r"data\[0\].paragraphs\[0\].qas\[1\]"
    with pytest.raises(ValueError, match=rf"gold.json: {where}: key '{key}' is missing; found "):
        read("drcd", written(tmp_path / "gold.json", document))


@pytest.mark.parametrize("key", ["text", "answer_start"])
def test_missing_key_of_drcd_answer(tmp_path, way_of_reading, key):
    document = drcd_document(answers=[without({"id": "1", "text": "臺灣", "answer_start": 5}, key)])
    with pytest.raises(ValueError, match=rf"question '1-1-1', answers\[0\]: key '{key}' is missing; found id, "):
        read("drcd", written(tmp_path / "gold.json", document))


@pytest.mark.parametrize(("level", "key"), [(0, "title"), (0, "paragraphs"), (1, "context"), (1, "qas")])
def test_missing_key_of_drcd_article_or_paragraph(tmp_path, way_of_reading, level, key):
    document = drcd_document()
    article = document["data"][0]
    if level == 0:
        document["data"] = [without(article, key)]
    else:
        article["paragraphs"] = [without(article["paragraphs"][0], key)]
    where = r"data\[0\]" if level == 0 else r"data\[0\].paragraphs\[0\]"
    path = written(tmp_path / "gold.json", document)
    if key != "qas":
        assert detect_benchmark(path) in ("drcd", None)
    with pytest.raises(ValueError, match=rf"gold.json: {where}: key '{key}' is missing"):
        read("drcd", path)


@pytest.mark.parametrize("key", ["id", "src", "question"])
def test_missing_key_of_beerqa(tmp_path, way_of_reading, key):
    record = without(beerqa_document()["data"][0], key)
    where = r"data\[0\]" if key == "id" else "question 'a1'"
    with pytest.raises(ValueError, match=rf"gold.json: {where}: key '{key}' is missing; found "):
        read("beerqa", written(tmp_path / "gold.json", {"data": [record]}))


@pytest.mark.parametrize("key", ["qid", "dataset", "question", "context", "qa_pairs"])
def test_missing_key_of_orb(tmp_path, key):
    passage = orb_passage([["Ann"]])
    passage = without(passage, key) | {"qa_pairs": [without(pair, key) for pair in passage["qa_pairs"]]}
    if key == "qa_pairs":
        passage = without(passage, key)
    where = {"qid": r"line 1, qa_pairs\[0\]", "context": "line 1", "qa_pairs": "line 1"}.get(key, "question 'o1'")
    with pytest.raises(ValueError, match=rf"gold.jsonl: {where}: key '{key}' is missing; found "):
        read("orb", written(tmp_path / "gold.jsonl", passage))


@pytest.mark.parametrize("lacking", [0, 1])
def test_answers_are_lacking_in_all_questions_or_in_none(tmp_path, lacking, way_of_reading):
    records = [beerqa_document(id=f"a{i}")["data"][0] for i in range(2)]
    records[lacking] = without(records[lacking], "answers")
    with pytest.raises(ValueError, match=r"question 'a1': .*'answers'.*, unlike the questions before it"):
        read("beerqa", written(tmp_path / "gold.json", {"data": records}))


@pytest.mark.parametrize("value", [None, 1.5, True, ["x"], {"a": 1}])
@pytest.mark.parametrize("key", ["id", "question", "answers", "src", "context"])
def test_wrong_type_in_beerqa(tmp_path, way_of_reading, key, value):
    if key in ("answers", "context") and isinstance(value, list):
        value = [1]
    with pytest.raises(ValueError, match=rf"gold.json: .*'{key}(\[0\])?' must be .*, found "):
        read("beerqa", written(tmp_path / "gold.json", beerqa_document(**{key: value})))


@pytest.mark.parametrize("start", [None, "5", 5.0, True])
def test_wrong_type_of_answer_start(tmp_path, way_of_reading, start):
    document = drcd_document(answers=[{"text": "臺灣北部", "answer_start": start}])
    with pytest.raises(ValueError, match=r"question '1-1-1', answers\[0\]: 'answer_start' must be an integer, found "):
        read("drcd", written(tmp_path / "gold.json", document))


@pytest.mark.parametrize(
    ("dataset", "answers", "message"),
    [
        ("squad1", "Ann", r"'answers' must be a list, found 'Ann'"),
        ("squad1", ["Ann"], r"'answers\[0\]' must be a list that is not empty, found 'Ann'"),
        ("squad1", [["Ann"], []], r"'answers\[1\]' must be a list that is not empty, found \[\]"),
        ("squad1", [[3]], r"'answers\[0\]\[0\]' must be a string, found 3"),
        ("squad1", [[["Ann", "Bo"]]], r"'answers\[0\]\[0\]' must be a string; only drop, quoref, .* several spans"),
        ("drop", [[["Ann", None]]], r"'answers\[0\]\[0\]\[1\]' must be a string, found None"),
        ("drop", [[[["Ann"]]]], r"'answers\[0\]\[0\]\[0\]' must be a string, found \['Ann'\]"),
        ("drop", [[[]]], r"'answers\[0\]\[0\]' must hold at least one span"),
        ("squad", [["Ann"]], r", key 'dataset': unknown dataset name 'squad'; known are squad1, squad2, drop, "),
    ],
)
def test_wrong_answers_or_dataset_in_orb(tmp_path, dataset, answers, message):
    with pytest.raises(ValueError, match=rf"gold.jsonl: question 'o1'.*{message}"):
        read("orb", written(tmp_path / "gold.jsonl", orb_passage(answers, dataset)))


@pytest.mark.parametrize("benchmark", ["drcd", "orb", "beerqa"])
def test_duplicate_ids(tmp_path, way_of_reading, benchmark):
    beerqa = beerqa_document()
    orb = orb_passage([["Ann"]])
    contents = {
        "drcd": drcd_document(id="1-1-2"),
        "beerqa": beerqa | {"data": beerqa["data"] * 2},
        "orb": orb | {"qa_pairs": orb["qa_pairs"] * 2},
    }
    id_ = {"drcd": "1-1-2", "beerqa": "a1", "orb": "o1"}[benchmark]
    with pytest.raises(ValueError, match=rf"gold.json: question '{id_}': this id occurs twice"):
        read(benchmark, written(tmp_path / "gold.json", contents[benchmark]))


def test_lone_surrogate(tmp_path):
    path = tmp_path / "gold.json"
    path.write_text(json.dumps(beerqa_document(question="\ud800?")))
    with pytest.raises(ValueError, match=r"question 'a1': 'question' holds a lone surrogate at character 0"):
        read("beerqa", path)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.json"):
        read("drcd", tmp_path / "nowhere.json")


# Standard columns


@pytest.mark.parametrize("benchmark", ["drcd", "orb", "beerqa"])
def test_standard_columns_in_json_lines(tmp_path, benchmark):
    contents = {"drcd": drcd_document(), "beerqa": beerqa_document(), "orb": orb_passage([[["Ann", "Bo"]], ["Bo"]])}
    questions = read(benchmark, written(tmp_path / "gold.json", contents[benchmark]))
    path = tmp_path / "columns.jsonl"
    path.write_text("\n".join(json.dumps(question.columns()) for question in questions))
    assert read(benchmark, path) == questions
    other = "beerqa" if benchmark == "drcd" else "drcd"
    with pytest.raises(ValueError, match=r"columns.jsonl: question '.*': dataset '.*' is not one of"):
        read(other, path)


@pytest.mark.parametrize("column", COLUMNS)
def test_standard_columns_are_all_needed(tmp_path, column):
    (question,) = read("beerqa", written(tmp_path / "gold.json", beerqa_document()))
    columns = without(question.columns(), column)
    if column == "references":  # the column that tells this format from the others
        columns["note"] = {"references": 1}
    path = written(tmp_path / "columns.jsonl", columns)
    with pytest.raises(ValueError, match=rf"columns.jsonl: .*: key '{column}' is missing; found "):
        read("beerqa", path)


def test_standard_columns_have_their_answer_start_checked(tmp_path):
    question, _ = read("drcd", written(tmp_path / "gold.json", drcd_document()))
    columns = question.columns() | {"answers": {"text": ["臺灣北部", "臺北"], "answer_start": [0, -1]}}
    report = ReadingReport()
    (checked,) = read("drcd", written(tmp_path / "columns.jsonl", columns), report=report)
    assert checked.answers == {"text": ["臺灣北部", "臺北"], "answer_start": [5, -1]}
    assert (report.repaired_starts, report.lost_starts) == (1, 0)
    columns["answers"] = {"text": ["臺灣北部"], "answer_start": []}
    with pytest.raises(ValueError, match=r"question '1-1-1', answers: 'answer_start' must hold an integer for each"):
        read("drcd", written(tmp_path / "columns.jsonl", columns))


# The benchmarks' own files


@pytest.mark.parametrize(("split", "size"), [("dev", 3524), ("test", 3493)])
def test_real_drcd(shared, split, size, way_of_reading):
    report = ReadingReport()
    questions = read("drcd", shared / f"data/DRCD_{split}.json", report=report, need_answers=True)
    assert len(questions) == report.questions == size
    assert (report.repaired_starts, report.lost_starts) == (0, 0)
    assert all(len(question.references) == 2 for question in questions)


def test_real_orb_sample(shared):
    questions = read("orb", shared / "data/orb_sample_input.jsonl")
    by_id = {question.id: question for question in questions}
    assert len(questions) == 8
    assert by_id["ac6ba235-3024-4f63-a6ab-730a14def4cb"].references == ["3", "2", "3", "3", "3", "3"]
    assert by_id["3109101566"].answers["answer_start"] != [-1]


@pytest.mark.parametrize(
    ("benchmark", "file", "size"), [("orb", "orb_gold.jsonl", 540), ("beerqa", "beerqa_gold.json", 600)]
)
def test_golden_runs(shared, benchmark, file, size, way_of_reading):
    assert len(read(benchmark, shared / "golden" / file, need_answers=True)) == size
