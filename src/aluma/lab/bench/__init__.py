"""Programs that measure the package against what people would use instead, and print ratios.

Here is what they share: effective samples per CPU second of one thread. CPU seconds rather than
wall time, because machines are shared; directions rather than points, because a halfspace has no
radius and some samplers spend most of their time on theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import process_time
from typing import NamedTuple, TypeAlias

import numba
import numpy as np
from threadpoolctl import threadpool_limits

from aluma.arrays import Floats
from aluma.sampling.diagnostics import effective_sample_size

#: Takes a number of steps to move on by; returns one hypothesis per chain, (chains, d).
Walk: TypeAlias = Callable[[int], Floats]

#: Seed of the random functionals.
FUNCTIONALS_SEED = 20
#: Functionals that a rate is the worst of: random ones, and walls (the mean direction comes too).
RANDOM, WALLS = 20, 20
#: A record worth less than this share of an independent draw is too close to the one before it for
#: its chain to be long enough.
WORTH = 0.1
#: Steps between records grow by this factor until records are worth enough.
GROWTH = 4
#: Records of a walk that is too slow for all the records asked for.
FEWEST_RECORDS = 32


class Rate(NamedTuple):
    """Effective samples per CPU second: the worst of the ``random`` functionals, and of all."""

    random: float
    hard: float


@contextmanager
def one_core() -> Iterator[None]:
    """Keep Numba, BLAS and OpenMP to one thread."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        numba.set_num_threads(before)


def functionals(walls: Floats, axis: Floats) -> Floats:
    """Return (d, f) linear functionals: random ones first, then the hard ones.

    A chain can be fast on random functionals and crawl along the walls or away from the axis.
    """
    rng = np.random.default_rng(FUNCTIONALS_SEED)
    chosen = np.linspace(0, len(walls) - 1, min(WALLS, len(walls))).astype(int)
    return np.vstack([rng.standard_normal((RANDOM, walls.shape[1])), walls[chosen], axis]).T


def rate(walk: Walk, judged: Floats, records: int, seconds: float) -> Rate:
    """Run a walk, recorded ever more rarely, until its chains are long enough or time is up.

    What it did before the last run is burn-in, and free. When ``seconds`` of CPU time do not
    suffice for a chain to forget its start, the rate is an upper bound.
    """
    stride, spent = 1, 0.0
    while True:
        draws, cpu = record(walk, stride, judged, records, seconds)
        spent += cpu
        worth = effective_at_most(draws)
        enough = worth[:RANDOM].min() >= WORTH * draws.shape[0] * draws.shape[1]
        if enough or spent + GROWTH * cpu > seconds:
            return per_second(worth, cpu)
        stride *= GROWTH


def per_second(worth: Floats, cpu: float) -> Rate:
    """Return effective sizes of all functionals as the rate they amount to."""
    return Rate(float(worth[:RANDOM].min() / cpu), float(worth.min() / cpu))


def record(
    walk: Walk, stride: int, judged: Floats, records: int, seconds: float = np.inf
) -> tuple[Floats, float]:
    """Return values of functionals along the walk, (chains, records, f), and its CPU seconds."""
    values: list[Floats] = []
    cpu = 0.0
    while len(values) < records and (cpu < seconds or len(values) < FEWEST_RECORDS):
        start = process_time()
        points = walk(stride)
        cpu += process_time() - start
        values.append(points / np.linalg.norm(points, axis=1, keepdims=True) @ judged)
    return np.stack(values, axis=1), cpu


def effective_at_most(draws: Floats) -> Floats:
    """Return effective sample sizes that err, if chains are short, on the high side.

    The sum of autocorrelations up to the length of a chain misses what lies beyond. For a
    reversible chain with positive spectrum they are ``rho_h = E[x^h]`` for a law of x in (0, 1),
    and the sum is ``E[(1 + x) / (1 - x)]``, which is at least ``(1 + y) / (1 - y)`` at
    ``y = rho_h^(1/h)``: as a function of x^h, it is above its tangent where ``rho_h >= 1/2``
    (Jensen). And 1 - rho_h, a mean squared difference, is easy to estimate when it is small.
    """
    chains, length, _ = draws.shape
    spread = draws.var(axis=(0, 1))
    # Chains that never moved are worth nothing, however constant their functionals are.
    least = np.where(spread > 0, effective_sample_size(draws), 0.0)
    lag = 1
    while lag < length:
        moved = ((draws[:, lag:] - draws[:, :-lag]) ** 2).mean(axis=(0, 1))
        rho = 1.0 - moved / np.where(spread > 0, 2.0 * spread, 1.0)
        step = np.clip(rho, 0.5, 1.0) ** (1 / lag)
        bound = chains * length * (1 - step) / (1 + step)
        least = np.where(rho > 0.5, np.minimum(least, bound), least)
        lag *= 2
    return np.asarray(least)
