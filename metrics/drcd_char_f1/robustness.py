"""ORB's synthetic variants beside the questions they were made from: what a rewording costs a system.

A pair is a variant and its original, both counted by the protocol. Variants of one question belong together, so the
bootstrap draws originals, each with all its variants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .intervals import RESAMPLES, SEED, Progress, Statistic, bootstrap, interval, unseen
from .protocol import mean
from .protocol_scores import OVERALL, ProtocolScores
from .question_table import QuestionTable

ALL_KINDS = "all"
_RIGHT = "exact_match"
_FIGURES = (_RIGHT, "f1")


@dataclass(frozen=True)
class Gap:
    """One figure of originals against that of their variants.

    Attributes:
        protocol: the protocol's name.
        dataset: the originals' dataset, or "overall".
        kind: what the variants vary, or "all".
        figure: ``exact_match`` or ``f1``.
        pairs: pairs of a variant and its original.
        original: mean over the pairs' originals, in [0, 1].
        synthetic: mean over the pairs' variants, in [0, 1].
        difference: synthetic less original, in [-1, 1].
        low: lower end of the 95 % interval of the difference.
        high: upper end of it.
    """

    protocol: str
    dataset: str
    kind: str
    figure: str
    pairs: int
    original: float
    synthetic: float
    difference: float
    low: float
    high: float


@dataclass(frozen=True)
class Consistency:
    """How many questions that are right (exact match 1) stay right in every variant.

    Attributes:
        protocol: the protocol's name.
        dataset: the originals' dataset, or "overall".
        kind: what the variants vary, or "all".
        right: originals with variants that are right.
        value: share of them that are right in every variant; NaN if none is right.
        low: lower end of its 95 % interval.
        high: upper end of it.
    """

    protocol: str
    dataset: str
    kind: str
    right: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Robustness:
    """What the synthetic variants of a gold file show.

    Attributes:
        gaps: by protocol, dataset, kind and figure.
        consistency: by protocol, dataset and kind.
        unpaired: variants whose original is not in the gold file, which are not looked at.
    """

    gaps: list[Gap]
    consistency: list[Consistency]
    unpaired: int


def robustness(
    table: QuestionTable,
    protocols: Mapping[str, ProtocolScores],
    resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress = unseen,
) -> Robustness | None:
    """Compare variants with their originals under each protocol.

    Args:
        table: the questions; ``originals`` names what a variant was made from.
        protocols: what each protocol says of them.
        resamples: of the bootstrap.
        seed: of the bootstrap.
        progress: told about chunks of resamples.

    Returns:
        The comparison; None where the table holds no variant together with its original.
    """
    named = [i for i, original in enumerate(table.originals) if original is not None]
    if not named:
        return None
    wanted = {table.originals[i] for i in named}
    position = {id_: i for i, id_ in enumerate(table.ids) if id_ in wanted}
    variants = np.array([i for i in named if table.originals[i] in position])
    if not len(variants):
        return None
    originals = np.array([position[table.originals[i]] for i in variants])
    found = Robustness([], [], len(named) - len(variants))
    for name, scores in protocols.items():
        counted = np.logical_and.reduce([~np.isnan(scores.columns[figure]) for figure in _FIGURES])
        both = counted[variants] & counted[originals]
        if both.any():
            pairs = _Pairs(name, table, scores, variants[both], originals[both])
            pairs.compare(found, resamples, seed, progress)
    return found


class _Pairs:
    """The pairs that one protocol counts."""

    def __init__(
        self, protocol: str, table: QuestionTable, scores: ProtocolScores, variants: np.ndarray, originals: np.ndarray
    ) -> None:
        self.protocol = protocol
        self.dataset = np.array([table.datasets[i] for i in originals])
        self.kind = np.array([table.kinds[i] or "unnamed" for i in variants])
        self.unit, self.unit_of_pair = np.unique(originals, return_inverse=True)
        self.original = {figure: scores.columns[figure][originals] for figure in _FIGURES}
        self.variant = {figure: scores.columns[figure][variants] for figure in _FIGURES}

    def compare(self, found: Robustness, resamples: int, seed: int, progress: Progress) -> None:
        """Add every gap and consistency of these pairs to what was found."""
        groups = [(dataset, kind) for dataset in self._names(self.dataset, OVERALL) for kind in self._kinds(dataset)]
        gaps = [(group, figure) for group in groups for figure in _FIGURES]
        statistics = [self._difference(self._members(*group), figure) for group, figure in gaps]
        statistics += [self._stays_right(self._members(*group)) for group in groups]
        intervals = [interval(column) for column in bootstrap(statistics, resamples, seed, progress).T]
        for (group, figure), (low, high) in zip(gaps, intervals[: len(gaps)], strict=True):
            members = self._members(*group)
            before, after = mean(self.original[figure][members]), mean(self.variant[figure][members])
            pairs = int(members.sum())
            found.gaps.append(Gap(self.protocol, *group, figure, pairs, before, after, after - before, low, high))
        for group, statistic, ends in zip(groups, statistics[len(gaps) :], intervals[len(gaps) :], strict=True):
            right = int(np.count_nonzero(~np.isnan(statistic.values)))
            value = mean(statistic.values) if right else float("nan")
            found.consistency.append(Consistency(self.protocol, *group, right, value, *ends))

    @staticmethod
    def _names(values: np.ndarray, together: str) -> list[str]:
        """The different values in their order, and the name of all together where there are several."""
        names = list(dict.fromkeys(values.tolist()))
        return [*names, together] if len(names) > 1 else names

    def _kinds(self, dataset: str) -> list[str]:
        kinds = sorted({*self.kind[self._members(dataset, ALL_KINDS)].tolist()})
        return [ALL_KINDS, *kinds]

    def _members(self, dataset: str, kind: str) -> np.ndarray:
        of_dataset = np.full(len(self.dataset), True) if dataset == OVERALL else self.dataset == dataset
        return of_dataset if kind == ALL_KINDS else of_dataset & (self.kind == kind)

    def _difference(self, members: np.ndarray, figure: str) -> Statistic:
        """The mean difference over the pairs, a value and a number of pairs for each original."""
        unit = self.unit_of_pair[members]
        difference = self.variant[figure][members] - self.original[figure][members]
        pairs = np.bincount(unit, minlength=len(self.unit))
        values = np.bincount(unit, difference, minlength=len(self.unit)) / np.maximum(pairs, 1)
        return Statistic(values, np.where(pairs > 0, 0, -1), pairs)

    def _stays_right(self, members: np.ndarray) -> Statistic:
        """For each original that is right and has variants among the members: whether they all are right too."""
        unit = self.unit_of_pair[members]
        pairs = np.bincount(unit, minlength=len(self.unit))
        right_variants = np.bincount(unit, self.variant[_RIGHT][members] == 1, minlength=len(self.unit))
        right_original = np.bincount(unit, self.original[_RIGHT][members] == 1, minlength=len(self.unit)) > 0
        values = np.where(right_original, (right_variants == pairs).astype(float), np.nan)
        return Statistic(values, np.where(right_original, 0, -1))
