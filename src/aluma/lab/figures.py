"""Pictures, all in one style: learning curves of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aluma.arrays import Floats
from aluma.extras import require
from aluma.lab import names
from aluma.lab.comparison import Comparison
from aluma.lab.palette import COUNTS, DPI, QUIET, STYLE
from aluma.lab.stop import Stop
from aluma.lab.stop_figure import draw_stop

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Inches of the figure, and the room in points that the name of a curve takes.
FIGURE_INCHES = (8.0, 4.5)
NAME_POINTS = (110.0, 13.0)

#: Height of the axes, as a share of the figure, with words above them about where a learner stops.
ROOM_FOR_STOP = 0.64

#: Percentages marked on the error axis.
ERRORS = (0, 1, 5, 10, 20, 30, 40, 50, 75, 100)


def learning_curves(comparison: Comparison, path: Path, title: str) -> None:
    """Draw the share of the pool labelled wrong against the labels given, as a PNG.

    The line is the median of a strategy's runs, the band their range. Both axes are stretched where
    the labels are spent: counts by a logarithm, errors by a square root, which still has a 0.
    """
    require("a picture", "lab", "matplotlib")
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    every = {name: comparison.curves(name) for name in comparison.strategies}
    curves = {name: errors for name, errors in every.items() if errors.size}
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=FIGURE_INCHES, dpi=DPI)
        FigureCanvasAgg(figure)
        stop = comparison.stop if comparison.stop and comparison.stop.stretches else None
        axes = figure.add_axes((0.07, 0.125, 0.8, 0.7 if stop is None else ROOM_FOR_STOP))
        _frame(axes, curves, stop)
        if stop is not None:
            draw_stop(axes, stop)
        for name, errors in reversed(curves.items()):
            _curve(axes, errors, names.colour(name))
        _name_ends(axes, curves)
        # A file's name may hold dollar signs, which are no formula.
        figure.text(0.022, 0.925, title, fontsize=13.5, fontweight="bold", parse_math=False)
        figure.text(0.022, 0.868, _subtitle(comparison), color=QUIET)
        figure.savefig(path, bbox_inches="tight", pad_inches=0.18, metadata={"Software": None})


def _subtitle(comparison: Comparison) -> str:
    repeats = max(len(comparison.of(name)) for name in comparison.strategies)
    parts = ["Share of the pool that is labelled wrong"]
    if repeats > 1:
        parts.append(f"Line: median of {repeats} runs; band: all of them")
    if comparison.stop is not None and comparison.stop.stretches:
        parts.append("Black: with checks, to its own stop")
    return ". ".join(parts) + ("." if len(parts) > 1 else "")


def _frame(axes: Axes, curves: Mapping[str, Floats], stop: Stop | None) -> None:
    """Set up the axes: labels given along, share of the pool labelled wrong up."""
    every = [*curves.values(), *([] if stop is None else [stop.errors[np.newaxis]])]
    longest = max(2, *(errors.shape[1] for errors in every))
    worst = max(5.0, *(100 * float(errors.max(initial=0.0)) for errors in every))
    axes.set_yscale("function", functions=(_root, np.square))
    axes.set_ylim(0.0, 1.03 * worst)
    axes.set_yticks([e for e in ERRORS if e <= worst], [f"{e}%" for e in ERRORS if e <= worst])
    counts = [count for count in COUNTS if count < 1.15 * longest]
    axes.set_xscale("log")
    axes.set_xlim(0.92, 1.15 * longest)
    axes.set_xticks(counts, [f"{count:,}" for count in counts])
    axes.set_xticks([], minor=True)
    axes.grid(axis="y")
    axes.tick_params(length=3)
    axes.set_xlabel("labels given by a person")


def _end(middle: Floats) -> int:
    """Return the count at which a curve is right about everything, or its length."""
    return int(np.argmax(middle == 0)) + 1 if (middle == 0).any() else len(middle)


def _curve(axes: Axes, errors: Floats, colour: str) -> None:
    """Draw the median of some runs, up to where it is right about everything, and their range."""
    percent = 100 * errors
    middle = np.median(percent, axis=0)
    count, end = np.arange(1, len(middle) + 1), _end(middle)
    low, high = percent.min(axis=0), percent.max(axis=0)
    axes.fill_between(count, low, high, color=colour, alpha=0.14, linewidth=0)
    axes.plot(count[:end], middle[:end], color=colour, linewidth=2.2)
    axes.plot(
        end,
        middle[end - 1],
        marker="o",
        color=colour,
        markersize=7.5,
        markeredgecolor="white",
        markeredgewidth=1.3,
        clip_on=False,
        zorder=5,
    )


def _name_ends(axes: Axes, curves: Mapping[str, Floats]) -> None:
    """Write a strategy's name beside the end of its curve, one above the other where they meet."""
    from matplotlib.patheffects import Normal, Stroke

    taken: list[tuple[float, float]] = []
    for name, errors in curves.items():
        middle = 100 * np.median(errors, axis=0)
        end = _end(middle)
        left = float(middle[end - 1])
        x, y = axes.transData.transform((end, left)) * 72 / DPI
        lift = 5.0
        while any(
            abs(x - a) < NAME_POINTS[0] and abs(y + lift - b) < NAME_POINTS[1] for a, b in taken
        ):
            lift += NAME_POINTS[1]
        taken.append((x, y + lift))
        axes.annotate(
            f"{names.title(name)} {f'{left:.1f}%' if left else f'{end:,}'}",
            (end, left),
            xytext=(9, lift),
            textcoords="offset points",
            color=names.colour(name),
            fontweight="bold",
            path_effects=[Stroke(linewidth=3, foreground="white"), Normal()],
        )


def _root(x: Any) -> Any:
    return np.sqrt(np.maximum(x, 0.0))
