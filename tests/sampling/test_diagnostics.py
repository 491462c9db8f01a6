"""Effective sample size, split R-hat and correlation: known processes and degenerate ones."""

import numpy as np
import pytest

from aluma.sampling.diagnostics import correlation, effective_sample_size, split_rhat
from closed_forms import Floats
from evidence import generator


def autoregression(
    phi: float, chains: int, length: int, rng: np.random.Generator, f: int = 1
) -> Floats:
    """Return stationary x_s = phi x_(s-1) + noise of variance one, (chains, length, f)."""
    draws = np.empty((chains, length, f))
    draws[:, 0] = rng.standard_normal((chains, f))
    for step in range(1, length):
        noise = rng.standard_normal((chains, f))
        draws[:, step] = phi * draws[:, step - 1] + np.sqrt(1 - phi**2) * noise
    return draws


# Effective sample size.


@pytest.mark.parametrize(
    ("phi", "noise"), [(0.2, 0.014), (0.5, 0.018), (0.8, 0.028), (0.95, 0.065)]
)
def test_effective_size_of_an_autoregression(phi: float, noise: float) -> None:
    """For a long chain it is n (1 - phi) / (1 + phi).

    ``noise`` is the standard deviation of the ratio of the two that 50 other seeds showed, their
    mean being within 0.5% of one. Five of it are a false alarm of 1e-5 for the four functions.
    """
    draws = autoregression(phi, 200, 500, generator(1), f=4)
    expected = 200 * 500 * (1 - phi) / (1 + phi)
    np.testing.assert_allclose(effective_sample_size(draws), expected, rtol=5 * noise)


def test_independent_draws_count_in_full_and_never_more() -> None:
    draws = generator(2).standard_normal((100, 200, 5))
    sizes = effective_sample_size(draws)
    assert (sizes <= 100 * 200).all()
    assert (sizes > 0.9 * 100 * 200).all()


@pytest.mark.parametrize("phi", [-0.5, -0.9])
def test_negative_correlation_gets_no_credit(phi: float) -> None:
    draws = autoregression(phi, 100, 200, generator(3))
    assert effective_sample_size(draws)[0] == 100 * 200


def test_chains_that_disagree_are_worth_little() -> None:
    """A mean of its own for each of 50 chains: the grand mean is worth 50 draws, not 10,000.

    Lags that never decay are cut off at the length of the chain, which errs towards less.
    """
    rng = generator(4)
    draws = 10 * rng.standard_normal((50, 1, 1)) + rng.standard_normal((50, 200, 1))
    assert 20 < effective_sample_size(draws)[0] < 60


def test_each_function_has_a_size_of_its_own() -> None:
    rng = generator(5)
    slow, fast = autoregression(0.9, 50, 300, rng), autoregression(0.0, 50, 300, rng)
    both = effective_sample_size(np.concatenate([slow, fast], axis=2))
    np.testing.assert_allclose(both[:1], effective_sample_size(slow))
    np.testing.assert_allclose(both[1:], effective_sample_size(fast))
    assert both[1] > 10 * both[0]


def test_a_shift_or_a_scale_changes_no_size() -> None:
    draws = autoregression(0.6, 20, 100, generator(6))
    np.testing.assert_allclose(
        effective_sample_size(1e3 - 7 * draws), effective_sample_size(draws), rtol=1e-6
    )


@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_short_chains(length: int) -> None:
    draws = generator(7).standard_normal((40, length, 2))
    sizes = effective_sample_size(draws)
    assert ((sizes > 0) & (sizes <= 40 * length)).all()


# Split R-hat.


@pytest.mark.parametrize("length", [4, 5, 20, 200])
def test_rhat_of_independent_draws_is_one(length: int) -> None:
    """With 2 x 1000 halves it is one up to a few parts in a thousand (and 1/length)."""
    draws = generator(8).standard_normal((1000, length, 3))
    np.testing.assert_allclose(split_rhat(draws), 1.0, atol=0.1 / np.sqrt(length))


def test_rhat_of_chains_that_hardly_move_is_large() -> None:
    rng = generator(9)
    draws = rng.standard_normal((50, 1, 2)) + 0.01 * rng.standard_normal((50, 20, 2))
    assert (split_rhat(draws) > 20).all()


def test_rhat_of_chains_that_drift_is_large() -> None:
    """All chains agree with each other, but not with themselves: this is why they are split."""
    rng = generator(10)
    drift = np.linspace(0, 5, 40)[None, :, None]
    assert (split_rhat(drift + rng.standard_normal((50, 40, 2))) > 1.3).all()


def test_rhat_of_chains_that_stand_still_at_different_places_is_infinite() -> None:
    stuck = np.repeat(generator(11).standard_normal((50, 1, 2)), 8, axis=1)
    assert (split_rhat(stuck) > 1e6).all()


def test_rhat_of_a_constant_is_not_large() -> None:
    """A function that is the same everywhere has nothing to disagree about."""
    assert (split_rhat(np.full((10, 8, 2), 3.0)) <= 1.0).all()


# Correlation of now with then.


def test_correlation_is_that_of_numpy() -> None:
    rng = generator(12)
    before = rng.standard_normal((300, 6))
    after = np.linspace(-1, 1, 6) * before + rng.standard_normal((300, 6))
    expected = [np.corrcoef(before[:, j], after[:, j])[0, 1] for j in range(6)]
    np.testing.assert_allclose(correlation(before, after), expected)


def test_correlation_of_a_constant_function_is_zero() -> None:
    rounding = 1 + 1e-16 * generator(13).standard_normal((100, 1))
    assert correlation(np.ones((100, 1)), rounding) == 0.0


def test_a_start_at_one_point_is_not_forgotten_before_it_is_left() -> None:
    spread = generator(14).standard_normal((100, 1))
    assert correlation(np.ones((100, 1)), spread) == 1.0


@pytest.mark.parametrize("size", [1e-15, 3e-15, 1e-14, 3e-13, 1e-12, 1e-11])
def test_independent_values_are_not_correlated_however_small_their_spread(size: float) -> None:
    """A function whose spread is about the rounding that is ignored has nothing to remember.

    In a wedge of width 3e-7 the product with the axis varies by 1e-14: its values before and after
    may be on different sides of the limit.
    """
    rng = generator(15)
    for _ in range(50):
        before, after = 1 + size * rng.standard_normal((2, 256, 1))
        assert abs(correlation(before, after)[0]) < 0.5
