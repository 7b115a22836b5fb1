"""A comparison as tables of plain text, and these on the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from metrics.shared.protocol import Side
from metrics.shared.protocol_scores import MACRO, OVERALL
from scripts.comparison import Comparison, Difference, QuestionDifference

if TYPE_CHECKING:
    from rich.console import Console

LEVEL = 0.05
_TEXT_LENGTH = 80
_BETWEEN_COLUMNS = 3
_ROW_TITLES = {OVERALL: "overall", MACRO: "mean of datasets"}
_ABSENT = "–"

Kind = Literal["label", "number", "text"]


@dataclass(frozen=True)
class Table:
    """A table of plain texts; what must be escaped or set apart is for those who print it.

    Attributes:
        title: one line.
        columns: the heading of each column and what it holds: short labels, numbers, or texts that may wrap.
        rows: a cell for each column; a line break in it may be shown as a space.
    """

    title: str
    columns: list[tuple[str, Kind]]
    rows: list[list[str]]


def tables_of(comparison: Comparison) -> list[Table]:
    """All tables of a comparison: scores side by side, then of each system its differences and questions."""
    tables = [_score_table(comparison)]
    for system in comparison.others:
        tables.append(_difference_table(comparison, system))
        questions = [question for question in comparison.questions if question.system == system]
        if questions:
            tables.append(_question_table(comparison, system, questions))
    return tables


def notes_of(comparison: Comparison) -> list[str]:
    """What must be known to read the tables."""
    board = comparison.baseline_board
    correction = f", adjusted by Holm's method for {len(comparison.others)} systems" * (len(comparison.others) > 1)
    notes = [
        f"Brackets: 95 % bootstrap intervals, {board.resamples:,} resamples of {len(board.questions):,} questions; of "
        "differences they are paired.",
        f"p: two-sided, paired approximate randomisation with {comparison.trials:,} trials{correction}.",
        f"McNemar: two-sided p of the exact test, for exact match over questions{correction}.",
        f"* p < {LEVEL}.",
    ]
    for name, scores in board.protocols.items():
        means = [score.key for score in scores.scores if score.row in (OVERALL, "average") and score.is_over_datasets]
        if means:
            notes.append(f"{name}: {', '.join(means)} are means over datasets, not over questions.")
    return [*notes, *_notes_on_files(comparison)]


def _notes_on_files(comparison: Comparison) -> Iterator[str]:
    for system, board in comparison.boards.items():
        if board.missing:
            rules = "; ".join(
                f"{name} {'counts them as 0' if scores.protocol.unanswered == 'zero' else 'leaves them out'}"
                for name, scores in board.protocols.items()
            )
            yield f"{_clean(system)}: {len(board.missing):,} questions have no prediction: {rules}."
        if board.unknown:
            yield f"{_clean(system)}: {len(board.unknown):,} predictions are for unknown ids and were not used."
        for what, count in board.left_out.items():
            yield f"{_clean(system)}: {count:,} {what} in the prediction file were not used."


def _score_table(comparison: Comparison) -> Table:
    rows = []
    for compared in comparison.scores:
        found = [compared.scores.get(system) for system in comparison.boards]
        cells = [_ABSENT if one is None else f"{one.value:.4f}{_ends(one.low, one.high, '.4f')}" for one in found]
        rows.append([compared.protocol, _ROW_TITLES.get(compared.row, _clean(compared.row)), compared.figure, *cells])
    systems: list[tuple[str, Kind]] = [(_clean(system), "number") for system in comparison.boards]
    return Table("Scores", [*_PLACE, *systems], _without_repeats(rows))


def _difference_table(comparison: Comparison, system: str) -> Table:
    rows = []
    for compared in comparison.scores:
        difference = compared.differences.get(system)
        cells = [_ABSENT] * 6 if difference is None else _difference_cells(difference)
        rows.append([compared.protocol, _ROW_TITLES.get(compared.row, _clean(compared.row)), compared.figure, *cells])
    headings = ("difference", "p", "McNemar", "wins", "losses", "ties")
    title = f"{_clean(system)} against {_clean(comparison.baseline)}"
    return Table(title, [*_PLACE, *((heading, "number") for heading in headings)], _without_repeats(rows))


_PLACE: list[tuple[str, Kind]] = [("protocol", "label"), ("dataset", "label"), ("figure", "label")]


def _difference_cells(difference: Difference) -> list[str]:
    counts = (difference.tally.wins, difference.tally.losses, difference.tally.ties)
    return [
        f"{_signed(difference.value)}{_ends(difference.low, difference.high, '+.4f')}",
        _p(difference.p_holm),
        _p(difference.mcnemar_p_holm),
        *(f"{count:,}" for count in counts),
    ]


def _question_table(comparison: Comparison, system: str, questions: Sequence[QuestionDifference]) -> Table:
    columns: list[tuple[str, Kind]] = [
        ("difference", "number"),
        ("dataset", "label"),
        ("id", "label"),
        ("question", "text"),
        ("answers", "text"),
        (_clean(comparison.baseline), "text"),
        (_clean(system), "text"),
    ]
    rows = [
        [
            _signed(one.difference, 2),
            _clean(one.dataset),
            *map(_shortened, (one.id, one.question, " / ".join(dict.fromkeys(map(_side, one.references))))),
            _shortened(_side(one.baseline_prediction)),
            _shortened(_side(one.prediction)),
        ]
        for one in questions
    ]
    title = f"Questions on which {_clean(system)} and {_clean(comparison.baseline)} differ most"
    return Table(title, columns, rows)


def _without_repeats(rows: list[list[str]]) -> list[list[str]]:
    """The rows without the protocol and the dataset that the row above has too."""
    shown = []
    above = ["", ""]
    for protocol, dataset, *cells in rows:
        same = protocol == above[0]
        shown.append(["" if same else protocol, "" if same and dataset == above[1] else dataset, *cells])
        above = [protocol, dataset]
    return shown


def _ends(low: float, high: float, form: str) -> str:
    return "" if math.isnan(low) else f"\n[{_minus(format(low, form))}, {_minus(format(high, form))}]"


def _signed(value: float, digits: int = 4) -> str:
    return _minus(f"{round(value, digits) + 0.0:+.{digits}f}")


def _minus(number: str) -> str:
    return number.replace("-", "−")


def _p(p: float | None) -> str:
    if p is None:
        return ""
    return ("<0.0001" if p < 0.00005 else f"{p:.4f}") + "*" * (p < LEVEL)


def _side(side: Side | None) -> str:
    if side is None:
        return "(none)"
    return "; ".join(side) if isinstance(side, list) else side or "(empty)"


def _shortened(text: str) -> str:
    text = _clean(text)
    return text if len(text) <= _TEXT_LENGTH else text[: _TEXT_LENGTH - 1] + "…"


def _clean(text: str) -> str:
    """A text on one line, without what would steer a terminal or stop LaTeX."""
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in " ".join(text.split()))


def print_comparison(comparison: Comparison, console: Console | None = None) -> None:
    """Print a comparison.

    Args:
        comparison: the comparison.
        console: where to; by default standard output, as wide as needed where that is not a terminal.
    """
    from rich import box
    from rich import table as rich_table
    from rich.text import Text

    from scripts.score_tables import standard_output

    console = console or standard_output()
    for table in (part for whole in tables_of(comparison) for part in _parts(whole, console.width)):
        title = Text(table.title, "bold")
        shown = rich_table.Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
        has_texts = any(kind == "text" for _, kind in table.columns)
        for heading, kind in table.columns:
            justify: Literal["left", "right"] = "right" if kind == "number" else "left"
            shown.add_column(Text(heading), justify=justify, no_wrap=kind == "number" or not has_texts, overflow="fold")
        for row in table.rows:
            shown.add_row(*map(Text, row))
        console.print(shown)
    for note in (*notes_of(comparison), "Signatures:", *(f"  {one}" for one in comparison.signatures.values())):
        console.print(Text(note), soft_wrap=True)


def _parts(table: Table, width: int) -> Iterator[Table]:
    """A table of numbers as tables that fit a width: each has the labels, and as many numbers as go with them."""
    from rich.cells import cell_len

    labels = [i for i, (_, kind) in enumerate(table.columns) if kind == "label"]
    numbers = [i for i, (_, kind) in enumerate(table.columns) if kind == "number"]
    if len(labels) + len(numbers) < len(table.columns):  # texts wrap
        yield table
        return
    widths = [
        max(cell_len(line) for cell in cells for line in cell.split("\n")) + _BETWEEN_COLUMNS
        for cells in zip([heading for heading, _ in table.columns], *table.rows, strict=True)
    ]
    room = width - sum(widths[i] for i in labels)
    while numbers:
        at_once = max(1, sum(used <= room for used in accumulate(widths[i] for i in numbers)))
        chosen = labels + numbers[:at_once]
        numbers = numbers[at_once:]
        yield Table(table.title, [table.columns[i] for i in chosen], [[row[i] for i in chosen] for row in table.rows])
