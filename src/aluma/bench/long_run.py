"""A thousand labels and more: whether ALuMA stays ahead of the SVM margin heuristic to the end.

Late in a run no example splits the version space evenly any more, and the votes that are still
wrong are confident ones. The error is looked at every 50 labels, on the same pools and seeds.
"""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

from aluma.arrays import Floats
from aluma.bench.cones import digits_pool
from aluma.bench.labels import (
    DEFAULT,
    MARGIN,
    PAPER,
    Contest,
    Curve,
    behind,
    mnist_pair,
    run_all,
    sphere,
)
from aluma.datasets import MissingData


def contests(quick: bool = False) -> list[Contest]:
    """Return the long runs, or one that takes seconds."""
    if quick:
        marks = range(10, 61, 10)
        return [Contest("sphere 5", sphere(5, 300), (DEFAULT, MARGIN), 3, marks, marks)]
    every = range(50, 1001, 50)
    digits = range(50, 351, 50)
    return [
        Contest("digits 3 vs 8", _digits, (DEFAULT, PAPER, MARGIN), 5, digits, digits),
        Contest("MNIST 4 vs 7", _fours, (DEFAULT, PAPER, MARGIN), 5, every, every),
    ]


def run(console: Console, quick: bool = False) -> bool:
    """Measure and print; return whether ALuMA was nowhere clearly behind the heuristic."""
    met = True
    for contest in contests(quick):
        try:
            contest.source(0)
        except MissingData as reason:
            console.print(f"{contest.name} is left out: {reason}")
            continue
        with console.status(f"labelling: {contest.name}"):
            curves = run_all(contest)
        console.print(_table(contest, curves))
        met &= quick or not behind(curves[DEFAULT], curves[MARGIN]).any()
    return met


def _table(contest: Contest, curves: dict[str, list[Curve]]) -> Table:
    """Return a row for each mark, the errors of all learners side by side."""
    table = Table(title=f"{contest.name}: mean error of {contest.seeds} runs")
    table.add_column("labels", justify="right")
    for name in contest.learners:
        table.add_column(name, justify="right")
    table.add_column("behind by more than noise")
    late = behind(curves[DEFAULT], curves[MARGIN])
    means = {name: np.mean([one.errors for one in runs], axis=0) for name, runs in curves.items()}
    for position, mark in enumerate(contest.marks):
        cells = [f"{means[name][position]:.5f}" for name in contest.learners]
        table.add_row(f"{mark}", *cells, "yes" if late[position] else "")
    zeros = [[one.first_zero for one in curves[name]] for name in contest.learners]
    table.add_row("to zero", *(", ".join(f"{zero:g}" for zero in row) for row in zeros), "")
    return table


def _digits(_seed: int) -> tuple[Floats, Floats]:
    return digits_pool()


def _fours(_seed: int) -> tuple[Floats, Floats]:
    return mnist_pair(4, 7)
