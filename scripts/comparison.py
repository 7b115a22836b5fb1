"""Systems on the same questions: scores beside each other, differences to a baseline, and what speaks for them."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metrics.shared.intervals import Progress, paired_intervals, unseen
from metrics.shared.protocol import Side
from metrics.shared.protocol_scores import Score
from metrics.shared.scoreboard import Scoreboard
from scripts.significance import TRIALS, PairedFigure, Tally, approximate_randomisation, holm, mcnemar_p, tally

EXACT_MATCH_FIGURES = ("exact_match", "em")
QUESTIONS_SHOWN = 5


@dataclass(frozen=True)
class Difference:
    """A system against the baseline in one number.

    Attributes:
        value: the system's score less the baseline's.
        low: lower end of the paired 95 % bootstrap interval of the difference.
        high: upper end of it.
        p: two-sided, of paired approximate randomisation.
        p_holm: the same, adjusted for the number of systems compared with the baseline.
        mcnemar_p: of the exact McNemar test; None but for exact match over questions.
        mcnemar_p_holm: the same, adjusted.
        tally: the system's wins, losses and ties against the baseline.
    """

    value: float
    low: float
    high: float
    p: float
    p_holm: float
    mcnemar_p: float | None
    mcnemar_p_holm: float | None
    tally: Tally


@dataclass(frozen=True)
class ComparedScore:
    """One number of all systems.

    Attributes:
        protocol: the protocol's name.
        row: a dataset's name, "overall", "macro" or "average", as in a scoreboard.
        figure: one of the protocol's figures.
        scores: by system; without those whose predictions leave nothing to count.
        differences: by system, without the baseline; empty where the baseline has no such number.
    """

    protocol: str
    row: str
    figure: str
    scores: dict[str, Score]
    differences: dict[str, Difference]


@dataclass(frozen=True)
class QuestionDifference:
    """A question on which a system and the baseline differ.

    Attributes:
        system: the system.
        id: the question's id.
        dataset: its dataset.
        question: its text.
        references: the acceptable answers.
        baseline_prediction: None where there is none.
        prediction: the system's; None where there is none.
        difference: the system's figures less the baseline's, the mean over protocols and figures, in [-1, 1].
        figures: protocol -> figure -> the baseline's and the system's value; None where the question is not counted.
    """

    system: str
    id: str
    dataset: str
    question: str
    references: list[Side]
    baseline_prediction: Side | None
    prediction: Side | None
    difference: float
    figures: dict[str, dict[str, tuple[float | None, float | None]]]


@dataclass(frozen=True)
class Comparison:
    """Systems on one gold file; the first is the baseline.

    Attributes:
        boards: each system's scoreboard, by its name.
        trials: of approximate randomisation.
        signatures: of each protocol's numbers, by its name.
        scores: all numbers, protocol by protocol.
        questions: of each system, those on which it is the furthest ahead of the baseline, then the furthest behind.
    """

    boards: dict[str, Scoreboard]
    trials: int
    signatures: dict[str, str]
    scores: list[ComparedScore]
    questions: list[QuestionDifference]

    @property
    def baseline(self) -> str:
        """The system with which the others are compared."""
        return next(iter(self.boards))

    @property
    def others(self) -> list[str]:
        """The systems that are compared with the baseline."""
        return list(self.boards)[1:]

    @property
    def baseline_board(self) -> Scoreboard:
        """The baseline's scoreboard: what it says of the gold file holds for all."""
        return self.boards[self.baseline]


def compare(
    boards: Mapping[str, Scoreboard],
    figures: Collection[str] | None = None,
    trials: int = TRIALS,
    questions: int = QUESTIONS_SHOWN,
    progress: Progress = unseen,
) -> Comparison:
    """Compare systems with the first of them.

    Args:
        boards: two or more scoreboards by system, of one gold file and the same protocols, resamples and seed; made
            with ``keep_texts`` where questions are asked for.
        figures: the figures to compare; None: all that the protocols have.
        trials: of approximate randomisation.
        questions: on how many questions to report each system ahead, and on how many behind.
        progress: told about what takes time.

    Returns:
        The comparison.

    Raises:
        ValueError: there are fewer than two systems, or no protocol has one of the figures.
    """
    if len(boards) < 2:
        raise ValueError(f"a comparison needs two or more systems, found {len(boards)}")
    protocols = next(iter(boards.values())).protocols
    known = dict.fromkeys(figure for one in protocols.values() for figure in one.protocol.figures)
    if unknown := [figure for figure in figures or () if figure not in known]:
        raise ValueError(f"unknown figure {unknown[0]!r}; known are {', '.join(known)}")
    wanted = set(known if figures is None else figures)
    baseline, *others = boards
    return Comparison(
        boards=dict(boards),
        trials=trials,
        signatures={name: f"{one.signature}|trials:{trials}" for name, one in protocols.items()},
        scores=[
            score
            for name in protocols
            for score in _compare_protocol(boards, name, trials, progress)
            if score.figure in wanted
        ],
        questions=[
            question
            for system in others
            for question in _differing_questions(boards[baseline], boards[system], system, wanted, questions)
        ],
    )


