"""Chains, and the walls they move between: what every kernel works on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aluma.arrays import Bools, Floats, Ints
from aluma.geometry.cone import guard

#: Walls are padded to whole vector registers with copies of the first wall, which changes nothing.
LANES = 16


@dataclass(frozen=True)
class Walls:
    """What a kernel needs of a cone.

    Attributes
    ----------
    normals : (t, r) the walls, in the coordinates of the chains
    gram : (t, t) their products
    pull : (t,) -2 / G_jj
    margin : least distance from a wall, relative to the norm, that an end point must keep
    sampler : name of the kernel that moves chains between them
    """

    normals: Floats
    gram: Floats
    pull: Floats
    margin: float
    sampler: str = "reflection"

    @classmethod
    def of(cls, coordinates: Floats, dimension: int, sampler: str = "reflection") -> Walls:
        """Prepare walls given in the coordinates of the chains; ``dimension`` is the space's."""
        padding = -len(coordinates) % LANES
        normals = np.vstack([coordinates, np.repeat(coordinates[:1], padding, axis=0)])
        gram = normals @ normals.T
        return cls(normals, gram, -2.0 / np.diag(gram), guard(dimension), sampler)


class Chains(NamedTuple):
    """A block of chains: positions ``points`` (B, r) and their products ``margins`` (B, t)."""

    points: Floats
    margins: Floats


class Flight(NamedTuple):
    """What happened: ``bounces`` of each chain, and where its end point was ``refused``."""

    bounces: Ints
    refused: Bools


def place(points: Floats, walls: Walls) -> Chains:
    """Return chains at the given points, which must be inside."""
    return Chains(points, points @ walls.normals.T)
