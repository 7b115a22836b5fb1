"""``invert_choice``: "... A or B?" asked as "... B or A?"."""

from __future__ import annotations

from collections.abc import Iterator

from .choices import find_choice
from .passage import Passage
from .registry import Kind, Variant, register


@register
class InvertChoice(Kind):
    """The two alternatives change places; the answer stays."""

    name = "invert_choice"
    answer = "same"

    def variants(self, question: str, references: list, passage: Passage) -> Iterator[Variant]:
        """See :meth:`Kind.variants`."""
        choice = find_choice(question, references, passage)
        if choice is None:
            return
        first, second = choice.alternatives
        between = question[choice.first[1] : choice.second[0]]
        yield Variant(question[: choice.first[0]] + second + between + first + question[choice.second[1] :], references)
