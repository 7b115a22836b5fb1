"""Tests of paired differences: their size when nothing differs, their power, and exact values where those are known."""

from __future__ import annotations

import gc
from itertools import product

import numpy as np
import pytest
from scipy.stats import binomtest, kstest, permutation_test

from scripts import significance
from scripts.significance import PairedFigure, Tally, approximate_randomisation, holm, mcnemar_p, tally

SIMULATIONS = 500


def simulated_pair(
    random: np.random.Generator, questions: int, advantage: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Values of two systems on questions of differing difficulty; the first system gains ``advantage`` on each."""
    difficulty = random.random(questions)
    first, second = difficulty + random.normal(0, 0.3, (2, questions))
    return np.clip(first + advantage, 0, 1), np.clip(second, 0, 1)


def with_gaps(random: np.random.Generator, values: np.ndarray) -> np.ndarray:
    return np.where(random.random(len(values)) < 0.1, np.nan, values)


@pytest.mark.parametrize("kind", ["mean over questions", "mean over datasets", "questions not counted"])
def test_p_is_uniform_when_the_systems_are_alike(kind: str) -> None:
    random = np.random.default_rng(2024)
    groups = np.repeat([0, 1, 2], [40, 15, 5]) if kind == "mean over datasets" else None
    p_values = []
    for simulation in range(SIMULATIONS):
        first, second = simulated_pair(random, 60)
        if kind == "questions not counted":
            first, second = with_gaps(random, first), with_gaps(random, second)
        p_values += approximate_randomisation([PairedFigure(first, second, groups)], trials=199, seed=simulation)
    assert kstest(p_values, "uniform").pvalue > 0.01
    assert binomtest(sum(p <= 0.05 for p in p_values), SIMULATIONS, 0.05).pvalue > 0.01


def test_p_of_exact_match_is_not_too_small_when_the_systems_are_alike() -> None:
    random = np.random.default_rng(2024)
    p_values = []
    for simulation in range(SIMULATIONS):
        first, second = (np.round(values) for values in simulated_pair(random, 60))
        p_values += approximate_randomisation([PairedFigure(first, second)], trials=199, seed=simulation)
    # Differences of whole questions tie often, which makes p larger than uniform, never smaller.
    assert kstest(p_values, "uniform", alternative="greater").pvalue > 0.01
    assert binomtest(sum(p <= 0.05 for p in p_values), SIMULATIONS, 0.05, alternative="greater").pvalue > 0.01


@pytest.mark.parametrize("groups", [None, np.repeat([0, 1, 2], [400, 150, 50])])
def test_a_planted_difference_is_found(groups: np.ndarray | None) -> None:
    random = np.random.default_rng(7)
    figures = [PairedFigure(*simulated_pair(random, 600, advantage=0.2), groups) for _ in range(20)]
    assert max(approximate_randomisation(figures, trials=999)) < 0.01


def plain_difference(first: np.ndarray, second: np.ndarray, groups: np.ndarray) -> float:
    sides = []
    for values in (first, second):
        means = [values[groups == group] for group in np.unique(groups)]
        sides.append(np.mean([np.nanmean(one) if (~np.isnan(one)).any() else 0.0 for one in means]))
    return float(sides[0] - sides[1])


def exact_p(first: np.ndarray, second: np.ndarray, groups: np.ndarray) -> float:
    """The share of all assignments of the outcomes to the systems that differ at least as much as the observed one."""
    observed = abs(plain_difference(first, second, groups))
    swaps = [np.array(one) for one in product([False, True], repeat=len(first))]
    differences = [
        plain_difference(np.where(one, second, first), np.where(one, first, second), groups) for one in swaps
    ]
    return float(np.mean(np.abs(differences) >= observed - 1e-12))


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_p_comes_near_the_share_of_all_assignments(seed: int, grouped: bool, gaps: bool) -> None:
    random = np.random.default_rng(seed)
    first, second = simulated_pair(random, 9, advantage=0.2)
    if gaps:
        first[[0, 8]], second[4] = np.nan, np.nan
    groups = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2]) if grouped else np.zeros(9, dtype=int)
    [p] = approximate_randomisation([PairedFigure(first, second, groups)], trials=20_000)
    assert p == pytest.approx(exact_p(first, second, groups), abs=0.015)


def test_p_agrees_with_scipy() -> None:
    first, second = simulated_pair(np.random.default_rng(5), 12, advantage=0.1)
    theirs = permutation_test(
        (first, second), lambda a, b: np.mean(a) - np.mean(b), permutation_type="samples", n_resamples=np.inf
    )
    [p] = approximate_randomisation([PairedFigure(first, second)], trials=20_000)
    assert p == pytest.approx(theirs.pvalue, abs=0.015)


def test_trials_that_tie_with_what_was_observed_count() -> None:
    first = np.array([0.1, 0.2, 0.7, 0.3, 0.3])
    second = np.array([0.0, 0.1, 0.6, 0.2, 0.3])  # four gains of a tenth, which no float is
    [p] = approximate_randomisation([PairedFigure(first, second)], trials=20_000)
    assert p == pytest.approx(2 / 2**4, abs=0.01)


def test_a_dataset_that_one_system_left_out_does_not_enter_its_mean() -> None:
    values = np.array([0.5, 0.25, 1.0, 0.75])
    nothing_there = np.array([0.5, 0.25, np.nan, np.nan])
    groups = np.array([0, 0, 1, 1])
    left_out = PairedFigure(values, nothing_there, groups, second_present=~np.isnan(nothing_there))
    counted_as_0 = PairedFigure(values, nothing_there, groups)
    # Only the third and the fourth question matter. If both or neither change places, the means over datasets differ by
    # (0.375 + 0.875) / 2 - 0.375 = 0.25 (left out) or by 0.875 / 2 (counted as 0); if one does, by 0.125.
    p_values = approximate_randomisation([left_out, counted_as_0], trials=20_000)
    assert p_values == pytest.approx([0.5, 0.5], abs=0.015)


def test_figures_do_not_change_each_others_p_and_sides_may_be_swapped() -> None:
    first, second = simulated_pair(np.random.default_rng(1), 50)
    pair, reverse = PairedFigure(first, second), PairedFigure(second, first)
    alone = approximate_randomisation([pair], 500)
    assert approximate_randomisation([pair, reverse], 500) == alone * 2
    assert approximate_randomisation([pair], 500) == alone
    assert approximate_randomisation([pair], 500, seed=1) != alone


def test_chunks_do_not_change_p(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = PairedFigure(*simulated_pair(np.random.default_rng(1), 50))
    whole = approximate_randomisation([figure], 500)
    monkeypatch.setattr(significance, "_CHUNK_BYTES", 8 * 50 * 7)
    assert approximate_randomisation([figure], 500) == whole


def test_systems_that_never_differ() -> None:
    values = np.array([0.0, 1.0, np.nan])
    assert approximate_randomisation([PairedFigure(values, values)]) == [1.0]
    assert approximate_randomisation([]) == []


def test_errors() -> None:
    pair = PairedFigure(np.zeros(3), np.zeros(3))
    with pytest.raises(ValueError, match=r"same questions, found sizes \[2, 3\]"):
        approximate_randomisation([pair, PairedFigure(np.zeros(2), np.zeros(2))])
    with pytest.raises(ValueError, match="trials must be at least 1, found 0"):
        approximate_randomisation([pair], trials=0)


def test_tally() -> None:
    first = np.array([1.0, 0.0, 0.5, np.nan, 0.3, np.nan])
    second = np.array([0.0, 1.0, 0.5, 0.0, 0.2, np.nan])
    assert tally(first, second) == Tally(wins=2, losses=1, ties=1, not_compared=1)
    assert tally(second, first) == Tally(wins=1, losses=2, ties=1, not_compared=1)


@pytest.mark.parametrize(("wins", "losses"), [(10, 3), (3, 10), (0, 7), (4, 4), (120, 171)])
def test_mcnemar_is_the_exact_test_of_equal_chances(wins: int, losses: int) -> None:
    expected = binomtest(wins, wins + losses, 0.5).pvalue
    assert mcnemar_p(Tally(wins, losses, 500, 0)) == pytest.approx(expected, rel=1e-9)


def test_mcnemar_without_a_difference() -> None:
    assert mcnemar_p(Tally(0, 0, 12, 0)) == 1.0


def test_holm_adjusts_step_by_step() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([0.02]) == [0.02]
    assert holm([]) == []


def test_holm_leaves_the_garbage_collector_as_it_was() -> None:
    gc.unfreeze()
    holm([0.01, 0.04])
    assert gc.get_freeze_count() == 0
    gc.freeze()
    holm([0.01, 0.04])
    assert gc.get_freeze_count() > 0
