"""The word lists of the rules, kept as data in ``lexicon.txt``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("lexicon.txt")


@cache
def _sections() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for section in _FILE.read_text(encoding="utf-8").split("\n[")[1:]:
        name, _, body = section.partition("]\n")
        found[name] = frozenset(entry.strip() for entry in body.replace("\n", ",").split(",") if entry.strip())
    return found


def listed(section: str) -> frozenset[str]:
    """The entries of a section of the lexicon.

    Args:
        section: Its name, "prepositions" for example.
    """
    return _sections()[section]
