"""Scoring of ORB's DROP group (drop, quoref and their synthetic variants): sets of spans, aligned bags of tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .drop_normalization import tokenised_spans
from .protocol import Columns, Side
from .question_batches import Batch, batches
from .token_bags import before, harmonic_mean


def score_drop(predictions: Sequence[Side], references: Sequence[Sequence[Side]]) -> Columns:
    """Exact match and F1 of questions of the DROP group, each the best over the answers on its own.

    Args:
        predictions: one span, or a list of spans (at least one), per question.
        references: the acceptable answers of each question (at least one), each one span or a list of spans.

    Returns:
        ``exact_match`` (0.0 or 1.0) and ``f1``, rounded to two decimals as the evaluator rounds each answer's.
    """
    scored = list(map(_scored_batch, batches(predictions, references)))
    exact_match, f1 = (np.concatenate(column) for column in zip(*scored, strict=True))
    return {"exact_match": exact_match.astype(float), "f1": np.rint(f1 * 100.0) / 100.0}


def _scored_batch(batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    spans, count = _spans_of_sides(batch.sides)
    first = before(count)
    predicted, gold = count[batch.predicted], count[batch.gold]
    # Every span of an answer is compared with every span of the prediction.
    pairs = predicted * gold
    first_pair = before(pairs)
    answer = np.repeat(np.arange(len(pairs)), pairs)
    gold_span, predicted_span = np.divmod(np.arange(len(answer)) - first_pair[answer], predicted[answer])
    predicted_span += first[batch.predicted[answer]]
    gold_span += first[batch.gold[answer]]
    equal, f1 = _scored_pairs(spans, predicted_span, gold_span)
    return (
        batch.best(_equal_sets(equal, first_pair, gold, predicted)),
        batch.best(_aligned_f1(f1, first_pair, gold, predicted)),
    )


def _spans_of_sides(sides: list[Side]) -> tuple[list[str], np.ndarray]:
    """The spans of all sides, and how many each has."""
    count = np.ones(len(sides), dtype=np.int64)
    spans: list[str] = []
    done = 0
    for i in [i for i, side in enumerate(sides) if not isinstance(side, str)]:
        spans += sides[done:i]  # type: ignore[arg-type]
        spans += sides[i]
        count[i], done = len(sides[i]), i + 1
    return spans + sides[done:], count  # type: ignore[operator]


def _scored_pairs(spans: list[str], predicted: np.ndarray, gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Equality, and F1 of the bags, of each pair of a predicted and a gold span (indices of ``spans``).

    F1 is 0 where the gold bag holds numbers and shares none of them.
    """
    bags, is_number = tokenised_spans(spans)
    numbers = bags.only(is_number)
    same, predicted_count, gold_count = bags.shared_as_sets(predicted, gold)
    precision = np.where(predicted_count > 0, same / np.maximum(predicted_count, 1), 1.0)
    recall = np.where(gold_count > 0, same / np.maximum(gold_count, 1), 1.0)
    f1 = harmonic_mean(precision, recall)
    f1[(numbers.count[gold] > 0) & (numbers.shared_as_bags(predicted, gold) == 0)] = 0.0
    return bags.equal(predicted, gold), f1


def _equal_sets(equal: np.ndarray, first: np.ndarray, gold: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Whether each answer has the prediction's number of spans, and the same set of them.

    Args:
        equal: of each pair of spans, those of an answer together: a row for each gold span, in it the predicted ones.
        first: of each answer, its first pair.
        gold: of each answer, the number of its spans.
        predicted: of each answer, the number of the prediction's spans.
    """
    may_be = (gold == predicted) & (np.add.reduceat(equal, first, dtype=np.int64) >= gold)
    for i in np.flatnonzero(may_be & (gold > 1)).tolist():
        block = equal[first[i] : first[i] + gold[i] ** 2].reshape(gold[i], gold[i])
        may_be[i] = block.any(axis=0).all() and block.any(axis=1).all()
    return may_be


def _aligned_f1(f1: np.ndarray, first: np.ndarray, gold: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Of each answer the total of the best one-to-one assignment of bags, over the larger number of bags.

    Args: as of ``_equal_sets``, with the F1 of each pair.
    """
    most, least = np.maximum(gold, predicted), np.minimum(gold, predicted)
    aligned = np.maximum.reduceat(f1, first) / most
    square = np.flatnonzero((least == 2) & (most == 2))
    pairs = f1[first[square, None] + np.arange(4)]
    straight, crossed = pairs[:, 0] + pairs[:, 3], pairs[:, 1] + pairs[:, 2]
    aligned[square] = np.maximum(straight, crossed) / 2
    # Where two totals differ by rounding alone, the evaluator's own function says which one it takes.
    is_near = (straight != crossed) & (np.abs(straight - crossed) < 1e-9)
    for i in [*np.flatnonzero((least > 1) & (most > 2)).tolist(), *square[is_near].tolist()]:
        scores = f1[first[i] : first[i] + gold[i] * predicted[i]].reshape(gold[i], predicted[i])
        aligned[i] = _assigned_f1(scores)
    return aligned


def _assigned_f1(scores: np.ndarray) -> float:
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(scores, maximize=True)
    per_bag = np.zeros(max(scores.shape))
    per_bag[rows] = scores[rows, columns]
    return float(per_bag.mean())
