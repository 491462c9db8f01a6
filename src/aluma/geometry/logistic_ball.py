"""Weighted logistic loss of linear functions of bounded norm: its minimum and its level sets.

``S(u) = sum(weight_i ln(1 + exp(-<u, a_i>)))`` over the ball ``|u| <= radius``, where ``a_i`` is an
example times its label. The programs over a level set are solved by a primal-dual interior-point
method (Boyd and Vandenberghe, "Convex optimization", 2004, Section 11.7). Every iterate comes with
a bound on what is missing to the optimum: the Lagrangian at any multipliers is convex, so with its
gradient r at u, no point v of the ball is better than u by more than
``-sum(multiplier_i f_i(u)) + |r| |v - u|``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import expit

from aluma.arrays import Floats
from aluma.blas import one_thread

#: The centring parameter and what a step has to improve and may be shortened by (Section 11.7.3).
CENTRING, IMPROVEMENT, SHORTENED = 10.0, 0.01, 0.5
#: A step shorter than this is rounding: nothing more can be gained.
SHORTEST = 1e-4
#: Iterations at most; about a dozen are needed.
MOST_STEPS = 100
#: What is gained beyond this share of the radius is rounding, and not worth another iteration.
CONVERGED = 1e-9
#: How far a start is drawn to the centre of the ball: an interior point gains little at a wall.
INWARDS = 0.5
#: What may be missing to the minimum of the loss, and the least penalty of the norm.
MINIMUM, LEAST = 1e-4, 1e-12


class Program(NamedTuple):
    """A convex program at a point u.

    Attributes
    ----------
    slope : gradient of the objective
    values, slopes : of the constraints ``f_i(u) <= 0``; one row of ``slopes`` each
    curvature : from multipliers to the Hessian of the Lagrangian
    """

    slope: Floats
    values: Floats
    slopes: Floats
    curvature: Callable[[Floats], Floats]


@dataclass(frozen=True)
class Loss:
    """The weighted loss of some answers.

    Attributes
    ----------
    rows : (n, d) examples times their labels, dense or as a CSR array: most of the time goes into
        Hessians, which cost the square of the entries of a row that are not 0
    weights : (n,) positive
    radius : bound on the norm of u
    """

    rows: Floats | sparse.csr_array
    weights: Floats
    radius: float

    def value(self, u: Floats) -> float:
        """Return S(u)."""
        return float(self.weights @ np.logaddexp(0.0, -(self.rows @ u)))

    @one_thread()
    def minimiser(self, start: Floats) -> Floats:
        """Return the u in the ball with the least loss, found from a point of the ball.

        It minimises ``S(u) + penalty / 2 |u|^2`` for the penalty at which it reaches the sphere, or
        for none. That penalty is the root of a function that is nearly linear in it, the
        difference of the inverse radius and the inverse norm (More and Sorensen, 1983).
        """
        u = start
        penalty = max(float(np.linalg.norm(self._expansion(u).slope)) / self.radius, LEAST)
        for _ in range(MOST_STEPS):
            u, hessian = self._penalised(u, penalty)
            size = float(np.linalg.norm(u))
            candidate = u * min(1.0, self.radius / size) if size > 0 else u
            # The penalised minimum bounds that over the ball from below.
            least = self.value(u) + penalty / 2 * (size**2 - self.radius**2)
            if self.value(candidate) - least <= MINIMUM:
                break
            bend = float(u @ _solved(hessian, u))
            change = size**2 / bend * (size - self.radius) / self.radius
            penalty = min(max(penalty + change, penalty / 100, LEAST), 100 * penalty)
        return np.asarray(candidate)

    def _penalised(self, u: Floats, penalty: float) -> tuple[Floats, Floats]:
        """Return the minimiser of the loss with a penalty, and the Hessian there."""
        for _ in range(MOST_STEPS):
            here = self._expansion(u)
            slope = here.slope + penalty * u
            hessian = _lifted(self._hessian(here.curvature), penalty)
            step = -_solved(hessian, slope)
            decrement = -float(slope @ step)
            if decrement <= MINIMUM / 10:
                break
            least, length = here.value + penalty / 2 * float(u @ u), 1.0
            while length > SHORTEST:
                tried = u + length * step
                if self.value(tried) + penalty / 2 * float(tried @ tried) < least - (
                    IMPROVEMENT * length * decrement
                ):
                    break
                length *= SHORTENED
            u = tried
        return u, hessian

    def furthest(self, x: Floats, level: float, start: Floats) -> Iterator[tuple[float, float]]:
        """Yield ever closer bounds of the largest ``<u, x>`` with ``S(u) <= level`` in the ball.

        ``start`` is a point of the ball with a loss below the level. The first of each pair is
        attained.
        """
        size = float(np.linalg.norm(x))
        if size > 0 and self.value(self.radius / size * x) <= level:
            # Nothing in the ball is further: there is no program to solve.
            yield self.radius * size, self.radius * size
            return
        room = level - self.value(start)
        # The loss is convex: on the way to 0 it can rise by no more than in proportion.
        rise = max(self.value(np.zeros_like(start)) - self.value(start), room)
        inside = (1 - INWARDS * room / rise) * start
        for u, missing in _solve(lambda v: self._along(v, x, level), inside, self.radius):
            reached = float(u @ x)
            yield reached, reached + missing

    def _along(self, u: Floats, x: Floats, level: float) -> Program:
        """Return: minimise ``-<u, x>`` in the ball where S is at most ``level``."""
        here = self._expansion(u)
        values = np.array([here.value - level, (float(u @ u) - self.radius**2) / 2])
        return Program(
            -x,
            values,
            np.stack([here.slope, u]),
            # Steps that are tried and refused need none.
            lambda multipliers: _lifted(
                self._hessian(multipliers[0] * here.curvature), float(multipliers[1])
            ),
        )

    def _expansion(self, u: Floats) -> Expansion:
        """Return S and its derivatives at u."""
        margins = self.rows @ u
        wrong = expit(-margins)
        value = float(self.weights @ np.logaddexp(0.0, -margins))
        curvature = self.weights * wrong * (1.0 - wrong)
        return Expansion(value, -(self.weights * wrong) @ self.rows, curvature)

    def _hessian(self, curvature: Floats) -> Floats:
        """Return the sum of the squares of the rows, each times its curvature."""
        rows = self.rows
        if not isinstance(rows, sparse.csr_array):
            return np.asarray((rows * curvature[:, None]).T @ rows)
        bent = rows.data * np.repeat(curvature, np.diff(rows.indptr))
        scaled = sparse.csr_array((bent, rows.indices, rows.indptr), shape=rows.shape)
        return np.asarray((rows.T @ scaled).toarray())


class Expansion(NamedTuple):
    """The loss near a point: its value and gradient, and how much each row bends it."""

    value: float
    slope: Floats
    curvature: Floats


def _lifted(hessian: Floats, multiplier: float) -> Floats:
    """Add the Hessian of the ball's constraint, in place."""
    hessian.flat[:: len(hessian) + 1] += multiplier
    return hessian


