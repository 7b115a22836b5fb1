"""Charts of a report as inline SVG: the demo's, and scores by groups of questions and of synthetic variants.

Colours fit light and dark pages; text and lines take the page's own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.shared.intervals import Progress, Statistic, bootstrap, interval
from metrics.shared.robustness import ALL_KINDS, Gap
from metrics.shared.scoreboard import Scoreboard
from metrics.shared.space_charts import COLOURS, as_html, interval_chart, label_rows, legend_above, new_axes

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Breakdown:
    """Mean F1 by groups of questions.

    Attributes:
        title: by what the questions are grouped.
        counts: questions of each group, in the order of the groups.
        points: protocol -> group -> mean F1 and the ends of its 95 % interval; without groups of which nothing counts.
    """

    title: str
    counts: dict[str, int]
    points: dict[str, dict[str, Point]]

    def chart(self) -> str:
        """HTML of one figure, a row per group."""
        rows = {group: f"{group} ({count:,})" for group, count in self.counts.items()}
        return interval_chart(f"F1 by {self.title} (questions), with 95 % intervals", rows, self.points)


def breakdown(
    board: Scoreboard, title: str, group_of_question: Sequence[str], order: Sequence[str], progress: Progress
) -> Breakdown:
    """Break a scoreboard's F1 down by groups of questions.

    Args:
        board: the scoreboard.
        title: by what the questions are grouped.
        group_of_question: the group of each question.
        order: all groups in the order to show them; those without a question are left out.
        progress: told about chunks of resamples.

    Returns:
        The breakdown, with intervals by the scoreboard's own number of resamples and seed.
    """
    names = np.array(group_of_question)
    members = {group: found for group in order if (found := names == group).any()}
    keys, statistics = [], []
    for protocol, scores in board.protocols.items():
        for group, found in members.items():
            f1 = np.where(scores.counted, scores.columns["f1"], np.nan)
            if not np.isnan(f1[found]).all():
                keys.append((protocol, group))
                statistics.append(Statistic(f1, np.where(found, 0, -1)))
    points: dict[str, dict[str, Point]] = {protocol: {} for protocol in board.protocols}
    samples = bootstrap(statistics, board.resamples, board.seed, progress).T if statistics else ()
    for (protocol, group), statistic, column in zip(keys, statistics, samples, strict=True):
        points[protocol][group] = (float(np.nanmean(statistic.values[members[group]])), *interval(column))
    return Breakdown(title, {group: int(found.sum()) for group, found in members.items()}, points)


def gap_charts(board: Scoreboard) -> Iterator[str]:
    """A chart per protocol of what synthetic variants cost: F1 of the originals, of the variants, and the interval.

    Args:
        board: a scoreboard.

    Yields:
        HTML of one figure; nothing where there are no variants.
    """
    gaps = board.robustness.gaps if board.robustness else []
    for name in board.protocols:
        shown = [gap for gap in gaps if (gap.protocol, gap.figure) == (name, "f1")]
        if shown:
            yield _gap_chart(name, shown)


def _gap_chart(protocol: str, gaps: Sequence[Gap]) -> str:
    figure, axes = new_axes(max(2.6, 1.1 + 0.3 * len(gaps)))
    for at, gap in enumerate(gaps):
        axes.plot([gap.original, gap.synthetic], [at, at], color=COLOURS[1], linewidth=2.5, alpha=0.45, zorder=1)
        if not math.isnan(gap.low):
            ends = [gap.original + gap.low, gap.original + gap.high]
            axes.errorbar([sum(ends) / 2], [at], xerr=(ends[1] - ends[0]) / 2, color=COLOURS[1], capsize=3, zorder=2)
    rows = range(len(gaps))
    originals, variants = [gap.original for gap in gaps], [gap.synthetic for gap in gaps]
    axes.scatter(originals, rows, s=34, color=COLOURS[0], marker="o", label="original", zorder=3)
    axes.scatter(variants, rows, s=34, color=COLOURS[1], marker="D", label="synthetic", zorder=4)
    label_rows(axes, [gap.dataset if gap.kind == ALL_KINDS else gap.kind for gap in gaps])
    for label, gap in zip(axes.get_yticklabels(), gaps, strict=True):
        label.set_fontweight("bold" if gap.kind == ALL_KINDS else "normal")
    axes.set_xlim(min(-0.02, *axes.get_xlim()), max(1.02, *axes.get_xlim()))
    legend_above(axes, 2)
    return as_html(figure, f"What synthetic variants cost in F1, {protocol}; whiskers: 95 % interval of the difference")
