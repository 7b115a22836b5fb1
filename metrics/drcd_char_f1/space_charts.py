"""Charts of a scoreboard as SVG that takes the page's text colour, so that it fits light and dark."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from typing import Any

import numpy as np

from .scoreboard import Scoreboard
from .space_board import row_title, shown_rows

_INK = "#010203"  # stands for the page's text colour, by which it is replaced
COLOURS = ("#2f7fd6", "#d97706", "#229a5b", "#a855d6")
MARKERS = ("o", "s", "^", "D")
_PANELS = (("Exact match", ("exact_match", "em")), ("F1", ("f1",)))
_BINS = 10
_LONGEST_LABEL = 28


def charts(board: Scoreboard) -> str:
    """Scores with intervals, and how F1 is distributed over the questions.

    Args:
        board: the scoreboard.

    Returns:
        HTML with one figure per chart.
    """
    drawn = [_intervals(board, title, figures) for title, figures in _PANELS]
    return f'<div class="charts">{"".join(drawn)}{_distribution(board)}</div>'


def _intervals(board: Scoreboard, title: str, figures: tuple[str, ...]) -> str:
    by_protocol = {
        name: {score.row: (score.value, score.low, score.high) for score in scores.scores if score.figure in figures}
        for name, scores in board.protocols.items()
    }
    rows = [row for row in shown_rows(board) if any(row in found for found in by_protocol.values())]
    return interval_chart(f"{title} with 95 % intervals", {row: row_title(row) for row in rows}, by_protocol)


def interval_chart(
    title: str, rows: Mapping[str, str], by_protocol: Mapping[str, Mapping[str, tuple[float, float, float]]]
) -> str:
    """A point with its interval per row and protocol.

    Args:
        title: what is shown.
        rows: key -> label, from top to bottom.
        by_protocol: protocol -> key of a row -> value, lower and upper end; the ends are NaN without an interval.

    Returns:
        HTML of one figure.
    """
    figure, axes = new_axes(max(2.6, 1.1 + len(rows) * (0.16 + 0.13 * len(by_protocol))))
    position = {row: at for at, row in enumerate(rows)}
    for number, (name, found) in enumerate(by_protocol.items()):
        offset = (number - (len(by_protocol) - 1) / 2) * 0.7 / len(by_protocol)
        shown = {position[row] + offset: point for row, point in found.items() if row in position}
        values, *ends = np.array(list(shown.values())).reshape(-1, 3).T
        axes.errorbar(
            values,
            list(shown),
            xerr=np.nan_to_num(np.abs(np.array(ends) - values)),
            fmt=MARKERS[number],
            color=COLOURS[number],
            markersize=5,
            capsize=2.5,
            label=name,
        )
    label_rows(axes, list(rows.values()))
    axes.set_xlim(-0.02, 1.02)
    legend_above(axes, len(by_protocol))
    return as_html(figure, title)


def label_rows(axes: Any, labels: Sequence[str]) -> None:
    """Name the rows of a chart from top to bottom; a name that would leave no room for the chart is cut."""
    cut = [label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1]}…" for label in labels]
    axes.set_yticks(range(len(labels)), cut)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(axis="x", alpha=0.2)


def _distribution(board: Scoreboard) -> str:
    figure, axes = new_axes(3.2)
    edges = np.linspace(0, 1, _BINS + 1)
    width = 0.8 / len(board.protocols)
    for number, (name, scores) in enumerate(board.protocols.items()):
        f1 = scores.columns["f1"][scores.counted]
        shares = np.histogram(f1[~np.isnan(f1)], edges)[0]
        axes.bar(np.arange(_BINS) + (number + 0.5) * width - 0.4, shares, width, color=COLOURS[number], label=name)
    axes.set_xticks(np.arange(_BINS), [f"{low:.1f}–{low + 0.1:.1f}" for low in edges[:-1]], rotation=45, ha="right")
    axes.set_ylabel("questions")
    axes.grid(axis="y", alpha=0.2)
    legend_above(axes, len(board.protocols))
    return as_html(figure, "Questions by F1")


def new_axes(height: float) -> tuple[Any, Any]:
    """A figure of a phone's width, its height in inches, and the axes in it."""
    figure = _matplotlib().Figure(figsize=(4.7, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    return figure, axes


def legend_above(axes: Any, entries: int) -> None:
    """Name the protocols above the chart."""
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(entries, 2), frameon=False, handletextpad=0.3)


def as_html(figure: Any, title: str) -> str:
    """A figure with its title; its SVG takes the page's text colour."""
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", transparent=True)
    svg = drawn.getvalue()
    svg = svg[svg.index("<svg") :].replace(_INK, "currentColor")
    name = escape(title)
    return f'<figure><figcaption>{name}</figcaption><div role="img" aria-label="{name}">{svg}</div></figure>'


@cache
def _matplotlib() -> Any:
    """Matplotlib's figures, which take a second to import, set up to write text as text in the page's colour."""
    import matplotlib
    import matplotlib.figure

    matplotlib.rcParams.update(
        {
            "svg.fonttype": "none",
            "text.parse_math": False,
            "font.family": "sans-serif",
            "font.size": 11.5,
            **dict.fromkeys(
                ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color", "grid.color"), _INK
            ),
        }
    )
    return matplotlib.figure
