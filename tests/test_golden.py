"""The scorers against what the benchmarks' own evaluators and the cards' recipes printed."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import MODULES

CASES = [(module, config) for module, configs in MODULES.items() for config in configs]


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read_orb(gold: Path, predictions: Path) -> dict[str, list[Any]]:
    """The questions of an ORB file that have a prediction, without the nesting of ORB's own files."""
    predicted = json.loads(predictions.read_text(encoding="utf-8"))
    pairs = [pair for passage in read_lines(gold) for pair in passage["qa_pairs"] if pair["qid"] in predicted]
    return {
        "predictions": [first(predicted[pair["qid"]]) for pair in pairs],
        "references": [[first(answer) for answer in pair["answers"]] for pair in pairs],
        "datasets": [pair["dataset"] for pair in pairs],
    }


def first(prediction: str | list[Any]) -> Any:
    return prediction if isinstance(prediction, str) else prediction[0]


@pytest.mark.parametrize(("module", "config"), CASES)
def test_every_case_has_the_golden_figures(
    module: str, config: str, shared: Path, load: Callable[..., Any], has_wordnet: bool
) -> None:
    rows = read_lines(shared / "golden" / f"{module.split('_')[0]}_{config}_cases.jsonl")
    if module == "orb_em_f1" and config == "official" and not has_wordnet:
        rows = [row for row in rows if row["dataset"].lower() != "narrativeqa"]
    arguments: dict[str, Any] = {"predictions": [first(row["prediction"]) for row in rows]}
    if "reference" in rows[0]:
        arguments["references"] = [row["reference"] for row in rows]
    elif module == "orb_em_f1":
        arguments["references"] = [[first(answer) for answer in row["answers"]] for row in rows]
    else:
        arguments["references"] = [row["answers"] for row in rows]
    if "dataset" in rows[0]:
        arguments["datasets"] = [row["dataset"] for row in rows]
    found = load(module, config).compute(**arguments, use_aggregator=False)
    places = dict.fromkeys({row.get("dataset", "").lower() for row in rows}, 0)
    for i, row in enumerate(rows):
        dataset = row.get("dataset", "").lower()
        for figure, expected in row["expected"].items():
            if module == "orb_em_f1" and config == "official":
                value = found[f"{dataset}_{figure}"][places[dataset]]
            else:
                value = found[figure][i]
            if expected is None:
                assert math.isnan(value), row
            else:
                assert value == pytest.approx(expected, abs=1e-9), row
        places[dataset] += 1


@pytest.mark.parametrize(
    ("module", "config"), [case for case in CASES if case[1] in ("default", "recipe")], ids="-".join
)
def test_means_over_the_cases_are_golden_to_the_last_digit(
    module: str, config: str, shared: Path, load: Callable[..., Any]
) -> None:
    name = f"{module.split('_')[0]}_{config}"
    rows = read_lines(shared / "golden" / f"{name}_cases.jsonl")
    expected = json.loads((shared / "golden" / "card_aggregates.json").read_text())[name]
    metric, columns = load(module, config), ([row["prediction"] for row in rows], [row["reference"] for row in rows])
    found = metric.compute(predictions=columns[0], references=columns[1])
    assert found == {figure: expected[figure] for figure in ("exact_match", "f1")}
    f1 = metric.compute(predictions=columns[0], references=columns[1], use_aggregator=False)["f1"]
    assert sum(not math.isnan(value) for value in f1) == expected["pairs_in_f1"]


@pytest.mark.parametrize(
    ("gold", "predictions", "metrics"),
    [
        ("golden/orb_gold.jsonl", "golden/orb_predictions.json", "golden/orb_metrics.json"),
        ("data/orb_sample_input.jsonl", "data/orb_sample_predictions.json", "golden/orb_sample_metrics.json"),
    ],
)
def test_whole_orb_runs_are_golden_to_the_last_digit(
    gold: str, predictions: str, metrics: str, shared: Path, load: Callable[..., Any], has_wordnet: bool
) -> None:
    expected = json.loads((shared / metrics).read_text())
    rows = read_orb(shared / gold, shared / predictions)
    if not has_wordnet:
        keep = [i for i, name in enumerate(rows["datasets"]) if name.lower() != "narrativeqa"]
        rows = {column: [values[i] for i in keep] for column, values in rows.items()}
        expected = {key: value for key, value in expected.items() if not key.startswith(("narrativeqa", "average"))}
    found = load("orb_em_f1", "official").compute(**rows)
    assert {key: found[key] for key in expected} == expected
    if has_wordnet:
        assert found.keys() - expected.keys() == {"exact_match", "f1"}


