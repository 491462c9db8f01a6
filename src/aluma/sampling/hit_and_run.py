"""Hit-and-run: the paper's kernel, with a proof of its mixing time and little else for it.

From a point of the body, draw a direction uniformly and move to a uniform point of the chord
through the body in that direction (Lovasz 1999). The body is the cone within the unit ball. The
paper runs a fixed number of steps, 1000, for every hypothesis (Section 6.2); so does this.
"""

from __future__ import annotations

import numpy as np

from aluma.arrays import Floats
from aluma.geometry.cone import guard

#: Mixing steps of the paper's experiments.
PAPER_STEPS = 1000
#: Products with the walls are updated along with the points, and computed anew this often so that
#: rounding does not add up.
RENEW = 64


def walk(points: Floats, walls: Floats, steps: int, rng: np.random.Generator) -> Floats:
    """Move every row of ``points``, inside the cone and the ball, by a number of steps.

    Leaves the uniform law on ``{w : walls @ w > 0, |w| <= 1}`` invariant.
    """
    points = points.copy()
    margins = points @ walls.T
    for step in range(steps):
        if step % RENEW == 0:
            margins = points @ walls.T
        directions = rng.standard_normal(points.shape)
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        slopes = directions @ walls.T
        low, high = _chord(points, directions, margins, slopes)
        at = rng.uniform(low, high)[:, None]
        points += at * directions
        margins += at * slopes
    return points


def _chord(
    points: Floats, directions: Floats, margins: Floats, slopes: Floats
) -> tuple[Floats, Floats]:
    """Return how far each line may run backwards and forwards within all walls and the ball."""
    along = np.einsum("ij,ij->i", points, directions)
    inside = 1.0 - np.einsum("ij,ij->i", points, points)
    half = np.sqrt(np.maximum(along**2 + inside, 0.0))
    # Staying clear of a wall by the guard keeps every end point on its right side in float64.
    room = np.maximum(margins - guard(points.shape[1]), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = -room / slopes
    low = np.where(slopes > 0, reach, -np.inf).max(axis=1, initial=-np.inf)
    high = np.where(slopes < 0, reach, np.inf).min(axis=1, initial=np.inf)
    return np.maximum(low, -along - half), np.minimum(high, -along + half)
