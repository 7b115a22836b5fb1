"""How many tokens a prediction shares with each of its acceptable answers, for whole batches at once.

Texts are joined into one array of bytes, normalised and cut into tokens there; equal tokens get equal numbers, and one
sort brings those of a prediction beside those of its answers. Only a text outside printable ASCII is normalised by
itself, with the same result.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .question_batches import Batch, batches
from .squad_normalization import squad_normalised
from .token_arrays import PAD, TokenArrays, codes_at
from .token_bags import TokenBags, precision_recall_f1, totals


@dataclass(frozen=True)
class TextNormaliser:
    """A normalisation whose result is a sequence of tokens.

    Attributes:
        of_text: the normalisation of any one text; tokens stand between single spaces in what it returns.
        byte_table: the same for printable ASCII, as far as single bytes express it: a table for ``bytes.translate``
            that leaves what ``of_text`` returns as it is.
        deleted_bytes: the bytes that it deletes, none of which ``of_text`` leaves.
        deleted_tokens: the tokens that it deletes, at most eight bytes each.
    """

    of_text: Callable[[str], str]
    byte_table: bytes
    deleted_bytes: bytes = b""
    deleted_tokens: tuple[bytes, ...] = ()


LOWER_CASE_BYTES = bytes.maketrans(string.ascii_uppercase.encode(), string.ascii_lowercase.encode())
LOWER_CASE = TextNormaliser(of_text=lambda text: " ".join(text.lower().split()), byte_table=LOWER_CASE_BYTES)
"""``text.lower().split()``, the tokens of the benchmark cards."""

SQUAD = TextNormaliser(
    of_text=squad_normalised,
    byte_table=LOWER_CASE_BYTES,
    deleted_bytes=string.punctuation.encode(),
    deleted_tokens=(b"a", b"an", b"the"),
)
"""SQuAD's normalisation, split at white space."""


@dataclass(frozen=True)
class Overlap:
    """What the comparisons of a batch found, one entry each.

    Attributes:
        batch: the questions.
        same: tokens in common, as bags or as sets.
        predicted: tokens of the prediction.
        gold: tokens of the answer.
        equal: whether both are the same sequence of tokens.
        special: whether either side is nothing but one of the special tokens that the caller named.
    """

    batch: Batch
    same: np.ndarray
    predicted: np.ndarray
    gold: np.ndarray
    equal: np.ndarray
    special: np.ndarray

    def f1(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Precision, recall and F1 of each comparison, all 0 where nothing is shared."""
        return precision_recall_f1(self.same, self.predicted, self.gold)


def batches_of_overlap(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    normaliser: TextNormaliser,
    *,
    as_sets: bool = False,
    special_tokens: tuple[bytes, ...] = (),
) -> Iterator[Overlap]:
    """Compare each prediction with each of its acceptable answers.

    Args:
        predictions: one text per question.
        references: the acceptable answers of each question, at least one each.
        normaliser: how texts become tokens.
        as_sets: count each token once per text, in ``same``, ``predicted`` and ``gold``.
        special_tokens: tokens of at most eight bytes; ``Overlap.special`` says where one is all of a side.

    Yields:
        The comparisons of each batch, in the order of the questions.

    Raises:
        TypeError: if a side is not a text.
    """
    for batch in batches(predictions, references):
        bags, is_special = tokenised(batch.sides, normaliser, special_tokens)  # type: ignore[arg-type]
        equal = bags.equal(batch.predicted, batch.gold)
        if as_sets:
            same, predicted, gold = bags.shared_as_sets(batch.predicted, batch.gold)
        else:
            predicted, gold = bags.count[batch.predicted], bags.count[batch.gold]
            same = gold.copy()
            rest = np.flatnonzero(~equal)
            same[rest] = bags.shared_as_bags(batch.predicted[rest], batch.gold[rest])
        yield Overlap(batch, same, predicted, gold, equal, is_special[batch.predicted] | is_special[batch.gold])


def tokenised(
    texts: list[str], normaliser: TextNormaliser, special_tokens: tuple[bytes, ...] = ()
) -> tuple[TokenBags, np.ndarray]:
    """The tokens of texts, after normalisation, and whether each text is nothing but one of the special tokens."""
    raw = b"\n" + _normalised_lines(texts, normaliser) + b"\n" + PAD
    start, end, first = cut_lines(np.frombuffer(raw, dtype=np.uint8))
    length = end - start
    tokens = TokenArrays(raw, start, length, codes_at(raw, start, length), first[:-1], np.diff(first))
    keep = ~tokens.is_one_of(normaliser.deleted_tokens)
    bags = tokens.bags().only(keep)
    is_lone = bags.count == 1
    is_lone[is_lone] = tokens.is_one_of(special_tokens)[keep][bags.first[is_lone]]
    return bags, is_lone


def cut_lines(text: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cut lines into tokens, which stand between spaces.

    Args:
        text: bytes: a line feed, lines with a line feed after each, and ``PAD``.

    Returns:
        (start of each token, end of each token, index of each line's first token and, last, the number of tokens).
    """
    lines = text[: -len(PAD)]
    gaps = np.flatnonzero((lines == 32) | (lines == 10))
    start, end = gaps[:-1] + 1, gaps[1:]
    is_token = end > start
    return start[is_token], end[is_token], totals(is_token)[lines[gaps] == 10]


def _normalised_lines(texts: list[str], normaliser: TextNormaliser) -> bytes:
    """The texts, one per line, normalised but for the tokens that are to be deleted."""
    raw = "\n".join(texts).encode()
    others = not_printable(raw, texts)
    if others:
        texts = texts.copy()
        for i in others:
            texts[i] = normaliser.of_text(texts[i])
        raw = "\n".join(texts).encode()
    return raw.translate(normaliser.byte_table, normaliser.deleted_bytes)


def not_printable(lines: bytes, texts: list[str]) -> list[int]:
    """The indices of the texts that hold anything but printable ASCII; ``lines`` are the texts between line feeds."""
    data = np.frombuffer(lines, dtype=np.uint8)
    is_end = data == 10
    if np.count_nonzero(is_end) != len(texts) - 1:  # a text has a line feed of its own
        return [i for i, text in enumerate(texts) if not (text.isascii() and text.isprintable())]
    unprintable = (data - 32 > 94) & ~is_end
    if not unprintable.any():
        return []
    return np.unique(np.searchsorted(np.flatnonzero(is_end), np.flatnonzero(unprintable))).tolist()
