"""A comparison as tables, and these on the terminal, in Markdown and in LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from metrics.shared.protocol import Side
from metrics.shared.protocol_scores import MACRO, OVERALL
from scripts.comparison import Comparison, Difference, QuestionDifference

if TYPE_CHECKING:
    from pandas import DataFrame
    from rich.console import Console

LEVEL = 0.05
_TEXT_LENGTH = 80
_UNLIMITED = 1000
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
        rows.append([compared.protocol, _ROW_TITLES.get(compared.row, compared.row), compared.figure, *cells])
    systems: list[tuple[str, Kind]] = [(_clean(system), "number") for system in comparison.boards]
    return Table("Scores", [*_PLACE, *systems], _without_repeats(rows))


def _difference_table(comparison: Comparison, system: str) -> Table:
    rows = []
    for compared in comparison.scores:
        difference = compared.differences.get(system)
        cells = [_ABSENT] * 6 if difference is None else _difference_cells(difference)
        rows.append([compared.protocol, _ROW_TITLES.get(compared.row, compared.row), compared.figure, *cells])
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
        ("acceptable answers", "text"),
        (_clean(comparison.baseline), "text"),
        (_clean(system), "text"),
    ]
    rows = [
        [
            _signed(one.difference, 2),
            one.dataset,
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
    from rich.console import Console
    from rich.text import Text

    if console is None:
        console = Console(highlight=False)
        if not console.is_terminal:
            console.width = _UNLIMITED
    for table in tables_of(comparison):
        title = Text(table.title, "bold")
        shown = rich_table.Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
        for heading, kind in table.columns:
            justify: Literal["left", "right"] = "right" if kind == "number" else "left"
            shown.add_column(Text(heading), justify=justify, no_wrap=kind == "number", overflow="fold")
        for row in table.rows:
            shown.add_row(*map(Text, row))
        console.print(shown)
    for note in (*notes_of(comparison), "Signatures:", *(f"  {one}" for one in comparison.signatures.values())):
        console.print(Text(note), soft_wrap=True)


def to_markdown(comparison: Comparison) -> str:
    """The comparison in GitHub's Markdown: a heading and a table each, notes, signatures."""
    parts = []
    for table in tables_of(comparison):
        alignment = ["right" if kind == "number" else "left" for _, kind in table.columns]
        frame = _frame(table, _markdown_text)
        shown = frame.to_markdown(index=False, tablefmt="pipe", colalign=alignment, disable_numparse=True)
        parts.append(f"### {_markdown_text(table.title)}\n\n{shown}\n")
    notes = "\n".join(f"- {_markdown_text(note)}" for note in notes_of(comparison))
    signatures = "\n".join(comparison.signatures.values())
    return "\n".join([*parts, f"{notes}\n", f"Signatures:\n\n```text\n{signatures}\n```\n"])


def _markdown_text(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|~&#$])", r"\\\1", text.replace("\n", " "))


def to_latex(comparison: Comparison) -> str:
    """The comparison in LaTeX, to be ``\\input``: booktabs tables, long ones and those of questions break over pages.

    Returns:
        The text; its first lines, which are comments, name the packages that it needs.
    """
    from pylatexenc.latexencode import RULE_DICT, UnicodeToLatexConversionRule, UnicodeToLatexEncoder

    bars = UnicodeToLatexConversionRule(RULE_DICT, {ord("|"): r"{\textbar}\allowbreak{}"})
    escape = UnicodeToLatexEncoder(
        conversion_rules=[bars, "defaults"], unknown_char_policy="keep", unknown_char_warning=False
    ).unicode_to_latex
    parts = [
        "% Needs \\usepackage{booktabs,longtable}; longtable wants one column a page.",
        "% Scripts other than Latin need XeLaTeX or LuaLaTeX and a font that has them.",
        "\\begingroup\\footnotesize",
    ]
    for number, table in enumerate(tables_of(comparison), 1):
        frame = _frame(table, lambda text: escape(text.replace("\n", " ")))
        breaks = len(table.rows) > _LATEX_ROWS_A_PAGE or any(kind == "text" for _, kind in table.columns)
        parts.append(
            frame.to_latex(
                index=False,
                escape=False,
                longtable=breaks,
                column_format="".join(_LATEX_COLUMNS[kind] for _, kind in table.columns),
                position=None if breaks else "tbp",
                caption=escape(table.title),
                label=f"tab:comparison-{number}",
            ).replace(r"\begin{tabular}", "\\centering\n\\begin{tabular}")
        )
    notes = [escape(note) for note in notes_of(comparison)]
    signatures = [f"\\texttt{{{escape(one)}}}" for one in comparison.signatures.values()]
    lines = " \\\\\n".join([" ".join(notes), "Signatures:", *signatures])
    return "\n".join([*parts, f"\\noindent\\raggedright\n{lines}\\par\n\\endgroup\n"])


_LATEX_COLUMNS: dict[Kind, str] = {"label": "l", "number": "r", "text": "p{0.15\\linewidth}"}

_LATEX_ROWS_A_PAGE = 40


def _frame(table: Table, escape: Callable[[str], str]) -> DataFrame:
    from pandas import DataFrame

    return DataFrame([[*map(escape, row)] for row in table.rows], columns=[escape(name) for name, _ in table.columns])
