"""Scoring of ORB's DROP group (drop, quoref and their synthetic variants): sets of spans, aligned bags of tokens."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from .protocol import Side
from .squad_normalization import without_articles

Key = TypeVar("Key")
Value = TypeVar("Value")
Bag = frozenset[str]

_NO_PUNCTUATION = dict.fromkeys(map(ord, string.punctuation))
_NOTHING: Bag = frozenset()
_SPECIAL_WORDS = frozenset(("a", "an", "the", "nan", "inf", "infinity"))  # articles, and words that float() reads
_REMEMBERED = 1 << 13  # pieces and sides kept for reuse: answers repeat, but memory stays flat


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


class NormalisedSide(NamedTuple):
    """The spans of a prediction or of an acceptable answer, normalised.

    Attributes:
        spans: their texts.
        bags: the set of tokens of each.
        numbers: those of its tokens that ``float()`` reads, for each.
    """

    spans: list[str]
    bags: list[Bag]
    numbers: list[Bag]


class DropScorer:
    """Scores questions of the DROP group; it remembers what it has normalised."""

    def __init__(self) -> None:
        self._pieces: dict[str, tuple[list[str], Bag]] = {}
        self._sides: dict[str, NormalisedSide] = {}

    def score(self, prediction: Side, answers: Sequence[Side]) -> tuple[float, float]:
        """Exact match and F1 of one question, each the best over the answers on its own.

        Args:
            prediction: one span, or a list of spans (at least one).
            answers: acceptable answers (at least one), each one span or a list of spans.

        Returns:
            (exact match: 0.0 or 1.0, F1 in [0, 1] rounded to two decimals).
        """
        predicted = self._side(prediction)
        exact_match = best = 0.0
        for answer in answers:
            gold = self._side(answer)
            if predicted.spans == gold.spans:
                return 1.0, 1.0
            if len(predicted.spans) == len(gold.spans) == 1:
                f1 = _bag_f1(predicted.bags[0], gold.bags[0], gold.numbers[0])
            else:
                if len(predicted.spans) == len(gold.spans) and {*predicted.spans} == {*gold.spans}:
                    exact_match = 1.0
                f1 = _aligned_f1(predicted, gold)
            if f1 > best:
                best = f1
        # numpy.round(f1, 2), which the evaluator applies to each answer's; the best stays the best.
        return exact_match, round(best * 100.0) / 100.0

    def normalised_span(self, span: str) -> str:
        """One span, normalised piece by piece; blank pieces are dropped."""
        return self._side(span).spans[0]

    def _side(self, side: Side) -> NormalisedSide:
        if isinstance(side, str):
            known = self._sides.get(side)
            return _remember(self._sides, side, self._normalised(side)) if known is None else known
        parts = list(map(self._side, side))
        return NormalisedSide(
            [part.spans[0] for part in parts], [part.bags[0] for part in parts], [part.numbers[0] for part in parts]
        )

    def _normalised(self, span: str) -> NormalisedSide:
        words, numbers = [], _NOTHING
        pieces = span.lower().replace("-", " ").split(" ")
        for piece in pieces:
            if piece.isalpha() and piece.isascii() and piece not in _SPECIAL_WORDS:
                words.append(piece)
            elif piece:
                known = self._pieces.get(piece)
                if known is None:
                    tokens = normalised_piece(piece).split()
                    known = _remember(self._pieces, piece, (tokens, frozenset(filter(is_number, tokens))))
                words += known[0]
                numbers |= known[1]
        return NormalisedSide([" ".join(words)], [frozenset(words)], [numbers])


def _bag_f1(predicted: Bag, gold: Bag, numbers: Bag) -> float:
    """F1 of two bags; 0 where the gold bag holds numbers and shares none of them."""
    if numbers and numbers.isdisjoint(predicted):
        return 0.0
    same = len(gold & predicted)
    precision = same / len(predicted) if predicted else 1.0
    recall = same / len(gold) if gold else 1.0
    return (2 * precision * recall) / (precision + recall) if precision or recall else 0.0


def _aligned_f1(predicted: NormalisedSide, gold: NormalisedSide) -> float:
    """The total of the best one-to-one assignment of bags, over the larger number of bags."""
    scores = [
        [_bag_f1(bag, gold_bag, numbers) for bag in predicted.bags]
        for gold_bag, numbers in zip(gold.bags, gold.numbers, strict=True)
    ]
    size = max(len(predicted.bags), len(gold.bags))
    if len(scores) == 1 or len(scores[0]) == 1:
        return max(map(max, scores)) / size
    if size == 2:
        return max(scores[0][0] + scores[1][1], scores[0][1] + scores[1][0]) / 2
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    table = np.array(scores)
    rows, columns = linear_sum_assignment(table, maximize=True)
    per_bag = np.zeros(size)
    per_bag[rows] = table[rows, columns]
    return float(per_bag.mean())


def _remember(memory: dict[Key, Value], key: Key, value: Value) -> Value:
    if len(memory) >= _REMEMBERED:
        memory.clear()
    memory[key] = value
    return value
