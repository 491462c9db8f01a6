"""How fast hypotheses are drawn: ``aluma bench sampler``, or ``python -m aluma.lab.bench.sampler``.

Reflection against the paper's hit-and-run and against the best walk of hopsy, by effective samples
per CPU second of one thread (:mod:`aluma.lab.bench`), and against itself with every fixed
trajectory length; then what two threads give, and what an answer costs a population in time and
memory.

hopsy samples polytopes, so most of its walks get the cone within the box [-1, 1]^d: a different
law, with the same walls. Only its Gibbs sampler can be given the law that reflection has, and is.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from time import perf_counter, process_time
from typing import Any

import numba
import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from sklearn.svm import SVC, LinearSVC

from aluma.arrays import Floats
from aluma.errors import MissingData
from aluma.geometry.cone import Cone
from aluma.geometry.feasibility import interior_point
from aluma.lab.bench import (
    RANDOM,
    Rate,
    Walk,
    effective_at_most,
    functionals,
    one_core,
    per_second,
    rate,
    record,
)
from aluma.lab.bench.cones import Case, cases, random_cone, sphere_pool
from aluma.sampling import hit_and_run
from aluma.sampling.ball import to_ball
from aluma.sampling.blocks import BLOCK
from aluma.sampling.chains import Walls, place
from aluma.sampling.pace import QUARTER, STEP, climb, directions, spread
from aluma.sampling.population import Population
from aluma.sampling.reflection import fly
from aluma.spaces.version_space import VersionSpace

#: Pilot runs whose trajectory lengths are judged, and how far one may be behind the best length.
PILOTS, LENGTH_SLACK = 5, 1.5
#: Fixed lengths that are shorter than any pilot chose.
SHORTER = 3
#: How many times as fast two threads have to be as one.
TWO_THREADS = 1.6
#: Chains of hopsy: it runs them one by one, so more of them would only be shorter ones.
HOPSY_CHAINS = 4
#: Largest dimension that hopsy's rounding is tried in: it takes seconds at 60, minutes at 100.
ROUNDED = 70
HOPSY_WALKS = (
    "UniformCoordinateHitAndRun", "GaussianCoordinateHitAndRun", "UniformHitAndRun",
    "GaussianHitAndRun", "BilliardWalk", "DikinWalk", "BallWalk",
)  # fmt: skip


@dataclass(frozen=True)
class Effort:
    """How much is measured: records of a run, and CPU seconds that a walk may take."""

    flights: int
    rounds: int
    records: int
    seconds: float
    hopsy_records: int
    hopsy_trial: float


FULL = Effort(flights=100, rounds=3, records=100, seconds=20, hopsy_records=400, hopsy_trial=4)
QUICK = Effort(flights=50, rounds=1, records=50, seconds=0.5, hopsy_records=100, hopsy_trial=0.05)


@dataclass(frozen=True)
class Result:
    """What was measured on one cone.

    Attributes
    ----------
    shape : t and d
    reflection, hit_and_run, hopsy : rates; hopsy's is None where it is not installed
    walk : the best of hopsy's walks
    length, best_length : trajectory length of the first pilot, and the best fixed one
    behind : rate of the best fixed length over that of the worst length that a pilot found, on
        random functionals and on all
    """

    case: Case
    shape: tuple[int, int]
    reflection: Rate
    hit_and_run: Rate
    hopsy: Rate | None
    walk: str
    length: float
    best_length: float
    behind: Rate

    @property
    def over_hit_and_run(self) -> float:
        """How many times as fast as hit-and-run reflection is."""
        return self.reflection.random / self.hit_and_run.random

    @property
    def over_hopsy(self) -> float:
        """How many times as fast as hopsy's best walk reflection is; infinite without hopsy."""
        return self.reflection.random / self.hopsy.random if self.hopsy else np.inf

    @property
    def met(self) -> bool:
        """Whether every ratio is what it has to be."""
        return (
            self.over_hit_and_run >= self.case.over_hit_and_run
            and self.over_hopsy >= self.case.over_hopsy
            and self.behind.random <= LENGTH_SLACK
        )


