"""One pair under every protocol of a metric: what the page shows and what its API returns, without any screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .answer_values import checked_text, described
from .protocol import Protocol, Side
from .space_marking import Marking
from .space_texts import SpaceContent

LONGEST_PREDICTION = 1_000
LONGEST_ANSWERS = 4_000
MOST_ANSWERS = 50
SPAN_SEPARATOR = " | "


@dataclass(frozen=True)
class PairScore:
    """A pair as one protocol scores it.

    Attributes:
        protocol: the protocol.
        figures: the figures that count for such a question, each in [0, 1], or NaN where it is left out of the mean;
            the best over the answers, as the protocol chooses.
        closest: the index of the answer with the highest F1, the first of equals.
        marking: the prediction beside that answer.
        missing: what has to be installed before this protocol can score the pair, else empty.
    """

    protocol: Protocol
    figures: dict[str, float]
    closest: int
    marking: Marking | None
    missing: str = ""


def typed_answers(text: str) -> list[str]:
    """The acceptable answers in a text box: one a line; nothing at all is the answer ""."""
    return [line for line in text.split("\n") if line.strip()] or [""]


def checked_sides(
    content: SpaceContent, prediction: str, answers: list[str], dataset: str | None
) -> tuple[Side, list[Side]]:
    """The prediction and the acceptable answers as they are scored.

    Args:
        content: the metric's demo.
        prediction: a text; spans stand between " | " where the dataset has several.
        answers: likewise, at least one.
        dataset: the dataset, or None.

    Returns:
        The prediction, and the answers.

    Raises:
        ValueError: if a side is no string, there is too much text or no answer, a lone surrogate, or a dataset that is
            not offered.
    """
    if not isinstance(answers, list) or not 1 <= len(answers) <= MOST_ANSWERS:
        raise ValueError(f"the acceptable answers: {described(answers)}, expected 1 to {MOST_ANSWERS} strings")
    for name, texts, longest in (
        ("the prediction", [prediction], LONGEST_PREDICTION),
        ("the acceptable answers", answers, LONGEST_ANSWERS),
    ):
        for text in texts:
            checked_text(text, name, "a string")
        length = sum(map(len, texts))
        if length > longest:
            raise ValueError(f"{name}: {length:,} characters, expected at most {longest:,}; longer ones in a file")
    if content.datasets and dataset not in content.datasets:
        raise ValueError(f"the dataset is {dataset!r}: expected one of {', '.join(content.datasets)}")
    if dataset in content.span_datasets:
        return _spans(prediction), [_spans(answer) for answer in answers]
    return prediction, list(answers)


def _spans(text: str) -> Side:
    spans = text.split(SPAN_SEPARATOR)
    return spans if len(spans) > 1 else text


def pair_scores(
    content: SpaceContent, prediction: Side, answers: Sequence[Side], dataset: str | None
) -> list[PairScore]:
    """Score a pair under every protocol.

    Args:
        content: the metric's demo.
        prediction: the predicted text or spans.
        answers: the acceptable answers, at least one.
        dataset: the dataset, or None.

    Returns:
        One score per protocol, in their order.
    """
    return [
        _pair_score(content, name, protocol, prediction, answers, dataset)
        for name, protocol in content.protocols.items()
    ]


def _pair_score(
    content: SpaceContent,
    name: str,
    protocol: Protocol,
    prediction: Side,
    answers: Sequence[Side],
    dataset: str | None,
) -> PairScore:
    names = content.figures(protocol, dataset)
    ranked = next(figure for figure in ("f1", "rouge_f") if figure in names)
    try:
        columns = protocol.score([prediction], [list(answers)], dataset and [dataset])
        singly = protocol.score(
            [prediction] * len(answers), [[one] for one in answers], dataset and [dataset] * len(answers)
        )[ranked]
        closest = max(range(len(answers)), key=lambda at: (singly[at] == singly[at], singly[at]))
        marking = content.markers[name](prediction, answers[closest], dataset)
    except ImportError as error:
        return PairScore(protocol, {}, 0, None, str(error))
    return PairScore(protocol, {figure: float(columns[figure][0]) for figure in names}, closest, marking)
