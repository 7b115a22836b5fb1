"""Bootstrap intervals of means, of means over datasets, and of differences between systems.

Questions are drawn with replacement from the whole set (Efron's percentile bootstrap); every statistic of one call sees
the same draws, so differences between two of them are paired. Questions with the same values count as one kind, and a
resample is the number of times that each kind was drawn: sums over questions become one product of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 1000
SEED = 12345
_CONFIDENCE = 0.95
_DECIMALS = 9
_CHUNK_BYTES = 2**25
# A draw from a binomial distribution costs about as much as drawing this many single questions.
_DRAWS_PER_BINOMIAL = 12

Progress = Callable[[Iterable, str], Iterable]
"""Passes items on while it shows, under a heading, how far it is."""


def unseen(items: Iterable, _: str) -> Iterable:
    """The progress that shows nothing."""
    return items


@dataclass(frozen=True)
class Statistic:
    """The mean over groups of the weighted mean of each group's questions.

    With one group it is the mean over questions; with a group per dataset, the mean over datasets. A group that a
    resample leaves out does not enter the mean over groups; a group of which nothing is counted enters with 0, as in
    ``protocol.mean``.

    Attributes:
        values: a float per question, shape (questions,); NaN where the question is not counted.
        groups: the number of each question's group, shape (questions,), negative where it belongs to none; None: all
            belong to one.
        weights: the weight of each question in its group's mean, shape (questions,); None: all weigh the same.
    """

    values: np.ndarray
    groups: np.ndarray | None = None
    weights: np.ndarray | None = None


def bootstrap(
    statistics: Sequence[Statistic],
    resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress = unseen,
) -> np.ndarray:
    """Each statistic on the same random resamples of the questions.

    Args:
        statistics: at least one, all over the same questions.
        resamples: how many resamples to draw.
        seed: of the random numbers; the same seed, statistics and number of resamples give the same result.
        progress: told about chunks of resamples.

    Returns:
        Shape (resamples, statistics); NaN where a resample holds none of a statistic's questions.

    Raises:
        ValueError: there are no statistics or no questions, their sizes differ, or ``resamples`` is below 1.
    """
    sizes = {len(statistic.values) for statistic in statistics}
    if len(sizes) != 1 or 0 in sizes:
        raise ValueError(f"statistics must be over the same questions, at least one, found sizes {sorted(sizes)}")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, found {resamples}")
    kind_of_question, questions = _kinds_of_questions(statistics)
    cells = _cells_of(statistics, questions)
    random = np.random.default_rng(seed)
    chunk = max(1, min(resamples, _CHUNK_BYTES // (8 * len(questions))))
    parts = []
    for first in progress(range(0, resamples, chunk), "resampling"):
        counts = _draw(random, kind_of_question, len(questions), min(chunk, resamples - first))
        parts.append(_evaluate(cells, counts, len(statistics)))
    return np.concatenate(parts)


def interval(samples: np.ndarray) -> tuple[float, float]:
    """The 95 % percentile interval of bootstrapped values.

    Args:
        samples: shape (resamples,); NaN is left out. For the difference of two statistics of one ``bootstrap`` call,
            the difference of their columns: the interval is then paired.

    Returns:
        (low, high), rounded to nine decimals, so that the order in which a machine's BLAS sums does not show; NaN twice
        if nothing is left.
    """
    known = samples[~np.isnan(samples)]
    if not len(known):
        return float("nan"), float("nan")
    tail = (1 - _CONFIDENCE) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return round(float(low), _DECIMALS), round(float(high), _DECIMALS)


def paired_intervals(
    first: Sequence[Statistic],
    second: Sequence[Statistic],
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> list[tuple[float, float]]:
    """The intervals of ``first[i] - second[i]``, both sides computed on the same resamples.

    Args:
        first: statistics of one system.
        second: the same statistics of another system on the same questions.
        resamples: how many resamples to draw.
        seed: of the random numbers.

    Returns:
        (low, high) of each difference.

    Raises:
        ValueError: as in ``bootstrap``, or the numbers of statistics differ.
    """
    if len(first) != len(second):
        raise ValueError(f"found {len(first)} statistics of one system, {len(second)} of the other")
    samples = bootstrap([*first, *second], resamples, seed)
    return [interval(column) for column in (samples[:, : len(first)] - samples[:, len(first) :]).T]


def _kinds_of_questions(statistics: Sequence[Statistic]) -> tuple[np.ndarray, np.ndarray]:
    """The kind of each question, and one question of each kind; questions of a kind are alike in every array."""
    arrays = {
        id(array): array
        for statistic in statistics
        for array in (statistic.values, statistic.groups, statistic.weights)
        if array is not None
    }
    kind = np.zeros(len(statistics[0].values), dtype=np.int64)
    for array in arrays.values():
        distinct, code = np.unique(array, return_inverse=True)
        _, kind = np.unique(kind * len(distinct) + code, return_inverse=True)
    _, question = np.unique(kind, return_index=True)
    return kind, question


def _draw(random: np.random.Generator, kind_of_question: np.ndarray, kinds: int, resamples: int) -> np.ndarray:
    """How often each kind of question is drawn; shape (resamples, kinds)."""
    total = len(kind_of_question)
    if kinds * _DRAWS_PER_BINOMIAL < total:
        shares = np.bincount(kind_of_question, minlength=kinds) / total
        return random.multinomial(total, shares, size=resamples).astype(float)
    counts = np.empty((resamples, kinds))
    for row in counts:
        drawn = kind_of_question[random.integers(total, size=total, dtype=np.int32)]
        row[:] = np.bincount(drawn, minlength=kinds)
    return counts


@dataclass
class _Cell:
    """A group of kinds, and what is summed over it for each statistic that has this group."""

    kinds: np.ndarray
    statistics: list[int]
    weighted_values: list[np.ndarray]
    counted_weights: list[np.ndarray]


def _cells_of(statistics: Sequence[Statistic], questions: np.ndarray) -> list[_Cell]:
    cells: dict[bytes, _Cell] = {}
    one_group = np.zeros(len(questions), dtype=np.int64)
    for position, statistic in enumerate(statistics):
        values = statistic.values[questions]
        weights = np.ones(len(questions)) if statistic.weights is None else statistic.weights[questions].astype(float)
        groups = one_group if statistic.groups is None else statistic.groups[questions]
        counted = np.where(np.isnan(values), 0.0, weights)
        weighted = np.where(np.isnan(values), 0.0, values) * counted
        for group in np.unique(groups[groups >= 0]):
            kinds = np.flatnonzero(groups == group)
            cell = cells.setdefault(kinds.tobytes(), _Cell(kinds, [], [], []))
            cell.statistics.append(position)
            cell.weighted_values.append(weighted[kinds])
            cell.counted_weights.append(counted[kinds])
    return list(cells.values())


def _evaluate(cells: list[_Cell], counts: np.ndarray, statistics: int) -> np.ndarray:
    """The statistics of each resample; counts: shape (resamples, kinds)."""
    totals = np.zeros((len(counts), statistics))
    groups = np.zeros((len(counts), statistics))
    for cell in cells:
        of_cell: np.ndarray = counts if len(cell.kinds) == counts.shape[1] else counts[:, cell.kinds]
        # Resamples stand first: with few columns, BLAS is slow the other way round, the more so on a busy machine.
        sums = of_cell @ np.array(cell.weighted_values).T
        weights = of_cell @ np.array(cell.counted_weights).T
        totals[:, cell.statistics] += sums / np.where(weights > 0, weights, 1.0)
        groups[:, cell.statistics] += np.any(of_cell, axis=1, keepdims=True)
    return np.where(groups > 0, totals / np.maximum(groups, 1), np.nan)
