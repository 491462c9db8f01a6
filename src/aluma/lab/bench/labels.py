"""How many labels it takes: ALuMA beside what people would use instead, on the same pools.

Every contest is a pool (or a pool for each target), learners that label it with the same seeds, and
what is read off: the error after some numbers of labels, or the number of labels after which the
whole pool is labelled right for the first time. Told examples count as right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

import numpy as np
from joblib import Parallel, delayed
from rich.console import Console
from rich.table import Table

from aluma.arrays import Bools, Floats
from aluma.errors import Exhausted, MissingData
from aluma.lab import datasets
from aluma.lab.bench import one_core
from aluma.lab.bench.cones import sphere_pool
from aluma.learners.aluma import ALuMA
from aluma.learners.baselines import LogisticMargin
from aluma.learners.learner import Learner
from aluma.learners.simple_margin import SimpleMargin

#: Takes a seed; returns examples and their labels, -1 or +1.
Source: TypeAlias = Callable[[int], tuple[Floats, Floats]]
#: Takes examples, classes and a seed; returns a learner.
Make: TypeAlias = Callable[..., Learner]

#: The paper's algorithm, the package's default, the heuristic of Tong and Koller, and what people
#: reach for today. The pools have their bias as a column, so nobody needs an intercept.
PAPER, DEFAULT, MARGIN, LOGISTIC = "ALuMA, alpha=1", "ALuMA", "SVM margin", "logistic margin"
LEARNERS: Mapping[str, Make] = {
    PAPER: partial(ALuMA, alpha=1.0),
    DEFAULT: ALuMA,
    MARGIN: SimpleMargin,
    LOGISTIC: partial(LogisticMargin, intercept=False),
}
#: Standard errors of the paired differences that a learner may be behind.
BEHIND = 2.0


@dataclass(frozen=True)
class Contest:
    """Learners on one kind of pool.

    Attributes
    ----------
    name : what the tables call it
    source : the pool and the target of a seed
    learners : names of those that take part
    seeds : runs of each learner
    marks : numbers of labels at which the error is looked at; a run ends at the last of them, or
        when the whole pool is right
    shown : marks that are printed; none if only the labels to zero error matter
    most : the mean number of labels to zero error that a learner may need
    rivals : whom ALuMA must not be behind at any mark shown, beyond the noise of the pairs
    """

    name: str
    source: Source
    learners: Sequence[str]
    seeds: int
    marks: Sequence[int]
    shown: Sequence[int] = ()
    most: Mapping[str, float] = field(default_factory=dict)
    rivals: Sequence[str] = ()


@dataclass(frozen=True)
class Curve:
    """Errors of one run at the marks of its contest, and the mark at which it was first zero."""

    errors: Floats
    first_zero: float


def contests(quick: bool = False) -> list[Contest]:
    """Return what is measured, or a version of it that takes seconds."""
    if quick:
        small = partial(octahedron, 5)
        return [
            Contest("octahedron 5", small, (PAPER,), 4, range(1, 80), most={PAPER: 16}),
            Contest("sphere 5", sphere(5, 200), (PAPER, MARGIN), 4, range(1, 60), (10, 20)),
        ]
    few = (10, 25, 50, 100)
    return [
        *(
            Contest(
                f"octahedron {d}",
                partial(octahedron, d),
                (PAPER, DEFAULT),
                20,
                range(1, 300),
                most={PAPER: most},
            )
            for d, most in ((10, 33), (12, 43), (15, 55))
        ),
        Contest(
            "sphere 10",
            sphere(10, 1000),
            (PAPER, DEFAULT, MARGIN),
            20,
            range(1, 300),
            most={PAPER: 66},
        ),
        Contest(
            "sphere 100",
            sphere(100, 2000),
            tuple(LEARNERS),
            5,
            range(10, 801, 10),
            (200, 300, 400),
            rivals=(MARGIN,),
        ),
        *(
            Contest(
                f"MNIST {a} vs {b}{where}",
                partial(source, a, b),
                tuple(LEARNERS),
                5,
                few,
                few,
                rivals=(MARGIN, LOGISTIC),
            )
            for a, b in ((4, 7), (3, 5))
            for where, source in ((", unit ball", in_unit_ball), (", pixels", mnist_pair))
        ),
    ]


def curve(learner: Learner, labels: Floats, marks: Sequence[int]) -> Curve:
    """Answer a learner's questions with known labels; look at its error at the marks."""
    errors = np.zeros(len(marks))
    for position, mark in enumerate(marks):
        try:
            while learner.n_answers < mark:
                index = learner.ask()
                learner.tell(index, labels[index])
        except Exhausted:
            pass
        errors[position] = np.mean(learner.predict() != labels)
        if errors[position] == 0:
            return Curve(errors, float(mark))
    return Curve(errors, np.inf)


def run_all(contest: Contest, jobs: int = -1) -> dict[str, list[Curve]]:
    """Run every learner with every seed, a core each."""
    plan = [(name, seed) for name in contest.learners for seed in range(contest.seeds)]
    found: Iterator[Curve] = Parallel(n_jobs=jobs, return_as="generator")(
        delayed(_run)(contest.source, LEARNERS[name], seed, contest.marks) for name, seed in plan
    )
    curves: dict[str, list[Curve]] = {name: [] for name in contest.learners}
    for (name, _), one in zip(plan, found, strict=True):
        curves[name].append(one)
    return curves


