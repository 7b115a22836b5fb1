"""The command that compares systems: its numbers against plain loops, its four forms, and what bad input gets."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from metrics.drcd_char_f1.protocols import PROTOCOLS
from metrics.shared.gold_files import read_gold
from metrics.shared.scoreboard import score_files
from scripts import compare, comparison, comparison_markup, comparison_tables, score
from scripts.comparison_tables import _shortened

Run = Callable[..., tuple[int, str, str]]

NASTY = "a|b_c & 50% $x$ #1 {y} ~z^2 \\end{tabular} <b>bold</b> **strong** `code` [red]![i](u) \x1b[31m\u202e\n end"
SMALL = ("--resamples", 50, "--trials", 200)


@pytest.fixture
def run(capsys: pytest.CaptureFixture) -> Run:
    def run_command(*arguments: object) -> tuple[int, str, str]:
        code = compare.run([str(argument) for argument in arguments])
        return (code, *capsys.readouterr())

    return run_command


@pytest.fixture
def results(run: Run, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    def run_for_results(*arguments: object) -> dict[str, Any]:
        output = tmp_path / "comparison.json"
        code, _, errors = run(*arguments, "--output", output)
        assert (code, errors) == (0, "")
        return json.loads(output.read_text(encoding="utf-8"))

    return run_for_results


def write_drcd(folder: Path, questions: int, rights: dict[str, float], seed: int = 1) -> list[Path]:
    """A gold file ``gold.json``, and a prediction file for each system, which is right with the given chance."""
    choose = random.Random(seed)
    words = ["臺北", "高雄", "淡水河", "玉山", "日月潭"]
    qas: list[dict[str, Any]] = []
    predictions: dict[str, dict[str, str]] = {system: {} for system in rights}
    for number in range(questions):
        answer, other = choose.sample(words, 2)
        start = "".join(words).index(answer)
        qas.append(
            {
                "id": f"q-{number}",
                "question": f"第{number}題？",
                "answers": [{"id": "1", "text": answer, "answer_start": start}],
            }
        )
        for system, chance in rights.items():
            predictions[system][f"q-{number}"] = answer if choose.random() < chance else other
    paragraphs = [{"id": "1", "context": "".join(words), "qas": qas}]
    return write_files(folder, {"data": [{"title": "題", "id": "1", "paragraphs": paragraphs}]}, predictions)


def write_files(folder: Path, gold: object, predictions: dict[str, dict[str, Any]]) -> list[Path]:
    (folder / "gold.json").write_text(json.dumps(gold, ensure_ascii=False), encoding="utf-8")
    files = []
    for system, answers in predictions.items():
        files.append(folder / f"{system}.json")
        files[-1].write_text(json.dumps(answers, ensure_ascii=False), encoding="utf-8")
    return files


def sample_systems(folder: Path, benchmark: str) -> list[Path]:
    """The predictions of a benchmark's sample, and a copy with every fourth one replaced."""
    path = score.sample_files(benchmark)[1]
    predictions = json.loads(path.read_text(encoding="utf-8"))
    answers = predictions.get("answer", predictions)
    for id_ in list(answers)[::4]:
        answers[id_] = "nothing"
    worse = folder / "worse.json"
    worse.write_text(json.dumps(answers, ensure_ascii=False), encoding="utf-8")
    return [worse, path]


def numbers(results: dict[str, Any], **wanted: str) -> list[dict[str, Any]]:
    return [one for one in results["differences"] if wanted.items() <= one.items()]


# Is one better?


def test_a_planted_difference_is_found_and_equals_are_not_told_apart(results, tmp_path: Path) -> None:
    files = write_drcd(tmp_path, 600, {"base": 0.6, "same": 0.6, "better": 0.78})
    found = results("drcd", *files, "--data", tmp_path / "gold.json", "--trials", 2000)
    better, same = (numbers(found, protocol="official", system=name) for name in ("better", "same"))
    assert {one["figure"] for one in better} == {"exact_match", "f1"}
    for one in better:
        assert one["p_holm"] < 0.01 and 0 < one["low"] < one["value"] < one["high"]
    for one in same:
        assert one["p"] > 0.05 and one["low"] < 0 < one["high"]


