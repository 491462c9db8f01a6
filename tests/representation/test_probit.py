"""Bayesian probit regression by expectation propagation, against exact chances and the sampler."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, norm

from aluma.pool import Pool
from aluma.representation.lift import largest_norm
from aluma.representation.probit import Factors, in_span, posterior
from aluma.spaces.lifted import LiftedSpace
from evidence import generator, seed_of

NOISES = [0.1, 0.5, 2.0]


def answers(rng: np.random.Generator, n: int, d: int, noise: float) -> tuple[np.ndarray, ...]:
    """Return examples of the unit ball and what a probit model answers."""
    rows = rng.standard_normal((n, d))
    rows *= rng.uniform(0.3, 1.0, (n, 1)) / np.linalg.norm(rows, axis=1, keepdims=True)
    products = rows @ rng.standard_normal(d)
    return rows, np.where(products + noise * rng.standard_normal(n) > 0, 1.0, -1.0)


def exact_log_evidence(rows: np.ndarray, signs: np.ndarray, noise: float) -> float:
    """Return the chance of a few answers: that of an orthant under a Gaussian."""
    covariance = np.outer(signs, signs) * (rows @ rows.T + noise**2 * np.eye(len(rows)))
    law = multivariate_normal(np.zeros(len(rows)), covariance, seed=np.random.default_rng(0))
    return float(np.log(law.cdf(np.zeros(len(rows)))))


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("d", [1, 3, 8])
def test_the_evidence_of_a_few_answers_is_the_chance_of_an_orthant(d: int, noise: float) -> None:
    rows, signs = answers(generator(0, d), 5, d, noise)
    found = posterior(in_span(rows), signs, noise)
    assert found.log_evidence == pytest.approx(exact_log_evidence(rows, signs, noise), abs=0.25)


@pytest.mark.parametrize("noise", [0.5, 2.0])
def test_an_answer_given_the_others_is_what_it_adds_to_the_evidence(noise: float) -> None:
    rows, signs = answers(generator(1), 30, 6, noise)
    whole = posterior(rows, signs, noise)
    for i in range(3):
        rest = np.delete(np.arange(30), i)
        others = posterior(rows[rest], signs[rest], noise)
        alone = float(others.log_chances(rows[[i]], signs[[i]])[0])
        assert whole.left_out[i] == pytest.approx(alone, abs=0.02)
        assert whole.log_evidence - others.log_evidence == pytest.approx(alone, abs=0.02)


@pytest.mark.parametrize("slack", [1e-4, 0.02, 0.5, 16.0])
@pytest.mark.parametrize(("n", "d"), [(6, 1), (30, 5), (40, 60)])
def test_chances_are_those_of_the_lifted_version_space(n: int, d: int, slack: float) -> None:
    """Shares of 4,096 hypotheses have a standard error of 0.008 at most.

    Six of them are 0.05; the approximation itself was at most 0.02 off on problems like these.
    """
    rng = generator(2, n)
    X, signs = answers(rng, n + 100, d, slack**0.25)
    X *= 7.0
    pool = Pool(X)
    space = LiftedSpace(pool, 4096, seed_of(0), slack=slack)
    for i in range(n):
        space.add(i, int(signs[i]))
    rows = X / largest_norm(pool)
    found = posterior(rows[:n], signs[:n], slack**0.25)
    chances = np.exp(found.log_chances(rows[n:], np.ones(100)))
    off = np.abs(chances - space.shares(pool)[n:])
    assert off.max() < 0.07
    assert off.mean() < 0.02


def test_no_answers_leave_everything_open() -> None:
    found = posterior(np.empty((0, 3)), np.empty(0), 0.5)
    assert found.log_evidence == 0.0
    assert np.exp(found.log_chances(np.eye(3), np.ones(3))) == pytest.approx(0.5)


def test_where_it_begins_does_not_matter() -> None:
    rows, signs = answers(generator(3), 60, 8, 0.3)
    one = posterior(rows, signs, 0.3)
    far = Factors(np.full(60, 5.0), 3.0 * signs)
    other = posterior(rows, signs, 0.3, far)
    assert one.log_evidence == pytest.approx(other.log_evidence, abs=0.01)
    assert one.left_out == pytest.approx(other.left_out, abs=0.05)


@pytest.mark.parametrize(
    ("noise", "wrong"), [(1e-3, 0), (0.1, 0), (0.1, 1), (0.1, 30), (3.0, 0), (3.0, 1), (3.0, 30)]
)
def test_answers_that_repeat_or_contradict_each_other_are_no_trouble(
    noise: float, wrong: int
) -> None:
    """Equal rows are what updates made all at once overshoot with; here one integral is exact."""
    row = np.ones((1, 4)) / 2
    signs = np.where(np.arange(60) < wrong, -1.0, 1.0)
    found = posterior(np.repeat(row, 60, axis=0), signs, noise)
    grid = np.linspace(-6, 6, 200_001)
    logs = norm.logpdf(grid) + (60 - wrong) * norm.logcdf(grid / noise)
    logs += wrong * norm.logcdf(-grid / noise)
    exact = logsumexp(logs) + np.log(grid[1] - grid[0])
    assert found.log_evidence == pytest.approx(exact, abs=0.8)
    chance = np.exp(logsumexp(logs + norm.logcdf(grid / noise)) - logsumexp(logs))
    assert np.exp(found.log_chances(row, np.ones(1)))[0] == pytest.approx(chance, abs=0.05)


def test_rows_in_their_span_have_the_same_products() -> None:
    rows = generator(4).standard_normal((5, 9))
    short = in_span(rows)
    assert short.shape == (5, 5)
    assert short @ short.T == pytest.approx(rows @ rows.T)
    assert in_span(rows.T) is not short
    assert in_span(rows.T).shape == (9, 5)
