"""Kinds of variants: what each must offer, and the table they register themselves in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from metrics.shared.squad_normalization import squad_normalised

from .passage import Passage


@dataclass(frozen=True, slots=True)
class Variant:
    """A question made from another one.

    Attributes:
        question: The new question.
        references: Its acceptable answers, in the shape of the original's.
        rule: Which of its kind's rules made it, where the kind has several.
    """

    question: str
    references: list
    rule: str = ""


class Kind:
    """A kind of variants. A subclass in a module of this folder, with the decorator ``register``, is all it takes."""

    name: ClassVar[str]
    answer: ClassVar[str]  # "same", "other choice", "span of the question" or "none"

    def variants(self, question: str, references: list, passage: Passage) -> Iterator[Variant]:
        """Make every variant that is certain to be right; nothing where the preconditions do not hold.

        Args:
            question: The original question.
            references: Its acceptable answers: strings, or lists of strings for an answer of several spans.
            passage: The passage that both are about.
        """
        raise NotImplementedError


KINDS: dict[str, Kind] = {}


def register(kind: type[Kind]) -> type[Kind]:
    """Put a kind into the table, under its name."""
    KINDS[kind.name] = kind()
    return kind


def agreed_answers(references: list) -> list[str]:
    """The acceptable answers, if they are forms of one answer: the words of the shortest stand in all others.

    Args:
        references: Acceptable answers.

    Returns:
        The answers without repetition in their order, or nothing where they differ, are empty or have several spans.
    """
    if not references or not all(isinstance(answer, str) and answer.strip() for answer in references):
        return []
    bags = [set(squad_normalised(answer).split()) for answer in references]
    shortest = min(bags, key=len)
    return list(dict.fromkeys(references)) if shortest and all(shortest <= bag for bag in bags) else []
