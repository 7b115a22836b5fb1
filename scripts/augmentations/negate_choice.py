"""``negate_choice``: in a two-way comparison the comparison is turned round, and the other choice is the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from metrics.shared.squad_normalization import squad_normalised

from .choices import find_choice
from .english import AUXILIARIES, HUMAN_NOUNS, PREPOSITIONS, WORD, is_plural
from .lexicon import listed
from .passage import Passage
from .registry import Kind, Variant, agreed_answers, register
from .verbs import BASE_OF_PARTICIPLE, BASE_OF_PAST, BASE_OF_THIRD_PERSON, PAST

# Comparatives with one opposite. "older", "shorter", "more" and their opposites depend on what is compared.
_OPPOSITES = {
    "longer": "shorter", "taller": "shorter", "higher": "lower", "lower": "higher", "larger": "smaller",
    "bigger": "smaller", "smaller": "larger", "greater": "smaller", "younger": "older", "newer": "older",
    "faster": "slower", "slower": "faster", "quicker": "slower", "heavier": "lighter", "lighter": "heavier",
    "earlier": "later", "sooner": "later", "later": "earlier", "better": "worse", "worse": "better",
    "stronger": "weaker", "weaker": "stronger", "deeper": "shallower", "shallower": "deeper",
    "wider": "narrower", "narrower": "wider",
    "thicker": "thinner", "thinner": "thicker", "warmer": "cooler", "hotter": "cooler", "cooler": "warmer",
    "colder": "warmer", "richer": "poorer", "poorer": "richer", "closer": "farther", "nearer": "farther",
    "louder": "quieter", "quieter": "louder", "brighter": "dimmer", "drier": "wetter", "wetter": "drier",
    "rougher": "smoother", "smoother": "rougher", "cheaper": "more expensive", "fewer": "more", "less": "more",
    "safer": "more dangerous",
}  # fmt: skip
_SUPERLATIVES = {
    "longest": "shortest", "tallest": "shortest", "highest": "lowest", "lowest": "highest", "largest": "smallest",
    "biggest": "smallest", "smallest": "largest", "youngest": "oldest", "newest": "oldest", "fastest": "slowest",
    "slowest": "fastest", "heaviest": "lightest", "earliest": "latest", "latest": "earliest", "best": "worst",
    "worst": "best", "strongest": "weakest", "weakest": "strongest", "deepest": "shallowest", "widest": "narrowest",
    "warmest": "coldest", "hottest": "coldest", "coldest": "warmest", "richest": "poorest", "poorest": "richest",
    "cheapest": "most expensive", "fewest": "most",
}  # fmt: skip
_PHRASES = {
    "more slowly": "more quickly", "more quickly": "more slowly", "more rapidly": "more slowly",
    "less quickly": "more quickly", "less slowly": "more slowly", "more often": "less often",
}  # fmt: skip
_UNDECIDED = listed("undecided")
_COMPARISON_WORDS = _UNDECIDED | _OPPOSITES.keys() | _SUPERLATIVES.keys()

# Said of a thing as a whole, so that "the highest" of two things has "the lowest" as its opposite.
_SINGLE_VALUED = listed("single valued")
_ADJECTIVE = re.compile(r"(?:ive|ous|ful|ent|ant|able|ible|less|ic|ical|likely|common|popular|rapid|acidic)$")
_LINKING = listed("linking")
_LABEL = re.compile(r" ([A-Z][a-z]*|\d)\b")
_NEGATIONS = listed("negations")
_HAPPENS = listed("happens")


@dataclass(frozen=True, slots=True)
class _Place:
    """The words around a comparison word in a question, in lower case."""

    before: list[str]
    behind: list[str]


@register
class NegateChoice(Kind):
    """Both alternatives are named in the question, or are the only two of their name in the passage."""

    name = "negate_choice"
    answer = "other choice"

    def variants(self, question: str, references: list, passage: Passage) -> Iterator[Variant]:
        """See :meth:`Kind.variants`."""
        choice = find_choice(question, references, passage)
        if choice is not None:
            frame_end, restart = choice.first[0], choice.second[1]
            other, alternatives = choice.other, choice.alternatives
        else:
            labelled = _other_label(question, references, passage)
            if labelled is None:
                return
            frame_end, restart, other, alternatives = len(question), len(question), labelled, ("", "")
        turned = _turned(question, frame_end, restart, alternatives, passage)
        if turned is not None:
            yield Variant(turned, [other.strip("\"'“”")])


def _other_label(question: str, references: list, passage: Passage) -> str | None:
    """``Which village ...?``, "village B", in a passage that knows just a village A and a village B: "village A"."""
    golds = agreed_answers(references)
    wh = re.match(r"(?:In |On |At )?(?:[Ww]hich|[Ww]hat) (\w+)(?:'s)? ", question)
    if not wh or not golds or " or " in question:
        return None
    noun = wh.group(1)
    behind = [_LABEL.match(passage.text, start + len(noun)) for start in passage.find(noun)]
    forms = dict.fromkeys(label.group(1) for label in behind if label)
    right = [form for form in forms if any(squad_normalised(f"{noun} {form}") == squad_normalised(g) for g in golds)]
    if len(forms) != 2 or len(right) != 1:
        return None
    wrong = next(form for form in forms if form != right[0])
    start = passage.find(f"{noun} {wrong}")
    return passage.text[start[0] : start[0] + len(noun) + 1 + len(wrong)] if start else None


def _turned(question: str, frame_end: int, restart: int, alternatives: tuple[str, str], passage: Passage) -> str | None:
    """The question with its only comparison turned round, or None where that is not certain."""
    tokens = [(m.group().lower(), m.start(), m.end()) for m in WORD.finditer(question)]
    outside = [t for t in tokens if t[2] <= frame_end or t[1] >= restart]
    inside = [t for t in tokens if t not in outside]
    if any(t[0] in _NEGATIONS or t[0].endswith("n't") or t[0] == "than" for t in outside):
        return None
    found = [t for t in outside if t[0] in _COMPARISON_WORDS]
    if len(found) != 1 or any(t[0] in _COMPARISON_WORDS for t in inside):
        return None
    word, start, end = found[0]
    clause_end = frame_end if end <= frame_end else len(question)
    place = _Place(
        [t[0] for t in tokens if t[2] <= start and (t[1] >= restart or t[2] <= frame_end)],
        [t[0] for t in tokens if t[1] >= end and t[2] <= clause_end],
    )
    if place.behind and f"{word} {place.behind[0]}" in _PHRASES:
        opposite: str | None = _PHRASES[f"{word} {place.behind[0]}"]
        end = question.index(place.behind[0], end) + len(place.behind[0])
    else:
        opposite = _opposite(word, place, question, alternatives, passage)
    if not opposite:
        return None
    return _with_article(question[:start], opposite) + opposite + question[end:]


def _with_article(before: str, opposite: str) -> str:
    """An indefinite article as the word behind it wants it: a younger, an older."""
    article = re.search(r"\b(a|an) $", before)
    if article is None:
        return before
    return before[: article.start()] + ("an " if opposite[0] in "aeiou" else "a ")


def _opposite(word: str, at: _Place, question: str, alternatives: tuple[str, str], passage: Passage) -> str | None:
    if word in {"first", "last"}:
        # Of what happens once: the team that scored first may have scored last as well.
        once = at.before[-1:] and at.before[-1] in _HAPPENS
        passive = at.before[-1:] and at.before[-1] in BASE_OF_PARTICIPLE and {"was", "were"} & set(at.before)
        return {"first": "last", "last": "first"}[word] if (once or passive) and not at.behind else None
    if word in {"most", "least", "fewest"}:
        return _opposite_most(word, at)
    if word in {"more", "less", "fewer"}:
        return _opposite_more(word, at)
    if word in _SUPERLATIVES or word in {"oldest", "shortest"}:
        if not _of_the_whole(at):
            return None
    elif not _compares(word, at):
        return None
    if word in {"older", "oldest"}:
        new = _opposite_of_old(question, alternatives, passage)
        return new and (new if word == "older" else {"younger": "youngest", "newer": "newest"}[new])
    if word in {"shorter", "shortest"}:
        new = _opposite_of_short(question, passage)
        return new and (new if word == "shorter" else {"taller": "tallest", "longer": "longest"}[new])
    if _is_adverb(at):
        if word in {"higher", "lower"}:
            return None
        if word == "longer":
            return "less time" if at.before[-1] in {"take", "takes", "took", "taken"} else "for a shorter time"
        if word in {"faster", "quicker"}:
            return "more slowly"
    return _OPPOSITES.get(word) or _SUPERLATIVES.get(word)


def _opposite_more(word: str, at: _Place) -> str | None:
    """``more`` against ``fewer`` (of things counted) or ``less``."""
    if word != "more":
        return "more"
    if not at.behind or at.behind[0] in PREPOSITIONS or at.behind[0] in AUXILIARIES:
        return "less"
    noun_phrase = []
    for behind in at.behind:
        if behind in PREPOSITIONS or behind in AUXILIARIES or behind in {"of", "to", "or"} or behind in BASE_OF_PAST:
            break
        noun_phrase.append(behind)
    if not noun_phrase:
        return "fewer" if at.behind[0] == "of" else "less"
    if noun_phrase[0].endswith("ly") or _ADJECTIVE.search(noun_phrase[0]):
        return "less" if len(noun_phrase) == 1 or noun_phrase[0] == "likely" else None
    # "more field goals", "more inhabitants", but "more points each game"
    for noun in noun_phrase[:3]:
        if is_plural(noun):
            return "fewer"
        if noun in {"each", "every", "per", "last", "this"}:
            break
    return "less" if len(noun_phrase) <= 2 else None


def _opposite_most(word: str, at: _Place) -> str | None:
    if not at.before or at.before[-1] != "the" or not at.behind:
        return None
    if word == "most":
        if at.behind[0].endswith("ly") or _ADJECTIVE.search(at.behind[0]):
            return "least"
        return "fewest" if any(is_plural(noun) for noun in at.behind[:2]) else "least"
    return "most"


def _of_the_whole(at: _Place) -> bool:
    """``was the longest``, ``had the highest income``; not ``kicked the longest field goal``."""
    before = [word for word in at.before if word not in {"the", "a", "an"}]
    verb = before[-1] if before else ""
    if verb in {"is", "was", "are", "were"}:
        return len(at.behind) <= 2 and "to" not in at.behind
    return verb in {"has", "had", "have"} and bool(at.behind) and bool(_SINGLE_VALUED & set(at.behind[:3]))


def _compares(word: str, at: _Place) -> bool:
    """Whether a comparative says something of each alternative that has one value."""
    if word in {"later", "earlier", "sooner"} and any(w in PAST or w in BASE_OF_PAST for w in at.behind[:1]):
        return False  # "who later became king"
    if at.before and at.before[-1] in {"a", "an"}:
        # "had a higher income" has an opposite, "kicked a longer field goal" has not: there may be several.
        whole = at.before[-2:-1] and at.before[-2] in {"has", "had", "have", "is", "was", "are", "were", "covers", "at"}
        if HUMAN_NOUNS & set(at.behind):
            return False  # "has an older sister"
        single = not at.behind or bool(_SINGLE_VALUED & set(at.behind)) or at.before[-2] in {"is", "was"}
        return bool(whole) and (single or at.before[-2] in {"has", "have", "covers"})
    if at.before and at.before[-1] == "the":
        # "kicked the longer field goal": one of them may have kicked a shorter one as well.
        once = at.before[-2:-1] and at.before[-2] not in BASE_OF_PAST.keys() - AUXILIARIES
        return bool(once) or bool(_SINGLE_VALUED & set(at.behind))
    if at.before and at.before[-1] in BASE_OF_THIRD_PERSON.keys() | AUXILIARIES:
        return True
    # "had higher wages" is sure, "threw longer passes" is not.
    return not at.behind or at.behind[0] in PREPOSITIONS or at.behind[0] in AUXILIARIES or not is_plural(at.behind[0])


def _is_adverb(at: _Place) -> bool:
    """Whether a comparative tells how something is done: "lasted longer", not "was longer" or "had longer legs"."""
    if not at.before or at.before[-1] in {"a", "an", "the"} | AUXILIARIES | _LINKING:
        return False
    return not at.behind or at.behind[0] in PREPOSITIONS | {"to"}


def _opposite_of_old(question: str, alternatives: tuple[str, str], passage: Passage) -> str | None:
    noun = re.match(r"(?:Which|What|Whose) (\w+)", question)
    if question.startswith("Who") or (noun and noun.group(1).lower() in HUMAN_NOUNS):
        return "younger"
    if all(passage.is_person(alternative) for alternative in alternatives):
        return "younger"
    return "newer" if noun and noun.group(1) not in AUXILIARIES and noun.group(1)[0].islower() else None


def _opposite_of_short(question: str, passage: Passage) -> str | None:
    """What is not long is not tall: the passage, which says how long or how tall, decides."""
    long = bool(re.search(r"\b(?:long|longer|length|lasted|last|yards?|days|kilomet\w+|km|hours?)\b", passage.text))
    tall = bool(re.search(r"\b(?:tall|taller|height|high|higher)\b", passage.text))
    if question.startswith("Who is ") or question.startswith("Who was "):
        return "taller"
    return None if long == tall else "longer" if long else "taller"
