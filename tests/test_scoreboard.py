"""Scoreboards of files small enough to know every number of, and of ORB's variants beside their originals."""

import csv
import json
import math
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

import evaluate
import pyarrow.parquet as pq
import pytest
import yaml

from metrics.shared import scoreboard, signature
from metrics.shared.best_references import best_references
from metrics.shared.per_question_file import per_question_columns, write_per_question
from metrics.shared.prediction_files import read_predictions
from metrics.shared.protocol import Protocol
from metrics.shared.question_table import IdsDiffer
from metrics.shared.results_file import evaluate_results, model_index, results, write_results
from metrics.shared.scoreboard import Scoreboard

ROOT = Path(__file__).resolve().parents[1]
Score = Callable[..., Scoreboard]


def _protocols(folder: str) -> Mapping[str, Protocol]:
    return import_module(f"metrics.{folder}.protocols").PROTOCOLS


def _orb_line(*pairs: dict) -> str:
    return json.dumps({"context": "Ann and Bo met in Rome in 1912.", "qa_pairs": list(pairs)})


def _pair(qid: str, dataset: str, *answers: object, **more: str) -> dict:
    return {"question": f"Q {qid}?", "answers": [[one] for one in answers], "dataset": dataset, "qid": qid, **more}


@pytest.fixture
def score_orb(tmp_path: Path) -> Score:
    def score(pairs: list[dict], predictions: dict, **options: object) -> Scoreboard:
        gold, predicted = tmp_path / "gold.jsonl", tmp_path / "predictions.json"
        gold.write_text(_orb_line(*pairs), encoding="utf-8")
        predicted.write_text(json.dumps(predictions), encoding="utf-8")
        protocols = _protocols("orb_em_f1")
        return scoreboard.score_files(protocols, "orb", predicted, gold, resamples=200, **options)  # type: ignore[arg-type]

    return score


PAIRS = [
    _pair("1", "squad1", "Rome"),
    _pair("2", "squad1", "in 1912", "1912"),
    _pair("3", "drop", ["Ann", "Bo"]),
    _pair("4", "drop", "1912"),
]
PREDICTIONS = {"1": "the Rome", "2": "1912", "3": [["Bo", "Ann"]], "4": "Rome"}


def test_rows_values_and_counts(score_orb: Score) -> None:
    board = score_orb(PAIRS, PREDICTIONS, split="validation", seed=3)
    assert board.rows == ["squad1", "drop", "overall", "macro", "average"]
    assert board.datasets == {"squad1": 2, "drop": 2}
    assert (board.missing, board.unknown) == ([], [])
    official, default = board.protocols["official"], board.protocols["default"]
    assert {key: official.aggregate[key] for key in ("squad1_exact_match", "drop_f1", "average_f1")} == {
        "squad1_exact_match": 1.0,
        "drop_f1": 0.5,
        "average_f1": 0.75,
    }
    found = official.score("average", "f1")
    assert found is not None and found.key == "average_f1" and found.count == 4 and found.is_over_datasets
    overall, macro = default.score("overall", "exact_match"), default.score("macro", "exact_match")
    assert overall is not None and macro is not None
    assert overall.value == macro.value == 0.25
    assert not overall.is_over_datasets and macro.is_over_datasets
    assert overall.low <= 0.25 <= overall.high
    assert default.score("average", "f1") is None
    expected = f"benchmark:orb|split:validation|data:{board.gold_sha256[:12]}|protocol:official|answers:1-2"
    assert official.signature == f"{expected}|version:1.0.0|resamples:200|seed:3"


def test_equal_signatures_mean_equal_digits(score_orb: Score) -> None:
    first, second, other = (score_orb(PAIRS, PREDICTIONS, seed=seed) for seed in (1, 1, 2))
    assert results(first) == results(second)
    assert first.protocols["default"].signature != other.protocols["default"].signature
    assert first.protocols["default"].aggregate == other.protocols["default"].aggregate


def test_the_version_is_the_projects() -> None:
    assert f"\nversion = {signature.VERSION}\n" in (ROOT / "setup.cfg").read_text(encoding="utf-8")


