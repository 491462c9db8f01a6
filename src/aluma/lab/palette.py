"""The look of all figures: one palette, one ink, one style."""

from __future__ import annotations

from typing import Any

#: Text, text that steps back, marks along axes, the grid, and every other row of a figure.
INK = "#222222"
QUIET = "#5A5A5A"
MARKS = "#9A9A9A"
FAINT = "#E4E4E4"
STRIPE = "#F5F5F5"

#: Dots per inch.
DPI = 150

#: Counts of labels that are marked on logarithmic axes.
COUNTS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000)

#: Settings of matplotlib.
STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 10.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": MARKS,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.color": MARKS,
    "ytick.color": MARKS,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": FAINT,
    "grid.linewidth": 0.8,
    "lines.solid_capstyle": "round",
    "lines.solid_joinstyle": "round",
}
