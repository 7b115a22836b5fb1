"""Postprocessing on random logits: answers stand in their contexts, the best legal span is found, order is nothing."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from datasets import Dataset
from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.qa_answers import Answer, AnswerRules, answer_questions, read_windows

pytestmark = pytest.mark.training

CHARACTERS = "ab 臺北　,，\n🙂é"
NULL = 0


@st.composite
def readings(draw: st.DrawFn) -> tuple[Dataset, list[dict[str, Any]], np.ndarray, np.ndarray, AnswerRules]:
    """Contexts cut to random tokens and overlapping windows, with logits of which some are equal."""
    contexts = draw(st.lists(st.text(CHARACTERS, min_size=1, max_size=25).filter(str.strip), min_size=1, max_size=3))
    features: list[dict[str, Any]] = []
    for number, context in enumerate(contexts):
        cuts = sorted(draw(st.sets(st.integers(1, len(context)), max_size=len(context))) | {0, len(context)})
        tokens = list(pairwise(cuts))
        width = draw(st.integers(1, len(tokens)))
        overlap = draw(st.integers(0, width - 1))
        for first in range(0, len(tokens), width - overlap):
            offsets = [None, None, *tokens[first : first + width], None]
            features.append({"example_id": str(number), "offset_mapping": offsets, "null_position": NULL})
    longest = max(len(feature["offset_mapping"]) for feature in features)
    value = st.one_of(st.integers(-3, 3).map(float), st.floats(-20, 20, width=32), st.just(-math.inf))
    logits = st.lists(st.lists(value, min_size=longest, max_size=longest), min_size=len(features))
    start, end = (np.array(draw(logits)[: len(features)], dtype=np.float32) for _ in range(2))
    rules = AnswerRules(draw(st.integers(1, 5)), draw(st.integers(1, 6)), draw(st.integers(-5, 5)))
    return questions(*contexts), features, start, end, rules


def questions(*contexts: str, dataset: str = "drcd") -> Dataset:
    ids = [str(number) for number in range(len(contexts))]
    return Dataset.from_dict({"id": ids, "dataset": [dataset] * len(ids), "context": list(contexts)})


def answers_of(
    examples: Dataset, features: Any, start: np.ndarray, end: np.ndarray, rules: AnswerRules, null: bool = False
) -> dict[str, Answer]:
    allowed = set(examples["dataset"][:]) if null else set()
    return answer_questions(examples, read_windows(examples, features), start, end, rules, allowed)


def every_legal_span(
    example: dict[str, Any], features: list[dict[str, Any]], start: np.ndarray, end: np.ndarray, rules: AnswerRules
) -> dict[tuple[int, int], float]:
    """Brute force: all pairs of tokens of all windows, as characters of the context, with the highest score of each."""
    clip = 1e30
    spans: dict[tuple[int, int], float] = {}
    for row, feature in enumerate(features):
        if feature["example_id"] != example["id"]:
            continue
        offsets = feature["offset_mapping"]
        for i, first in enumerate(offsets):
            for j, last in enumerate(offsets[i : i + rules.max_answer_length], i):
                if first is None or last is None:
                    continue
                texts = [example["context"][one[0] : one[1]] for one in (first, last)]
                if not all(map(str.strip, texts)):
                    continue
                span = (
                    first[0] + len(texts[0]) - len(texts[0].lstrip()),
                    last[1] - len(texts[1]) + len(texts[1].rstrip()),
                )
                score = max(float(start[row, i]), -clip) + max(float(end[row, j]), -clip)
                spans[span] = max(score, spans.get(span, -math.inf))
    return spans


@settings(deadline=None, max_examples=100)
@given(readings())
def test_the_answer_is_the_best_legal_span_and_stands_in_the_context(reading: Any) -> None:
    examples, features, start, end, rules = reading
    answers = answers_of(examples, features, start, end, rules)
    for example, answer in zip(examples, answers.values(), strict=True):
        spans = every_legal_span(example, features, start, end, rules)
        ranked = sorted(spans.items(), key=lambda item: (-item[1], item[0]))
        assert answer.text == example["context"][slice(*ranked[0][0])]
        assert answer.text
        assert answer.text in example["context"]
        assert [one.score for one in answer.candidates] == [score for _, score in ranked[: rules.n_best_size]]
        for one in answer.candidates:
            assert one.start is not None
            assert example["context"].startswith(one.text, one.start)
        assert sum(one.probability for one in answer.candidates) == pytest.approx(1)


@settings(deadline=None, max_examples=50)
@given(readings(), st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_windows_does_not_matter(reading: Any, random: Any, null: bool) -> None:
    examples, features, start, end, rules = reading
    order = random.sample(range(len(features)), len(features))
    shuffled = answers_of(examples, [features[i] for i in order], start[order], end[order], rules, null=null)
    assert shuffled == answers_of(examples, features, start, end, rules, null=null)


@settings(deadline=None, max_examples=50)
@given(readings())
def test_no_answer_where_its_score_exceeds_the_best_span_by_more_than_the_threshold(reading: Any) -> None:
    examples, features, start, end, rules = reading
    spans = answers_of(examples, features, start, end, rules)
    answers = answers_of(examples, features, start, end, rules, null=True)
    for example, answer in zip(examples, answers.values(), strict=True):
        own = [row for row, feature in enumerate(features) if feature["example_id"] == example["id"]]
        null_score = min(sum(max(float(one[row, NULL]), -1e30) for one in (start, end)) for row in own)
        best = spans[example["id"]]
        assert answer.null_odds == null_score - best.candidates[0].score
        says_nothing = answer.null_odds > rules.null_score_diff_threshold
        assert answer.text == ("" if says_nothing else best.text)
        assert [one.text for one in answer.candidates].count("") == 1


def test_chinese_answers_have_no_spaces_put_in() -> None:
    context = "玉山在 臺灣 中部，AB 山"
    offsets = [None, *((i, i + 1) for i, character in enumerate(context) if character != " ")]
    logits = np.full((2, 1, len(offsets)), -9.0)
    logits[0, 0, 1] = logits[1, 0, 9] = 9.0
    features = [{"example_id": "0", "offset_mapping": offsets}]
    [answer] = answers_of(questions(context), features, logits[0], logits[1], AnswerRules()).values()
    assert answer.text == "玉山在 臺灣 中部，A"


def test_a_context_without_tokens_has_no_answer() -> None:
    features = [{"example_id": "0", "offset_mapping": [None, None]}]
    answers = answers_of(questions("\u200b"), features, np.zeros((1, 2)), np.zeros((1, 2)), AnswerRules(), null=True)
    assert answers == {"0": Answer("", [], None)}


def test_errors() -> None:
    examples, logits = questions("ab"), np.zeros((1, 2))
    features = [{"example_id": "0", "offset_mapping": [None, (0, 2)]}]
    with pytest.raises(ValueError, match="features is empty"):
        read_windows(examples, [])
    with pytest.raises(ValueError, match="the columns example_id: expected 'offset_mapping' among them"):
        read_windows(examples, [{"example_id": "0"}])
    with pytest.raises(ValueError, match=r"features\[0\] is of question 'x', which is not among the examples"):
        read_windows(examples, [{"example_id": "x", "offset_mapping": []}])
    with pytest.raises(ValueError, match="question '1' has no window"):
        read_windows(questions("ab", "cd"), features)
    with pytest.raises(ValueError, match="start_logits has 2 rows, but there are 1 windows"):
        answers_of(examples, features, np.zeros((2, 2)), logits, AnswerRules())
    with pytest.raises(ValueError, match=r"the logits of features\[0\] hold NaN"):
        answers_of(examples, features, logits * np.nan, logits, AnswerRules())
    for name in ("n_best_size", "max_answer_length"):
        with pytest.raises(ValueError, match=f"{name} is 0: expected at least 1"):
            AnswerRules(**{name: 0})
