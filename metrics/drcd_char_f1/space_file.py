"""The tab in which a prediction file is scored against a gold file."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import gradio as gr

from .intervals import Progress
from .per_question_file import write_per_question
from .results_file import results
from .space_board import board_tables
from .space_cards import message
from .space_charts import charts
from .space_scoring import LARGEST_CONTENT, LARGEST_UPLOAD, MEGABYTE, MOST_QUESTIONS, scored_upload
from .space_texts import SpaceContent

_UPDATES = 20  # of the progress bar, per stage
_FORMATS = """
**Predictions**: a JSON object `{id: text}`; ORB’s `{qid: [text]}`; BeerQA’s `{"answer": {id: text}}`; JSON Lines, a
JSON list, CSV, TSV or Parquet with an id and a prediction column; `samples_….jsonl` of lm-evaluation-harness.
**Gold answers**: the benchmark’s own file, or Parquet or JSON Lines with this project’s standard columns.
All of them plain or gzipped.
"""


def file_tab(content: SpaceContent, minutes_kept: int) -> None:
    """Build the tab, inside the ``gr.Tab`` that is open.

    Args:
        content: the metric's demo.
        minutes_kept: after how many minutes uploads and results are deleted.
    """
    labels = content.labels
    with gr.Row():
        predictions = gr.File(label=labels.predictions_file, height=130, min_width=300, elem_id="predictions-file")
        gold = gr.File(label=labels.gold_file, height=130, min_width=300, elem_id="gold-file")
    with gr.Row(equal_height=True):
        score = gr.Button(labels.score, variant="primary", elem_id="score-files")
        sample = gr.Button(labels.sample, elem_id="use-sample")
    gr.Markdown(
        f"At most {LARGEST_UPLOAD // MEGABYTE} MB a file ({LARGEST_CONTENT // MEGABYTE} MB decompressed) and "
        f"{MOST_QUESTIONS:,} questions. Files are seen by you alone and deleted after {minutes_kept} minutes.",
        elem_id="limits",
    )
    with gr.Accordion(labels.formats, open=False):
        gr.Markdown(_FORMATS)
        with gr.Row():
            id_column = gr.Textbox("", label="Column of ids", placeholder="found by its usual names", min_width=240)
            prediction_column = gr.Textbox(
                "", label="Column of predictions", placeholder="found by its usual names", min_width=240
            )
        allow_missing = gr.Checkbox(label="Score also if predictions are missing or have unknown ids")
    board = gr.HTML(elem_id="board", apply_default_css=False)
    drawn = gr.HTML(elem_id="drawn", apply_default_css=False)
    with gr.Row():
        per_question = gr.DownloadButton("Scores per question (CSV)", visible=False, elem_id="per-question")
        as_json = gr.DownloadButton("All results (JSON)", visible=False, elem_id="results-json")
    inputs = [predictions, gold, id_column, prediction_column, allow_missing]
    outputs = [board, drawn, per_question, as_json]

    def scored(
        predictions: str | None,
        gold: str | None,
        id_column: str,
        prediction_column: str,
        allow_missing: bool,
        progress: gr.Progress = gr.Progress(),  # noqa: B008 - Gradio finds it as the default
    ) -> Iterator[tuple[Any, ...]]:
        chosen = (predictions, gold, id_column, prediction_column, allow_missing)
        with tempfile.TemporaryDirectory() as folder:  # Gradio copies the files that are yielded, before it goes on
            yield page_of_files(content, *chosen, progress=shown_by(progress), folder=Path(folder))

    def scored_json(
        predictions: str | None, gold: str | None, id_column: str, prediction_column: str, allow_missing: bool
    ) -> dict[str, Any]:
        chosen = (predictions, gold, id_column, prediction_column, allow_missing)
        try:
            return results(scored_upload(content, *chosen, progress=lambda items, heading: items))
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from None

    samples = [str(next((content.folder / "sample").glob(f"{name}.json*"))) for name in ("predictions", "gold")]
    one_at_a_time: dict[str, Any] = {"concurrency_id": "files", "concurrency_limit": 1}
    shown: dict[str, Any] = {"show_progress_on": board, "api_visibility": "private", **one_at_a_time}
    score.click(scored, inputs, outputs, **shown)
    sample.click(lambda: (*samples, "", "", False), None, inputs, api_visibility="private").then(
        scored, inputs, outputs, **shown
    )
    gr.Button(visible=False).click(
        scored_json,
        inputs,
        gr.JSON(visible=False),
        api_name="score_file",
        api_description="Score a prediction file against a gold file, under every protocol.",
        **one_at_a_time,
    )


def page_of_files(
    content: SpaceContent,
    predictions: str | None,
    gold: str | None,
    id_column: str,
    prediction_column: str,
    allow_missing: bool,
    progress: Progress,
    folder: Path,
) -> tuple[Any, ...]:
    """What the tab shows for two files.

    Args:
        content: the metric's demo.
        predictions: path of the prediction file, or None.
        gold: path of the gold file, or None.
        id_column: as typed.
        prediction_column: as typed.
        allow_missing: as ticked.
        progress: told about what takes time.
        folder: where files to download are written.

    Returns:
        Values of the table, the charts and the two download buttons; a message in place of them all for bad input.
    """
    nothing = gr.DownloadButton(visible=False)
    try:
        board = scored_upload(content, predictions, gold, id_column, prediction_column, allow_missing, progress)
    except ValueError as error:
        return message(str(error)), "", nothing, nothing
    questions, scores = folder / "scores_per_question.csv", folder / "results.json"
    write_per_question(board, questions)
    scores.write_text(json.dumps(results(board), ensure_ascii=False, indent=2), encoding="utf-8")
    return (
        board_tables(board),
        charts(board),
        gr.DownloadButton(value=questions, visible=True),
        gr.DownloadButton(value=scores, visible=True),
    )


def shown_by(progress: gr.Progress) -> Progress:
    """Gradio's progress bar as the scoring code tells about progress."""

    def passes(items: Iterable, heading: str) -> Iterator:
        total = len(items) if hasattr(items, "__len__") else None  # type: ignore[arg-type]
        step = 1 + total // _UPDATES if total else MOST_QUESTIONS // _UPDATES
        for number, item in enumerate(items):
            if number % step == 0:
                progress((number, total), desc=heading, unit="steps" if total else "questions")
            yield item

    return passes
