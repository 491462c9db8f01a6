"""Whether at most the tolerance is wrong when a learner says stop, on real pools.

    python -m aluma.lab.bench.at_the_stop [--results FILE] [--runs N] [--pools NAME ...]
        [--kinds KIND ...] [--beside N] [--show]

and a part of ``aluma bench promise``. ALuMA with its defaults is answered by the true labels until
it has finished or its goal is out of reach. Beside it on the same pools stand rules that people use
instead (:mod:`aluma.lab.bench.stopping_rules`): the credible bound without checks and small-text's
kappa, on ALuMA's own questions; and, where one class is rare, ASReview's and buscarpy's rules,
while a logistic regression screens for that class.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.stats import binom, binomtest

from aluma.arrays import Floats
from aluma.lab.bench import one_core
from aluma.lab.bench.audited_runs import most_answers, policy_version, to_its_end
from aluma.lab.bench.kept_runs import KeptRuns, Key, Record, work_through
from aluma.lab.bench.stop_pools import (
    StopPool,
    available,
    breast_cancer,
    named,
    pools,
    two_digits,
    wine,
)
from aluma.lab.bench.stopping_rules import (
    RECALL,
    Followed,
    consecutive_irrelevant,
    first,
    kappa_of,
    recall_reached,
    screening_order,
)
from aluma.learners.aluma import ALuMA
from aluma.learners.learner import Learner
from aluma.promises.settled import Settled
from aluma.promises.stopping import Limits
from aluma.running import Answers

#: What ALuMA promises by default.
TOLERANCE, DELTA = 0.05, 0.05
#: Chance of a false alarm of this benchmark.
ALARM = 1e-4
#: Looks at a learner that is followed are so many answers apart, up to so many answers.
LOOK_EVERY, MOST_FOLLOWED = 5, 500
#: Tolerances that the credible bound is asked for.
SETTLED_AT = (0.05, 0.01)
#: ASReview's irrelevant ones in a row.
IN_A_ROW = (50, 100)

#: What is run on a pool: ALuMA as it is; ALuMA without checks, with slack and without; screening.
AUDITED, FOLLOWED, FOLLOWED_PLAIN, SCREENED = "audited", "slack auto", "slack 0", "screening"


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes
    ----------
    runs : of each pool
    followed : answers that a learner without checks is followed for
    beside : runs of each pool in which other rules stand beside ALuMA: they cost more than it does
    """

    runs: int
    followed: int = MOST_FOLLOWED
    beside: int = 6


FULL, QUICK = Effort(20), Effort(2, 60)


@dataclass(frozen=True)
class Task:
    """A run: of a kind, on a pool, with a seed."""

    kind: str
    pool: StopPool
    seed: int
    effort: Effort

    @property
    def key(self) -> Key:
        """What the run is kept by: the rule is named with what else it depends on."""
        if self.kind == SCREENED:
            return self.pool.name, self.seed, self.kind
        depends_on = policy_version() if self.kind == AUDITED else self.followed
        return self.pool.name, self.seed, f"{self.kind} {depends_on}"

    @property
    def followed(self) -> int:
        """Answers that a learner without checks is followed for at most."""
        return min(self.effort.followed, self.pool.followed or self.effort.followed)


# -- single runs ---------------------------------------------------------------------------------


def audited(X: Floats, y: Floats, seed: int) -> Record:
    """Run ALuMA with its defaults to its end."""
    with one_core():
        ended = to_its_end(ALuMA(X, bias=True, random_state=seed), y)
    return {**ended.as_record(), "bound_held": ended.wrong <= ended.bound + 1e-12}


