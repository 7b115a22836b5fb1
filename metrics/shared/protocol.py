"""What a scoring protocol is, and how the figures of questions become the figures of a benchmark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

Side = str | list[str]
"""A prediction, or one acceptable answer: a text, or (ORB's DROP group) the list of its spans."""

Columns = dict[str, np.ndarray]
"""Figure name -> one value in [0, 1] per question; NaN where the figure does not count the question."""


@dataclass(frozen=True)
class Protocol:
    """One way to score a benchmark.

    Attributes:
        name: the config name under which ``evaluate.load`` serves it.
        description: one sentence: whose numbers these are.
        figures: names of the figures of one question.
        unanswered: what happens to a question without a prediction: all its figures are 0 ("zero"), or it is not
            counted at all ("left out").
        score: (predictions, references, datasets) -> the figures of each question; sides are as the benchmark has them.
        question_lists: (columns, datasets) -> the values behind each figure that is reported.
        aggregate: (columns, datasets) -> the figures that are reported, each in [0, 1].
    """

    name: str
    description: str
    figures: tuple[str, ...]
    unanswered: Literal["zero", "left out"]
    score: Callable[..., Columns]
    question_lists: Callable[[Columns, Sequence[str] | None], Columns]
    aggregate: Callable[[Columns, Sequence[str] | None], dict[str, float]]


def mean(values: np.ndarray) -> float:
    """The mean of the values that are not NaN, summed from first to last as the evaluators' loops do.

    Args:
        values: floats, shape (questions,).

    Returns:
        The mean to its last digit as a plain loop over the questions gives it; 0.0 if nothing is left to average.
    """
    counted = values[~np.isnan(values)]
    return float(np.add.accumulate(counted)[-1]) / len(counted) if len(counted) else 0.0


def by_dataset(datasets: Sequence[str]) -> dict[str, np.ndarray]:
    """The positions of each dataset's questions, datasets in the order of their first question."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(datasets))}
    if len(numbers) == 1:
        return {name: np.arange(len(datasets)) for name in numbers}
    number_of = np.fromiter(map(numbers.__getitem__, datasets), dtype=np.int64, count=len(datasets))
    return {name: np.flatnonzero(number_of == number) for name, number in numbers.items()}


def pooled_lists(columns: Columns, datasets: Sequence[str] | None) -> Columns:
    """The values behind ``pooled_and_macro``: all questions, each dataset's, and all again for the macro means."""
    lists = dict(columns)
    if datasets is not None:
        for name, questions in by_dataset(datasets).items():
            lists.update({f"{name}_{figure}": values[questions] for figure, values in columns.items()})
        lists.update({f"macro_{figure}": values for figure, values in columns.items()})
    return lists


def pooled_and_macro(columns: Columns, datasets: Sequence[str] | None) -> dict[str, float]:
    """Means over all questions and, where datasets are named, over each of them and over their means.

    Args:
        columns: figure -> one value per question.
        datasets: the dataset of each question, or None.

    Returns:
        ``figure`` and, with datasets, ``<dataset>_figure`` and ``macro_figure``, the mean of the datasets' means.
    """
    names = dict.fromkeys(datasets or ())
    means = {key: mean(values) for key, values in pooled_lists(columns, datasets).items()}
    if names:
        for figure in columns:
            means[f"macro_{figure}"] = sum(means[f"{name}_{figure}"] for name in names) / len(names)
    return means
