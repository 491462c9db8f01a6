"""The results of an experiment that are there, case by case."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from aluma.lab.experiments.declaration import Experiment, Scale, Task, case_name
from aluma.lab.experiments.store import Store
from aluma.lab.play import Result


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


def of(results: Results, key: str, value: Any) -> list[Result]:
    """Return the runs of an entrant for a value of the parameter."""
    return results.by_case.get(case_name(key, value), [])
