"""DRCD's four protocols: the card's definitions, its recipe, what the authors ran, and the CMRC 2018 script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from .characters import characters_of, characters_without_punctuation, normalised_as_authors
from .cmrc2018 import f1_of_longest_runs, texts_without_marks
from .protocol import Columns, Protocol, pooled_and_macro, pooled_lists
from .question_batches import batches
from .token_bags import TokenBags, precision_recall_f1


def score_characters(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    datasets: Sequence[str] | None = None,
    *,
    characters: Callable[[list[str]], TokenBags],
    f1: Callable[[TokenBags, np.ndarray, np.ndarray], np.ndarray],
) -> Columns:
    """Exact match and F1 of cleaned texts, each the best over the answers on its own.

    Args:
        predictions: one text per question.
        references: the acceptable answers of each question, at least one.
        datasets: not looked at; here so that all protocols are called alike.
        characters: cleans a batch of texts.
        f1: F1 of texts, given by their indices: predictions and answers, no two of them equal.

    Returns:
        ``exact_match`` and ``f1``; F1 is 0 where either side is empty after cleaning.
    """
    exact_match, best = [], []
    for batch in batches(predictions, references):
        cleaned = characters(batch.sides)  # type: ignore[arg-type]
        equal = cleaned.equal(batch.predicted, batch.gold)
        figure = (equal & (cleaned.count[batch.gold] > 0)).astype(float)
        rest = np.flatnonzero(~equal)
        figure[rest] = f1(cleaned, batch.predicted[rest], batch.gold[rest])
        exact_match.append(batch.best(equal).astype(float))
        best.append(batch.best(figure))
    return {"exact_match": np.concatenate(exact_match), "f1": np.concatenate(best)}


def score_cmrc2018(
    predictions: Sequence[str], references: Sequence[Sequence[str]], datasets: Sequence[str] | None = None
) -> Columns:
    """The CMRC 2018 script: exact match of cleaned texts, F1 by the longest common run of tokens.

    Args:
        predictions: one text per question.
        references: the acceptable answers of each question, at least one.
        datasets: not looked at; here so that all protocols are called alike.

    Returns:
        ``exact_match`` and ``f1``, each the best over the answers on its own.

    Raises:
        ImportError: if a text needs NLTK's word tokeniser and it is missing.
    """
    exact_match, best = [], []
    for batch in batches(predictions, references):
        cleaned = texts_without_marks(batch.sides)  # type: ignore[arg-type]
        characters = characters_of(cleaned)
        equal = characters.equal(batch.predicted, batch.gold)
        figure = f1_of_longest_runs(cleaned, characters, batch.predicted, batch.gold, equal)
        exact_match.append(batch.best(equal).astype(float))
        best.append(batch.best(figure))
    return {"exact_match": np.concatenate(exact_match), "f1": np.concatenate(best)}


def _f1_of_average_length(characters: TokenBags, predicted: np.ndarray, gold: np.ndarray) -> np.ndarray:
    lengths = characters.count[predicted] + characters.count[gold]
    return 2 * characters.shared_as_bags(predicted, gold) / np.maximum(lengths, 1)


def _f1_of_sets(characters: TokenBags, predicted: np.ndarray, gold: np.ndarray) -> np.ndarray:
    return precision_recall_f1(*characters.shared_as_sets(predicted, gold))[2]


def _f1_of_bags(characters: TokenBags, predicted: np.ndarray, gold: np.ndarray) -> np.ndarray:
    same = characters.shared_as_bags(predicted, gold)
    return precision_recall_f1(same, characters.count[predicted], characters.count[gold])[2]


def _as_authors(texts: list[str]) -> TokenBags:
    return characters_of(normalised_as_authors(texts))


def _protocol(name: str, description: str, score: Callable[..., Columns]) -> Protocol:
    return Protocol(
        name=name,
        description=description,
        figures=("exact_match", "f1"),
        unanswered="zero",
        score=score,
        question_lists=pooled_lists,
        aggregate=pooled_and_macro,
    )


PROTOCOLS = {
    "default": _protocol(
        "default",
        "The DRCD card's definitions: no punctuation, F1 of bags of characters.",
        partial(score_characters, characters=characters_without_punctuation, f1=_f1_of_average_length),
    ),
    "recipe": _protocol(
        "recipe",
        "The DRCD card's recipe as its code reads: no punctuation, F1 of sets of characters.",
        partial(score_characters, characters=characters_without_punctuation, f1=_f1_of_sets),
    ),
    "official": _protocol(
        "official",
        "What DRCD's authors ran: SQuAD's normalisation with eight more marks, F1 of bags of characters.",
        partial(score_characters, characters=_as_authors, f1=_f1_of_bags),
    ),
    "cmrc2018": _protocol(
        "cmrc2018",
        "The CMRC 2018 script, as BERT-wwm and its successors report DRCD: longest common run of tokens.",
        score_cmrc2018,
    ),
}
