"""All numbers of one protocol: each dataset's, the overall ones and the means over datasets, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .intervals import RESAMPLES, SEED, Progress, Statistic, bootstrap, interval, unseen
from .protocol import Columns, Protocol
from .question_table import QuestionTable

OVERALL = "overall"
MACRO = "macro"
_SCORED_AT_ONCE = 20_000


@dataclass(frozen=True)
class Score:
    """One number of the table.

    Attributes:
        key: the name that the protocol's ``compute()`` gives it.
        row: a dataset's name; "overall"; "macro", the mean over datasets; "average", ORB's own overall figure.
        figure: one of the protocol's figures.
        value: in [0, 1], to its last digit as the protocol reports it.
        low: lower end of the 95 % interval; NaN where there is nothing to resample.
        high: upper end of it.
        count: questions that are counted.
        statistic: what was resampled; those of two systems on one gold file make a paired interval.
    """

    key: str
    row: str
    figure: str
    value: float
    low: float
    high: float
    count: int
    statistic: Statistic = field(repr=False, compare=False)

    @property
    def is_over_datasets(self) -> bool:
        """Whether this is a mean over datasets' means rather than over questions."""
        return self.statistic.groups is not None and bool((self.statistic.groups > 0).any())


@dataclass(frozen=True)
class ProtocolScores:
    """What one protocol says.

    Attributes:
        protocol: the protocol.
        signature: of all its numbers.
        columns: figure -> a value per question of the table, NaN where the question is not counted.
        counted: whether each question takes part; a protocol may leave out those without a prediction.
        aggregate: the figures by their names, exactly as the protocol's ``compute()`` returns them.
        scores: the same with row, interval and count.
    """

    protocol: Protocol
    signature: str
    columns: Columns
    counted: np.ndarray
    aggregate: dict[str, float]
    scores: list[Score]

    def score(self, row: str, figure: str) -> Score | None:
        """The number in a row of the table, if the protocol has one there."""
        return next((score for score in self.scores if (score.row, score.figure) == (row, figure)), None)


def score_protocol(
    protocol: Protocol,
    table: QuestionTable,
    signature: str,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress = unseen,
) -> ProtocolScores:
    """Score every question under one protocol, and give each number its interval."""
    answered = np.array([prediction is not None for prediction in table.predictions])
    columns = _score_questions(protocol, table, answered, progress)
    counted = answered if protocol.unanswered == "left out" else np.ones(len(table), dtype=bool)
    positions = np.flatnonzero(counted)
    counted_columns = {figure: values[positions] for figure, values in columns.items()}
    datasets = [table.datasets[i] for i in positions]
    aggregate = protocol.aggregate(counted_columns, datasets)
    statistics = _statistics(protocol, counted_columns, datasets, aggregate, positions, len(table))
    samples = bootstrap([statistic for *_, statistic in statistics], resamples, seed, progress)
    scores = [
        Score(key, row, figure, aggregate[key], *interval(column), _questions_in(statistic), statistic)
        for (key, row, figure, statistic), column in zip(statistics, samples.T, strict=True)
    ]
    return ProtocolScores(protocol, signature, columns, counted, aggregate, scores)


def _statistics(
    protocol: Protocol,
    columns: Columns,
    datasets: Sequence[str],
    aggregate: Mapping[str, float],
    positions: np.ndarray,
    total: int,
) -> list[tuple[str, str, str, Statistic]]:
    """Key, row, figure and statistic of each number, the statistics over all questions of the table.

    Args:
        protocol: the protocol.
        columns: the figures of the questions that are counted.
        datasets: their datasets.
        aggregate: the protocol's figures.
        positions: their positions in the table.
        total: questions in the table.
    """
    names = list(dict.fromkeys(datasets))
    code = {name: i for i, name in enumerate(names)}
    dataset_of = np.full(total, -1, dtype=np.int16)
    dataset_of[positions] = [code[name] for name in datasets]
    all_together = np.minimum(dataset_of, 0)
    alone = {name: np.where(dataset_of == i, 0, -1).astype(np.int16) for name, i in code.items()}
    over_datasets = figures_over_datasets(protocol, names)
    lists = protocol.question_lists(columns, datasets)
    spread: dict[int, np.ndarray] = {}  # most numbers are of the same columns, which a million questions make large
    statistics = []
    for key in aggregate:
        row, figure = _place(key, protocol.figures)
        if figure is None:
            continue
        source = columns[figure] if row in code else lists[key]
        if id(source) not in spread:
            spread[id(source)] = np.full(total, np.nan)
            spread[id(source)][positions] = source
        values = spread[id(source)]
        if row in code:
            groups = alone[row]
        elif key in over_datasets:
            groups = dataset_of.copy()
            for name in names:  # a dataset without this figure does not enter; one of which nothing counts, with 0
                if f"{name}_{figure}" not in aggregate and np.isnan(values[alone[name] == 0]).all():
                    groups[alone[name] == 0] = -1
        else:
            groups = all_together
        statistics.append((key, row, figure, Statistic(values, groups)))
    return statistics


def _questions_in(statistic: Statistic) -> int:
    counted = ~np.isnan(statistic.values)
    return int(np.count_nonzero(counted if statistic.groups is None else counted & (statistic.groups >= 0)))


def _score_questions(
    protocol: Protocol, table: QuestionTable, answered: np.ndarray, progress: Progress
) -> dict[str, np.ndarray]:
    """The figures of each question; 0 or NaN, by the protocol's rule, where there is no prediction."""
    fill = 0.0 if protocol.unanswered == "zero" else np.nan
    columns = {figure: np.full(len(table), fill) for figure in protocol.figures}
    positions = np.flatnonzero(answered)
    for first in progress(range(0, len(positions), _SCORED_AT_ONCE), f"scoring, {protocol.name}"):
        some = positions[first : first + _SCORED_AT_ONCE]
        scored = protocol.score(
            [table.predictions[i] for i in some],
            [table.references[i] for i in some],
            [table.datasets[i] for i in some],
        )
        for figure, values in scored.items():
            columns[figure][some] = values
    return columns


def _place(key: str, figures: Sequence[str]) -> tuple[str, str | None]:
    """The row and the figure that a protocol's key stands for; no figure where it repeats another key."""
    if key in figures:
        return OVERALL, key
    for figure in figures:
        if key.endswith(f"_{figure}"):
            return key.removesuffix(f"_{figure}"), figure
    return "", None


def figures_over_datasets(protocol: Protocol, datasets: Sequence[str]) -> frozenset[str]:
    """The keys of a protocol that are means over datasets' means rather than over questions.

    A protocol does not say which; a lopsided example does. Nearly all of its questions are of one dataset, and only
    these score 1: a mean over questions comes near 1, a mean over two or more datasets cannot pass one half.

    Args:
        protocol: the protocol.
        datasets: names of the datasets that occur, each once.

    Returns:
        The keys; none with fewer than two datasets, where both means are the same.
    """
    if len(datasets) < 2:
        return frozenset()
    many = 9 * len(datasets)
    values = np.array([1.0] * many + [0.0] * (len(datasets) - 1))
    example = dict.fromkeys(protocol.figures, values)
    means = protocol.aggregate(example, [datasets[0]] * many + list(datasets[1:]))
    return frozenset(key for key, value in means.items() if value < 0.75)
