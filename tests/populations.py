"""Populations for tests, and whether they follow the law that they should."""

import numpy as np

from aluma.sampling.population import Population
from closed_forms import Floats, space, units
from evidence import same_law, seed_of


def grown(walls: Floats, size: int = 1000, seed: int | None = None) -> Population:
    """Answer one by one; seeds that are not given are moved with all others."""
    population = Population(walls.shape[1], size, seed_of(0) if seed is None else seed)
    # Unit vectors are taken as they are: dividing again may change their last bits.
    given = np.allclose(np.linalg.norm(walls, axis=1), 1.0, rtol=1e-12)
    for wall in walls if given else units(walls):
        population.add(wall)
    return population


def seen_by(points: Floats, walls: Floats) -> Floats:
    """Return functions of directions: random ones, walls and the distance from the nearest."""
    f = np.vstack([np.random.default_rng(1).standard_normal((6, walls.shape[1])), walls[-4:]])
    unit = units(points)
    return np.hstack([unit @ f.T, (unit @ units(walls).T).min(axis=1, keepdims=True)])


def differs(hypotheses: Floats, walls: Floats, seed: int, more: int = 1) -> list[float]:
    """Compare with fresh draws: p-values."""
    fresh = space(walls).sample(4096 * more, random_state=(seed + 7))
    return same_law(seen_by(hypotheses, walls), seen_by(fresh, walls))
