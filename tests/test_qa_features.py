"""Windows of questions and contexts: offsets, labels, and what cannot be read."""

import logging
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from datasets import Dataset
from transformers import AutoTokenizer

from metrics.shared.gold_files import read_gold
from scripts.load_benchmark import FEATURES
from scripts.qa_features import (
    NULL_ANSWER_DATASETS,
    gold_span,
    null_answer_datasets,
    prepare_features,
    training_examples,
)
from tests.tiny_models import SAMPLES, save_causal, save_reader, saved

pytestmark = pytest.mark.training


def sample(benchmark: str) -> Dataset:
    return Dataset.from_list([one.columns() for one in read_gold(benchmark, SAMPLES[benchmark])], FEATURES)


def example(**columns: Any) -> dict[str, Any]:
    row = {
        "id": "q",
        "dataset": "drcd",
        "title": "",
        "question": "玉山在哪？",
        "context": "玉山在臺灣。",
        "paragraphs": [],
        "answers": {"text": ["臺灣"], "answer_start": [3]},
        "references": ["臺灣"],
    }
    return row | columns


def rows(*examples: dict[str, Any]) -> Dataset:
    return Dataset.from_list(list(examples), FEATURES)


@pytest.fixture(scope="module", params=[save_reader, save_causal], ids=["WordPiece", "byte-level"])
def tokenizer(request: pytest.FixtureRequest) -> Any:
    return AutoTokenizer.from_pretrained(saved(request.param))


@pytest.mark.parametrize("benchmark", SAMPLES)
def test_windows_cover_the_context_and_overlap_by_doc_stride(benchmark: str, tokenizer: Any) -> None:
    examples = sample(benchmark)
    features = prepare_features(examples, tokenizer, max_seq_length=96, doc_stride=16)
    for one in examples:
        windows = [feature for feature in features if feature["example_id"] == one["id"]]
        assert all(len(window["input_ids"]) <= 96 for window in windows)
        places = [[tuple(pair) for pair in window["offset_mapping"] if pair is not None] for window in windows]
        assert all(before[-16:] == after[:16] for before, after in pairwise(places))
        covered = {i for place in places for start, end in place for i in range(start, end)}
        assert all(i in covered or character.isspace() for i, character in enumerate(one["context"]))


@pytest.mark.parametrize("benchmark", SAMPLES)
def test_labels_are_the_tokens_of_the_answer(benchmark: str, tokenizer: Any) -> None:
    examples = training_examples(sample(benchmark))
    by_id = {one["id"]: one for one in examples}
    labelled = set()
    for feature in prepare_features(examples, tokenizer, max_seq_length=96, doc_stride=16):
        one, offsets = by_id[feature["example_id"]], feature["offset_mapping"]
        start, end = gold_span(one) or (0, 0)
        first, last = feature["start_positions"], feature["end_positions"]
        if (first, last) == (feature["null_position"],) * 2:
            held = [pair for pair in offsets if pair is not None]
            assert start == end or held[0][0] > start or held[-1][1] < end
            continue
        labelled.add(one["id"])
        text = one["context"][offsets[first][0] : offsets[last][1]]
        answer = one["context"][start:end]
        assert answer in text  # a token may reach beyond the answer, but no further token may
        assert offsets[first][1] > start
        assert offsets[last][0] < end
    assert labelled == {id_ for id_, one in by_id.items() if gold_span(one) != (0, 0)}


def test_the_null_position_is_cls_or_the_last_token() -> None:
    reader, causal = (AutoTokenizer.from_pretrained(saved(save)) for save in (save_reader, save_causal))
    [feature] = prepare_features(rows(example(question="[CLS]？")), reader)
    assert feature["null_position"] == 0
    [feature] = prepare_features(rows(example()), causal)
    assert feature["null_position"] == len(feature["input_ids"]) - 1


def test_without_references_there_are_no_labels(tokenizer: Any) -> None:
    features = prepare_features(rows(example(references=[], answers={"text": [], "answer_start": []})), tokenizer)
    assert "start_positions" not in features.column_names
    assert "example_id" in features.column_names


def test_gold_span() -> None:
    assert gold_span(example()) == (3, 5)
    assert gold_span(example(answers={"text": ["高山", "臺灣"], "answer_start": [-1, 3]})) == (3, 5)
    nothing: dict[str, list] = {"text": [], "answer_start": []}
    assert gold_span(example(answers=nothing, references=["", "臺灣"])) == (0, 0)
    assert gold_span(example(answers=nothing, references=["12"])) is None
    with pytest.raises(ValueError, match="question 'q': expected '臺灣' at 2 of its context, found '在臺'"):
        gold_span(example(answers={"text": ["臺灣"], "answer_start": [2]}))


def test_what_cannot_be_learnt_is_left_out_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    lost = example(id="lost", answers={"text": ["12"], "answer_start": [-1]}, references=["12"])
    with caplog.at_level(logging.WARNING):
        assert training_examples(rows(example(), lost))["id"][:] == ["q"]
    assert "1 of 2 questions are left out of training" in caplog.text
    with pytest.raises(ValueError, match="none of the 1 questions has an answer that stands in its context"):
        training_examples(rows(lost))


def test_datasets_with_questions_without_answer() -> None:
    assert {"squad2", "duorc", "newsqa"} <= NULL_ANSWER_DATASETS
    assert null_answer_datasets(rows(example())) == NULL_ANSWER_DATASETS
    assert "drcd" in null_answer_datasets(rows(example(references=["臺灣", ""])))


def test_a_long_question_is_cut_and_counted(tokenizer: Any, caplog: pytest.LogCaptureFixture) -> None:
    long = example(id="long", question="玉山在哪？" * 50, context="玉山在臺灣。" * 20)
    with caplog.at_level(logging.WARNING):
        features = prepare_features(rows(example(), long), tokenizer, max_seq_length=64, doc_stride=10)
    assert "1 questions are cut to" in caplog.text
    assert "'long'" in caplog.text
    assert max(map(len, features["input_ids"][:])) <= 64
    assert features["example_id"][:].count("q") == 1
    assert "question_is_cut" not in features.column_names


def test_errors(tokenizer: Any) -> None:
    with pytest.raises(ValueError, match=r"question 'q' has no context.*predict\.py"):
        prepare_features(rows(example(context=" \n")), tokenizer)
    with pytest.raises(ValueError, match="SimpleNamespace is not a fast tokenizer"):
        prepare_features(rows(example()), SimpleNamespace(is_fast=False))  # type: ignore[arg-type]
    for stride in (-1, 63, 64):
        with pytest.raises(ValueError, match=f"doc_stride is {stride} and max_seq_length 64: expected doc_stride from"):
            prepare_features(rows(example()), tokenizer, max_seq_length=64, doc_stride=stride)
