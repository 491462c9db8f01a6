"""How much slack some answers need: the least squared hinge loss at a margin.

Theorem 17 (lifting) assumes a bound ``H >= sum max(0, gamma - y <w, x>)^2`` for some w of the unit
ball, with examples in the unit ball. Here the least such H is computed for the answers at hand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aluma.arrays import Floats
from aluma.blas import one_thread

#: Newton steps on a piecewise quadratic function end within a few; this many mean rounding.
MOST_STEPS = 100
#: Losses up to this share of the margin are rounding.
ROUNDING = 1e-9
#: Relative accuracy of the norm of w at the boundary of the ball.
ACCURATE = 1e-6


@dataclass(frozen=True)
class SlackFit:
    """The least slack, and who needs it.

    Attributes
    ----------
    slack : H = min over the unit ball of sum max(0, gamma - y <w, x>)^2
    losses : (t,) max(0, gamma - y <w, x>) of each answer at the minimum
    """

    slack: float
    losses: Floats


@one_thread()
def smallest_slack(walls: Floats, margin: float) -> SlackFit:
    """Return the least H for which Theorem 17 covers some answers.

    The minimum over the ball is that of ``sum max(0, gamma - <w, y x>)^2 + p |w|^2`` for the
    penalty p >= 0 at which ``|w| = 1``, found by bisection; each is a piecewise quadratic problem,
    solved exactly by Newton's method.

    Parameters
    ----------
    walls : (t, d) rows ``y x``, the examples scaled into the unit ball by one common constant
    margin : gamma, above 0
    """
    if not margin > 0:
        raise ValueError(f"margin must be above 0, got {margin}: without one no slack is needed.")
    # In coordinates of the span of the answers, which is smaller while they are few.
    rows = walls
    if len(walls) < walls.shape[1]:
        rows = np.asarray(np.linalg.qr(walls.T, mode="r")).T
    w = np.zeros(rows.shape[1])
    low, high = 1e-14, 1.0
    while np.linalg.norm(w := _penalised(rows, margin, high, w)) > 1:
        high *= 10
    if np.linalg.norm(_penalised(rows, margin, low, w)) <= 1:
        high = low
    while high / low > 1 + ACCURATE:
        middle = np.sqrt(low * high)
        w = _penalised(rows, margin, middle, w)
        low, high = (middle, high) if np.linalg.norm(w) > 1 else (low, middle)
    losses = np.maximum(0.0, margin - rows @ _penalised(rows, margin, high, w))
    losses[losses <= ROUNDING * margin] = 0.0
    return SlackFit(float((losses**2).sum()), losses)


def _penalised(rows: Floats, margin: float, penalty: float, w: Floats) -> Floats:
    """Minimise the loss plus a penalty on |w|^2, from a first guess."""
    best = _objective(rows, margin, penalty, w)
    for _ in range(MOST_STEPS):
        short = rows @ w < margin
        active = rows[short]
        step = _least(active, margin, penalty) - w
        share, value = 1.0, _objective(rows, margin, penalty, w + step)
        while value > best and share > 1e-8:
            share /= 2
            value = _objective(rows, margin, penalty, w + share * step)
        if not value < best * (1 - 1e-12):
            return w
        w, best = w + share * step, value
    return w


def _least(active: Floats, margin: float, penalty: float) -> Floats:
    """Minimise the penalised loss where it is that of these rows: a quadratic problem."""
    d = active.shape[1]
    hessian = active.T @ active
    hessian.flat[:: d + 1] += penalty
    try:
        return np.asarray(np.linalg.solve(hessian, margin * active.sum(axis=0)))
    except np.linalg.LinAlgError:
        # Rows that are nearly parallel, as beside a huge constant column: squaring them leaves
        # nothing of what tells them apart, so solve without.
        stacked = np.vstack([active, np.sqrt(penalty) * np.eye(d)])
        goals = np.concatenate([np.full(len(active), margin), np.zeros(d)])
        return np.asarray(np.linalg.lstsq(stacked, goals, rcond=None)[0])


def _objective(rows: Floats, margin: float, penalty: float, w: Floats) -> float:
    losses = np.maximum(0.0, margin - rows @ w)
    return float(losses @ losses + penalty * (w @ w))