def test_numbers_are_those_of_plain_loops(results, tmp_path: Path) -> None:
    files = write_drcd(tmp_path, 40, {"base": 0.5, "mine": 0.7})
    found = results("drcd", *files, "--data", tmp_path / "gold.json", *SMALL)
    questions = list(read_gold("drcd", tmp_path / "gold.json"))
    for name, protocol in PROTOCOLS.items():
        base, mine = (
            protocol.score(
                [json.loads(file.read_text())[one.id] for one in questions], [q.references for q in questions]
            )
            for file in files
        )
        for figure in protocol.figures:
            [one] = numbers(found, protocol=name, figure=figure)
            pairs = list(zip(base[figure], mine[figure], strict=True))
            assert one["value"] == pytest.approx(sum(b - a for a, b in pairs) / len(pairs))
            assert one["wins"] == sum(b > a for a, b in pairs) > 0
            assert one["losses"] == sum(b < a for a, b in pairs) > 0
            assert one["ties"] == sum(b == a for a, b in pairs)
            assert (one["mcnemar_p"] is None) == (figure == "f1")
    for system, file in zip(("base", "mine"), files, strict=True):
        assert found["systems"][system]["predictions"]["file"] == str(file)


def test_the_scores_are_those_of_the_scoring_command(results, tmp_path: Path) -> None:
    files = sample_systems(tmp_path, "beerqa")
    found = results("beerqa", *files, "--sample", *SMALL)
    alone = tmp_path / "alone.json"
    assert score.run(["beerqa", str(files[0]), "--sample", "--resamples", "50", "--output", str(alone)]) == 0
    assert found["systems"]["worse"] == json.loads(alone.read_text(encoding="utf-8"))
    assert found["baseline"] == "worse" and list(found["systems"]) == ["worse", "predictions"]
    rows = [one["row"] for one in numbers(found, protocol="official", figure="em")]
    assert rows == [*found["systems"]["worse"]["gold"]["datasets"], "overall", "macro"]
    mcnemar = {one["row"]: one["mcnemar_p"] for one in numbers(found, protocol="official", figure="em")}
    assert mcnemar["overall"] < 1 and mcnemar["macro"] is None


def test_a_difference_of_correlated_systems_has_a_narrower_interval_than_their_scores(results, tmp_path: Path) -> None:
    base, other = write_drcd(tmp_path, 300, {"base": 0.6, "other": 0.6})
    answers = json.loads(base.read_text())
    answers.update(list(json.loads(other.read_text()).items())[:20])
    other.write_text(json.dumps(answers))
    found = results("drcd", base, other, "--data", tmp_path / "gold.json", "--protocol", "default", "--figure", "f1")
    [difference] = found["differences"]
    score_of_base = next(
        one for one in found["systems"]["base"]["protocols"]["default"]["scores"] if one["figure"] == "f1"
    )
    assert difference["high"] - difference["low"] < (score_of_base["high"] - score_of_base["low"]) / 2


def test_p_values_are_adjusted_for_the_number_of_systems(results, tmp_path: Path) -> None:
    files = write_drcd(tmp_path, 200, {"base": 0.6, "a": 0.7, "b": 0.75, "c": 0.62})
    found = results("drcd", *files, "--data", tmp_path / "gold.json", "--trials", 500)
    for figure, keys in {"exact_match": ("p", "mcnemar_p"), "f1": ("p",)}.items():
        of_systems = numbers(found, protocol="default", figure=figure)
        assert [one["system"] for one in of_systems] == ["a", "b", "c"]
        for key in keys:
            ordered = sorted(of_systems, key=lambda one: one[key])
            assert ordered[0][f"{key}_holm"] == pytest.approx(min(1, 3 * ordered[0][key]))
            assert ordered[2][f"{key}_holm"] >= ordered[2][key]


