"""Chains, and the walls they move between: what every kernel works on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from aluma.arrays import Bools, Floats, Ints
from aluma.geometry.cone import Cone, guard
from aluma.geometry.kesler import Factors, Grid
from aluma.sampling.first_hit import TOGETHER
from aluma.sampling.lanes import WIDTH


@dataclass(frozen=True)
class Walls:
    """What a kernel needs of a cone.

    They are padded with copies of the first wall, which changes nothing, until there are whole
    vectors of them.

    Attributes
    ----------
    given : (t, r) the walls, in the coordinates of the chains; None for those of the factors
    margin : least distance from a wall, relative to the norm, that an end point must keep
    sampler : name of the kernel that moves chains between them
    factors : the walls without padding, as products, if they are those of several classes
    double : the same walls in float64, if these are in float32, see :meth:`single`
    """

    given: Floats | None
    margin: float
    sampler: str = "reflection"
    factors: Factors | None = None
    double: Walls | None = None

    def __post_init__(self) -> None:
        # Compiled loops read whole vectors, and would read and write past the end of others.
        if len(self) % TOGETHER:
            raise ValueError(
                f"walls come in whole numbers of {TOGETHER}, got {len(self)}: make them by "
                "Walls.of, which fills them up."
            )

    @classmethod
    def of_cone(cls, cone: Cone, sampler: str) -> Walls:
        """Prepare the walls of a cone."""
        if cone.factors is None:
            return cls.of(cone.coordinates, cone.dimension, sampler)
        return cls(None, guard(cone.dimension), sampler, cone.factors)

    @classmethod
    def of(cls, coordinates: Floats, dimension: int, sampler: str = "reflection") -> Walls:
        """Prepare walls given in the coordinates of the chains; ``dimension`` is the space's."""
        return cls(coordinates[_padded(len(coordinates))], guard(dimension), sampler)

    def single(self) -> Walls:
        """Return the same walls in float32, for kernels that can do with that.

        Their margin is twice what rounding can change a product by, however it is summed up: what
        is further from a wall is on that side of it.
        """
        assert self.given is not None
        margin = max(self.rank, 16) * float(np.finfo(np.float32).eps)
        return Walls(self.given.astype(np.float32), margin, self.sampler, double=self)

    def __len__(self) -> int:
        if self.given is not None:
            return len(self.given)
        assert self.factors is not None
        return len(_padded(len(self.factors)))

    @property
    def rank(self) -> int:
        """The number of coordinates of the chains."""
        if self.given is not None:
            return int(self.given.shape[1])
        assert self.factors is not None
        return self.factors.dimension

    @property
    def kind(self) -> Any:
        """The numbers that they and all products with them are made of."""
        return np.float64 if self.double is None else np.float32

    @cached_property
    def normals(self) -> Floats:
        """The walls themselves, (t, r)."""
        return self.some(np.arange(len(self)))

    def some(self, walls: Ints) -> Floats:
        """Return some of the walls, (n, r)."""
        if self.given is not None:
            return self.given[walls]
        assert self.factors is not None
        return self.factors.some(_padded(len(self.factors))[walls])

    @cached_property
    def gram(self) -> Floats:
        """Their products with each other, (t, t)."""
        return np.asarray(self.normals @ self.normals.T)

    @cached_property
    def pull(self) -> Floats:
        """``-2 / G_jj``, (t,)."""
        return np.asarray(self.kind(-2.0) / np.diag(self.gram))

    @cached_property
    def grid(self) -> Grid:
        """The walls of several classes by class, for kernels that make use of it."""
        assert self.factors is not None
        return Grid.of(self.factors, WIDTH)

    def products(self, points: Floats) -> Floats:
        """Return the products (n, t) of points with all walls."""
        if self.factors is None:
            return np.asarray(points.astype(self.kind, copy=False) @ self.normals.T)
        walls = len(self.factors)
        found = self.factors.products(points, -walls % TOGETHER)
        found[:, walls:] = found[:, :1]
        return found

    def combined(self, impulses: Floats) -> Floats:
        """Return sums of walls, weighted by impulses (n, t)."""
        if self.factors is None:
            return np.asarray(impulses @ self.normals)
        t = len(self.factors)
        folded = impulses[:, :t].copy()
        folded[:, 0] += impulses[:, t:].sum(axis=1)
        return self.factors.combined(folded)


def _padded(walls: int) -> Ints:
    """Return the order of walls in which the first is repeated until vectors are full."""
    return np.concatenate([np.arange(walls), np.zeros(-walls % TOGETHER, dtype=np.int64)])


class Chains(NamedTuple):
    """A block of chains: positions ``points`` (B, r) and their products ``margins`` (B, t).

    Points are in float64 always, products in float32 if the walls are.
    """

    points: Floats
    margins: Floats


class Flight(NamedTuple):
    """What happened: ``bounces`` of each chain, and where its end point was ``refused``.

    ``unclear`` is the share of trajectories that float32 could not tell the end of.
    """

    bounces: Ints
    refused: Bools
    unclear: float = 0.0


def place(points: Floats, walls: Walls) -> Chains:
    """Return chains at the given points, which must be inside."""
    return Chains(points, walls.products(points))
