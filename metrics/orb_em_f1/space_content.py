"""What the demo says of ORB: its datasets, and instructive pairs for each group of them."""

from __future__ import annotations

from pathlib import Path

from .narrativeqa import FIGURES as NARRATIVEQA_FIGURES
from .narrativeqa import fetch_wordnet, score_narrativeqa
from .protocol import Protocol
from .protocols import DATASETS, DROP_GROUP, PROTOCOLS
from .space_marks import MARKERS
from .space_texts import Example, SpaceContent

_EXAMPLES = (
    Example(
        "Articles and case",
        "The Coral Sea.",
        "Coral Sea\nin the Coral Sea",
        "The card lowers the case and nothing else; SQuAD’s normalisation drops articles and punctuation too.",
        "squad1",
    ),
    Example(
        "Punctuation",
        "crown of thorns starfish",
        "crown-of-thorns starfish",
        "SQuAD’s normalisation deletes a hyphen and so glues words together; choose quoref to see them cut apart.",
        "squad1",
    ),
    Example(
        "Repeated tokens",
        "yards yards yards",
        "27 yards\nyards",
        "Bags count each token as often as it occurs on both sides. In the DROP group a repeated token counts once.",
        "drop",
    ),
    Example(
        "Numbers", "4.0", "4", "The DROP group reads numbers: 4 and 4.0 are the same. The card compares texts.", "drop"
    ),
    Example(
        "A wrong number",
        "28 yards",
        "27 yards",
        "Where the answer holds a number and the prediction has none of its numbers, the DROP group gives 0.",
        "drop",
    ),
    Example(
        "Several spans",
        "Emily | Anne | Charlotte Brontë",
        "Charlotte | Emily | Anne",
        "Spans are paired one to one, whatever their order; the exact match asks for the same set of spans.",
        "quoref",
    ),
    Example(
        "Too many spans",
        "Julian Edelman | Danny Amendola",
        "Julian Edelman",
        "A span without a partner counts as 0 in the mean over spans.",
        "drop",
    ),
    Example(
        "No answer",
        "",
        "",
        "Where nothing is asked for, saying nothing is right, but for the card F1 is 0 when the answer has no tokens.",
        "squad2",
    ),
    Example("Yes or no", "Yes, it does", "yes", "ORB has no special rule for yes and no: a part counts.", "ropes"),
    Example(
        "Free-form answers",
        "He went back to his family in the village",
        "He returns to his family’s village\nHe goes home",
        "NarrativeQA is scored by BLEU, METEOR and ROUGE-L, each the best over the answers.",
        "narrativeqa",
    ),
)


def _figures(protocol: Protocol, dataset: str | None) -> tuple[str, ...]:
    free_form = protocol.name == "official" and dataset == "narrativeqa"
    return NARRATIVEQA_FIGURES if free_form else ("exact_match", "f1")


def _warm_up() -> None:
    import scipy.optimize  # noqa: F401

    fetch_wordnet()
    score_narrativeqa("NLTK, once.", ["once"])


SPACE = SpaceContent(
    benchmark="orb",
    title="ORB: exact match and F1 of eight reading benchmarks",
    summary="Scores answers under the benchmark card and the official evaluator at once, by the rules of each dataset, "
    "and shows why they differ.",
    hue="indigo",
    language="en",
    folder=Path(__file__).parent,
    protocols=PROTOCOLS,
    markers=MARKERS,
    examples=_EXAMPLES,
    figures=_figures,
    datasets=DATASETS,
    span_datasets=DROP_GROUP,
    warm_up=_warm_up,
)
