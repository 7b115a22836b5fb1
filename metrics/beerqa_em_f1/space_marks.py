"""How each of BeerQA's protocols compares two texts, for the demo's marks."""

from __future__ import annotations

import math
import string
from dataclasses import replace

from .protocol import Side
from .space_marking import Marker, Marking, Match, as_bags, as_sets, marking
from .space_tracing import TracedText, Unit
from .squad_normalization import squad_normalised

_CLOSED_ANSWERS = ("yes", "no", "noanswer")


def _mark_default(prediction: Side, answer: Side, dataset: str | None) -> Marking:
    assert isinstance(prediction, str) and isinstance(answer, str)

    def rule(match: Match) -> tuple[float, str] | None:
        if match.predicted and match.gold:
            return None
        return math.nan, "A side without tokens: the question is left out of the mean of F1."

    units = _lower_case_words
    return marking(prediction, answer, units, as_sets, str.strip, "different token", rule)


def _lower_case_words(text: TracedText) -> list[Unit]:
    return text.lower().words()


def _squad_words(text: TracedText) -> list[Unit]:
    return text.squad(lambda char: char in string.punctuation).words()


def _mark_official(prediction: Side, answer: Side, dataset: str | None) -> Marking:
    assert isinstance(prediction, str) and isinstance(answer, str)
    one, other = squad_normalised(prediction), squad_normalised(answer)

    def rule(match: Match) -> tuple[float, str] | None:
        closed = [side for side in (other, one) if side in _CLOSED_ANSWERS]
        if closed and one != other:
            return 0.0, f"One side is nothing but “{closed[0]}” and the other is not: all figures are 0."
        return None

    marked = marking(prediction, answer, _squad_words, as_bags, squad_normalised, "token", rule)
    if marked.exact and not marked.f1:
        reason = "Nothing is left of either side: no answer has an F1 above 0, so all figures are 0."
        return replace(marked, exact=False, reason=reason)
    return marked


MARKERS: dict[str, Marker] = {"default": _mark_default, "official": _mark_official}
