"""Run what is not there yet, on all cores; stop at any moment and go on later."""

from __future__ import annotations

import json
import logging
import os
import traceback
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from aluma.blas import one_thread
from aluma.errors import MissingData
from aluma.lab.contest import in_parallel
from aluma.lab.experiments.declaration import Task
from aluma.lab.experiments.store import Store

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Outcome:
    """What became of a task.

    Attributes
    ----------
    seconds : wall time of the run
    trouble : why there is no result, or ""
    detail : the traceback behind it, or "" where the trouble says enough
    """

    task: Task
    seconds: float
    trouble: str = ""
    detail: str = ""


def missing(tasks: Iterable[Task], store: Store) -> list[Task]:
    """Return the tasks without a result, each once, the early seeds first."""
    different = {store.path(task): task for task in tasks}
    left = [task for path, task in different.items() if not path.is_file()]
    return sorted(left, key=lambda task: task.seed)


def run_all(
    tasks: Sequence[Task],
    store: Store,
    jobs: int,
    log: Path,
    done: Callable[[Outcome], None] = lambda _: None,
) -> list[Outcome]:
    """Run tasks, keep every result as soon as it is there, and return those that failed.

    Parameters
    ----------
    jobs : processes; every one of them keeps to one thread, so that results do not depend on it
    log : file that a line about every finished task is added to
    done : told about every task that ended

    Notes
    -----
    Ctrl-C, or a kill, loses at most the runs under way.
    """
    failed = []
    with closing(_outcomes(tasks, store, jobs)) as outcomes:
        for outcome in outcomes:
            _note(outcome, log)
            if outcome.trouble:
                failed.append(outcome)
                logger.info("%s", outcome.detail or outcome.trouble)
            done(outcome)
    return failed


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _outcomes(tasks: Sequence[Task], store: Store, jobs: int) -> Generator[Outcome, None, None]:
    yield from in_parallel(partial(_run, store=store), tasks, jobs, ordered=False)


def _run(task: Task, store: Store) -> Outcome:
    """Run one task in a worker; whatever goes wrong there must not end the others."""
    start = perf_counter()
    try:
        with one_thread():
            store.write(task, task.run())
    except MissingData as error:
        return Outcome(task, perf_counter() - start, str(error))
    except Exception as error:  # noqa: BLE001 - reported, with its traceback, and not cached
        trouble = f"{type(error).__name__}: {error}"
        return Outcome(task, perf_counter() - start, trouble, traceback.format_exc())
    return Outcome(task, perf_counter() - start)


def _note(outcome: Outcome, log: Path) -> None:
    """Add a line about a task: times are kept apart from results, which have none."""
    task = outcome.task
    line: dict[str, Any] = {
        "experiment": task.experiment.name,
        "case": task.case,
        "seed": task.seed,
        "scale": task.scale,
        "seconds": round(outcome.seconds, 2),
        "ended": now(),
    }
    if outcome.trouble:
        line["trouble"] = outcome.trouble
    add_line(log, line)


def add_line(log: Path, line: dict[str, Any]) -> None:
    """Add a line to the log of an output folder: a sitting that begins, or a task that ended."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def now() -> str:
    """Return the time as the log has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