def follow(X: Floats, y: Floats, seed: int, slack: float | str, most: int) -> Followed:
    """Run ALuMA without checks and look at it, until all rules have stopped or it has ended.

    An answer that contradicts the others is set aside, as on the labelling page; the person has
    given its label, so it is right.
    """
    learner = ALuMA(
        X, bias=True, classes=(-1.0, 1.0), slack=slack, promise="credible", random_state=seed
    )
    run = Followed(settled={tolerance: [] for tolerance in SETTLED_AT})
    budget, told = min(most, most_answers(len(y))), list[int]()
    answers = Answers(learner, y, budget, on_conflict="skip", stop_when_finished=False)
    with one_core(), answers:
        for answer in answers:
            told.append(answer.index)
            if answer.count % LOOK_EVERY:
                continue
            labels = learner.predict()
            labels[told] = y[told]
            # A look counts once all of it is known, since any of it may end the run.
            looked = {tolerance: is_settled(learner, tolerance) for tolerance in SETTLED_AT}
            for tolerance, said in looked.items():
                run.settled[tolerance].append(said)
            run.labels.append(answer.count)
            run.predictions.append(labels.astype(np.int64))
            run.wrong.append(float(np.mean(labels != y)))
            if all(any(said) for said in run.settled.values()) and kappa_of(run) is not None:
                break
    return run


def is_settled(learner: Learner, tolerance: float) -> bool:
    """Say whether ALuMA with ``promise="credible"`` has finished, with that tolerance."""
    rule = Settled(Limits(tolerance, DELTA, questions_are_cheap=True))
    learner.parts = replace(learner.parts, stopping=rule)
    return learner.finished


def followed(X: Floats, y: Floats, seed: int, slack: float | str, most: int) -> Record:
    """Return where each rule that looks at a learner stops, and what is wrong then."""
    run = follow(X, y, seed, slack, most)
    stops = {f"credible {at:.0%}": first(said) for at, said in run.settled.items()}
    if slack == "auto":
        stops["kappa"] = kappa_of(run)
    return {
        rule: None if look is None else {"labels": run.labels[look], "wrong": run.wrong[look]}
        for rule, look in stops.items()
    }


def screened(X: Floats, y: Floats, seed: int) -> Record:
    """Return where each rule for screening stops; what was not seen by then counts as irrelevant.

    A rule that never stops has seen the whole pool.
    """
    relevant = y > 0
    if 2 * int(relevant.sum()) > len(y):
        relevant = ~relevant
    seen = relevant[screening_order(X, relevant, seed)]
    stops = {f"{n} in a row": consecutive_irrelevant(seen, n) for n in IN_A_ROW}
    stops["buscarpy"] = recall_reached(seen, len(seen))
    total = int(seen.sum())
    found = {}
    for rule, stop in stops.items():
        count = len(seen) if stop is None else stop
        met = int(seen[:count].sum())
        found[rule] = {
            "labels": count,
            "recall": met / total,
            "wrong": (total - met) / len(seen),
        }
    return found


RUNS: dict[str, Callable[[Floats, Floats, Task], Record]] = {
    AUDITED: lambda X, y, task: audited(X, y, task.seed),
    FOLLOWED: lambda X, y, task: followed(X, y, task.seed, "auto", task.followed),
    FOLLOWED_PLAIN: lambda X, y, task: followed(X, y, task.seed, 0.0, task.followed),
    SCREENED: lambda X, y, task: screened(X, y, task.seed),
}


def _do(task: Task) -> dict[Key, Record]:
    X, y = task.pool.source(task.seed)
    return {task.key: RUNS[task.kind](X, y, task)}


# -- all of them ---------------------------------------------------------------------------------


def quick_pools() -> list[StopPool]:
    """Return three small pools."""
    return [
        StopPool("wine 0 vs 1", partial(wine, True)),
        StopPool("breast cancer", breast_cancer),
        StopPool("digits 3 vs 5", partial(two_digits, 3, 5)),
    ]


def judge(
    console: Console,
    quick: bool = False,
    *,
    results: Path | None = None,
    only: Sequence[StopPool] | None = None,
    effort: Effort | None = None,
    kinds: Sequence[str] | None = None,
    jobs: int = -1,
) -> bool:
    """Run what is not in ``results`` yet and print; return whether the promise was kept.

    With ``jobs=0`` nothing is run, and what is there is printed.
    """
    kept, amount = KeptRuns(results), effort or (QUICK if quick else FULL)
    wanted = only if only is not None else quick_pools() if quick else pools()
    there = wanted if jobs == 0 else available(console, wanted)
    chosen = tuple(RUNS) if kinds is None else kinds
    tasks = [
        task for task in all_tasks(there, amount) if task.kind in chosen and task.key not in kept
    ]
    if jobs != 0:
        with console.status("") as status:
            for done in work_through(kept, tasks, _do, jobs):
                status.update(f"at the stop: {done} of {len(tasks)} runs")
    found = {
        (pool.name, kind): [
            kept[key]
            for seed in range(amount.runs)
            if (key := Task(kind, pool, seed, amount).key) in kept
        ]
        for pool in there
        for kind in RUNS
    }
    return report(console, there, found)


