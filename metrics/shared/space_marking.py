"""Why a pair gets its score: which units match, which do not, and what the normalisation removed.

Nothing here scores for the record: the figures come from the protocols, and the marks must lead to the same ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal

from .protocol import Side
from .space_tracing import TracedText, Unit

Kind = Literal["match", "differ", "repeat", "removed", "space"]
"""``repeat``: a unit that stands earlier in the text already, where the protocol counts it once."""


@dataclass(frozen=True)
class Segment:
    """A stretch of an original text.

    Attributes:
        text: the stretch as it stands in the text.
        kind: what becomes of it.
        form: what is compared in its place; empty where it is removed.
    """

    text: str
    kind: Kind
    form: str = ""


@dataclass(frozen=True)
class Match:
    """Two lists of units compared: the kind of each unit, and the counts that F1 is made of."""

    prediction: list[Kind]
    answer: list[Kind]
    same: int
    predicted: int
    gold: int

    @property
    def f1(self) -> float:
        """2 · same / (predicted + gold), 0 where nothing matches."""
        return 2 * self.same / (self.predicted + self.gold) if self.same else 0.0


@dataclass(frozen=True)
class Marking:
    """A prediction beside one acceptable answer, as one protocol sees them.

    Attributes:
        prediction: the segments of each of its spans.
        answer: the same of the answer.
        compared: the two normalised texts that exact match compares.
        exact: whether they count as an exact match.
        f1: the F1 that follows from the marks; None where the protocol has none, NaN where it does not count the pair.
        reason: how F1 comes about, in a sentence.
    """

    prediction: list[list[Segment]]
    answer: list[list[Segment]]
    compared: tuple[str, str]
    exact: bool
    f1: float | None
    reason: str


Marker = Callable[[Side, Side, str | None], Marking]
"""(prediction, answer, dataset) -> how a protocol compares the two."""


def as_bags(prediction: Sequence[Unit], answer: Sequence[Unit]) -> Match:
    """Units in common, each as often as it stands on both sides."""
    shared = Counter(unit.form for unit in prediction) & Counter(unit.form for unit in answer)
    kinds: list[list[Kind]] = []
    for side in (prediction, answer):
        left = Counter(shared)
        kinds.append([])
        for unit in side:
            kinds[-1].append("match" if left[unit.form] > 0 else "differ")
            left[unit.form] -= 1
    return Match(kinds[0], kinds[1], shared.total(), len(prediction), len(answer))


def as_sets(prediction: Sequence[Unit], answer: Sequence[Unit]) -> Match:
    """Units in common, each counted once."""
    sets = [{unit.form for unit in side} for side in (prediction, answer)]
    shared = sets[0] & sets[1]
    kinds: list[list[Kind]] = []
    for side in (prediction, answer):
        seen: set[str] = set()
        kinds.append([])
        for unit in side:
            kinds[-1].append("repeat" if unit.form in seen else "match" if unit.form in shared else "differ")
            seen.add(unit.form)
    return Match(kinds[0], kinds[1], len(shared), len(sets[0]), len(sets[1]))


def as_runs(prediction: Sequence[Unit], answer: Sequence[Unit]) -> Match:
    """The longest run of units that stands on both sides."""
    one, other = ([unit.form for unit in side] for side in (prediction, answer))
    run = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    kinds: list[list[Kind]] = [
        ["match" if start <= at < start + run.size else "differ" for at in range(len(side))]
        for side, start in ((one, run.a), (other, run.b))
    ]
    return Match(kinds[0], kinds[1], run.size, len(prediction), len(answer))


def segments(text: str, units: Sequence[Unit], kinds: Sequence[Kind]) -> list[Segment]:
    """Cut a text where its units begin and end.

    Args:
        text: the original.
        units: what the protocol made of it.
        kinds: the kind of each unit.

    Returns:
        Stretches that joined give the text again: units, white space between them, and what was removed.
    """
    owner: dict[int, int] = {place: number for number, unit in enumerate(units) for place in unit.places}

    def label(place: int) -> tuple[Kind, int | None]:
        number = owner.get(place)
        if number is None:
            return ("space" if text[place].isspace() else "removed"), None
        return kinds[number], None if len(units[number].form) == 1 else number

    stretches = []
    for (kind, number), group in groupby(range(len(text)), key=label):
        places = list(group)
        numbers = [number] if number is not None else [owner[place] for place in places if place in owner]
        form = "".join(units[one].form for one in numbers)
        stretches.append(Segment(text[places[0] : places[-1] + 1], kind, form))
    return stretches


def marking(
    prediction: str,
    answer: str,
    units: Callable[[TracedText], list[Unit]],
    match: Callable[[Sequence[Unit], Sequence[Unit]], Match],
    compared: Callable[[str], str],
    unit_name: str,
    rule: Callable[[Match], tuple[float, str] | None] = lambda match: None,
) -> Marking:
    """Mark one text beside another.

    Args:
        prediction: the predicted text.
        answer: an acceptable answer.
        units: what the protocol counts in a text.
        match: how it pairs the units of the two sides.
        compared: the normalised text that exact match compares.
        unit_name: what a unit is called.
        rule: the protocol's exception for such a pair: (F1, the reason), or None where the counts decide.

    Returns:
        The marking.
    """
    sides = [units(TracedText.of(text)) for text in (prediction, answer)]
    paired = match(*sides)
    forms = compared(prediction), compared(answer)
    f1, reason = rule(paired) or (paired.f1, counted(paired, unit_name))
    return Marking(
        prediction=[segments(prediction, sides[0], paired.prediction)],
        answer=[segments(answer, sides[1], paired.answer)],
        compared=forms,
        exact=forms[0] == forms[1],
        f1=f1,
        reason=reason,
    )


def counted(match: Match, unit_name: str) -> str:
    """The sentence that says how the counts lead to F1."""
    if not match.same:
        return f"No {unit_name.rpartition(' ')[2]} in common: F1 = 0."
    return (
        f"{match.same} in common, of {_number(match.predicted, unit_name)} predicted and {match.gold} in the answer: "
        f"F1 = 2·{match.same} ∕ ({match.predicted} + {match.gold}) = {match.f1:.4f}."
    )


def _number(count: int, unit_name: str) -> str:
    return f"{count} {unit_name}" if count == 1 else f"{count} {unit_name}s"
