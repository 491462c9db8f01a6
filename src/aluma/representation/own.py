"""Coordinates of their own: the exact lifted cone of Algorithm 3, cheaply.

The lifted example is ``x' = (a x / c; b e_x)`` with ``a^2 = 1 / (1 + sqrt(H))``, ``b^2 = 1 - a^2``
and c the length of the longest example, so the lifted Gram matrix is ``a^2 K + b^2 I``. A
hypothesis is a pair (w, v) of a halfspace w and one number v_x for every example of the pool. Only
the v of answered examples are constrained; all others are standard Gaussians, independent of
everything. So t answers need d + t coordinates, of which the last one came with the last answer,
and the rest of the pool none: an unanswered x has, given w, the vote share

    P[a <w, x> / c + b v_x > 0 | w] = Phi(a <w, x> / (b c)),

and its vote share is the mean of that over hypotheses. With the v integrated out, this is Bayesian
probit regression: a Gaussian prior of w, and answers that are wrong with probability
``Phi(-|<w, x>| / (s c))`` for the noise ``s = b / a = H^(1/4)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import Floats


@dataclass(frozen=True)
class OwnCoordinates:
    """How examples of a pool become lifted ones.

    Attributes
    ----------
    slack : H, above 0
    scale : c, the length of the longest example
    """

    slack: float
    scale: float

    @property
    def shrink(self) -> float:
        """The factor a of the examples."""
        return float(np.sqrt(1 / (1 + np.sqrt(self.slack))))

    @property
    def own(self) -> float:
        """The size b of the coordinate that each example has to itself."""
        return float(np.sqrt(1 - self.shrink**2))

    @property
    def for_weights(self) -> float:
        """What weights are multiplied by, so that products are in units of the noise."""
        return self.shrink / (self.own * self.scale)

    def wall(self, x: Floats, place: int) -> Floats:
        """Return the answer number ``place`` (from 0) about x as a row of d + place + 1 numbers."""
        return np.concatenate([self.shrink / self.scale * x, np.zeros(place), [self.own]])

    def halfspaces(self, hypotheses: npt.NDArray[Any], d: int, rng: np.random.Generator) -> Floats:
        """Return the w of hypotheses, in units of the noise: Phi(<w, x>) is a vote share.

        ``hypotheses`` are lifted ones of any length; directions are given the length that a
        Gaussian has, which is independent of them.
        """
        n, lifted = hypotheses.shape
        length = np.sqrt(rng.chisquare(lifted, n)) / np.linalg.norm(hypotheses, axis=1)
        return np.asarray(hypotheses[:, :d] * (self.for_weights * length)[:, None])
