"""Run experiments and report on them: what `aluma reproduce` does."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import NamedTuple, TypeAlias

from aluma.experiments.catalogue import CATALOGUE
from aluma.experiments.declaration import Experiment, Scale, Task
from aluma.experiments.report.build import build
from aluma.experiments.report.page import Report
from aluma.experiments.runner import Outcome, missing, run_all
from aluma.experiments.store import Store


class Plan(NamedTuple):
    """What is to be done: all tasks, and those whose results are not there yet."""

    tasks: Sequence[Task]
    left: Sequence[Task]


#: Called with the plan; while it is entered, what it yields is told about every task that ends.
Watch: TypeAlias = Callable[[Plan], AbstractContextManager[Callable[[Outcome], None]]]


class Done(NamedTuple):
    """What a reproduction came to."""

    report: Report
    failed: Sequence[Outcome]


def chosen(names: Sequence[str]) -> list[Experiment]:
    """Return the experiments of some names, or all; a LookupError names what there is."""
    known = {experiment.name: experiment for experiment in CATALOGUE}
    wrong = [name for name in names if name not in known]
    if wrong:
        raise LookupError(f"there is no experiment {wrong[0]!r}: choose from {', '.join(known)}.")
    return [experiment for experiment in CATALOGUE if not names or experiment.name in names]


def reproduce(
    experiments: Sequence[Experiment],
    out: Path,
    *,
    scale: Scale = "full",
    seeds: int | None = None,
    jobs: int = 1,
    command: str = "",
    watch: Watch | None = None,
) -> Done:
    """Run what is missing in an output folder, and make its report.

    Parameters
    ----------
    out : folder; ``runs/`` in it holds one file a run, which are never made twice
    seeds : runs of each case, by default what each experiment declares
    jobs : processes
    command : how this was called, for the report
    watch : shows the progress
    """
    store = Store(out / "runs")
    every = [task for experiment in experiments for task in experiment.tasks(scale, seeds)]
    # Two experiments may look at the same runs.
    tasks = list({(task.experiment.name, task.case, task.seed): task for task in every}.values())
    plan = Plan(tasks, missing(tasks, store))
    begun, start = datetime.now(UTC), perf_counter()
    log = out / "log.jsonl"
    watching = watch(plan) if watch else nullcontext(lambda _: None)
    try:
        with watching as tell:
            failed = run_all(plan.left, store, jobs, log, tell)
    finally:
        sitting = {
            "command": command,
            "started": begun.isoformat(timespec="seconds"),
            "seconds": round(perf_counter() - start, 1),
            "jobs": jobs,
        }
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(sitting) + "\n")
    return Done(build(experiments, scale, seeds, out, _troubles(failed)), failed)


def _troubles(failed: Sequence[Outcome]) -> list[str]:
    """Say what went wrong, the same trouble of an experiment once."""
    said = [f"{outcome.task.experiment.name}: {outcome.trouble}" for outcome in failed]
    return list(dict.fromkeys(said))
