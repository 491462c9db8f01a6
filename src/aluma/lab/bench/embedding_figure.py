"""Where ALuMA is ahead, level and behind on embeddings, as a picture and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aluma.lab.palette import DPI, INK, QUIET, STYLE

if TYPE_CHECKING:
    from aluma.lab.bench.embeddings import Cell

#: What a cell is filled with; words say the same, for those who see no colours.
COLOURS = {"ahead": "#9CCFA5", "level": "#EDEDED", "behind": "#F0B58A"}
#: Inches of a cell.
WIDE, HIGH = 1.45, 0.52


def table_of(cells: Sequence[Cell]) -> str:
    """Return the cells as Markdown: ALuMA's error, the best other's, and the difference."""
    marks = sorted({one.labels for one in cells})
    lines = [
        "| pool | " + " | ".join(f"{n} labels" for n in marks) + " |",
        "|---|" + "---|" * len(marks),
    ]
    for pool in dict.fromkeys(one.pool for one in cells):
        by_mark = {one.labels: one for one in cells if one.pool == pool}
        shown = [_words(by_mark[n]) if n in by_mark else "-" for n in marks]
        lines.append(f"| {pool} | " + " | ".join(shown) + " |")
    return "\n".join(lines) + "\n"


def _words(cell: Cell) -> str:
    sign = {"ahead": "**", "behind": "_"}.get(cell.verdict, "")
    return f"{sign}{cell.ours:.1f}{sign} / {cell.theirs:.1f} ({cell.best})"


def draw(cells: Sequence[Cell], path: Path) -> None:
    """Draw one square a cell: green where ALuMA is ahead, orange where it is behind."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    marks = sorted({one.labels for one in cells})
    pools = list(dict.fromkeys(one.pool for one in cells))
    with mpl.rc_context(STYLE):
        figure = Figure((3.2 + WIDE * len(marks), 1.5 + HIGH * len(pools)), layout="constrained")
        axes = figure.subplots()
        for one in cells:
            x, y = marks.index(one.labels), pools.index(one.pool)
            fill = COLOURS[one.verdict]
            axes.add_patch(Rectangle((x, y), 0.96, 0.92, facecolor=fill, edgecolor="none"))
            text = f"{one.ours:.1f}  ({one.gap:+.1f})"
            axes.text(x + 0.48, y + 0.33, text, ha="center", va="center", color=INK, fontsize=10)
            axes.text(
                x + 0.48, y + 0.7, one.best, ha="center", va="center", color=QUIET, fontsize=7.5
            )
        axes.set_xlim(0, len(marks))
        axes.set_ylim(len(pools), 0)
        axes.set_xticks([x + 0.48 for x in range(len(marks))], [f"{n} labels" for n in marks])
        axes.set_yticks([y + 0.46 for y in range(len(pools))], pools)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.set_xlabel(
            "% wrong by ALuMA (points more than the best other, whose name is below)\n"
            "green: ahead by two standard errors of the pairs; orange: behind; grey: level",
            color=QUIET,
        )
        figure.savefig(path, dpi=DPI)
