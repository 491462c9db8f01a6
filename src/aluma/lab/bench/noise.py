"""Noise and kernels: ``aluma bench noise``, or ``python -m aluma.lab.bench.noise``.

Theorem 17 (lifting) by repetition; how many labels kernels save on shapes that no line divides;
error curves with a teacher who is sometimes wrong, and on the paper's non-separable data; what
slack costs in time and memory.
"""

from __future__ import annotations

import sys
import tracemalloc
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import process_time

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from scipy.stats import binom
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from aluma.arrays import Floats
from aluma.bounds import lifted_margin
from aluma.errors import MissingData
from aluma.lab.bench import one_core
from aluma.lab.bench.cones import sphere_pool
from aluma.lab.bench.noise_entrants import AUTO, IWAL, LOGISTIC, SOFT_SVM, lifted, projected
from aluma.lab.bench.noise_pools import known_pool, mnist, noisy_sphere, shapes, w1a
from aluma.lab.comparison import follow, make_learner, standardise
from aluma.lab.contest import Contest
from aluma.lab.curves import at_all, paired
from aluma.lab.entrants import Entrant
from aluma.lab.paper_figures import MNIST_SOFTNESS, W1A_SOFTNESS, Softness
from aluma.lab.play import Result
from aluma.lab.problem import Problem
from aluma.learners.aluma import ALuMA
from aluma.learners.learner import Learner
from aluma.learners.settings import PAPER
from aluma.representation import Lift
from aluma.representation.view import View
from aluma.running import Answers

#: Share of the labels that random order needs, which kernels may need at most.
LARGEST_SHARE = 1 / 3
#: Share of a pool labelled wrong at which labels are counted.
TARGET = 0.01
#: Queries that a cost is the mean of.
TIMED_QUERIES = 10
#: Budgets from which on ALuMA must be at or below the others.
LATE = 50
#: Failure probability of the theorem in its test, and how unlikely a false alarm is to be.
DELTA, FALSE_ALARM = 0.05, 1e-3


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    repeats: int
    seeds: int
    pool: int
    budgets: tuple[int, ...]
    hypotheses: int
    cost_pool: int
    cost_answers: int


FULL = Effort(200, 10, 400, (10, 25, 50, 100, 150, 200), 500, 10_000, 100)
QUICK = Effort(20, 2, 400, (5, 10, 20), 256, 1000, 10)


def theorem(repeats: int) -> int:
    """Return in how many of so many pools the promised margin was missed."""
    missed = 0
    for seed in range(repeats):
        pool = known_pool(1200, 3, margin=0.9, pairs=1, seed=seed)
        lift = Lift(pool.margin, pool.slack, delta=DELTA, random_state=seed)
        points = lift.fit_transform(pool.X)
        promised = lifted_margin(pool.margin, pool.slack)
        missed += relative_margin(points, pool.y) < promised
    return missed


def relative_margin(points: Floats, y: Floats) -> float:
    """Return the largest margin ``y <w, x> / (|w| |x|)`` of a halfspace, negative if it has none.

    Found by a support vector machine, so it is a lower bound if that was not patient enough.
    """
    walls = y[:, None] * points / np.linalg.norm(points, axis=1, keepdims=True)
    # A machine that also sees the pool mirrored has no use for an intercept.
    both = np.vstack([walls, -walls])
    machine = SVC(kernel="linear", C=1e6, max_iter=20_000)
    with warnings.catch_warnings():
        # Where there is no margin, it never ends.
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(both, np.repeat([1, -1], len(walls)))
    w = machine.coef_[0]
    return float((walls @ w).min() / np.linalg.norm(w))


def labels_needed(name: str, strategy: str, m: int, seed: int) -> float:
    """Return the labels until 99% of a shape is right, set up as ActiveClassifier does."""
    X, y = shapes(m, seed)[name]
    view = View(standardise(X), bias=True, kernel="rbf", seed=seed)
    learner = make_learner(strategy, view, (False, True), seed, slack="auto")
    run = follow(learner, y > 0, m, until=TARGET)
    return float(run.needed(TARGET) or m)


def at_or_below(ours: Sequence[Result], theirs: Sequence[Result], marks: Sequence[int]) -> bool:
    """Say whether we are nowhere above them by more than two paired standard errors."""
    return not any(
        paired(at_all(ours, kind, marks), at_all(theirs, kind, marks)).behind.any()
        for kind in ("train", "test")
    )


@dataclass(frozen=True)
class Cost:
    """CPU seconds per query, and bytes allocated at most on the way."""

    seconds: float
    peak: int


def cost(m: int, answers: int, slack: float) -> Cost:
    """Return what the next queries cost after some answers, on a sphere of dimension 25."""
    X, y = sphere_pool(25, m)
    tracemalloc.start()
    learner = ALuMA(X, classes=(-1.0, 1.0), **{**PAPER, "slack": slack})
    run_some(learner, y, answers)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    start = process_time()
    run_some(learner, y, TIMED_QUERIES)
    return Cost((process_time() - start) / TIMED_QUERIES, peak)


def run_some(learner: Learner, labels: Floats, answers: int) -> None:
    """Let a learner ask for some answers, whether it has finished or not."""
    for _ in Answers(learner, labels, answers, stop_when_finished=False):
        pass


