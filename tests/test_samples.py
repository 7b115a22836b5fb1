"""The shipped samples: complete, consistent, in the benchmarks' own formats, and such that the protocols differ."""

import importlib
import json
from collections import Counter
from pathlib import Path

import pytest

from metrics.shared.gold_files import DROP_GROUP, ORB_DATASETS, Question, ReadingReport, detect_benchmark, read_gold
from metrics.shared.prediction_files import Predictions, read_predictions

METRICS = Path(__file__).resolve().parents[1] / "metrics"
GOLD = {
    "drcd": METRICS / "drcd_char_f1" / "sample" / "gold.json",
    "beerqa": METRICS / "beerqa_em_f1" / "sample" / "gold.json",
    "orb": METRICS / "orb_em_f1" / "sample" / "gold.jsonl",
}
KINDS = {"invert_choice", "negate_choice", "sear", "implication", "no_answer"}
EXTRACTIVE = {"squad1", "squad2", "quoref", "newsqa", "squad1_syn", "quoref_syn"}

every_benchmark = pytest.mark.parametrize("benchmark", GOLD)


def _sample(benchmark: str) -> tuple[list[Question], Predictions]:
    questions = list(read_gold(benchmark, GOLD[benchmark], need_answers=True))
    return questions, read_predictions(GOLD[benchmark].with_name("predictions.json"), benchmark)


@every_benchmark
def test_gold_and_predictions_cover_the_same_questions(benchmark: str) -> None:
    questions, predictions = _sample(benchmark)
    assert detect_benchmark(GOLD[benchmark]) == benchmark
    assert len(questions) >= (40 if benchmark == "orb" else 30)
    assert set(predictions) == {question.id for question in questions}
    assert not predictions.left_out


@every_benchmark
def test_no_question_stands_twice(benchmark: str) -> None:
    asked = Counter((question.context, question.question) for question in _sample(benchmark)[0])
    assert max(asked.values()) == 1


@every_benchmark
def test_predictions_are_right_half_right_and_wrong_and_the_protocols_differ(benchmark: str) -> None:
    protocols = importlib.import_module(f"metrics.{GOLD[benchmark].parents[1].name}.protocols").PROTOCOLS
    questions, predictions = _sample(benchmark)
    scored = [question for question in questions if question.dataset != "narrativeqa"]  # needs WordNet
    arguments = (
        [predictions[question.id] for question in scored],
        [question.references for question in scored],
        [question.dataset for question in scored],
    )
    f1_of = {name: list(map(float, protocol.score(*arguments)["f1"])) for name, protocol in protocols.items()}
    for f1 in f1_of.values():
        right, wrong = sum(value == 1 for value in f1), sum(value == 0 for value in f1)
        half_right = sum(0 < value < 1 for value in f1)
        assert min(right, half_right, wrong) >= 4
    means = {name: sum(value for value in f1 if value == value) / len(f1) for name, f1 in f1_of.items()}
    assert len({round(mean, 4) for mean in means.values()}) == len(means)


def test_drcd_answers_stand_where_they_are_said_to() -> None:
    report = ReadingReport()
    questions = list(read_gold("drcd", GOLD["drcd"], report))
    assert report.repaired_starts == report.lost_starts == 0
    for question in questions:
        texts, starts = question.answers["text"], question.answers["answer_start"]
        assert len(texts) == 2, question.id
        for text, start in zip(texts, starts, strict=True):
            assert question.context[start : start + len(text)] == text, question.id


def test_drcd_keeps_to_the_nesting_and_numbering_of_its_files() -> None:
    for article in json.loads(GOLD["drcd"].read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            assert paragraph["id"].startswith(article["id"] + "-")
            for number, qa in enumerate(paragraph["qas"], 1):
                assert qa["id"] == f"{paragraph['id']}-{number}"
                assert [answer["id"] for answer in qa["answers"]] == ["1", "2"]


def test_beerqa_has_every_number_of_steps_and_its_answers_in_the_paragraphs() -> None:
    questions, _ = _sample("beerqa")
    count = Counter(question.dataset for question in questions)
    assert set(count) == {"squad", "hotpotqa", "3+ hop"}
    assert min(count.values()) >= 8
    steps = {"squad": 1, "hotpotqa": 2, "3+ hop": 3}
    for question in questions:
        assert len(question.paragraphs) == steps[question.dataset], question.id
        composed = all(" and " in answer for answer in question.references)
        for answer in question.references:
            assert composed or answer in ("yes", "no") or answer in question.context, question.id


def test_orb_has_every_dataset_and_multi_span_and_empty_answers() -> None:
    questions, predictions = _sample("orb")
    count = Counter(question.dataset for question in questions)
    assert all(count[dataset] >= 4 for dataset in ORB_DATASETS)
    assert sum(count[dataset] for dataset in count if dataset.endswith("_syn")) >= 3
    spans = [question for question in questions if any(isinstance(gold, list) for gold in question.references)]
    assert {question.dataset for question in spans} == {"drop", "quoref"}
    assert any(isinstance(predictions[question.id], list) for question in spans)
    assert all(isinstance(predictions[q.id], str) for q in questions if q.dataset not in DROP_GROUP)
    assert any(question.references == [""] for question in questions)


def test_orb_synthetic_questions_name_their_kind_and_original() -> None:
    questions, _ = _sample("orb")
    by_id = {question.id: question for question in questions}
    synthetic = [question for question in questions if question.dataset.endswith("_syn")]
    assert {question.kind for question in synthetic} == KINDS
    for question in synthetic:
        assert question.original_qid is not None
        original = by_id[question.original_qid]
        assert question.id.rpartition("-")[0] == f"{original.id}-{question.kind}"
        assert question.id.rpartition("-")[2].isdigit()
        assert question.dataset == f"{original.dataset}_syn"
        assert question.context == original.context
        assert question.question != original.question
        assert (question.references == original.references) == (question.kind in {"invert_choice", "sear"})
        assert (question.references == [""]) == (question.kind == "no_answer")


def test_orb_extractive_answers_stand_in_their_context() -> None:
    for question in _sample("orb")[0]:
        if question.dataset in EXTRACTIVE:
            for gold in question.references:
                for span in gold if isinstance(gold, list) else [gold]:
                    assert span in question.context, (question.id, span)
