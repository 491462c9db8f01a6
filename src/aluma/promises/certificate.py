"""What can be promised about the labels of a pool, given the answers so far."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from aluma.arrays import Ints
from aluma.sampling.settling import Mixing

#: The error bound is a quantile of sampled disputes; with this confidence it is not too small.
QUANTILE_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Certificate:
    """What can be promised now.

    Only ``determined`` holds for every target. ``purity``, ``expected_error`` and ``error_bound``
    speak of targets drawn from the paper's prior P, uniform on the ball, given the answers; and all
    of them rest on draws being uniform, which no run can prove (``mixing`` is the evidence).

    Attributes
    ----------
    asked : answers so far
    log_volume : estimated ln of the share of all halfspaces that agree with them
    purity : share of consistent hypotheses that agree with the vote on the whole pool
    determined : labels, the answers included, that no consistent hypothesis disputes: proven so far
    undecidable : all-zero examples, which no homogeneous halfspace can decide
    expected_error : expected share of the pool that a consistent hypothesis disputes
    error_bound : share of the pool that a consistent hypothesis disputes at most, except with
        probability ``delta``; the Monte Carlo error of this quantile is covered
    delta : the probability that the bound and the greedy factor may fail with
    greedy_factor : every question so far was within this factor of the best, with probability
        1 - delta / 2 (Lemma 13 for volumes, Theorem 16 for votes); None if that was not verified
    mixing : what the population says about its own quality
    """

    asked: int
    log_volume: float
    purity: float
    determined: int
    undecidable: int
    expected_error: float
    error_bound: float
    delta: float
    greedy_factor: float | None
    mixing: Mixing


def quantile_bound(values: Ints, delta: float) -> int:
    """Return a value above the 1 - delta quantile of what ``values`` were drawn from.

    An order statistic: the j-th smallest of n independent draws exceeds the quantile with the
    probability that a Bin(n, 1 - delta) is below j; j is the first for which that is at least
    QUANTILE_CONFIDENCE. With too few draws for that it is the largest of them.
    """
    n = len(values)
    # The first count that a Bin(n, 1 - delta) is not above with probability QUANTILE_CONFIDENCE.
    count = bisect_left(range(n), QUANTILE_CONFIDENCE, key=lambda k: float(bdtr(k, n, 1 - delta)))
    position = min(count + 1, n)
    return int(np.sort(values)[position - 1])
