"""The command that makes ORB's synthetic variants: its files, its report, its errors."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from metrics.shared.gold_files import read_gold
from scripts.augment_orb import main
from scripts.augmentations import KINDS

ROOT = Path(__file__).resolve().parents[1]
QUESTIONS = Path(__file__).parent / "data" / "augment" / "questions.jsonl"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def some(tmp_path: Path) -> Path:
    """Twelve passages of three datasets; one of them, squad2, has no synthetic counterpart."""
    path = tmp_path / "some.jsonl"
    path.write_text("".join(QUESTIONS.read_text(encoding="utf-8").splitlines(keepends=True)[4:16]), encoding="utf-8")
    return path


def test_the_output_is_a_gold_file_that_names_kinds_and_originals(some: Path, tmp_path: Path) -> None:
    output = tmp_path / "syn.jsonl"
    result = run(some, "--output", output, "--num-proc", 1)
    assert result.exit_code == 0, result.output
    originals = {question.id: question for question in read_gold("orb", some)}
    made = list(read_gold("orb", output, need_answers=True))
    assert len(made) > 100
    for question in made:
        assert question.original_qid is not None
        original = originals[question.original_qid]
        assert question.kind in KINDS
        assert question.id.startswith(f"{original.id}-{question.kind}-")
        assert question.dataset == f"{original.dataset}_syn"
        assert question.context == original.context
        if KINDS[question.kind].answer == "same":
            assert question.references == original.references
            assert question.answers == original.answers
    assert f"{len(made):,} variants written" in result.output
    assert "left out: 14 questions of squad2" in result.output


@pytest.mark.parametrize("processes", [2, 3])
def test_the_number_of_processes_changes_nothing(some: Path, tmp_path: Path, processes: int) -> None:
    alone, together = tmp_path / "1.jsonl", tmp_path / "n.jsonl"
    for output, number in ((alone, 1), (together, processes)):
        assert run(some, "-o", output, "--seed", 5, "--variants", 2, "--num-proc", number).exit_code == 0
    assert alone.read_bytes() == together.read_bytes()


def test_originals_are_kept_on_request_whole_and_once(some: Path, tmp_path: Path) -> None:
    output = tmp_path / "both.jsonl.gz"
    assert run(some, "-o", output, "--keep-originals", "--num-proc", 1).exit_code == 0
    with gzip.open(output, "rt", encoding="utf-8") as stream:
        assert sum(1 for _ in stream) == 12
    both = list(read_gold("orb", output))
    assert [q.id for q in both if q.kind is None] == [q.id for q in read_gold("orb", some)]
    assert {q.original_qid for q in both if q.kind} <= {q.id for q in both}


def test_kinds_and_their_number_are_chosen(some: Path, tmp_path: Path) -> None:
    output = tmp_path / "syn.jsonl"
    assert (
        run(some, "-o", output, "--kind", "sear", "--kind", "no_answer", "--variants", 3, "--num-proc", 1).exit_code
        == 0
    )
    made = list(read_gold("orb", output))
    assert {question.kind for question in made} == {"sear", "no_answer"}
    assert {question.id.rsplit("-", 1)[1] for question in made} == {"1", "2", "3"}


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_standard_columns_give_the_same_as_orbs_own_format(some: Path, tmp_path: Path, suffix: str) -> None:
    columns = [question.columns() for question in read_gold("orb", some)]
    source = tmp_path / f"columns{suffix}"
    if suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(
            pa.Table.from_pylist([row | {"references": json.dumps(row["references"])} for row in columns]), source
        )
    else:
        source.write_text("".join(json.dumps(row) + "\n" for row in columns), encoding="utf-8")
    outputs = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    for given, output in zip((some, source), outputs, strict=True):
        result = run(given, "-o", output, "--num-proc", 1)
        assert result.exit_code == 0, result.output
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


def test_answers_of_several_spans_stay_as_they_are(tmp_path: Path) -> None:
    pair = {
        "question": "Which players scored?",
        "answers": [[["Ann Lee", "Bob Ray"]], ["Ann Lee"]],
        "dataset": "drop",
        "qid": "1",
    }
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps({"context": "Ann Lee and Bob Ray scored.", "qa_pairs": [pair]}), encoding="utf-8")
    assert run(source, "-o", output, "--num-proc", 1).exit_code == 0
    made = [pair for line in output.open(encoding="utf-8") for pair in json.loads(line)["qa_pairs"]]
    assert made and all(variant["answers"] == pair["answers"] for variant in made)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty"),
        ('{"context": "A.", "qa_pairs": [{"question": "Who?", "dataset": "drop", "qid": "1"}]}', "answers"),
        (
            '{"context": "A.", "qa_pairs": [{"question": "Who?", "answers": [["A"]], "dataset": "nope", "qid": "1"}]}',
            "'nope'",
        ),
        (
            '{"context": "A", "qa_pairs": [{"question": "Who?", "answers": [["A"]], "dataset": "squad2", "qid": "1"}]}',
            "none",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(tmp_path: Path, content: str, message: str) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(content, encoding="utf-8")
    result = run(source, "-o", output, "--num-proc", 1)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1
    assert message in result.stderr
    assert not output.exists()


def test_the_input_is_not_overwritten(some: Path) -> None:
    before = some.read_bytes()
    result = run(some, "-o", some)
    assert (result.exit_code, some.read_bytes()) == (2, before)


def test_the_command_runs_from_the_projects_root(some: Path, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "scripts/augment_orb.py",
        str(some),
        "-o",
        str(tmp_path / "syn.jsonl"),
        "--num-proc",
        "2",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "variants written" in done.stdout
    assert done.stderr == ""


def test_variants_of_a_file_that_has_variants_already_get_ids_of_their_own(tmp_path: Path) -> None:
    sample = Path(__file__).resolve().parents[1] / "metrics" / "orb_em_f1" / "sample" / "gold.jsonl"
    output = tmp_path / "both.jsonl"
    result = CliRunner().invoke(main, [str(sample), "--output", str(output), "--keep-originals", "--grammar", "rules"])
    assert result.exit_code == 0, result.output
    before = {question.id: question for question in read_gold("orb", sample)}
    after = {question.id: question for question in read_gold("orb", output)}
    assert len(after) > len(before)
    for id_, question in before.items():
        assert (after[id_].kind, after[id_].original_qid) == (question.kind, question.original_qid)
