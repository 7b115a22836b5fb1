"""The two alternatives that a question names: "Which is older, the mill or the bridge?"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from metrics.shared.squad_normalization import squad_normalised

from .english import AUXILIARIES, DETERMINERS, WORD
from .names import capitalised_runs
from .passage import Passage
from .registry import agreed_answers

_OR = re.compile(r",? or ")
_OPENING = re.compile(r"^(?:In|During|After|At|Between|On|Before|As of|By) (?!which |what )[^,]*, ")
_LEADING_AUXILIARY = re.compile(rf"^(?:{'|'.join(sorted(AUXILIARIES))}) ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Choice:
    """Two alternatives of a question and which of them is the answer.

    Attributes:
        question: The question.
        first: (start, end) of the first alternative.
        second: (start, end) of the second.
        answer: 0 or 1: the alternative that is right.
    """

    question: str
    first: tuple[int, int]
    second: tuple[int, int]
    answer: int

    @property
    def alternatives(self) -> tuple[str, str]:
        """Both alternatives as the question has them."""
        return self.question[slice(*self.first)], self.question[slice(*self.second)]

    @property
    def other(self) -> str:
        """The alternative that is wrong."""
        return self.alternatives[1 - self.answer]


def find_choice(question: str, references: list, passage: Passage) -> Choice | None:
    """Find the two alternatives of a question.

    Args:
        question: A question.
        references: Its acceptable answers.
        passage: The passage.

    Returns:
        The alternatives, or None unless the question has exactly two, both stand in the passage and exactly one of
        them is the answer.
    """
    golds = [squad_normalised(answer) for answer in agreed_answers(references)]
    separators = list(_OR.finditer(question))
    if not golds or len(separators) != 1:
        return None
    separator = separators[0]
    found = (
        _behind_comma(question, separator)
        or _behind_auxiliary(question, separator)
        or _last_phrase(question, separator)
    )
    if found is None:
        return None
    first, second = found
    alternatives = [squad_normalised(question[slice(*span)]) for span in (first, second)]
    if alternatives[0] == alternatives[1] or not all(alternatives):
        return None
    if not all(
        alternative in golds or _stands_in(question[slice(*span)], passage)
        for alternative, span in zip(alternatives, (first, second), strict=True)
    ):
        return None
    right = [alternative in golds for alternative in alternatives]
    if sum(right) != 1 or not _same_form(question[slice(*first)], question[slice(*second)]):
        return None
    return Choice(question, first, second, right.index(True))


def _stands_in(phrase: str, passage: Passage) -> bool:
    return bool(passage.find(re.sub(r"^(?:the|a|an) ", "", phrase.strip("\"'“”"), flags=re.IGNORECASE)))


def _behind_comma(question: str, separator: re.Match[str]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """``Which ..., A or B?`` with one comma or colon before A (besides one behind an opening phrase)."""
    opening = _OPENING.match(question)
    body_start = opening.end() if opening and opening.end() < separator.start() else 0
    commas = [i for i in range(body_start, separator.start()) if question[i] in ",:" and question[i + 1 : i + 2] == " "]
    if len(commas) != 1 or not question.endswith("?"):
        return None
    first = (commas[0] + 2, separator.start())
    second = (separator.end(), len(question.rstrip("? ")))
    if "," in question[slice(*second)]:
        return None
    return first, second


def _behind_auxiliary(question: str, separator: re.Match[str]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """``Did A or B ...?``, where A and B are proper names, with article or not."""
    auxiliary = _LEADING_AUXILIARY.match(question)
    if not auxiliary or "," in question:
        return None
    first = (auxiliary.end(), separator.start())
    second_start = separator.end()
    article = re.match(r"the ", question[second_start:])
    name_start = second_start + (article.end() if article else 0)
    for start, end in capitalised_runs(question):
        if start == name_start and WORD.search(question[end:]):
            first_name = first[0] + (4 if question.startswith("the ", first[0]) else 0)
            if (first_name, first[1]) in capitalised_runs(question):
                return first, (second_start, end)
    return None


def _last_phrase(question: str, separator: re.Match[str]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """``... in A or B?`` where both are one word and the last of the question; never an adjective pair."""
    second = (separator.end(), len(question.rstrip("? ")))
    first = re.search(r"[^\s,]+$", question[: separator.start()])
    if not question.endswith("?") or first is None or " " in question[slice(*second)]:
        return None
    if "," in question:
        return None
    before = question[: first.start()].split()
    if not before or before[-1].lower() not in {"in", "at", "of", "more", "fewer", "less", "to", "from"}:
        return None
    return first.span(), second


def _same_form(first: str, second: str) -> bool:
    """Whether two phrases can change places: alike in article, and in the case of their last word."""
    a, b = first.split(), second.split()
    articles = [words[0].lower() in DETERMINERS for words in (a, b)]
    if articles[0] != articles[1] and (articles[0] or not b[1][:1].isupper()):
        return False
    if a[0].lower() in AUXILIARIES or b[0].lower() in AUXILIARIES:
        return False
    return _shape(a[-1]) == _shape(b[-1])


def _shape(word: str) -> str:
    first = word.strip("\"'“”")[:1]
    return "number" if first.isdigit() else "capital" if first.isupper() else "small"
