"""Proper names in a passage and what they name: a person, a place, a group. By rules, from lists and from clues."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .english import CALENDAR, STOPWORDS, WORD, sentences, without_possessive

_INNER = frozenset("of de du des da di del della la le van von der den ter bin ibn al y zu".split())
ROLES = frozenset(
    "actor actress admiral adviser ambassador archbishop architect artist assistant astronaut aunt author banker baron "
    "baseman biologist bishop blacksmith botanist brother captain carpenter chancellor chemist "
    "cleric clerk coach colonel commander companion composer conductor cornerback count countess cousin critic daughter "
    "defender detective diplomat director doctor dr drummer duchess duke editor emperor engineer explorer farmer father "
    "fiancé fiancée fisherman fugitive gangster gardener general geologist goalkeeper governor grandfather grandmother "
    "grandson guard guardian guide guitarist historian hunter husband inspector inventor journalist judge kicker king "
    "knight lady lawyer lender lieutenant linebacker lord maid manager marquis marshal master mathematician mayor merchant "
    "midfielder miller minister miss missionary monk mother mr mrs ms musician naturalist nephew niece novelist nurse "
    "officer outfielder outlaw owner painter passenger philosopher photographer physician physicist pianist pilot pirate "
    "pitcher planter player playwright poet policeman pope premier president priest prince princess printer prof professor "
    "prosecutor psychologist pupil quarterback queen ranger receiver sailor saint scholar scientist sculptor "
    "secretary senator sergeant sheikh shepherd sheriff shortstop singer sir sister soldier son spokesman spokeswoman "
    "spy striker student sultan surgeon surveyor swimmer teacher tracker trader trainer treasurer uncle violinist widow "
    "wife writer baker climber back end golfer runner skipper thief garda".split()
)
_TITLES = frozenset(
    "captain colonel commander count countess dr duke duchess emperor father garda general governor inspector judge king "
    "lady lieutenant lord master mayor miss monsieur mr mrs ms officer pope president prime prince princess prof professor "
    "prosecutor queen senator sergeant sheriff sir".split()
)
_GROUP_HEADS = frozenset(
    "agency airline army association bank brewery church club college commission committee company corporation council "
    "court federation foundation inc institute institution laboratory league ltd ministry museum navy orchestra party "
    "police school senate society symphony union university".split()
)
_PLACE_HEADS = frozenset(
    "avenue bay bridge cape castle cathedral city county desert district forest glacier gulf harbour hills island islands "
    "lake mount mountain mountains ocean park peninsula point port province range reef river sea street strait town "
    "valley".split()
)
_PERSON_VERBS = frozenset(
    "said says told tells asked asks wrote writes married marries died thinks thought believed confessed confesses agreed "
    "agrees refused refuses replied shouted smiled wept learns learned knows knew loves loved wants wanted fled paid "
    "promised decides decided".split()
)
_ADJECTIVES = frozenset(
    "african american arab arabic argentine asian atlantic australian austrian belgian brazilian british bulgarian "
    "canadian catholic chilean chinese christian croat croats czech danish dutch egyptian english european finn finnish "
    "french german germans greek hebrew hindu hungarian hungarians indian irish islamic israeli italian japanese jewish "
    "kenyan korean latin mexican muslim native norwegian pacific persian polish portuguese protestant roman romanian "
    "russian scottish serb serbian serbs slovak slovaks soviet spanish swedish swiss turkish ukrainian vietnamese welsh "
    "white black conservative labour green liberal socialist democrat republican".split()
)
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


@cache
def _listed(section: str) -> frozenset[str]:
    """A section of the list of common first names, countries and cities."""
    content = Path(__file__).with_name("known_names.txt").read_text(encoding="utf-8")
    body = content.split(f"[{section}]\n")[1].split("\n[")[0]
    return frozenset(name.strip() for name in body.replace("\n", ",").split(",") if name.strip())


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
        name: Name(name, titles[name], *types, with_the[name], frozenset(roles[name]))
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
    first_name = parts[0] in _listed("first names") and parts[-1].lower() not in _GROUP_HEADS and previous != "the"
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
        if name in _listed(section):
            return {type_} if "person" not in found else {type_, "person"}
    heads = {parts[0], parts[-1]} if len(parts) > 1 else set()
    if heads & _GROUP_HEADS:
        return {"group"}
    if heads & _PLACE_HEADS:
        return heads & _PLACE_HEADS
    if found == {"city", "country"}:
        return {"country"}
    return found