def run(console: Console, quick: bool = False) -> bool:
    """Measure and print; return whether everything is as it has to be."""
    effort = QUICK if quick else FULL
    with one_core():
        met = [_theorem(console, effort), _shapes(console, effort)]
        for share in (0.01, 0.02, 0.05):
            sphere_task(console, share, effort)
        if not quick:
            met.append(_paper(console, effort))
        _cost(console, effort)
    return all(met)


def _theorem(console: Console, effort: Effort) -> bool:
    missed = theorem(effort.repeats)
    allowed = int(binom.isf(FALSE_ALARM, effort.repeats, DELTA))
    console.print(
        f"Theorem 17: the margin gamma / (2 + 2 sqrt H) was missed by {missed} of "
        f"{effort.repeats} projected pools; promised with probability {1 - DELTA:g}, so at most "
        f"{allowed} are expected."
    )
    return missed <= allowed


def _shapes(console: Console, effort: Effort) -> bool:
    title = f"Labels until {1 - TARGET:.0%} of {effort.pool} examples are right, rbf kernel"
    table = _table(title, "shape", "ALuMA", "random order", "share", "needs")
    met = True
    for name in shapes(4, 0):
        ours, theirs = (
            np.mean([labels_needed(name, s, effort.pool, seed) for seed in range(effort.seeds)])
            for s in ("aluma", "passive")
        )
        met &= bool(ours <= LARGEST_SHARE * theirs)
        table.add_row(
            name, f"{ours:.1f}", f"{theirs:.1f}", f"{ours / theirs:.2f}", f"{LARGEST_SHARE:.2f}"
        )
    console.print(table)
    return met


def sphere_task(console: Console, share: float, effort: Effort) -> None:
    """Print error curves with a teacher who is wrong that often."""
    contest = Contest(
        name=f"Sphere, {share:.0%} wrong answers",
        problem=lambda seed: noisy_sphere(share, seed),
        entrants=(AUTO, lifted(MNIST_SOFTNESS.slack), SOFT_SVM, LOGISTIC, IWAL),
        seeds=max(1, effort.seeds // 2),
        marks=effort.budgets,
        hypotheses=effort.hypotheses,
    )
    console.print(_curves_table(contest, contest.run_all()))


def _paper(console: Console, effort: Effort) -> bool:
    met = True
    tasks: list[tuple[str, Callable[[], Problem], Softness, tuple[Entrant, ...]]] = [
        ("MNIST 3 vs 5", partial(mnist, 3, 5), MNIST_SOFTNESS, (SOFT_SVM, IWAL)),
        ("MNIST 4 vs 7", partial(mnist, 4, 7), MNIST_SOFTNESS, (SOFT_SVM, IWAL)),
        ("w1a", w1a, W1A_SOFTNESS, (SOFT_SVM,)),
    ]
    for name, load, softness, rivals in tasks:
        try:
            problem = load()
        except MissingData as reason:
            console.print(f"A data set is left out: {reason}")
            continue
        met &= paper_task(console, name, problem, softness, rivals, effort)
    return met


def paper_task(
    console: Console,
    name: str,
    problem: Problem,
    softness: Softness,
    rivals: Sequence[Entrant],
    effort: Effort,
) -> bool:
    """Print one of the paper's comparisons; return whether ALuMA is at or below its rivals."""
    ours = lifted(softness.slack)
    contest = Contest(
        name=name,
        problem=lambda _seed: problem,
        entrants=(ours, projected(softness), SOFT_SVM, LOGISTIC, IWAL),
        seeds=max(2, effort.seeds // 3),
        marks=effort.budgets,
        hypotheses=effort.hypotheses,
    )
    found = contest.run_all()
    console.print(_curves_table(contest, found))
    late = [budget for budget in effort.budgets if budget >= LATE]
    return all(at_or_below(found[ours], found[rival], late) for rival in rivals)


def _cost(console: Console, effort: Effort) -> None:
    m, answers = effort.cost_pool, effort.cost_answers
    plain, soft = cost(m, answers, 0.0), cost(m, answers, MNIST_SOFTNESS.slack)
    console.print(
        f"A query at m={m:,}, d=25 after {answers} answers: {1e3 * soft.seconds:.0f} ms of CPU "
        f"time with slack, {1e3 * plain.seconds:.0f} ms without: "
        f"{soft.seconds / plain.seconds:.2f} times. Memory at most {soft.peak / 2**20:.0f} MiB "
        f"with slack and {plain.peak / 2**20:.0f} MiB without; m x (d + m) numbers would be "
        f"{8 * m * (25 + m) / 2**20:,.0f} MiB."
    )


def _curves_table(contest: Contest, found: Mapping[Entrant, Sequence[Result]]) -> Table:
    title = f"{contest.name}: errors in %, pool/test"
    table = _table(title, "", *map(str, contest.marks), "aside")
    for entrant, runs in found.items():
        train, test = (
            100 * at_all(runs, kind, contest.marks).mean(axis=0) for kind in ("train", "test")
        )
        cells = [f"{a:.1f}/{b:.1f}" for a, b in zip(train, test, strict=True)]
        table.add_row(entrant.title, *cells, f"{np.mean([run['conflicts'] for run in runs]):g}")
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left")
    for column in columns:
        first = column == columns[0]
        table.add_column(column, justify="left" if first else "right", no_wrap=True)
    return table


if __name__ == "__main__":
    sys.exit(0 if run(Console(), quick="--quick" in sys.argv[1:]) else 1)
