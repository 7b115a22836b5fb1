"""Free-form answers as spans over datasets, and the command that makes training files."""

from pathlib import Path
from typing import Any

import datasets
import pytest
from click.testing import CliRunner, Result
from datasets import Dataset, Features, Json, List, Value

from scripts.free_form import SpanCounts, count_labels, label_spans
from scripts.training_data import main

FEATURES = Features(
    {
        "id": Value("string"),
        "dataset": Value("string"),
        "title": Value("string"),
        "question": Value("string"),
        "context": Value("string"),
        "paragraphs": List({"title": Value("string"), "text": Value("string")}),
        "answers": {"text": List(Value("string")), "answer_start": List(Value("int32"))},
        "references": Json(),
    }
)
PLOT = "İn 1920 the grey-eyed thief, called “Micky”, robs a bank in Naïve City. Two years later his brother finds him."


def question(name: str, dataset: str, references: list[Any], context: str = PLOT) -> dict[str, Any]:
    return {
        "id": name,
        "dataset": dataset,
        "title": "",
        "question": "Who?",
        "context": context,
        "paragraphs": [{"title": "", "text": context}],
        "answers": {
            "text": [text for text in references if text],
            "answer_start": [context.find(text) for text in references if isinstance(text, str) and text],
        },
        "references": references,
    }


