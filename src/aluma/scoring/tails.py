"""How many votes decide that an example is out: tails of the hypergeometric law."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from aluma.arrays import Floats

#: Hypotheses of the pilot, and the fewest of a round; chosen with the sizes in
#: :mod:`aluma.scoring.elimination`.
FIRST = 32


def first_round(k: int, fewest: int, delta: float) -> int:
    """Return how many hypotheses it takes to drop an example on which they are unanimous."""
    n = np.arange(1, k + 1)
    unseen = sum(np.exp(_log_ways(k - K, n) - _log_ways(k, n)) for K in (fewest, k // 2))
    enough = np.flatnonzero(unseen <= delta)
    needed = max(FIRST, int(n[enough[0]])) if enough.size else k
    return needed if 2 * needed <= k else k


def too_few(k: int, fewest: int, n: int, delta: float) -> int:
    """Return the largest number of minority votes among n that rules an example out, or -1.

    With at least ``fewest`` votes of k on its rarer side, and at least k // 2 on the other, an
    example shows that few on one side or the other with probability at most ``delta``.
    """
    seen = np.arange(n // 2 + 1)
    tails = [
        np.cumsum(np.exp(_log_ways(K, seen) + _log_ways(k - K, n - seen) - _log_ways(k, n)))
        for K in (fewest, k // 2)
    ]
    return int(np.count_nonzero(tails[0] + tails[1] <= delta)) - 1


def _log_ways(n: npt.ArrayLike, j: npt.ArrayLike) -> Floats:
    """Return the logarithm of n choose j, -inf where there is no way."""
    n, j = np.asarray(n, dtype=np.float64), np.asarray(j, dtype=np.float64)
    possible = (j >= 0) & (j <= n)
    chosen = np.where(possible, j, 0.0)
    ways = gammaln(n + 1) - gammaln(chosen + 1) - gammaln(n - chosen + 1)
    return np.where(possible, ways, -np.inf)
