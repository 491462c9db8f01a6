"""Draws from a cone by chains that were all started at one point inside.

A pilot block spreads from that point and finds a pace at which a start is forgotten. Its own next
positions are the first draws already, and where it stands after each of them a further block sets
out, so that several threads have something to do: two blocks are as far from each other as two
draws of one chain. Nothing else is flown only to be thrown away.

Trajectories are followed in float32 where the cone is wide enough for it, see
:mod:`aluma.sampling.reflection`: the products with the walls that decide are in float64 always.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aluma.arrays import Floats
from aluma.geometry.cone import Cone
from aluma.sampling.ball import to_ball
from aluma.sampling.blocks import BLOCK, blocks_for, each_block
from aluma.sampling.chains import Chains, Walls, place
from aluma.sampling.kernels import KERNELS, MOST_UNCLEAR, fly, in_single, is_paced
from aluma.sampling.pace import (
    QUARTER,
    TO_SPREAD,
    climb,
    directions,
    first_to_forget,
    forget,
    spread,
)
from aluma.streams import OfSeed, entropy, named, stream, streams

#: Chains fly this many times as long as it takes to forget a start: correlation 0.2^3 < 0.01.
TIMES_TO_FORGET = 3
#: Blocks of chains, at most, unless it is said how many steps each draw takes.
MOST_BLOCKS = 8


class Pilot(NamedTuple):
    """A block that has forgotten where it started, and how it moves on.

    Attributes
    ----------
    chains, walls : the block, and what it moves between, in float32 if that can tell
    length, flights : of a trajectory, and how many of them forget a start
    rng : the stream of its flights
    """

    chains: Chains
    walls: Walls
    length: float
    flights: int
    rng: np.random.Generator

    def flown(self, chains: Chains, times: int, rng: np.random.Generator) -> Chains:
        """Return chains after so many trajectories."""
        for _ in range(times):
            chains, _flight = fly(chains, self.walls, self.length, rng)
        return chains


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
        return to_ball(cone, np.empty((count * BLOCK, 0)), named(seed, OfSeed.DRAW_FREE))[:n]
    if cone.rank < cone.dimension:
        points = _fly_all(cone, inside, sampler, count, steps, seed)
        return to_ball(cone, points, named(seed, OfSeed.DRAW_FREE))[:n]
    # All directions have walls: chains can as well move in the coordinates of the space itself.
    points = _fly_all(Cone(cone.walls), inside, sampler, count, steps, seed)
    return _scaled(points, stream(seed, OfSeed.DRAW_FREE))[:n]


def _scaled(points: Floats, rng: np.random.Generator) -> Floats:
    """Bring points to lengths as those of uniform points of the ball have; in their place."""
    sizes = np.sqrt(np.einsum("ij,ij->i", points, points))
    # The logarithm of a uniform number is an exponential one, which takes no power.
    radii = np.exp(-rng.standard_exponential(len(points)) / points.shape[1])
    points *= (radii / sizes)[:, None]
    return points


def _fly_all(
    cone: Cone, inside: Floats, sampler: str, count: int, steps: int | None, seed: int
) -> Floats:
    """Return where chains are, block after block of draws."""
    walls = Walls.of(cone.coordinates, cone.dimension, sampler)
    start = directions((inside @ cone.basis)[None, :])
    # Written in place: memory that was never touched can cost as much as the flights.
    out = np.empty((count, BLOCK, cone.rank))
    chosen = count if steps else min(count, MOST_BLOCKS)
    rngs = streams(named(seed, OfSeed.DRAW_FLIGHTS), chosen)

    def set_out(_: int) -> tuple[Pilot, list[Chains]]:
        pilot = _pilot(start, walls, stream(seed, OfSeed.DRAW_PILOT))
        starts = [pilot.chains]
        for block in range(0 if steps else chosen):
            if block:
                starts.append(pilot.flown(starts[-1], pilot.flights, pilot.rng))
            out[block] = starts[block].points
        return pilot, starts

    pilot, starts = each_block(set_out, 1)[0]

    def fly_block(block: int) -> None:
        if steps:
            out[block] = pilot.flown(starts[0], steps, rngs[block]).points
            return
        chains = starts[block]
        for found in range(block + chosen, count, chosen):
            chains = pilot.flown(chains, pilot.flights, rngs[block])
            out[found] = chains.points

    each_block(fly_block, chosen)
    return out.reshape(-1, cone.rank)


def _pilot(start: Floats, walls: Walls, rng: np.random.Generator) -> Pilot:
    """Spread a block from one point (1, r) until nothing is left of it."""
    points, left = np.repeat(start, BLOCK, axis=0), TO_SPREAD
    single = in_single(walls)
    if single is not walls:
        chains, flight = fly(place(points, single), single, QUARTER, rng)
        if flight.unclear <= MOST_UNCLEAR:
            points, walls, left = chains.points, single, left - 1
    chains, length = spread(place(points, walls), walls, rng, left)
    if is_paced(walls):
        chains, found = first_to_forget(chains, walls, rng, length)
        if found is not None:
            # Those that spread the chains were no shorter, and TIMES_TO_FORGET with this one.
            return Pilot(chains, walls, found, 1, rng)
    chains, length = climb(chains, walls, rng, length)
    chains, flights = forget(chains, walls, rng, length)
    pilot = Pilot(chains, walls, length, flights, rng)
    rest = (TIMES_TO_FORGET - 1) * flights
    return pilot._replace(chains=pilot.flown(chains, rest, rng))
