"""How many tokens a prediction shares with each of its acceptable answers, for whole batches at once.

Texts are joined into one array of bytes, cut into tokens by NumPy, and every token of a prediction is compared with
every token of its answers in one go. What does not fit the vectorised path (a text outside printable ASCII, a very long
comparison, a token repeated on both sides) is handled text by text, with the same result.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from .squad_normalization import squad_normalised

BATCH = 2048  # questions at a time: the arrays of a batch stay in the processor's cache
LONGEST_BLOCK = 4096  # token pairs of one comparison; longer ones are counted with a Counter
LONGEST_SET = 16  # tokens of a text; in a longer one, different tokens are counted with a set
_PAD = b"\0" * 8
_LOW_BYTES = np.array([(1 << (8 * n)) - 1 for n in range(9)], dtype=np.uint64)


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


_LOWER_CASE_BYTES = bytes.maketrans(string.ascii_uppercase.encode(), string.ascii_lowercase.encode())
LOWER_CASE = TextNormaliser(of_text=lambda text: " ".join(text.lower().split()), byte_table=_LOWER_CASE_BYTES)
"""``text.lower().split()``, the tokens of the benchmark cards."""

SQUAD = TextNormaliser(
    of_text=squad_normalised,
    byte_table=_LOWER_CASE_BYTES,
    deleted_bytes=string.punctuation.encode(),
    deleted_tokens=(b"a", b"an", b"the"),
)
"""SQuAD's normalisation, split at white space."""


