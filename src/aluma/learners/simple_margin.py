"""Simple margin: ask about the example closest to the max-margin separator of the answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from aluma.arrays import Bools, Floats, Ints
from aluma.blas import one_thread
from aluma.cone import Cone
from aluma.feasibility import Infeasible, interior_point
from aluma.learners.aluma import ADVICE, VersionSpaceLearner
from aluma.learners.base import Event
from aluma.pool import BLOCK_BYTES, Pool
from aluma.sampling.blocks import streams
from aluma.sampling.population import Population
from aluma.scoring import vote_shares
from aluma.version_space import Conflict, signed_units

RULES = ("svm", "vote")
#: A wall may be closer to the separator than the margin by this share of it.
EXACT = 1e-9
#: Rounding of a sum of products of unit vectors with convex weights.
ROUNDING = 1e-14
#: Products of unit vectors cancel to the square of the margin: below this margin, too few digits
#: of the separator are left.
THIN = 1e-5
#: Distances that differ by less are equal: the separator is not known better than this.
TIE = 1e-9


@dataclass(frozen=True)
class Solution:
    """Walls that touch the separator, their weights, and the unit direction they add up to."""

    support: Ints
    weights: Floats
    direction: Floats


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
    """

    walls: Floats
    gram: Floats
    solutions: tuple[Solution, ...]

    @classmethod
    def without_walls(cls, dimension: int) -> Separator:
        """Return the separator of no answers, whose direction is zero."""
        nothing = Solution(np.empty(0, dtype=np.int64), np.empty(0), np.zeros(dimension))
        return cls(np.empty((0, dimension)), np.empty((0, 0)), (nothing,))

    @property
    def direction(self) -> Floats:
        """Unit normal of the separating hyperplane; zeros without walls."""
        return self.solutions[-1].direction

    def first(self, n: int) -> Separator:
        """Return the separator as it was when there were n walls."""
        return Separator(self.walls[:n], self.gram[:n, :n], self.solutions[: n + 1])

    @one_thread()
    def with_wall(self, normal: Floats) -> Separator:
        """Return the separator of one more wall; :class:`Infeasible` if there is none."""
        products = self.walls @ normal + 1.0
        walls = np.vstack([self.walls, normal])
        gram = np.block([[self.gram, products[:, None]], [products, 1.0 + normal @ normal]])
        last = self.solutions[-1]
        found = least_combination(gram, last.support, last.weights)
        support, weights = (last.support[:0], last.weights[:0]) if found is None else found
        direction = weights @ walls[support]
        size = np.linalg.norm(direction)
        if not (walls @ direction).min() > THIN * size:
            # A contradiction, or a cone too thin for the Gram matrix: decided with more care.
            direction = interior_point(Cone.whole(len(normal)).with_walls(walls))
            size = np.linalg.norm(direction)
        solution = Solution(support, weights, np.asarray(direction / size))
        return Separator(walls, gram, (*self.solutions, solution))


