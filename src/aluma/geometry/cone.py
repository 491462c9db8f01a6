"""The cone of halfspaces that agree with some answers, and coordinates in which it is cheap.

An answer ``y`` about an example ``x`` is the wall ``{w : y <w, x> = 0}``: what agrees lies on its
positive side. Only directions matter, so walls are kept as unit normals ``a = y x / |x|`` and the
version space is ``{w : A w > 0}`` within the unit ball (Section 3 of the paper).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aluma.arrays import Bools, Floats
from aluma.geometry.kesler import Factors

#: Rounding an inner product of unit vectors of length d moves it by at most about d * eps. Whatever
#: has to be on one side of a wall is kept this many such units away from it, so that every order
#: of summation, on every machine, sees the same sign.
GUARD_UNITS = 4.0


def guard(dimension: int) -> float:
    """Return the distance to a wall below which float64 cannot tell its sides apart."""
    return GUARD_UNITS * max(dimension, 16) * float(np.finfo(np.float64).eps)


def clearly_inside(products: Floats, sizes: Floats, dimension: int) -> Bools:
    """Say which points are in front of walls, given products (n, t) or (n,) and norms (n,)."""
    in_front = guard(dimension) * sizes < products.T
    return np.asarray(in_front if products.ndim == 1 else in_front.all(axis=0))


@dataclass(frozen=True)
class Cone:
    """The open cone ``{w : walls @ w > 0}`` in coordinates of the span of its walls.

    With t walls in dimension d, only ``r = min(t, d)`` directions are constrained; a Gaussian on
    the cone is free in the others. So chains run in ``r`` dimensions on ``coordinates``, where
    ``walls = coordinates @ basis.T``, and the free part is drawn afresh for every hypothesis.

    The walls of several classes are made when they are wanted, from their factors: they have as
    many coordinates as there are walls, so all of them would take more room than all else.

    Attributes
    ----------
    given : the walls, or None for those of the factors
    given_basis, given_coordinates : or None where the basis is that of the space itself
    factors : the walls as products, if they are those of several classes
    """

    given: Floats | None
    given_basis: Floats | None = None
    given_coordinates: Floats | None = None
    factors: Factors | None = None

    @classmethod
    def whole(cls, dimension: int) -> Cone:
        """Return the cone without walls: every halfspace."""
        return cls(np.empty((0, dimension)), np.empty((dimension, 0)), np.empty((0, 0)))

    @property
    def walls(self) -> Floats:
        """(t, d) unit normals; a hypothesis agrees when every product is positive."""
        if self.given is not None:
            return self.given
        assert self.factors is not None
        return self.factors.walls()

    @property
    def basis(self) -> Floats:
        """(d, r) orthonormal columns whose span contains the walls."""
        return np.eye(self.dimension) if self.given_basis is None else self.given_basis

    @property
    def coordinates(self) -> Floats:
        """(t, r) the walls in that basis."""
        return self.walls if self.given_coordinates is None else self.given_coordinates

    @property
    def dimension(self) -> int:
        """Dimension d of the space of hypotheses."""
        if self.given is not None:
            return int(self.given.shape[1])
        assert self.factors is not None
        return self.factors.dimension

    @property
    def rank(self) -> int:
        """Number r of coordinates in which the chains move."""
        return self.dimension if self.given_basis is None else int(self.given_basis.shape[1])

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        held = [self.given, self.given_basis, self.given_coordinates]
        if self.given is None and self.factors is not None:
            held += [self.factors.points, self.factors.ahead]
        return sum(array.nbytes for array in held if array is not None)

    def __len__(self) -> int:
        if self.given is not None:
            return len(self.given)
        assert self.factors is not None
        return len(self.factors)

    def written(self) -> Cone:
        """Return the same with all arrays made, for who looks at them again and again."""
        if self.given is not None and self.given_basis is not None:
            return self
        walls = self.walls
        return Cone(walls, self.basis, walls)

    def after(self, walls: int) -> Floats:
        """Return the coordinates of all walls but the first so many."""
        if self.given is None and self.factors is not None:
            return self.factors.some(np.arange(walls, len(self)))
        return self.coordinates[walls:]

    def widened(self, dimension: int) -> Cone:
        """Return the cone in a space with more coordinates, which none of its walls looks at."""
        more = dimension - self.dimension
        if more == 0:
            return self
        walls = np.pad(self.walls, ((0, 0), (0, more)))
        return Cone(walls, np.pad(self.basis, ((0, more), (0, 0))), self.coordinates)

    def completed(self, dimension: int) -> Cone:
        """Return a cone whose basis is that of the space, in a space with more coordinates."""
        if self.rank != self.dimension:
            raise ValueError(f"the basis spans {self.rank} of {self.dimension} dimensions only.")
        if self.factors is not None:
            return self.factored(self.factors.widened(dimension))
        return Cone(np.pad(self.walls, ((0, 0), (0, dimension - self.dimension))))

    def factored(self, factors: Factors) -> Cone:
        """Return the cone with these walls, of which those there are come first."""
        return Cone(None, factors=factors)

    def first(self, walls: int) -> Cone:
        """Return the cone of the first so many walls."""
        if self.factors is not None:
            return self.factored(self.factors.first(walls))
        seen = None if self.given_coordinates is None else self.given_coordinates[:walls]
        return Cone(self.walls[:walls], self.given_basis, seen)

    def with_walls(self, normals: Floats) -> Cone:
        """Return the cone cut by more walls; ``normals`` are unit rows.

        The basis only grows, so the coordinates of earlier walls and hypotheses stay as they were.
        """
        if self.given_basis is None:
            return Cone(np.vstack([self.walls, normals]))
        fresh = self._fresh_directions(normals)
        basis = np.hstack([self.basis, fresh])
        walls = np.vstack([self.walls, normals])
        coordinates = np.zeros((len(walls), basis.shape[1]))
        coordinates[: len(self), : self.rank] = self.coordinates
        coordinates[len(self) :] = normals @ basis
        return Cone(walls, basis, coordinates)

    def _fresh_directions(self, normals: Floats) -> Floats:
        """Return orthonormal columns that complete the basis to span ``normals`` too."""
        room = self.dimension - self.rank
        if room == 0:
            return np.empty((self.dimension, 0))
        if self.rank == 0 and len(normals) >= self.dimension:
            return np.eye(self.dimension)
        if len(normals) == 1:
            return self._orthogonal_part(normals[0])
        # Householder: the columns behind the basis are orthonormal to it even where normals repeat.
        full, _ = np.linalg.qr(np.hstack([self.basis, normals.T]))
        return np.asarray(full[:, self.rank : self.rank + min(len(normals), room)])

    def _orthogonal_part(self, normal: Floats) -> Floats:
        """Gram-Schmidt for one wall: a column, or none where the basis spans it already."""
        rest = normal - self.basis @ (self.basis.T @ normal)
        size = np.linalg.norm(rest)
        if size <= guard(self.dimension):
            return np.empty((self.dimension, 0))
        # Once more: what is left can be small, and cancellation tilts it towards the basis.
        rest /= size
        rest -= self.basis @ (self.basis.T @ rest)
        return np.asarray(rest[:, None] / np.linalg.norm(rest))