def all_tasks(there: Sequence[StopPool], effort: Effort) -> list[Task]:
    """Return all runs, a seed of every pool before the next seed."""
    return [
        Task(kind, pool, seed, effort)
        for seed in range(effort.runs)
        for pool in there
        for kind in RUNS
        if (kind == AUDITED or seed < effort.beside) and (kind != SCREENED or pool.rare)
    ]


# -- what is printed -----------------------------------------------------------------------------


def report(
    console: Console,
    there: Sequence[StopPool],
    found: Mapping[tuple[str, str], Sequence[Record]],
) -> bool:
    """Print all tables and the total; return whether the promise was kept."""
    runs = [run for pool in there for run in found[pool.name, AUDITED]]
    console.print(audited_table(there, found))
    console.print(rules_table(there, found))
    if any(pool.rare and found[pool.name, SCREENED] for pool in there):
        console.print(screening_table(there, found))
    console.print(total(runs))
    return not broken(runs)


def held(run: Mapping[str, Any]) -> bool:
    """Say whether at most the tolerance was wrong."""
    return bool(run["wrong"] <= TOLERANCE + 1e-12)


def broken(runs: Sequence[Record]) -> bool:
    """Say whether more runs stopped with too much wrong, or an untrue bound, than chance explains.

    Promised is that at most delta of all runs do, those that never stop included.
    """
    failed = sum(
        (run["ending"] == "finished" and not held(run)) or not run["bound_held"] for run in runs
    )
    return bool(runs) and bool(binom.sf(failed - 1, len(runs), DELTA) < ALARM)


def total(runs: Sequence[Record]) -> str:
    """Return in how many runs the promise held, with an interval for the share."""
    stopped = [run for run in runs if run["ending"] == "finished"]
    if not stopped:
        return f"None of {len(runs)} runs stopped by itself."
    right = sum(held(run) for run in stopped)
    spread = binomtest(right, len(stopped)).proportion_ci(0.95, method="exact")
    bounds = sum(run["bound_held"] for run in runs)
    return (
        f"In all: {right} of {len(stopped)} runs that stopped had at most {TOLERANCE:.0%} wrong, "
        f"{right / len(stopped):.1%} (95% interval {spread.low:.1%} to {spread.high:.1%}; promised "
        f"{1 - DELTA:.0%}). The certificate's bound held at the end of {bounds} of {len(runs)} "
        "runs."
    )


def audited_table(
    there: Sequence[StopPool], found: Mapping[tuple[str, str], Sequence[Record]]
) -> Table:
    """Return how ALuMA's runs ended, what was wrong then and what was spent."""
    table = _table(
        f"ALuMA at its stop, tolerance {TOLERANCE:.0%}; labels are medians",
        "pool",
        "runs",
        "stopped / out of reach / capped",
        "held",
        "bound held",
        "worst",
        "learning",
        "failed checks",
        "checks",
        "labels",
    )
    for pool in there:
        runs = found[pool.name, AUDITED]
        if not runs:
            continue
        stopped = [run for run in runs if run["ending"] == "finished"]
        reach = sum(run["ending"] == "out of reach" for run in runs)
        spent = [[run[part] for run in runs] for part in ("learning", "failed_checks", "checks")]
        table.add_row(
            pool.name,
            f"{len(runs)}",
            f"{len(stopped)} / {reach} / {len(runs) - len(stopped) - reach}",
            f"{np.mean([held(run) for run in stopped]):.0%}" if stopped else "-",
            f"{np.mean([run['bound_held'] for run in runs]):.0%}",
            f"{max(run['wrong'] for run in stopped):.1%}" if stopped else "-",
            *(f"{np.median(part):.0f}" for part in spent),
            f"{np.median(np.sum(spent, axis=0)):.0f}",
        )
    return table


