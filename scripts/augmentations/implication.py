"""``implication``: a question that follows from an old one and its answer, answered by a part of the old one.

The idea and the name are of Ribeiro et al. (2019), "Are Red Roses Red? Evaluating Consistency of Question-Answering
Models". "Who wrote Hamlet?", "Shakespeare" -> "What did Shakespeare write?", "Hamlet".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .clauses import Clause, names_people, parse, split_object
from .english import CALENDAR, DETERMINERS, MONTHS, PREPOSITIONS, PRONOUNS, content_keys, is_plural, key, lower_first
from .lexicon import listed
from .passage import Passage
from .registry import Kind, Variant, agreed_answers, register
from .verbs import MAKES_THINGS, PARTICIPLE

_ROLE = re.compile(r"^(?:Who|What) (is|was) the ((?:\w+ )?(\w+)) of ([^?,]+)\?$")
_OFFICES = listed("offices")
# Verbs whose object is no thing of its own: "took charge", "became mayor", "lasted two years".
_LIGHT = listed("light")
# Verbs whose object is often followed by an "of" of their own: "accused Walter of cheating".
_WITH_OF = listed("with of")
# Verbs that may say something of their object: "found the music loud", "elected her mayor".
_SAYS_OF_OBJECT = listed("says of object")
_THING_HEADS = listed("thing heads")
# Verbs whose infinitive takes the object: "promised to reopen the clinic", but "taught him to shoot".
_PROMISES = listed("promises")
_TWO_OBJECTS = listed("two objects")
_ADVERBIAL = listed("adverbial")
_DIRECTIONS = listed("directions")
_YEAR = re.compile(r"^[12]\d{3}$")
_DAY = re.compile(r"^(?:\d{1,2} [A-Z]\w+(?: \d{4})?|[A-Z]\w+ \d{1,2}(?:, \d{4})?)$")


@register
class Implication(Kind):
    """Made only from clauses whose parts the rules are sure of; the answer stands in the passage too."""

    name = "implication"
    answer = "span of the question"

    def variants(self, question: str, references: list, passage: Passage) -> Iterator[Variant]:
        """See :meth:`Kind.variants`."""
        golds = agreed_answers(references)
        if not golds:
            return
        for new, answer, rule in _implied(question, golds, passage):
            if answer[0] in '"“' and answer[-1] in '"”':
                answer = answer[1:-1]
            if answer in question and passage.find(_bare(answer)) and not _repeats(answer, new):
                yield Variant(new, [answer], rule)


def _implied(question: str, golds: list[str], passage: Passage) -> Iterator[tuple[str, str, str]]:
    role = _ROLE.match(question)
    if role is not None and role.group(3) in _OFFICES:
        yield from _of_role(role, golds, passage)
        return
    clause = parse(question, passage)
    if clause is None:
        return
    if clause.asked == "subject":
        yield from _asking_object(clause, golds, passage)
    elif clause.passive:
        yield from _asking_passive_subject(clause, golds, passage)
    else:
        yield from _asking_subject(clause, golds, passage)


def _of_role(role: re.Match[str], golds: list[str], passage: Passage) -> Iterator[tuple[str, str, str]]:
    """``Who was the first president of the college?`` -> ``What was Harriet Cole the first president of?``"""
    holder, of = _noun_phrase(golds, passage), role.group(4)
    if not holder or holder[0].islower() or set(of.lower().split()) & (PREPOSITIONS | PRONOUNS):
        return
    wh = "Who" if passage.is_person(of) else "What"
    yield f"{wh} {role.group(1)} {holder} the {role.group(2)} of?", of, "role"


def _asking_object(clause: Clause, golds: list[str], passage: Passage) -> Iterator[tuple[str, str, str]]:
    """``Who wrote Hamlet?`` -> ``What did Shakespeare write?``"""
    thing, adjunct = split_object(clause.rest)
    subject = _noun_phrase(golds, passage)
    if not thing or not subject or clause.verb in _LIGHT or not _is_adverbial(adjunct) or not _own_thing(thing):
        return
    people = names_people(thing, passage)
    known = passage.type_of(_bare(thing))
    if clause.verb not in MAKES_THINGS and (people is None or (known is not None and known.type == "group")):
        return
    if (clause.verb in _SAYS_OF_OBJECT and len(thing.split()) > 2) or (clause.verb in _WITH_OF and " of " in thing):
        return
    if clause.verb in _TWO_OBJECTS and thing[0].isupper() and thing.split()[-1][0].islower():
        return
    if not _said_once(passage, clause.verb, subject) or _goes_on(passage, thing):
        return
    auxiliary = clause.auxiliary or "did"
    if is_plural(subject.split()[-1]) and subject.split()[-1].islower():
        auxiliary = {"does": "do", "has": "have"}.get(auxiliary, auxiliary)
    verb = PARTICIPLE[clause.verb] if clause.auxiliary in {"had", "has"} else clause.verb
    wh = "Who" if people else "What"
    yield _sentence(wh, auxiliary, subject, clause.adverb, verb, adjunct), thing, "object"


def _asking_subject(clause: Clause, golds: list[str], passage: Passage) -> Iterator[tuple[str, str, str]]:
    """``What did Shakespeare write?`` -> ``Who wrote Hamlet?``"""
    wh = _wh_for(clause.subject, passage)
    if wh == "What" and clause.verb == "call":
        return
    if wh is None or clause.verb in _LIGHT - {"want"} or set(clause.rest.lower().split()) & PRONOUNS:
        return
    behind = _behind_verb(clause, golds, passage)
    if behind is None:
        return
    if clause.asked == "number" and not _number_is_his(behind, clause.subject, passage):
        return
    asked_for = golds[0] if clause.asked != "number" else behind
    if _sentences_with(passage, clause.verb, asked_for) > 1:
        return
    yield _sentence(wh, clause.finite, behind), clause.subject, f"subject of {clause.asked}"


def _behind_verb(clause: Clause, golds: list[str], passage: Passage) -> str | None:
    """The answer put back into the clause, behind its verb."""
    rest = clause.rest.split()
    ends_open = bool(rest) and rest[-1].lower() in PREPOSITIONS
    if clause.asked in {"time", "place"} and clause.adverb:
        return None  # "when did he first visit it" is not "who first visited it"
    if clause.asked == "time":
        when = _when(golds, passage)
        return f"{clause.rest} {when}".strip() if when and not ends_open else None
    if clause.asked == "place":
        where = _first_bare(golds) if ends_open else _where(golds, passage)
        timed = (
            bool(rest)
            and not ends_open
            and rest[0] in {"in", "on", "at", "after", "before", "during", "until", "since"}
        )
        return (f"{where} {clause.rest}" if timed else f"{clause.rest} {where}").strip() if where else None
    if clause.asked == "number":
        number, noun = golds[0], clause.wh[len("How many ") :]
        return f"{number} {noun} {clause.rest}".strip() if number.isdigit() and rest[:1] != ["to"] else None
    answer = _noun_phrase(golds, passage)
    if not answer:
        return None
    if not rest:
        return answer
    if len(rest) == 2 and rest[0] == "to" and clause.verb not in _PROMISES:
        return f"{answer} {clause.rest}" if clause.wh.lower() in {"who", "whom"} else None
    if ends_open or (len(rest) == 2 and rest[0] == "to"):
        return f"{clause.rest} {answer}" if not any(w in _ADVERBIAL for w in rest[:-1] if w != "to") else None
    if clause.verb == "call" or (clause.verb in _TWO_OBJECTS and rest[0].lower() not in PREPOSITIONS):
        end = next((i for i, word in enumerate(rest) if word.lower() in PREPOSITIONS), len(rest))
        return " ".join([*rest[:end], answer, *rest[end:]]) if clause.wh.lower() == "what" else None
    if len(rest) > 1 and rest[0].lower() in PREPOSITIONS and rest[1].lower() in PREPOSITIONS:
        return f"{rest[0]} {answer} {' '.join(rest[1:])}"
    if rest[0].lower() in PREPOSITIONS or rest[0] in {"last", "first"}:
        return f"{answer} {clause.rest}"
    return None


def _asking_passive_subject(clause: Clause, golds: list[str], passage: Passage) -> Iterator[tuple[str, str, str]]:
    """``When was the bridge widened?`` -> ``What was widened in 1934?``"""
    people = names_people(clause.subject, passage)
    if clause.auxiliary != "was" or set(clause.subject.lower().split()) & PRONOUNS:
        return
    if people is None and clause.verb not in MAKES_THINGS:
        return
    when = _when(golds, passage) if clause.asked == "time" else _where(golds, passage)
    if not when or _sentences_with(passage, clause.verb, golds[0]) > 1:
        return
    participle = "born" if clause.verb == "bear" else PARTICIPLE[clause.verb]
    wh = "Who" if people else "What"
    yield _sentence(wh, "was", clause.adverb, participle, clause.rest, when), clause.subject, "passive subject"


def _sentence(*parts: str) -> str:
    return " ".join(part for part in parts if part) + "?"


def _bare(phrase: str) -> str:
    return re.sub(r"^(?:the|a|an) ", "", phrase, flags=re.IGNORECASE)


def _repeats(answer: str, question: str) -> bool:
    return f" {_bare(answer).lower()} " in f" {question.rstrip('?').lower()} "


def _first_bare(golds: Iterable[str]) -> str | None:
    """The first form of the answer that is a noun phrase."""
    for gold in golds:
        tokens = gold.split()
        clean = len(tokens) <= 6 and not set(gold) & set(',;:"“”()') and not gold.endswith(".")
        if clean and tokens[0].lower() not in PREPOSITIONS and not set(gold.lower().split()) & PRONOUNS:
            return gold
    return None


def _noun_phrase(golds: list[str], passage: Passage) -> str | None:
    """The form of the answer to be used in a sentence: with its article where the passage gives it one."""
    with_article = [gold for gold in golds if gold.split()[0].lower() in DETERMINERS]
    found = _first_bare(with_article) or _first_bare(golds)
    if found is None or found.split()[0].lower() in {"that", "to", "because"}:
        return None
    if found.split()[0] in {"The", "A", "An"}:
        found = lower_first(found)
    if found.split()[0] not in DETERMINERS:
        last = found.split()[-1]
        if (
            last[0].isupper()
            and is_plural(last)
            and not passage.is_person(found)
            and passage.word_before(found) != {"the"}
        ):
            return None  # "Denver Broncos" wants an article here
        if found[0].islower() and passage.word_before(found) <= DETERMINERS and passage.word_before(found):
            return f"the {found}" if "the" in passage.word_before(found) else None
        if passage.word_before(found) == {"the"}:
            found = f"the {found}"
    return found


def _wh_for(subject: str, passage: Passage) -> str | None:
    """The question word that asks for a subject."""
    if set(subject.lower().split()) & PRONOUNS:
        return None
    people = names_people(subject, passage)
    known = passage.type_of(_bare(subject))
    if people or (known is not None and known.type == "group"):
        return "Who"
    if not subject.startswith("the ") or people is not False:
        return None
    head = subject.split(" of ")[0].split()[-1]
    return "What" if head[0].islower() or head.lower() in _THING_HEADS else None


def _when(golds: list[str], passage: Passage) -> str | None:
    """The answer to "when" as an adverbial: "in 1876", "on 4 May 1876"."""
    for gold in golds:
        words = gold.lower().split()
        if words[0] in {"in", "on"} and (CALENDAR & set(words) or any(word.isdigit() for word in words)):
            return lower_first(gold)
    answer = golds[0]
    if _YEAR.match(answer) or answer.lower() in MONTHS:
        return f"in {answer}"
    if _DAY.match(answer) or answer.lower() in CALENDAR:
        return f"on {answer}"
    return None


def _where(golds: list[str], passage: Passage) -> str | None:
    """The answer to "where" as an adverbial, with the preposition that the passage has."""
    for gold in golds:
        if gold.split()[0].lower() in _DIRECTIONS and len(gold.split()) <= 7:
            return lower_first(gold)
    answer = _first_bare(golds)
    before = passage.word_before(answer) if answer else set()
    return f"{next(iter(before))} {answer}" if len(before) == 1 and before <= _DIRECTIONS else None


def _is_adverbial(adjunct: str) -> bool:
    """Whether what follows an object surely belongs to the verb and not to the object."""
    words = adjunct.lower().split()
    if not words:
        return True
    if words[0] == "on":
        return bool(set(words) & (CALENDAR | {"day"}))
    return words[0] in _ADVERBIAL | {"last", "this"}


def _own_thing(thing: str) -> bool:
    """Whether an object can be asked for with "what" or "who": a noun phrase, no measure and no adjective."""
    first = thing.split()[0]
    if first.lower() in DETERMINERS:
        return len(thing.split()) > 1 and first.lower() not in {"no", "any", "this", "that", "these"}
    return first[0].isupper() or first[0] in '"“$' or first[0].isdigit() or is_plural(thing) or len(thing.split()) <= 3


def _goes_on(passage: Passage, thing: str) -> bool:
    """Whether the passage goes on with more of the same behind a phrase ("the violin and the flute")."""
    bare = _bare(thing.strip('"“”'))
    behind = [passage.text[start + len(bare) : start + len(bare) + 20] for start in passage.find(bare)]
    return any(re.match(r"[\"”]?,? (?:and|or) (?:the |a |an |his |her |[A-Z0-9])", text) for text in behind)


def _said_once(passage: Passage, verb: str, subject: str) -> bool:
    """Whether at most one sentence says that a subject, or a pronoun that may stand for it, does something."""
    verb_key, mentions = key(verb), passage.mentions(subject)
    subject_keys = content_keys(subject)
    count = 0
    for i, sentence in enumerate(passage.sentences):
        if verb_key in passage.keys[i]:
            about = (
                i in mentions or subject_keys <= passage.keys[i] or sentence.startswith(("He ", "She ", "It ", "They "))
            )
            count += about
    return count <= 1


def _sentences_with(passage: Passage, verb: str, phrase: str) -> int:
    """How many sentences hold a form of a verb and all the words of a phrase."""
    wanted = content_keys(phrase) | {key(verb)}
    return sum(wanted <= keys for keys in passage.keys)


def _number_is_his(counted: str, subject: str, passage: Passage) -> bool:
    """Whether one sentence alone has a number with its noun, and names the subject."""
    number, noun = counted.split()[:2]
    holding = [i for i, keys in enumerate(passage.keys) if {number, key(noun)} <= keys]
    return len(holding) == 1 and len(passage.find(number)) == 1 and holding[0] in passage.mentions(subject)
