"""Labels needed on pools that are on no scale: a row for each pool, a dot for each learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from aluma.arrays import Floats
from aluma.lab.experiments.report.drawing import FOREGROUND, Line, extent, log_labels
from aluma.lab.names import colour
from aluma.lab.palette import INK, STRIPE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Inches of a row, and around panels: names of pools are on the left of the first, names of
#: learners on the right of the last.
ROW_INCHES, FIRST, LAST, BETWEEN = 0.75, 1.25, 2.1, 0.15


def around(panels: int) -> list[tuple[float, float]]:
    """Return the inches on the left and right of each of some panels."""
    sides = [[BETWEEN, BETWEEN] for _ in range(panels)]
    sides[0][0], sides[-1][1] = FIRST, LAST
    return [(left, right) for left, right in sides]


def row_panel(
    axes: Axes,
    lines: Sequence[Line],
    rows: Sequence[str],
    title: str,
    *,
    first: bool,
    last: bool,
    named: Mapping[str, str],
) -> None:
    """Draw counts of labels along rows: median, range, what the paper prints.

    The first panel has the names of the rows, the last those of learners, by their titles.
    """
    offsets = np.linspace(-0.32, 0.32, len(lines)) if len(lines) > 1 else np.zeros(1)
    for row in range(0, len(rows), 2):
        axes.axhspan(row - 0.5, row + 0.5, color=STRIPE, zorder=0, linewidth=0)
    for line, offset in zip(lines, offsets, strict=True):
        _draw(axes, line, np.arange(len(rows)) + offset)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), rows if first else [""] * len(rows), fontsize=8.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    seen = np.concatenate([extent(line) for line in lines])
    log_labels(axes, 0.8 * float(np.nanmin(seen)), 1.25 * float(np.nanmax(seen)), "labels given")
    axes.tick_params(axis="x", labelsize=8)
    axes.grid(axis="x")
    axes.set_title(title, loc="left", fontsize=10.5, color=INK)
    if last:
        name_colours(axes, named)


def name_colours(axes: Axes, titles: Mapping[str, str]) -> None:
    """Write the names of learners on the right of a panel, in their colours."""
    for place, (title, key) in enumerate(titles.items()):
        axes.annotate(
            f"● {title}",
            (1, 1),
            xycoords="axes fraction",
            xytext=(14, -8 - 14 * place),
            textcoords="offset points",
            color=colour(key),
            fontsize=8.5,
            fontweight="bold" if key in FOREGROUND else "normal",
            va="center",
        )


def _draw(axes: Axes, line: Line, heights: Floats) -> None:
    own = colour(line.key)
    if line.low is not None and line.high is not None:
        axes.hlines(heights, line.low, line.high, color=own, alpha=0.45, linewidth=1.6, zorder=2)
    beyond = np.zeros(len(line.y), dtype=bool) if line.beyond is None else line.beyond
    axes.plot(line.y[~beyond], heights[~beyond], "o", color=own, markersize=6, zorder=3)
    axes.plot(
        line.y[beyond],
        heights[beyond],
        ">",
        color="white",
        markeredgecolor=own,
        markersize=6.5,
        zorder=3,
    )
    if line.crosses is not None:
        axes.plot(
            line.crosses, heights, "x", color=own, markersize=7, markeredgewidth=1.6, zorder=4
        )
