"""Coordinates of their own: the exact lifted cone, and votes in closed form."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from aluma import ALuMA, Pool
from aluma.representation.own import OwnCoordinates
from aluma.sampling.population import Population
from aluma.scoring.soft import soft_shares, soft_votes

RNG = np.random.default_rng(3)
X = RNG.standard_normal((6, 2))
C = float(np.linalg.norm(X, axis=1).max())


def test_the_gram_matrix_of_the_walls_is_the_papers() -> None:
    own = OwnCoordinates(0.3, C)
    walls = [np.pad(own.wall(x, i), (0, 5 - i)) for i, x in enumerate(X)]
    a2 = 1 / (1 + np.sqrt(0.3))
    expected = a2 * X @ X.T / C**2 + (1 - a2) * np.eye(6)
    np.testing.assert_allclose(np.array(walls) @ np.array(walls).T, expected)
    assert own.own / own.shrink == pytest.approx(0.3**0.25)


def lifted_population(own: OwnCoordinates, signs: np.ndarray, size: int) -> Population:
    population = Population(2, size, seed=1)
    for place, (x, sign) in enumerate(zip(X, signs, strict=False)):
        wall = sign * own.wall(x, place)
        population.add(wall / np.linalg.norm(wall))
    return population


def test_vote_shares_agree_with_orthant_probabilities() -> None:
    """P[+ about x | answers] is a ratio of two orthant probabilities of the lifted Gram matrix."""
    own, signs, new = OwnCoordinates(0.05, C), np.array([1, -1, 1, 1]), X[5]
    population = lifted_population(own, signs, 20_000)
    halfspaces = own.halfspaces(population.hypotheses(), 2, np.random.default_rng(0))
    share = soft_shares(Pool(new[None, :]), halfspaces)[0]
    rows = np.vstack([signs[:, None] * X[:4], new])
    gram = own.shrink**2 * rows @ rows.T / C**2 + own.own**2 * np.eye(5)
    both = multivariate_normal(cov=gram, seed=0).cdf(np.zeros(5))
    told = multivariate_normal(cov=gram[:4, :4], seed=0).cdf(np.zeros(4))
    # Twenty thousand soft votes of variance below 1/4: five standard errors are 0.018.
    assert share == pytest.approx(both / told, abs=0.018)


def test_the_closed_form_is_the_mean_over_the_coordinate_that_is_integrated_out() -> None:
    halfspaces = RNG.standard_normal((50, 2))
    pool = Pool(X)
    noise = RNG.standard_normal((50, 4000))
    drawn = [(halfspaces @ x)[:, None] + noise > 0 for x in X]
    # 200,000 votes, in 4,000 independent columns: five standard errors are below 0.04.
    np.testing.assert_allclose(
        soft_shares(pool, halfspaces), [one.mean() for one in drawn], atol=0.04
    )
    np.testing.assert_allclose(
        soft_votes(pool, halfspaces, np.arange(6)), norm.cdf(X @ halfspaces.T), atol=1e-5
    )


def test_halfspaces_have_the_length_of_gaussians() -> None:
    """Without answers, w / noise is N(0, 1 / (s c)^2) in every coordinate."""
    own = OwnCoordinates(0.01, 2.0)
    drawn = own.halfspaces(Population(3, 20_000).hypotheses(), 3, np.random.default_rng(0))
    spread = drawn.std(axis=0) * 0.01**0.25 * 2.0
    # The standard error of a standard deviation is 1 / sqrt(2 n) = 0.005.
    np.testing.assert_allclose(spread, 1.0, atol=0.025)


def test_a_learner_with_slack_never_has_more_than_d_plus_t_coordinates() -> None:
    pool = np.random.default_rng(0).standard_normal((500, 4))
    learner = ALuMA(pool, classes=(-1, 1), slack=0.1, n_hypotheses=256)
    for _ in range(7):
        learner.tell(learner.ask(), 1)
    assert learner.population.hypotheses().shape == (256, 4 + 7)
    assert learner.population.cone.walls.shape == (7, 4 + 7)


def test_the_lifted_learner_is_probit_regression() -> None:
    """Its vote shares are the posterior means of Phi under a Gaussian prior, by quadrature."""
    x, y, H = np.array([[1.0], [0.5], [-0.8], [0.3]]), [1, -1, 1, 1], 0.2
    learner = ALuMA(x, classes=(-1, 1), slack=H, n_hypotheses=20_000)
    for i in range(3):
        learner.tell(i, y[i])
    grid = np.linspace(-8, 8, 20_001)
    noise = H**0.25
    weight = norm.pdf(grid)
    for i in range(3):
        weight = weight * norm.cdf(y[i] * grid * x[i, 0] / noise)
    expected = (weight * norm.cdf(grid * x[3, 0] / noise)).sum() / weight.sum()
    # Five standard errors of twenty thousand soft votes are 0.018 at most.
    assert learner.predict_proba()[3, 1] == pytest.approx(expected, abs=0.018)
