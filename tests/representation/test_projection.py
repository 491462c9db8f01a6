"""Random signs, made without the points they project."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import binomtest

from aluma.representation import Lift
from aluma.representation.projection import CHUNK, SignProjection, signs


def test_signs_are_even_and_keyed() -> None:
    found = signs((3, 104), 300, 50)
    assert set(np.unique(found)) == {-1.0, 1.0}
    # False alarms: 1e-4.
    assert binomtest(int((found > 0).sum()), found.size).pvalue > 1e-4
    assert np.array_equal(found, signs((3, 104), 300, 50))
    assert not np.array_equal(found, signs((4, 104), 300, 50))


def test_fewer_rows_are_the_first_of_more() -> None:
    assert np.array_equal(signs((0,), CHUNK + 10, 7)[:20], signs((0,), 20, 7))


def test_it_is_the_projection_of_the_lifted_points() -> None:
    """The same numbers as the (d + m)-dimensional points and one large matrix would give."""
    X = np.random.default_rng(0).standard_normal((12, 4))
    lift = Lift(slack=0.3, dimension=6, random_state=5)
    found = lift.fit_transform(X)
    points = np.hstack([lift.shrink_ * X / lift.scale_, lift.own_ * np.eye(12)])
    matrix = np.vstack([signs((5, 104), 4, 6), signs((5, 105), 12, 6)]) / np.sqrt(6)
    np.testing.assert_allclose(found, points @ matrix, atol=1e-12)


def test_sparse_rows_give_the_same_numbers() -> None:
    X = sparse.random(50, 30, 0.1, random_state=0, format="csr")
    project = SignProjection(30, 8, 1)
    np.testing.assert_allclose(project.features(X), project.features(X.toarray()), atol=1e-12)


def test_inner_products_are_kept_on_average() -> None:
    X = np.random.default_rng(0).standard_normal((2, 20))
    products = [np.prod(SignProjection(20, 10, s).features(X), axis=0).sum() for s in range(2000)]
    # False alarms: 1e-4, by the normal approximation.
    error = np.mean(products) - X[0] @ X[1]
    assert abs(error) < 3.9 * np.std(products) / np.sqrt(len(products))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_memory_is_far_below_that_of_the_lifted_points(kind: object) -> None:
    """m (d + m) float64 would be 130 MB here; what is returned is 0.6 MB."""
    m, d, k = 4000, 60, 20
    X = kind(np.where(np.random.default_rng(0).random((m, d)) < 0.1, 1.0, 0.0))  # type: ignore[operator]
    lift = Lift(slack=0.1, dimension=k)
    tracemalloc.start()
    lift.fit_transform(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12e6