def _compare_protocol(
    boards: Mapping[str, Scoreboard], protocol: str, trials: int, progress: Progress
) -> list[ComparedScore]:
    """All numbers of a protocol, whichever are wanted: the digits depend on what is drawn together."""
    baseline, *others = boards
    by_system = {system: board.protocols[protocol] for system, board in boards.items()}
    places = [
        (row, figure)
        for row in _rows(list(boards.values()))
        for figure in by_system[baseline].protocol.figures
        if any(one.score(row, figure) for one in by_system.values())
    ]
    scores = {
        place: {system: score for system, one in by_system.items() if (score := one.score(*place))} for place in places
    }
    differences: dict[tuple[str, str], dict[str, Difference]] = {place: {} for place in places}
    for system in others:
        common = [place for place in places if {baseline, system} <= scores[place].keys()]
        pairs = [(scores[place][system], scores[place][baseline]) for place in common]
        over_datasets = [any(score.is_over_datasets for score in scores[place].values()) for place in common]
        found = _differences(pairs, over_datasets, boards[baseline], trials, progress)
        for place, difference in zip(common, found, strict=True):
            differences[place][system] = difference
    return [ComparedScore(protocol, *place, scores[place], _adjusted(differences[place])) for place in places]


def _rows(boards: Sequence[Scoreboard]) -> list[str]:
    """The rows of any of the boards; with one dataset, all other rows would repeat its numbers."""
    datasets = list(boards[0].datasets)
    return datasets if len(datasets) == 1 else list(dict.fromkeys(row for board in boards for row in board.rows))


def _differences(
    pairs: Sequence[tuple[Score, Score]],
    over_datasets: Sequence[bool],
    board: Scoreboard,
    trials: int,
    progress: Progress,
) -> list[Difference]:
    """What the first score of each pair, maybe a mean over datasets, has over the second; p-values are not adjusted."""
    if not pairs:
        return []
    first_statistics, second_statistics = ([pair[side].statistic for pair in pairs] for side in (0, 1))
    intervals = paired_intervals(first_statistics, second_statistics, board.resamples, board.seed)
    code = {name: number for number, name in enumerate(board.datasets)}
    dataset_of = np.array([code[name] for name in board.questions.datasets])
    paired = [
        _paired(*pair, dataset_of if is_over else np.zeros_like(dataset_of))
        for pair, is_over in zip(pairs, over_datasets, strict=True)
    ]
    p_values = approximate_randomisation(paired, trials, board.seed, progress)
    differences = []
    for i, (first, second) in enumerate(pairs):
        counts = tally(paired[i].first, paired[i].second)
        mcnemar = mcnemar_p(counts) if first.figure in EXACT_MATCH_FIGURES and not over_datasets[i] else None
        (low, high), p = intervals[i], p_values[i]
        differences.append(Difference(first.value - second.value, low, high, p, p, mcnemar, mcnemar, counts))
    return differences


def _paired(first: Score, second: Score, groups: np.ndarray) -> PairedFigure:
    """Two systems' values of one number, whose groups the questions belong to if they enter it for either system."""
    first_present, second_present = (_present(score) for score in (first, second))
    return PairedFigure(
        first=np.where(first_present, first.statistic.values, np.nan),
        second=np.where(second_present, second.statistic.values, np.nan),
        groups=np.where(first_present | second_present, groups, -1),
        first_present=first_present,
        second_present=second_present,
    )


def _present(score: Score) -> np.ndarray:
    """Whether each question enters a number."""
    values, groups = score.statistic.values, score.statistic.groups
    return np.ones(len(values), dtype=bool) if groups is None else groups >= 0


def _adjusted(differences: Mapping[str, Difference]) -> dict[str, Difference]:
    """The differences of all systems in one number, with their p-values adjusted for how many there are."""
    p_values = holm([one.p for one in differences.values()])
    mcnemar = [one.mcnemar_p for one in differences.values() if one.mcnemar_p is not None]
    mcnemar_holm: Sequence[float | None] = holm(mcnemar) if mcnemar else [None] * len(differences)
    return {
        system: replace(one, p_holm=p, mcnemar_p_holm=mcnemar_p)
        for (system, one), p, mcnemar_p in zip(differences.items(), p_values, mcnemar_holm, strict=True)
    }


def _differing_questions(
    baseline: Scoreboard, board: Scoreboard, system: str, figures: Collection[str], number: int
) -> list[QuestionDifference]:
    values = {
        (name, figure): (baseline.protocols[name].columns[figure], one.columns[figure])
        for name, one in board.protocols.items()
        for figure in one.protocol.figures
        if figure in figures
    }
    with warnings.catch_warnings():  # a question that no figure counts for both systems does not tell them apart
        warnings.filterwarnings("ignore", "Mean of empty slice")
        difference = np.nan_to_num(np.nanmean([second - first for first, second in values.values()], axis=0))
    table = board.questions
    ahead = [i for i in np.argsort(-difference, kind="stable")[:number] if difference[i] > 0]
    behind = [i for i in np.argsort(difference, kind="stable")[:number] if difference[i] < 0]
    found = []
    for i in (*ahead, *behind):
        by_protocol: dict[str, dict[str, tuple[float | None, float | None]]] = {}
        for (name, figure), (first, second) in values.items():
            by_protocol.setdefault(name, {})[figure] = (_counted(first[i]), _counted(second[i]))
        found.append(
            QuestionDifference(
                system=system,
                id=table.ids[i],
                dataset=table.datasets[i],
                question=table.questions[i],
                references=table.references[i],
                baseline_prediction=baseline.questions.predictions[i],
                prediction=table.predictions[i],
                difference=float(difference[i]),
                figures=by_protocol,
            )
        )
    return found


def _counted(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
