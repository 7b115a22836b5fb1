"""The scores of a pair as HTML: a card per protocol, with both texts marked. Every text of the user's is escaped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

from .space_marking import Kind, Marking, Segment
from .space_pair import PairScore
from .space_texts import FIGURE_NAMES, Labels, SpaceContent

_LONGEST_COMPARED = 120


def cards(content: SpaceContent, scores: Iterable[PairScore], answers: int) -> str:
    """The scores of a pair under every protocol.

    Args:
        content: the metric's demo.
        scores: one score per protocol.
        answers: how many acceptable answers there are.

    Returns:
        HTML.
    """
    listed = "".join(_card(content, score, answers) for score in scores)
    return f'{legend(content.labels)}<div class="protocol-cards">{listed}</div>'


def legend(labels: Labels) -> str:
    """What the four kinds of marks mean."""
    kinds: tuple[tuple[Kind, str], ...] = (
        ("match", labels.matches),
        ("differ", labels.differs),
        ("repeat", labels.repeated),
        ("removed", labels.removed),
    )
    return '<p class="legend">' + " ".join(_marked(Segment(text, kind)) for kind, text in kinds) + "</p>"


def message(text: str) -> str:
    """A message in place of a result.

    Args:
        text: plain text.

    Returns:
        HTML that screen readers announce.
    """
    return f'<p class="message" role="alert">{escape(text)}</p>'


def _card(content: SpaceContent, score: PairScore, answers: int) -> str:
    name = escape(score.protocol.name)
    head = f"<header><h3>{name}</h3><p>{escape(score.protocol.description)}</p></header>"
    if score.marking is None:
        return f'<section class="protocol" aria-label="{name}">{head}{message(score.missing)}</section>'
    figures = "".join(_figure(figure, value) for figure, value in score.figures.items())
    which = f" {score.closest + 1} of {answers}, the closest" if answers > 1 else ""
    labels = content.labels
    return (
        f'<section class="protocol" aria-label="{name}" data-protocol="{name}">{head}'
        f'<dl class="figures">{figures}</dl>'
        f"{_side(labels.prediction, score.marking.prediction, content.language)}"
        f"{_side(labels.answer + which, score.marking.answer, content.language)}"
        f"{_reasons(score.marking, content.language)}</section>"
    )


def _figure(name: str, value: float) -> str:
    label = escape(FIGURE_NAMES[name])
    if math.isnan(value):
        return f'<div><dt>{label}</dt><dd data-figure="{name}">not counted</dd></div>'
    return (
        f'<div><dt>{label}</dt><dd data-figure="{name}">{value:.4f}</dd>'
        f'<span class="bar" aria-hidden="true"><i style="width:{value:.2%}"></i></span></div>'
    )


def _side(label: str, spans: Sequence[Sequence[Segment]], language: str) -> str:
    texts = '<span class="between-spans" title="next span">|</span>'.join(
        "".join(map(_marked, span)) or '<span class="nothing">(empty)</span>' for span in spans
    )
    return f'<div class="side"><h4>{escape(label)}</h4><p class="marked" lang="{language}">{texts}</p></div>'


def _marked(segment: Segment) -> str:
    text = escape(segment.text)
    counted = f", counted as “{escape(segment.form)}”" if segment.form not in ("", segment.text) else ""
    if segment.kind == "match":
        return f'<mark title="matches{counted}">{text}</mark>'
    if segment.kind == "removed":
        return f'<del title="removed by normalisation">{text}</del>'
    if segment.kind == "repeat":
        return f'<span class="repeat" title="stands earlier in the text, counted once">{text}</span>'
    if segment.kind == "differ":
        return f'<span class="differ" title="no partner{counted}">{text}</span>'
    return text


def _reasons(marking: Marking, language: str) -> str:
    one, other = (_shortened(text) for text in marking.compared)
    verdict = "equal" if marking.exact else "not equal"
    return (
        f'<p class="reason">{escape(marking.reason)}</p>'
        f'<p class="reason">Exact match compares <q lang="{language}">{escape(one)}</q> with '
        f'<q lang="{language}">{escape(other)}</q>: {verdict}.</p>'
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_COMPARED else f"{text[:_LONGEST_COMPARED]}…"
