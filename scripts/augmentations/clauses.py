"""The clause behind a question: who did what, and which part is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from .english import AUXILIARIES, DETERMINERS, PREPOSITIONS, PRONOUNS, TIME_NOUNS, WH_WORDS, WORD, is_human, is_plural
from .lexicon import listed
from .passage import Passage
from .verbs import (
    BASE_OF_PARTICIPLE,
    BASE_OF_PAST,
    BASE_OF_THIRD_PERSON,
    NOUN_TOO,
    PARTICIPLE,
    PAST,
    third_person,
)

_ADVERBS = listed("adverbs")
_TRAILING = _ADVERBS | listed("trailing")
_DEGREES = listed("degrees")
_RELATIVES = listed("relatives")


@dataclass(frozen=True, slots=True)
class Clause:
    """A question taken apart.

    Attributes:
        asked: ``subject`` ("Who wrote Hamlet?"), ``object`` ("What did he write?"), ``time``, ``place``, ``number``.
        wh: The question words: "Who", "Which company", "In what year".
        auxiliary: "did", "does", "do", "was", "were", "had", "has"; empty in "Who wrote".
        subject: The subject, empty where it is asked for.
        adverb: "first" in "Who first described", else empty.
        verb: Base form of the verb.
        passive: Whether the verb is in the passive.
        rest: What follows the verb, without the question mark.
    """

    asked: str
    wh: str
    auxiliary: str
    subject: str
    adverb: str
    verb: str
    passive: bool
    rest: str

    @property
    def finite(self) -> str:
        """The verb as it follows a third-person subject: "wrote", "writes", "had stolen", "was built"."""
        if self.passive or self.auxiliary in {"had", "has"}:
            verb = f"{self.auxiliary} {PARTICIPLE[self.verb]}"
        elif self.auxiliary == "does" or self.auxiliary == "do":
            verb = third_person(self.verb)
        else:
            verb = PAST[self.verb]
        return f"{self.adverb} {verb}" if self.adverb and not self.passive else verb


def parse(question: str, passage: Passage) -> Clause | None:
    """Take a question apart, where its parts are certain.

    Args:
        question: A question.
        passage: The passage, whose grammar confirms the verb.

    Returns:
        The clause, or None where its form is unknown or ambiguous.
    """
    text = question.strip()
    if not text.endswith("?") or "," in text or " or " in text or text.count("?") != 1 or '" "' in text:
        return None
    tokens = text[:-1].split()
    lower = [token.lower() for token in tokens]
    if len(tokens) < 3:
        return None
    size = _wh_size(lower)
    if not size:
        return None
    wh, asked = " ".join(tokens[:size]), _asked(lower[:size])
    if lower[size] in {"did", "does", "do"} and asked:
        clause = _with_do(tokens, size, wh, asked)
    elif lower[size] in {"was", "were"} and asked in {"time", "place"}:
        clause = _passive(tokens, size, wh, asked)
    elif lower[size] in {"was", "were"} and lower[0] == "who" and "by" in lower:
        clause = _passive_object(tokens, size, wh)
    elif lower[0] in {"who", "what", "which"}:
        clause = _subject_asked(tokens, size, wh)
    else:
        return None
    if clause is None or not _confirmed(question, clause, passage):
        return None
    return clause


def _confirmed(question: str, clause: Clause, passage: Passage) -> bool:
    forms = {clause.verb, PAST[clause.verb], PARTICIPLE[clause.verb], third_person(clause.verb)}
    return any(passage.grammar.is_verb(question, m.start()) for m in WORD.finditer(question) if m.group() in forms)


def _wh_size(lower: list[str]) -> int:
    """How many tokens the question words take: 1 for "who", 2 for "which company", 3 for "in what year"."""
    start = 1 if lower[0] in {"in", "on", "at", "from", "to"} else 0
    if lower[start] not in WH_WORDS:
        return 0
    if start and lower[start] not in {"what", "which"}:
        return 0
    if lower[start] == "how":
        many = lower[1:2] == ["many"]
        ends = [i for i in range(2, min(6, len(lower))) if lower[i] in AUXILIARIES]
        return ends[0] if many and ends else 0
    if lower[start] not in {"what", "which"}:
        return start + 1
    for i in range(start + 1, min(start + 4, len(lower))):
        word = lower[i]
        if word in AUXILIARIES or ((word in BASE_OF_PAST or word in BASE_OF_THIRD_PERSON) and not start):
            return i
        if word in PREPOSITIONS or word in DETERMINERS or word in PRONOUNS or word == "of":
            return 0
    return 0


def _asked(wh: list[str]) -> str:
    if wh[0] == "when" or (wh[-1] in TIME_NOUNS and wh[0] in {"in", "on", "what", "which"}):
        return "time"
    if wh[0] == "where":
        return "place"
    if wh[0] == "how":
        return "number"
    if wh[0] in {"who", "whom", "what", "which"}:
        return "object"
    return ""


def _with_do(tokens: list[str], size: int, wh: str, asked: str) -> Clause | None:
    """``What did Shakespeare write in 1600?``"""
    end = _noun_phrase_end(tokens, size + 1)
    if end is None:
        return None
    adverb = tokens[end - 1] if tokens[end - 1] in _ADVERBS else ""
    subject = " ".join(tokens[size + 1 : end - bool(adverb)])
    if not subject:
        return None
    return Clause(asked, wh, tokens[size].lower(), subject, adverb, tokens[end], False, " ".join(tokens[end + 1 :]))


def _noun_phrase_end(tokens: list[str], start: int) -> int | None:
    """Index of the base-form verb that ends the subject starting at ``start``."""
    for i in range(start, min(start + 8, len(tokens))):
        word = tokens[i]
        if (
            i > start
            and word in PAST
            and tokens[i - 1].lower() not in DETERMINERS | {"of", "his", "her", "its", "their"}
        ):
            follower = tokens[i + 1] if i + 1 < len(tokens) else ""
            if word in NOUN_TOO and follower in PAST and not tokens[i - 1][0].isupper():
                return None if follower in NOUN_TOO and i + 2 < len(tokens) and tokens[i + 2] in PAST else i + 1
            return i
        if word.lower() in (PREPOSITIONS | _RELATIVES | AUXILIARIES | {"and"}) - {"of"}:
            return None
    return None


def _passive(tokens: list[str], size: int, wh: str, asked: str) -> Clause | None:
    """``When was the bridge built by the Romans?``"""
    for i in range(size + 2, min(size + 10, len(tokens))):
        word = tokens[i]
        first = word in _ADVERBS and i + 1 < len(tokens) and tokens[i + 1] in BASE_OF_PARTICIPLE
        if first or word in BASE_OF_PARTICIPLE or word == "born":
            at = i + 1 if first else i
            verb = "bear" if tokens[at] == "born" else BASE_OF_PARTICIPLE[tokens[at]]
            subject = " ".join(tokens[size + 1 : i])
            if tokens[-1].lower() in PREPOSITIONS:
                return None
            adverb = word if first else ""
            return Clause(asked, wh, tokens[size].lower(), subject, adverb, verb, True, " ".join(tokens[at + 1 :]))
        if word.lower() in (PREPOSITIONS | _RELATIVES | AUXILIARIES | {"and"}) - {"of"}:
            return None
    return None


def _passive_object(tokens: list[str], size: int, wh: str) -> Clause | None:
    """``Who was convicted by the jury on Friday?``: the subject of the active clause is the jury."""
    verb = tokens[size + 1]
    if verb not in BASE_OF_PARTICIPLE or tokens[size + 2 : size + 3] != ["by"]:
        return None
    agent, adjunct = split_object(" ".join(tokens[size + 3 :]))
    base = BASE_OF_PARTICIPLE[verb]
    return Clause("object", wh, "did", agent, "", base, False, adjunct) if agent else None


def _subject_asked(tokens: list[str], size: int, wh: str) -> Clause | None:
    """``Who wrote Hamlet?``, ``Which company had first sold it?``"""
    i, auxiliary, adverb = size, "", ""
    if tokens[i] in _ADVERBS:
        adverb, i = tokens[i], i + 1
    if i < len(tokens) and tokens[i] in {"had", "has"} and tokens[i + 1 : i + 2]:
        if tokens[i + 1] not in BASE_OF_PARTICIPLE:
            return None
        auxiliary, verb = tokens[i], BASE_OF_PARTICIPLE[tokens[i + 1]]
        i += 1
    elif i < len(tokens) and tokens[i] in BASE_OF_PAST:
        verb = BASE_OF_PAST[tokens[i]]
    elif i < len(tokens) and tokens[i] in BASE_OF_THIRD_PERSON:
        auxiliary, verb = "does", BASE_OF_THIRD_PERSON[tokens[i]]
    else:
        return None
    return Clause("subject", wh, auxiliary, "", adverb, verb, False, " ".join(tokens[i + 1 :]))


def split_object(rest: str) -> tuple[str, str]:
    """Split what follows a verb into its object and what stands behind the object.

    Args:
        rest: "the bridge in 1876".

    Returns:
        ("the bridge", "in 1876"); ("", "") where there is no object, or where the split is not certain.
    """
    tokens = rest.split()
    nothing = ("", "")
    if not tokens or not tokens[0][0].isalnum() and tokens[0][0] not in "\"'“$":
        return nothing
    quoted = tokens[0][0] in '"“'
    end = len(tokens)
    for i, token in enumerate(tokens):
        if quoted:
            quoted = not token.endswith(('"', "”"))
            continue
        word = token.lower()
        if word in _RELATIVES or word in AUXILIARIES or word in {"to", "and", "as", "not"} and word != "to":
            return nothing
        if (word in PREPOSITIONS and word != "of") or (word in {"last", "next", "this", "each", "every"} and i):
            end = i
            break
    if any(token.lower() in _RELATIVES | AUXILIARIES | {"and"} for token in tokens[end:]):
        return nothing
    thing, adjunct = tokens[:end], tokens[end:]
    if not thing or len(thing) > 7 or quoted:
        return nothing
    if any(token.lower() in PRONOUNS for token in tokens) or thing[0].lower() in {"out", "away", "back", "that"}:
        return nothing
    if adjunct[:1] == ["to"] and adjunct[1:2] and adjunct[1] in PAST:
        return nothing
    if adjunct and (adjunct[-1].lower() in PREPOSITIONS or adjunct[-1] == "of"):
        return nothing
    if any(token in BASE_OF_PAST and token not in NOUN_TOO for token in thing[1:]) or thing[-1].lower() in _TRAILING:
        return nothing
    if {token.lower() for token in thing} & _DEGREES or _second_noun_phrase(thing):
        return nothing
    return " ".join(thing), " ".join(adjunct)


def _second_noun_phrase(tokens: list[str]) -> bool:
    """Whether an article begins something new: "the college a hall", not "the walls of the city"."""
    return any(tokens[i].lower() in DETERMINERS and tokens[i - 1].lower() != "of" for i in range(1, len(tokens)))


def names_people(phrase: str, passage: Passage) -> bool | None:
    """Whether a noun phrase names people; None where that is not certain."""
    if passage.is_person(phrase):
        return True
    if phrase.split(" of ")[0].split()[-1][:1].islower() and is_human(phrase):
        return True
    bare = phrase.removeprefix("the ").removeprefix("The ")
    known = passage.type_of(bare)
    if known is not None:
        return known.type == "person"
    if bare.split()[-1][:1].islower() or phrase[:1] in '"“' or phrase[:1].isdigit():
        return False
    if phrase != bare and not is_plural(bare):
        return False
    return None
