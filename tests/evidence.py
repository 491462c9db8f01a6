"""What a statistical test asks for before it fails, and where seeds come from.

Reflections are chaotic: another processor rounds otherwise, and a fixed seed does not fix the draws
there. So every run of a statistical test may be its unlucky one, and :func:`holds` looks twice. A
first look is cheap and rejects at ``FIRST``. Only if it does, there is a second with a fresh seed
and ``MORE`` times the draws, and the test fails if that rejects at ``SECOND`` too.

**False alarms.** The looks share no draws, so a law that is right fails one test with probability
``FIRST * SECOND`` = 1e-11 at most, and all that the suite can hold, ``MOST_TESTS`` = 2,000, with
2e-8 (a union bound, which needs no independence between tests). p-values need not be perfect for
that. Hypotheses of a population may vary by 1.2 times what independent ones would, which makes the
two levels 3e-3 and 2e-7 in the worst case: 6e-10 a test, and 1e-6 would be passed by 1,600 of them;
there are fewer than a hundred. ``tests/test_evidence.py`` counts.

Tests that only use NumPy's own draws from a fixed seed (of bounds, shortlists, projections) are
not among them: they draw the same on every processor, and passed once they pass everywhere. Nor are
learning curves, which are bounded with room to spare.

**Power.** What a first look of four standard errors sees (more than seven times in ten) is
eight in the second, where six are enough. Controls say with :func:`caught` that a law that is wrong
on purpose fails.

**Other seeds.** ``ALUMA_SEED_OFFSET`` is added to every seed that comes from :func:`seed_of` and
:func:`generator`: nothing may hang on the seeds that happen to be written down.
"""

import os
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2, chisquare, ks_2samp, norm

#: Levels of the two looks, and how many times the draws of the first the second has.
FIRST, SECOND, MORE = 1e-3, 1e-8, 4
#: As many tests as this, each with its parameters, may use :func:`holds`.
MOST_TESTS = 2000
#: What is promised of the whole suite.
SUITE_ALARM = 1e-6
#: Between the seeds of the two looks: no test counts its own so far.
FRESH = 1_000_003

OFFSET = int(os.environ.get("ALUMA_SEED_OFFSET", "0"))

#: Returns p-values from a seed and the factor by which draws are to be more than usual.
Look = Callable[[int, int], ArrayLike]


def seed_of(n: int) -> int:
    """Return the n-th seed of this run of the suite."""
    return n + OFFSET


def generator(*key: int) -> np.random.Generator:
    """Return the generator that belongs to a key, in this run of the suite."""
    return np.random.default_rng((seed_of(key[0]), *key[1:]))


def stream(*key: int) -> np.random.Generator:
    """Return the generator that belongs to a key of which a look's seed is a part."""
    return np.random.default_rng(key)


def adjusted(p_values: ArrayLike) -> float:
    """Return the smallest of some p-values, adjusted for their number (Bonferroni)."""
    p = np.atleast_1d(np.asarray(p_values, dtype=float)).ravel()
    # A p-value that is not a number is no evidence for anything.
    assert not np.isnan(p).any(), f"p-values {p}"
    return float(min(p.min() * p.size, 1.0))


def looks(look: Look, first: int) -> tuple[float, float]:
    """Return the p-values of both looks; the second is 1 where the first sees nothing."""
    p = adjusted(look(seed_of(first), 1))
    return p, (adjusted(look(seed_of(first) + FRESH, MORE)) if p < FIRST else 1.0)


def holds(look: Look, first: int = 0) -> None:
    """Assert that a law holds: fail if both looks reject."""
    p, again = looks(look, first)
    assert again >= SECOND, f"p = {p:.1e}, and {again:.1e} with a fresh seed and {MORE} times more"


def caught(look: Look, first: int = 0) -> None:
    """Assert that what is wrong on purpose is rejected at the stricter level, soon or later.

    It fails by chance only if the effect hides in two looks, and in the second it is twice as many
    standard errors.
    """
    p = adjusted(look(seed_of(first), 1))
    again = p if p < SECOND else adjusted(look(seed_of(first) + FRESH, MORE))
    assert again < SECOND, f"a law that is wrong passed: p = {p:.1e} and {again:.1e}"


# p-values that many tests share.


def two_sided(z: ArrayLike) -> NDArray[np.float64]:
    """Return the p-values of standard normal deviations."""
    return np.asarray(2 * norm.sf(np.abs(z)))


def same_law(one: ArrayLike, other: ArrayLike) -> list[float]:
    """Compare the columns of two samples (Kolmogorov and Smirnov)."""
    pairs = zip(np.transpose(one), np.transpose(other), strict=True)
    # The exact method gives up with a warning for some sizes; samples are large.
    return [float(ks_2samp(a, b, method="asymp").pvalue) for a, b in pairs]


def cells_fit(counts: ArrayLike, shares: ArrayLike, least: float = 20.0) -> float:
    """Test counts against shares; cells that are expected fewer times than ``least`` are merged."""
    observed, share = np.asarray(counts, dtype=float), np.asarray(shares, dtype=float)
    expected = observed.sum() * share / share.sum()
    order = np.argsort(expected)
    # As many of the smallest as make up one that is large enough, and all that are too small.
    together = int((expected[order].cumsum() < least).sum()) + 1
    merged = order[: max(together if expected[order[0]] < least else 1, (expected < least).sum())]
    rest = np.setdiff1d(np.arange(len(share)), merged)
    observed, expected = (np.append(x[rest], x[merged].sum()) for x in (observed, expected))
    return float(chisquare(observed, expected).pvalue)


def too_alike(values: ArrayLike, most: float = 1.0) -> NDArray[np.float64]:
    """Test that draws of one seed are no more alike than those of different seeds.

    Parameters
    ----------
    values : array of shape (seeds, draws, functions)
    most : float
        By how much the variance of a seed's mean may be inflated.

    Returns
    -------
    array of shape (functions,)
        p-values. If draws are independent, the variance over seeds of a seed's mean is that of a
        draw over their number: their ratio times (seeds - 1) is a chi-square. A single p-value can
        not see that draws are too alike; it only turns up too small, or too large, too often.
    """
    array = np.asarray(values, dtype=float)
    seeds, draws, _ = array.shape
    within = array.var(axis=1, ddof=1).mean(axis=0) / draws
    # What draws of a seed share is missing from their spread around its mean, but not from this.
    ratio = array.mean(axis=1).var(axis=0, ddof=1) / within
    return np.asarray(chi2.sf((seeds - 1) * ratio / most, seeds - 1))
