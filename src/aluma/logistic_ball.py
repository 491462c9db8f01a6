"""Weighted logistic loss of linear functions of bounded norm: its minimum and its level sets.

``S(u) = sum(weight_i ln(1 + exp(-<u, a_i>)))`` over the ball ``|u| <= radius``, where ``a_i`` is an
example times its label. Both programs are convex and solved by Newton's method with a logarithmic
barrier (Boyd and Vandenberghe, "Convex optimization", 2004, Section 11.3): along the central path,
with n constraints and the objective weighted by s, the optimum is at most n / s away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from aluma.arrays import Floats
from aluma.blas import one_thread

#: A value with its gradient and Hessian; infinite outside the domain.
Expansion: TypeAlias = tuple[float, Floats, Floats]

#: Newton's method is close enough to the central path when half its squared decrement is below.
CENTRED = 1e-3
#: Steps of it at most: it needs a handful, and rounding must not make it go on for ever.
MOST_STEPS = 60
#: How fast the weight of the objective grows, and how much a step has to improve (Armijo).
GROWTH, ARMIJO = 10.0, 0.1
#: The minimum is known up to this share of the radius, in units of the loss.
MINIMUM = 1e-6
#: What the barrier's bound on the gap is multiplied with for not being exactly on the path.
SLACK = 1.25


@dataclass(frozen=True)
class Loss:
    """The weighted loss of some answers.

    Attributes
    ----------
    rows : (n, d) examples times their labels
    weights : (n,) positive
    radius : bound on the norm of u
    """

    rows: Floats
    weights: Floats
    radius: float

    def value(self, u: Floats) -> float:
        """Return S(u)."""
        return float(self.weights @ np.logaddexp(0.0, -(self.rows @ u)))

    def expansion(self, u: Floats) -> Expansion:
        """Return S(u), its gradient and its Hessian."""
        margins = self.rows @ u
        wrong = expit(-margins)
        value = float(self.weights @ np.logaddexp(0.0, -margins))
        gradient = -(self.weights * wrong) @ self.rows
        curvature = self.weights * wrong * (1.0 - wrong)
        return value, gradient, (self.rows * curvature[:, None]).T @ self.rows

    @one_thread()
    def minimiser(self, start: Floats) -> Floats:
        """Return the u in the ball with the least loss; ``start`` lies strictly inside the ball."""
        u, scale = start, 1.0 / self.radius
        while scale < 1.0 / (MINIMUM * self.radius):
            scale *= GROWTH**2
            u = _centre(u, self._above(scale))
        return u

    def _above(self, scale: float) -> Callable[[Floats], Expansion]:
        """Return ``scale * S`` with a barrier for the ball."""

        def evaluate(u: Floats) -> Expansion:
            wall = _ball(u, self.radius)
            if not np.isfinite(wall[0]):
                return wall
            value, gradient, hessian = self.expansion(u)
            return scale * value + wall[0], scale * gradient + wall[1], scale * hessian + wall[2]

        return evaluate

    def furthest(self, x: Floats, level: float, start: Floats) -> Iterator[tuple[float, float]]:
        """Yield ever closer bounds of the largest ``<u, x>`` with ``S(u) <= level`` in the ball.

        ``start`` lies strictly inside both. The first of each pair is attained.
        """
        u, scale = start, 2.0 / (self.radius * float(np.linalg.norm(x)))
        while True:
            u = _centre(u, self._along(x, level, scale))
            reached = float(u @ x)
            yield reached, reached + SLACK * 2.0 / scale
            scale *= GROWTH

    def _along(self, x: Floats, level: float, scale: float) -> Callable[[Floats], Expansion]:
        """Return ``-scale * <u, x>`` with barriers for the level and the ball."""

        def evaluate(u: Floats) -> Expansion:
            wall = _ball(u, self.radius)
            if not np.isfinite(wall[0]):
                return wall
            value, gradient, hessian = self.expansion(u)
            room = level - value
            if not room > 0:
                return np.inf, gradient, hessian
            slope = gradient / room
            return (
                -scale * float(u @ x) - float(np.log(room)) + wall[0],
                slope - scale * x + wall[1],
                hessian / room + np.outer(slope, slope) + wall[2],
            )

        return evaluate


def _ball(u: Floats, radius: float) -> Expansion:
    """Return the barrier ``-ln(radius^2 - |u|^2)``."""
    room = radius**2 - float(u @ u)
    if not room > 0:
        return np.inf, u, np.eye(len(u))
    slope = 2.0 * u / room
    return -float(np.log(room)), slope, 2.0 / room * np.eye(len(u)) + np.outer(slope, slope)


def _centre(u: Floats, evaluate: Callable[[Floats], Expansion]) -> Floats:
    """Minimise a smooth convex function with a barrier by damped Newton steps."""
    value, gradient, hessian = evaluate(u)
    for _ in range(MOST_STEPS):
        step = cho_solve(cho_factor(hessian, check_finite=False), -gradient, check_finite=False)
        decrement = -float(gradient @ step)
        if decrement / 2 <= CENTRED:
            break
        length = 1.0
        while True:
            tried = evaluate(u + length * step)
            if tried[0] <= value - ARMIJO * length * decrement:
                break
            length /= 2
            if length < 1e-9:
                return u
        u = u + length * step
        value, gradient, hessian = tried
    return u
