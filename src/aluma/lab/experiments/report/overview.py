"""The summary: who needs the fewest labels, data set by data set, as a table and a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from aluma.lab.comparison import TARGETS
from aluma.lab.curves import median, needed
from aluma.lab.entrants import Entrant
from aluma.lab.experiments.declaration import Tournament
from aluma.lab.experiments.report.contests import needed_table
from aluma.lab.experiments.report.dots import name_colours
from aluma.lab.experiments.report.drawing import FOREGROUND, Picture, log_labels, picture
from aluma.lab.experiments.report.table import Cell, Table
from aluma.lab.experiments.results import Results, of
from aluma.lab.names import colour
from aluma.lab.palette import INK, STRIPE
from aluma.lab.play import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Errors that the figure shows, of those in the table.
SHOWN = (0.05, 0.01, 0.0)

#: Inches of a data set.
ROW_INCHES = 0.46

#: Runs by learner.
Runs: TypeAlias = Mapping[Entrant, list[Result]]


def data_sets(found: Sequence[Results]) -> dict[str, Runs]:
    """Return the runs on every data set that learners are compared on, by its name."""
    every: dict[str, Runs] = {}
    for results in found:
        contest = results.experiment
        if not isinstance(contest, Tournament) or not contest.summarised:
            continue
        for value in contest.sizes[results.scale].values:
            runs = {e: of(results, e.key, value) for e in contest.present}
            there = {entrant: one for entrant, one in runs.items() if one}
            suffix = f", d = {value}" if contest.parameter == "d" else ""
            if there:
                every[contest.title.partition(":")[0] + suffix] = there
    return every


def summary_table(every: Mapping[str, Runs]) -> Table:
    """Return the labels needed for some errors."""
    rows: list[list[Cell | str]] = []
    for name, there in every.items():
        rows += [[name, *row] for row in needed_table(name, dict(there)).rows]
    heads = ["data set", "learner", *(f"{target:.0%}" for target in TARGETS)]
    title = (
        "Labels until at most this share of the pool is labelled wrong: median over the runs "
        "(range); the fewest of a data set stand out"
    )
    return Table("summary", title, heads, rows, 2)


def summary_picture(every: Mapping[str, Runs]) -> Picture | None:
    """Return the labels needed as dots, a row for every data set."""
    if not every:
        return None
    panels = [
        partial(_dots, every=every, target=target, first=not i, last=target == SHOWN[-1])
        for i, target in enumerate(SHOWN)
    ]
    subtitle = "Dot: median over the runs. Triangle: not reached within the labels given."
    # Names of data sets on the left of the first panel, of learners on the right of the last.
    margins = [(2.7, 0.1), (0.15, 0.1), (0.15, 1.7)]
    height = max(2.2, ROW_INCHES * len(every))
    return picture(
        "summary", "Who needs the fewest labels?", subtitle, panels, margins, height=height
    )


def _dots(axes: Axes, every: Mapping[str, Runs], target: float, first: bool, last: bool) -> None:
    names = list(every)
    most = max(run["labels"][-1] for there in every.values() for r in there.values() for run in r)
    for row, there in enumerate(every.values()):
        if row % 2 == 0:
            axes.axhspan(row - 0.5, row + 0.5, color=STRIPE, zorder=0, linewidth=0)
        # One above the other within the row, so that equal counts can be told apart.
        heights = row + np.linspace(-0.33, 0.33, len(there))
        for y, (entrant, runs) in zip(heights, there.items(), strict=True):
            middle = median([needed(run, target) for run in runs])
            reached = bool(np.isfinite(middle))
            own = colour(entrant.key)
            front = entrant.key in FOREGROUND
            axes.plot(
                middle if reached else max(run["labels"][-1] for run in runs),
                y,
                "o" if reached else "^",
                color=own if reached else "white",
                markeredgecolor=own,
                markersize=6.5 if front else 4.5,
                zorder=4 if front else 3,
                clip_on=False,
            )
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), names if first else [""] * len(names), fontsize=8.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    log_labels(axes, 1, most, "labels given")
    axes.grid(axis="x")
    wrong = f"at most {target:.0%} is wrong" if target else "everything is right"
    axes.set_title(f"Until {wrong}", loc="left", fontsize=10.5, color=INK)
    if last:
        titles = {entrant.title: entrant.key for there in every.values() for entrant in there}
        name_colours(axes, titles)
