"""Is one system better than another on the same questions? Tests of paired differences, free of files and screens.

The null hypothesis of both tests is that the two systems are exchangeable on every question: whichever of the two
outcomes a question has, either system could as well have had the other's.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from metrics.shared.intervals import SEED, Progress, unseen

TRIALS = 10_000
_CHUNK_BYTES = 2**25
# Sums in another order differ in their last digits; a trial that ties with what was observed must count all the same.
_ROUNDING = 1e-10


@dataclass(frozen=True)
class PairedFigure:
    """One figure of two systems, question by question: the mean over groups of the mean of each group's questions.

    With one group it is the mean over questions; with a group per dataset, the mean over datasets.

    Attributes:
        first: the first system's value of each question, shape (questions,); NaN where it is not counted.
        second: the second system's.
        groups: the number of each question's group, shape (questions,), negative where it belongs to none; None: all
            belong to one.
        first_present: whether the question enters the first system's figure at all; None: it does. A group of which
            questions are present but none is counted has mean 0; a group without a question present is passed over.
        second_present: the same of the second system.
    """

    first: np.ndarray
    second: np.ndarray
    groups: np.ndarray | None = None
    first_present: np.ndarray | None = None
    second_present: np.ndarray | None = None


@dataclass(frozen=True)
class Tally:
    """On how many questions each of two systems has the higher value.

    Attributes:
        wins: questions on which the first system's value is higher.
        losses: questions on which the second's is.
        ties: questions on which they are equal.
        not_compared: questions that count for one system only.
    """

    wins: int
    losses: int
    ties: int
    not_compared: int


def tally(first: np.ndarray, second: np.ndarray) -> Tally:
    """Count wins, losses and ties of the first system over the questions that count for both.

    Args:
        first: the first system's values, shape (questions,); NaN where a question is not counted.
        second: the second system's.

    Returns:
        The counts; a question that counts for neither system is in none of them.
    """
    one_sided = np.isnan(first) != np.isnan(second)
    return Tally(
        *(int(np.count_nonzero(where)) for where in (first > second, first < second, first == second, one_sided))
    )


def approximate_randomisation(
    figures: Sequence[PairedFigure], trials: int = TRIALS, seed: int = SEED, progress: Progress = unseen
) -> list[float]:
    """Two-sided p-values of the difference between two systems, by paired approximate randomisation.

    A trial lets the two systems change places on a random half of the questions: values, and whether the question
    counts, go together. p is the share of trials in which the difference is at least as large as the observed one, the
    observed one counted among them: Noreen, Computer-Intensive Methods for Testing Hypotheses (1989); Riezler and
    Maxwell, On Some Pitfalls in Automatic Evaluation and Significance Testing for MT (2005).

    Args:
        figures: figures over the same questions; all of them see the same trials.
        trials: how many.
        seed: of the random numbers.
        progress: told about chunks of trials.

    Returns:
        p of each figure, at least 1 / (trials + 1); 1.0 where the systems do not differ on any question.

    Raises:
        ValueError: the figures are over different numbers of questions, or ``trials`` is below 1.
    """
    sizes = {len(side) for figure in figures for side in (figure.first, figure.second)}
    if len(sizes) > 1:
        raise ValueError(f"figures must be over the same questions, found sizes {sorted(sizes)}")
    if trials < 1:
        raise ValueError(f"trials must be at least 1, found {trials}")
    sums = [_Sums(figure) for figure in figures]
    differing = np.flatnonzero(np.any([one.differing for one in sums], axis=0)) if sums else np.empty(0, dtype=int)
    if not len(differing):
        return [1.0] * len(figures)
    change = np.concatenate([one.change[differing] for one in sums], axis=1)
    ends = np.cumsum([one.change.shape[1] for one in sums])[:-1]
    observed = [one.difference(np.zeros((1, one.change.shape[1]))) for one in sums]
    at_least = np.zeros(len(figures), dtype=int)
    random = np.random.default_rng(seed)
    chunk = max(1, min(trials, _CHUNK_BYTES // (8 * len(differing))))
    for begin in progress(range(0, trials, chunk), "testing"):
        swapped = random.integers(2, size=(min(chunk, trials - begin), len(differing)), dtype=np.uint8)
        changes = np.split(swapped.astype(float) @ change, ends, axis=1)
        for i, (one, changed) in enumerate(zip(sums, changes, strict=True)):
            at_least[i] += np.count_nonzero(np.abs(one.difference(changed)) >= np.abs(observed[i]) - _ROUNDING)
    return [(int(count) + 1) / (trials + 1) for count in at_least]


class _Sums:
    """A figure's sums over each group, and by how much each question changes them when the systems change places.

    Attributes:
        differing: whether it matters who has which of a question's outcomes, shape (questions,).
        change: what the first system's sums gain by a question's change of places, shape (questions, 3 * groups).
    """

    def __init__(self, figure: PairedFigure) -> None:
        groups = np.zeros(len(figure.first), dtype=int) if figure.groups is None else figure.groups
        first = _summands(figure.first, figure.first_present)
        second = _summands(figure.second, figure.second_present)
        members = [groups == group for group in np.unique(groups[groups >= 0])]
        self._first = np.array([first[where].sum(axis=0) for where in members])
        self._total = self._first + [second[where].sum(axis=0) for where in members]
        gain = second - first
        self.differing = np.any(gain != 0, axis=1) & (groups >= 0)
        self.change = np.concatenate([gain * where[:, None] for where in members], axis=1)

    def difference(self, changed: np.ndarray) -> np.ndarray:
        """The first system's figure less the second's, in each trial.

        Args:
            changed: what the first system's sums gain in each trial, shape (trials, 3 * groups).
        """
        first = self._first + changed.reshape(len(changed), -1, 3)
        return _mean_over_groups(first) - _mean_over_groups(self._total - first)


def _summands(values: np.ndarray, present: np.ndarray | None) -> np.ndarray:
    """Of each question its value, whether it is counted and whether it is present; shape (questions, 3)."""
    present = np.ones(len(values), dtype=bool) if present is None else present
    counted = present & ~np.isnan(values)
    return np.stack([np.where(counted, values, 0.0), counted, present], axis=1)


def _mean_over_groups(sums: np.ndarray) -> np.ndarray:
    """The figure of each trial from its sums, shape (trials, groups, 3); 0 in a trial without any group."""
    values, counted, present = np.moveaxis(sums, 2, 0)
    means = values / np.maximum(counted, 1)
    return np.sum(means, axis=1) / np.maximum(np.count_nonzero(present > 0, axis=1), 1)


def mcnemar_p(counts: Tally) -> float:
    """The two-sided p-value of the exact McNemar test, for figures that are 0 or 1 on each question.

    Args:
        counts: wins and losses of one system, the questions that only one of the two has right.

    Returns:
        p in (0, 1]; 1.0 where no question tells the systems apart.
    """
    from statsmodels.stats.contingency_tables import mcnemar

    return float(mcnemar([[0, counts.wins], [counts.losses, counts.ties]], exact=True).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust the p-values of several tests so that the chance of any false finding stays in bounds.

    Args:
        p_values: of tests that are made together.

    Returns:
        Holm's (1979) adjusted p-values, in the same order: compare each with the level that one test would have.
    """
    from statsmodels.stats.multitest import multipletests

    if len(p_values) < 2:
        return list(p_values)
    with _older_objects_out_of_collections():
        return [float(p) for p in multipletests(p_values, method="holm")[1]]


@contextmanager
def _older_objects_out_of_collections() -> Iterator[None]:
    """``multipletests`` collects garbage at each call, which takes half a second where a process holds WordNet."""
    was_frozen = gc.get_freeze_count() > 0
    gc.freeze()
    try:
        yield
    finally:
        if not was_frozen:
            gc.unfreeze()
