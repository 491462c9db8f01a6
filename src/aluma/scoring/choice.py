"""The choice: of the examples that split best, the one that leaves the least disagreement.

The greedy guarantee allows for any example within a factor alpha of the best split (Section 3 of
the paper, approximate greediness); what is free there is spent on what matters for the pool.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, Singles
from aluma.pool import Pool
from aluma.scoring.elimination import DELTA, Shortlist, shortlist
from aluma.scoring.large import nearest_large, shortlist_large
from aluma.scoring.votes import askable, minority_votes, vote_matrix, vote_shares

# Chosen by measurement, as the sizes in aluma.scoring.elimination were.
CANDIDATES = 160  # candidates compared by the disagreement they leave
WITNESSES = 640  # contested examples that disagreement is measured on
JURY = 320  # hypotheses that it is measured with
NEAR = 32  # examples nearest to the centre that are named when the pool is settled


@dataclass(frozen=True)
class Choice:
    """An example to ask about, and what is known of it.

    Attributes
    ----------
    index : row of the pool
    positive : share of all hypotheses that vote + on it
    best : a bound on the split of every eligible example: the largest found, or what an even
        vote would give (except with probability ``delta``)
    candidates : rows that might be asked as well, itself among them: all within alpha of ``best``,
        or those nearest to the centre, the nearest first
    products : inner products spent
    """

    index: int
    positive: float
    best: float
    candidates: Ints
    products: int

    def named(self, rows: Ints | None) -> Choice:
        """Return a choice made in a sample with the names that its examples have in the pool."""
        if rows is None:
            return self
        return replace(self, index=int(rows[self.index]), candidates=rows[self.candidates])


def choose(
    pool: Pool,
    W: npt.ArrayLike,
    eligible: Bools,
    rng: np.random.Generator,
    *,
    alpha: float = 1.05,
    delta: float = DELTA,
    effort: int = 1,
    settled: float = 0.0,
) -> Choice:
    """Return the example to ask about next.

    Its split is within a factor ``alpha`` of the best eligible example's on the population ``W``,
    except with probability ``delta`` over the order of the hypotheses. With ``alpha=1`` it is the
    paper's greedy choice, ties going to the lowest row among those scored in full. Once the pool is
    ``settled``, it is the example nearest to the centre of the population.

    Parameters
    ----------
    pool : Pool
    W : (k, dimension) hypotheses; only directions matter
    eligible : (m,) mask of examples that may be asked; all-zero examples never are
    rng : source of all randomness: the same state gives the same choice
    alpha : float, at least 1
    delta : float in (0, 1)
    effort : int, at least 1
        How many times as many candidates are compared, on as many times the examples and
        hypotheses, as is usual.
    settled : float, at least 0
        The pool is settled when a hypothesis is expected to be in the minority on fewer eligible
        examples than this: by Markov's inequality, a larger share of them agrees with the vote on
        every one than ``1 - settled``. It always is when nobody disagrees about anything.
    """
    listing = shortlist_large if pool.is_large else shortlist
    found = listing(pool, W, eligible, rng, alpha=alpha, delta=delta, effort=effort)
    return decide(pool, found, eligible, rng, greedy=alpha == 1.0, effort=effort, settled=settled)


def decide(
    pool: Pool,
    found: Shortlist,
    eligible: Bools,
    rng: np.random.Generator,
    *,
    greedy: bool,
    effort: int = 1,
    settled: float = 0.0,
) -> Choice:
    """Return the best split, or the candidate that leaves the least expected disagreement.

    If all that is ``eligible`` is settled, the one nearest to the centre is returned.
    """
    if found.best == 0.0 or found.disputed < settled:
        return _nearest(pool, found, eligible)
    chosen = np.arange(len(found.indices))
    products = found.products
    if greedy or len(chosen) == 1:
        winner = int(np.argmax(found.splits))
    else:
        chosen = np.sort(rng.permutation(chosen)[: effort * CANDIDATES])
        witnesses = _witnesses(found, chosen, effort * WITNESSES, rng)
        pool.bring(found.indices[chosen], witnesses)
        jury = found.hypotheses[: effort * JURY]
        left = expected_disagreement(
            vote_matrix(pool, jury, found.indices[chosen]), vote_matrix(pool, jury, witnesses)
        )
        products += len(jury) * (len(chosen) + len(witnesses))
        winner = int(chosen[np.lexsort((-found.splits[chosen], left))[0]])
    return Choice(
        index=int(found.indices[winner]),
        positive=float(found.positives[winner] / len(found.hypotheses)),
        best=found.best,
        candidates=found.indices[chosen],
        products=products,
    )


def expected_disagreement(candidates: Bools | Singles, witnesses: Bools | Singles) -> Floats:
    """Return the disagreement that asking about each candidate is expected to leave.

    An answer keeps the hypotheses that voted for it. What is left on a witness is the minority's
    share among those, weighted by the answer's probability: with ``N`` of ``k`` hypotheses voting
    y on the candidate, ``M`` of them + on the witness, ``min(M, N - M) / k`` summed over both y.

    Parameters
    ----------
    candidates, witnesses : (c, k) and (r, k) votes of the same hypotheses, or probabilities with
        which they vote +

    Returns
    -------
    (c,) means over the witnesses
    """
    if not len(witnesses):
        return np.zeros(len(candidates))
    return np.asarray(disagreement_left(candidates, witnesses).mean(axis=1, dtype=np.float64))


def disagreement_left(candidates: Bools | Singles, witnesses: Bools | Singles) -> Singles:
    """Return the same for each witness apart, (c, r)."""
    asked, seen = candidates.astype(np.float32), witnesses.astype(np.float32)
    k = asked.shape[1]
    yes = asked.sum(axis=1)[:, None]
    both = asked @ seen.T
    neither_asked = seen.sum(axis=1) - both
    left = np.minimum(both, yes - both)
    left += np.minimum(neither_asked, (k - yes) - neither_asked)
    return np.asarray(left / np.float32(k))


def _nearest(pool: Pool, found: Shortlist, eligible: Bools) -> Choice:
    """Return the row nearest to the hyperplane of the mean hypothesis.

    Where hardly anybody disagrees, volumes tell hardly anything, and what is left of greediness is
    what it looks like in a round version space (Tong and Koller): ask nearest to its centre. What
    is wrong although hypotheses agree on it is found sooner so than by the last few dissenting
    votes, or by their spread.
    """
    centre = found.hypotheses.mean(axis=0, dtype=np.float64)
    if pool.is_large:
        rows, distance = nearest_large(pool, centre, eligible, NEAR, by_length=False)
        looked = len(pool)
    else:
        rows = askable(pool, eligible)
        distance, looked = np.empty(len(rows)), len(rows)
        for part, margins in pool.margin_blocks(centre[None], rows):
            distance[part] = np.abs(margins[:, 0])
    near = rows[np.argsort(distance, kind="stable")[:NEAR]]
    return Choice(
        index=int(near[0]),
        positive=float(vote_shares(pool, found.hypotheses, near[:1])[0]),
        best=found.best,
        candidates=near,
        products=found.products + looked + len(found.hypotheses),
    )


def _witnesses(found: Shortlist, chosen: Ints, most: int, rng: np.random.Generator) -> Ints:
    """Return at most so many surveyed rows on which the candidates can differ.

    An answer that N hypotheses give overturns the vote on a row only if its minority has more
    than N / 2 of them. Rows with a smaller minority leave the same disagreement whatever is
    asked. The tenth off is for the survey, which saw only a part of the votes.
    """
    k = len(found.hypotheses)
    floor = 0.9 * float(minority_votes(found.positives[chosen], k).min()) / (2 * k)
    rows = found.surveyed[found.minority >= floor]
    return np.sort(rng.permutation(rows)[:most])