#: The columns of the other rules: which kind of run, and which rule of it.
OTHERS = (
    *((f"credible {at:.0%}, slack auto", FOLLOWED, f"credible {at:.0%}") for at in SETTLED_AT),
    *((f"credible {at:.0%}, slack 0", FOLLOWED_PLAIN, f"credible {at:.0%}") for at in SETTLED_AT),
    ("kappa", FOLLOWED, "kappa"),
)


def rules_table(
    there: Sequence[StopPool], found: Mapping[tuple[str, str], Sequence[Record]]
) -> Table:
    """Return, for rules that look at a learner, how many stops were right and what they cost."""
    table = _table(
        f"Runs with at most {TOLERANCE:.0%} wrong, of those that stopped (of all): median labels",
        "pool",
        "ALuMA, audited",
        *(title for title, _, _ in OTHERS),
    )
    everything: list[list[Record | None]] = [[] for _ in range(len(OTHERS) + 1)]
    for pool in there:
        columns = [
            [_as_stop(run) for run in found[pool.name, AUDITED]],
            *([run[rule] for run in found[pool.name, kind]] for _, kind, rule in OTHERS),
        ]
        for column, several in zip(everything, columns, strict=True):
            column.extend(several)
        if any(columns):
            table.add_row(pool.name, *(_stops(column) for column in columns))
    table.add_row("all", *(_stops(column) for column in everything))
    return table


def screening_table(
    there: Sequence[StopPool], found: Mapping[tuple[str, str], Sequence[Record]]
) -> Table:
    """Return, for rules that screen for a rare class, how often recall was reached."""
    rules = [*(f"{n} in a row" for n in IN_A_ROW), "buscarpy"]
    table = _table(
        f"Screening, most likely first: runs with recall {RECALL:.0%} / with at most "
        f"{TOLERANCE:.0%} wrong, of all: median labels",
        "pool",
        *rules,
    )
    for pool in there:
        runs = found[pool.name, SCREENED]
        if not pool.rare or not runs:
            continue
        cells = []
        for rule in rules:
            stops = [run[rule] for run in runs]
            reached = sum(stop["recall"] >= RECALL for stop in stops)
            right = sum(held(stop) for stop in stops)
            labels = np.median([stop["labels"] for stop in stops])
            cells.append(f"{reached} / {right} of {len(stops)}: {labels:.0f}")
        table.add_row(pool.name, *cells)
    return table


def _as_stop(run: Record) -> Record | None:
    if run["ending"] != "finished":
        return None
    spent = run["learning"] + run["failed_checks"] + run["checks"]
    return {"labels": spent, "wrong": run["wrong"]}


def _stops(runs: Sequence[Record | None]) -> str:
    stopped = [run for run in runs if run is not None]
    if not stopped:
        return f"- of 0 ({len(runs)})"
    labels = np.median([run["labels"] for run in stopped])
    return f"{sum(map(held, stopped))} of {len(stopped)} ({len(runs)}): {labels:.0f}"


def _table(title: str, *heads: str) -> Table:
    table = Table(title=title)
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number else "left")
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return 1 if the promise was broken."""
    parser = argparse.ArgumentParser(description="What is wrong when learners say stop.")
    parser.add_argument("--results", type=Path, help="JSON lines; finished runs are not redone")
    parser.add_argument("--runs", type=int, default=FULL.runs)
    parser.add_argument("--followed", type=int, default=FULL.followed)
    parser.add_argument("--beside", type=int, default=FULL.beside, help="runs of the other rules")
    parser.add_argument("--pools", nargs="+")
    parser.add_argument("--kinds", nargs="+", choices=list(RUNS), help="run only these")
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--show", action="store_true", help="run nothing, print what is there")
    given = parser.parse_args(arguments)
    kept = judge(
        Console(width=200),
        given.quick,
        results=given.results,
        only=None if given.pools is None else named(given.pools),
        effort=None if given.quick else Effort(given.runs, given.followed, given.beside),
        kinds=given.kinds,
        jobs=0 if given.show else given.jobs,
    )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
