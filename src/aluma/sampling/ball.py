"""From chains to hypotheses: the constrained part from the chains, the rest drawn afresh.

Chains move in the span of the walls. In the directions that no wall constrains a Gaussian on the
cone is free, so a hypothesis is a chain's direction with a radius of its own, plus Gaussian noise
orthogonal to the span.
"""

from __future__ import annotations

import numpy as np

from aluma.arrays import Floats, Singles
from aluma.cone import Cone, guard
from aluma.sampling.blocks import BLOCK, each_block, streams
from aluma.sampling.pace import directions


def to_ball(cone: Cone, points: Floats, key: tuple[int, ...]) -> Floats:
    """Return points of the chains as hypotheses, uniform in the cone within the unit ball."""
    rngs = streams(key, len(points) // BLOCK)

    def lift(block: int) -> Floats:
        rng = rngs[block]
        span, noise = _parts(cone, points, block, rng)
        if noise is None:
            whole = span @ cone.basis.T
        else:
            whole = noise.astype(np.float64)
            inner = whole @ cone.basis
            free = np.sqrt(np.maximum((whole**2).sum(axis=1) - (inner**2).sum(axis=1), 0.0))
            kept = _room(cone, span, free[:, None])
            whole *= kept
            whole += (span - kept * inner) @ cone.basis.T
        radius = rng.uniform(size=(BLOCK, 1)) ** (1.0 / cone.dimension)
        return np.asarray(directions(whole) * radius)

    return np.concatenate(each_block(lift, len(rngs)))


def to_votes(cone: Cone, points: Floats, key: tuple[int, ...]) -> Singles:
    """Return the same hypotheses up to rounding and length, in float32, for votes on examples.

    Half the time of :func:`to_ball`. Nothing is promised about the answers so far: a hypothesis
    that is closer to a wall than float32 can tell may be on either side.
    """
    rngs = streams(key, len(points) // BLOCK)
    basis = cone.basis.astype(np.float32)

    def lift(block: int) -> Singles:
        span, noise = _parts(cone, points, block, rngs[block])
        within = span.astype(np.float32)
        if noise is None:
            return np.asarray(within @ basis.T)
        noise += (within - noise @ basis) @ basis.T
        return noise

    return np.concatenate(each_block(lift, len(rngs)))


def _parts(
    cone: Cone, points: Floats, block: int, rng: np.random.Generator
) -> tuple[Floats, Singles | None]:
    """Return a block's Gaussian part in the span of the walls, and noise if that is not all."""
    within = points[block * BLOCK : (block + 1) * BLOCK]
    if cone.rank:
        within = directions(within) * np.sqrt(rng.chisquare(cone.rank, (BLOCK, 1)))
    if cone.rank == cone.dimension:
        return within, None
    return within, rng.standard_normal((BLOCK, cone.dimension), dtype=np.float32)


def _room(cone: Cone, span: Floats, free: Floats) -> Floats:
    """Return the share of the free part, of the given norms, that points in the span can carry.

    Rounding grows with the free part. For a point that is barely in front of a wall it is
    shortened, so that every order of summation still sees the point there.
    """
    if cone.rank == 0:
        return np.ones_like(free)
    clearance = (span @ cone.coordinates.T).min(axis=1, keepdims=True) / guard(cone.dimension)
    room = np.sqrt(np.maximum(clearance**2 - (span**2).sum(axis=1, keepdims=True), 0.0))
    with np.errstate(divide="ignore"):
        return np.asarray(np.minimum(1.0, room / free))
