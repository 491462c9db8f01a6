"""Softmax regression, against its optimality conditions and scikit-learn's solver."""

import numpy as np
from sklearn.linear_model import LogisticRegression

from aluma.representation.softmax import likeliest
from evidence import generator


def test_no_weight_is_pulled_at_the_likeliest() -> None:
    rng = generator(1)
    rows, told = rng.standard_normal((40, 6)), rng.integers(0, 4, 40)
    for noise in (0.3, 1.0, 3.0):
        weights = noise * likeliest(rows, told, 4, noise)
        chances = np.exp(rows @ weights.T / noise)
        chances /= chances.sum(axis=1, keepdims=True)
        pull = weights + (chances - np.eye(4)[told]).T @ rows / noise
        assert np.abs(pull).max() < 0.05


def test_it_is_logistic_regression_without_a_constant() -> None:
    rng = generator(2)
    rows, noise = rng.standard_normal((60, 5)), 0.5
    told = (rows @ rng.standard_normal((5, 3)) + rng.standard_normal((60, 3))).argmax(axis=1)
    theirs = LogisticRegression(C=1 / noise**2, fit_intercept=False, tol=1e-8, max_iter=5000)
    theirs.fit(rows, told)
    np.testing.assert_allclose(
        noise * likeliest(rows, told, 3, noise), noise * theirs.coef_, atol=0.02
    )


def test_a_class_that_nobody_told_is_expected_nowhere_that_was_told() -> None:
    rng = generator(3)
    rows, told = rng.standard_normal((20, 30)), rng.integers(0, 2, 20)
    products = rows @ likeliest(rows, told, 3, 0.2).T
    np.testing.assert_array_equal(products.argmax(axis=1), told)
    assert (products[:, 2] < products[np.arange(20), told]).all()
