"""Run experiments and report on them: what `aluma reproduce` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple, TypeAlias

from aluma.lab.experiments import catalogue
from aluma.lab.experiments.declaration import Experiment, Scale, Task
from aluma.lab.experiments.report.build import build
from aluma.lab.experiments.report.page import Report
from aluma.lab.experiments.runner import Outcome, add_line, missing, now, run_all
from aluma.lab.experiments.store import Store


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
    known = {experiment.name: experiment for experiment in catalogue.CATALOGUE}
    wrong = [name for name in names if name not in known]
    if wrong:
        raise LookupError(f"there is no experiment {wrong[0]!r}: choose from {', '.join(known)}.")
    return [
        experiment for experiment in catalogue.CATALOGUE if not names or experiment.name in names
    ]


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
    log = out / "log.jsonl"
    # At the start, so that a sitting that is killed counts as well.
    add_line(log, {"command": command, "started": now(), "jobs": jobs})
    watching = watch(plan) if watch else nullcontext(lambda _: None)
    with watching as tell:
        failed = run_all(plan.left, store, jobs, log, tell)
    return Done(build(experiments, scale, seeds, out, _troubles(failed)), failed)


def _troubles(failed: Sequence[Outcome]) -> list[str]:
    """Say what went wrong, the same trouble of an experiment once."""
    said = [f"{outcome.task.experiment.name}: {outcome.trouble}" for outcome in failed]
    return list(dict.fromkeys(said))
