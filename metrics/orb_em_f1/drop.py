"""Scoring of ORB's DROP group (drop, quoref and their synthetic variants): sets of spans, aligned bags of tokens."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from typing import TypeVar

from .protocol import Side
from .squad_normalization import without_articles

Key = TypeVar("Key")
Value = TypeVar("Value")
Bag = frozenset[str]
NormalisedSide = tuple[list[str], list[Bag]]

_NO_PUNCTUATION = dict.fromkeys(map(ord, string.punctuation))
_piece_boundary = re.compile("[ -]").split
_REMEMBERED = 1 << 16  # pieces and sides kept for reuse: answers repeat, but memory stays flat


def is_number(text: str) -> bool:
    """Whether Python's ``float()`` reads the text, as the evaluator asks."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def normalised_piece(piece: str) -> str:
    """One piece of a span (what stands between spaces and hyphens), normalised.

    Args:
        piece: a string without spaces and hyphens; other white space may stand in it.

    Returns:
        Lower case, without punctuation (a number keeps its own), without articles; a number as ``str(float(piece))``.
    """
    piece = piece.lower()
    if not is_number(piece):
        piece = piece.translate(_NO_PUNCTUATION)
    if is_number(piece):
        piece = str(float(piece))
    return " ".join(without_articles(" ", piece).split())


class DropScorer:
    """Scores questions of the DROP group; it remembers what it has normalised."""

    def __init__(self) -> None:
        self._pieces: dict[str, str] = {}
        self._sides: dict[str, NormalisedSide] = {}
        self._has_numbers: dict[Bag, Bag] = {}

    def score(self, prediction: Side, answers: Sequence[Side]) -> tuple[float, float]:
        """Exact match and F1 of one question, each the best over the answers on its own.

        Args:
            prediction: one span, or a list of spans (at least one).
            answers: acceptable answers (at least one), each one span or a list of spans.

        Returns:
            (exact match: 0.0 or 1.0, F1 in [0, 1] rounded to two decimals).
        """
        predicted_spans, predicted_bags = self._side(prediction)
        exact_match = best = 0.0
        for answer in answers:
            gold_spans, gold_bags = self._side(answer)
            if predicted_spans == gold_spans:
                return 1.0, 1.0
            if len(predicted_spans) == len(gold_spans) == 1:
                f1 = self._bag_f1(predicted_bags[0], gold_bags[0])
            else:
                if len(predicted_spans) == len(gold_spans) and {*predicted_spans} == {*gold_spans}:
                    exact_match = 1.0
                f1 = self._aligned_f1(predicted_bags, gold_bags)
            best = max(best, f1)
        return exact_match, _two_decimals(best)

    def normalised_span(self, span: str) -> str:
        """One span, normalised piece by piece; blank pieces are dropped."""
        pieces = self._pieces
        words = []
        for piece in _piece_boundary(span):
            word = pieces.get(piece)
            if word is None:
                word = _remember(pieces, piece, normalised_piece(piece))
            if word:
                words.append(word)
        return " ".join(words)

    def _side(self, side: Side) -> NormalisedSide:
        if not isinstance(side, str):
            return self._normalised(side)
        known = self._sides.get(side)
        return _remember(self._sides, side, self._normalised([side])) if known is None else known

    def _normalised(self, spans: Iterable[str]) -> NormalisedSide:
        texts = [self.normalised_span(span) for span in spans]
        return texts, [frozenset(text.split()) for text in texts]

    def _numbers(self, bag: Bag) -> Bag:
        known = self._has_numbers.get(bag)
        if known is None:
            known = _remember(self._has_numbers, bag, frozenset(token for token in bag if is_number(token)))
        return known

    def _bag_f1(self, predicted: Bag, gold: Bag) -> float:
        numbers = self._numbers(gold)
        if numbers and numbers.isdisjoint(predicted):
            return 0.0
        same = len(gold & predicted)
        precision = same / len(predicted) if predicted else 1.0
        recall = same / len(gold) if gold else 1.0
        return (2 * precision * recall) / (precision + recall) if precision or recall else 0.0

    def _aligned_f1(self, predicted: list[Bag], gold: list[Bag]) -> float:
        """The total of the best one-to-one assignment of bags, over the larger number of bags."""
        if len(predicted) == 1 or len(gold) == 1:
            highest = max(self._bag_f1(one, other) for one in predicted for other in gold)
            return highest / max(len(predicted), len(gold))
        import numpy as np
        from scipy.optimize import linear_sum_assignment

        scores = np.array([[self._bag_f1(one, other) for one in predicted] for other in gold])
        rows, columns = linear_sum_assignment(scores, maximize=True)
        per_bag = np.zeros(max(len(predicted), len(gold)))
        per_bag[rows] = scores[rows, columns]
        return float(per_bag.mean())


def _two_decimals(value: float) -> float:
    """``numpy.round(value, 2)``, which the evaluator applies to the mean of each answer.

    Rounding does not change which answer is the best, so it is enough to round the best one.
    """
    return round(value * 100.0) / 100.0


def _remember(memory: dict[Key, Value], key: Key, value: Value) -> Value:
    if len(memory) >= _REMEMBERED:
        memory.clear()
    memory[key] = value
    return value
