"""Independent draws from a cone: one chain for each, all started at one point inside."""

from __future__ import annotations

from typing import Any

import numpy as np

from aluma.arrays import Floats
from aluma.geometry.cone import Cone
from aluma.sampling import hit_and_run
from aluma.sampling.ball import to_ball
from aluma.sampling.blocks import BLOCK, blocks_for, each_block, entropy, streams
from aluma.sampling.pace import climb, directions, forget, spread
from aluma.sampling.reflection import Walls, fly, place

SAMPLERS = ("reflection", "hit_and_run")
#: Chains fly this many times as long as it takes to forget a start: correlation 0.2^3 < 0.01.
OVER = 3
#: And at least this often.
LEAST = 6


def draw(
    cone: Cone, inside: Floats, n: int, sampler: str, steps: int | None, random_state: Any
) -> Floats:
    """Return n draws, uniform in the cone within the unit ball; the first n of any more."""
    seed = entropy(random_state)
    count = blocks_for(n)
    if sampler == "hit_and_run":
        rngs = streams((seed, 10), count)
        start = np.tile(inside / 2, (BLOCK, 1))
        taken = steps or hit_and_run.PAPER_STEPS
        walked = each_block(lambda b: hit_and_run.walk(start, cone.walls, taken, rngs[b]), count)
        return np.concatenate(walked)[:n]
    if len(cone) == 0:
        points = np.empty((count * BLOCK, 0))
    else:
        points = _fly_all(cone, inside, count, steps, (seed, 11))
    return to_ball(cone, points, (seed, 12))[:n]


def _fly_all(
    cone: Cone, inside: Floats, count: int, steps: int | None, key: tuple[int, ...]
) -> Floats:
    """Run a pilot block from one point to find the pace, then every block from where it ended."""
    walls = Walls.of(cone.coordinates, cone.dimension)
    start, length, flights = each_block(lambda _: _pilot(cone, inside, walls, key), 1)[0]
    taken = steps or max(LEAST, OVER * flights)
    rngs = streams((*key, 1), count)

    def fly_block(block: int) -> Floats:
        chains = place(start, walls)
        for _ in range(taken):
            chains, _flight = fly(chains, walls, length, rngs[block])
        return chains.points

    return np.concatenate(each_block(fly_block, count))


def _pilot(
    cone: Cone, inside: Floats, walls: Walls, key: tuple[int, ...]
) -> tuple[Floats, float, int]:
    """Spread one block from a point; return where it ends, its length and flights to forget."""
    rng = streams(key, 1)[0]
    point = directions((inside @ cone.basis)[None, :])
    chains, length = spread(place(np.repeat(point, BLOCK, axis=0), walls), walls, rng)
    chains, length = climb(chains, walls, rng, length)
    chains, flights = forget(chains, walls, rng, length)
    return chains.points, length, flights
