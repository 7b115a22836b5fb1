"""Cleaning Chinese answers, and counting what two of them have in common, character by character."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter

from .squad_normalization import without_articles

FULL_WIDTH_MARKS = "《》？，。、；："
"""The marks that DRCD's authors added to ASCII punctuation (repository DRCKnowledgeTeam/DRCD, issue 6)."""

_NO_MARKS = dict.fromkeys(map(ord, string.punctuation + FULL_WIDTH_MARKS))
_LONG = 1 << 20  # product of lengths above which a common run is searched in linear time
_spaces = re.compile(r"[^\S\n]+").sub


class _Punctuation(dict[int, int | None]):
    """A table for ``str.translate`` that looks up the Unicode category of each character it meets, once."""

    def __missing__(self, code: int) -> int | None:
        char = chr(code)
        deleted = unicodedata.category(char).startswith("P") or char in string.punctuation
        self[code] = None if deleted else code
        return self[code]


_NO_PUNCTUATION = _Punctuation()


def without_punctuation(texts: list[str]) -> list[str]:
    """Each text without the characters of Unicode's P categories and of ASCII ``string.punctuation``; no other change.

    Args:
        texts: any strings.

    Returns:
        As many strings, in order.
    """
    lines = "\n".join(texts).translate(_NO_PUNCTUATION).split("\n")
    if len(lines) == len(texts):
        return lines
    return [text.translate(_NO_PUNCTUATION) for text in texts]


def normalised_as_authors(texts: list[str]) -> list[str]:
    """SQuAD's normalisation, deleting the eight ``FULL_WIDTH_MARKS`` besides ASCII punctuation.

    Args:
        texts: any strings.

    Returns:
        As many strings, in order.
    """
    joined = "\n".join(texts)
    if joined.count("\n") != len(texts) - 1:
        return [normalised_as_authors([" ".join(text.split())])[0] for text in texts]
    joined = without_articles(" ", joined.lower().translate(_NO_MARKS))
    return [line.strip() for line in _spaces(" ", joined).split("\n")]


def shared_as_bags(one: str, other: str) -> int:
    """Characters in common, each as often as it stands in both."""
    one_set, other_set = set(one), set(other)
    common = one_set & other_set
    if len(one_set) == len(one) or len(other_set) == len(other):
        return len(common)
    if len(one) + len(other) > 200:
        return sum((Counter(one) & Counter(other)).values())
    return sum(map(min, map(one.count, common), map(other.count, common)))


def longest_common_run(one: str, other: str) -> int:
    """The length of the longest string that stands in both.

    Args:
        one: any string.
        other: any string.

    Returns:
        A length from 0 to that of the shorter string.
    """
    short, long = sorted((one, other), key=len)
    if len(short) * len(long) > _LONG:
        return _longest_common_run_of_long(short, long)
    best = 0
    for start in range(len(short)):
        while start + best < len(short) and short[start : start + best + 1] in long:
            best += 1
        if start + best >= len(short):
            break
    return best


def _longest_common_run_of_long(pattern: str, text: str) -> int:
    """The same in time linear in both lengths: ``text`` is read through the suffix automaton of ``pattern``."""
    steps: list[dict[str, int]] = [{}]
    link, length, last = [-1], [0], 0
    for char in pattern:
        state = len(steps)
        steps.append({})
        link.append(0)
        length.append(length[last] + 1)
        at = last
        while at >= 0 and char not in steps[at]:
            steps[at][char] = state
            at = link[at]
        if at >= 0:
            target = steps[at][char]
            if length[target] == length[at] + 1:
                link[state] = target
            else:
                clone = len(steps)
                steps.append(dict(steps[target]))
                link.append(link[target])
                length.append(length[at] + 1)
                while at >= 0 and steps[at].get(char) == target:
                    steps[at][char] = clone
                    at = link[at]
                link[target] = link[state] = clone
        last = state
    best = run = at = 0
    for char in text:
        while at and char not in steps[at]:
            at = link[at]
            run = length[at]
        if char in steps[at]:
            at, run = steps[at][char], run + 1
        best = max(best, run)
    return best
