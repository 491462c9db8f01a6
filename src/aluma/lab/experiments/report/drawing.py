"""Figures of the report: panels of lines, with names beside their ends."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from aluma.arrays import Bools, Floats
from aluma.extras import require
from aluma.lab import names
from aluma.lab.palette import COUNTS, DPI, INK, QUIET, STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: What is in the foreground: drawn last, a little thicker.
FOREGROUND = ("aluma", "aluma-lifted")
#: Inches of a panel (or a single one), of the head and foot of a figure, and on the left and right
#: of a panel, where names are.
WIDTH, WIDE, HEIGHT = 2.8, 5.3, 3.3
HEAD, FOOT = 1.05, 0.62
MARGINS = (0.62, 1.7)
#: Ratio of counts up to which an axis is marked more finely.
FINE_MARKS_UP_TO = 60
#: Marks up to which all are named along an axis of labels; else only powers of ten are.
MOST_NAMED_COUNTS = 7
#: Sizes up to which all are named along their axis; else every other one is.
MOST_NAMED_SIZES = 8
#: Points between the names of two lines.
LINE_OF_TEXT = 11.5
#: Percentages marked on an error axis.
ERRORS = (0, 0.1, 0.5, 1, 2, 5, 10, 20, 30, 40, 50)


@dataclass(frozen=True)
class Line:
    """A line to draw, with the spread of the runs around it.

    Attributes
    ----------
    key : decides the colour
    title : written beside its end
    low, high : the band around it
    beyond : where y is only a lower limit, because runs ended there
    crosses : other values to compare with, not connected
    """

    key: str
    title: str
    x: Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None
    dashed: bool = False
    marked: bool = False
    beyond: Bools | None = None
    crosses: Floats | None = None


@dataclass(frozen=True)
class Picture:
    """A finished figure."""

    name: str
    caption: str
    png: bytes
    svg: bytes


def picture(
    name: str,
    title: str,
    subtitle: str,
    panels: Sequence[Callable[[Axes], None]],
    margins: Sequence[tuple[float, float]] | None = None,
    height: float = HEIGHT,
) -> Picture:
    """Draw panels side by side under a title, and return the figure as PNG and SVG.

    ``margins`` are the inches on the left and right of each panel.
    """
    require("a picture", "lab", "matplotlib")
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    around = [MARGINS] * len(panels) if margins is None else margins
    each = WIDTH if len(panels) > 1 else WIDE
    width, tall = sum(left + each + right for left, right in around), height + HEAD + FOOT
    # Fixed names of elements and no date: the same results give the same file.
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": name, "svg.fonttype": "path"}):
        figure = Figure(figsize=(width, tall), dpi=DPI)
        FigureCanvasAgg(figure)
        start = 0.0
        for draw, (left, right) in zip(panels, around, strict=True):
            box = ((start + left) / width, FOOT / tall, each / width, height / tall)
            draw(figure.add_axes(box))
            start += left + each + right
        figure.text(0.12 / width, 1 - 0.36 / tall, title, fontsize=13.5, fontweight="bold")
        figure.text(0.12 / width, 1 - 0.61 / tall, subtitle, color=QUIET, fontsize=9.5)
        caption = f"{title}{'' if title.endswith('?') else '.'} {subtitle}"
        return Picture(name, caption, _saved(figure, "png"), _saved(figure, "svg"))


def error_panel(axes: Axes, lines: Sequence[Line], title: str, budget: int) -> None:
    """Draw errors against labels: the square root of the error, which still has a 0, and log."""
    worst = max(5.0, *(100 * float(np.nanmax(line.y)) for line in lines))
    axes.set_yscale("function", functions=(_root, np.square))
    axes.set_ylim(0.0, 1.02 * worst)
    marks = _thinned([e for e in ERRORS if e <= worst], worst)
    axes.set_yticks(marks, [f"{e:g}%" for e in marks])
    log_labels(axes, 1, budget, "labels given")
    axes.set_title(title, loc="left", fontsize=10.5, color=INK)
    axes.grid(axis="y")
    drawn = [_scaled(line, 100.0) for line in lines]
    draw_lines(axes, drawn)
    name_ends(axes, drawn, lambda y: f"{y:.2g}%" if y < 10 else f"{y:.0f}%")


def count_panel(
    axes: Axes,
    lines: Sequence[Line],
    title: str,
    x_label: str,
    x_marks: Sequence[float],
    *,
    log_x: bool = False,
) -> None:
    """Draw counts of labels against a parameter, on a logarithmic axis."""
    seen = np.concatenate([extent(line) for line in lines])
    bottom, top = max(0.8, 0.75 * float(np.nanmin(seen))), float(np.nanmax(seen))
    axes.set_yscale("log")
    axes.set_ylim(bottom, 1.5 * top)
    series = (
        COUNTS
        if top > FINE_MARKS_UP_TO * bottom
        else [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]
    )
    counts = [c for c in series if bottom <= c <= 1.5 * top]
    axes.set_yticks(counts, [f"{c:,}" for c in counts])
    axes.set_yticks([], minor=True)
    if log_x:
        axes.set_xscale("log")
    named = list(x_marks)[:: -1 if len(x_marks) <= MOST_NAMED_SIZES else -2]
    axes.set_xticks(named, [f"{x:g}" for x in named])
    axes.set_xticks([], minor=True)
    axes.set_xlabel(x_label)
    axes.set_title(title, loc="left", fontsize=10.5, color=INK)
    axes.grid(axis="y")
    draw_lines(axes, lines)
    name_ends(axes, lines, lambda y: f"{y:,.0f}" if y > 9.95 else f"{y:.2g}")


def log_labels(axes: Axes, least: float, most: float, label: str) -> None:
    """Set up a logarithmic axis of labels."""
    counts = [count for count in COUNTS if least <= count <= 1.05 * most]
    axes.set_xscale("log")
    axes.set_xlim(0.92 * least, 1.02 * most)
    named = (
        counts
        if len(counts) <= MOST_NAMED_COUNTS
        else [count for count in counts if f"{count}"[0] == "1"]
    )
    axes.set_xticks(counts, [f"{count:,}" if count in named else "" for count in counts])
    axes.set_xticks([], minor=True)
    axes.tick_params(length=3)
    axes.set_xlabel(label)


def draw_lines(axes: Axes, lines: Sequence[Line]) -> None:
    """Draw lines with their bands, those in the foreground last."""
    for line in sorted(lines, key=lambda one: one.key in FOREGROUND):
        colour = names.colour(line.key)
        front = line.key in FOREGROUND
        if line.low is not None and line.high is not None:
            axes.fill_between(line.x, line.low, line.high, color=colour, alpha=0.12, linewidth=0)
        axes.plot(
            line.x,
            line.y,
            color=colour,
            linewidth=2.4 if front else 1.6,
            linestyle=(0, (4, 2)) if line.dashed else "-",
            marker="o" if line.marked else None,
            markersize=4.5,
            zorder=3 if front else 2,
        )
        if line.beyond is not None:
            at = line.beyond
            axes.plot(
                line.x[at],
                line.y[at],
                "^",
                color="white",
                markersize=7,
                zorder=4,
                markeredgecolor=colour,
                markeredgewidth=1.4,
            )
        if line.crosses is not None:
            axes.plot(
                line.x, line.crosses, "x", color=colour, markersize=7, markeredgewidth=1.6, zorder=4
            )


def name_ends(axes: Axes, lines: Sequence[Line], shown: Callable[[float], str]) -> None:
    """Write names on the right of a panel, as near to the ends of their lines as there is room."""
    if not lines:
        return
    right = axes.get_xlim()[1]
    ends = [_last(line.y) for line in lines]
    heights = [float(axes.transData.transform((right, y))[1]) * 72 / DPI for y in ends]
    bottom = float(axes.transAxes.transform((0, 0))[1]) * 72 / DPI
    top = float(axes.transAxes.transform((0, 1))[1]) * 72 / DPI
    for line, y, at, place in zip(lines, ends, heights, spread(heights, bottom, top), strict=True):
        colour = names.colour(line.key)
        axes.annotate(
            f"{line.title} · {_sign(line)}{shown(y)}",
            (1, (at - bottom) / (top - bottom)),
            xycoords="axes fraction",
            xytext=(14, place - at),
            textcoords="offset points",
            color=colour,
            fontsize=8.5,
            fontweight="bold" if line.key in FOREGROUND else "normal",
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 0.6,
                "shrinkA": 0,
                "shrinkB": 0,
                "relpos": (0, 0.5),
            },
        )


def spread(heights: Sequence[float], bottom: float, top: float) -> Floats:
    """Return heights at least a line of text apart, each close to where it would like to be.

    Neighbours that are too close become a group around the mean of their wishes.
    """
    order = np.argsort(heights, kind="stable")
    groups: list[list[float]] = []
    for wish in np.asarray(heights)[order]:
        groups.append([wish])
        while len(groups) > 1 and _reach(groups[-2])[1] + LINE_OF_TEXT > _reach(groups[-1])[0]:
            last = groups.pop()
            groups[-1].extend(last)
    places = np.concatenate([_spots(group) for group in groups])
    # A group that grew beyond an edge is pushed back, together with what it then meets.
    for i in range(len(places)):
        places[i] = max(places[i], bottom + LINE_OF_TEXT * i)
    for i in range(len(places) - 1, -1, -1):
        places[i] = min(places[i], top - LINE_OF_TEXT * (len(places) - 1 - i))
    out = np.empty(len(places))
    out[order] = places
    return out


def _spots(group: list[float]) -> Floats:
    middle = float(np.mean(group))
    return np.asarray(middle + LINE_OF_TEXT * (np.arange(len(group)) - (len(group) - 1) / 2), float)


def _reach(group: list[float]) -> tuple[float, float]:
    spots = _spots(group)
    return float(spots[0]), float(spots[-1])


def _saved(figure: Figure, kind: str) -> bytes:
    out = io.BytesIO()
    metadata: dict[str, Any] = {"Software": None} if kind == "png" else {"Date": None}
    figure.savefig(out, format=kind, metadata=metadata)
    return out.getvalue()


def _scaled(line: Line, factor: float) -> Line:
    low = None if line.low is None else factor * line.low
    high = None if line.high is None else factor * line.high
    return replace(line, y=factor * line.y, low=low, high=high)


def extent(line: Line) -> Floats:
    """Return every height that a panel has to show."""
    parts = [line.y, line.low, line.high, line.crosses]
    return np.concatenate([part for part in parts if part is not None])


def _sign(line: Line) -> str:
    return ">" if line.beyond is not None and line.beyond[-1] else ""


def _thinned(marks: list[float], worst: float) -> list[float]:
    """Drop marks that would be closer than a twelfth of a square-root axis."""
    kept: list[float] = []
    for mark in marks:
        if not kept or np.sqrt(mark) - np.sqrt(kept[-1]) > np.sqrt(worst) / 12:
            kept.append(mark)
    return kept


def _last(y: Floats) -> float:
    finite = y[np.isfinite(y)]
    return float(finite[-1]) if finite.size else 1.0


def _root(x: Any) -> Any:
    return np.sqrt(np.maximum(x, 0.0))