@dataclass(frozen=True)
class Overlap:
    """One entry for each comparison, that is for each acceptable answer of each question, in order.

    Attributes:
        same: tokens in common, as bags.
        predicted: tokens of the prediction.
        gold: tokens of the answer.
        equal: whether both are the same sequence of tokens.
        first: index of the first comparison of each question.
        special: whether either side is nothing but one of the special tokens that the caller named.
    """

    same: np.ndarray
    predicted: np.ndarray
    gold: np.ndarray
    equal: np.ndarray
    first: np.ndarray
    special: np.ndarray

    def f1(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Precision, recall and F1 of each comparison, all 0 where nothing is shared."""
        precision = self.same / np.maximum(self.predicted, 1)
        recall = self.same / np.maximum(self.gold, 1)
        total = precision + recall
        return precision, recall, (2 * precision * recall) / np.where(total > 0, total, 1.0)

    def best(self, figure: np.ndarray) -> np.ndarray:
        """The highest value of each question over its answers."""
        return np.maximum.reduceat(figure, self.first)


def _code_of(token: bytes) -> int:
    """The number by which a token of at most eight bytes is compared."""
    return int.from_bytes(token, "little")


def batches_of_overlap(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    normaliser: TextNormaliser,
    *,
    as_sets: bool = False,
    special_tokens: tuple[bytes, ...] = (),
) -> list[Overlap]:
    """Compare each prediction with each of its acceptable answers.

    Args:
        predictions: one text per question.
        references: the acceptable answers of each question, at least one each.
        normaliser: how texts become tokens.
        as_sets: count each token once per text, in ``same``, ``predicted`` and ``gold``.
        special_tokens: tokens of at most eight bytes; ``Overlap.special`` says where one is all of a side.

    Returns:
        The comparisons in the order of the questions, in batches of ``BATCH`` questions.
    """
    return [
        _overlap_of_batch(
            predictions[at : at + BATCH], references[at : at + BATCH], normaliser, as_sets, special_tokens
        )
        for at in range(0, len(predictions), BATCH)
    ]


def _overlap_of_batch(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    normaliser: TextNormaliser,
    as_sets: bool,
    special_tokens: tuple[bytes, ...],
) -> Overlap:
    tokens = _Tokens.of([*predictions, *chain.from_iterable(references)], normaliser)
    answers = np.fromiter(map(len, references), dtype=np.int64, count=len(references))
    prediction_of = np.repeat(np.arange(len(predictions)), answers)
    answer_of = np.arange(len(predictions), len(predictions) + len(prediction_of))
    same, equal = tokens.compare(prediction_of, answer_of)
    counts = tokens.count
    if as_sets:
        counts = tokens.distinct_counts()
        has_repeats = counts < tokens.count
        for i in np.flatnonzero((has_repeats[prediction_of] | has_repeats[answer_of]) & (same > 0)):
            one, other = tokens.tokens_of(int(prediction_of[i])), tokens.tokens_of(int(answer_of[i]))
            same[i] = len({*one} & {*other})
    is_special = tokens.is_lone(special_tokens) if special_tokens else np.zeros(len(tokens.count), dtype=bool)
    return Overlap(
        same=same,
        predicted=counts[prediction_of],
        gold=counts[answer_of],
        equal=equal,
        first=_before(answers),
        special=is_special[prediction_of] | is_special[answer_of],
    )


@dataclass(frozen=True)
class _Tokens:
    """The tokens of a batch of texts, as positions in one stretch of bytes."""

    raw: bytes
    words: np.ndarray  # the eight bytes from each position of raw
    deleted_tokens: tuple[bytes, ...]
    start: np.ndarray  # of each token, in raw
    length: np.ndarray  # of each token, in bytes
    code: np.ndarray  # of each token: its first eight bytes, zeros after a shorter one
    first: np.ndarray  # of each text: index of its first token
    count: np.ndarray  # of each text: number of its tokens

    @classmethod
    def of(cls, texts: list[str], normaliser: TextNormaliser) -> _Tokens:
        raw = b"\n" + _normalised_lines(texts, normaliser) + b"\n" + _PAD
        text = np.frombuffer(raw, dtype=np.uint8)
        line_ends = np.flatnonzero(text == 10)
        gap = text == 32
        gap[line_ends] = True
        gap[-len(_PAD) :] = True
        edges = np.flatnonzero(gap[:-1] != gap[1:]) + 1
        start, end = edges[::2], edges[1::2]
        length = end - start
        words = np.ndarray((len(raw) - 7,), dtype="<u8", buffer=raw, strides=(1,))
        code = words[start] & _LOW_BYTES[np.minimum(length, 8)]
        if normaliser.deleted_tokens:
            keep = np.ones(len(code), dtype=bool)
            for token in normaliser.deleted_tokens:
                keep &= (code != _code_of(token)) | (length != len(token))
            start, length, code = start[keep], length[keep], code[keep]
        first = np.searchsorted(start, line_ends)
        return cls(raw, words, normaliser.deleted_tokens, start, length, code, first[:-1], np.diff(first))

    def compare(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Tokens in common and equality of the texts ``left[i]`` and ``right[i]``; each text is once in ``right``."""
        left_count, right_count = self.count[left], self.count[right]
        long = left_count * right_count > LONGEST_BLOCK
        comparison, left_token, right_token = self._equal_tokens(
            self.first[left], np.where(long, 0, left_count), self.first[right], right_count
        )
        total = len(left)
        pairs = np.bincount(comparison, minlength=total)
        in_place = (left_token - self.first[left][comparison]) == (right_token - self.first[right][comparison])
        placed = np.bincount(comparison[in_place], minlength=total)
        equal = (left_count == right_count) & (placed == left_count)
        # Tokens that have a partner, on either side. Where all partners are single on one side, the bags share as many
        # tokens as the smaller of the two numbers; else the same token is repeated on both sides.
        is_new = np.ones(len(comparison), dtype=bool)
        is_new[1:] = (left_token[1:] != left_token[:-1]) | (comparison[1:] != comparison[:-1])
        left_partnered = np.bincount(comparison[is_new], minlength=total)
        has_partner = np.zeros(len(self.start) + 1, dtype=np.int32)
        has_partner[right_token + 1] = 1
        seen = np.cumsum(has_partner, dtype=np.int32)
        right_partnered = seen[self.first[right] + right_count] - seen[self.first[right]]
        same = np.minimum(left_partnered, right_partnered)
        repeated = (pairs != left_partnered) & (pairs != right_partnered)
        for i in np.flatnonzero(repeated | long):
            one, other = self.tokens_of(int(left[i])), self.tokens_of(int(right[i]))
            equal[i] = one == other
            same[i] = sum((Counter(one) & Counter(other)).values())
        return same, equal

    def _equal_tokens(
        self, left_first: np.ndarray, left_count: np.ndarray, right_first: np.ndarray, right_count: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All pairs of equal tokens across two ranges of tokens: (comparison, left token, right token)."""
        row_comparison = np.repeat(np.arange(len(left_count)), left_count)
        row_token = np.arange(len(row_comparison)) + np.repeat(left_first - _before(left_count), left_count)
        row_width = right_count[row_comparison]
        before = _before(row_width)
        right_token = np.repeat(right_first[row_comparison] - before, row_width)
        right_token += np.arange(len(right_token))
        hit = np.flatnonzero(np.repeat(self.code[row_token], row_width) == self.code[right_token])
        row = np.searchsorted(before + row_width, hit, side="right")
        right_token = right_token[hit]
        left_token = row_token[row]
        length = self.length[left_token]
        alike = length == self.length[right_token]
        # Eight bytes are compared; longer tokens also by their last eight, which is all there is up to sixteen.
        long = np.flatnonzero(alike & (length > 8))
        tail = length[long] - 8
        alike[long] = (
            self.words[self.start[left_token[long]] + tail] == self.words[self.start[right_token[long]] + tail]
        )
        for i in np.flatnonzero(alike & (length > 16)):
            alike[i] = self._token(int(left_token[i])) == self._token(int(right_token[i]))
        return row_comparison[row[alike]], left_token[alike], right_token[alike]

    def _token(self, index: int) -> bytes:
        start = int(self.start[index])
        return self.raw[start : start + int(self.length[index])]

    def tokens_of(self, text: int) -> list[bytes]:
        """The tokens of one text."""
        first, count = int(self.first[text]), int(self.count[text])
        if count == 0:
            return []
        last = first + count - 1
        stretch = self.raw[int(self.start[first]) : int(self.start[last] + self.length[last])]
        return [token for token in stretch.split() if token not in self.deleted_tokens]

    def distinct_counts(self) -> np.ndarray:
        """The number of different tokens of each text."""
        text = np.repeat(np.arange(len(self.count)), self.count)
        may_repeat = self.count > LONGEST_SET
        for distance in range(1, min(LONGEST_SET, int(self.count.max(initial=0)))):
            alike = (self.code[distance:] == self.code[:-distance]) & (text[distance:] == text[:-distance])
            may_repeat[text[distance:][alike]] = True
        counts = self.count.copy()
        for i in np.flatnonzero(may_repeat):
            counts[i] = len({*self.tokens_of(int(i))})
        return counts

    def is_lone(self, tokens: tuple[bytes, ...]) -> np.ndarray:
        """Whether each text is one token, and that one of ``tokens`` (at most eight bytes each)."""
        lone = np.flatnonzero(self.count == 1)
        index = self.first[lone]
        found = np.zeros(len(lone), dtype=bool)
        for token in tokens:
            found |= (self.code[index] == _code_of(token)) & (self.length[index] == len(token))
        answer = np.zeros(len(self.count), dtype=bool)
        answer[lone] = found
        return answer


def _before(counts: np.ndarray) -> np.ndarray:
    """The sum of all earlier entries, for each entry."""
    return np.cumsum(counts) - counts


def _normalised_lines(texts: list[str], normaliser: TextNormaliser) -> bytes:
    """The texts, one per line, normalised but for the tokens that are to be deleted."""
    raw = "\n".join(texts).encode()
    data = np.frombuffer(raw, dtype=np.uint8)
    line_ends = np.flatnonzero(data == 10)
    if len(line_ends) == len(texts) - 1:
        unprintable = np.flatnonzero((data - 32 > 94) & (data != 10))
        others = np.unique(np.searchsorted(line_ends, unprintable)).tolist()
    else:
        others = [i for i, text in enumerate(texts) if not (text.isascii() and text.isprintable())]
    if others:
        texts = texts.copy()
        for i in others:
            texts[i] = normaliser.of_text(texts[i])
        raw = "\n".join(texts).encode()
    return raw.translate(normaliser.byte_table, normaliser.deleted_bytes)
