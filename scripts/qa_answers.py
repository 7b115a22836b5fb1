"""From the logits of an extractive reader to answers: the best spans of a question over all windows of its context.

A span is legal if it starts and ends with a token of the context that has visible text, and has at most
``max_answer_length`` tokens. Its score is the sum of its start and end logits. An answer is the text of the context
from its first token to its last, as it stands there, so that nothing is put between Chinese characters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from datasets import Dataset

Features: TypeAlias = "Dataset | Sequence[dict[str, Any]]"


@dataclass(frozen=True)
class AnswerRules:
    """How answers are chosen.

    Attributes:
        n_best_size: candidates that are kept for each question, at least 1.
        max_answer_length: the most tokens an answer may have, at least 1.
        null_score_diff_threshold: "" is the answer where its score exceeds the best span's by more than this.
    """

    n_best_size: int = 20
    max_answer_length: int = 30
    null_score_diff_threshold: float = 0.0

    def __post_init__(self) -> None:
        for name in ("n_best_size", "max_answer_length"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: expected at least 1")


@dataclass(frozen=True)
class Candidate:
    """A possible answer: its text, where it starts in the context (None for ""), its score, and its share of the n-best
    list by softmax."""

    text: str
    start: int | None
    score: float
    probability: float


@dataclass(frozen=True)
class Answer:
    """What a reader answers to one question.

    Attributes:
        text: the answer.
        candidates: the n best, the best first; "" among them where the question may have no answer.
        null_odds: score of "" minus that of the best span; None where the question must have an answer.
    """

    text: str
    candidates: list[Candidate]
    null_odds: float | None


@dataclass(frozen=True)
class Window:
    """Where the tokens of one window stand.

    Attributes:
        example: index of its question.
        starts: of each token with visible text of the context, the character where that text starts.
        ends: of each such token, the character behind its text.
        tokens: of each such token, its position in the window.
        null_position: the token whose logits stand for "no answer".
    """

    example: int
    starts: np.ndarray
    ends: np.ndarray
    tokens: np.ndarray
    null_position: int


def read_windows(examples: Dataset, features: Features) -> list[Window]:
    """Bring windows to the form in which logits are read.

    Args:
        examples: questions in the standard columns.
        features: their windows, in any order: rows with ``example_id``, ``offset_mapping`` (None outside the context)
            and ``null_position`` (0 where there is no such column), as ``prepare_features`` or ``run_qa.py`` make them.

    Returns:
        A ``Window`` for each row of ``features``, in their order.

    Raises:
        ValueError: if a column is missing, a window is of an unknown question, or a question has no window.
    """
    if not len(features):
        raise ValueError("features is empty: there is no window to read")
    for name in ("example_id", "offset_mapping"):
        if name not in features[0]:
            raise ValueError(f"features has the columns {', '.join(features[0])}: expected {name!r} among them")
    places = {id_: i for i, id_ in enumerate(examples["id"][:])}
    contexts = examples["context"][:]
    windows = []
    for row, feature in enumerate(features):
        id_ = feature["example_id"]
        if id_ not in places:
            raise ValueError(f"features[{row}] is of question {id_!r}, which is not among the examples")
        example = places[id_]
        windows.append(_window(example, contexts[example], feature))
    if left := set(range(len(contexts))) - {window.example for window in windows}:
        raise ValueError(f"question {examples[min(left)]['id']!r} has no window among the features")
    return windows


def _window(example: int, context: str, feature: dict[str, Any]) -> Window:
    tokens: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    for token, pair in enumerate(feature["offset_mapping"]):
        if pair is None:
            continue
        text = context[pair[0] : pair[1]]
        if visible := text.strip():  # offsets may take in the space before a word
            tokens.append(token)
            starts.append(pair[0] + text.index(visible))
            ends.append(starts[-1] + len(visible))
    return Window(example, _integers(starts), _integers(ends), _integers(tokens), feature.get("null_position", 0))


def _integers(values: list[int]) -> np.ndarray:
    return np.asarray(values, dtype=np.int64)  # also where there are none


def answer_questions(
    examples: Dataset,
    windows: Sequence[Window],
    start_logits: np.ndarray,
    end_logits: np.ndarray,
    rules: AnswerRules,
    null_datasets: Collection[str],
) -> dict[str, Answer]:
    """Choose the answer to each question.

    Args:
        examples: questions in the standard columns.
        windows: what ``read_windows`` made of their windows.
        start_logits: shape (windows, tokens), padded on the right.
        end_logits: the same shape.
        rules: how answers are chosen.
        null_datasets: the datasets whose questions may be answered by "".

    Returns:
        Question id -> answer, in the order of the questions. Equal scores: the earlier, then the shorter span.

    Raises:
        ValueError: if there is not one row of logits for each window, or a logit is NaN.
    """
    for name, logits in (("start_logits", start_logits), ("end_logits", end_logits)):
        if len(logits) != len(windows):
            raise ValueError(f"{name} has {len(logits)} rows, but there are {len(windows)} windows")
    spans: list[dict[tuple[int, int], float]] = [{} for _ in range(len(examples))]
    null_scores = np.full(len(examples), np.inf)
    for row, window in enumerate(windows):
        start, end = _finite(start_logits[row], row), _finite(end_logits[row], row)
        null_score = start[window.null_position] + end[window.null_position]
        null_scores[window.example] = min(null_scores[window.example], null_score)
        found = spans[window.example]
        for first, last, score in best_spans(start[window.tokens], end[window.tokens], window.tokens, rules):
            span = int(window.starts[first]), int(window.ends[last])
            found[span] = max(score, found.get(span, -np.inf))
    columns = (examples[name][:] for name in ("id", "dataset", "context"))
    return {
        id_: _answer(context, found, float(null) if dataset in null_datasets else None, rules)
        for id_, dataset, context, found, null in zip(*columns, spans, null_scores, strict=True)
    }


def _finite(logits: np.ndarray, row: int) -> np.ndarray:
    if np.isnan(logits).any():
        raise ValueError(f"the logits of features[{row}] hold NaN: the model has diverged, or half precision overflows")
    return np.nan_to_num(logits.astype(np.float64), posinf=1e30, neginf=-1e30)


def best_spans(
    start: np.ndarray, end: np.ndarray, tokens: np.ndarray, rules: AnswerRules
) -> Iterable[tuple[int, int, float]]:
    """The spans of one window with the highest scores.

    Args:
        start: finite start logits of the tokens at which a span may start or end, shape (tokens,).
        end: their end logits.
        tokens: their positions in the window, ascending; a span's length is counted in these.
        rules: how long and how many.

    Returns:
        (index of first token, index of last token, score), at least ``n_best_size`` if there are so many, more where
        scores are equal.
    """
    if not len(start):
        return ()
    length = min(rules.max_answer_length, len(start))
    last = np.arange(len(start))[:, None] + np.arange(length)
    inside = np.minimum(last, len(start) - 1)
    legal = (last < len(start)) & (tokens[inside] - tokens[:, None] < rules.max_answer_length)
    scores = np.where(legal, start[:, None] + end[inside], -np.inf).ravel()
    kept = min(rules.n_best_size, int(legal.sum()))
    lowest = np.partition(scores, len(scores) - kept)[len(scores) - kept]
    best = np.flatnonzero(scores >= lowest)
    return zip((best // length).tolist(), last.ravel()[best].tolist(), scores[best].tolist(), strict=True)


def _answer(context: str, spans: dict[tuple[int, int], float], null_score: float | None, rules: AnswerRules) -> Answer:
    if not spans:  # a context of which the tokenizer knows nothing
        return Answer("", [], None)
    ranked = sorted(spans.items(), key=lambda item: (-item[1], item[0]))[: rules.n_best_size]
    found: list[tuple[str, int | None, float]] = [(context[start:end], start, score) for (start, end), score in ranked]
    null_odds = None if null_score is None else null_score - found[0][2]
    text = "" if null_odds is not None and null_odds > rules.null_score_diff_threshold else found[0][0]
    if null_score is not None:
        found = sorted([*found, ("", None, null_score)], key=lambda item: -item[2])
    weights = np.exp(np.array([score for *_, score in found]) - found[0][2])
    shares = (weights / weights.sum()).tolist()
    return Answer(text, [Candidate(*one, share) for one, share in zip(found, shares, strict=True)], null_odds)