def test_digits_depend_on_seed_and_signature_alone(results, tmp_path: Path) -> None:
    files = write_drcd(tmp_path, 80, {"base": 0.5, "mine": 0.6, "more": 0.65})
    arguments = ("--data", tmp_path / "gold.json", *SMALL)
    whole = results("drcd", *files, *arguments)
    assert results("drcd", *files, *arguments) == whole
    part = results("drcd", *files, *arguments, "--protocol", "recipe", "--figure", "f1")
    assert part["differences"] == numbers(whole, protocol="recipe", figure="f1")
    assert part["signatures"] == {"recipe": whole["signatures"]["recipe"]}
    assert whole["signatures"]["recipe"].endswith("|resamples:50|seed:12345|trials:200")
    other_seed = results("drcd", *files, *arguments, "--seed", 1)
    assert [one["p"] for one in other_seed["differences"]] != [one["p"] for one in whole["differences"]]


def test_the_questions_that_tell_systems_apart(results, tmp_path: Path) -> None:
    base, mine = write_drcd(tmp_path, 30, {"base": 0.5, "mine": 0.5})
    answers = json.loads(base.read_text())
    gold = {one.id: one for one in read_gold("drcd", tmp_path / "gold.json")}
    changed = dict(answers)
    for number, id_ in enumerate(gold):
        answers[id_] = gold[id_].references[0] if number == 3 else "不知"
        changed[id_] = gold[id_].references[0] if number in (7, 9) else "不知"
    base.write_text(json.dumps(answers))
    mine.write_text(json.dumps(changed))
    found = results("drcd", base, mine, "--data", tmp_path / "gold.json", *SMALL)["questions"]
    assert [(one["id"], one["difference"]) for one in found] == [("q-7", 1.0), ("q-9", 1.0), ("q-3", -1.0)]
    assert found[0]["question"] == "第7題？" and found[0]["references"] == gold["q-7"].references
    assert (found[0]["baseline_prediction"], found[0]["prediction"]) == ("不知", gold["q-7"].references[0])
    assert found[0]["figures"]["cmrc2018"] == {"exact_match": [0.0, 1.0], "f1": [0.0, 1.0]}
    fewer = results("drcd", base, mine, "--data", tmp_path / "gold.json", *SMALL, "--questions", 1)["questions"]
    assert fewer == [found[0], found[2]]
    assert results("drcd", base, mine, "--data", tmp_path / "gold.json", *SMALL, "--questions", 0)["questions"] == []


# Missing predictions.


def write_orb(folder: Path, predictions: dict[str, dict[str, Any]]) -> list[Path]:
    pairs = [
        {"qid": f"{dataset}-{i}", "dataset": dataset, "question": f"{dataset} {i}?", "answers": [["yes"]]}
        for dataset in ("squad1", "quoref")
        for i in range(4)
    ]
    return write_files(folder, {"context": "yes", "qa_pairs": pairs}, predictions)


def test_each_protocol_treats_missing_predictions_by_its_own_rule(results, run: Run, tmp_path: Path) -> None:
    first = {f"squad1-{i}": "yes" for i in range(4)}
    whole = {**first, **{f"quoref-{i}": "no" for i in range(4)}}
    files = write_orb(tmp_path, {"base": whole, "one": first, "few": dict(list(first.items())[:2])})
    arguments = ("orb", *files, "--data", tmp_path / "gold.json", *SMALL)
    code, _, errors = run(*arguments)
    assert code == 2 and errors.count("\n") == 1
    assert "one.json: 4 of 8 questions have no prediction: 'quoref-0', 'quoref-1'" in errors
    assert "--allow-missing" in errors
    found = results(*arguments, "--allow-missing")
    [zero] = numbers(found, protocol="default", row="overall", figure="f1", system="few")
    assert (zero["value"], zero["wins"], zero["losses"], zero["ties"]) == (-0.25, 0, 2, 6)
    [left_out] = numbers(found, protocol="official", row="overall", figure="f1", system="one")
    assert (left_out["value"], left_out["ties"], left_out["not_compared"]) == (0.5, 4, 4)
    # The mean over datasets has no McNemar test, for any system, though one of them answered a single dataset.
    overall = numbers(found, protocol="official", row="overall", figure="exact_match")
    assert [one["mcnemar_p_holm"] for one in overall] == [None, None]
    assert not numbers(found, protocol="official", row="quoref", system="one")
    assert found["questions"][0]["figures"]["official"]["f1"][1] is None
    _, output, _ = run(*arguments, "--allow-missing")
    assert "few: 6 questions have no prediction: default counts them as 0; official leaves them out." in output