class Reflection:
    """A block of chains in equilibrium, with the trajectory ``length`` that they found."""

    def __init__(self, walls: Floats, seed: int = 0) -> None:
        self.cone = Cone.whole(walls.shape[1]).with_walls(walls)
        self.walls = Walls.of(self.cone.coordinates, self.cone.dimension)
        self.rng = np.random.default_rng(seed)
        inside = directions((interior_point(self.cone) @ self.cone.basis)[None, :])
        start = place(np.repeat(inside, BLOCK, axis=0), self.walls)
        chains, length = spread(start, self.walls, self.rng)
        self.chains, self.length = climb(chains, self.walls, self.rng, length)
        self._drawn = 0
        self.walk(20)

    def walk(self, flights: int, length: float | None = None) -> Floats:
        """Fly all chains; return hypotheses in the unit ball, (chains, d)."""
        for _ in range(flights):
            self.chains, _ = fly(self.chains, self.walls, length or self.length, self.rng)
        self._drawn += 1
        return to_ball(self.cone, self.chains.points, (self._drawn,))


def compare(case: Case, effort: Effort) -> Result:
    """Measure all samplers on one cone."""
    walls = case.walls()
    with one_core():
        chains = Reflection(walls)
        judged = functionals(walls, chains.walk(1).mean(axis=0))
        found = [_index(chains.length)]
        found += [_index(Reflection(walls, seed).length) for seed in range(1, PILOTS)]
        rates = fixed_lengths(chains, judged, max(found) + SHORTER, effort)
        slow = rate(paper_walk(walls, chains), judged, effort.records, effort.seconds)
        walk, peer = best_of_hopsy(walls, chains, judged, effort)
    best = [max(each) for each in zip(*rates, strict=True)]
    worst = [min(each) for each in zip(*(rates[index] for index in found), strict=True)]
    return Result(
        case=case,
        shape=(walls.shape[0], walls.shape[1]),
        reflection=rates[found[0]],
        hit_and_run=slow,
        hopsy=peer,
        walk=walk,
        length=chains.length,
        best_length=_length([each.random for each in rates].index(best[0])),
        behind=Rate(best[0] / worst[0], best[1] / worst[1]),
    )


def fixed_lengths(chains: Reflection, judged: Floats, shortest: int, effort: Effort) -> list[Rate]:
    """Return the rate of reflection at QUARTER / STEP^j for each j from 0 to ``shortest``.

    The climb starts from such a length and takes such steps, so what it finds is among them. All
    lengths take turns, so that a busy minute of the machine hurts all alike.
    """
    worth, cpu = np.zeros((shortest + 1, judged.shape[1])), np.zeros(shortest + 1)
    for _ in range(effort.rounds):
        for index in range(shortest + 1):
            walk = partial(chains.walk, length=_length(index))
            draws, seconds = record(walk, 1, judged, effort.flights)
            worth[index] += effective_at_most(draws)
            cpu[index] += seconds
    return [per_second(*each) for each in zip(worth, cpu, strict=True)]


def _length(index: int) -> float:
    return float(QUARTER / STEP**index)


def _index(length: float) -> int:
    return round(float(np.log(QUARTER / length) / np.log(STEP)))


def paper_walk(walls: Floats, chains: Reflection) -> Walk:
    """Return the paper's hit-and-run, a block of chains at once, started in equilibrium."""
    points = chains.walk(1)

    def walk(steps: int) -> Floats:
        nonlocal points
        points = hit_and_run.walk(points, walls, steps, chains.rng)
        return points

    return walk


def best_of_hopsy(
    walls: Floats, chains: Reflection, judged: Floats, effort: Effort
) -> tuple[str, Rate | None]:
    """Return the name and rate of hopsy's best walk: tried briefly with others, then for longer."""
    if find_spec("hopsy") is None:
        return "not installed", None
    walks = dict(hopsy_walks(walls, chains.walk(1)))
    tried = {
        name: rate(start(), judged, effort.hopsy_records, effort.hopsy_trial).random
        for name, start in walks.items()
    }
    best = max(tried, key=tried.__getitem__)
    return best, rate(walks[best](), judged, effort.hopsy_records, effort.seconds)


