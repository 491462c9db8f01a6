"""Populations for tests, and whether they follow the law that they should."""

import numpy as np
from scipy.stats import ks_2samp

from aluma.sampling.population import Population
from closed_forms import Floats, adjusted, space, units


def grown(walls: Floats, size: int = 1000, seed: int = 0) -> Population:
    population = Population(walls.shape[1], size, seed)
    for wall in units(walls):
        population.add(wall)
    return population


def differs(hypotheses: Floats, walls: Floats) -> float:
    """Compare with fresh draws, on random functions, walls and the nearest wall."""
    rng = np.random.default_rng(1)
    ours, theirs = units(hypotheses), units(space(walls).sample(4096, random_state=7))
    f = np.vstack([rng.standard_normal((6, walls.shape[1])), walls[-4:]]).T
    pairs = [*zip((ours @ f).T, (theirs @ f).T, strict=True)]
    pairs.append(((ours @ walls.T).min(axis=1), (theirs @ walls.T).min(axis=1)))
    return adjusted([ks_2samp(a, b).pvalue for a, b in pairs])
