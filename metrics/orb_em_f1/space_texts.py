"""What the demo of one metric says and offers: texts, examples, datasets, protocols."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .protocol import Protocol
from .space_marking import Marker

FIGURE_NAMES = {
    "exact_match": "Exact match",
    "em": "Exact match",
    "f1": "F1",
    "prec": "Precision",
    "recall": "Recall",
    "bleu_1": "BLEU-1",
    "bleu_4": "BLEU-4",
    "meteor": "METEOR",
    "rouge_f": "ROUGE-L F",
    "rouge_p": "ROUGE-L precision",
    "rouge_r": "ROUGE-L recall",
}


@dataclass(frozen=True)
class Example:
    """An instructive pair.

    Attributes:
        name: a few words for its button.
        prediction: as it is typed.
        answers: as they are typed, one a line.
        lesson: a sentence that says what to look at.
        dataset: its dataset, where the benchmark has several sets of rules.
    """

    name: str
    prediction: str
    answers: str
    lesson: str
    dataset: str | None = None


@dataclass(frozen=True)
class Labels:
    """The words on the page; a Space for another language puts that language beside the English."""

    try_it: str = "Try it"
    score_a_file: str = "Score a file"
    about: str = "About"
    prediction: str = "Prediction"
    prediction_info: str = "What the system answered."
    answers: str = "Acceptable answers"
    answers_info: str = "One a line; the best one counts. Leave empty for “no answer”."
    dataset: str = "Dataset"
    dataset_info: str = "The official protocol has other rules for each group of datasets."
    examples: str = "Examples"
    answer: str = "Answer"
    matches: str = "matches"
    differs: str = "no partner"
    repeated: str = "repeated, counted once"
    removed: str = "removed by normalisation"
    predictions_file: str = "Predictions"
    gold_file: str = "Gold answers"
    score: str = "Score"
    sample: str = "Use the sample files"
    formats: str = "Formats and options"


@dataclass(frozen=True)
class SpaceContent:
    """One metric's demo.

    Attributes:
        benchmark: ``orb``, ``drcd`` or ``beerqa``.
        title: the heading of the page.
        summary: a sentence or two under it.
        hue: the name of the theme's colour.
        language: BCP 47 tag of the answers' language.
        folder: where the metric card and the sample stand.
        protocols: all protocols of the metric.
        markers: how each of them compares a pair, by the same names.
        examples: instructive pairs, the first shown when the page opens.
        figures: (protocol, dataset) -> the figures that count for such a question.
        datasets: dataset names to choose from; none where they make no difference for a pair.
        span_datasets: those whose sides may have several spans.
        labels: the words on the page.
        warm_up: loads what the first scores would otherwise wait for.
    """

    benchmark: str
    title: str
    summary: str
    hue: str
    language: str
    folder: Path
    protocols: Mapping[str, Protocol]
    markers: Mapping[str, Marker]
    examples: tuple[Example, ...]
    figures: Callable[[Protocol, str | None], tuple[str, ...]] = lambda protocol, dataset: protocol.figures
    datasets: tuple[str, ...] = ()
    span_datasets: tuple[str, ...] = ()
    labels: Labels = field(default_factory=Labels)
    warm_up: Callable[[], object] = lambda: None
