"""The tab in which a pair is typed and scored at once under every protocol."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import gradio as gr

from .space_cards import cards, message
from .space_pair import LONGEST_ANSWERS, LONGEST_PREDICTION, SPAN_SEPARATOR, checked_sides, pair_scores, typed_answers
from .space_texts import SpaceContent

_NARROWEST = 300  # pixels; on a phone the two boxes stand one above the other


def scored_page(content: SpaceContent, prediction: str, answers: str, dataset: str | None) -> str:
    """What the page shows for a pair.

    Args:
        content: the metric's demo.
        prediction: as typed.
        answers: as typed, one a line.
        dataset: as chosen, or None.

    Returns:
        HTML: the cards, or a message that says what is wrong with the input.
    """
    try:
        side, acceptable = checked_sides(content, prediction, typed_answers(answers), dataset)
    except ValueError as error:
        return message(str(error))
    return cards(content, pair_scores(content, side, acceptable, dataset), len(acceptable))


def lesson_of(content: SpaceContent, prediction: str, answers: str, dataset: str | None) -> str:
    """What to look at, as HTML, where the pair is one of the examples; else nothing."""
    typed = (prediction, answers, dataset)
    lessons = [one.lesson for one in content.examples if (one.prediction, one.answers, one.dataset) == typed]
    return "".join(f'<p class="lesson" role="status">{escape(lesson)}</p>' for lesson in lessons)


def scored_figures(content: SpaceContent, prediction: str, answers: list[str], dataset: str | None) -> dict[str, Any]:
    """What the API returns for a pair.

    Args:
        content: the metric's demo.
        prediction: as it would be typed.
        answers: the acceptable answers.
        dataset: the dataset, or None.

    Returns:
        protocol -> figure -> value in [0, 1]; None for a figure that does not count the question. A protocol that lacks
        a package has the key ``missing`` instead.

    Raises:
        gr.Error: if the input is not of the expected form.
    """
    try:
        side, acceptable = checked_sides(content, prediction, answers, dataset)
    except ValueError as error:
        raise gr.Error(str(error), print_exception=False) from None
    return {
        score.protocol.name: {"missing": score.missing}
        if score.missing
        else {figure: None if math.isnan(value) else value for figure, value in score.figures.items()}
        for score in pair_scores(content, side, acceptable, dataset)
    }


def try_tab(content: SpaceContent) -> None:
    """Build the tab, inside the ``gr.Tab`` that is open.

    Args:
        content: the metric's demo.
    """
    labels, first = content.labels, content.examples[0]
    with gr.Row(equal_height=True):
        prediction = gr.Textbox(
            first.prediction,
            label=labels.prediction,
            info=labels.prediction_info,
            lines=3,
            max_lines=8,
            max_length=LONGEST_PREDICTION,
            min_width=_NARROWEST,
            elem_id="prediction",
        )
        answers = gr.Textbox(
            first.answers,
            label=labels.answers,
            info=labels.answers_info,
            lines=3,
            max_lines=8,
            max_length=LONGEST_ANSWERS,
            min_width=_NARROWEST,
            elem_id="answers",
        )
    inputs: list[gr.components.Component] = [prediction, answers]
    if content.datasets:
        inputs.append(_dataset_choice(content))
    chosen = gr.Dataset(
        label=labels.examples,
        components=[gr.Textbox(visible=False)],
        samples=[[example.name] for example in content.examples],
        sample_labels=[example.name for example in content.examples],
        samples_per_page=len(content.examples),
        type="index",
        elem_id="examples",
    )
    shown = (first.prediction, first.answers, first.dataset)
    lesson = gr.HTML(lesson_of(content, *shown), elem_id="lesson")
    result = gr.HTML(scored_page(content, *shown), elem_id="scores", apply_default_css=False)

    def scored(prediction: str, answers: str, dataset: str | None = None) -> tuple[str, str]:
        return lesson_of(content, prediction, answers, dataset), scored_page(content, prediction, answers, dataset)

    def example(number: int) -> list[str | None]:
        one = content.examples[number]
        return [one.prediction, one.answers, one.dataset][: len(inputs)]

    at_once: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
    gr.on([one.change for one in inputs], scored, inputs, [lesson, result], trigger_mode="always_last", **at_once)
    chosen.click(example, chosen, inputs, **at_once)
    if content.datasets:

        def score(prediction: str, answers: list[str], dataset: str) -> dict[str, Any]:
            return scored_figures(content, prediction, answers, dataset)
    else:

        def score(prediction: str, answers: list[str]) -> dict[str, Any]:  # type: ignore[misc]
            return scored_figures(content, prediction, answers, None)

    gr.api(score, api_name="score", api_description="Score one prediction under every protocol.", queue=False)


def _dataset_choice(content: SpaceContent) -> gr.Dropdown:
    spans = ", ".join(content.span_datasets)
    return gr.Dropdown(
        list(content.datasets),
        value=content.examples[0].dataset,
        label=content.labels.dataset,
        info=f"{content.labels.dataset_info} In {spans}, write several spans with “{SPAN_SEPARATOR.strip()}” between.",
        elem_id="dataset",
    )