def _run(source: Source, make: Make, seed: int, marks: Sequence[int]) -> Curve:
    rows, labels = source(seed)
    with one_core():
        return curve(make(rows, classes=(-1.0, 1.0), random_state=seed), labels, marks)


def run(console: Console, quick: bool = False) -> bool:
    """Measure and print; return whether no learner needed more labels than it may."""
    met = True
    for contest, curves in measured(console, contests(quick)):
        console.print(table(contest, curves))
        if contest.shown and {PAPER, DEFAULT} <= set(curves):
            console.print(f"ALuMA's error as a part of alpha=1's: {_parts(contest, curves)}.")
        zeros = {name: float(np.mean([c.first_zero for c in curves[name]])) for name in curves}
        met &= all(zeros[name] <= most for name, most in contest.most.items())
        for rival in contest.rivals:
            late = np.flatnonzero(behind(curves[DEFAULT], curves[rival]))
            marks = [mark for i, mark in enumerate(contest.marks) if i in late]
            met &= not set(marks) & set(contest.shown)
            if marks:
                console.print(f"Behind {rival} beyond the noise after {marks} labels.")
    return met


def measured(
    console: Console, planned: Iterable[Contest]
) -> Iterator[tuple[Contest, dict[str, list[Curve]]]]:
    """Run contests one by one; those whose data are not there are left out, and that is said."""
    for contest in planned:
        try:
            contest.source(0)
        except MissingData as reason:
            console.print(f"{contest.name} is left out: {reason}")
            continue
        with console.status(f"labelling: {contest.name}"):
            curves = run_all(contest)
        yield contest, curves


def behind(ours: Sequence[Curve], theirs: Sequence[Curve]) -> Bools:
    """Say at which marks our errors are above theirs by more than the noise of the pairs."""
    differences = np.array([a.errors - b.errors for a, b in zip(ours, theirs, strict=True)])
    noise = differences.std(axis=0, ddof=1) / np.sqrt(len(differences))
    return np.asarray(differences.mean(axis=0) > BEHIND * noise)


def table(contest: Contest, curves: Mapping[str, list[Curve]]) -> Table:
    """Return mean errors at the marks shown, and mean labels to zero error, with their spread."""
    shown = Table(title=f"{contest.name}: {contest.seeds} runs, mean (standard deviation)")
    shown.add_column("")
    for mark in contest.shown:
        shown.add_column(f"error after {mark}", justify="right")
    if len(contest.marks) > len(contest.shown):
        shown.add_column("labels to zero error", justify="right")
        shown.add_column("at most", justify="right")
    at = [list(contest.marks).index(mark) for mark in contest.shown]
    for name, runs in curves.items():
        errors = np.array([one.errors[at] for one in runs])
        cells = [
            f"{mean:.4f} ({spread:.4f})"
            for mean, spread in zip(errors.mean(axis=0), errors.std(axis=0), strict=True)
        ]
        if len(contest.marks) > len(contest.shown):
            zeros = np.array([one.first_zero for one in runs])
            missed = int(np.isinf(zeros).sum())
            cells.append(
                f"{missed} of {len(zeros)} never"
                if missed
                else f"{zeros.mean():.1f} ({zeros.std():.1f})"
            )
            cells.append(f"{contest.most[name]:g}" if name in contest.most else "")
        shown.add_row(name, *cells)
    return shown


def _parts(contest: Contest, curves: Mapping[str, list[Curve]]) -> str:
    """Say what part of the mean error of the paper's rule is left with the default alpha."""
    at = [list(contest.marks).index(mark) for mark in contest.shown]
    ours, papers = (
        np.mean([one.errors[at] for one in curves[name]], axis=0) for name in (DEFAULT, PAPER)
    )
    pairs = zip(contest.shown, ours, papers, strict=True)
    return ", ".join(f"{a / b:.2f} after {mark}" for mark, a, b in pairs if b > 0)


def octahedron(dimension: int, seed: int) -> tuple[Floats, Floats]:
    """Return the pool of the paper's table of that name, and a target of its kind."""
    data = datasets.octahedron(dimension, seed)
    return data.X, data.y.astype(np.float64)


def sphere(dimension: int, size: int) -> Source:
    """Return uniform directions, another target for each seed."""
    return partial(_sphere, dimension, size)


def _sphere(dimension: int, size: int, seed: int) -> tuple[Floats, Floats]:
    """Scale the columns to standard deviation 1, as logistic regression's default C expects."""
    rows, labels = sphere_pool(dimension, size, seed)
    return rows * np.sqrt(dimension), labels


def mnist_pair(negative: int, positive: int, _seed: int = 0) -> tuple[Floats, Floats]:
    """Return two digits with pixels from 0 to 1, centred, and a bias."""
    data = datasets.mnist(negative, positive)
    pixels = data.X.astype(np.float32)
    pixels -= pixels.mean(axis=0)
    ones = np.ones((len(pixels), 1), dtype=np.float32)
    return np.hstack([pixels, ones]), data.y.astype(np.float64)


def in_unit_ball(negative: int, positive: int, _seed: int = 0) -> tuple[Floats, Floats]:
    """Return two digits, centred, scaled into the unit ball, and a bias: it counts for more."""
    rows, labels = mnist_pair(negative, positive)
    rows[:, :-1] /= np.linalg.norm(rows[:, :-1], axis=1).max()
    return rows, labels
