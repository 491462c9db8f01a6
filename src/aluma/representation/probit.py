"""Bayesian probit regression, by expectation propagation: what slack believes, in milliseconds.

The lifted version space of slack H is Bayesian probit regression with the noise ``s = H^(1/4)``
(:mod:`aluma.representation.own`): ``f = F u`` for a Gaussian u, and + with chance ``Phi(f / s)``.
Its population samples that without approximation, which is too slow to compare many H. Here every
answer's likelihood is replaced by a Gaussian factor whose moments match (Minka 2001; Rasmussen and
Williams, "Gaussian processes for machine learning", 2006, Section 3.6). All factors are updated at
once: a round takes one factorisation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import log_ndtr

from aluma.arrays import Floats
from aluma.blas import one_thread

#: Rounds at most; five to twenty are needed.
MOST_ROUNDS = 200
#: Factors have settled when no answer's log-probability given the others moves by more than this.
#: The log-probability of all answers, which is stationary there, is then off by less than 0.001.
SETTLED = 0.01
#: The share of an update that is made, and the least to which it is cut where updates overshoot.
DAMPING, LEAST_DAMPING = 0.9, 0.05


@dataclass(frozen=True)
class Factors:
    """Gaussian factors ``exp(-precision f^2 / 2 + shift f)`` in place of likelihoods, one each."""

    precisions: Floats
    shifts: Floats

    @classmethod
    def none(cls, n: int) -> Self:
        """Return factors that say nothing."""
        return cls(np.zeros(n), np.zeros(n))


@dataclass(frozen=True)
class Posterior:
    """What some answers leave of ``u ~ N(0, I)``, approximately.

    Attributes
    ----------
    noise : s
    mean : (r,) of u
    root : lower triangular, ``root @ root.T`` is the inverse covariance of u
    factors : of the answers
    left_out : (n,) log-probability of each answer given all others
    log_evidence : log-probability of all answers
    """

    noise: float
    mean: Floats
    root: Floats
    factors: Factors
    left_out: Floats
    log_evidence: float

    def log_chances(self, rows: Floats, signs: Floats) -> Floats:
        """Return the log-probability of each of some further answers by itself."""
        spread = solve_triangular(self.root, rows.T, lower=True, check_finite=False)
        variances = np.einsum("ij,ij->j", spread, spread)
        return np.asarray(log_ndtr(signs * (rows @ self.mean) / np.sqrt(self.noise**2 + variances)))


def in_span(rows: Floats) -> Floats:
    """Return rows with the same products as the given ones, and no more columns than rows."""
    if len(rows) >= rows.shape[1]:
        return rows
    return np.asarray(np.linalg.qr(rows.T, mode="r")).T


@one_thread()
def posterior(
    rows: Floats, signs: Floats, noise: float, factors: Factors | None = None
) -> Posterior:
    """Return what answers leave, starting from factors for about the same noise if there are some.

    Parameters
    ----------
    rows : (n, r) F; see :func:`in_span`
    signs : (n,) answers, +1 or -1
    noise : s, above 0
    factors : where to begin
    """
    factors = Factors.none(len(rows)) if factors is None else factors
    share, before, moved = DAMPING, None, np.inf
    for _ in range(MOST_ROUNDS):
        state = _Round(rows, signs, noise, factors)
        if before is not None:
            last, moved = moved, float(np.abs(state.left_out - before).max(initial=0.0))
            if moved <= SETTLED:
                break
            if moved > last:
                share = max(share / 2, LEAST_DAMPING)
        before = state.left_out
        factors = state.updated(share)
    return Posterior(
        noise, state.mean, state.root, state.factors, state.left_out, state.log_evidence()
    )


class _Round:
    """Everything that follows from one choice of factors."""

    def __init__(self, rows: Floats, signs: Floats, noise: float, factors: Factors) -> None:
        self.signs, self.factors = signs, factors
        inverse = (rows.T * factors.precisions) @ rows
        inverse.flat[:: len(inverse) + 1] += 1.0
        self.root = cholesky(inverse, lower=True, check_finite=False)
        self.pull = rows.T @ factors.shifts
        self.mean = cho_solve((self.root, True), self.pull, check_finite=False)
        spread = solve_triangular(self.root, rows.T, lower=True, check_finite=False)
        variances = np.einsum("ij,ij->j", spread, spread)
        # Without its own factor, each answer's f has these moments.
        others = 1.0 - factors.precisions * variances
        self.variances = variances / others
        self.means = (rows @ self.mean - variances * factors.shifts) / others
        self.total = noise**2 + self.variances
        self.margins = signs * self.means / np.sqrt(self.total)
        self.left_out = np.asarray(log_ndtr(self.margins))

    def updated(self, share: float) -> Factors:
        """Return factors nearer to those that match the moments of the likelihoods."""
        ratio = np.exp(-0.5 * self.margins**2 - self.left_out) / np.sqrt(2 * np.pi)
        slope = self.signs * ratio / np.sqrt(self.total)
        # Between 0 and 1, which rounding does not know: what rests is then never below the noise's.
        bend = np.clip(ratio * (self.margins + ratio), 0.0, 1.0) / self.total
        rest = 1.0 - bend * self.variances
        precisions = bend / rest
        shifts = (slope + bend * self.means) / rest
        old = self.factors
        return Factors(
            old.precisions + share * (precisions - old.precisions),
            old.shifts + share * (shifts - old.shifts),
        )

    def log_evidence(self) -> float:
        """Return the log-probability of all answers (Rasmussen and Williams, Section 3.6.3)."""
        precisions, shifts = self.factors.precisions, self.factors.shifts
        grown = 1.0 + precisions * self.variances
        # What each factor is off from its likelihood, by the moments it was matched at.
        means = self.means
        exponents = -0.5 * precisions * means**2 + shifts * means + 0.5 * shifts**2 * self.variances
        scales = self.left_out + 0.5 * np.log(grown) - exponents / grown
        whole = 0.5 * float(self.pull @ self.mean) - float(np.log(self.root.diagonal()).sum())
        return float(scales.sum()) + whole
