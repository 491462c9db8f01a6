"""Batches: examples that split the population jointly."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints
from aluma.pool import Pool
from aluma.scoring.choice import JURY, WITNESSES, decide
from aluma.scoring.elimination import DELTA, shortlist
from aluma.scoring.large import looked_at, shortlist_large
from aluma.scoring.tails import FIRST
from aluma.scoring.votes import askable, count_positive, minority_votes, vote_matrix


def choose_batch(
    pool: Pool,
    W: npt.ArrayLike,
    eligible: Bools,
    n: int,
    rng: np.random.Generator,
    *,
    alpha: float = 1.05,
    delta: float = DELTA,
    first: int | None = None,
) -> Ints:
    """Return ``n`` different examples that split the population jointly, best first.

    The first is the one given, else `choose`'s. The votes on the examples taken so far cut the
    population into cells; the next example is the one that separates most pairs of hypotheses that
    still share a cell, ``sum over cells of N+ N-``. For one example that is the split itself; for
    a batch it is what minimises the expected share of the population left after all answers.
    Separated pairs are a coverage function, so greedy steps separate at least 1 - 1/e of the pairs
    that the best batch would, here up to a sample of the contested examples and of the hypotheses.
    When every pair is separated, pairs separated only once count, and so on; a copy of an example
    already taken separates nothing new and comes last.
    """
    rows = askable(pool, eligible)
    if not 1 <= n <= len(rows):
        raise ValueError(f"A batch of {n} was asked for: {len(rows)} examples can be asked about.")
    listing = shortlist_large if pool.is_large else shortlist
    found = listing(pool, W, eligible, rng, alpha=alpha, delta=delta)
    if first is None:
        first = decide(pool, found, eligible, rng, greedy=alpha == 1.0).index
    if pool.is_large:
        sample, open_ = looked_at(pool, eligible, rng)
        if 4 * n <= np.count_nonzero(open_):
            rows = sample.rows[open_]
    surveyed, minority = found.surveyed, found.minority
    if len(surveyed) < 4 * n and len(surveyed) < len(rows):
        few = found.hypotheses[:FIRST]
        surveyed = rows
        minority = minority_votes(count_positive(pool, few, rows), len(few)) / len(few)
    drawn = _contested_sample(surveyed, minority, max(WITNESSES, 4 * n), rng)
    drawn = np.concatenate([[first], drawn[drawn != first]])
    return drawn[_joint_splits(vote_matrix(pool, found.hypotheses[:JURY], drawn), n)]


def _contested_sample(rows: Ints, minority: Floats, n: int, rng: np.random.Generator) -> Ints:
    """Draw n rows without replacement, with weights that grow with the minority's share."""
    # The n largest of log weight plus Gumbel noise are such a draw; unanimous rows come last.
    keys = np.log(minority + 1e-6) + rng.gumbel(size=len(rows))
    return np.sort(rows[np.argsort(-keys)[:n]])


def _joint_splits(votes: Bools, n: int) -> Ints:
    """Return positions of n rows, starting with 0, each separating most pairs in the cells."""
    ayes = votes.astype(np.float64)
    together = 1.0 - np.eye(ayes.shape[1])
    gain = np.full(len(ayes), np.inf)
    taken = [0]
    while len(taken) < n:
        gain[taken[-1]] = -1.0
        apart = votes[taken[-1]][:, None] != votes[taken[-1]]
        # Of k <= JURY hypotheses fewer than 1e6 pairs exist: separated ones break ties only.
        together[apart] *= 1e-6
        taken.append(_largest_gain(gain, ayes, together))
    return np.array(taken)


def _largest_gain(gain: Floats, ayes: Floats, together: Floats) -> int:
    """Return who separates most weight of pairs; bring ``gain`` up to date where needed.

    Coverage has diminishing returns, so earlier gains are upper bounds: only rows whose bound
    beats the best known gain are looked at again (Minoux's accelerated greedy algorithm).
    """
    stale = gain >= 0.0
    while stale[top := int(np.argmax(gain))]:
        bounds = np.where(stale, gain, -1.0)
        again = np.argsort(-bounds, kind="stable")[: min(64, np.count_nonzero(stale))]
        if np.isinf(gain[top]):
            again = np.flatnonzero(stale)
        gain[again] = np.einsum("ij,ij->i", ayes[again] @ together, 1.0 - ayes[again])
        stale[again] = False
    return top
