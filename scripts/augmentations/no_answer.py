"""``no_answer``: a name in the question is replaced by another of its type, about which the passage does not tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .english import (
    CALENDAR,
    PRONOUNS,
    WH_WORDS,
    WORD,
    content_keys,
    key,
    without_possessive,
)
from .lexicon import listed
from .names import Name, capitalised_runs, split_title
from .passage import Passage
from .registry import Kind, Variant, agreed_answers, register

_KINSHIP = listed("kinship")
_DATE = re.compile(r"\b[1-9]\d{2,3}\b(?![,.]\d)")
# What a few words beside a name can tell in many ways ("the mayor, Ann Lee"), so that no rule can be sure.
_TOLD_IN_PASSING = listed("told in passing")
# Words that tell the same: any of a group near the new name is as good as the word that the question has.
_RELATED = [
    frozenset(map(key, group.split()))
    for group in (
        "marry wife husband wedding bride widow divorce spouse",
        "kill murder shoot poison hang stab assassinate execute die death drown dead sink",
        "win beat defeat victory champion victor",
        "write author book novel poem wrote writer novelist chronicle",
        "found establish create form start founder set begin open",
        "build construct erect builder architect design",
        "lead leader command captain head rule govern reign king queen president direct director throne",
        "live settle home house reside estate farm stay",
        "move leave travel flee go come sail ride run return arrive depart emigrate escape",
        "buy purchase acquire sell pay",
        "paint painter draw picture portrait",
        "teach teacher train trainer learn pupil study",
        "own owner belong possess",
        "retire resign leave",
        "receive win award prize medal name honour get",
        "play act star role part sing perform",
        "find discover invent spot",
        "say tell announce report speak state add claim argue call warn reveal think",
        "reject refuse deny dismiss decline",
        "invite ask call summon",
        "wound injure hurt shoot bite",
        "steal rob take thief thieves",
        "fight war attack battle invade besiege",
        "hide bury keep conceal",
        "give offer hand present donate leave lend send gift",
        "arrest catch capture jail prison hold",
        "meet visit see join",
        "help save rescue assist",
        "work job employ hire run",
        "love marry wife husband fiancé",
    )
]
_PRONOUN_START = re.compile(r"^(?:He|She|It|They|His|Her|Their|Its)\b")


@register
class NoAnswer(Kind):
    """The passage must say what is asked of the old name, and nothing like it anywhere near the new one."""

    name = "no_answer"
    answer = "none"

    def variants(self, question: str, references: list, passage: Passage) -> Iterator[Variant]:
        """See :meth:`Kind.variants`."""
        golds = agreed_answers(references)
        if not golds or not _is_open(question):
            return
        for start, end in capitalised_runs(question):
            old = passage.type_of(split_title(question[start:end])[1])
            if old is None or question[:start].endswith(("called ", "named ")):
                continue
            for new in passage.names.values():
                if _fits(old, new, question, golds, passage) and _untold(question, old, new, golds, passage):
                    title = f"{new.title} " if new.title and " " not in new.text else ""
                    yield Variant(question[:start] + title + new.text + question[end:], [""])


def _is_open(question: str) -> bool:
    """Whether a question asks for something that only a passage can tell: no choice, no yes or no, no count."""
    tokens = [token.lower() for token in WORD.findall(question)]
    if not tokens or not question.rstrip().endswith("?") or " or " in question:
        return False
    opening = tokens[1] if tokens[0] in {"in", "on", "at", "from", "to", "by", "for"} and len(tokens) > 1 else tokens[0]
    if opening not in WH_WORDS or "many" in tokens or "much" in tokens or "how" in tokens:
        return False
    return not (PRONOUNS - {"one", "ones"} | _KINSHIP | _TOLD_IN_PASSING | {"both", "other", "also", "else"}) & set(
        tokens[1:]
    )


def _fits(old: Name, new: Name, question: str, golds: list[str], passage: Passage) -> bool:
    """Whether a name can stand where the old one stands, and is not part of the question or its answer."""
    taken = {without_possessive(word) for text in [question, *golds, old.text] for word in WORD.findall(text)}
    if new.type != old.type or new.with_the != old.with_the:
        return False
    if any(new.text in known.short_forms for known in passage.names.values()):
        return False
    # A group's number must agree with its verb: the Hawks play, the company plays.
    same_number = new.type != "group" or new.text.endswith("s") == old.text.endswith("s")
    return same_number and not any(part in taken for part in new.text.split() if part[0].isupper())


def _untold(question: str, old: Name, new: Name, golds: list[str], passage: Passage) -> bool:
    """Whether the passage tells the asked of the old name in its own words, and nothing like it of the new one."""
    ignored = content_keys(old.text) | {key(word) for word in CALENDAR}
    asked = {word for word in content_keys(question) - ignored if not word.isdigit()}
    related = asked.union(*(group for group in _RELATED if group & asked))
    told = {i for i, keys in enumerate(passage.keys) if related & keys}
    if not any(asked & passage.keys[i] for i in passage.mentions(old.text)):
        return False
    about = _sentences_about(new, passage)
    if not about or about & told:
        return False
    if _asks_time(question):
        return not any(_DATE.search(passage.sentences[i]) or _names_a_day(passage.words[i]) for i in about)
    return not any(passage.find(gold) and passage.mentions(gold) & about for gold in golds)


def _sentences_about(name: Name, passage: Passage) -> set[int]:
    """Sentences that mention a name, and those that go on about it or led to it.

    Also those that mention its role ("the surgeon"), the next sentence, more that begin with a pronoun, and the one
    before where the name stands beside a pronoun ("Her companions were Nils and Robert.").
    """
    about = set(passage.mentions(name.text))
    about |= {i for i, found in enumerate(passage.words) if found & name.roles}
    about |= {i - 1 for i in about if i and PRONOUNS & {word.lower() for word in passage.words[i]}}
    for i in sorted(about):
        j = i + 1
        while j < len(passage.sentences) and (j == i + 1 or _PRONOUN_START.match(passage.sentences[j])):
            about.add(j)
            j += 1
    return about


def _asks_time(question: str) -> bool:
    tokens = question.lower().split()
    return tokens[0] == "when" or bool({"year", "day", "month", "century", "decade", "date"} & set(tokens[:4]))


def _names_a_day(words: Iterable[str]) -> bool:
    return any(word[0].isupper() and word.lower() in CALENDAR for word in words)
