"""Cleaning Chinese answers, and the longest run of characters that two of them have in common."""

from __future__ import annotations

import string
import sys
import unicodedata
from functools import cache

import numpy as np

from .squad_normalization import without_articles
from .token_bags import TokenBags, before

FULL_WIDTH_MARKS = "《》？，。、；："
"""The marks that DRCD's authors added to ASCII punctuation (repository DRCKnowledgeTeam/DRCD, issue 6)."""

_MARKS = string.punctuation + FULL_WIDTH_MARKS
_ASCII_PUNCTUATION = frozenset(string.punctuation)
_UNKNOWN, _KEPT, _DELETED = range(3)
_kinds = np.zeros(sys.maxunicode + 1, dtype=np.uint8)  # of each code point; filled in as characters occur
_LONG = 1 << 20  # product of lengths above which a common run is searched in linear time


@cache
def is_punctuation(char: str) -> bool:
    """Whether a character is of one of Unicode's P categories or of ASCII ``string.punctuation``."""
    return unicodedata.category(char).startswith("P") or char in _ASCII_PUNCTUATION


def without_punctuation(text: str) -> str:
    """The text without the characters that ``is_punctuation`` names; no other change."""
    return "".join(char for char in text if not is_punctuation(char))


def characters_of(texts: list[str]) -> TokenBags:
    """The characters of texts, by their code points."""
    number = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4")
    count = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    return TokenBags(number, before(count), count)


def characters_without_punctuation(texts: list[str]) -> TokenBags:
    """The characters of texts but those that ``is_punctuation`` names."""
    characters = characters_of(texts)
    kind = _kinds[characters.number]
    unknown = {*characters.number[kind == _UNKNOWN].tolist()}
    if unknown:
        for code in unknown:
            _kinds[code] = _DELETED if is_punctuation(chr(code)) else _KEPT
        kind = _kinds[characters.number]
    return characters.only(kind == _KEPT)


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
    lines = without_articles(" ", without(joined.lower(), _MARKS)).split("\n")
    return [line if line.isalnum() else " ".join(line.split()) for line in lines]


def without(text: str, marks: str) -> str:
    """The text without some characters."""
    for mark in marks:  # quicker than a table: most do not occur, which is soon found
        text = text.replace(mark, "")
    return text


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