# The four forms.


@pytest.fixture
def nasty(tmp_path: Path) -> list[object]:
    """Arguments of a comparison whose texts and names try to get out of their cells."""
    gold = [
        {"id": f"i_{i}|", "src": "s\x1bq|_&[b]", "question": f"{NASTY} {i}?", "answers": [NASTY], "context": []}
        for i in range(3)
    ]
    files = write_files(
        tmp_path,
        {"version": "1", "split": "dev", "data": gold},
        {
            "base": {"answer": {"i_0|": NASTY, "i_1|": "", "i_2|": NASTY}},
            "mine": {"answer": {"i_0|": "no", "i_1|": NASTY, "i_2|": NASTY}},
        },
    )
    names = ("--name", "[bold]b|_$", "--name", "m\\%{x}")
    return ["beerqa", *files, "--data", tmp_path / "gold.json", *names, *SMALL]


def test_terminal(run: Run, nasty: list[object]) -> None:
    code, output, errors = run(*nasty)
    assert (code, errors) == (0, "")
    assert "\x1b" not in output and "\u202e" not in output
    assert "[bold]b|_$" in output and "m\\%{x} against [bold]b|_$" in output and "**strong**" in output
    assert "(empty)" in output
    assert output.count("protocol:official") == 1 and "|trials:200" in output


@pytest.mark.parametrize("width", [70, 80, 100, 200])
def test_a_narrow_terminal_gets_whole_cells(tmp_path: Path, width: int) -> None:
    files = sample_systems(tmp_path, "beerqa")
    gold = score.sample_files("beerqa")[0]
    boards = {
        name: score_files(score.protocols_of("beerqa"), "beerqa", file, gold, keep_texts=True, resamples=20)
        for name, file in zip(("worse", "better"), files, strict=True)
    }
    console = Console(width=width, record=True, file=io.StringIO())
    compared = comparison.compare(boards, trials=50)
    comparison_tables.print_comparison(compared, console)
    lines = console.export_text().splitlines()
    tables = lines[: next(i for i, line in enumerate(lines) if line.startswith("Brackets"))]
    assert max(map(len, tables)) <= width
    whole = " ".join(tables)
    for text in ("mean of datasets", "exact_match", "difference", "McNemar", "ties"):
        assert text in whole
    assert len(re.findall(r"\[[+−]\d\.\d{4}, [+−]\d\.\d{4}\]", whole)) == len(compared.scores) > 20


def test_markdown(run: Run, nasty: list[object], tmp_path: Path) -> None:
    run(*nasty, "--markdown", tmp_path / "table.md")
    text = (tmp_path / "table.md").read_text(encoding="utf-8")
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    assert [one.type for one in tokens].count("table_open") == 3
    shown, marks = [], set()
    for token in tokens:
        if token.type == "inline":
            marks |= {child.type for child in token.children or ()} - {"text", "text_special"}
            shown.append("".join(child.content for child in token.children or ()))
    assert not marks
    assert {"[bold]b|_$", "m\\%{x}", "m\\%{x} against [bold]b|_$"} <= set(shown)
    assert _shortened(NASTY) in shown and "i_1|" in shown
    assert "trials:200" in tokens[-1].content


def test_latex(run: Run, nasty: list[object], tmp_path: Path) -> None:
    run(*nasty, "--latex", tmp_path / "table.tex")
    text = (tmp_path / "table.tex").read_text(encoding="utf-8")
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 2
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") == 1
    assert text.count(r"\toprule") == text.count(r"\bottomrule") + 1  # the long table repeats its head
    assert r"m{\textbackslash}\%\{x\} against [bold]b{\textbar}\allowbreak{}\_\$" in text
    for line in text.splitlines():
        if line.endswith(r"\\") and " & " in line:
            assert len(re.findall(r"(?<!\\)&", line)) in (5 - 1, 9 - 1, 7 - 1)
        assert len(re.findall(r"(?<!\\){", line)) == len(re.findall(r"(?<!\\)}", line))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdfLaTeX is not installed")
