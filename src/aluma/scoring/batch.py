"""Batches: examples that split the population jointly."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints
from aluma.pool import Pool
from aluma.scoring.choice import JURY, WITNESSES, decide, disagreement_left
from aluma.scoring.elimination import DELTA, shortlist
from aluma.scoring.large import looked_at, shortlist_large
from aluma.scoring.tails import FIRST
from aluma.scoring.votes import askable, count_positive, minority_votes, vote_matrix

#: While a hypothesis is in the minority on this share of the examples or more, a batch covers the
#: pool. (Ten at a time, 2 or 4 tuning seeds of 8 pools: covering was better up to 40 or 50 labels
#: on most, and later only where classes overlap and this share stays above a tenth.)
CONTESTED = 0.1


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
    """Return ``n`` different examples to be asked about together, best first.

    The first is the one given, else `choose`'s.

    While much of the pool is contested (and ``alpha`` above 1), the others cover it. The answer
    about an example leaves some disagreement on every other one (as in
    :func:`aluma.scoring.choice.expected_disagreement`); on each of a sample, the least that any
    example of the batch leaves counts, and the next example is the one that lowers the sum most.
    For one example that is the rule by which `choose` decides.

    Later, the votes on the examples taken so far cut the population into cells; the next example is
    the one that separates most pairs of hypotheses that still share a cell, ``sum over cells of
    N+ N-``. For one example that is the split itself; for a batch it is what minimises the expected
    share of the population left after all answers. When every pair is separated, pairs separated
    only once count, and so on; a copy of an example already taken separates nothing new and comes
    last.

    What is covered and which pairs are separated are both coverage functions, so greedy steps reach
    at least 1 - 1/e of what the best batch would, here up to a sample of the contested examples and
    of the hypotheses.
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
    votes = vote_matrix(pool, found.hypotheses[:JURY], drawn)
    covers = alpha > 1.0 and minority.mean() >= CONTESTED
    aim = _Cover(votes, _some(votes, WITNESSES, rng)) if covers else _Pairs(votes)
    return drawn[_greedily(aim, len(drawn), n)]


def separating(pool: Pool, W: npt.NDArray[Any], rows: Ints, n: int) -> Ints:
    """Return n of some rows, the first of them among these, that separate most pairs jointly."""
    votes = vote_matrix(pool, W[:JURY], rows)
    return rows[_greedily(_Pairs(votes), len(rows), n)]


def _contested_sample(rows: Ints, minority: Floats, n: int, rng: np.random.Generator) -> Ints:
    """Draw n rows without replacement, with weights that grow with the minority's share."""
    # The n largest of log weight plus Gumbel noise are such a draw; unanimous rows come last.
    keys = np.log(minority + 1e-6) + rng.gumbel(size=len(rows))
    return np.sort(rows[np.argsort(-keys)[:n]])


def _some(votes: Bools, most: int, rng: np.random.Generator) -> Bools:
    """Return at most so many rows, at random."""
    return votes if len(votes) <= most else votes[np.sort(rng.permutation(len(votes))[:most])]


class _Aim(Protocol):
    """What a batch is for: something that grows less with every further example."""

    def take(self, row: int) -> None:
        """Put a row into the batch."""

    def gains(self, rows: Ints) -> Floats:
        """Return what each of some rows would add, 0 or more."""


class _Cover:
    """Little disagreement: on each witness, what that answer leaves which leaves the least."""

    def __init__(self, votes: Bools, witnesses: Bools) -> None:
        self._left = disagreement_left(votes, witnesses)
        self._least = np.full(len(witnesses), 0.5, dtype=np.float32)

    def take(self, row: int) -> None:
        """Put a row into the batch."""
        self._least = np.minimum(self._least, self._left[row])

    def gains(self, rows: Ints) -> Floats:
        """Return by how much the answer to each row would lower the disagreement."""
        lower = np.maximum(self._least - self._left[rows], 0.0)
        return np.asarray(lower.sum(axis=1, dtype=np.float64))


class _Pairs:
    """Pairs of hypotheses that the votes on some row separate."""

    def __init__(self, votes: Bools) -> None:
        self._votes, self._ayes = votes, votes.astype(np.float64)
        self._together = 1.0 - np.eye(votes.shape[1])

    def take(self, row: int) -> None:
        """Put a row into the batch."""
        apart = self._votes[row][:, None] != self._votes[row]
        # Of k <= JURY hypotheses fewer than 1e6 pairs exist: separated ones break ties only.
        self._together[apart] *= 1e-6

    def gains(self, rows: Ints) -> Floats:
        """Return the weight of the pairs that each row would separate."""
        ayes = self._ayes[rows]
        return np.asarray(np.einsum("ij,ij->i", ayes @ self._together, 1.0 - ayes))


def _greedily(aim: _Aim, rows: int, n: int) -> Ints:
    """Return positions of n of so many rows, starting with 0, each with the largest gain."""
    gain = np.full(rows, np.inf)
    taken = [0]
    while len(taken) < n:
        gain[taken[-1]] = -1.0
        aim.take(taken[-1])
        taken.append(_largest_gain(gain, aim))
    return np.array(taken)


def _largest_gain(gain: Floats, aim: _Aim) -> int:
    """Return who gains most; bring ``gain`` up to date where needed.

    Coverage has diminishing returns, so earlier gains are upper bounds: only rows whose bound
    beats the best known gain are looked at again (Minoux's accelerated greedy algorithm).
    """
    stale = gain >= 0.0
    while stale[top := int(np.argmax(gain))]:
        bounds = np.where(stale, gain, -1.0)
        again = np.argsort(-bounds, kind="stable")[: min(64, np.count_nonzero(stale))]
        if np.isinf(gain[top]):
            again = np.flatnonzero(stale)
        gain[again] = aim.gains(again)
        stale[again] = False
    return top
