"""The characters of many texts in arrays, and what two of those texts have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .characters import is_punctuation

_UNKNOWN, _KEPT, _DELETED = range(3)
_kinds = np.zeros(0x110000, dtype=np.uint8)  # of each code point; filled in as characters occur


def _before(counts: np.ndarray) -> np.ndarray:
    """The sum of all earlier entries, for each entry."""
    return np.cumsum(counts) - counts


@dataclass(frozen=True)
class CharacterArrays:
    """The characters of texts.

    Attributes:
        code: the code point of each character.
        first: of each text, the index of its first character; the characters of a text stand together.
        count: of each text, the number of its characters.
    """

    code: np.ndarray
    first: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, texts: list[str]) -> CharacterArrays:
        """The characters of texts, as they are."""
        code = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4")
        count = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        return cls(code, _before(count), count)

    def without_punctuation(self) -> CharacterArrays:
        """The same texts without the characters that ``is_punctuation`` names."""
        kind = _kinds[self.code]
        for code in {*self.code[kind == _UNKNOWN].tolist()}:
            _kinds[code] = _DELETED if is_punctuation(chr(code)) else _KEPT
        deleted = np.flatnonzero(_kinds[self.code] == _DELETED)
        if not len(deleted):
            return self
        first = np.searchsorted(deleted, self.first)
        last = np.searchsorted(deleted, self.first + self.count)
        return CharacterArrays(np.delete(self.code, deleted), self.first - first, self.count - (last - first))

    def equal(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Whether the texts ``left[i]`` and ``right[i]`` are the same string."""
        equal = self.count[left] == self.count[right]
        candidates = np.flatnonzero(equal)
        one, count = self._indices(left[candidates])
        other, _ = self._indices(right[candidates])
        differs = self.code[one] != self.code[other]
        equal[np.repeat(candidates, count)[differs]] = False
        return equal

    def shared_as_bags(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """How many characters the texts ``left[i]`` and ``right[i]`` share, each as often as it stands in both."""
        pair, _, count, has_partner = self._runs(left, right)
        same = np.minimum(count[:-1], count[1:])[has_partner]
        return np.bincount(pair[:-1][has_partner], weights=same, minlength=len(left)).astype(np.int64)

    def shared_as_sets(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Different characters: (of both texts ``left[i]`` and ``right[i]``, of the left one, of the right one)."""
        pair, is_right, _, has_partner = self._runs(left, right)
        total = len(left)
        return (
            np.bincount(pair[:-1][has_partner], minlength=total),
            np.bincount(pair[~is_right], minlength=total),
            np.bincount(pair[is_right], minlength=total),
        )

    def _indices(self, texts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The indices of all characters of some texts, one text after the other, and their number in each."""
        count = self.count[texts]
        return np.arange(int(count.sum())) + np.repeat(self.first[texts] - _before(count), count), count

    def _runs(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The different characters of each pair of texts and side, sorted by pair, character and side.

        Returns:
            (their pair, whether they are of the right text, how often they stand there, and of all but the last:
            whether the next one is the same character of the same pair, in the other text).
        """
        keys = []
        for side, texts in enumerate((left, right)):
            index, count = self._indices(texts)
            pair = np.repeat(np.arange(len(texts), dtype=np.int64) << 22, count)
            keys.append(pair | (self.code[index].astype(np.int64) << 1) | side)
        key = np.concatenate(keys)
        key.sort()
        is_new = np.ones(len(key) + 1, dtype=bool)
        np.not_equal(key[1:], key[:-1], out=is_new[1:-1])
        start = np.flatnonzero(is_new)
        key, is_right = key[start[:-1]], (key[start[:-1]] & 1).astype(bool)
        return key >> 22, is_right, np.diff(start), (key[1:] == key[:-1] + 1) & is_right[1:]
