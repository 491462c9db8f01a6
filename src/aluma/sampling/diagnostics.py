"""How much a set of Markov chains is worth: effective sample size and split R-hat.

Both follow Gelman et al., "Bayesian Data Analysis", chapter 11, and Geyer's initial sequences
(1992). They are evidence about mixing, never a proof of it.
"""

from __future__ import annotations

import numpy as np

from aluma.arrays import Floats


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
    pairs = correlation[0 : length - length % 2].reshape(length // 2, 2, -1).sum(axis=1)
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
    halves = np.concatenate([draws[:, :half], draws[:, -half:]])
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = half * halves.mean(axis=1).var(axis=0, ddof=1)
    ratio = (half - 1) / half + between / (half * np.where(within > 0, within, np.inf))
    return np.asarray(np.sqrt(ratio))


def correlation(before: Floats, after: Floats) -> Floats:
    """Return, for each function, how its values before and after some steps are correlated.

    Parameters
    ----------
    before, after : (chains, f)
    """
    x, y = _centred(before), _centred(after)
    size = np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
    still = (x == 0).all(axis=0) & (y == 0).all(axis=0)
    # A function that is constant on the cone has nothing to forget; one that was constant only
    # before, because all chains sat at one point, has everything to.
    unknown = np.where(still, 0.0, 1.0)
    product = (x * y).sum(axis=0)
    return np.asarray(np.where(size > 0, product / np.where(size > 0, size, 1.0), unknown))


def _centred(values: Floats) -> Floats:
    """Subtract the mean; what only rounding made different becomes exactly constant."""
    centred = values - values.mean(axis=0)
    noise = 1e-12 * np.abs(values).max(axis=0)
    return np.asarray(np.where(np.abs(centred).max(axis=0) <= noise, 0.0, centred))


def _autocovariance(centred: Floats) -> Floats:
    """Return (length, f) covariances by lag, averaged over chains that share one mean."""
    length = centred.shape[1]
    padded = np.fft.rfft(centred, n=2 * length, axis=1)
    power = (padded * padded.conj()).mean(axis=0)
    lags = np.fft.irfft(power, n=2 * length, axis=0)[:length]
    return np.asarray(lags / np.arange(length, 0, -1)[:, None])
