"""More than two classes: errors after some labels, and what a question costs.

    aluma bench classes [--quick] [--results FILE]
    python -m aluma.lab.bench.classes [--results FILE] [--runs N] [--pools NAME ...]
        [--entrants NAME ...] [--last N] [--jobs N] [--show | --cost]

Errors are in percent of the pool, told examples counted as right. Runs of one seed are compared in
pairs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from aluma.arrays import Floats
from aluma.errors import MissingData
from aluma.lab.bench import one_core
from aluma.lab.bench.class_entrants import ENTRANTS
from aluma.lab.bench.class_pools import ClassPool, class_pools
from aluma.lab.bench.kept_runs import KeptRuns, Key, Record, work_through
from aluma.learners.aluma import ALuMA

#: Numbers of labels after which errors are noted.
MARKS = (10, 25, 50, 75, 100, 150, 200, 300, 400, 500)
#: Marks at which ALuMA is to be ahead of the others on average.
AHEAD = (25, 50, 75, 100)
#: Seeds that nothing was chosen by begin here.
FIRST_SEED = 1000
#: A question of 10 classes may cost so many times one of two ...
MOST_TIMES_DEARER = 4.0
#: ... on a pool of this size and number of features, after so many answers.
ROWS, FEATURES, ANSWERED = 12_000, 784, (25, 50, 100, 200)


@dataclass(frozen=True)
class Wanted:
    """What is run: seeds, pools, entrants, and labels at most."""

    runs: int = 5
    pools: Sequence[str] | None = None
    entrants: Sequence[str] = tuple(ENTRANTS)
    last: int = 500


def run(console: Console, quick: bool = False, *, results: Path | None = None) -> bool:
    """Measure, print, and say whether ALuMA is nowhere behind."""
    wanted = Wanted(runs=2, entrants=("ALuMA", "margin")) if quick else Wanted()
    met = judge(console, wanted, quick=quick, results=results)
    return (cost(console, quick) or quick) and met


def judge(
    console: Console,
    wanted: Wanted,
    *,
    quick: bool = False,
    results: Path | None = None,
    jobs: int = -1,
) -> bool:
    """Run what is not there yet (nothing with ``jobs=0``), and print a table for each pool."""
    kept = KeptRuns(results)
    there = [
        pool
        for pool in class_pools(quick)
        if (wanted.pools is None or pool.name in wanted.pools) and _is_there(pool, console)
    ]
    tasks = [
        (pool, FIRST_SEED + number, name)
        for number in range(wanted.runs)
        for pool in there
        for name in wanted.entrants
    ]
    missing = [one for one in tasks if (one[0].name, one[1], one[2]) not in kept]
    if jobs:
        for done in work_through(kept, missing, partial(_labelled, wanted.last), jobs):
            console.print(f"{done} of {len(missing)} runs", highlight=False)
    nowhere_behind = [_report(console, pool, kept, wanted) for pool in there]
    return all(nowhere_behind)


def _labelled(last: int, task: tuple[ClassPool, int, str]) -> dict[Key, Record]:
    """Return the errors of one run by mark, and its CPU seconds."""
    pool, seed, name = task
    X, y = pool.source()
    classes = int(y.max()) + 1
    errors: dict[str, float] = {}
    with one_core():
        entrant, before = ENTRANTS[name](X, classes, seed), process_time()
        for n in range(1, min(last, pool.last) + 1):
            row = entrant.ask()
            entrant.tell(row, int(y[row]))
            if n in MARKS:
                errors[str(n)] = float((entrant.labels() != y).mean())
    return {(pool.name, seed, name): {"errors": errors, "cpu": process_time() - before}}


def _report(console: Console, pool: ClassPool, kept: KeptRuns, wanted: Wanted) -> bool:
    """Print errors by mark; say whether ALuMA is behind nobody beyond the noise of the pairs."""
    seeds = range(FIRST_SEED, FIRST_SEED + wanted.runs)
    runs = {
        name: {s: kept[pool.name, s, name] for s in seeds if (pool.name, s, name) in kept}
        for name in wanted.entrants
    }
    if not runs.get("ALuMA"):
        console.print(f"{pool.name}: ALuMA has not been run, so there is nothing to compare with.")
        return False
    marks = [str(n) for n in MARKS if all(str(n) in r["errors"] for r in runs["ALuMA"].values())]
    table = Table(title=f"{pool.name}: % wrong after so many labels (standard error of the pairs)")
    for head in ("", "runs", *marks, "CPU s"):
        table.add_column(head, justify="right" if head else "left")
    behind: list[str] = []
    for name, everything in runs.items():
        # Only seeds that both have: means of others could not be compared.
        mine = {seed: one for seed, one in everything.items() if seed in runs["ALuMA"]}
        if not mine:
            continue
        cells = []
        for n in marks:
            errors = [100 * one["errors"][n] for one in mine.values() if n in one["errors"]]
            gap = _gaps(runs["ALuMA"], mine, n)
            if not len(gap):
                cells.append("-")
                continue
            noise = gap.std(ddof=1) / np.sqrt(len(gap)) if len(gap) > 1 else np.nan
            if name != "ALuMA" and gap.mean() > 2 * noise:
                behind.append(f"{name} after {n}")
            shown = "" if name == "ALuMA" else f" ({noise:.1f})"
            cells.append(f"{np.mean(errors):.1f}{shown}")
        seconds = np.mean([one["cpu"] for one in mine.values()])
        table.add_row(name, str(len(mine)), *cells, f"{seconds:.0f}")
    console.print(table)
    early = [str(n) for n in AHEAD if str(n) in marks]
    for name, mine in runs.items():
        if mine and early and name != "ALuMA":
            mean = np.mean([_gaps(runs["ALuMA"], mine, n).mean() for n in early])
            console.print(f"ALuMA minus {name}, mean at {', '.join(early)}: {mean:+.1f} points")
    console.print(f"behind: {', '.join(behind) or 'nobody'}")
    return not behind


def _gaps(one: Mapping[int, Record], other: Mapping[int, Record], n: str) -> Floats:
    """Return by how many points one is worse than another, for every seed that both have."""
    return np.array(
        [
            100 * (one[s]["errors"][n] - other[s]["errors"][n])
            for s in one
            if s in other and n in other[s]["errors"]
        ]
    )


def cost(console: Console, quick: bool = False) -> bool:
    """Print what a question of 10 classes costs as a ratio to one of two, and judge it."""
    rows, features = (600, 40) if quick else (ROWS, FEATURES)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, features)) * np.linspace(2.0, 0.05, features)
    table = Table(title=f"CPU seconds a question (ask and tell), {rows:,} x {features}, one thread")
    for head in ("answers", "2 classes", "10 classes", "ratio"):
        table.add_column(head, justify="right")
    with one_core():
        two, ten = _seconds(X, (2, 10), rng)
    for n in ANSWERED:
        table.add_row(str(n), f"{two[n]:.3f}", f"{ten[n]:.3f}", f"{ten[n] / two[n]:.2f}")
    whole = sum(ten.values()) / sum(two.values())
    table.add_row("all", "", "", f"{whole:.2f}")
    console.print(table)
    return all(ten[n] <= MOST_TIMES_DEARER * two[n] for n in ANSWERED)


def _seconds(X: Floats, classes: Sequence[int], rng: np.random.Generator) -> list[dict[int, float]]:
    """Return CPU seconds of a question, the mean over the 25 before each mark.

    Learners take turns, one question each, so that all meet the same machine.
    """
    learners = [
        ALuMA(X, classes=tuple(range(count)), bias=True, slack=0.0, promise="credible")
        for count in classes
    ]
    truths = [(X @ rng.standard_normal((X.shape[1], count))).argmax(axis=1) for count in classes]
    found: list[dict[int, float]] = [{} for _ in classes]
    spent = [0.0 for _ in classes]
    for n in range(1, max(ANSWERED) + 1):
        for place, (learner, y) in enumerate(zip(learners, truths, strict=True)):
            before = process_time()
            row = learner.ask()
            learner.tell(row, int(y[row]))
            spent[place] += process_time() - before
            if n in ANSWERED:
                found[place][n] = spent[place] / 25
            if n % 25 == 0:
                spent[place] = 0.0
    return found


def _is_there(pool: ClassPool, console: Console) -> bool:
    try:
        pool.source()
    except MissingData as why:
        console.print(f"{pool.name} is left out: {why}")
        return False
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Labelling pools of several classes.")
    parser.add_argument("--results", type=Path, help="JSON lines; finished runs are not redone")
    parser.add_argument("--runs", type=int, default=Wanted.runs)
    parser.add_argument("--pools", nargs="+")
    parser.add_argument("--entrants", nargs="+", default=list(ENTRANTS))
    parser.add_argument("--last", type=int, default=Wanted.last)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--show", action="store_true", help="run nothing, print what is there")
    parser.add_argument("--cost", action="store_true", help="only what a question costs")
    given = parser.parse_args(arguments)
    if given.cost:
        return 0 if cost(Console(width=160)) else 1
    wanted = Wanted(given.runs, given.pools, tuple(given.entrants), given.last)
    jobs = 0 if given.show else given.jobs
    console = Console(width=160)
    return 0 if judge(console, wanted, results=given.results, jobs=jobs) else 1


if __name__ == "__main__":
    sys.exit(main())
