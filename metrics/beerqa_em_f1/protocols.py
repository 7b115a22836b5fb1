"""BeerQA's two protocols: the benchmark card's recipe, and the evaluation script of beerqa/IRRR."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .protocol import Columns, Protocol, pooled_and_macro, pooled_lists
from .token_overlap import LOWER_CASE, SQUAD, Overlap, batches_of_overlap

DATASETS = ("squad", "hotpotqa", "3+ hop")
_CLOSED_ANSWERS = (b"yes", b"no", b"noanswer")


def score_default(
    predictions: Sequence[str], references: Sequence[Sequence[str]], datasets: Sequence[str] | None = None
) -> Columns:
    """The card's recipe: exact match after ``strip()``, F1 of sets of lower-case tokens.

    Args:
        predictions: one text per question.
        references: the acceptable answers of each question, at least one.
        datasets: not looked at; here so that all protocols are called alike.

    Returns:
        ``exact_match`` and ``f1``, the best over the answers. F1 is NaN where the prediction, or every answer, has no
        tokens: the card leaves such a question out of the mean.
    """
    exact_match, f1 = [], []
    for overlap in batches_of_overlap(predictions, references, LOWER_CASE, as_sets=True):
        exact_match.append(overlap.batch.best(_equal_but_for_edges(overlap)).astype(float))
        counts = (overlap.predicted > 0) & (overlap.gold > 0)
        best = overlap.batch.best(np.where(counts, overlap.f1()[2], -1.0))
        f1.append(np.where(best < 0, np.nan, best))
    return {"exact_match": np.concatenate(exact_match), "f1": np.concatenate(f1)}


def _equal_but_for_edges(overlap: Overlap) -> np.ndarray:
    """Whether prediction and answer are equal after ``strip()``; only those of equal lower-case tokens can be."""
    equal, sides = overlap.equal.copy(), overlap.batch.sides
    candidates = np.flatnonzero(equal)
    pairs = zip(overlap.batch.predicted[candidates].tolist(), overlap.batch.gold[candidates].tolist(), strict=True)
    equal[candidates] = [sides[one].strip() == sides[other].strip() for one, other in pairs]  # type: ignore[union-attr]
    return equal


def score_official(
    predictions: Sequence[str], references: Sequence[Sequence[str]], datasets: Sequence[str] | None = None
) -> Columns:
    """The official script: SQuAD's normalisation, bags of tokens, one answer gives all four figures.

    Args:
        predictions: one text per question.
        references: the acceptable answers of each question, at least one.
        datasets: not looked at; here so that all protocols are called alike.

    Returns:
        ``em``, ``f1``, ``prec`` and ``recall`` of the answer with the highest F1, the first of equals; all 0 where no
        answer has an F1 above 0 (so also where prediction and answer are nothing but articles).
    """
    columns: dict[str, list[np.ndarray]] = {"em": [], "f1": [], "prec": [], "recall": []}
    for overlap in batches_of_overlap(predictions, references, SQUAD, special_tokens=_CLOSED_ANSWERS):
        precision, recall, f1 = overlap.f1()
        f1 = np.where(overlap.special & ~overlap.equal, 0.0, f1)
        chosen = _first_best(f1, overlap.batch.first)
        found = f1[chosen] > 0
        for figure, values in zip(columns, (overlap.equal, f1, precision, recall), strict=True):
            columns[figure].append(np.where(found, values[chosen], 0.0))
    return {figure: np.concatenate(parts) for figure, parts in columns.items()}


def _first_best(values: np.ndarray, first: np.ndarray) -> np.ndarray:
    """The index of the highest value of each stretch that begins at ``first``, the first of equals."""
    stretch = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(values))))
    highest = np.flatnonzero(values == np.maximum.reduceat(values, first)[stretch])
    _, earliest = np.unique(stretch[highest], return_index=True)
    return highest[earliest]


def _official_lists(columns: Columns, datasets: Sequence[str] | None) -> Columns:
    lists = pooled_lists(columns, datasets)
    return {**lists, "exact_match": lists["em"]}


def _official_means(columns: Columns, datasets: Sequence[str] | None) -> dict[str, float]:
    means = pooled_and_macro(columns, datasets)
    return {**means, "exact_match": means["em"]}


PROTOCOLS = {
    "default": Protocol(
        name="default",
        description="The BeerQA card's recipe: case-sensitive exact match, F1 of sets of lower-case tokens.",
        figures=("exact_match", "f1"),
        unanswered="zero",
        score=score_default,
        question_lists=pooled_lists,
        aggregate=pooled_and_macro,
    ),
    "official": Protocol(
        name="official",
        description="The evaluation script of beerqa/IRRR: the leaderboard's and the paper's numbers.",
        figures=("em", "f1", "prec", "recall"),
        unanswered="zero",
        score=score_official,
        question_lists=_official_lists,
        aggregate=_official_means,
    ),
}
