"""The tokens of many texts in arrays, and what two of those texts have in common."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

LONGEST_BLOCK = 4096  # token pairs of one comparison; longer ones are counted with a Counter
LONGEST_SET = 16  # tokens of a text; in a longer one, repeated tokens are found with a set
PAD = b"\0" * 8
"""What must stand at the end of the bytes that hold tokens, for eight of them are read at a time."""

_LOW_BYTES = np.array([(1 << (8 * n)) - 1 for n in range(9)], dtype=np.uint64)


def code_of(token: bytes) -> int:
    """The number by which a token of at most eight bytes is compared."""
    return int.from_bytes(token, "little")


def codes_at(raw: bytes, start: np.ndarray, length: np.ndarray) -> np.ndarray:
    """The first eight bytes of each token, zeros after a shorter one, as numbers."""
    return _words(raw)[start] & _LOW_BYTES[np.minimum(length, 8)]


def _words(raw: bytes) -> np.ndarray:
    """The eight bytes from each position."""
    return np.ndarray((len(raw) - 7,), dtype="<u8", buffer=raw, strides=(1,))


def _before(counts: np.ndarray) -> np.ndarray:
    """The sum of all earlier entries, for each entry."""
    return np.cumsum(counts) - counts


@dataclass(frozen=True)
class TokenArrays:
    """The tokens of texts, as stretches of one string of bytes; two tokens are equal if their bytes are.

    Attributes:
        raw: the bytes, ending with ``PAD``.
        start: of each token, its position in ``raw``.
        length: of each token, its number of bytes, at least one.
        code: of each token, as ``codes_at`` gives it.
        first: of each text, the index of its first token; the tokens of a text stand together.
        count: of each text, the number of its tokens.
    """

    raw: bytes
    start: np.ndarray
    length: np.ndarray
    code: np.ndarray
    first: np.ndarray
    count: np.ndarray

    def only(self, keep: np.ndarray) -> TokenArrays:
        """The same texts with the tokens where ``keep`` is true."""
        if keep.all():
            return self
        kept = np.zeros(len(keep) + 1, dtype=np.int64)
        np.cumsum(keep, out=kept[1:])
        first = kept[self.first]
        return replace(
            self,
            start=self.start[keep],
            length=self.length[keep],
            code=self.code[keep],
            first=first,
            count=kept[self.first + self.count] - first,
        )

    def tokens_of(self, text: int) -> list[bytes]:
        """The tokens of one text, in order."""
        stretch = slice(int(self.first[text]), int(self.first[text] + self.count[text]))
        start, length = self.start[stretch].tolist(), self.length[stretch].tolist()
        return [self.raw[at : at + size] for at, size in zip(start, length, strict=True)]

    def is_lone(self, tokens: tuple[bytes, ...]) -> np.ndarray:
        """Whether each text is one token, and that one of ``tokens`` (at most eight bytes each)."""
        lone = np.flatnonzero(self.count == 1)
        answer = np.zeros(len(self.count), dtype=bool)
        answer[lone] = self.is_one_of(tokens, self.first[lone])
        return answer

    def is_one_of(self, tokens: tuple[bytes, ...], index: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Whether each token (or those of an index) is one of ``tokens``, of at most eight bytes each."""
        code, length = self.code[index], self.length[index]
        found = np.zeros(len(code), dtype=bool)
        for token in tokens:
            found |= (code == code_of(token)) & (length == len(token))
        return found

    def is_first_of_its_kind(self) -> np.ndarray:
        """Whether each token is the first of its text that has its bytes."""
        text = np.repeat(np.arange(len(self.count)), self.count)
        is_first = np.ones(len(text), dtype=bool)
        for distance in range(1, min(LONGEST_SET, int(self.count.max(initial=0)))):
            alike = (self.code[distance:] == self.code[:-distance]) & (text[distance:] == text[:-distance])
            later = np.flatnonzero(alike) + distance
            is_first[later[self._same_bytes(later - distance, later)]] = False
        for i in np.flatnonzero(self.count > LONGEST_SET).tolist():
            seen: set[bytes] = set()
            for index, token in enumerate(self.tokens_of(i), start=int(self.first[i])):
                is_first[index] = token not in seen
                seen.add(token)
        return is_first

    def equal(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Whether the texts ``left[i]`` and ``right[i]`` have the same tokens in the same order."""
        equal = self.count[left] == self.count[right]
        candidates = np.flatnonzero(equal)
        count = self.count[left[candidates]]
        candidate = np.repeat(candidates, count)
        within = np.arange(len(candidate)) - np.repeat(_before(count), count)
        one, other = self.first[left][candidate] + within, self.first[right][candidate] + within
        differs = self.code[one] != self.code[other]
        equal[candidate[differs]] = False
        rest = np.flatnonzero(equal[candidate])
        equal[candidate[rest[~self._same_bytes(one[rest], other[rest])]]] = False
        return equal

    def shared(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """How many tokens the texts ``left[i]`` and ``right[i]`` have in common, as bags."""
        total = len(left)
        left_count, right_count = self.count[left], self.count[right]
        long = left_count * right_count > LONGEST_BLOCK
        comparison, left_token, right_token = self._equal_tokens(
            self.first[left], np.where(long, 0, left_count), self.first[right], right_count
        )
        pairs = np.bincount(comparison, minlength=total)
        # Tokens that have a partner, on either side. Where all partners are single on one side, the bags share as many
        # tokens as the smaller of the two numbers; else the same token is repeated on both sides.
        is_new = np.ones(len(comparison), dtype=bool)
        is_new[1:] = (left_token[1:] != left_token[:-1]) | (comparison[1:] != comparison[:-1])
        left_partnered = np.bincount(comparison[is_new], minlength=total)
        place = _before(right_count)
        has_partner = np.zeros(int(right_count.sum()) + 1, dtype=np.int32)
        has_partner[1 + right_token + (place - self.first[right])[comparison]] = 1
        seen = np.cumsum(has_partner, dtype=np.int32)
        right_partnered = seen[place + right_count] - seen[place]
        same = np.minimum(left_partnered, right_partnered)
        repeated = (pairs != left_partnered) & (pairs != right_partnered)
        for i in np.flatnonzero(repeated | long):
            one, other = self.tokens_of(int(left[i])), self.tokens_of(int(right[i]))
            same[i] = sum((Counter(one) & Counter(other)).values())
        return same

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
        alike = self._same_bytes(left_token, right_token)
        return row_comparison[row[alike]], left_token[alike], right_token[alike]

    def _same_bytes(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Whether tokens of equal codes are equal: their lengths, their last eight bytes, and what lies between."""
        length = self.length[one]
        alike = length == self.length[other]
        long = np.flatnonzero(alike & (length > 8))
        if len(long):
            tail, words = length[long] - 8, _words(self.raw)
            alike[long] = words[self.start[one[long]] + tail] == words[self.start[other[long]] + tail]
            for i in np.flatnonzero(alike & (length > 16)):
                alike[i] = self._token(int(one[i])) == self._token(int(other[i]))
        return alike

    def _token(self, index: int) -> bytes:
        start = int(self.start[index])
        return self.raw[start : start + int(self.length[index])]
