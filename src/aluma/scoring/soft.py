"""Which example splits lifted hypotheses best: votes that are probabilities.

Given its halfspace w, a lifted hypothesis votes + on an unanswered example with probability
Phi(<w, x>) (:mod:`aluma.representation.own`): the coordinate that the example has to itself is
integrated out. The split of an example is then ``p (1 - p)`` for the mean p of these probabilities,
and what an answer is expected to leave is the same sum as for votes of 0 and 1, because examples
are independent given w.

Of four ways to choose on noisy spheres (d=25; the split in the lifted space, the split by
halfspaces alone, mutual information, least expected disagreement of the most even), none was ahead
of all others by more than two standard errors (five seeds); the first is the paper's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from aluma.arrays import Bools, Floats, Ints, Singles
from aluma.pool import Pool
from aluma.scoring.choice import CANDIDATES, JURY, WITNESSES, Choice, expected_disagreement
from aluma.scoring.votes import askable

#: Halfspaces that all examples are looked at with. A share near 1/2 is then off by about 0.04, and
#: the split, which is flat there, by 1 in 100: less than alpha allows for.
SURVEY = 128
#: Examples that look even enough there, scored with all halfspaces: the most even ones, which set
#: the bar, and a random choice of those within alpha.
TOP, FINALISTS = 32, 256


def choose_soft(
    pool: Pool,
    halfspaces: npt.NDArray[Any],
    eligible: Bools,
    rng: np.random.Generator,
    *,
    alpha: float = 1.05,
) -> Choice:
    """Return the example to ask about next, as :func:`aluma.scoring.choose` does for plain votes.

    Parameters
    ----------
    pool : Pool
    halfspaces : (k, d), in units of the noise
    eligible : (m,) mask of examples that may be asked
    rng : source of all randomness
    alpha : examples whose split is within this factor of the best are compared by what they leave
    """
    rows = askable(pool, eligible)
    W = halfspaces[rng.permutation(len(halfspaces))].astype(np.float32)
    survey = _normal_shares(pool, W[:SURVEY], rows)
    finalists = rows[_finalists(survey * (1 - survey), alpha, rng)]
    shares = soft_shares(pool, W, finalists)
    splits = shares * (1 - shares)
    best = float(splits.max())
    chosen = np.flatnonzero(alpha * splits >= best)
    products = len(rows) * min(SURVEY, len(W)) + len(finalists) * len(W)
    winner = int(splits.argmax())
    if alpha > 1:
        chosen = np.sort(rng.permutation(chosen)[:CANDIDATES])
        witnesses = _witnesses(rows, survey, shares[chosen], rng)
        jury = W[:JURY]
        left = expected_disagreement(
            soft_votes(pool, jury, finalists[chosen]), soft_votes(pool, jury, witnesses)
        )
        products += len(jury) * (len(chosen) + len(witnesses))
        winner = int(chosen[np.lexsort((-splits[chosen], left))[0]])
    return Choice(int(finalists[winner]), float(shares[winner]), best, finalists[chosen], products)


def _normal_shares(pool: Pool, halfspaces: Singles, rows: Ints) -> Floats:
    """Return vote shares as if products with halfspaces were Gaussian: one Phi an example.

    If <w, x> is N(mean, variance), then Phi(<w, x>) is Phi(mean / sqrt(1 + variance)) on average.
    """
    out = np.empty(len(rows))
    for part, margins in pool.margin_blocks(halfspaces, rows):
        out[part] = margins.mean(axis=1) / np.sqrt(1 + margins.var(axis=1))
    return np.asarray(ndtr(out))


def _finalists(splits: Floats, alpha: float, rng: np.random.Generator) -> Ints:
    """Return positions of the largest splits, and of some of those within alpha of the best."""
    top = np.argsort(-splits, kind="stable")[: TOP if alpha > 1 else FINALISTS]
    within = rng.permutation(np.flatnonzero(alpha * splits >= splits[top[0]]))[:FINALISTS]
    return np.unique(np.concatenate([top, within]))


def _witnesses(rows: Ints, survey: Floats, candidates: Floats, rng: np.random.Generator) -> Ints:
    """Return rows whose vote an answer about a candidate could overturn; some, if many."""
    floor = 0.9 * float(np.minimum(candidates, 1 - candidates).min()) / 2
    contested = rows[np.minimum(survey, 1 - survey) >= floor]
    return np.sort(rng.permutation(contested)[:WITNESSES])


def soft_shares(pool: Pool, halfspaces: npt.ArrayLike, rows: Ints | None = None) -> Floats:
    """Return the mean of Phi(<w, x>) over halfspaces in units of the noise, for each example."""
    if rows is None and pool.is_large:
        weights = np.asarray(halfspaces, dtype=np.float32)
        found = pool.mapped(_soft_shares, weights, room=4 * len(weights))
        return np.concatenate(list(found))
    out = np.empty(len(pool) if rows is None else len(rows))
    for part, margins in pool.margin_blocks(halfspaces, rows):
        out[part] = ndtr(margins).mean(axis=1, dtype=np.float64)
    return out


def _soft_shares(start: int, block: Pool, halfspaces: Singles) -> Floats:
    """Return the shares of a block."""
    del start
    return soft_shares(block, halfspaces, np.arange(len(block)))


def soft_votes(pool: Pool, halfspaces: npt.ArrayLike, rows: Ints) -> Singles:
    """Return Phi(<w, x>), one row an example and one column a halfspace."""
    return np.asarray(ndtr(pool.margins(halfspaces, rows)))
