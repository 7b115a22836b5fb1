"""Words, sentences and word classes of English, as far as rules without a model can know them."""

from __future__ import annotations

import re

from .lexicon import listed
from .verbs import lemma

WORD = re.compile(r"[^\W_]+(?:[-'’.,:][^\W_]+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[^\W_a-z])")
_ABBREVIATION = re.compile(r"\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Prof|Gen|Col|Sgt|Lt|Jr|Sr|No|vs|ca|c|p\.m|a\.m)\.$")

WH_WORDS = listed("wh words")
AUXILIARIES = listed("auxiliaries")
PREPOSITIONS = listed("prepositions")
PRONOUNS = listed("pronouns")
DETERMINERS = listed("determiners")
_CONJUNCTIONS = listed("conjunctions")
STOPWORDS = WH_WORDS | AUXILIARIES | PREPOSITIONS | PRONOUNS | DETERMINERS | _CONJUNCTIONS | {"of", "s"}

_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
MONTHS = frozenset(_MONTHS.split())
CALENDAR = MONTHS | frozenset(_DAYS.split())

HUMAN_NOUNS = listed("human nouns")

TIME_NOUNS = listed("time nouns")


def words(text: str) -> list[str]:
    """The words and numbers of a text, as they are written."""
    return WORD.findall(text)


def without_possessive(word: str) -> str:
    """``Keller's`` -> ``Keller``."""
    return word[:-2] if word.endswith(("'s", "’s")) else word


def sentences(text: str) -> list[str]:
    """Split a text into sentences; the dot of a title, an initial or an abbreviation ends none."""
    found: list[str] = []
    for piece in _SENTENCE_END.split(text):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += " " + piece
        elif piece:
            found.append(piece)
    return found


def key(word: str) -> str:
    """What related words have in common: married, marry and marriage give the same key.

    Args:
        word: a word.

    Returns:
        At most five letters of its base form.
    """
    base = lemma(without_possessive(word.lower()))
    if base.endswith("s") and len(base) > 3 and not base.endswith("ss"):
        base = base[:-1]
    return (base[:-1] + "i" if base.endswith("y") else base)[:5]


def content_keys(text: str) -> frozenset[str]:
    """Keys of the words of a text that carry meaning."""
    return frozenset(key(word) for word in words(text) if word.lower() not in STOPWORDS)


def lower_first(text: str) -> str:
    """The text with its first letter in lower case."""
    return text[:1].lower() + text[1:]


def is_plural(noun: str) -> bool:
    """Whether a noun is a plural by its form."""
    noun = noun.lower()
    if noun in {
        "people",
        "men",
        "women",
        "children",
        "police",
        "feet",
        "teeth",
        "geese",
        "mice",
        "trout",
        "sheep",
        "fish",
        "bacteria",
        "mitochondria",
        "algae",
    }:
        return True
    return (
        noun.endswith("s")
        and not noun.endswith(("ss", "us", "is"))
        and noun not in {"news", "physics", "gas", "politics"}
    )


def is_human(phrase: str) -> bool:
    """Whether the head of a noun phrase in lower case names people ("the first president of the college")."""
    head = phrase.split(" of ")[0].split(" who ")[0].split()
    return bool(head) and (head[-1].lower() in HUMAN_NOUNS or head[-1].lower().removesuffix("s") in HUMAN_NOUNS)
