"""A scoreboard on the terminal: tables of scores, of NarrativeQA's figures and of synthetic variants, and notes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from metrics.shared.protocol_scores import MACRO, OVERALL, Score
from metrics.shared.robustness import ALL_KINDS, Consistency, Gap
from metrics.shared.scoreboard import ProtocolScores, Scoreboard

_UNLIMITED = 1000
ROW_TITLES = {OVERALL: "overall", MACRO: "mean of datasets"}
"""What the rows are called that are not named for a dataset."""

Column = tuple[ProtocolScores, str]  # a protocol and one of its figures


def standard_output() -> Console:
    """Standard output, as wide as needed where that is not a terminal."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _UNLIMITED
    return console


def print_scoreboard(board: Scoreboard, console: Console | None = None) -> None:
    """Print a scoreboard: as few tables as its columns fit into, then notes and signatures.

    Args:
        board: the scoreboard.
        console: where to; by default standard output, as wide as needed where that is not a terminal.
    """
    console = console or standard_output()
    for table in _score_tables(board, console):
        console.print(table)
    for row, columns in further_figures(board).items():
        console.print(_score_table(board, [row], columns))
    if board.robustness is not None:
        for name in board.protocols:
            gaps = [gap for gap in board.robustness.gaps if gap.protocol == name]
            shares = [share for share in board.robustness.consistency if share.protocol == name]
            console.print(_robustness_table(name, gaps, shares))
    signatures = [f"  {scores.signature}" for scores in board.protocols.values()]
    for line in (*notes(board), "Signatures:", *signatures):
        console.print(escape(line), soft_wrap=True)


def _score_tables(board: Scoreboard, console: Console) -> Iterator[Table]:
    """The main table; several where not all protocols fit side by side."""
    columns: list[Column] = []
    unlimited = console.options.update(max_width=_UNLIMITED)
    for scores in board.protocols.values():
        of_protocol = [(scores, figure) for figure in overall_figures(scores)]
        wider = _score_table(board, board.rows, columns + of_protocol)
        if columns and Measurement.get(console, unlimited, wider).maximum > console.width:
            yield _score_table(board, board.rows, columns)
            columns = []
        columns += of_protocol
    yield _score_table(board, board.rows, columns)


def overall_figures(scores: ProtocolScores) -> list[str]:
    """The figures that are not of single datasets alone."""
    datasets = {score.row for score in scores.scores if score.key.startswith(f"{score.row}_")}
    rows = {OVERALL, MACRO, "average"} | ({*datasets} if len(datasets) == 1 else set())
    return [figure for figure in scores.protocol.figures if any(scores.score(row, figure) for row in rows)]


def further_figures(board: Scoreboard) -> dict[str, list[Column]]:
    """Figures that only one dataset has, by dataset (NarrativeQA's)."""
    further: dict[str, list[Column]] = {}
    for scores in board.protocols.values():
        shown = overall_figures(scores)
        for score in scores.scores:
            if score.figure not in shown:
                further.setdefault(score.row, []).append((scores, score.figure))
    return further


def _score_table(board: Scoreboard, rows: Sequence[str], columns: Sequence[Column]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("dataset", no_wrap=True)
    table.add_column("questions", justify="right")
    missing = missing_by_dataset(board)
    if missing:
        table.add_column("missing", justify="right")
    for scores, figure in columns:
        table.add_column(f"{scores.protocol.name}\n{figure}", justify="right", no_wrap=True)
    for row in rows:
        if row == OVERALL:
            table.add_section()
        of_dataset = row in board.datasets
        count = board.datasets[row] if of_dataset else len(board.questions)
        cells = [f"{count:,}"]
        if missing:
            cells.append(f"{missing[row] if of_dataset else len(board.missing):,}")
        cells += [_cell(scores.score(row, figure)) for scores, figure in columns]
        table.add_row(escape(ROW_TITLES.get(row, row)), *cells)
    return table


def missing_by_dataset(board: Scoreboard) -> Counter[str]:
    """Questions of each dataset without a prediction; empty where none is missing."""
    missing = {*board.missing}
    pairs = zip(board.questions.ids, board.questions.datasets, strict=True)
    return Counter(dataset for id_, dataset in pairs if id_ in missing) if missing else Counter()


def _cell(score: Score | None) -> str:
    return "–" if score is None else f"{score.value:.4f}\n{_ends(score.low, score.high, '–')}"


def _ends(low: float, high: float, to: str) -> str:
    return "" if math.isnan(low) else f"[dim]{low:.3f}{to}{high:.3f}[/dim]"


def _robustness_table(protocol: str, gaps: Sequence[Gap], shares: Sequence[Consistency]) -> Table:
    """A row per dataset and, where a dataset has several kinds of variants, per kind."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=f"synthetic variants, {protocol}", title_justify="left")
    table.add_column("dataset, kind", no_wrap=True)
    table.add_column("pairs", justify="right")
    for figure in ("exact_match", "f1"):
        for what in ("original", "synthetic", "difference"):
            table.add_column(f"{figure}\n{what}", justify="right", no_wrap=True)
    table.add_column("right and\nstays right", justify="right", no_wrap=True)
    by_place = {(gap.dataset, gap.kind, gap.figure): gap for gap in gaps}
    for share in shares:
        exact, f1 = (by_place[share.dataset, share.kind, figure] for figure in ("exact_match", "f1"))
        if share.kind == ALL_KINDS and share.dataset == OVERALL:
            table.add_section()
        name = escape(share.dataset) if share.kind == ALL_KINDS else f"  [dim]{escape(share.kind)}[/dim]"
        cells = [cell for gap in (exact, f1) for cell in _gap_cells(gap)]
        consistent = "–" if not share.right else f"{share.value:.4f} of {share.right}\n"
        table.add_row(name, f"{exact.pairs:,}", *cells, consistent + _ends(share.low, share.high, "–"))
    return table


def _gap_cells(gap: Gap) -> tuple[str, str, str]:
    difference = f"{gap.difference:+.4f}\n{_ends(gap.low, gap.high, ' to ')}"
    return f"{gap.original:.4f}", f"{gap.synthetic:.4f}", difference


def notes(board: Scoreboard) -> Iterator[str]:
    """What a reader of the tables must know, in sentences."""
    yield f"95 % bootstrap intervals: {board.resamples:,} resamples of {len(board.questions):,} questions."
    for name, scores in board.protocols.items():
        over_datasets = [
            score.key for score in scores.scores if score.row in (OVERALL, "average") and score.is_over_datasets
        ]
        if over_datasets:
            yield f"{name}: {', '.join(over_datasets)} are means over datasets, not over questions."
    for name, scores in board.protocols.items():
        counted = int(scores.counted.sum())
        fewer = {score.key: score.count for score in scores.scores if score.row == OVERALL and score.count < counted}
        if fewer:
            counts = ", ".join(f"{key} {count:,}" for key, count in fewer.items())
            yield f"{name} counts fewer questions than the {counted:,} it scores: {counts}."
    if board.missing:
        rules = "; ".join(
            f"{name} {'counts them as 0' if scores.protocol.unanswered == 'zero' else 'leaves them out'}"
            for name, scores in board.protocols.items()
        )
        yield f"{len(board.missing):,} of {len(board.questions):,} questions have no prediction: {rules}."
    if board.unknown:
        yield f"{len(board.unknown):,} predictions are for unknown ids and were not used."
    for what, count in board.left_out.items():
        yield f"{count:,} {what} in the prediction file were not used."
    if board.robustness is not None and board.robustness.unpaired:
        yield f"{board.robustness.unpaired:,} synthetic variants have no original in the gold file."
