"""Draws from a cone by chains that were all started at one point inside.

The first draws come from a chain each. Where more are wanted than there are chains, every chain
gives further ones, as many flights later as it takes to forget the last: chains that have forgotten
where they started need not be started anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aluma.arrays import Floats
from aluma.geometry.cone import Cone
from aluma.sampling.ball import to_ball
from aluma.sampling.blocks import BLOCK, blocks_for, each_block
from aluma.sampling.chains import Walls, place
from aluma.sampling.kernels import KERNELS, fly
from aluma.sampling.pace import climb, directions, forget, spread
from aluma.streams import OfSeed, entropy, named, stream, streams

#: Chains fly this many times as long as it takes to forget a start: correlation 0.2^3 < 0.01.
TIMES_TO_FORGET = 3
#: Blocks of chains, at most, unless it is said how many steps each draw takes.
MOST_BLOCKS = 8


def draw(
    cone: Cone, inside: Floats, n: int, sampler: str, steps: int | None, random_state: Any
) -> Floats:
    """Return n draws, uniform in the cone within the unit ball; the first n of any more."""
    seed = entropy(random_state)
    own = KERNELS[sampler].draw
    if own is not None:
        return own(cone, inside, n, steps, seed)
    count = blocks_for(n)
    if len(cone) == 0:
        points = np.empty((count * BLOCK, 0))
    else:
        walls = Walls.of(cone.coordinates, cone.dimension, sampler)
        points = _fly_all(cone, inside, walls, count, steps, seed)
    return to_ball(cone, points, named(seed, OfSeed.DRAW_FREE))[:n]


def _fly_all(
    cone: Cone, inside: Floats, walls: Walls, count: int, steps: int | None, seed: int
) -> Floats:
    """Run a pilot block from one point to find the pace, then every block from where it ended."""
    start, length, flights = each_block(lambda _: _pilot(cone, inside, walls, seed), 1)[0]
    taken = steps or TIMES_TO_FORGET * flights
    chosen = count if steps else min(count, MOST_BLOCKS)
    rngs = streams(named(seed, OfSeed.DRAW_FLIGHTS), chosen)

    # Written in place: memory that was never touched can cost as much as the flights.
    out = np.empty((count, *start.shape))

    def fly_block(block: int) -> None:
        chains = place(start, walls)
        for found in range(block, count, chosen):
            for _ in range(taken if found == block else flights):
                chains, _flight = fly(chains, walls, length, rngs[block])
            out[found] = chains.points

    each_block(fly_block, chosen)
    return out.reshape(-1, start.shape[1])


def _pilot(cone: Cone, inside: Floats, walls: Walls, seed: int) -> tuple[Floats, float, int]:
    """Spread one block from a point; return where it ends, its length and flights to forget."""
    rng = stream(seed, OfSeed.DRAW_PILOT)
    point = directions((inside @ cone.basis)[None, :])
    chains, length = spread(place(np.repeat(point, BLOCK, axis=0), walls), walls, rng)
    chains, length = climb(chains, walls, rng, length)
    chains, flights = forget(chains, walls, rng, length)
    return chains.points, length, flights
