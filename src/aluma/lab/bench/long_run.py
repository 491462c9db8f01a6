"""A thousand labels and more: whether ALuMA stays ahead of the SVM margin heuristic to the end.

Late in a run no example splits the version space evenly any more, and the votes that are still
wrong are confident ones. The error is looked at every 50 labels, on the same pools and seeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits

from aluma.arrays import Floats
from aluma.lab.bench.cones import digits_pool
from aluma.lab.bench.labels import (
    DEFAULT,
    MARGIN,
    PAPER,
    Contest,
    Curve,
    behind,
    measured,
    mnist_pair,
    sphere,
)


def contests(quick: bool = False) -> list[Contest]:
    """Return the long runs, or one that takes seconds."""
    if quick:
        few = range(10, 61, 10)
        return [Contest("sphere 5", sphere(5, 300), (DEFAULT, MARGIN), 3, few, few)]
    learners = (DEFAULT, PAPER, MARGIN)
    return [
        Contest("digits 3 vs 8", _threes, learners, 5, range(1, 51), (50,)),
        *(
            Contest(f"digits, {digit} or not", partial(_or_not, digit), learners, 5, *marks(500))
            for digit in (1, 3)
        ),
        Contest("MNIST 4 vs 7", _fours, learners, 5, *marks(1000)),
    ]


def marks(budget: int) -> tuple[range, range]:
    """Return where errors are looked at, so that zero is found to ten labels, and where shown."""
    return range(10, budget + 1, 10), range(50, budget + 1, 50)


def run(console: Console, quick: bool = False) -> bool:
    """Measure and print; return whether ALuMA was nowhere clearly behind the heuristic."""
    met = True
    for contest, curves in measured(console, contests(quick)):
        console.print(_table(contest, curves))
        met &= quick or not clearly_behind(contest, curves)
    return met


def clearly_behind(contest: Contest, curves: Mapping[str, list[Curve]]) -> list[int]:
    """Return the marks shown at which ALuMA is behind the heuristic by more than noise."""
    late = behind(curves[DEFAULT], curves[MARGIN])
    found = [mark for mark, is_late in zip(contest.marks, late, strict=True) if is_late]
    return [mark for mark in found if mark in contest.shown]


def _table(contest: Contest, curves: Mapping[str, list[Curve]]) -> Table:
    """Return a row for each mark, the errors of all learners side by side."""
    table = Table(title=f"{contest.name}: mean error of {contest.seeds} runs")
    table.add_column("labels", justify="right")
    for name in contest.learners:
        table.add_column(name, justify="right")
    table.add_column("behind by more than noise")
    late = clearly_behind(contest, curves)
    means = {name: np.mean([one.errors for one in runs], axis=0) for name, runs in curves.items()}
    for mark in contest.shown:
        position = contest.marks.index(mark)
        cells = [f"{means[name][position]:.5f}" for name in contest.learners]
        table.add_row(f"{mark}", *cells, "yes" if mark in late else "")
    zeros = [[one.first_zero for one in curves[name]] for name in contest.learners]
    table.add_row("to zero", *(", ".join(f"{zero:g}" for zero in row) for row in zeros), "")
    return table


def _threes(_seed: int) -> tuple[Floats, Floats]:
    return digits_pool()


def _or_not(digit: int, _seed: int) -> tuple[Floats, Floats]:
    """Return all of scikit-learn's digits, one of them against the rest, with a bias."""
    images, digits = load_digits(return_X_y=True)
    shades = images / images.max()
    rows = np.hstack([shades - shades.mean(axis=0), np.ones((len(shades), 1))])
    return rows, np.where(digits == digit, 1.0, -1.0)


def _fours(_seed: int) -> tuple[Floats, Floats]:
    return mnist_pair(4, 7)
