"""``sear``: semantically equivalent rewordings, each by one rule of the table ``RULES``.

The idea and the name are of Ribeiro et al. (2018), "Semantically Equivalent Adversarial Rules for Debugging NLP
Models".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .clauses import parse
from .english import AUXILIARIES, PREPOSITIONS, PRONOUNS, WH_WORDS, lower_first
from .passage import Passage
from .registry import Kind, Variant, agreed_answers, register
from .verbs import BASE_OF_PAST, BASE_OF_THIRD_PERSON

_ASKED_NOUNS = (
    "year|month|day|century|decade|country|city|town|state|river|island|company|team|player|language|word|position|"
    "school|college|university|war|battle|book|film|song|award|prize|country|party|group|event|animal|planet|colour|"
    "color|newspaper|airline|hospital|street|station|agency|organisation|organization"
)
_NO_NOUNS = frozenset(
    AUXILIARIES | BASE_OF_PAST.keys() | BASE_OF_THIRD_PERSON.keys() | PREPOSITIONS | PRONOUNS | {"of", "two", "three"}
)
_YEAR = re.compile(r"^(?:in )?[12]\d{3}$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to reword a question.

    Attributes:
        name: What the rule is called in reports.
        example: A question that it rewords.
        reworded: What becomes of the example.
        apply: Takes a question, its answers and the passage; gives the new question, or None where it does not apply.
    """

    name: str
    example: str
    reworded: str
    apply: Callable[[str, list[str], Passage], str | None]


def _replace(pattern: str, replacement: str) -> Callable[[str, list[str], Passage], str | None]:
    compiled = re.compile(pattern)

    def apply(question: str, golds: list[str], passage: Passage) -> str | None:
        new, count = compiled.subn(replacement, question, count=1)
        return new if count else None

    return apply


def _which_to_what(question: str, golds: list[str], passage: Passage) -> str | None:
    """``Which team`` asks for the same as ``What team``; "Which of them", "Which is" are left alone."""
    words = question.split()
    at = 1 if words[0] in {"In", "On", "At", "For", "From", "By", "To"} else 0
    if len(words) < at + 3 or words[at].lower() != "which":
        return None
    noun = words[at + 1].lower()
    if not noun.isalpha() or noun in _NO_NOUNS:
        return None
    words[at] = "What" if at == 0 else "what"
    return " ".join(words)


def _when_to_year(question: str, golds: list[str], passage: Passage) -> str | None:
    """Only where the answer is a year."""
    if not golds or not all(_YEAR.match(gold) for gold in golds) or not re.match(r"When (?:did|was|were) ", question):
        return None
    return "In what year " + question[len("When ") :]


def _cleft(question: str, golds: list[str], passage: Passage) -> str | None:
    """``When did it begin?`` -> ``When was it that it began?``; ``Who wrote it?`` -> ``Who was it that wrote it?``"""
    clause = parse(question, passage)
    if clause is None or clause.passive or clause.auxiliary not in {"", "did"} or clause.adverb:
        return None
    if clause.asked == "subject":
        return f"Who was it that {clause.finite} {clause.rest}?" if clause.wh == "Who" and clause.rest else None
    if clause.wh in {"When", "Where"} and clause.subject:
        return f"{clause.wh} was it that {clause.subject} {clause.finite} {clause.rest}".strip() + "?"
    return None


def _so(question: str, golds: list[str], passage: Passage) -> str | None:
    if question.split()[0].lower() not in WH_WORDS or not question.endswith("?"):
        return None
    return f"So {lower_first(question)}"


RULES = (
    Rule(
        "what_is",
        "What is the capital of Peru?",
        "What's the capital of Peru?",
        _replace(r"^What is (?!\w+\?)", "What's "),
    ),
    Rule(
        "who_is",
        "Who is the mayor of Lima?",
        "Who's the mayor of Lima?",
        _replace(r"^Who is (?=the |a |an )", "Who's "),
    ),
    Rule(
        "where_is",
        "Where is the statue kept?",
        "Where's the statue kept?",
        _replace(r"^Where is (?=\w+ \w)", "Where's "),
    ),
    Rule(
        "what_s",
        "What's the capital of Peru?",
        "What is the capital of Peru?",
        _replace(r"^What's (?=the |a |an )", "What is "),
    ),
    Rule("which_what", "Which team won the cup?", "What team won the cup?", _which_to_what),
    Rule(
        "what_which",
        "What year did the war begin?",
        "Which year did the war begin?",
        _replace(rf"^What (?=(?:{_ASKED_NOUNS})\b)", "Which "),
    ),
    Rule(
        "in_what",
        "In what year did she die?",
        "In which year did she die?",
        _replace(r"^In what (?=\w+ )", "In which "),
    ),
    Rule("when_year", "When was the bridge built?", "In what year was the bridge built?", _when_to_year),
    Rule(
        "year_when",
        "In what year did she die?",
        "When did she die?",
        _replace(r"^(?:In )?(?:[Ww]hat|[Ww]hich) year (?=(?:did|was|were) [^?]*\?$)(?!.* or )", "When "),
    ),
    Rule("cleft", "Who wrote the report?", "Who was it that wrote the report?", _cleft),
    Rule(
        "located",
        "Where is the dock located?",
        "Where can the dock be found?",
        _replace(r"^Where is ([^?,]+) located\?$", r"Where can \1 be found?"),
    ),
    Rule(
        "name_of",
        "What is the name of the spy?",
        "What is the spy called?",
        _replace(r"^What (is|was) the name of (the [^?,]+)\?$", r"What \1 \2 called?"),
    ),
    Rule(
        "for_what_reason",
        "Why did he resign?",
        "For what reason did he resign?",
        _replace(r"^Why (?=did|does|was|were|is)", "For what reason "),
    ),
    Rule(
        "kind_type",
        "What kind of bird is it?",
        "What type of bird is it?",
        _replace(r"^What (?:kind|sort) of ", "What type of "),
    ),
    Rule(
        "type_kind",
        "What type of bird is it?",
        "What kind of bird is it?",
        _replace(r"^What type of ", "What kind of "),
    ),
    Rule(
        "did_not", "Who did not sign it?", "Who didn't sign it?", _replace(r"\b(did|does|was|were|is) not\b", r"\1n't")
    ),
    Rule("so", "Who wrote the report?", "So who wrote the report?", _so),
    Rule("double_mark", "Who wrote the report?", "Who wrote the report??", _replace(r"(?<=\w)\?$", "??")),
)


@register
class Sear(Kind):
    """One variant for each rule that applies."""

    name = "sear"
    answer = "same"

    def variants(self, question: str, references: list, passage: Passage) -> Iterator[Variant]:
        """See :meth:`Kind.variants`."""
        if not question.strip():
            return
        golds = agreed_answers(references)
        for rule in RULES:
            new = rule.apply(question, golds, passage)
            if new is not None and new != question:
                yield Variant(new, references, rule.name)