ROWS = [
    question("q1", "duorc", ["a thief whose eyes are grey", "The thief called Micky"]),
    question("q2", "duorc", [""]),
    question("q3", "narrativeqa", ["his own brother found him", "in naïve city"]),
    question("q4", "squad1", ["thief", "the grey-eyed thief"]),
    question("q5", "narrativeqa", ["nobody knows"]),
    question("q6", "duorc", ["He robs banks, in the whole country"]),
    question("q7", "narrativeqa", []),
    question("q8", "narrativeqa", ["?!"]),
    question("q9", "duorc_syn", ["Two years later"]),
]
# The span and the ROUGE-L that the definition gives, worked out by hand.
BY_HAND: dict[str, tuple[str | None, float | None]] = {
    "q1": ("thief, called “Micky", 6 / 7),
    "q2": (None, None),
    "q3": ("in Naïve City", 1.0),
    "q5": (None, 0.0),
    "q6": ("robs a bank in", 4 / 11),
    "q7": (None, None),
    "q8": (None, 0.0),
    "q9": ("Two years later", 1.0),
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")


@pytest.fixture
def rows() -> Dataset:
    return Dataset.from_list(ROWS, features=FEATURES)


@pytest.mark.parametrize("num_proc", [None, 2])
def test_labels_by_hand(rows: Dataset, num_proc: int | None) -> None:
    labelled = label_spans(rows, num_proc=num_proc)
    assert labelled.features == Features(FEATURES | {"rouge_l": Value("float64")})
    assert labelled["id"][:] == rows["id"][:]
    for before, after in zip(rows, labelled, strict=True):
        unchanged = set(FEATURES) - {"answers"}
        assert {name: after[name] for name in unchanged} == {name: before[name] for name in unchanged}
        answers = after["answers"]
        for text, start in zip(answers["text"], answers["answer_start"], strict=True):
            assert PLOT[start : start + len(text)] == text
        if before["dataset"] == "squad1":
            assert (answers, after["rouge_l"]) == (before["answers"], None)
            continue
        span, rouge_l = BY_HAND[before["id"]]
        assert answers["text"] == ([span] if span else [])
        assert after["rouge_l"] == (rouge_l if rouge_l is None else pytest.approx(rouge_l))


def test_below_the_threshold_answers_are_empty_and_counted(rows: Dataset) -> None:
    labelled = label_spans(rows, min_rouge_l=0.5)
    by_id = {row["id"]: row for row in labelled}
    assert by_id["q6"]["answers"] == {"text": [], "answer_start": []}
    assert by_id["q6"]["rouge_l"] == pytest.approx(4 / 11)
    assert by_id["q1"]["answers"]["text"] == ["thief, called “Micky"]
    counts = count_labels(labelled)
    assert counts["narrativeqa"] == SpanCounts(questions=4, unanswered=1, below=2, reached=[1.0])
    assert counts["duorc"] == SpanCounts(questions=3, unanswered=1, below=1, reached=[6 / 7])
    assert counts["duorc_syn"] == SpanCounts(questions=1, reached=[1.0])
    assert set(counts) == {"duorc", "duorc_syn", "narrativeqa"}
    # A span that just reaches the threshold is taken.
    exact = label_spans(rows, min_rouge_l=1.0)
    assert [row["id"] for row in exact if row["answers"]["text"]] == ["q3", "q4", "q9"]


def test_the_longest_span_and_the_datasets_can_be_chosen(rows: Dataset) -> None:
    labelled = label_spans(rows, free_form=("squad1",), max_answer_length=1)
    by_id = {row["id"]: row for row in labelled}
    assert by_id["q4"]["answers"] == {"text": ["thief"], "answer_start": [PLOT.index("thief")]}
    assert by_id["q1"]["answers"] == ROWS[0]["answers"]
    assert by_id["q1"]["rouge_l"] is None


def test_references_may_be_strings_or_lists_of_one() -> None:
    features = Features(FEATURES | {"references": List(List(Value("string")))})
    row = question("q1", "DuoRC", ["Micky"]) | {"references": [["Micky"]]}
    labelled = label_spans(Dataset.from_list([row], features=features))
    assert labelled[0]["answers"] == {"text": ["Micky"], "answer_start": [PLOT.index("Micky")]}
    assert labelled[0]["references"] == [["Micky"]]


@pytest.mark.parametrize("num_proc", [None, 2])
def test_no_rows_give_no_rows(rows: Dataset, num_proc: int | None) -> None:
    labelled = label_spans(rows.select([]), num_proc=num_proc)
    assert len(labelled) == 0
    assert labelled.features == Features(FEATURES | {"rouge_l": Value("float64")})
    assert count_labels(labelled) == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"references": [["a", "b"]]}, r"question 'q1': expected references of one text each, found \['a', 'b'\]"),
        ({"references": [12]}, "question 'q1': expected references of one text each, found 12"),
        ({"references": None}, "question 'q1': expected a list in column 'references', found None"),
        ({"context": None}, "question 'q1': expected a text in column 'context', found None"),
        ({"dataset": None}, "question 'q1': expected a text in column 'dataset', found None"),
    ],
)
@pytest.mark.parametrize("num_proc", [None, 2])
def test_a_bad_row_is_named(change: dict[str, Any], message: str, num_proc: int | None) -> None:
    bad = ROWS[0] | change
    with pytest.raises(ValueError, match=message):
        label_spans(Dataset.from_list([*ROWS[1:], bad], features=FEATURES), num_proc=num_proc)


def test_bad_arguments_are_named(rows: Dataset) -> None:
    with pytest.raises(ValueError, match="expected a column 'references', found id, dataset"):
        label_spans(rows.remove_columns("references"))
    with pytest.raises(ValueError, match="max_answer_length: expected at least 1, found 0"):
        label_spans(rows, max_answer_length=0)
    for threshold in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match=r"min_rouge_l: expected a number in \[0, 1\]"):
            label_spans(rows, min_rouge_l=threshold)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], env={"COLUMNS": "120"})


def table_rows(output: str) -> dict[str, list[str]]:
    lines = [line.strip(" │").split("│") for line in output.splitlines() if "│" in line]
    return {line[0].strip(): [cell.strip() for cell in line[1:]] for line in lines}


