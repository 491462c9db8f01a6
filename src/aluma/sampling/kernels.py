"""The Markov chains that can move a population, by name.

A kernel is one function, ``fly(chains, walls, length, rng) -> (chains, flight)``: it moves a block
of chains once and leaves the uniform law on directions of the cone invariant. Points are inside on
entry, and only their directions count, so radii may be drawn anew. It returns new arrays, with
``margins = points @ walls.normals.T``; a chain that does not end clearly inside (margins above
``walls.margin`` times its norm) is put back where it was and marked as refused. To add one, write
it in a file of its own and add a line to :data:`KERNELS`; ``VersionSpace.sample`` and every learner
with hypotheses then take its name as ``sampler=``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aluma.arrays import Floats
from aluma.geometry.cone import Cone
from aluma.sampling import hit_and_run, reflection
from aluma.sampling.chains import Chains, Flight, Walls, place

#: Moves a block of chains once. ``length`` is how far, for kernels that can go further or less far.
Fly: TypeAlias = Callable[[Chains, Walls, float, np.random.Generator], tuple[Chains, Flight]]
#: Draws from a cone given a point inside, how many, the steps of each (or None) and a seed.
Draw: TypeAlias = Callable[[Cone, Floats, int, int | None, int], Floats]


@dataclass(frozen=True)
class Kernel:
    """A way to move chains.

    Attributes
    ----------
    fly : moves a block once
    paced : whether the length of a move matters, so that it is worth looking for the best
    draw : how independent draws are made where that is not by flying until starts are forgotten
    single : whether it can move chains between walls in float32, see :meth:`Walls.single`
    """

    fly: Fly
    paced: bool = True
    single: bool = False
    draw: Draw | None = None


#: Share of trajectories that may have to be followed again in float64: with more, it costs more
#: than float32 saves.
MOST_UNCLEAR = 0.1

#: Name -> kernel.
KERNELS: dict[str, Kernel] = {
    "reflection": Kernel(reflection.fly, single=True),
    "hit_and_run": Kernel(hit_and_run.fly, paced=False, draw=hit_and_run.draw),
}


def checked_sampler(name: Any) -> str:
    """Return the name of a kernel, or say which there are."""
    if not isinstance(name, str) or name not in KERNELS:
        raise ValueError(f"sampler must be one of {', '.join(KERNELS)}, got {name!r}.")
    return name


def fly(
    chains: Chains, walls: Walls, length: float, rng: np.random.Generator
) -> tuple[Chains, Flight]:
    """Move a block of chains once, by the kernel that these walls are for."""
    moved, flight = KERNELS[walls.sampler].fly(chains, walls, length, rng)
    if walls.sampler != "reflection" and not moved.margins[~flight.refused].min(initial=1) > 0:
        # Reflection judges its own end points. Of others, a draw that contradicts an answer would
        # go unnoticed.
        raise RuntimeError(
            f"the kernel {walls.sampler!r} moved a chain out of the cone: send back every chain "
            "whose margins are not all above walls.margin times its norm, and mark it as refused."
        )
    return moved, flight


class Moving(NamedTuple):
    """Chains under way, and the walls they move between: in float32 while that can tell."""

    chains: Chains
    walls: Walls

    @classmethod
    def of(cls, points: Floats, walls: Walls) -> Moving:
        """Return chains at some points."""
        return cls(place(points, walls), walls)

    def flown(self, length: float, rng: np.random.Generator) -> tuple[Moving, Flight]:
        """Return them after a trajectory, from there on in float64 if float32 tells too little."""
        chains, flight = fly(self.chains, self.walls, length, rng)
        if self.walls.double is not None and flight.unclear > MOST_UNCLEAR:
            return Moving.of(chains.points, self.walls.double), flight
        return Moving(chains, self.walls), flight


def in_single(walls: Walls) -> Walls:
    """Return the same walls in float32, if their kernel can do with that."""
    able = KERNELS[walls.sampler].single and walls.given is not None and walls.double is None
    return walls.single() if able else walls


def is_paced(walls: Walls) -> bool:
    """Say whether the length of a move matters."""
    return KERNELS[walls.sampler].paced