def test_whole_beerqa_run_is_golden_to_the_last_digit(shared: Path, load: Callable[..., Any]) -> None:
    questions = json.loads((shared / "golden" / "beerqa_gold.json").read_text(encoding="utf-8"))["data"]
    predicted = json.loads((shared / "golden" / "beerqa_predictions.json").read_text(encoding="utf-8"))["answer"]
    expected = json.loads((shared / "golden" / "beerqa_metrics.json").read_text())
    # The script counts a question without prediction as 0; no answer holds this text, so it scores 0 as well.
    found = load("beerqa_em_f1", "official").compute(
        predictions=[predicted.get(question["id"], "\N{SNOWMAN}") for question in questions],
        references=[question["answers"] for question in questions],
        datasets=[question["src"] for question in questions],
    )
    assert found == {**expected, "exact_match": expected["em"]}


@pytest.mark.parametrize("split", ["dev", "test"])
@pytest.mark.parametrize("config", MODULES["drcd_char_f1"])
def test_second_human_answers_of_drcd(split: str, config: str, shared: Path, load: Callable[..., Any]) -> None:
    data = json.loads((shared / "data" / f"DRCD_{split}.json").read_text(encoding="utf-8"))["data"]
    expected = json.loads((shared / "golden" / "drcd_human.json").read_text())[split]
    answers = [
        [answer["text"] for answer in question["answers"]]
        for article in data
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    ]
    assert len(answers) == expected["questions"]
    metric = load("drcd_char_f1", config)
    found = metric.compute(predictions=[row[1] for row in answers], references=[row[0] for row in answers])
    assert found == pytest.approx(expected[config], abs=1e-9)


def card_recipe(card: Path) -> dict[str, Any]:
    """What the code block of a benchmark card defines, as the card writes it."""
    text = card.read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```|Scoring recipe\n\n(.*?)\n\nCommon", text, re.DOTALL)
    assert code
    names: dict[str, Any] = {}
    exec(code.group(1) or code.group(2), names)
    return names


def test_the_orb_card_recipe_as_written(shared: Path, load: Callable[..., Any]) -> None:
    rows = read_lines(shared / "golden" / "orb_default_cases.jsonl")
    predictions, references = [row["prediction"] for row in rows], [row["reference"] for row in rows]
    exact_match, f1 = card_recipe(shared / "cards" / "orb.md")["compute_em_f1"](predictions, references)
    found = load("orb_em_f1").compute(predictions=predictions, references=references)
    assert found == {"exact_match": exact_match, "f1": f1}


def test_the_beerqa_card_recipe_as_written(shared: Path, load: Callable[..., Any]) -> None:
    rows = read_lines(shared / "golden" / "beerqa_default_cases.jsonl")
    predictions, references = [row["prediction"] for row in rows], [row["reference"] for row in rows]
    expected = card_recipe(shared / "cards" / "beerqa.md")["compute_metrics"](predictions, references)
    found = load("beerqa_em_f1").compute(predictions=predictions, references=references)
    assert found == {"exact_match": expected["EM"], "f1": expected["F1"]}


def test_the_drcd_card_recipe_as_written(shared: Path, load: Callable[..., Any]) -> None:
    from plain_protocols import _without_punctuation

    rows = read_lines(shared / "golden" / "drcd_recipe_cases.jsonl")
    recipe = card_recipe(shared / "cards" / "drcd.md")
    recipe["remove_punctuation"] = _without_punctuation
    expected = [recipe["compute_metrics"](row["prediction"], row["reference"]) for row in rows]
    found = load("drcd_char_f1", "recipe").compute(
        predictions=[row["prediction"] for row in rows],
        references=[row["reference"] for row in rows],
        use_aggregator=False,
    )
    assert list(zip(found["f1"], found["exact_match"], strict=True)) == expected
