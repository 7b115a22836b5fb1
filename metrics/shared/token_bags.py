"""The tokens of many texts as numbers, and what two of those texts have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# The C library of Linux hands the memory of larger arrays back at once and takes it anew, page by page, for the next
# batch, which took almost half of the time. Freeing one block of this size, never touched, makes it keep as much.
np.empty(1 << 24, dtype=np.uint8)


def before(counts: np.ndarray) -> np.ndarray:
    """The sum of all earlier entries, for each entry."""
    return np.cumsum(counts) - counts


def totals(counts: np.ndarray) -> np.ndarray:
    """The same, and last the sum of all."""
    total = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=total[1:])
    return total


def harmonic_mean(precision: np.ndarray, recall: np.ndarray) -> np.ndarray:
    """F1 from precision and recall; 0 where both are."""
    total = precision + recall
    return (2 * precision * recall) / np.where(total > 0, total, 1.0)


def precision_recall_f1(
    same: np.ndarray, predicted: np.ndarray, gold: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Precision, recall and F1 from numbers of tokens: in common, predicted, gold; all 0 where nothing is shared."""
    precision, recall = same / np.maximum(predicted, 1), same / np.maximum(gold, 1)
    return precision, recall, harmonic_mean(precision, recall)


@dataclass(frozen=True)
class TokenBags:
    """Texts as sequences of numbered tokens: words, or characters by their code points.

    Attributes:
        number: of each token, equal for equal tokens; at least 0.
        first: of each text, the index of its first token; the tokens of a text stand together.
        count: of each text, the number of its tokens.
    """

    number: np.ndarray
    first: np.ndarray
    count: np.ndarray

    def only(self, keep: np.ndarray) -> TokenBags:
        """The same texts with the tokens where ``keep`` is true."""
        if keep.all():
            return self
        kept = totals(keep)
        first = kept[self.first]
        return TokenBags(self.number[keep], first, kept[self.first + self.count] - first)

    def equal(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Whether the texts ``left[i]`` and ``right[i]`` have the same tokens in the same order."""
        equal = self.count[left] == self.count[right]
        candidates = np.flatnonzero(equal)
        one, count = self._indices(left[candidates])
        other, _ = self._indices(right[candidates])
        differs = self.number[one] != self.number[other]
        equal[np.repeat(candidates, count)[differs]] = False
        return equal

    def shared_as_bags(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """How many tokens the texts ``left[i]`` and ``right[i]`` share, each as often as it stands in both."""
        pair, _, count, has_partner = self._runs(left, right)
        same = np.minimum(count[:-1], count[1:])[has_partner]
        return np.bincount(pair[:-1][has_partner], weights=same, minlength=len(left)).astype(np.int64)

    def shared_as_sets(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Different tokens: (of both texts ``left[i]`` and ``right[i]``, of the left one, of the right one)."""
        pair, is_right, _, has_partner = self._runs(left, right)
        total = len(left)
        same = np.bincount(pair[:-1][has_partner], minlength=total)
        of_right = np.bincount(pair[is_right], minlength=total)
        return same, np.bincount(pair, minlength=total) - of_right, of_right

    def _indices(self, texts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The indices of all tokens of some texts, one text after the other, and their number in each."""
        count = self.count[texts]
        return np.arange(int(count.sum())) + np.repeat(self.first[texts] - before(count), count), count

    def _runs(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The different tokens of each pair of texts and side, sorted by pair, token and side.

        Returns:
            (their pair, whether they are of the right text, how often they stand there, and of all but the last:
            whether the next one is the same token of the same pair, in the right text after the left one).
        """
        bits = int(self.number.max(initial=0)).bit_length() + 1
        kind: type[np.signedinteger] = np.int32 if len(left).bit_length() + bits < 32 else np.int64
        doubled = self.number.astype(kind) << 1
        keys = []
        for side, texts in enumerate((left, right)):
            index, count = self._indices(texts)
            pair = np.arange(len(texts), dtype=kind) << bits
            keys.append(np.repeat(pair + side, count) + doubled[index])
        key = np.concatenate(keys)
        key.sort()
        is_new = np.ones(len(key) + 1, dtype=bool)
        np.not_equal(key[1:], key[:-1], out=is_new[1:-1])
        start = np.flatnonzero(is_new)
        key = key[start[:-1]]
        is_right = (key & 1).astype(bool)
        return key >> bits, is_right, np.diff(start), (key[1:] == key[:-1] + 1) & is_right[1:]