def test_missing_and_unknown_ids_stop_the_run_with_the_first_of_them(score_orb: Score) -> None:
    with pytest.raises(IdsDiffer, match=r"3 of 4 questions have no prediction: '1', '3', '4'; 4 .*'a', 'b', 'c', …"):
        score_orb(PAIRS, {"2": "1912", "a": "", "b": "", "c": "", "d": ""})
    with pytest.raises(IdsDiffer, match=r"no prediction is for any of the questions, whose ids are '1', '2', '3', …"):
        score_orb(PAIRS, {"x": "Rome"}, allow_missing=True)


def test_missing_predictions_count_by_each_protocols_rule(score_orb: Score) -> None:
    board = score_orb(PAIRS, {"1": "Rome", "3": [["Ann", "Bo"]], "x": "?"}, allow_missing=True)
    assert (board.missing, board.unknown) == (["2", "4"], ["x"])
    default, official = board.protocols["default"], board.protocols["official"]
    assert default.aggregate["exact_match"] == 0.5
    assert official.aggregate["exact_match"] == 1.0
    assert default.counted.all() and official.counted.tolist() == [True, False, True, False]
    counts = [scores.score("overall", "f1").count for scores in (default, official)]  # type: ignore[union-attr]
    assert counts == [4, 2]


def test_a_dataset_without_predictions_does_not_enter_official_averages(score_orb: Score) -> None:
    board = score_orb(PAIRS, {"1": "Rome", "2": "Rome"}, allow_missing=True)
    official = board.protocols["official"]
    assert official.aggregate["average_f1"] == 0.5
    assert official.score("drop", "f1") is None
    assert board.protocols["default"].aggregate["drop_f1"] == 0.0


def test_several_spans_belong_to_the_drop_group_alone(score_orb: Score) -> None:
    with pytest.raises(ValueError, match=r"question '1' has 2 spans, but its dataset 'squad1' takes one text"):
        score_orb(PAIRS, {**PREDICTIONS, "1": [["Rome", "Bo"]]})


def test_a_dataset_must_not_be_named_as_a_row(tmp_path: Path) -> None:
    gold, predictions = tmp_path / "gold.json", tmp_path / "predictions.json"
    question = {"id": "1", "src": "macro", "question": "?", "answers": ["a"], "context": []}
    gold.write_text(json.dumps({"version": "1", "split": "dev", "data": [question]}))
    predictions.write_text('{"1": "a"}')
    with pytest.raises(ValueError, match="must not be named 'macro'"):
        scoreboard.score_files(_protocols("beerqa_em_f1"), "beerqa", predictions, gold)


def test_texts_are_kept_only_where_asked_for(score_orb: Score) -> None:
    assert score_orb(PAIRS, PREDICTIONS).questions.contexts == []
    kept = score_orb(PAIRS, PREDICTIONS, keep_texts=True).questions
    assert kept.questions == ["Q 1?", "Q 2?", "Q 3?", "Q 4?"]
    assert set(kept.contexts) == {"Ann and Bo met in Rome in 1912."}


def test_the_best_reference_is_the_one_with_the_highest_f1_then_the_first(score_orb: Score) -> None:
    pairs = [
        _pair("1", "squad1", "Rome", "in Rome", "Rome in 1912"),
        _pair("2", "squad1", "y x", "x y", "X Y"),
        _pair("3", "drop", "Ann", ["Ann", "Bo"]),
        _pair("4", "squad2", "x", "y"),
        _pair("5", "squad2", "x", "y"),
    ]
    predictions = {"1": "in rome", "2": "x y", "3": [["Bo", "Ann"]], "4": "z"}
    board = score_orb(pairs, predictions, allow_missing=True)
    for scores in board.protocols.values():
        best = best_references(board.questions, scores.protocol)
        assert best == ["in Rome", "x y", ["Ann", "Bo"], "x", "x"]


# Synthetic variants.


def _variant(qid: str, original: str, kind: str, *answers: object, dataset: str = "squad1_syn") -> dict:
    return _pair(qid, dataset, *answers, original_qid=original, kind=kind)