def test_latex_compiles(run: Run, nasty: list[object], tmp_path: Path) -> None:
    run(*nasty, "--latex", tmp_path / "table.tex")
    # The character that stands for unprintable ones needs an engine of Unicode.
    table = (tmp_path / "table.tex").read_text(encoding="utf-8").replace("\N{REPLACEMENT CHARACTER}", "?")
    document = r"\documentclass{article}\usepackage{booktabs,longtable}\begin{document}" + table + r"\end{document}"
    (tmp_path / "paper.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 0


def test_a_long_table_breaks_over_pages(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison_markup, "_LATEX_ROWS_A_PAGE", 30)
    for benchmark, floating in (("orb", 0), ("beerqa", 2)):
        arguments = ("--protocol", "default", "--questions", 0, "--latex", tmp_path / "t.tex", *SMALL)
        assert run(benchmark, *sample_systems(tmp_path, benchmark), "--sample", *arguments)[0] == 0
        text = (tmp_path / "t.tex").read_text(encoding="utf-8")
        assert text.count(r"\begin{tabular}") == floating
        assert text.count(r"\begin{longtable}") == 2 - floating


# Names and bad input.


def test_names_come_from_options_or_files(results, tmp_path: Path) -> None:
    first, second = write_drcd(tmp_path, 10, {"bert-v1.5": 0.5, "mine": 0.6})
    arguments = ("drcd", first, second, "--data", tmp_path / "gold.json", *SMALL)
    assert list(results(*arguments)["systems"]) == ["bert-v1.5", "mine"]
    assert list(results(*arguments, "--name", "A", "--name", "B")["systems"]) == ["A", "B"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["drcd", "{base}"], "name two or more prediction files, found only"),
        (["drcd", "{base}", "{base}"], "two systems have the name 'base'; tell them apart with --name, once a file"),
        (["drcd", "{base}", "{mine}", "--name", "A"], "found 1 names for 2 prediction files"),
        (["drcd", "{base}", "{mine}", "--name", "A", "--name", " "], "names that are not blank"),
        (
            ["drcd", "{base}", "{mine}", "--protocol", "oficial"],
            "unknown protocol 'oficial'; known are default, recipe",
        ),
        (["drcd", "{base}", "{mine}", "--figure", "em"], "unknown figure 'em'; known are exact_match, f1"),
        (["drcd", "{base}", "{mine}", "--output", "{folder}/x.txt"], "must end in .json"),
        (["drcd", "{base}", "{mine}", "--latex", "{folder}/no/x.tex"], "there is no directory"),
        (["drcd", "{base}", "{mine}", "--sample"], "leave out --data and --split"),
        (["squad", "{base}", "{mine}"], "unknown benchmark 'squad'"),
        (["drcd", "{base}", "{folder}/absent.json"], "absent.json"),
        (["drcd", "{base}", "{gold}"], "gold.json: found a list under 'data', as in a gold file"),
        (["drcd", "{base}", "{mine}", "--trials", "0"], "--trials"),
    ],
)
def test_bad_input_gets_one_line(run: Run, tmp_path: Path, arguments: list[str], message: str) -> None:
    base, mine = write_drcd(tmp_path, 5, {"base": 0.5, "mine": 0.6})
    places = {"base": base, "mine": mine, "gold": tmp_path / "gold.json", "folder": tmp_path}
    given = [one.format(**places) for one in arguments]
    code, output, errors = run(*given, "--data", tmp_path / "gold.json")
    assert (code, output) == (2, "")
    assert message in errors and errors.count("\n") == 1 and errors.startswith("error: ")


def test_help_has_examples(run: Run) -> None:
    code, output, _ = run("--help")
    assert code == 0 and "python scripts/compare.py drcd base.json mine.json --split test" in output
