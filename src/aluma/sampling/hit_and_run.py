"""Hit-and-run: the paper's kernel. Its mixing time is proven, but it is slow.

From a point of the body, draw a direction uniformly and move to a uniform point of the chord
through the body in that direction (Lovasz 1999). The body is the cone within the unit ball. The
paper runs a fixed number of steps, 1000, for every hypothesis (Section 6.2); so does :func:`draw`.
A population goes on by :data:`SWEEP` steps at a time until starts are forgotten (:func:`fly`).
"""

from __future__ import annotations

import numpy as np

from aluma.arrays import Floats
from aluma.geometry.cone import Cone, guard
from aluma.sampling.blocks import BLOCK, blocks_for, each_block
from aluma.sampling.chains import Chains, Flight, Walls
from aluma.streams import OfSeed, named, streams

#: Mixing steps of the paper's experiments.
PAPER_STEPS = 1000
#: Products with the walls are updated along with the points, and computed anew this often so that
#: rounding does not add up.
RENEW = 64
#: Steps of one move of a population: about as many as its products stay exact for.
SWEEP = RENEW


def fly(
    chains: Chains, walls: Walls, length: float, rng: np.random.Generator
) -> tuple[Chains, Flight]:
    """Move every chain by a sweep of steps; ``length`` plays no part.

    The radius is drawn afresh first, as that of a uniform point of the ball: it is independent of
    the direction. A chain that does not end clearly inside is sent back.
    """
    del length
    n, rank = chains.points.shape
    radius = rng.uniform(size=(n, 1)) ** (1.0 / rank)
    start = chains.points * (radius / np.linalg.norm(chains.points, axis=1, keepdims=True))
    ends = walk(start, walls.normals, SWEEP, rng)
    landed = ends @ walls.normals.T
    refused = ~(landed.min(axis=1) > walls.margin * np.linalg.norm(ends, axis=1))
    ends[refused], landed[refused] = chains.points[refused], chains.margins[refused]
    return Chains(ends, landed), Flight(np.full(n, SWEEP), refused)


def draw(cone: Cone, inside: Floats, n: int, steps: int | None, seed: int) -> Floats:
    """Return n draws as the paper makes them: a fixed number of steps each, from one point."""
    count = blocks_for(n)
    rngs = streams(named(seed, OfSeed.DRAW_WALK), count)
    start = np.tile(inside / 2, (BLOCK, 1))
    taken = steps or PAPER_STEPS
    walked = each_block(lambda block: walk(start, cone.walls, taken, rngs[block]), count)
    return np.concatenate(walked)[:n]


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
