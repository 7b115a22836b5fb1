"""The context span that matches a free-form answer best, by ROUGE-L.

An extractive reader learns from spans, but the answers of DuoRC and NarrativeQA are free-form: written by people, often
nowhere in the context. The ORB benchmark trains on the context span with the highest ROUGE-L to an answer and scores
against the answers as they were written (Dua et al., 2019, arXiv:1912.12598). This module finds that span, exactly.

Definitions:

* A *token* is a maximal run of letters and digits of any script (`str.isalnum`), lowercased. Everything else, the
  underscore and the apostrophe included, separates tokens: "Marcus's" is `marcus`, `s`. There is no stemming.
* A *span* runs from the first character of one context token to the last character of the same or a later one.
* *ROUGE-L* of a span of n tokens and an answer of m tokens, L being the length of their longest common subsequence, is
  the F measure of P = L / n and R = L / m: 2PR / (P + R) = 2L / (n + m).
* Among several answers, the best one counts. Of spans with equal ROUGE-L the one with fewer tokens is taken, then the
  one that begins earlier. Fractions are compared as integers, so ties are exact.

Three facts keep the search short. A best span begins and ends on a token of the answer, or a shorter span would beat
it. L cannot exceed the overlap of the two bags of tokens, so the starts are tried in the order of the overlap within
reach, until that bound is below what was found. From a given end, each further token adds at most one to L, which
bounds all longer spans. The subsequence itself grows by one context token at a time, with a row of the dynamic
programme held in the bits of one integer (Hyyrö, 2004, "Bit-parallel LCS-length computation revisited").
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_TOKEN = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class SpanLabel:
    """A span of a context, as `context[start:end]`.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last character.
        rouge_l: ROUGE-L against the answer it matches best, in (0, 1].
    """

    start: int
    end: int
    rouge_l: float


@dataclass(frozen=True)
class _Candidate:
    """A span by its tokens: `length` of them from `first` on, sharing `lcs` with an answer; ROUGE-L is 2·lcs/total."""

    lcs: int
    total: int
    length: int
    first: int

    def beats(self, other: "_Candidate") -> bool:
        ours, theirs = self.lcs * other.total, other.lcs * self.total
        return ours > theirs or (ours == theirs and (self.length, self.first) < (other.length, other.first))


class TokenIndex:
    """The tokens of a context and where each of them stands.

    Attributes:
        extents: Of each token, the offsets of its first character and after its last one.
        positions: For each token, its places in `extents`, ascending.
    """

    def __init__(self, context: str) -> None:
        self.extents: list[tuple[int, int]] = []
        self.positions: dict[str, list[int]] = {}
        for position, match in enumerate(_TOKEN.finditer(context)):
            self.extents.append(match.span())
            self.positions.setdefault(match.group().lower(), []).append(position)


# The questions about one context follow each other, so that a few indices save most of the work.
_index = lru_cache(maxsize=8)(TokenIndex)


def tokenise(text: str) -> list[str]:
    """Returns the lowercased tokens of a text, in order: the rule is at the top of this module."""
    return [token.lower() for token in _TOKEN.findall(text)]


def best_span(context: str, answers: Sequence[str], max_tokens: int) -> SpanLabel | None:
    """Finds the span of a context with the highest ROUGE-L against any of the answers.

    Args:
        context: The text to search, of any length.
        answers: Acceptable answers; those without a token match nothing.
        max_tokens: The most tokens a span may have, at least 1.

    Returns:
        The best span; of equals the shorter (in tokens), then the earlier. None when no answer shares a token with
        the context.

    Raises:
        ValueError: `max_tokens` is below 1.
    """
    if max_tokens < 1:
        raise ValueError(f"max_tokens: expected at least 1, found {max_tokens}")
    index = _index(context)
    best: _Candidate | None = None
    for answer in dict.fromkeys(tuple(tokenise(answer)) for answer in answers):
        best = _search(index.positions, answer, max_tokens, best)
    if best is None:
        return None
    start, end = index.extents[best.first][0], index.extents[best.first + best.length - 1][1]
    return SpanLabel(start, end, 2 * best.lcs / best.total)


def _search(
    positions: dict[str, list[int]], answer: tuple[str, ...], max_tokens: int, best: _Candidate | None
) -> _Candidate | None:
    """Returns the best span for one answer, or `best` when no span beats it."""
    places = sorted((position, token) for token in set(answer) for position in positions.get(token, ()))
    reachable = _bag_overlaps(places, Counter(answer), max_tokens)
    masks = {token: sum(1 << bit for bit, other in enumerate(answer) if other == token) for token in set(answer)}
    every_bit = (1 << len(answer)) - 1

    for begin in sorted(range(len(places)), key=lambda place: -reachable[place]):
        most = reachable[begin]
        # No span from here, nor from a later start in this order, can beat one of exactly the shared tokens.
        if best is not None and most * best.total < best.lcs * (most + len(answer)):
            break
        first = places[begin][0]
        row, lcs = every_bit, 0
        for place in range(begin, len(places)):
            position, token = places[place]
            length = position - first + 1
            if length > max_tokens or lcs == most:
                break
            # At best this token and each one after it adds one, until all that is shared is used.
            shortest = length + most - lcs - 1
            if best is not None and most * best.total < best.lcs * (shortest + len(answer)):
                break
            # The zeros of the row are the places of the answer at which the common subsequence grows.
            matched = row & masks[token]
            row = ((row + matched) | (row - matched)) & every_bit
            grown = len(answer) - row.bit_count()
            if grown > lcs:
                lcs = grown
                candidate = _Candidate(lcs, length + len(answer), length, first)
                if best is None or candidate.beats(best):
                    best = candidate
    return best


def _bag_overlaps(places: list[tuple[int, str]], answer: Counter[str], max_tokens: int) -> list[int]:
    """Returns, for each place, how many tokens of the answer's bag stand in the longest span that begins there."""
    overlaps = []
    inside: Counter[str] = Counter()
    overlap = end = 0
    for position, token in places:
        while end < len(places) and places[end][0] < position + max_tokens:
            entering = places[end][1]
            inside[entering] += 1
            overlap += inside[entering] <= answer[entering]
            end += 1
        overlaps.append(overlap)
        overlap -= inside[token] <= answer[token]
        inside[token] -= 1
    return overlaps
