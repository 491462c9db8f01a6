"""What runs have shown: curves made comparable, labels needed, differences pair by pair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isinf
from typing import NamedTuple

import numpy as np

from aluma.arrays import Bools, Floats, Ints
from aluma.lab.play import Result

#: Standard errors of paired differences beyond which a difference counts.
BEYOND_NOISE = 2.0


def needed(run: Result, target: float) -> float:
    """Return the labels after which the training error was first seen at most ``target``."""
    for labels, error in zip(run["labels"], run["train"], strict=True):
        if error <= target:
            return float(labels)
    return float("inf")


def stopped(run: Result) -> bool:
    """Whether the learner had nothing left to ask, so that more labels would change nothing."""
    return bool(run["ended"] == "exhausted")


def gave_up(runs: Sequence[Result], counts: Sequence[float]) -> int:
    """Count the runs that stopped by themselves before they got there: the labels are infinite."""
    return sum(stopped(run) and isinf(n) for run, n in zip(runs, counts, strict=True))


def most(groups: Iterable[Sequence[Result]]) -> int:
    """Return the most labels that any run was given."""
    return max((int(run["labels"][-1]) for runs in groups for run in runs), default=0)


def curves(runs: Sequence[Result], series: str) -> tuple[Ints, Floats]:
    """Return counts of labels, and one row of errors per run at these counts.

    Between two measurements, and after its end, a run has the error it had last.
    """
    counts = np.unique(np.concatenate([run["labels"] for run in runs])).astype(np.int64)
    return counts, at_all(runs, series, counts)


def at_all(runs: Sequence[Result], series: str, counts: Sequence[int] | Ints) -> Floats:
    """Return one row of errors per run, after each of some counts of labels."""
    rows = []
    for run in runs:
        last = np.searchsorted(run["labels"], counts, side="right") - 1
        rows.append(np.asarray(run[series])[np.maximum(last, 0)])
    return np.array(rows, dtype=np.float64)


def at(runs: Sequence[Result], series: str, labels: int) -> Floats:
    """Return the error of every run after some labels."""
    return np.asarray(at_all(runs, series, [labels])[:, 0])


def median(values: Iterable[float]) -> float:
    """Return the upper median, which is one of the values, infinity included."""
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


class Difference(NamedTuple):
    """How much larger our errors are than theirs: the mean over pairs, and its standard error."""

    mean: Floats
    error: Floats

    @property
    def behind(self) -> Bools:
        """Where our errors are above theirs by more than the noise of the pairs."""
        return np.asarray(self.mean > BEYOND_NOISE * self.error)

    @property
    def ahead(self) -> Bools:
        """Where our errors are below theirs by more than the noise of the pairs."""
        return np.asarray(self.mean < -BEYOND_NOISE * self.error)


def paired(ours: Floats, theirs: Floats) -> Difference:
    """Compare errors run by run, one row a run; a single pair has no noise to compare with."""
    pairs = np.asarray(ours) - np.asarray(theirs)
    if len(pairs) < 2:
        return Difference(pairs.mean(axis=0), np.zeros(pairs.shape[1:]))
    return Difference(pairs.mean(axis=0), pairs.std(axis=0, ddof=1) / np.sqrt(len(pairs)))
