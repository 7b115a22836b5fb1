"""Questions in batches, each prediction to be compared with each of its acceptable answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from .protocol import Side
from .token_bags import before

BATCH = 4096  # questions at a time: the arrays of a batch stay in the processor's cache
LONGEST_BATCH = 1 << 21  # characters; a batch with more is cut in two, so that arrays of long texts stay small


@dataclass(frozen=True)
class Batch:
    """Some questions; a comparison is a prediction and one of its acceptable answers.

    Attributes:
        sides: the predictions, then all the answers.
        predicted: of each comparison, the index of the prediction in ``sides``.
        gold: of each comparison, the index of the answer in ``sides``.
        first: of each question, the index of its first comparison.
    """

    sides: list[Side]
    predicted: np.ndarray
    gold: np.ndarray
    first: np.ndarray

    def best(self, figure: np.ndarray) -> np.ndarray:
        """The highest value of each question over its answers."""
        return np.maximum.reduceat(figure, self.first)


def batches(predictions: Sequence[Side], references: Sequence[Sequence[Side]]) -> Iterator[Batch]:
    """Cut questions into batches.

    Args:
        predictions: one text, or list of spans, per question.
        references: the acceptable answers of each question, at least one each.

    Yields:
        Batches of at most ``BATCH`` questions, in their order.
    """
    for at in range(0, len(predictions), BATCH):
        yield from _cut(predictions[at : at + BATCH], references[at : at + BATCH])


def _cut(predictions: Sequence[Side], references: Sequence[Sequence[Side]]) -> Iterator[Batch]:
    sides = [*predictions, *chain.from_iterable(references)]
    if len(predictions) > 1 and _characters(sides) > LONGEST_BATCH:
        half = len(predictions) // 2
        yield from _cut(predictions[:half], references[:half])
        yield from _cut(predictions[half:], references[half:])
        return
    answers = np.fromiter(map(len, references), dtype=np.int64, count=len(references))
    predicted = np.repeat(np.arange(len(answers)), answers)
    yield Batch(sides, predicted, np.arange(len(answers), len(sides)), before(answers))


def _characters(sides: list[Side]) -> int:
    try:
        return len("".join(sides))  # type: ignore[arg-type]
    except TypeError:  # some have several spans
        return sum(len(side) if isinstance(side, str) else sum(map(len, side)) for side in sides)
