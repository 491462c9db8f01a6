"""A learner's own stop in a picture of learning curves: where it learnt, checked and ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aluma.lab import names
from aluma.lab.palette import INK, QUIET
from aluma.lab.stop import Stop
from aluma.promises.audit_words import at_most

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Height of the words above the curves, as a share of the axes.
TOP = 1.015


def draw_stop(axes: Axes, stop: Stop) -> None:
    """Shade the answers that checked labels, and draw the run: learning full, checking dotted."""
    percent, colour = 100 * stop.errors, names.colour(stop.strategy)
    for one in stop.stretches:
        # A stretch begins where the one before it ended.
        start = max(one.first - 1, 1)
        count = np.arange(start, one.last + 1)
        if one.checking:
            axes.axvspan(start, one.last, color=colour, alpha=0.10, linewidth=0, zorder=0)
        axes.plot(
            count,
            percent[start - 1 : one.last],
            color=INK,
            linewidth=1.4,
            linestyle=":" if one.checking else "-",
            zorder=4,
        )
    _mark_checks(axes, stop)
    _mark_end(axes, stop)


def _mark_checks(axes: Axes, stop: Stop) -> None:
    """Write where checks began for the first time."""
    first = next((one for one in stop.stretches if one.checking), None)
    if first is None:
        return
    begun = max(first.first - 1, 1)
    axes.axvline(begun, color=QUIET, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    axes.text(
        begun,
        TOP,
        f"learning until {begun:,},\nthen checks ",
        transform=axes.get_xaxis_transform(),
        ha="right",
        va="bottom",
        color=QUIET,
        fontsize=9,
    )


def _mark_end(axes: Axes, stop: Stop) -> None:
    """Write where it ended, and what is promised there."""
    end = len(stop.errors)
    axes.axvline(end, color=INK, linewidth=1.1, zorder=1)
    axes.text(
        end,
        TOP,
        f" {_ending(stop)}",
        transform=axes.get_xaxis_transform(),
        ha="left",
        va="bottom",
        color=INK,
        fontsize=9,
        fontweight="bold",
    )


def _ending(stop: Stop) -> str:
    end = f"{len(stop.errors):,}"
    if stop.passed:
        return f"stop at {end}:\n at most {at_most(stop.certificate.error_bound)} wrong"
    if stop.out_of_reach is not None:
        return f"given up at {end}:\n about {stop.out_of_reach.estimate:.0%} wrong"
    return f"no stop\n by {end}"