def hopsy_walks(walls: Floats, draws: Floats) -> Iterator[tuple[str, Callable[[], Walk]]]:
    """Yield hopsy's walks by name, each to be started near equilibrium."""
    import hopsy

    t, d = walls.shape
    in_box = (draws / np.abs(draws).max(axis=1, keepdims=True) / 2)[:HOPSY_CHAINS]
    sides = np.vstack([-walls, np.eye(d), -np.eye(d)])
    box = hopsy.Problem(sides, np.concatenate([np.zeros(t), np.ones(2 * d)]))
    targets = {"": box}
    if d <= ROUNDED:
        targets[", rounded"] = hopsy.round(box)
    for suffix, problem in targets.items():
        for name in HOPSY_WALKS:
            proposal = getattr(hopsy, f"{name}Proposal")
            yield (
                name.removeprefix("Uniform") + suffix,
                partial(_hopsy_walk, problem, proposal, in_box),
            )
    normal = hopsy.Problem(-walls, np.zeros(t), model=hopsy.Gaussian(np.zeros(d), np.eye(d)))
    typical = directions(draws)[:HOPSY_CHAINS] * np.sqrt(d)
    gibbs = hopsy.TruncatedGaussianProposal
    yield "TruncatedGaussian", partial(_hopsy_walk, normal, gibbs, typical)


def _hopsy_walk(problem: Any, proposal: Any, starts: Floats) -> Walk:
    """Start one chain of hopsy at each point."""
    import hopsy

    chains = [hopsy.MarkovChain(problem, proposal, starting_point=start) for start in starts]
    rngs = [hopsy.RandomNumberGenerator(0, number) for number in range(len(chains))]

    def walk(steps: int) -> Floats:
        moved = zip(chains, rngs, strict=True)
        return np.array([chain.draw(rng, steps)[1] for chain, rng in moved])

    return walk


def two_threads(dimension: int, walls: int, draws: int) -> tuple[float, float]:
    """Return wall seconds in which a version space is sampled with one thread and with two."""
    space = VersionSpace(dimension)
    space.add(random_cone(dimension, walls), np.ones(walls))
    before = numba.get_num_threads()
    times: dict[int, list[float]] = {1: [], 2: []}
    try:
        for _ in range(4):
            for threads, taken in times.items():
                numba.set_num_threads(threads)
                taken.append(_seconds(lambda: space.sample(draws), perf_counter))
    finally:
        numba.set_num_threads(before)
    return min(times[1]), min(times[2])


@dataclass(frozen=True)
class Absorbed:
    """What one more answer costs a population.

    Attributes
    ----------
    typical, longest : CPU seconds of the last answers, their median and maximum
    fits : CPU seconds of fits on the same answers, by name
    peak : bytes allocated at most while the last answer is absorbed
    stated : the 8 k (r + t) bytes of the chains and 8 (t d + d r + t r + t^2) of the cone
    """

    typical: float
    longest: float
    fits: dict[str, float]
    peak: int
    stated: int

    def told(self) -> str:
        """Return all of it in two sentences."""
        ratios = ", ".join(
            f"{self.typical / seconds:.2g} fits of {name} ({1e3 * seconds:.1f} ms)"
            for name, seconds in self.fits.items()
        )
        return (
            f"A population absorbs an answer in {1e3 * self.typical:.1f} ms of CPU time (the "
            f"slowest of the last ones in {1e3 * self.longest:.1f} ms): {ratios}. It allocates "
            f"{self.peak / 2**20:.1f} MiB on the way, {self.peak / self.stated:.2f} times "
            f"the {self.stated / 2**20:.1f} MiB of its chains and its cone."
        )


