"""A scoreboard as one HTML page that works offline: tables, charts, and every question with what matches.

The page is ``report_template.html``. The questions stand in it as JSON, from which its script writes the rows that are
looked at; the marks are made here, because only the protocols know what matches.
"""

from __future__ import annotations

import json
import math
import re
import secrets
import warnings
from collections.abc import Mapping, Sequence
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from metrics.shared.best_references import best_references
from metrics.shared.gold_files import parse_benchmark
from metrics.shared.intervals import Progress, unseen
from metrics.shared.protocol import Side
from metrics.shared.protocol_scores import ProtocolScores
from metrics.shared.results_file import TITLES
from metrics.shared.robustness import ALL_KINDS
from metrics.shared.scoreboard import Scoreboard
from metrics.shared.space_charts import charts
from metrics.shared.space_marking import Marker, Segment
from metrics.shared.space_texts import FIGURE_NAMES
from scripts.question_groups import QUESTION_WORDS, length_group, length_groups, question_word
from scripts.report_charts import breakdown, gap_charts
from scripts.score_tables import ROW_TITLES, further_figures, missing_by_dataset, notes, overall_figures

_TEMPLATE = "report_template.html"
_DECIMALS = 4
_UNSAFE_IN_SCRIPT = re.compile("[\u2028\u2029\ud800-\udfff]")


def write_report(
    board: Scoreboard, markers: Mapping[str, Marker], path: str | PathLike[str], progress: Progress = unseen
) -> None:
    """Write ``report_html`` to a file.

    Raises:
        OSError: the file cannot be written.
    """
    # What no encoding can write stands in the names of files at most.
    Path(path).write_text(report_html(board, markers, progress), encoding="utf-8", errors="xmlcharrefreplace")


def report_html(board: Scoreboard, markers: Mapping[str, Marker], progress: Progress = unseen) -> str:
    """A scoreboard as one HTML page that needs nothing else.

    Args:
        board: a scoreboard that kept the questions' texts.
        markers: how each protocol compares a prediction with an answer, by the protocols' names.
        progress: told about what takes time.

    Returns:
        The page.

    Raises:
        ValueError: the scoreboard kept no texts.
    """
    table = board.questions
    if len(table.questions) != len(table):
        raise ValueError("a report shows the questions: score with keep_texts=True")
    benchmark, _ = parse_benchmark(board.benchmark)
    unit = "characters" if benchmark == "drcd" else "tokens"
    words = list(map(question_word, table.questions))
    lengths = [length_group(references, unit) for references in table.references]
    breakdowns = [
        breakdown(board, f"length of the shortest answer in {unit}", lengths, length_groups(unit), progress),
        breakdown(board, "question word", words, QUESTION_WORDS, progress),
    ]
    with warnings.catch_warnings():
        # The page's fonts draw what Matplotlib's lack.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        drawn = [charts(board), *(one.chart() for one in breakdowns), *gap_charts(board)]
    return (
        _environment()
        .get_template(_TEMPLATE)
        .render(
            board=board,
            title=board.benchmark.replace(benchmark, TITLES[benchmark], 1),
            language="zh-Hant" if benchmark == "drcd" else "en",
            unit=unit,
            tables=_tables(board),
            row_titles=ROW_TITLES,
            missing=missing_by_dataset(board),
            notes=list(notes(board)),
            charts=Markup("".join(drawn)),  # Matplotlib escapes what it writes as text
            breakdowns=breakdowns,
            variants=_variants(board),
            questions=_questions(board, markers, words, progress),
            nonce=secrets.token_urlsafe(),
        )
    )


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_function"] = _json
    environment.policies["json.dumps_kwargs"] = {}
    environment.filters["thousands"] = "{:,}".format
    environment.tests["nan"] = math.isnan
    return environment


