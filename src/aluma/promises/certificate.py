"""What can be promised about the labels of a pool, given the answers so far."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import bdtr

from aluma.arrays import Ints
from aluma.promises.audit_words import at_most, came_out
from aluma.sampling.settling import Mixing

#: What a bound rests on: checks drawn at random, or the paper's prior.
Basis: TypeAlias = Literal["audit", "prior"]

#: The credible bound is a quantile of sampled disputes; with this confidence it is not too small.
QUANTILE_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Certificate:
    """What can be promised now.

    With ``basis`` "audit", ``error_bound`` holds whatever the data are: it comes from checks drawn
    at random. All else speaks of the halfspaces that agree with the answers. ``determined`` labels
    follow from the answers if a halfspace separates the pool. ``purity``, ``expected_error`` and
    ``credible_bound`` speak of targets drawn from the paper's prior P, uniform on the ball, given
    the answers; they rest on draws being uniform, which no run can prove (``mixing`` is the
    evidence).

    Attributes
    ----------
    size : labels in all
    asked : answers so far, checks included
    error_bound : at most this share of the pool's labels is wrong, with probability 1 - ``delta``;
        ``basis`` says over what
    basis : "audit", if the bound holds for all data, over the draws of the checks; "prior", if it
        is ``credible_bound``
    checks : labels that were checked at random in the audit that goes on or was passed
    wrong_found : how many of those were wrong, or skipped: nobody could say that a skipped one is
        right, so it counts as wrong. The others have been put right
    estimate : share of the labels that is wrong, as far as the checks tell; with basis "prior",
        ``expected_error``. Not a number before the first check
    log_volume : estimated ln of the share of all halfspaces that agree with them; NaN after many
        answers that came together
    purity : share of consistent hypotheses that agree with the vote on the whole pool
    determined : labels, the answers included, that no consistent hypothesis disputes, as far as
        that has been proven: implied if a straight boundary separates the answers
    undecidable : all-zero examples, which no homogeneous halfspace can decide
    expected_error : expected share of the pool that a consistent hypothesis disputes
    credible_bound : share of the pool that a consistent hypothesis disputes at most, except with
        probability ``delta``; the Monte Carlo error of this quantile is covered
    delta : the probability that the bound and the greedy factor may fail with
    greedy_factor : every question so far was within this factor of the best, with probability
        1 - delta / 2 (Lemma 13 for volumes, Theorem 16 for votes); None if that was not verified
    mixing : what the population says about its own quality
    skipped : how many of ``wrong_found`` were skipped; nobody has put them right
    sampled : 0, or of a large pool the examples, drawn at random, on which disputes were counted.
        ``credible_bound`` covers the error of that; ``purity`` speaks of those examples only, and
        ``determined`` is what was proven among them and the answers
    sampling_error : standard error that ``expected_error`` has because of it, at most
    """

    size: int
    asked: int
    error_bound: float
    basis: Basis
    checks: int
    wrong_found: int
    estimate: float
    log_volume: float
    purity: float
    determined: int
    undecidable: int
    expected_error: float
    credible_bound: float
    delta: float
    greedy_factor: float | None
    mixing: Mixing
    skipped: int = 0
    sampled: int = 0
    sampling_error: float = 0.0

    def __str__(self) -> str:
        """Return what is promised, in one sentence."""
        sure, most = f"{1 - self.delta:.0%}", at_most(self.error_bound)
        if self.basis == "prior":
            return (
                f"If a straight boundary separates the answers, and it was as likely beforehand as "
                f"the prior says, at most {most} of the {self.size:,} labels are wrong "
                f"({sure} sure). No label has been checked at random."
            )
        if self.asked == self.size:
            return f"All {self.size:,} labels were given by a person."
        if not self.checks:
            return (
                f"{self.asked:,} of {self.size:,} labels were given by a person. No other has been "
                f"checked at random yet, so any of them may be wrong: at most {most} of the labels."
            )
        found = came_out(self.wrong_found, self.skipped)
        return (
            f"{self.checks:,} of {self.size:,} labels were checked at random, {found}: at most "
            f"{most} of the labels are wrong now ({sure} sure, whatever the data)."
        )


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
