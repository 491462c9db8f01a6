"""The results of an experiment that are there, case by case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aluma.lab.experiments.declaration import Experiment, Scale, Task, Tournament, case_name
from aluma.lab.experiments.store import Store
from aluma.lab.play import Result
from aluma.lab.reading import as_read


@dataclass(frozen=True)
class Results:
    """The results of an experiment that are there.

    Attributes
    ----------
    experiment, scale : what was run
    by_case : the results of each case, in the order of the seeds
    wanted : how many runs of each case were asked for, by case
    """

    experiment: Experiment
    scale: Scale
    by_case: dict[str, list[Result]]
    wanted: Mapping[str, int] = field(default_factory=dict)

    @property
    def missing(self) -> int:
        """How many runs are not there."""
        return sum(wanted - len(self.by_case[case]) for case, wanted in self.wanted.items())


def collect(experiment: Experiment, scale: Scale, tasks: Iterable[Task], store: Store) -> Results:
    """Read the results of an experiment's tasks."""
    by_case: dict[str, list[Result]] = {}
    wanted = Counter[str]()
    for task in tasks:
        wanted[task.case] += 1
        found = by_case.setdefault(task.case, [])
        if store.has(task):
            found.append(store.read(task))
    return Results(experiment, scale, by_case, wanted)


def of(results: Results, key: str, value: Any) -> list[Result]:
    """Return the runs of an entrant for a value of the parameter."""
    source = _read_off(results.experiment, key)
    if source:
        return [as_read(run) for run in of(results, source, value)]
    return results.by_case.get(case_name(key, value), [])


def _read_off(experiment: Experiment, key: str) -> str:
    """Return whose runs are the entrant's, too, or ""."""
    entrants = experiment.entrants if isinstance(experiment, Tournament) else ()
    return next((entrant.read_off for entrant in entrants if entrant.key == key), "")
