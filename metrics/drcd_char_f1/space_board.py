"""A scoreboard as HTML: a table per protocol with intervals, notes and signatures. Every text is escaped."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from .protocol_scores import MACRO, OVERALL, ProtocolScores, Score
from .scoreboard import Scoreboard
from .space_texts import FIGURE_NAMES


def board_tables(board: Scoreboard) -> str:
    """The scores of every protocol.

    Args:
        board: the scoreboard.

    Returns:
        HTML.
    """
    notes = "".join(f"<li>{escape(note)}</li>" for note in _notes(board))
    tables = "".join(_tables(board, scores) for scores in board.protocols.values())
    signatures = "".join(f"<p><code>{escape(scores.signature)}</code></p>" for scores in board.protocols.values())
    return (
        f'<ul class="notes">{notes}</ul><div class="board-tables">{tables}</div>'
        f'<details class="signatures"><summary>Signatures</summary>{signatures}</details>'
    )


def shown_rows(board: Scoreboard) -> list[str]:
    """The rows of the tables; of a single dataset there is no more to say than of all questions."""
    return board.rows if len(board.datasets) > 1 else [OVERALL]


def row_title(row: str) -> str:
    """What a row is called."""
    return {MACRO: "mean of datasets"}.get(row, row)


def _tables(board: Scoreboard, scores: ProtocolScores) -> str:
    """A protocol's table, and one for each dataset that has figures of its own (NarrativeQA)."""
    rows_of = {
        figure: [row for row in shown_rows(board) if scores.score(row, figure)] for figure in scores.protocol.figures
    }
    together = [figure for figure, rows in rows_of.items() if OVERALL in rows]
    tables = [_table(board, scores, together)] if together else []
    for dataset in board.datasets:
        own = [figure for figure, rows in rows_of.items() if rows == [dataset]]
        if own:
            tables.append(_table(board, scores, own))
    name = escape(scores.protocol.name)
    return (
        f'<section aria-label="{name}"><p class="whose"><code>{name}</code> {escape(scores.protocol.description)}</p>'
        f"{''.join(tables)}</section>"
    )


def _table(board: Scoreboard, scores: ProtocolScores, figures: list[str]) -> str:
    head = "".join(f'<th scope="col">{escape(FIGURE_NAMES[figure])}</th>' for figure in figures)
    rows = [row for row in shown_rows(board) if any(scores.score(row, figure) for figure in figures)]
    body = "".join(_row(board, scores, row, figures) for row in rows)
    name = escape(scores.protocol.name)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Scores, {name}"><table data-protocol="{name}">'
        f'<thead><tr><th scope="col">Dataset</th><th scope="col">Questions</th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _row(board: Scoreboard, scores: ProtocolScores, row: str, figures: list[str]) -> str:
    found = {figure: scores.score(row, figure) for figure in figures}
    questions = max(one.count for one in found.values() if one is not None)
    cells = "".join(_cell(figure, found[figure]) for figure in figures)
    kind = "" if row in board.datasets else ' class="together"'
    return (
        f'<tr{kind} data-row="{escape(row)}"><th scope="row">{escape(row_title(row))}</th>'
        f"<td>{questions:,}</td>{cells}</tr>"
    )


def _cell(figure: str, score: Score | None) -> str:
    if score is None:
        return "<td>–</td>"
    ends = "" if math.isnan(score.low) else f"<small>{score.low:.3f}–{score.high:.3f}</small>"
    return f'<td data-figure="{figure}">{score.value:.4f}{ends}</td>'


def _notes(board: Scoreboard) -> Iterator[str]:
    yield (
        f"{len(board.questions):,} questions; predictions read from {board.predictions_path.name} as "
        f"{board.predictions_format}. Small: 95 % bootstrap intervals of {board.resamples:,} resamples."
    )
    for name, scores in board.protocols.items():
        if any(score.row == OVERALL and score.is_over_datasets for score in scores.scores):
            yield f"{name}: the overall figures are means over datasets, not over questions."
    if board.missing:
        rules = "; ".join(
            f"{name} {'counts them as 0' if scores.protocol.unanswered == 'zero' else 'leaves them out'}"
            for name, scores in board.protocols.items()
        )
        yield f"{len(board.missing):,} questions have no prediction: {rules}."
    if board.unknown:
        yield f"{len(board.unknown):,} predictions are for unknown ids and were not used."
    for what, count in board.left_out.items():
        yield f"{count:,} {what} in the prediction file were not used."