def _json(value: Any) -> str:
    """Compact JSON of what stands in a script; Jinja escapes HTML's own characters in it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _UNSAFE_IN_SCRIPT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _tables(board: Scoreboard) -> list[dict[str, Any]]:
    """The rows and the figures of each table: the main one, and one for a dataset with figures of its own."""
    everything = [(scores, figure) for scores in board.protocols.values() for figure in overall_figures(scores)]
    further = [([row], columns) for row, columns in further_figures(board).items()]
    return [
        {
            "rows": rows,
            "columns": columns,
            "protocols": [(name, len(list(group))) for name, group in groupby(s.protocol.name for s, _ in columns)],
        }
        for rows, columns in ((board.rows, everything), *further)
    ]


def _variants(board: Scoreboard) -> list[dict[str, Any]]:
    """The rows of each protocol's table of synthetic variants."""
    if board.robustness is None:
        return []
    gaps = {(gap.protocol, gap.dataset, gap.kind, gap.figure): gap for gap in board.robustness.gaps}
    rows = [
        {
            "protocol": share.protocol,
            "name": share.dataset if share.kind == ALL_KINDS else share.kind,
            "is_kind": share.kind != ALL_KINDS,
            "gaps": [gaps[share.protocol, share.dataset, share.kind, figure] for figure in ("exact_match", "f1")],
            "consistency": share,
        }
        for share in board.robustness.consistency
    ]
    return [
        {"protocol": name, "rows": list(group)} for name, group in groupby(rows, key=lambda row: str(row["protocol"]))
    ]


def _questions(
    board: Scoreboard, markers: Mapping[str, Marker], words: Sequence[str], progress: Progress
) -> dict[str, Any]:
    """What the page's list of questions is written from, a list per column."""
    table = board.questions
    datasets, used_words = list(board.datasets), [word for word in QUESTION_WORDS if word in set(words)]
    dataset_number = {name: at for at, name in enumerate(datasets)}
    word_number = {word: at for at, word in enumerate(used_words)}
    return {
        "ids": table.ids,
        "datasets": [dataset_number[name] for name in table.datasets],
        "datasetNames": datasets,
        "words": [word_number[word] for word in words],
        "wordNames": used_words,
        "questions": table.questions,
        "predictions": table.predictions,
        "references": table.references,
        "variants": [
            [kind or "variant", original] if original is not None else None
            for kind, original in zip(table.kinds, table.originals, strict=True)
        ]
        if any(table.originals)
        else None,
        "protocols": [
            _protocol_of_questions(board, name, scores, markers[name], progress)
            for name, scores in board.protocols.items()
        ],
    }


def _protocol_of_questions(
    board: Scoreboard, name: str, scores: ProtocolScores, mark: Marker, progress: Progress
) -> dict[str, Any]:
    """Figures, the nearest answer and the marks of each question under one protocol."""
    table = board.questions
    best = best_references(table, scores.protocol)
    rows = zip(table.predictions, best, table.datasets, strict=True)
    figures = {
        figure: [None if math.isnan(value) else round(value, _DECIMALS) for value in values.tolist()]
        for figure, values in scores.columns.items()
    }
    return {
        "name": name,
        "figures": [{"key": key, "title": FIGURE_NAMES[key], "values": values} for key, values in figures.items()],
        "nearest": [references.index(one) for references, one in zip(table.references, best, strict=True)],
        "marks": [
            None if prediction is None else _matched(mark, prediction, answer, dataset)
            for prediction, answer, dataset in progress(list(rows), f"marking, {name}")
        ],
    }


def _matched(mark: Marker, prediction: Side, answer: Side, dataset: str) -> list[list[list[int]]]:
    """Where prediction and answer match: for each side and span, starts and ends in turn, in characters."""
    marking = mark(prediction, answer, dataset)
    return [_runs(prediction, marking.prediction), _runs(answer, marking.answer)]


def _runs(side: Side, marked: Sequence[Sequence[Segment]]) -> list[list[int]]:
    spans = [side] if isinstance(side, str) else side
    # A protocol that knows one text alone has joined the spans, each pair by one character.
    flags = [[one.kind == "match"] * len(one.text) for segments in marked for one in segments]
    matches = [flag for run in flags for flag in run]
    gap = 1 if len(marked) < len(spans) else 0
    runs, start = [], 0
    for span in spans:
        of_span = matches[start : start + len(span)]
        start += len(span) + gap
        edges = [at for at, flag in enumerate(of_span) if at == 0 and flag or at and flag != of_span[at - 1]]
        runs.append(edges if len(edges) % 2 == 0 else [*edges, len(span)])
    return runs
