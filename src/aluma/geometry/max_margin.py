"""The halfspace of largest margin, kept while walls are added, and what it can decide.

The direction of largest margin is the least vector in the convex hull of the walls, a non-negative
least squares problem in their Gram matrix alone. After one more wall most of its support stays, so
the active set method goes on from the support before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from aluma.arrays import Floats, Ints
from aluma.blas import one_thread
from aluma.geometry.cone import Cone, guard
from aluma.geometry.feasibility import (
    Infeasible,
    interior_point,
    least_combination_of,
    tolerance,
)

#: A wall may be closer to the separator than the margin by this share of it.
EXACT = 1e-9
#: Rounding of a sum of products of unit vectors with convex weights.
ROUNDING = 1e-14
#: Products of unit vectors cancel to the square of the margin: below this margin, too few digits
#: of the separator are left.
THIN = 1e-5
#: Rounds in which a few contradicting walls are looked for, and walls taken in by each.
MOST_ROUNDS, TAKEN_IN = 30, 4
#: Walls that a Gram matrix has room for at first.
LEAST_ROOM = 16


@dataclass(frozen=True)
class Solution:
    """Walls that touch the separator, their weights, and the unit direction they add up to."""

    support: Ints
    weights: Floats
    direction: Floats


class Room:
    """A matrix with more rows and columns than are in use, for Gram matrices to grow in.

    A copy for every answer, or every question whether one is possible, would take longer than all
    the rest once there are thousands. Whoever adds the n-th row first may have it; another branch
    of the same beginning moves to a room of its own, so that what separators see never changes.
    """

    def __init__(self, matrix: Floats) -> None:
        self.matrix = matrix
        self._taken: dict[int, object] = {}

    def grown(self, gram: Floats, edge: Floats) -> tuple[Floats, Room]:
        """Return a Gram matrix in this room with one more row and column, and its room."""
        n, mine = len(gram), object()
        room: Room = self
        # One step, so that of two threads only one gets the row.
        if n >= len(self.matrix) or self._taken.setdefault(n, mine) is not mine:
            size = max(LEAST_ROOM, n + n // 2)
            room = Room(np.empty((size, size)))
            room.matrix[:n, :n] = gram
            room._taken[n] = mine
        room.matrix[n, : n + 1] = room.matrix[: n + 1, n] = edge
        return room.matrix[: n + 1, : n + 1], room


@dataclass(frozen=True)
class Bordered:
    """A Gram matrix with one more wall, whose rows are put together when they are needed."""

    gram: Floats
    edge: Floats

    def __len__(self) -> int:
        return len(self.edge)

    def __getitem__(self, rows: Ints) -> Floats:
        """Return some rows."""
        n = len(self.gram)
        found = np.empty((len(rows), n + 1))
        before = rows < n
        found[before, :n] = self.gram[rows[before]]
        found[:, n] = self.edge[rows]
        found[~before] = self.edge
        return found


@dataclass(frozen=True)
class Separator:
    """The max-margin direction of some walls and of each beginning of them; never changed.

    It is the least vector in the convex hull of the walls, so its weights minimise
    ``|walls.T @ u|^2 + (sum(u) - 1)^2`` over u >= 0 up to scale, a non-negative least squares
    problem in ``gram`` alone. The active set method of Lawson and Hanson solves it exactly; it
    starts from the support before the last answer, of which most stays.

    Attributes
    ----------
    walls : (t, d) unit normals
    gram : (t, t) products of the walls, plus 1
    solutions : one for each number of walls from 0 to t
    room : what ``gram`` is the beginning of
    """

    walls: Floats
    gram: Floats
    solutions: tuple[Solution, ...]
    room: Room

    @classmethod
    def without_walls(cls, dimension: int) -> Separator:
        """Return the separator of no answers, whose direction is zero."""
        nothing = Solution(np.empty(0, dtype=np.int64), np.empty(0), np.zeros(dimension))
        room = Room(np.empty((0, 0)))
        return cls(np.empty((0, dimension)), room.matrix, (nothing,), room)

    @property
    def direction(self) -> Floats:
        """Unit normal of the separating hyperplane; zeros without walls."""
        return self.solutions[-1].direction

    def first(self, n: int) -> Separator:
        """Return the separator as it was when there were n walls."""
        return Separator(self.walls[:n], self.gram[:n, :n], self.solutions[: n + 1], self.room)

    @one_thread()
    def with_wall(self, normal: Floats) -> Separator:
        """Return the separator of one more wall; :class:`Infeasible` if there is none."""
        walls, edge, solution = self._with(normal)
        gram, room = self.room.grown(self.gram, edge)
        return Separator(walls, gram, (*self.solutions, solution), room)

    @one_thread()
    def other_side(self, x: Floats) -> Floats | None:
        """Return a direction inside all walls with ``<w, x> < 0``; None if provably there is none.

        Raises :class:`aluma.errors.Undecided` when neither can be verified in float64.
        """
        unit = x / np.linalg.norm(x)
        if self.direction @ unit < -guard(len(unit)):
            return self.direction
        if self._few_contradict(-unit):
            return None
        try:
            return self._with(-unit)[2].direction
        except Infeasible:
            return None

    def _few_contradict(self, normal: Floats) -> bool:
        """Say whether a few walls are found that contradict one more; if not, others still may.

        Begins with the walls that touch the separator and takes in those that its best direction
        is behind of. Of thousands of walls, a few dozen show most contradictions.
        """
        chosen, limit = self.solutions[-1].support, tolerance(len(normal))
        for _ in range(MOST_ROUNDS):
            few = np.vstack([self.walls[chosen], normal])
            point = least_combination_of(few) @ few
            if np.linalg.norm(point) <= limit:
                return True
            products = self.walls @ point
            behind = np.argsort(products)[:TAKEN_IN]
            behind = np.setdiff1d(behind[products[behind] <= 0], chosen)
            if len(behind) == 0:
                return False
            chosen = np.append(chosen, behind)
        return False

    def _with(self, normal: Floats) -> tuple[Floats, Floats, Solution]:
        """Return the walls, the last row of the Gram matrix and the solution with one more wall."""
        walls = np.vstack([self.walls, normal])
        edge = np.append(self.walls @ normal, float(normal @ normal)) + 1.0
        return walls, edge, self._solved(walls, Bordered(self.gram, edge))

    def _solved(self, walls: Floats, gram: Bordered) -> Solution:
        """Return the solution for all walls, starting from that of all but the last."""
        last = self.solutions[-1]
        found = least_combination(gram, last.support, last.weights)
        support, weights = (last.support[:0], last.weights[:0]) if found is None else found
        direction = weights @ walls[support]
        size = np.linalg.norm(direction)
        if not (walls @ direction).min() > THIN * size:
            # A contradiction, or a cone too thin for the Gram matrix: decided with more care.
            direction = interior_point(Cone.whole(walls.shape[1]).with_walls(walls))
            size = np.linalg.norm(direction)
        return Solution(support, weights, np.asarray(direction / size))


def least_combination(
    gram: Floats | Bordered, support: Ints, weights: Floats
) -> tuple[Ints, Floats] | None:
    """Solve ``gram u = 1`` on the support of u, with ``gram u >= 1`` and u >= 0 elsewhere.

    Starts from a support whose weights solve it there; None if rounding is in the way.
    """
    for _ in range(3 * len(gram)):
        missing = 1.0 - weights @ gram[support]
        missing[support] = -np.inf
        worst = int(missing.argmax())
        # At the solution, 1 - sum(u) is the squared margin (times the sum).
        if missing[worst] <= ROUNDING + EXACT * (1.0 - weights.sum()):
            return support, weights
        entering = np.append(support, worst)
        found = _pivot(gram[entering][:, entering], entering, np.append(weights, 0.0))
        if found is None or worst not in found[0]:
            return None
        support, weights = found
    return None


def _pivot(square: Floats, support: Ints, weights: Floats) -> tuple[Ints, Floats] | None:
    """Move towards the solution on a support, which loses the weights that reach zero on the way.

    ``square`` is the Gram matrix of the support. Every stop has a smaller objective than the one
    before, so no support comes back.
    """
    while True:
        # As cho_factor and cho_solve do, which take longer to call than to compute.
        factor, failed = dpotrf(square, lower=1, clean=0)
        if failed:
            return None
        target, _ = dpotrs(factor, np.ones(len(support)), lower=1)
        falling = target <= 0
        if not falling.any():
            return support, np.asarray(target)
        share = weights[falling] / (weights[falling] - target[falling])
        weights = weights + share.min() * (target - weights)
        staying = ~falling | (weights > ROUNDING)
        # Whatever rounding says: with one wall less each time, this ends.
        staying[np.flatnonzero(falling)[share.argmin()]] = False
        support, weights = support[staying], weights[staying]
        square = square[np.ix_(staying, staying)]
