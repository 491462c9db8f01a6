"""How long trajectories should be, and how many of them forget where they started.

A quarter turn forgets the start when the cone is wide. In a narrow cone it spends its time on
bounces, and shorter trajectories are worth more. So the length is climbed to by what it yields:
independent draws per cost, both judged on the chains themselves. The cost is counted, not timed,
so that the same seed takes the same decisions on any machine.
"""

from __future__ import annotations

import logging

import numpy as np

from aluma.arrays import Floats
from aluma.errors import Undecided
from aluma.sampling.chains import Chains, Walls
from aluma.sampling.diagnostics import correlation
from aluma.sampling.kernels import fly, is_paced

logger = logging.getLogger(__name__)

#: The longest trajectory, a quarter turn.
QUARTER = np.pi / 2
#: Neighbouring lengths differ by this factor: at the best length the yield is flat within it.
STEP = np.sqrt(2.0)
#: Lengths tried beyond the best so far before the climb ends.
LENGTHS_BEYOND_BEST = 2
#: Functions that mixing is judged on: random ones, and products with walls.
RANDOM, WALLS = 12, 12
#: A start counts as forgotten when no judged function of it is correlated more with the same now.
FORGOTTEN = 0.2
#: Trajectories this many times as long as a cone is wide are the shortest that forget a start at
#: once: a draw is then worth 0.9 independent ones for the slowest function, after 200 answers in
#: 100 dimensions, and 0.7 at 2.3 times. In narrower cones they have to be a little longer.
WIDTHS = 2.6
#: Trajectories that have to be shorter than this belong to a cone that float64 cannot resolve.
SHORTEST_TRIED = 1e-12
#: Flights that spread chains from one point.
TO_SPREAD = 4
#: Flights after which forgetting is given up.
MOST_FLIGHTS_TO_FORGET = 1024


def functions(walls: Walls, points: Floats, rng: np.random.Generator) -> Floats:
    """Return (r, f) linear functions of directions: random ones, and the hard ones.

    A flow that is fast on random functions can crawl along the walls or radially from the axis of
    the cone, so products with walls and with the mean direction are judged too.
    """
    rank = points.shape[1]
    chosen = np.linspace(0, len(walls) - 1, min(WALLS, len(walls))).astype(int)
    axis = directions(points).mean(axis=0)
    return np.vstack([rng.standard_normal((RANDOM, rank)), walls.some(chosen), axis]).T


def directions(points: Floats) -> Floats:
    """Return the rows as unit vectors."""
    return np.asarray(points / np.sqrt(np.einsum("ij,ij->i", points, points))[:, None])


def cost(bounces: float, walls: Walls) -> float:
    """Return nominal nanoseconds of a trajectory with this mean number of bounces.

    The constants were fitted to timings of an earlier kernel on one core, whose bounces took more
    than twice as long, and matter only as ratios: decisions stay what they were.
    """
    t, rank = len(walls), walls.rank
    return float(bounces * (50.0 + 0.6 * t) + 0.15 * t * rank + 12.0 * rank + 500.0)


def climb(
    chains: Chains, walls: Walls, rng: np.random.Generator, length: float = QUARTER
) -> tuple[Chains, float]:
    """Return the chains moved on and, from ``length`` on, the length that yields most.

    Chains that all start at one point should be :func:`spread` first.
    """
    if not is_paced(walls):
        return chains, length
    tried: dict[int, float] = {}
    for direction in (-1, 1):
        place, left = max(tried, key=tried.__getitem__, default=0), LENGTHS_BEYOND_BEST
        while left and SHORTEST_TRIED < length * STEP**place < QUARTER * STEP**0.5:
            if place not in tried:
                best = max(tried.values(), default=0.0)
                chains, tried[place] = _yield(
                    chains, walls, rng, min(length * STEP**place, QUARTER)
                )
                left = LENGTHS_BEYOND_BEST if tried[place] > best else left - 1
            place += direction
    return chains, min(float(length * STEP ** max(tried, key=tried.__getitem__)), QUARTER)


def forget(
    chains: Chains, walls: Walls, rng: np.random.Generator, length: float, most: int | None = None
) -> tuple[Chains, int]:
    """Fly until every function has forgotten the start; return how many flights that took.

    Raises :class:`Undecided` if that takes more than ``most``.
    """
    judged = functions(walls, chains.points, rng)
    start = directions(chains.points) @ judged
    for flights in range(1, (most or MOST_FLIGHTS_TO_FORGET) + 1):
        chains, _ = fly(chains, walls, length, rng)
        if correlation(start, directions(chains.points) @ judged).max() < FORGOTTEN:
            return chains, flights
    if most is not None:
        raise Undecided(f"after {most} trajectories chains have not forgotten where they started.")
    logger.warning(
        "after %d trajectories of length %.2g the start is not forgotten: the cone is very narrow "
        "and its draws are less independent than they should be",
        MOST_FLIGHTS_TO_FORGET,
        length,
    )
    return chains, MOST_FLIGHTS_TO_FORGET


def first_to_forget(
    chains: Chains, walls: Walls, rng: np.random.Generator, longest: float
) -> tuple[Chains, float | None]:
    """Return the chains moved on and the first length, of some, that forgets a start at once.

    Lengths grow from :data:`WIDTHS` times the angle between chains and their middle, a guess at the
    width of the cone, to ``longest``; None if not even that is enough. One flight each: where a
    flight is enough, that is far less work than :func:`climb` has.
    """
    middle = float(np.linalg.norm(directions(chains.points).mean(axis=0)))
    length = min(WIDTHS * float(np.arccos(min(middle, 1.0))), longest)
    while length > SHORTEST_TRIED:
        judged = functions(walls, chains.points, rng)
        before = directions(chains.points) @ judged
        chains, _ = fly(chains, walls, length, rng)
        if correlation(before, directions(chains.points) @ judged).max() < FORGOTTEN:
            return chains, length
        if length == longest:
            break
        length = min(length * STEP, longest)
    return chains, None


def spread(
    chains: Chains, walls: Walls, rng: np.random.Generator, flights: int = TO_SPREAD
) -> tuple[Chains, float]:
    """Spread chains from one point; return them and a length at which flights come to an end."""
    length = QUARTER
    while flights > 0:
        chains, flight = fly(chains, walls, length, rng)
        if flight.refused.mean() > 0.5:
            length /= 4
            if length < SHORTEST_TRIED:
                raise Undecided("the version space is too thin for float64: no trajectory fits it.")
        else:
            flights -= 1
    return chains, length


def _yield(
    chains: Chains, walls: Walls, rng: np.random.Generator, length: float
) -> tuple[Chains, float]:
    """Fly twice; return the chains and independent draws per cost, for the slowest function."""
    judged = functions(walls, chains.points, rng)
    kept, bounces = [], []
    for _ in range(2):
        before = directions(chains.points) @ judged
        chains, flight = fly(chains, walls, length, rng)
        kept.append(correlation(before, directions(chains.points) @ judged))
        bounces.append(flight.bounces.mean())
    slowest = float(np.clip(np.mean(kept, axis=0).max(), 0.0, 1.0))
    return chains, (1 - slowest) / (1 + slowest) / cost(float(np.mean(bounces)), walls)
