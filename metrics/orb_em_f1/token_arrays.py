"""The tokens of many texts as stretches of one string of bytes, and their numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .token_bags import TokenBags

PAD = b"\0" * 8
"""What must stand at the end of the bytes that hold tokens, for eight of them are read at a time."""

_LOW_BYTES = np.array([(1 << (8 * n)) - 1 for n in range(9)], dtype=np.uint64)
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)  # odd, bits mixed
_ROUNDS = 8


def code_of(token: bytes) -> int:
    """The number by which a token of at most eight bytes is compared."""
    return int.from_bytes(token, "little")


def codes_at(raw: bytes, start: np.ndarray, length: np.ndarray) -> np.ndarray:
    """The first eight bytes of each token, zeros after a shorter one, as numbers."""
    return _words(raw)[start] & _LOW_BYTES[np.minimum(length, 8)]


def _words(raw: bytes) -> np.ndarray:
    """The eight bytes from each position."""
    return np.ndarray((len(raw) - 7,), dtype="<u8", buffer=raw, strides=(1,))


@dataclass(frozen=True)
class TokenArrays:
    """The tokens of texts.

    Attributes:
        raw: the bytes, ending with ``PAD``.
        start: of each token, its position in ``raw``.
        length: of each token, its number of bytes.
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

    def is_one_of(self, tokens: tuple[bytes, ...]) -> np.ndarray:
        """Whether each token is one of ``tokens``, of at most eight bytes each."""
        found = np.zeros(len(self.code), dtype=bool)
        for token in tokens:
            found |= (self.code == code_of(token)) & (self.length == len(token))
        return found

    def bags(self) -> TokenBags:
        """The texts with numbers for their tokens, which are equal if the tokens' bytes are."""
        return TokenBags(self._numbers(), self.first, self.count)

    def _numbers(self) -> np.ndarray:
        """Of each token, the index of one with the same bytes, the same index for all of them.

        Tokens of at most sixteen bytes are told apart by their first and last eight and their length. Each writes its
        index at the place in a table that its hash gives it. Those that find the index of an equal token there have
        their number; the others try again with another hash, and what is still left goes into a dictionary.
        """
        tail = np.zeros(len(self.code), dtype=np.uint64)
        long = np.flatnonzero(self.length > 8)
        tail[long] = _words(self.raw)[self.start[long] + self.length[long] - 8]
        mixed = (self.code * _FACTORS[0]) ^ (tail * _FACTORS[1]) ^ self.length.view(np.uint64)
        index = np.arange(len(self.code), dtype=np.int32)
        number = index.copy()
        size = max(10, 1 + len(index).bit_length())
        table = np.empty(1 << size, dtype=np.int32)
        rest: np.ndarray | slice = slice(None)
        for _ in range(_ROUNDS):
            mixed = (mixed ^ (mixed >> np.uint64(32))) * _FACTORS[2]
            place = (mixed >> np.uint64(64 - size)).astype(np.int64)
            table[place] = index
            found = table[place].astype(np.int64)
            number[rest] = found
            lost = (self.code[found] != self.code[rest]) | (tail[found] != tail[rest])
            lost |= (self.length[found] != self.length[rest]) | (self.length[rest] > 16)
            index, mixed = index[lost], mixed[lost]
            rest = index
            if not len(index):
                break
        known: dict[bytes, int] = {}
        for i in index.tolist():
            start = int(self.start[i])
            number[i] = known.setdefault(self.raw[start : start + int(self.length[i])], i)
        return number