def test_the_command_labels_files_and_reports(rows: Dataset, tmp_path: Path) -> None:
    rows.select(range(4)).to_parquet(tmp_path / "one.parquet")
    rows.select(range(4, 9)).to_parquet(tmp_path / "two.parquet")
    output = tmp_path / "spans.parquet"
    arguments = ("--output", output, "--min_rouge_l", 0.5, "--num_proc", 2)
    result = run("spans", tmp_path / "one.parquet", tmp_path / "two.parquet", *arguments)
    assert result.exit_code == 0, result.output
    assert table_rows(result.output) == {
        "duorc": ["3", "1", "1", "1", "0.857", "0"],
        "duorc_syn": ["1", "0", "0", "1", "1.000", "1"],
        "narrativeqa": ["4", "1", "2", "1", "1.000", "1"],
    }
    assert "1 questions of other datasets are as they were." in result.output
    written = Dataset.from_parquet(str(output))
    expected = label_spans(rows, min_rouge_l=0.5)
    assert written.features == expected.features
    assert written.to_list() == expected.to_list()


def test_the_command_writes_a_mixture(rows: Dataset, tmp_path: Path) -> None:
    rows = rows.filter(lambda row: row["dataset"] != "duorc_syn")
    labelled = label_spans(rows)
    labelled.filter(lambda row: row["dataset"] != "squad1").to_parquet(tmp_path / "spans.parquet")
    # Files without the column `rouge_l` may be mixed with labelled ones.
    rows.filter(lambda row: row["dataset"] == "squad1").to_parquet(tmp_path / "squad1.parquet")
    output = tmp_path / "mixture.parquet"
    schedule = ("--uniform_examples", 600, "--transition_examples", 0, "--examples", 601, "--seed", 7)
    result = run("mixture", tmp_path / "squad1.parquet", tmp_path / "spans.parquet", "--output", output, *schedule)
    assert result.exit_code == 0, result.output
    written = Dataset.from_parquet(str(output))
    assert len(written) == 601
    assert {row["id"] for row in written} == set(rows["id"])
    for name, size, last in (("duorc", 3, "37.5%"), ("narrativeqa", 4, "50.0%"), ("squad1", 1, "12.5%")):
        drawn = written["dataset"][:].count(name)
        assert abs(drawn - 200) <= 3 * (600 * 1 / 3 * 2 / 3) ** 0.5
        assert table_rows(result.output)[name] == [str(size), "33.3%", last, str(drawn), f"{drawn / size:.2f}"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("spans", "absent.parquet"), "absent.parquet"),
        (("spans", "text.parquet"), "text.parquet: expected a Parquet file"),
        (("spans", "."), ".: "),
        (("spans", "squad1.parquet"), "expected questions of duorc, duorc_syn, narrativeqa, found only squad1"),
        (("spans", "bare.parquet"), "expected a column 'dataset', found id"),
        (("spans", "squad1.parquet", "other.parquet"), "the files have columns of different types"),
        (("spans", "squad1.parquet", "--max_answer_length", "0"), "max_answer_length: expected at least 1, found 0"),
        (("mixture", "bare.parquet"), "expected a column 'dataset', found id"),
        (("mixture", "squad1.parquet", "--uniform_examples", "-1"), "uniform_examples: expected 0 or more, found -1"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: tuple[str, ...], message: str, rows: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.parquet").write_text("not a table")
    rows.select([3]).to_parquet("squad1.parquet")
    rows.select_columns(["id"]).to_parquet("bare.parquet")
    Dataset.from_dict({"id": [1]}).to_parquet("other.parquet")
    schedule = ("--uniform_examples", 1, "--transition_examples", 1, "--examples", 1)
    required = schedule if arguments[0] == "mixture" else ()
    result = run(arguments[0], *required, *arguments[1:], "--output", "out.parquet")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1
    assert message in result.stderr
    assert not Path("out.parquet").exists()


def test_the_output_needs_a_directory(rows: Dataset, tmp_path: Path) -> None:
    rows.to_parquet(tmp_path / "rows.parquet")
    result = run("spans", tmp_path / "rows.parquet", "--output", tmp_path / "no" / "out.parquet")
    assert result.exit_code == 2
    assert result.stderr == f"Error: {tmp_path / 'no' / 'out.parquet'}: there is no directory {tmp_path / 'no'}\n"
