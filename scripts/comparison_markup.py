"""A comparison's tables in Markdown and in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from scripts.comparison import Comparison
from scripts.comparison_tables import Kind, Table, notes_of, tables_of

if TYPE_CHECKING:
    from pandas import DataFrame

_LATEX_COLUMNS: dict[Kind, str] = {"label": "l", "number": "r", "text": "p{0.15\\linewidth}"}
_LATEX_ROWS_A_PAGE = 40


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
            ).replace(r"\begin{tabular}", "\\centering\\footnotesize\n\\begin{tabular}")
        )
    notes = [escape(note) for note in notes_of(comparison)]
    signatures = [f"\\texttt{{{escape(one)}}}" for one in comparison.signatures.values()]
    lines = " \\\\\n".join([" ".join(notes), "Signatures:", *signatures])
    return "\n".join([*parts, f"\\noindent\\raggedright\n{lines}\\par\n\\endgroup\n"])


def _frame(table: Table, escape: Callable[[str], str]) -> DataFrame:
    from pandas import DataFrame

    return DataFrame([[*map(escape, row)] for row in table.rows], columns=[escape(name) for name, _ in table.columns])
