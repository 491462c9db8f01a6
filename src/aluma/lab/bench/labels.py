"""How many labels it takes: ALuMA beside what people would use instead, on the same pools.

Every contest is a pool (or a pool for each target), learners that label it with the same seeds, and
what is read off: the error after some numbers of labels, or the number of labels after which the
whole pool is labelled right for the first time. Told examples count as right.

    python -m aluma.lab.bench.labels --contests NAME ... --entrants KEY ... [--runs N] [--jobs N]

runs some of it; "aluma-default" is ALuMA with the default prior and slack instead of the paper's.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import numpy as np
from rich.console import Console
from rich.table import Table

from aluma.arrays import Bools, Floats
from aluma.errors import MissingData
from aluma.lab import datasets
from aluma.lab.bench.cones import sphere_pool
from aluma.lab.contest import Contest
from aluma.lab.curves import at_all, needed, paired
from aluma.lab.entrants import ALUMA, ALUMA_PAPER, LOGISTIC, SVM_MARGIN, Entrant
from aluma.lab.play import Result
from aluma.lab.problem import Source, of_source

#: The package's default, the paper's algorithm, the heuristic of Tong and Koller, and what people
#: reach for today. The pools have their bias as a column, so nobody needs an intercept.
EVERYONE = (ALUMA_PAPER, ALUMA, SVM_MARGIN, LOGISTIC)
#: The prior and the slack that users have by default.
ALUMA_DEFAULT = Entrant("aluma-default", "aluma", {"prior": "pool", "slack": "auto"})

#: The runs of each entrant.
Runs: TypeAlias = Mapping[Entrant, Sequence[Result]]


@dataclass(frozen=True)
class Judged:
    """A contest, what is printed of it, and what ALuMA has to reach in it.

    Attributes
    ----------
    contest : runs end when the whole pool is right
    shown : marks that are printed; none if only the labels to zero error matter
    most : the mean number of labels to zero error that an entrant may need, by key
    rivals : whom ALuMA must not be behind at any mark shown, beyond the noise of the pairs
    """

    contest: Contest
    shown: Sequence[int] = ()
    most: Mapping[str, float] = field(default_factory=dict)
    rivals: Sequence[Entrant] = ()


def contest(
    name: str, source: Source, entrants: Sequence[Entrant], seeds: int, marks: Sequence[int]
) -> Contest:
    """Return a contest whose runs end when everything is right."""
    return Contest(
        name=name,
        problem=partial(of_source, source),
        entrants=entrants,
        seeds=seeds,
        marks=marks,
        until_right=True,
    )


def contests(quick: bool = False) -> list[Judged]:
    """Return what is measured, or a version of it that takes seconds."""
    paper = (ALUMA_PAPER,)
    if quick:
        small = contest("octahedron 5", partial(octahedron, 5), paper, 4, range(1, 80))
        rivals = (ALUMA_PAPER, SVM_MARGIN)
        return [
            Judged(small, most={ALUMA_PAPER.key: 16}),
            Judged(contest("sphere 5", sphere(5, 200), rivals, 4, range(1, 60)), (10, 20)),
        ]
    both, few = (ALUMA_PAPER, ALUMA), (10, 25, 50, 100)
    octahedra = [
        Judged(
            contest(f"octahedron {d}", partial(octahedron, d), both, 20, range(1, 300)),
            most={ALUMA_PAPER.key: most},
        )
        for d, most in ((10, 33), (12, 43), (15, 55))
    ]
    small = contest("sphere 10", sphere(10, 1000), EVERYONE[:3], 20, range(1, 300))
    large = contest("sphere 100", sphere(100, 2000), EVERYONE, 5, range(10, 801, 10))
    digits = [
        Judged(
            contest(f"MNIST {a} vs {b}{where}", partial(source, a, b), EVERYONE, 5, few),
            few,
            rivals=(SVM_MARGIN, LOGISTIC),
        )
        for a, b in ((4, 7), (3, 5))
        for where, source in ((", unit ball", in_unit_ball), (", pixels", mnist_pair))
    ]
    return [
        *octahedra,
        Judged(small, most={ALUMA_PAPER.key: 66}),
        Judged(large, (200, 300, 400), rivals=(SVM_MARGIN,)),
        *digits,
    ]


def run(console: Console, quick: bool = False) -> bool:
    """Measure and print; return whether no learner needed more labels than it may."""
    met = True
    for judged, runs in measured(console, contests(quick)):
        console.print(table(judged, runs))
        if judged.shown and {ALUMA_PAPER, ALUMA} <= set(runs):
            told = _parts(judged, runs)
            console.print(f"{ALUMA.title}'s error as a part of {ALUMA_PAPER.title}'s: {told}.")
        means = {who.key: float(np.mean(to_zero(found))) for who, found in runs.items()}
        met &= all(means[key] <= most for key, most in judged.most.items())
        for rival in judged.rivals:
            marks = late_marks(judged.contest, runs, rival)
            met &= not set(marks) & set(judged.shown)
            if marks:
                console.print(f"Behind {rival.title} beyond the noise after {marks} labels.")
    return met


def measured(console: Console, planned: Iterable[Judged]) -> Iterator[tuple[Judged, Runs]]:
    """Run contests one by one; those whose data are not there are left out, and that is said."""
    for judged in planned:
        name = judged.contest.name
        try:
            judged.contest.problem(0)
        except MissingData as reason:
            console.print(f"{name} is left out: {reason}")
            continue
        with console.status(f"labelling: {name}"):
            runs = judged.contest.run_all(jobs=-1)
        yield judged, runs


def main(arguments: Sequence[str] | None = None) -> int:
    """Run some contests with some entrants, and print what was seen."""
    known, planned = {who.key: who for who in (*EVERYONE, ALUMA_DEFAULT)}, contests()
    names = [judged.contest.name for judged in planned]
    parser = argparse.ArgumentParser(description="How many labels it takes.")
    parser.add_argument("--contests", nargs="+", choices=names, default=names)
    parser.add_argument("--entrants", nargs="+", choices=list(known), default=list(known))
    parser.add_argument("--runs", type=int, help="as many of each contest, instead of its own")
    parser.add_argument("--jobs", type=int, default=-1)
    given = parser.parse_args(arguments)
    console = Console(width=120)
    for judged in planned:
        if judged.contest.name in given.contests:
            entrants = tuple(known[key] for key in given.entrants)
            runs = given.runs or judged.contest.seeds
            some = replace(judged.contest, entrants=entrants, seeds=runs)
            console.print(table(replace(judged, contest=some), some.run_all(jobs=given.jobs)))
    return 0


def to_zero(runs: Sequence[Result]) -> list[float]:
    """Return the labels after which each run was first seen to be right about everything."""
    return [needed(run, 0.0) for run in runs]


def behind(ours: Sequence[Result], theirs: Sequence[Result], marks: Sequence[int]) -> Bools:
    """Say at which marks our errors are above theirs by more than the noise of the pairs."""
    return paired(at_all(ours, "train", marks), at_all(theirs, "train", marks)).behind


def late_marks(contest: Contest, runs: Runs, rival: Entrant) -> list[int]:
    """Return the marks at which ALuMA is behind a rival beyond the noise."""
    late = behind(runs[ALUMA], runs[rival], contest.marks)
    return [mark for mark, is_late in zip(contest.marks, late, strict=True) if is_late]


def table(judged: Judged, runs: Runs) -> Table:
    """Return mean errors at the marks shown, and mean labels to zero error, with their spread."""
    contest, every_mark_is_shown = judged.contest, len(judged.contest.marks) == len(judged.shown)
    shown = Table(title=f"{contest.name}: {contest.seeds} runs, mean (standard deviation)")
    shown.add_column("")
    for mark in judged.shown:
        shown.add_column(f"error after {mark}", justify="right")
    if not every_mark_is_shown:
        shown.add_column("labels to zero error", justify="right")
        shown.add_column("at most", justify="right")
    for entrant, found in runs.items():
        errors = at_all(found, "train", judged.shown)
        cells = [
            f"{mean:.4f} ({spread:.4f})"
            for mean, spread in zip(errors.mean(axis=0), errors.std(axis=0), strict=True)
        ]
        if not every_mark_is_shown:
            most = judged.most.get(entrant.key)
            cells += [_zeros(found), "" if most is None else f"{most:g}"]
        shown.add_row(entrant.title, *cells)
    return shown


def _zeros(runs: Sequence[Result]) -> str:
    """Return the mean labels to zero error and their spread, or how many never got there."""
    zeros = np.array(to_zero(runs))
    missed = int(np.isinf(zeros).sum())
    if missed:
        return f"{missed} of {len(zeros)} never"
    return f"{zeros.mean():.1f} ({zeros.std():.1f})"


def _parts(judged: Judged, runs: Runs) -> str:
    """Say what part of the mean error of the paper's rule is left with the default alpha."""
    ours, papers = (
        at_all(runs[who], "train", judged.shown).mean(axis=0) for who in (ALUMA, ALUMA_PAPER)
    )
    pairs = zip(judged.shown, ours, papers, strict=True)
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


if __name__ == "__main__":
    sys.exit(main())
