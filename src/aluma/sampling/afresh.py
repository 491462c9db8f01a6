"""A population drawn anew between all walls at once, for many answers that come together.

Absorbing answers group by group lets everybody fly after each group, between ever more walls.
Chains that start at one point inside all walls and fly until they have forgotten it are as uniform
on what is left, and fly between the last walls only: a thousand answers with slack take seconds
instead of minutes. What is lost is the running estimate of the volume.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aluma.arrays import Floats
from aluma.errors import Undecided
from aluma.geometry.cone import Cone
from aluma.geometry.feasibility import interior_point
from aluma.sampling.absorption import State, digest
from aluma.sampling.blocks import BLOCK, each_block
from aluma.sampling.chains import Walls, place
from aluma.sampling.pace import FORGOTTEN, climb, directions, forget, spread
from aluma.sampling.settling import MAX_FLIGHTS, fly_until
from aluma.streams import OfState, named, stream

#: Blocks fly this many times as long as it takes to forget a start, since they begin alike.
TIMES_TO_FORGET = 3
#: What is said when the chains have not forgotten where they started.
NOT_FORGOTTEN = "chains that start at one point inside do not come away from it."


def drawn_afresh(state: State, normals: Floats) -> State:
    """Return a state after several answers, given as unit normals (n, d), with chains begun anew.

    Raises :class:`aluma.geometry.feasibility.Infeasible` if no halfspace is left, and
    :class:`Undecided` if what is left is too thin for chains to spread from one point.
    """
    cone = state.cone.with_walls(normals)
    key = digest(state.key, normals)
    walls = Walls.of_cone(cone, state.sampler)
    inside = interior_point(cone)
    first, length, flights = each_block(lambda _: _spread_out(cone, inside, walls, key), 1)[0]
    family = np.tile(np.arange(BLOCK), len(state.points) // BLOCK)
    points, mixing, _ = fly_until(
        first[family], walls, length, TIMES_TO_FORGET * flights, FORGOTTEN, BLOCK, family,
        named(key, OfState.SETTLE),
    )  # fmt: skip
    # As often as a block flew that had no others to part from.
    mixing = replace(mixing, ancestors=BLOCK, flights=flights)
    if not mixing.sound:
        raise Undecided(NOT_FORGOTTEN)
    return State(cone, points, key, length, len(cone), np.nan, mixing, 0, state.sampler)


def _spread_out(
    cone: Cone, inside: Floats, walls: Walls, key: tuple[int, ...]
) -> tuple[Floats, float, int]:
    """Let a block forget a point; return where it ends, its length, and flights to forget."""
    rng = stream(key, OfState.PACE)
    point = directions((inside @ cone.basis)[None, :])
    chains, length = spread(place(np.repeat(point, BLOCK, axis=0), walls), walls, rng)
    chains, length = climb(chains, walls, rng, length)
    chains, flights = forget(chains, walls, rng, length, MAX_FLIGHTS)
    return chains.points, length, flights