def _solved(hessian: Floats, right: Floats) -> Floats:
    """Solve with a positive definite matrix, or with one that rounding has made indefinite."""
    try:
        return np.asarray(cho_solve(cho_factor(hessian, check_finite=False), right))
    except LinAlgError:
        return np.asarray(np.linalg.solve(hessian, right))


def _solve(
    program: Callable[[Floats], Program], u: Floats, radius: float
) -> Iterator[tuple[Floats, float]]:
    """Yield points strictly inside the constraints and bounds on what is missing to the optimum.

    The slope of the objective has length 1 at most.
    """
    here = program(u)
    multipliers = -1.0 / here.values * max(float(np.linalg.norm(here.slope)), 1.0)
    for _ in range(MOST_STEPS):
        gap = -float(here.values @ multipliers)
        residual = here.slope + multipliers @ here.slopes
        missing = gap + 2 * radius * float(np.linalg.norm(residual))
        yield u, missing
        if missing <= CONVERGED * radius:
            return
        target = gap / (CENTRING * len(multipliers))
        found = _stepped(program, u, here, multipliers, target)
        if found is None:
            return
        u, here, multipliers = found


def _stepped(
    program: Callable[[Floats], Program],
    u: Floats,
    here: Program,
    multipliers: Floats,
    target: float,
) -> tuple[Floats, Program, Floats] | None:
    """Take a Newton step on the optimality conditions; None if rounding allows none."""
    hessian = here.curvature(multipliers)
    hessian += (here.slopes.T * (multipliers / -here.values)) @ here.slopes
    pull = here.slope + (target / -here.values) @ here.slopes
    step = -_solved(hessian, pull)
    turned = (target + multipliers * (here.slopes @ step)) / -here.values - multipliers
    falling = turned < 0
    length = 0.99 * min(1.0, float((-multipliers[falling] / turned[falling]).min(initial=1.0)))
    before = _off(here, multipliers, target)
    while length > SHORTEST:
        point, bent = u + length * step, multipliers + length * turned
        there = program(point)
        if (there.values < 0).all() and _off(there, bent, target) <= (
            1 - IMPROVEMENT * length
        ) * before:
            return point, there, bent
        length *= SHORTENED
    return None


def _off(here: Program, multipliers: Floats, target: float) -> float:
    """Return by how much the optimality conditions are violated."""
    dual = here.slope + multipliers @ here.slopes
    central = -multipliers * here.values - target
    return float(np.sqrt(dual @ dual + central @ central))
