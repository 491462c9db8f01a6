"""What runs have shown: curves made comparable, labels needed, spreads over seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isinf
from typing import Any, TypeAlias

import numpy as np

from aluma.arrays import Floats, Ints
from aluma.lab.experiments.declaration import Contest, Experiment, Scale, Task
from aluma.lab.experiments.store import Store

#: What a task returned.
Result: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Results:
    """The results of an experiment that are there.

    Attributes
    ----------
    experiment, scale : what was run
    by_case : the results of each case, in the order of the seeds
    wanted : how many runs of each case were asked for
    """

    experiment: Experiment
    scale: Scale
    by_case: dict[str, list[Result]]
    wanted: int

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return all(len(found) == self.wanted for found in self.by_case.values())


def collect(experiment: Experiment, scale: Scale, tasks: Iterable[Task], store: Store) -> Results:
    """Read the results of an experiment's tasks."""
    by_case: dict[str, list[Result]] = {}
    seeds = set()
    for task in tasks:
        seeds.add(task.seed)
        found = by_case.setdefault(task.case, [])
        if store.has(task):
            found.append(store.read(task))
    return Results(experiment, scale, by_case, len(seeds))


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
    rows = []
    for run in runs:
        at = np.searchsorted(run["labels"], counts, side="right") - 1
        rows.append(np.asarray(run[series])[np.maximum(at, 0)])
    return counts, np.array(rows, dtype=np.float64)


def at(runs: Sequence[Result], series: str, labels: int) -> Floats:
    """Return the error of every run after some labels."""
    counts, rows = curves(runs, series)
    last = int(np.searchsorted(counts, labels, side="right")) - 1
    return np.asarray(rows[:, max(0, last)])


def of(results: Results, contest: Contest, key: str, value: Any) -> list[Result]:
    """Return the runs of an entrant for a value of the parameter."""
    return results.by_case.get(f"{key}@{value}", [])


def median(values: Iterable[float]) -> float:
    """Return the upper median, which is one of the values, infinity included."""
    ordered = sorted(values)
    return ordered[len(ordered) // 2]
