"""Algorithm 1's choice of a question: by volumes, each known up to a constant factor.

The algorithm estimates the volumes of both sides of every example, each with VolEst at epsilon =
1/3, and asks where the product is largest; that is 4-approximately greedy (Lemma 13).
Taken literally it draws afresh for each of 2m estimates. What its proof needs is cheaper: all
estimates of a round may share their draws, for the union bound needs no independence; the volume
of the version space is a common factor and cancels; and an example that cannot win needs no
refinement.

So hypotheses are drawn until the best example has ``L = 36 ln(2 / delta_j)`` votes for its less
likely label, where delta_j = delta' / 2^j in the j-th doubling and delta' is what VolEst may fail
with. Let p0 = 27 ln(2 / delta_j) / N. By Chernoff's bound, except with probability delta_j for
each example,

- a share p >= p0 is estimated within a factor in (2/3, 4/3), as VolEst promises, and so is 1 - p;
- a share p < p0 gets fewer than L votes, and one of at least 2 p0 gets at least L.

Hence the chosen example has p >= p0. Against others with at least L votes, the paper's proof
applies. One with fewer has a less likely label of share below 2 p0, so its product is at most ``2
p0 <= 4 p (1 - p)``. Both ways the choice is 4-approximately greedy.

Where a label is too rare to be seen at all, volumes are estimated one by one as the algorithm
says (:mod:`aluma.sampling.volume`), for the examples whose label is not proven.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aluma import scoring
from aluma.arrays import Floats, Ints
from aluma.geometry.feasibility import is_settled
from aluma.pool import Pool
from aluma.sampling.population import Population
from aluma.sampling.volume import log_volume
from aluma.streams import OfState, seed

#: Accuracy of VolEst in Algorithm 1.
EPSILON = 1 / 3
#: Draws in one round before volumes are estimated one by one.
MOST_DRAWS = 1 << 19


class VolumeChoice(NamedTuple):
    """The example to ask about, and the hypotheses drawn to find it.

    ``example`` is None when every label is proven: then one side of every example has no volume.
    """

    example: int | None
    draws: int


def choose_by_volume(pool: Pool, population: Population, rows: Ints, delta: float) -> VolumeChoice:
    """Return the row whose sides' volumes have, up to a factor 4, the largest product.

    Parameters
    ----------
    pool, population : the examples, and hypotheses uniform on the version space
    rows : the examples that may be asked about
    delta : what one VolEst may fail with: delta / (4 m T) in Algorithm 1
    """
    positives = np.zeros(len(rows))
    draws, target, doubling = 0, population.size, 1
    while draws < MOST_DRAWS:
        while draws < target:
            shares = scoring.vote_shares(pool, population.independent(draws), rows)
            positives += np.rint(shares * population.size)
            draws += population.size
        minority = np.minimum(positives, draws - positives)
        if minority.max() >= 36 * np.log(2 * 2.0**doubling / delta):
            return VolumeChoice(int(rows[minority.argmax()]), draws)
        target, doubling = 2 * target, doubling + 1
    products = _products(pool, population, rows, minority, delta)
    best = int(products.argmax())
    return VolumeChoice(int(rows[best]) if np.isfinite(products[best]) else None, draws)


def _products(
    pool: Pool, population: Population, rows: Ints, minority: Floats, delta: float
) -> Floats:
    """Return ln of the product of both sides' volumes, -inf where a label is proven."""
    cone = population.cone
    inside = population.hypotheses().mean(axis=0)
    inside /= np.linalg.norm(inside)
    products = np.full(len(rows), -np.inf)
    for position, row in enumerate(rows):
        x = pool.rows([row])[0]
        x /= np.linalg.norm(x)
        possible = minority[position] > 0 or not any(
            is_settled(cone, sign * x, inside) for sign in (1, -1)
        )
        if possible:
            products[position] = sum(
                log_volume(
                    cone.with_walls(sign * x[None, :]),
                    EPSILON,
                    delta,
                    # Another for every state: which cones come was chosen by earlier estimates, and
                    # the promise of VolEst is for a cone that was there before its draws.
                    seed(population.state.key, OfState.VOLUME, int(row), side),
                ).log_volume
                for side, sign in enumerate((1, -1))
            )
    return products