VARIANTS = [
    *PAIRS,
    _variant("1-sear-0", "1", "sear", "Rome"),
    _variant("1-sear-1", "1", "sear", "Rome"),
    _variant("1-implication-0", "1", "implication", "Ann"),
    _variant("2-sear-0", "2", "sear", "1912"),
    _variant("4-sear-0", "4", "sear", "1912", dataset="drop_syn"),
    _variant("gone-sear-0", "gone", "sear", "1912", dataset="drop_syn"),
]
ANSWERED = {
    **{"1": "Rome", "2": "1912", "3": [["Ann", "Bo"]], "4": "1912"},
    **{"1-sear-0": "Rome", "1-sear-1": "Bo", "1-implication-0": "Ann", "2-sear-0": "1912"},
    **{"4-sear-0": "1912", "gone-sear-0": "x"},
}


def test_gaps_by_dataset_and_kind(score_orb: Score) -> None:
    found = score_orb(VARIANTS, ANSWERED).robustness
    assert found is not None and found.unpaired == 1
    gaps = {(gap.dataset, gap.kind): gap for gap in found.gaps if (gap.protocol, gap.figure) == ("official", "f1")}
    assert {place: (gap.pairs, gap.original, gap.synthetic) for place, gap in gaps.items()} == {
        ("squad1", "all"): (4, 1.0, 0.75),
        ("squad1", "implication"): (1, 1.0, 1.0),
        ("squad1", "sear"): (3, 1.0, pytest.approx(2 / 3)),
        ("drop", "all"): (1, 1.0, 1.0),
        ("drop", "sear"): (1, 1.0, 1.0),
        ("overall", "all"): (5, 1.0, 0.8),
        ("overall", "implication"): (1, 1.0, 1.0),
        ("overall", "sear"): (4, 1.0, 0.75),
    }
    gap = gaps["squad1", "all"]
    assert gap.difference == -0.25
    # Drawn are the two originals with all their variants: only the first, both, or only the second.
    assert (gap.low, gap.high) == (pytest.approx(-1 / 3), 0.0)


def test_consistency_asks_that_every_variant_stays_right(score_orb: Score) -> None:
    found = score_orb(VARIANTS, ANSWERED).robustness
    assert found is not None
    shares = {(one.dataset, one.kind): one for one in found.consistency if one.protocol == "official"}
    assert {place: (one.right, one.value) for place, one in shares.items()} == {
        ("squad1", "all"): (2, 0.5),
        ("squad1", "implication"): (1, 1.0),
        ("squad1", "sear"): (2, 0.5),
        ("drop", "all"): (1, 1.0),
        ("drop", "sear"): (1, 1.0),
        ("overall", "all"): (3, pytest.approx(2 / 3)),
        ("overall", "implication"): (1, 1.0),
        ("overall", "sear"): (3, pytest.approx(2 / 3)),
    }
    assert shares["squad1", "all"].low == 0.0 and shares["squad1", "all"].high == 1.0


def test_pairs_need_both_sides_where_the_protocol_leaves_questions_out(score_orb: Score) -> None:
    answered = {id_: text for id_, text in ANSWERED.items() if id_ not in ("2", "4-sear-0")}
    found = score_orb(VARIANTS, answered, allow_missing=True).robustness
    assert found is not None
    pairs = {(gap.protocol, gap.dataset): gap.pairs for gap in found.gaps if gap.kind == "all"}
    assert pairs == {
        ("default", "squad1"): 4,
        ("default", "drop"): 1,
        ("default", "overall"): 5,
        ("official", "squad1"): 3,
    }


def test_nothing_right_has_no_consistency_and_no_variants_no_robustness(score_orb: Score) -> None:
    assert score_orb(PAIRS, PREDICTIONS).robustness is None
    board = score_orb([PAIRS[0], VARIANTS[4]], {"1": "x", "1-sear-0": "x"})
    assert board.robustness is not None
    assert all(one.right == 0 and math.isnan(one.value) for one in board.robustness.consistency)
    assert results(board)["robustness"]["consistency"][0]["value"] is None
    assert score_orb([PAIRS[0], VARIANTS[-1]], {"1": "x", "gone-sear-0": "x"}).robustness is None


