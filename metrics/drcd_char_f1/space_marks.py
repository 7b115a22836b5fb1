"""How each of DRCD's protocols compares two texts, for the demo's marks."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence

from .characters import FULL_WIDTH_MARKS, is_punctuation, normalised_as_authors, without_punctuation
from .cmrc2018 import CMRC_MARKS, cmrc_tokens, without_marks
from .protocol import Side
from .space_marking import Marker, Marking, Match, as_bags, as_runs, as_sets, marking
from .space_tracing import TracedText, Unit


def _unpunctuated(text: TracedText) -> list[Unit]:
    return text.without(is_punctuation).characters()


def _as_authors(text: TracedText) -> list[Unit]:
    return text.squad(lambda char: char in string.punctuation + FULL_WIDTH_MARKS).characters_of_words()


def _as_cmrc(text: TracedText) -> list[Unit]:
    cleaned = text.lower().strip().without(lambda char: char in CMRC_MARKS)
    return cleaned.tokens(cmrc_tokens(cleaned.text))


def _marker(
    units: Callable[[TracedText], list[Unit]],
    match: Callable[[Sequence[Unit], Sequence[Unit]], Match],
    compared: Callable[[str], str],
    unit_name: str = "character",
) -> Marker:
    def mark(prediction: Side, answer: Side, dataset: str | None) -> Marking:
        assert isinstance(prediction, str) and isinstance(answer, str)
        return marking(prediction, answer, units, match, compared, unit_name)

    return mark


MARKERS: dict[str, Marker] = {
    "default": _marker(_unpunctuated, as_bags, without_punctuation),
    "recipe": _marker(_unpunctuated, as_sets, without_punctuation, "different character"),
    "official": _marker(_as_authors, as_bags, lambda text: normalised_as_authors([text])[0]),
    "cmrc2018": _marker(_as_cmrc, as_runs, without_marks, "token"),
}