class SeparatorLearner(VersionSpaceLearner):
    """A learner whose answers are kept consistent by their max-margin separator.

    The population of hypotheses is brought up to date only when it is looked at, so that a learner
    that neither asks nor predicts by it does not pay for it.
    """

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        bias: bool = False,
        kernel: Any = None,
        budget: int | None = None,
        predict_with: str,
        n_hypotheses: int = 1000,
        random_state: Any = 0,
    ) -> None:
        if predict_with not in RULES:
            raise ValueError(
                f"predict_with must be one of {', '.join(RULES)}, got {predict_with!r}."
            )
        super().__init__(
            X,
            classes=classes,
            bias=bias,
            kernel=kernel,
            budget=budget,
            n_hypotheses=n_hypotheses,
            random_state=random_state,
        )
        self.predict_with = predict_with
        self._separator = Separator.without_walls(self.pool.dimension)

    @property
    def separator(self) -> Separator:
        """The max-margin separator of the answers so far."""
        return self._separator

    @property
    def population(self) -> Population:
        """The hypotheses that agree with all answers so far."""
        for name in list(self._walls)[len(self._population.cone) :]:
            self._population.add(np.frombuffer(name))
        return self._population

    @cached_property
    def _sizes(self) -> Floats:
        return lengths(self.pool)

    def _absorb(self, index: int, sign: int) -> None:
        # Adding 0 turns -0.0 into 0.0: x with + and -x with - are one wall.
        normal = signed_units(self.pool.rows([index]), sign)[0] + 0.0
        if normal.tobytes() in self._walls:
            return
        try:
            self._separator = self._separator.with_wall(normal)
        except Infeasible as found:
            told = [*self._walls.values(), index]
            raise Conflict(tuple(told[i] for i in found.support), ADVICE) from None
        self._walls[normal.tobytes()] = index

    def _release(self, kept: Sequence[Event]) -> None:
        staying = {event.index for event in kept if event.sign}
        self._walls = {name: i for name, i in self._walls.items() if i in staying}
        self._separator = self._separator.first(len(self._walls))
        try:
            while len(self._population.cone) > len(self._walls):
                self._population.undo()
        except LookupError:
            self._population = Population(self.pool.dimension, self.n_hypotheses, self.seed)

    def _positive_shares(self, pool: Pool) -> Floats:
        if self.predict_with == "vote":
            return vote_shares(pool, self.population.hypotheses())
        sizes = self._sizes if pool is self.pool else lengths(pool)
        return sides(pool, self._separator.direction, sizes)


class SimpleMargin(SeparatorLearner):
    """The first heuristic of Tong and Koller [1]_, called TK in the paper.

    The max-margin separator is the centre of the largest ball in the version space, if examples
    have unit length; an example close to it is hoped to cut the version space in halves.

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.base.Learner`.
    kernel : str, callable, dict or None
        See :class:`aluma.learners.hypotheses.VersionSpaceLearner`.
    predict_with : {"svm", "vote"}
        Label by the side of the separator (shares are then 0 or 1), or by the majority vote of
        ``n_hypotheses`` drawn from the version space, as in the paper's experiments.
    n_hypotheses : int
        Size of the population for the vote; not used, and not paid for, with "svm".

    Notes
    -----
    Where the sources leave a choice:

    - The source assumes examples of one length. Here every example is scaled to length 1, for the
      separator and for the distance ``|<w, x>| / |x|``, which is the distance of w to the
      hyperplane in the version space that the example stands for. So row scale does not matter.
    - The margin is hard and the halfspaces are homogeneous. ``bias=True`` is the constant feature
      that it is for every learner, so the intercept counts towards the norm that is minimised.
    - With answers of one class only, the separator is still defined by them: no halfspace through
      the origin of largest margin needs the other class.
    - The first question is random, by the seed (the source's experiments start from one labelled
      example of each class, the paper does not say). It is the same as that of
      :class:`aluma.learners.passive.Passive`.
    - Ties go to the lowest index; ``ask(n)`` gives the n closest.

    References
    ----------
    .. [1] S. Tong and D. Koller, "Support vector machine active learning with applications to text
       classification", Journal of Machine Learning Research 2, 2001.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [0.1, 1.0], [-2.0, 3.0]])
    >>> learner = SimpleMargin(X, classes=("no", "yes"))
    >>> learner.tell(0, "yes")
    >>> learner.ask()
    2
    """

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        bias: bool = False,
        kernel: Any = None,
        budget: int | None = None,
        predict_with: str = "svm",
        n_hypotheses: int = 1000,
        random_state: Any = 0,
    ) -> None:
        super().__init__(
            X,
            classes=classes,
            bias=bias,
            kernel=kernel,
            budget=budget,
            predict_with=predict_with,
            n_hypotheses=n_hypotheses,
            random_state=random_state,
        )

    def _choose(self, eligible: Bools) -> int:
        return int(self._choose_batch(eligible, 1)[0])

    def _choose_batch(self, eligible: Bools, n: int) -> Ints:
        if not self._walls:
            order = random_order(self.seed, len(self.pool))
            return np.asarray(order[eligible[order]][:n])
        rows = np.flatnonzero(eligible)
        direction, sizes = self._separator.direction, self._sizes[rows]
        return closest(self.pool, direction, rows, sizes, n)