def absorb(dimension: int, answers: int, size: int, timed: int = 20) -> Absorbed:
    """Give a population random answers, and the same ones to linear SVMs."""
    rows, labels = sphere_pool(dimension, answers)
    population = Population(dimension, size)
    seconds = [
        _seconds(partial(population.add, label * row), process_time)
        for row, label in zip(rows, labels, strict=True)
    ]
    population.undo()
    tracemalloc.start()
    population.add(labels[-1] * rows[-1])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    chains, rank = population.state.points.shape
    cone = answers * dimension + dimension * rank + answers * rank + answers**2
    fits = {"LinearSVC": LinearSVC(), "SVC": SVC(kernel="linear", C=1e6)}
    return Absorbed(
        typical=float(np.median(seconds[-timed:])),
        longest=max(seconds[-timed:]),
        fits={
            name: min(_seconds(partial(model.fit, rows, labels), process_time) for _ in range(3))
            for name, model in fits.items()
        },
        peak=peak,
        stated=8 * (chains * (rank + answers) + cone),
    )


def _seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start


def run(console: Console, quick: bool = False) -> bool:
    """Measure and print; return whether every cone's required ratios were reached."""
    results = []
    for case in cases(quick):
        try:
            with console.status(f"measuring on {case.name}"):
                results.append(compare(case, QUICK if quick else FULL))
        except MissingData as reason:
            console.print(f"{case.name} is left out: {reason}")
    for table in (_speed(results), _hard(results), _lengths(results)):
        console.print(table)
    if find_spec("hopsy") is None:
        console.print(escape("hopsy is not installed: pip install 'aluma[bench]' to compare."))
    if numba.get_num_threads() < 2:
        console.print("One thread only: what a second one gives is left out.")
    else:
        for dimension, walls in [(10, 30)] if quick else [(100, 200), (784, 300)]:
            one, two = two_threads(dimension, walls, 4096)
            console.print(
                f"Two threads draw 4,096 hypotheses (d={dimension}, t={walls}) in {two:.3f} s, one "
                f"in {one:.3f} s: {one / two:.2f}x. On an idle machine, at least {TWO_THREADS}x."
            )
    console.print((absorb(10, 30, 1000) if quick else absorb(784, 300, 1000)).told())
    return all(result.met for result in results)


def _speed(results: list[Result]) -> Table:
    """Return the rates on random functionals, with their ratios and what those have to be."""
    table = _table(
        f"Effective samples per CPU second, the worst of {RANDOM} random functionals",
        "cone", "reflection", "hit_and_run", "times", "needs", "hopsy", "times", "needs",
    )  # fmt: skip
    for result in results:
        table.add_row(
            result.case.name,
            _digits(result.reflection.random),
            _digits(result.hit_and_run.random),
            _digits(result.over_hit_and_run),
            f"{result.case.over_hit_and_run:,g}",
            _digits(result.hopsy.random) if result.hopsy else "-",
            _digits(result.over_hopsy) if result.hopsy else "-",
            f"{result.case.over_hopsy:g}",
        )
    return table


def _hard(results: list[Result]) -> Table:
    """Return the rates when walls and the mean direction count too."""
    title = "The same, the worst of all functionals: walls and the mean direction too"
    table = _table(title, "cone", "reflection", "hit_and_run", "hopsy", "its best walk")
    for result in results:
        table.add_row(
            result.case.name,
            _digits(result.reflection.hard),
            _digits(result.hit_and_run.hard),
            _digits(result.hopsy.hard) if result.hopsy else "-",
            result.walk,
        )
    return table


def _lengths(results: list[Result]) -> Table:
    """Return the trajectory lengths."""
    title = f"Trajectory length: the best fixed one may be at most {LENGTH_SLACK} times as fast"
    table = _table(title, "cone", "t", "d", "found", "best fixed", "times", "on all")
    for result in results:
        lengths = (f"{length:.3g}" for length in (result.length, result.best_length))
        behind = (f"{times:.2f}" for times in result.behind)
        table.add_row(result.case.name, *map(str, result.shape), *lengths, *behind)
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left")
    for column in columns:
        first = column == columns[0]
        table.add_column(column, justify="left" if first else "right", no_wrap=first)
    return table


def _digits(value: float) -> str:
    """Show about three digits, without an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    sys.exit(0 if run(Console(), quick="--quick" in sys.argv[1:]) else 1)
