"""DRCD's four protocols: the card's definitions, its recipe, what the authors ran, and the CMRC 2018 script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain

import numpy as np

from .characters import longest_common_run, normalised_as_authors, shared_as_bags, without_punctuation
from .cmrc2018 import as_strings, cmrc_tokens, without_marks
from .protocol import Columns, Protocol, pooled_and_macro, pooled_lists

BATCH = 4096  # questions at a time


def score_characters(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    datasets: Sequence[str] | None = None,
    *,
    clean: Callable[[list[str]], list[str]],
    f1: Callable[[str, str], float],
) -> Columns:
    """Exact match and F1 of cleaned texts, each the best over the answers on its own.

    Args:
        predictions: one text per question.
        references: the acceptable answers of each question, at least one.
        datasets: not looked at; here so that all protocols are called alike.
        clean: cleans a batch of texts.
        f1: F1 of a cleaned prediction and a cleaned answer, neither empty; 1.0 for equal ones.

    Returns:
        ``exact_match`` and ``f1``; F1 is 0 where either side is empty after cleaning.
    """
    exact_match, best = [], []
    for prediction, answers in _cleaned_rows(predictions, references, clean):
        is_equal = prediction in answers
        exact_match.append(float(is_equal))
        if not prediction or is_equal:
            best.append(float(prediction != ""))
        else:
            best.append(max([f1(prediction, answer) if answer else 0.0 for answer in answers]))
    return {"exact_match": np.array(exact_match), "f1": np.array(best)}


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
    for prediction, answers in _cleaned_rows(predictions, references, lambda texts: list(map(without_marks, texts))):
        is_equal = prediction in answers
        exact_match.append(float(is_equal))
        if is_equal and prediction.strip():
            best.append(1.0)
        else:
            tokens, *gold = as_strings([cmrc_tokens(text) for text in (prediction, *answers)])
            best.append(max([_harmonic(longest_common_run(tokens, one), len(tokens), len(one)) for one in gold]))
    return {"exact_match": np.array(exact_match), "f1": np.array(best)}


def _cleaned_rows(
    predictions: Sequence[str], references: Sequence[Sequence[str]], clean: Callable[[list[str]], list[str]]
) -> Iterator[tuple[str, list[str]]]:
    for at in range(0, len(predictions), BATCH):
        rows = references[at : at + BATCH]
        cleaned = clean([*predictions[at : at + BATCH], *chain.from_iterable(rows)])
        first = len(rows)
        for prediction, row in zip(cleaned, rows, strict=False):
            yield prediction, cleaned[first : first + len(row)]
            first += len(row)


def _harmonic(same: int, predicted: int, gold: int) -> float:
    if not same:
        return 0.0
    precision, recall = same / predicted, same / gold
    return (2 * precision * recall) / (precision + recall)


def _f1_of_average_length(prediction: str, answer: str) -> float:
    return 2 * shared_as_bags(prediction, answer) / (len(prediction) + len(answer))


def _f1_of_sets(prediction: str, answer: str) -> float:
    predicted, gold = set(prediction), set(answer)
    return _harmonic(len(predicted & gold), len(predicted), len(gold))


def _f1_of_bags(prediction: str, answer: str) -> float:
    return _harmonic(shared_as_bags(prediction, answer), len(prediction), len(answer))


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
        partial(score_characters, clean=without_punctuation, f1=_f1_of_average_length),
    ),
    "recipe": _protocol(
        "recipe",
        "The DRCD card's recipe as its code reads: no punctuation, F1 of sets of characters.",
        partial(score_characters, clean=without_punctuation, f1=_f1_of_sets),
    ),
    "official": _protocol(
        "official",
        "What DRCD's authors ran: SQuAD's normalisation with eight more marks, F1 of bags of characters.",
        partial(score_characters, clean=normalised_as_authors, f1=_f1_of_bags),
    ),
    "cmrc2018": _protocol(
        "cmrc2018",
        "The CMRC 2018 script, as BERT-wwm and its successors report DRCD: longest common run of tokens.",
        score_cmrc2018,
    ),
}