def random_order(seed: int, m: int) -> Ints:
    """Return the order of m examples that a seed stands for."""
    return streams((seed, 101), 1)[0].permutation(m)


def lengths(pool: Pool) -> Floats:
    """Return the norm of every example."""
    out = np.empty(len(pool))
    for part, rows in pool.blocks():
        out[part] = np.linalg.norm(rows, axis=1)
    return out


@one_thread()
def closest(pool: Pool, direction: Floats, rows: Ints, sizes: Floats, n: int) -> Ints:
    """Return the n examples of ``rows`` with the least ``|<direction, x>| / |x|``, closest first.

    All are scored in float32, and those that its rounding could have put in the wrong place once
    more in float64, as many as fit in a block. Ties go to the lowest index.
    """
    distance = np.abs(pool.margins(direction[None, :])[rows, 0]) / sizes
    limit = np.partition(distance, n - 1)[n - 1] + 2 * _single_noise(pool)
    near = np.flatnonzero(distance <= limit)
    near = near[np.argsort(distance[near], kind="stable")][: max(n, _rows_a_block(pool))]
    near.sort()
    exact = np.abs(_exact_distances(pool, direction, rows[near]))
    by_distance = np.argsort(exact, kind="stable")
    level = np.concatenate([[0], np.cumsum(np.diff(exact[by_distance]) > TIE)])
    return np.asarray(rows[near[by_distance[np.lexsort((by_distance, level))]]][:n])


@one_thread()
def sides(pool: Pool, direction: Floats, sizes: Floats) -> Floats:
    """Return 1 for examples in front of a hyperplane, 0 behind it and 1/2 on it."""
    distance = pool.margins(direction[None, :])[:, 0] / np.where(sizes > 0, sizes, 1.0)
    # A product that is exactly zero needs no second look, and a sparse pool has many.
    doubtful = np.flatnonzero((distance != 0) & (np.abs(distance) <= _single_noise(pool)))
    exact = _exact_distances(pool, direction, doubtful)
    distance[doubtful] = np.where(np.abs(exact) <= TIE, 0.0, exact)
    return np.asarray((np.sign(distance) + 1) / 2, dtype=np.float64)


def least_combination(gram: Floats, support: Ints, weights: Floats) -> tuple[Ints, Floats] | None:
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
        found = _pivot(gram, np.append(support, worst), np.append(weights, 0.0))
        if found is None or worst not in found[0]:
            return None
        support, weights = found
    return None


def _pivot(gram: Floats, support: Ints, weights: Floats) -> tuple[Ints, Floats] | None:
    """Move towards the solution on a support, which loses the weights that reach zero on the way.

    Every stop has a smaller objective than the one before, so no support comes back.
    """
    while True:
        try:
            factor = cho_factor(gram[np.ix_(support, support)], lower=True, check_finite=False)
        except LinAlgError:
            return None
        target = cho_solve(factor, np.ones(len(support)), check_finite=False)
        falling = target <= 0
        if not falling.any():
            return support, np.asarray(target)
        share = weights[falling] / (weights[falling] - target[falling])
        weights = weights + share.min() * (target - weights)
        staying = ~falling | (weights > ROUNDING)
        # Whatever rounding says: with one wall less each time, this ends.
        staying[np.flatnonzero(falling)[share.argmin()]] = False
        support, weights = support[staying], weights[staying]


def _exact_distances(pool: Pool, direction: Floats, rows: Ints) -> Floats:
    """Return ``<direction, x> / |x|`` in float64."""
    out = np.empty(len(rows))
    for part in _parts(len(rows), _rows_a_block(pool)):
        block = pool.rows(rows[part])
        out[part] = block @ direction / np.linalg.norm(block, axis=1)
    return out


def _parts(n: int, step: int) -> Iterator[slice]:
    return (slice(start, start + step) for start in range(0, n, step))


def _rows_a_block(pool: Pool) -> int:
    return max(1, BLOCK_BYTES // (8 * pool.dimension))


def _single_noise(pool: Pool) -> float:
    """Return how far float32 may move the product of unit vectors; errors add up like a walk."""
    return 4.0 * float(np.sqrt(pool.dimension)) * float(np.finfo(np.float32).eps)