# Files.


def test_results_hold_the_whole_table_as_plain_json(score_orb: Score, tmp_path: Path) -> None:
    board = score_orb(VARIANTS, ANSWERED, split="dev")
    written = write_results(board, tmp_path / "results.json", "my-model")
    assert [file.name for file in written] == ["results.json", "results.evaluate.json", "results.model-index.yaml"]
    read = json.loads(written[0].read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert read == results(board)
    for name, scores in board.protocols.items():
        assert read["protocols"][name]["aggregate"] == scores.aggregate
        assert len(read["protocols"][name]["scores"]) == len(scores.scores)
    assert len(read["robustness"]["gaps"]) == len(board.robustness.gaps)  # type: ignore[union-attr]


def test_the_second_form_is_what_evaluate_saves(score_orb: Score, tmp_path: Path) -> None:
    ours = evaluate_results(score_orb(PAIRS, PREDICTIONS))
    figures = {key: value for key, value in ours.items() if not key.startswith("_")}
    assert figures["official_average_f1"] == 0.75
    saved = json.loads(Path(evaluate.save(tmp_path / "saved.json", **figures)).read_text(encoding="utf-8"))
    assert list(saved) == list(ours)
    timestamps = [one.pop("_timestamp") for one in (saved, ours)]
    assert timestamps[0][:10] == timestamps[1][:10]
    assert saved == ours


def test_the_model_card_block_is_what_the_hub_reads(score_orb: Score) -> None:
    from huggingface_hub import ModelCard, ModelCardData

    block = model_index(score_orb(PAIRS, PREDICTIONS, split="validation"), "my-model")
    card = ModelCard(f"---\n{block}---\n# My model\n")
    assert isinstance(card.data, ModelCardData) and card.data.eval_results is not None
    found = {(one.metric_name, one.dataset_config): one for one in card.data.eval_results}
    one = found["average_f1 (official)", None]
    assert (one.metric_value, one.dataset_split, one.task_type) == (0.75, "validation", "question-answering")
    assert "protocol:official" in one.metric_args["signature"]  # type: ignore[index]
    assert found["drop_f1 (official)", "drop"].metric_value == 0.5
    assert yaml.safe_load(block)["model-index"][0]["name"] == "my-model"


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv"])
def test_a_file_of_questions_holds_every_column_and_reads_as_predictions(
    score_orb: Score, tmp_path: Path, ending: str
) -> None:
    predictions = {**ANSWERED, "1": 'Ro"me,\n🦉', "2": ""}
    board = score_orb(VARIANTS, predictions, keep_texts=True)
    path = tmp_path / f"questions.{ending}"
    write_per_question(board, path)
    expected = per_question_columns(board)
    if ending == "parquet":
        columns = pq.read_table(path).to_pydict()
    elif ending == "jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
    else:
        with path.open(encoding="utf-8", newline="") as stream:
            lines = list(csv.reader(stream))
        columns = {name: [line[i] for line in lines[1:]] for i, name in enumerate(lines[0])}
    assert list(columns) == list(expected)
    assert {"id", "kind", "question", "best_reference", "official_f1", "default_exact_match"} <= set(columns)
    assert columns["prediction"][0] == predictions["1"]
    f1 = [None if value in ("", None) else float(value) for value in columns["official_f1"]]
    assert f1 == expected["official_f1"]
    assert expected["official_rouge_f"] == [None] * len(VARIANTS)
    read = read_predictions(path, "orb")
    assert read["1"] == predictions["1"]
    assert read["3"] == (["Ann", "Bo"] if ending == "jsonl" else '["Ann", "Bo"]')


def test_other_endings_are_refused(score_orb: Score, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must end in \.parquet, \.jsonl, \.csv"):
        write_per_question(score_orb(PAIRS, PREDICTIONS), tmp_path / "questions.xlsx")
