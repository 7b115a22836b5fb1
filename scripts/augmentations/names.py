"""Proper names in a passage and what they name: a person, a place, a group. By rules, from lists and from clues."""

from __future__ import annotations

from dataclasses import dataclass

from .english import CALENDAR, STOPWORDS, WORD, sentences, without_possessive
from .lexicon import listed

_INNER = listed("inner")
ROLES = listed("roles")
_TITLES = listed("titles")
_GROUP_HEADS = listed("group heads")
_PLACE_HEADS = listed("place heads")
_PERSON_VERBS = listed("person verbs")
_ADJECTIVES = listed("adjectives")
_NOT_NAMES = CALENDAR | _ADJECTIVES


@dataclass(frozen=True, slots=True)
class Name:
    """A proper name and what it names.

    Attributes:
        text: The name without article and title.
        title: The title that the passage puts before it, or an empty string.
        type: ``person``, ``group``, or a sort of place: ``country``, ``city``, or its head (``river``, ``lake``).
        with_the: Whether the passage puts "the" before it.
        roles: What else the passage calls it: "the surgeon, Josiah Pell", "Nils Aho, a hunter".
    """

    text: str
    title: str
    type: str
    with_the: bool
    roles: frozenset[str] = frozenset()

    @property
    def short_forms(self) -> tuple[str, ...]:
        """What a text may call the same one: the first and the last part; of "Bernard of Sienna" just "Bernard"."""
        parts = self.text.split()
        if len(parts) == 1 or self.type != "person":
            return ()
        return (parts[0],) if set(parts) & _INNER else (parts[0], parts[-1])


def capitalised_runs(sentence: str) -> list[tuple[int, int]]:
    """Where runs of capitalised words stand in a sentence, small words such as "of" inside them included.

    Args:
        sentence: a sentence or a question.

    Returns:
        (start, end) of each run, without leading stop words ("The", "In") and without a possessive 's.
    """
    tokens = [(m.start(), m.start() + len(without_possessive(m.group())), m.group()) for m in WORD.finditer(sentence)]
    runs: list[tuple[int, int]] = []
    i = 0
    while i < len(tokens):
        if not tokens[i][2][0].isupper() or tokens[i][2].lower() in STOPWORDS:
            i += 1
            continue
        last = j = i
        while j + 1 < len(tokens) and _joined(sentence, tokens[j], tokens[j + 1]):
            j += 1
            if tokens[j][2][0].isupper():
                last = j
            elif tokens[j][2] not in _INNER:
                break
        runs.append((tokens[i][0], tokens[last][1]))
        i = last + 1
    return runs


def _joined(sentence: str, left: tuple[int, int, str], right: tuple[int, int, str]) -> bool:
    between = sentence[left[1] : right[0]]
    dotted_title = between == ". " and (left[2].lower() in _TITLES or len(left[2]) == 1)
    return (between == " " or dotted_title) and (right[2][0].isupper() or right[2] in _INNER)


def split_title(run: str) -> tuple[str, str]:
    """``Dr. Josiah Pell`` -> (``Dr.``, ``Josiah Pell``)."""
    parts = run.split()
    title: list[str] = []
    while len(parts) > 1 and parts[0].rstrip(".").lower() in _TITLES and parts[1] not in _INNER:
        title.append(parts.pop(0))
    return " ".join(title), " ".join(parts)


def names_by_rules(text: str) -> dict[str, Name]:
    """Find the names in a passage whose type is certain.

    Args:
        text: a passage.

    Returns:
        Name without article and title -> what it names. Names with contradicting clues are left out.
    """
    clues: dict[str, set[str]] = {}
    with_the: dict[str, bool] = {}
    titles: dict[str, str] = {}
    roles: dict[str, set[str]] = {}
    small = frozenset(word for word in WORD.findall(text) if word[0].islower())
    for sentence in sentences(text):
        for start, end in capitalised_runs(sentence):
            run = sentence[start:end]
            title, name = split_title(run)
            first_word = not sentence[:start].strip("\"'“‘([ ")
            if first_word and " " not in run and run.lower() in small:
                continue
            if name.lower() in _NOT_NAMES or len(name) < 3:
                continue
            before = sentence[:start].split()[-2:]
            found = clues.setdefault(name, set())
            found |= _clues(name, bool(title), before, sentence[end : end + 24])
            titles[name] = titles.get(name) or title
            roles.setdefault(name, set()).update(_roles(before, sentence[end : end + 40]))
            with_the[name] = bool(before) and before[-1].lower() == "the"
    decided = {name: _decided(name, found) for name, found in clues.items()}
    return {
        name: Name(name, titles[name], next(iter(types)), with_the[name], frozenset(roles[name]))
        for name, types in decided.items()
        if len(types) == 1
    }


def _roles(before: list[str], behind: str) -> set[str]:
    found = {before[-1].rstrip(",")} if before else set()
    if behind.startswith(", "):
        found |= {word.rstrip(",.") for word in behind[2:].split()[:2]}
    return found & ROLES


def _clues(name: str, titled: bool, before: list[str], behind: str) -> set[str]:
    found = set()
    parts = name.split()
    previous = before[-1].lower() if before else ""
    first_name = parts[0] in listed("first names") and parts[-1].lower() not in _GROUP_HEADS and previous != "the"
    if titled or previous in ROLES or first_name:
        found.add("person")
    if previous == "named" or (len(before) == 2 and before[0].lower() in {"his", "her"} and previous in ROLES):
        found.add("person")
    next_words = behind.split()
    if behind[:1] == " " and next_words and next_words[0].rstrip(",.") in _PERSON_VERBS:
        found.add("person")
    if behind.startswith(", who "):
        found.add("person")
    if previous in {"in", "near"}:
        found.add("city")
    if len(before) == 2 and previous == "of" and before[0].lower() in {"city", "town", "village", "island"}:
        found.add("city")
    if len(before) == 2 and previous == "of" and before[0].lower() == "capital":
        found.add("country")
    if previous == "the" and " " not in name and name.endswith("s") and not name.endswith("ss"):
        found.add("group")
    return found


def _decided(name: str, found: set[str]) -> set[str]:
    """Lists and telling parts of the name outweigh the clues around it."""
    parts = [part.lower() for part in name.split()]
    for section, type_ in (("countries", "country"), ("cities", "city")):
        if name in listed(section):
            return {type_} if "person" not in found else {type_, "person"}
    heads = {parts[0], parts[-1]} if len(parts) > 1 else set()
    if heads & _GROUP_HEADS:
        return {"group"}
    if heads & _PLACE_HEADS:
        return heads & _PLACE_HEADS
    if found == {"city", "country"}:
        return {"country"}
    return found
