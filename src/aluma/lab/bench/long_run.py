"""A thousand labels and more: whether ALuMA stays ahead of the SVM margin heuristic to the end.

Late in a run no example splits the version space evenly any more, and the votes that are still
wrong are confident ones. The error is looked at every 50 labels, on the same pools and seeds.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits

from aluma.arrays import Floats
from aluma.lab.bench.cones import digits_pool
from aluma.lab.bench.labels import (
    Judged,
    Runs,
    contest,
    late_marks,
    measured,
    mnist_pair,
    sphere,
    to_zero,
)
from aluma.lab.curves import at_all
from aluma.lab.entrants import ALUMA, ALUMA_PAPER, SVM_MARGIN
from aluma.lab.problem import Source


def contests(quick: bool = False) -> list[Judged]:
    """Return the long runs, or one that takes seconds."""
    if quick:
        few = range(10, 61, 10)
        return [Judged(contest("sphere 5", sphere(5, 300), (ALUMA, SVM_MARGIN), 3, few), few)]
    learners = (ALUMA, ALUMA_PAPER, SVM_MARGIN)
    short = contest("digits 3 vs 8", _threes, learners, 5, range(1, 51))
    pools: list[tuple[str, Source, int]] = [
        *((f"digits, {digit} or not", partial(_or_not, digit), 500) for digit in (1, 3)),
        ("MNIST 4 vs 7", _fours, 1000),
    ]
    return [
        Judged(short, (50,)),
        *(
            Judged(contest(name, source, learners, 5, marks(budget)[0]), marks(budget)[1])
            for name, source, budget in pools
        ),
    ]


def marks(budget: int) -> tuple[range, range]:
    """Return where errors are looked at, so that zero is found to ten labels, and where shown."""
    return range(10, budget + 1, 10), range(50, budget + 1, 50)


def run(console: Console, quick: bool = False) -> bool:
    """Measure and print; return whether ALuMA was nowhere clearly behind the heuristic."""
    met = True
    for judged, runs in measured(console, contests(quick)):
        console.print(_table(judged, runs))
        met &= quick or not clearly_behind(judged, runs)
    return met


def clearly_behind(judged: Judged, runs: Runs) -> list[int]:
    """Return the marks shown at which ALuMA is behind the heuristic by more than noise."""
    late = late_marks(judged.contest, runs, SVM_MARGIN)
    return [mark for mark in late if mark in judged.shown]


def _table(judged: Judged, runs: Runs) -> Table:
    """Return a row for each mark, the errors of all learners side by side."""
    table = Table(title=f"{judged.contest.name}: mean error of {judged.contest.seeds} runs")
    table.add_column("labels", justify="right")
    for entrant in runs:
        table.add_column(entrant.title, justify="right")
    table.add_column("behind by more than noise")
    late = clearly_behind(judged, runs)
    means = [at_all(found, "train", judged.shown).mean(axis=0) for found in runs.values()]
    for mark, *row in zip(judged.shown, *means, strict=True):
        table.add_row(f"{mark}", *(f"{mean:.5f}" for mean in row), "yes" if mark in late else "")
    zeros = [to_zero(found) for found in runs.values()]
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
