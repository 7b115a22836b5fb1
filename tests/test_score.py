"""The command that scores a prediction file: golden values, the sample, what it writes, and what bad input gets."""

import gzip
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from scripts import load_benchmark, score

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
GOLDEN = SHARED / "golden"
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="the golden files stand beside the project")


def _wordnet_is_there() -> bool:
    try:
        import_module("metrics.orb_em_f1.narrativeqa").score_narrativeqa("a cat", ["the cat"])
    except ImportError:
        return False
    return True


needs_wordnet = pytest.mark.skipif(not _wordnet_is_there(), reason="WordNet or py-rouge is not installed")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture) -> Run:
    def run_command(*arguments: object) -> tuple[int, str, str]:
        code = score.run([str(argument) for argument in arguments])
        return (code, *capsys.readouterr())

    return run_command


def _results(run: Run, output: Path, *arguments: object) -> dict:
    code, _, errors = run(*arguments, "--output", output, "--resamples", 20)
    assert (code, errors) == (0, "")
    return json.loads(output.read_text(encoding="utf-8"))


def _aggregate(results: dict, protocol: str) -> dict:
    return results["protocols"][protocol]["aggregate"]


# Golden values through the command.


@needs_shared
@pytest.mark.parametrize("split", ["dev", "test"])
def test_second_human_answers_on_drcd(run: Run, tmp_path: Path, split: str) -> None:
    document = json.loads((SHARED / "data" / f"DRCD_{split}.json").read_text(encoding="utf-8"))
    second = {}
    for question in (qa for a in document["data"] for paragraph in a["paragraphs"] for qa in paragraph["qas"]):
        second[question["id"]] = question["answers"].pop()["text"]
        assert len(question["answers"]) == 1
    gold, predictions = tmp_path / "gold.json", tmp_path / "second.json"
    gold.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    predictions.write_text(json.dumps(second), encoding="utf-8")
    expected = json.loads((GOLDEN / "drcd_human.json").read_text(encoding="utf-8"))[split]
    code, table, _ = run("drcd", predictions, "--data", gold, "--resamples", 20)
    found = _results(run, tmp_path / "results.json", "drcd", predictions, "--data", gold)
    assert code == 0 and found["gold"]["questions"] == expected.pop("questions")
    for protocol, figures in expected.items():
        for figure, value in figures.items():
            assert _aggregate(found, protocol)[figure] == pytest.approx(value, abs=1e-12)
            assert f"{value:.4f}" in table


@needs_shared
@needs_wordnet
@pytest.mark.parametrize(
    ("gold", "predictions", "metrics"),
    [
        ("golden/orb_gold.jsonl", "golden/orb_predictions.json", "orb_metrics.json"),
        ("data/orb_sample_input.jsonl", "data/orb_sample_predictions.json", "orb_sample_metrics.json"),
    ],
)
def test_whole_runs_of_orb(run: Run, tmp_path: Path, gold: str, predictions: str, metrics: str) -> None:
    expected = json.loads((GOLDEN / metrics).read_text(encoding="utf-8"))
    arguments = ("orb", SHARED / predictions, "--data", SHARED / gold, "--allow-missing")
    found = _aggregate(_results(run, tmp_path / "results.json", *arguments), "official")
    assert {key: found[key] for key in expected} == expected
    assert set(found) - set(expected) == {"exact_match", "f1"}


@needs_shared
def test_a_whole_run_of_beerqa(run: Run, tmp_path: Path) -> None:
    expected = json.loads((GOLDEN / "beerqa_metrics.json").read_text(encoding="utf-8"))
    arguments = ("beerqa", GOLDEN / "beerqa_predictions.json", "--data", GOLDEN / "beerqa_gold.json")
    found = _results(run, tmp_path / "results.json", *arguments, "--allow-missing")
    official = _aggregate(found, "official")
    assert {key: official[key] for key in expected} == expected
    assert set(official) - set(expected) == {"exact_match"}
    assert found["predictions"]["missing"]["count"] == 28


@needs_shared
def test_the_authors_file_is_known_by_its_checksum(run: Run, tmp_path: Path) -> None:
    document = json.loads((SHARED / "data" / "DRCD_test.json").read_text(encoding="utf-8"))
    paragraphs = (paragraph for article in document["data"] for paragraph in article["paragraphs"])
    predictions = tmp_path / "predictions.json"
    predictions.write_text(json.dumps({qa["id"]: "x" for paragraph in paragraphs for qa in paragraph["qas"]}))
    packed = tmp_path / "gold.json.gz"
    packed.write_bytes(gzip.compress((SHARED / "data" / "DRCD_test.json").read_bytes()))
    code, table, _ = run("drcd", predictions, "--data", packed, "--resamples", 20)
    assert code == 0
    assert "benchmark:drcd|split:test|data:d9de0b4d247a|protocol:official|answers:2|" in table


# The samples and the tables.


