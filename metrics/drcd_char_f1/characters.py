"""Cleaning Chinese answers, and counting what two of them have in common, character by character."""

from __future__ import annotations

import string
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache

from .squad_normalization import without_articles

FULL_WIDTH_MARKS = "《》？，。、；："
"""The marks that DRCD's authors added to ASCII punctuation (repository DRCKnowledgeTeam/DRCD, issue 6)."""

_MARKS = frozenset(string.punctuation + FULL_WIDTH_MARKS)
_ASCII_PUNCTUATION = frozenset(string.punctuation)
_LONG = 1 << 20  # product of lengths above which a common run is searched in linear time


def without_punctuation(texts: list[str]) -> list[str]:
    """Each text without the characters of Unicode's P categories and of ASCII ``string.punctuation``; no other change.

    Args:
        texts: any strings.

    Returns:
        As many strings, in order.
    """
    lines = _without("\n".join(texts), _is_punctuation).split("\n")
    if len(lines) == len(texts):
        return lines
    return [_without(text, _is_punctuation) for text in texts]


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
    lines = without_articles(" ", _without(joined.lower(), _MARKS.__contains__)).split("\n")
    return [line if line.isalnum() else " ".join(line.split()) for line in lines]


@cache
def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char).startswith("P") or char in _ASCII_PUNCTUATION


def _without(text: str, is_deleted: Callable[[str], bool]) -> str:
    """The text without some characters: few different ones occur, and each is deleted in one go."""
    for char in filter(is_deleted, set(text)):
        text = text.replace(char, "")
    return text


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
