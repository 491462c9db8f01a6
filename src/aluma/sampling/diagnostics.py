"""How much a set of Markov chains is worth: effective sample size and split R-hat.

Both follow Gelman et al., "Bayesian Data Analysis", chapter 11, and Geyer's initial sequences
(1992). They are evidence about mixing, never a proof of it.
"""

from __future__ import annotations

import numpy as np

from aluma.arrays import Floats

#: Relative differences that rounding alone can make.
NOISE = 1e-14


def effective_sample_size(draws: Floats) -> Floats:
    """Return the number of independent draws that the means of the chains are worth.

    Parameters
    ----------
    draws : (chains, length, f) values of f functions along the chains

    Returns
    -------
    (f,) effective sizes, at most chains * length: negative correlation gets no credit, since it
    can be bought for some functions at the cost of others.
    """
    chains, length, _ = draws.shape
    centred = draws - draws.mean(axis=(0, 1))
    spread = (centred**2).mean(axis=(0, 1))
    correlation = _autocovariance(centred) / np.where(spread > 0, spread, 1.0)
    pairs = correlation[0 : length - length % 2].reshape(length // 2, 2, draws.shape[2]).sum(axis=1)
    falling = np.minimum.accumulate(np.maximum(pairs, 0.0), axis=0)
    # Geyer: sums of neighbours are positive and fall for a reversible chain; noise starts where
    # they do not.
    positive = np.logical_and.accumulate(pairs > 0, axis=0)
    time = np.maximum(2.0 * (falling * positive).sum(axis=0) - 1.0, 1.0)
    return np.asarray(chains * length / time)


def split_rhat(draws: Floats) -> Floats:
    """Return split R-hat of f functions, near 1 when every half of every chain tells the same.

    Parameters
    ----------
    draws : (chains, length, f), length at least 4
    """
    half = draws.shape[1] // 2
    shifted = draws - draws[0, 0]
    constant = np.abs(shifted).max(axis=(0, 1)) <= NOISE * np.abs(draws).max(axis=(0, 1))
    halves = np.concatenate([shifted[:, :half], shifted[:, -half:]])
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = half * halves.mean(axis=1).var(axis=0, ddof=1)
    # Chains that stand still at different places have mixed infinitely badly.
    still = np.where(constant, 0.0, np.inf)
    moving = (within > 0) & ~constant
    share = np.where(moving, between / np.where(moving, within, 1.0), still)
    return np.asarray(np.sqrt((half - 1) / half + share / half))


def correlation(before: Floats, after: Floats) -> Floats:
    """Return, for each function, how its values before and after some steps are correlated.

    Parameters
    ----------
    before, after : (chains, f)
    """
    # Shifting first makes what is constant exactly zero: a mean of many is only nearly it.
    x, y = before - before[0], after - after[0]
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    moved = np.abs(x).max(axis=0), np.abs(y).max(axis=0)
    noise = NOISE * np.abs(after).max(axis=0)
    size = np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
    product = (x * y).sum(axis=0) / np.where(size > 0, size, 1.0)
    # A function that is constant on the cone, but for rounding, has nothing to forget; one that
    # was constant only before, because all chains sat at one point, has everything to.
    constant = moved[1] <= noise
    at_one_point = (moved[0] <= noise) & (moved[1] > 100 * noise)
    return np.asarray(np.where(constant, 0.0, np.where(at_one_point, 1.0, product)))


def _autocovariance(centred: Floats) -> Floats:
    """Return (length, f) covariances by lag, averaged over chains that share one mean."""
    length = centred.shape[1]
    padded = np.fft.rfft(centred, n=2 * length, axis=1)
    power = (padded * padded.conj()).mean(axis=0)
    lags = np.fft.irfft(power, n=2 * length, axis=0)[:length]
    return np.asarray(lags / np.arange(length, 0, -1)[:, None])
