"""What can be promised about the labels of a pool, given the answers so far."""

from __future__ import annotations

import time
from bisect import bisect_left
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr

from aluma.arrays import Bools, Floats, Ints
from aluma.geometry.cone import Cone
from aluma.geometry.feasibility import is_settled
from aluma.pool import Pool
from aluma.sampling.settling import Mixing

#: Seconds that one certificate may spend on proving labels.
PROOF_SECONDS = 1.0
#: Confidence with which the Monte Carlo error of the bound is covered.
COVERED = 0.95


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
        1 - delta / 2 (Lemmas greedySSA and simplerAnalysis); None if that was not verified
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


class Disputes(NamedTuple):
    """A labelling, ``positive``, and how often it is disputed, by hypothesis and by example."""

    positive: Bools
    by_hypothesis: Ints
    by_example: Ints


def disputes(pool: Pool, positive: Bools, hypotheses: Floats) -> Disputes:
    """Count disagreements of hypotheses with a labelling of a pool."""
    by_hypothesis = np.zeros(len(hypotheses), dtype=np.int64)
    by_example = np.zeros(len(pool), dtype=np.int64)
    for part, margins in pool.margin_blocks(hypotheses):
        differs = (margins >= 0) != positive[part, None]
        differs[pool.is_zero[part]] = False
        by_hypothesis += differs.sum(axis=0)
        by_example[part] = differs.sum(axis=1)
    return Disputes(positive, by_hypothesis, by_example)


def soft_disputes(
    pool: Pool, positive: Bools, halfspaces: Floats, asked: Ints, rng: np.random.Generator
) -> Disputes:
    """Count disagreements of lifted hypotheses, given their halfspaces in units of the noise.

    What an unasked example has to itself is a Gaussian that nothing constrains, drawn here; about
    asked examples every hypothesis agrees with the answer.
    """
    by_hypothesis = np.zeros(len(halfspaces), dtype=np.int64)
    by_example = np.zeros(len(pool), dtype=np.int64)
    settled = pool.is_zero
    settled[asked] = True
    for part, margins in pool.margin_blocks(halfspaces):
        margins += rng.standard_normal(margins.shape, dtype=np.float32)
        differs = (margins >= 0) != positive[part, None]
        differs[settled[part]] = False
        by_hypothesis += differs.sum(axis=0)
        by_example[part] = differs.sum(axis=1)
    return Disputes(positive, by_hypothesis, by_example)


def quantile_bound(values: Ints, delta: float) -> int:
    """Return a value above the 1 - delta quantile of what ``values`` were drawn from.

    An order statistic: the j-th smallest of n independent draws exceeds the quantile with the
    probability that a Bin(n, 1 - delta) is below j; j is the first for which that is COVERED. With
    too few draws for that it is the largest of them.
    """
    n = len(values)
    # The first count that a Bin(n, 1 - delta) is not above with probability COVERED.
    count = bisect_left(range(n), COVERED, key=lambda k: float(bdtr(k, n, 1 - delta)))
    position = min(count + 1, n)
    return int(np.sort(values)[position - 1])


class Proofs:
    """Labels proven to be settled; they stay so while answers are only added."""

    def __init__(self) -> None:
        self.signs: dict[int, int] = {}

    def copy(self) -> Proofs:
        """Return an independent copy."""
        twin = Proofs()
        twin.signs = dict(self.signs)
        return twin

    def extend(
        self,
        pool: Pool,
        cone: Cone,
        inside: Floats,
        rows: Ints,
        positive: Bools,
        seconds: float = PROOF_SECONDS,
    ) -> None:
        """Try to prove the labels of unanimous examples, until the time is over.

        Parameters
        ----------
        rows : examples on which all hypotheses seen agree
        positive : the label they agree on, for the whole pool
        inside : a direction inside the cone
        """
        stop = time.monotonic() + seconds
        for row in rows:
            if int(row) in self.signs:
                continue
            if time.monotonic() > stop:
                return
            sign = 1 if positive[row] else -1
            if is_settled(cone, sign * pool.rows([row])[0], inside):
                self.signs[int(row)] = sign
