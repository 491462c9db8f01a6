"""Kesler's construction: any number of classes as one cone.

K vectors ``w_1 .. w_K`` decide for the class k with the largest ``<w_k, x>``. That x is of class y
then says ``<w_y, x> > <w_k, x>`` for every other k: these are K - 1 walls ``x (e_y - e_k)^T`` of
one cone of K x d matrices (Kesler; see Duda and Hart, "Pattern classification and scene analysis",
1973, section 5.12). What is known of version spaces holds for it as it is, and with K = 2 it is
the paper's: all that matters there is the direction of ``w_2 - w_1``, uniform if both are.

What all classes have in common decides nothing. So the K columns are kept as K - 1 contrasts,
orthonormal and orthogonal to what is common.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from aluma.arrays import Floats, Ints


@lru_cache(maxsize=64)
def contrasts(classes: int) -> Floats:
    """Return (K, K - 1): the classes as corners of a simplex around the origin.

    Columns are orthonormal and orthogonal to the constant; rows differ by vectors of length
    sqrt(2).
    """
    columns = np.zeros((classes, classes - 1))
    for k in range(1, classes):
        columns[:k, k - 1] = 1.0
        columns[k, k - 1] = -k
        columns[:, k - 1] /= np.sqrt(k * (k + 1.0))
    columns.setflags(write=False)
    return columns


@dataclass(frozen=True)
class Factors:
    """The walls of t answers about K classes as products, which makes arithmetic with them cheap.

    Wall a of answer i is ``points[i] x ahead[i, a]``, of length 1: coordinate j of the point has
    the K - 1 contrasts from ``j (K - 1)`` on. Walls come in the order of answers, K - 1 of each.

    Attributes
    ----------
    points : (t, n) the answered examples, of length 1
    ahead : (t, K - 1, K - 1) the contrasts by which the class told is ahead of each other, likewise
    told : (t,) the numbers of the classes told
    missing : how many of the last answer's walls are left out
    """

    points: Floats
    ahead: Floats
    told: Ints
    missing: int = 0

    @classmethod
    def none(cls, classes: int) -> Factors:
        """Return the walls of no answers."""
        nothing = np.empty((0, classes - 1, classes - 1))
        return cls(np.empty((0, 0)), nothing, np.empty(0, dtype=np.int64))

    def with_answer(self, point: Floats, column: int) -> Factors:
        """Return the same with one more answer: a point, and the number of its class.

        The point may have more coordinates than those before.
        """
        corners = contrasts(self.ahead.shape[1] + 1)
        ahead = np.delete(corners[column] - corners, column, axis=0) / np.sqrt(2.0)
        before = np.pad(self.points, ((0, 0), (0, len(point) - self.points.shape[1])))
        unit = point / np.linalg.norm(point)
        more = np.concatenate([self.ahead, ahead[None]])
        return Factors(np.vstack([before, unit]), more, np.append(self.told, column))

    @property
    def dimension(self) -> int:
        """The number of coordinates that a wall has."""
        return int(self.points.shape[1] * self.ahead.shape[1])

    def walls(self) -> Floats:
        """Return the unit normals (t (K - 1), n (K - 1)) themselves."""
        return self.some(np.arange(len(self)))

    def some(self, walls: Ints) -> Floats:
        """Return the unit normals of some walls: all would take far more room than the factors."""
        answer, other = np.divmod(walls, self.ahead.shape[1])
        products = self.points[answer, :, None] * self.ahead[answer, other, None, :]
        return np.asarray(products.reshape(len(walls), -1))

    def widened(self, dimension: int) -> Factors:
        """Return the same walls with more coordinates, at which they do not look."""
        more = dimension // self.ahead.shape[1] - self.points.shape[1]
        return replace(self, points=np.pad(self.points, ((0, 0), (0, more))))

    def __len__(self) -> int:
        """Return the number of walls."""
        return int(self.ahead.shape[0] * self.ahead.shape[1] - self.missing)

    def first(self, walls: int) -> Factors:
        """Return the first so many walls, of the last answer perhaps not all."""
        contrast = self.ahead.shape[1]
        t = -(-walls // contrast)
        left_out = t * contrast - walls
        return Factors(self.points[:t], self.ahead[:t], self.told[:t], left_out)

    def products(self, hypotheses: Floats, room: int = 0) -> Floats:
        """Return the products (n, walls) of hypotheses with all walls.

        With ``room``, there are so many columns more, for the caller to fill.
        """
        n, (t, contrast) = len(hypotheses), self.ahead.shape[:2]
        # All hypotheses side by side: one large product is faster than many small ones.
        matrices = hypotheses.reshape(n, -1, contrast).transpose(1, 0, 2).reshape(-1, n * contrast)
        seen = (self.points @ matrices).reshape(t, n, contrast)
        found = np.empty((n, t * contrast + room))
        leads = found[:, : t * contrast].reshape(n, t, contrast).transpose(1, 0, 2)
        # Written where it belongs: a copy takes about as long.
        np.matmul(seen, self.ahead.transpose(0, 2, 1), out=leads)
        return found if not self.missing else found[:, : len(self) + room].copy()

    def combined(self, weights: Floats) -> Floats:
        """Return sums of walls with weights (n, walls), the transpose of :meth:`products`."""
        n, (t, contrast) = len(weights), self.ahead.shape[:2]
        if self.missing:
            weights = np.pad(weights, ((0, 0), (0, self.missing)))
        pushed = weights.reshape(n, t, contrast).transpose(1, 0, 2) @ self.ahead
        found = (self.points.T @ pushed.reshape(t, n * contrast)).reshape(-1, n, contrast)
        return np.asarray(found.transpose(1, 0, 2).reshape(n, -1))


@dataclass(frozen=True)
class Grid:
    """The walls of t answers about K classes as a table: a row for each class, answers as columns.

    In column j of row k stands the wall by which the class told for answer j is ahead of class k.
    Answers are sorted by the class told, so a change of one class's vector changes whole stretches.
    Each stretch is filled up with columns of no answer until it has whole vectors.

    Attributes
    ----------
    starts : (K + 1,) class k was told for the columns from ``starts[k]`` up to ``starts[k + 1]``
    alike : (c, c) products of the answered examples, in the order of the columns; 0 with no answer
    places : where in the table each wall stands, counted along its rows
    walls : (K, c) which wall stands there; -1 where there is none
    """

    starts: Ints
    alike: Floats
    places: Ints
    walls: Ints

    @classmethod
    def of(cls, factors: Factors, together: int = 1) -> Grid:
        """Return the table of some walls, with stretches of multiples of ``together``."""
        t, others = factors.ahead.shape[:2]
        counts = np.bincount(factors.told, minlength=others + 1)
        starts = np.concatenate([[0], np.cumsum(counts + -counts % together)]).astype(np.int64)
        order = np.argsort(factors.told, kind="stable")
        column = np.empty(t, dtype=np.int64)
        before = np.cumsum(counts) - counts
        column[order] = np.arange(t) + np.repeat(starts[:-1] - before, counts)
        row = np.arange(others)[None, :] + (np.arange(others)[None, :] >= factors.told[:, None])
        places = (row * starts[-1] + column[:, None]).ravel()[: len(factors)]
        walls = np.full((others + 1) * starts[-1], -1, dtype=np.int64)
        walls[places] = np.arange(len(places))
        points = np.zeros((starts[-1], factors.points.shape[1]))
        points[column] = factors.points
        return cls(starts, points @ points.T, places, walls.reshape(others + 1, -1))