def test_the_sample_prints_every_protocol_side_by_side(run: Run) -> None:
    code, table, errors = run("drcd", "--sample")
    assert (code, errors) == (0, "")
    header = next(line for line in table.splitlines() if "recipe" in line)
    assert header.split() == [one for one in ("default", "recipe", "official", "cmrc2018") for _ in range(2)]
    assert table.count("split:sample|") == 4
    assert "1,000 resamples of 42 questions" in table


@needs_wordnet
def test_the_sample_of_orb_shows_narrativeqa_and_the_synthetic_variants(run: Run) -> None:
    code, table, errors = run("orb", "--sample")
    assert (code, errors) == (0, "")
    assert {"bleu_1", "meteor", "rouge_f"} <= set(table.split())
    assert "official counts fewer questions than the 62 it scores: exact_match 57, f1 57." in table
    assert "average_f1, exact_match, f1 are means over datasets" in table
    for protocol in ("default", "official"):
        part = table.partition(f"synthetic variants, {protocol}")[2]
        assert {"negate_choice", "implication", "no_answer"} <= set(part.split())


def test_one_dataset_of_orb_alone(run: Run) -> None:
    code, table, errors = run("orb/DROP", "--sample", "--allow-missing")
    assert (code, errors) == (0, "")
    assert "squad1" not in table
    assert "predictions are for unknown ids and were not used" in table
    assert "benchmark:orb/drop|" in table


def test_tables_are_cut_to_the_width_of_a_terminal() -> None:
    master, terminal = pty.openpty()
    command = [sys.executable, "scripts/score.py", "beerqa", "--sample", "--resamples", "20"]
    environment = {**os.environ, "COLUMNS": "80", "TERM": "dumb"}
    subprocess.run(command, cwd=ROOT, stdout=terminal, stderr=terminal, env=environment, check=True)
    os.close(terminal)
    output = os.read(master, 1 << 16).decode()
    os.close(master)
    tables, _, _ = output.partition("95 % bootstrap")
    assert max(map(len, tables.splitlines())) <= 80
    assert output.count(" 3+ hop ") == 2


def test_missing_predictions_are_counted_by_dataset(run: Run, tmp_path: Path) -> None:
    gold, full = score.sample_files("beerqa")
    predictions = json.loads(full.read_text(encoding="utf-8"))
    predictions = predictions.get("answer", predictions)
    sources = {question["id"]: question["src"] for question in json.loads(gold.read_text(encoding="utf-8"))["data"]}
    dropped = [id_ for id_ in predictions if sources[id_] == "3+ hop"][:2]
    for id_ in dropped:
        del predictions[id_]
    path = tmp_path / "some.json"
    path.write_text(json.dumps({**predictions, "nobody": "x"}), encoding="utf-8")
    code, table, errors = run("beerqa", path, "--sample")
    assert (code, table) == (2, "")
    assert errors == (
        f"error: {path}: 2 of 36 questions have no prediction: {dropped[0]!r}, {dropped[1]!r}; "
        "1 predictions are for unknown ids: 'nobody' (--allow-missing scores the others)\n"
    )
    code, table, errors = run("beerqa", path, "--sample", "--allow-missing")
    assert (code, errors) == (0, "")
    row = next(line for line in table.splitlines() if line.startswith(" 3+ hop"))
    assert row.split()[2:4] == ["8", "2"]
    assert "2 of 36 questions have no prediction: default counts them as 0; official counts them as 0." in table
    assert "1 predictions are for unknown ids and were not used." in table


