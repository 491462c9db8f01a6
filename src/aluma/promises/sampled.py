"""What a sample of a large pool says about all of it, with the error that comes of sampling.

The share p of the pool that a hypothesis disputes is not counted but estimated, by the number S of
examples that it disputes in a sample of n, drawn without replacement. Whatever p is, the upper
bound U(S) below is exceeded with probability at most ``epsilon``, over the sample. One sample
serves for all hypotheses: by Markov's inequality, except with probability ``LUCK`` over the sample,
the share of hypotheses whose p exceeds their U(S) is at most ``epsilon / LUCK``. With epsilon =
LUCK delta / 2 that is delta / 2, and so a quantile of the U(S) that all but delta / 2 of the
hypotheses are below is above p for all but delta of them.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from aluma.arrays import Ints
from aluma.promises.certificate import quantile_bound

#: What the sample may be unlucky with: as much as the draws of hypotheses are.
LUCK = 0.05


def share_bound(disputed: Ints, sample: int, delta: float) -> float:
    """Return the share of a pool that a hypothesis disputes, except with probability delta.

    Parameters
    ----------
    disputed : how many examples of the sample each of some hypotheses disputes
    sample : how many examples it has
    delta : the share of hypotheses that may dispute more
    """
    most = quantile_bound(disputed, delta / 2)
    return upper_share(most, sample, LUCK * delta / 2)


def upper_share(found: int, sample: int, epsilon: float) -> float:
    """Return a bound on a share of which ``found`` of a sample were seen, except with epsilon.

    Clopper and Pearson's, which draws without replacement only make safer.
    """
    return 1.0 if found >= sample else float(betaincinv(found + 1, sample - found, 1 - epsilon))


def standard_error(disputed: Ints, sample: int) -> float:
    """Return how far the mean disputed share is off because a sample stands for the pool, at most.

    The share of examples that a hypothesis disputes has the largest error when all hypotheses
    dispute the same ones: that of a single share.
    """
    mean = float(disputed.mean()) / sample
    return float(np.sqrt(mean * (1.0 - mean) / sample))
