"""One pair under every protocol of a metric: what the page shows and what its API returns, without any screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .answer_values import has_surrogate
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


def typed_sides(content: SpaceContent, prediction: str, answers: str, dataset: str | None) -> tuple[Side, list[Side]]:
    """The prediction and the acceptable answers as they were typed.

    Args:
        content: the metric's demo.
        prediction: a text; spans stand between " | " where the dataset has several.
        answers: one answer a line, likewise; nothing at all is the answer "".
        dataset: the dataset, or None.

    Returns:
        The prediction, and at least one answer.

    Raises:
        ValueError: if there is too much text, a lone surrogate, or a dataset that is not offered.
    """
    lines = [line for line in answers.splitlines() if line.strip()] or [""]
    for name, text, longest in (
        ("the prediction", prediction, LONGEST_PREDICTION),
        ("the acceptable answers", answers, LONGEST_ANSWERS),
    ):
        if len(text) > longest:
            raise ValueError(f"{name}: {len(text):,} characters, expected at most {longest:,}; longer ones in a file")
        if has_surrogate(text):
            raise ValueError(f"{name}: a lone surrogate, which no text can hold")
    if len(lines) > MOST_ANSWERS:
        raise ValueError(f"the acceptable answers: {len(lines)} lines, expected at most {MOST_ANSWERS}")
    if content.datasets and dataset not in content.datasets:
        raise ValueError(f"the dataset is {dataset!r}: expected one of {', '.join(content.datasets)}")
    if dataset in content.span_datasets:
        return _spans(prediction), [_spans(line) for line in lines]
    return prediction, list(lines)


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
