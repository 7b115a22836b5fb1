"""What the demo says of BeerQA, and instructive pairs."""

from __future__ import annotations

from pathlib import Path

from .protocols import PROTOCOLS
from .space_marks import MARKERS
from .space_texts import Example, SpaceContent

_EXAMPLES = (
    Example(
        "Articles and case",
        "The Champ de Mars.",
        "Champ de Mars",
        "The card compares texts as they are; the official script drops “The” and the full stop.",
    ),
    Example(
        "Several answers",
        "5895 metres",
        "5,895 metres\n5,895 metres above sea level",
        "The best answer counts. For the official script the comma is punctuation and goes.",
    ),
    Example(
        "Yes or no",
        "No, only the violin",
        "no",
        "Where the answer is yes, no or noanswer, the official script gives nothing for a part.",
    ),
    Example("Yes, exactly", "Yes.", "yes", "Normalised, both sides are “yes”; as they stand, they differ."),
    Example(
        "Repeated tokens",
        "new york new york",
        "New York",
        "The card counts each token once; the official script counts it as often as it occurs.",
    ),
    Example(
        "Order",
        "Shira, Kibo and Mawenzi",
        "Kibo, Mawenzi and Shira",
        "F1 has no order. For the card a comma makes “Kibo,” another token than “Kibo”.",
    ),
    Example("Numbers", "4", "four", "No protocol knows that a numeral and a word say the same."),
    Example(
        "A part",
        "Berlin, Germany",
        "Berlin",
        "All of the answer is there, and as much again: recall 1, precision ½.",
    ),
    Example(
        "No tokens",
        "",
        "Philadelphia",
        "The card leaves a question out of the mean of F1 when one side has no tokens; officially it counts as 0.",
    ),
)

SPACE = SpaceContent(
    benchmark="beerqa",
    title="BeerQA: exact match and F1",
    summary="Scores answers to BeerQA’s questions under the benchmark card and the official script at once, "
    "and shows why they differ.",
    hue="amber",
    language="en",
    folder=Path(__file__).parent,
    protocols=PROTOCOLS,
    markers=MARKERS,
    examples=_EXAMPLES,
)