def test_all_files_are_written(run: Run, tmp_path: Path) -> None:
    outputs = ("--output", tmp_path / "r.json", "--per-question", tmp_path / "q.parquet", "--model-name", "org/model")
    code, table, errors = run("drcd", "--sample", "--resamples", 20, "--seed", 5, *outputs)
    assert (code, errors) == (0, "")
    names = ["q.parquet", "r.evaluate.json", "r.json", "r.model-index.yaml"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert all(str(tmp_path / name) in table for name in names)
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["bootstrap"]["seed"] == 5
    assert "name: org/model" in (tmp_path / "r.model-index.yaml").read_text(encoding="utf-8")


def test_named_columns(run: Run, tmp_path: Path) -> None:
    predictions = json.loads(score.sample_files("drcd")[1].read_text(encoding="utf-8"))
    path = tmp_path / "rows.jsonl"
    rows = [json.dumps({"key": id_, "said": text, "answer": "x"}) for id_, text in predictions.items()]
    path.write_text("\r\n".join(rows), encoding="utf-8-sig")
    columns = ("--id-column", "key", "--prediction-column", "said")
    found = _results(run, tmp_path / "r.json", "drcd", path, "--sample", *columns)
    expected = _results(run, tmp_path / "expected.json", "drcd", "--sample")
    assert _aggregate(found, "default") == _aggregate(expected, "default")


# Where the gold file comes from.


def test_without_data_the_authors_file_is_used(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def authors_file(benchmark: str, split: str) -> Path:
        asked.append((benchmark, split))
        return score.sample_files("drcd")[0]

    monkeypatch.setattr(load_benchmark, "authors_file", authors_file)
    predictions = score.sample_files("drcd")[1]
    code, table, _ = run("drcd", predictions, "--resamples", 20)
    assert code == 0 and "split:validation|" in table
    code, table, _ = run("drcd", predictions, "--split", "test", "--resamples", 20)
    assert code == 0 and "split:test|" in table
    assert asked == [("drcd", "validation"), ("drcd", "test")]


def test_without_a_network_the_error_says_what_to_fetch(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def downloaded(*_: object) -> Path:
        raise ConnectionError("no network")

    monkeypatch.setattr(load_benchmark, "_downloaded", downloaded)
    code, _, errors = run("beerqa", score.sample_files("beerqa")[1], "--split", "dev")
    assert code == 2
    address = "https://nlp.stanford.edu/projects/beerqa/beerqa_dev_v1.0.json"
    assert errors == f"error: cannot download {address}; fetch it by other means and name it with --data\n"


# What bad input gets: exit code 2, one line on standard error, no traceback.


def _bad_file(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["squad", "p.json"], "unknown benchmark 'squad'; known are drcd, orb, beerqa"),
        (["drcd"], "name a prediction file, or use --sample"),
        (["drcd", "--sample", "--split", "test"], "--sample brings its own data"),
        (["drcd", "p.json", "--split", "eval", "--data", "g.json"], "unknown split 'eval'"),
        (["orb", "p.json"], "given on request at https://leaderboard.allenai.org/orb; name it with --data"),
        (["drcd", "none.json", "--sample"], "No such file or directory: 'none.json'"),
        (["drcd", "p.json", "--data", "none.json"], "No such file or directory: 'none.json'"),
        (["drcd", "cut.json", "--sample"], "cut.json: "),
        (["drcd", "--sample", "--output", "r.txt"], "r.txt: a file of results must end in .json"),
        (["drcd", "--sample", "--output", "no/r.json"], "no/r.json: there is no directory no"),
        (["drcd", "--sample", "--per-question", "q.xlsx"], "q.xlsx: a file of questions must end in"),
        (["drcd", "--sample", "--resamples", "0"], "0 is not in the range x>=1"),
        (["drcd", "--sample", "--nothing"], "No such option"),
        (["drcd", "p.json", "--sample", "--id-column", "key"], "has no columns; name none"),
        (["beerqa", "p.json", "--data", "questions.json"], "key 'answers' is missing or empty"),
        (["beerqa", "p.json", "--data", "g.json"], "file in DRCD's format, not in BeerQA's"),
    ],
)
def test_errors(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str) -> None:
    gold = score.sample_files("drcd")[0].read_text(encoding="utf-8")
    _bad_file(tmp_path, "g.json", gold)
    _bad_file(tmp_path, "p.json", '{"1": "x"}')
    _bad_file(tmp_path, "cut.json", '{"1": "x", "2')
    _bad_file(tmp_path, "questions.json", '{"data": [{"id": "1", "src": "squad", "question": "?"}]}')
    monkeypatch.chdir(tmp_path)
    code, output, errors = run(*arguments)
    assert (code, output) == (2, "")
    assert errors.startswith("error: ") and errors.count("\n") == 1
    assert message in errors


def test_missing_wordnet_is_named_with_its_command(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    narrativeqa = import_module("metrics.orb_em_f1.narrativeqa")

    def no_wordnet() -> None:
        raise narrativeqa.missing("wordnet")

    monkeypatch.setattr(narrativeqa, "_meteor", no_wordnet)
    code, output, errors = run("orb", "--sample")
    assert (code, output) == (2, "")
    assert errors.count("\n") == 1 and "python -m nltk.downloader wordnet" in errors


def test_the_shell_sees_the_exit_code_and_no_traceback(tmp_path: Path) -> None:
    script = str(ROOT / "scripts" / "score.py")
    command = [sys.executable, script, "drcd", "none.json", "--sample"]
    failed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr == "error: [Errno 2] No such file or directory: 'none.json'\n"
    helped = subprocess.run([sys.executable, script, "--help"], cwd=tmp_path, capture_output=True, text=True)
    assert helped.returncode == 0
    assert "python scripts/score.py drcd --sample" in helped.stdout


def test_heavy_packages_are_imported_only_where_used(tmp_path: Path) -> None:
    code = (
        "import sys; from scripts import score; code = score.run(['beerqa', '--sample', '--resamples', '20']); "
        "heavy = {'datasets', 'evaluate', 'pyarrow', 'pandas', 'matplotlib', 'huggingface_hub', 'nltk', 'scipy'};"
        "sys.exit(str(heavy & set(sys.modules)) if code or heavy & set(sys.modules) else 0)"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
