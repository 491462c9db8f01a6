"""Kernels as features: inner products of features are the kernel's values."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity, polynomial_kernel, rbf_kernel

from aluma import Pool
from aluma.representation import Kernel, KernelMap
from aluma.representation.kernels import LANDMARKS

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 3))
NEW = RNG.standard_normal((7, 3))
SCALE = 1 / (3 * X.var())

KERNELS = {
    "linear": (None, lambda a, b: a @ b.T),
    "named": ("linear", lambda a, b: a @ b.T),
    "cosine": ("cosine", cosine_similarity),
    "rbf": ("rbf", lambda a, b: rbf_kernel(a, b, gamma=SCALE)),
    "rbf gamma": ({"name": "rbf", "gamma": 0.1}, lambda a, b: rbf_kernel(a, b, gamma=0.1)),
    "poly": (
        {"name": "poly", "degree": 2, "coef0": 0.5, "gamma": 2.0},
        lambda a, b: polynomial_kernel(a, b, degree=2, gamma=2.0, coef0=0.5),
    ),
    "function": (lambda a, b: (1 + a @ b.T) ** 2, lambda a, b: (1 + a @ b.T) ** 2),
}


@pytest.mark.parametrize("name", KERNELS)
def test_products_of_features_are_kernel_values(name: str) -> None:
    kernel, expected = KERNELS[name]
    mapped = KernelMap(kernel).fit(Pool(X))
    pool, new = mapped.features(Pool(X)), mapped.features(Pool(NEW))
    # Directions below NEGLIGIBLE of the largest eigenvalue are dropped, 1e-9 * 40 of trace at most.
    np.testing.assert_allclose(pool @ pool.T, expected(X, X), atol=1e-6)
    np.testing.assert_allclose(new @ pool.T, expected(NEW, X), atol=1e-5)


@pytest.mark.parametrize("name", ["cosine", "rbf", "poly"])
def test_sparse_examples_have_the_same_features(name: str) -> None:
    thin = np.where(RNG.random(X.shape) < 0.5, X, 0.0)
    dense = KernelMap(name).fit(Pool(thin)).features(Pool(thin))
    features = KernelMap(name).fit(Pool(sparse.csr_matrix(thin)))
    found = features.features(Pool(sparse.csr_matrix(thin)))
    found = found.toarray() if sparse.issparse(found) else found
    np.testing.assert_allclose(found @ found.T, dense @ dense.T, atol=1e-8)


def test_a_precomputed_matrix_may_be_singular() -> None:
    features = KernelMap("precomputed").fit(Pool(X @ X.T))
    found = features.features(Pool(X @ X.T))
    assert found.shape == (40, 3)
    np.testing.assert_allclose(found @ found.T, X @ X.T, atol=1e-9)
    np.testing.assert_allclose(features.features(Pool(NEW @ X.T)) @ found.T, NEW @ X.T, atol=1e-9)


def test_rounding_of_float32_is_forgiven() -> None:
    K = rbf_kernel(X).astype(np.float32).astype(float)
    K[0, 1] += 2e-7
    assert KernelMap("precomputed").fit(Pool(K)).features(Pool(K)).shape[0] == 40


@pytest.mark.parametrize(
    ("K", "words"),
    [
        (np.ones((3, 4)), "one row and one column"),
        (np.array([[1.0, 0.5], [0.4, 1.0]]), "not symmetric"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "not positive semidefinite"),
        (np.zeros((2, 2)), "all zeros"),
    ],
)
def test_what_is_no_kernel_matrix_is_refused(K: np.ndarray, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        KernelMap("precomputed").fit(Pool(K))


def test_large_pools_use_landmarks_and_approximate_the_kernel() -> None:
    many = np.random.default_rng(1).standard_normal((2500, 2))
    features = KernelMap({"name": "rbf", "gamma": 0.5}).fit(Pool(many)).features(Pool(many))
    assert features.shape[1] <= LANDMARKS
    some = slice(0, 2500, 50)
    error = np.abs(features[some] @ features[some].T - rbf_kernel(many[some], gamma=0.5))
    assert error.max() < 0.05
    assert error.mean() < 1e-3


def test_the_number_of_landmarks_can_be_chosen() -> None:
    mapped = KernelMap({"name": "rbf", "landmarks": 9}, seed=3).fit(Pool(X))
    assert mapped.features(Pool(X)).shape == (40, 9)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        ("gauss", "there is no kernel 'gauss'"),
        ({"name": "rbf", "width": 2}, "no 'width'"),
        ({"name": "rbf", "gamma": -1.0}, "gamma must be positive"),
        ({"name": "poly", "coef0": -1.0}, "coef0"),
        (3, "kernel must be"),
    ],
)
def test_wrong_kernels_are_explained(kernel: object, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        Kernel.of(kernel)


def test_a_function_must_return_one_value_per_pair() -> None:
    with pytest.raises(ValueError, match="every pair"):
        KernelMap(lambda a, b: a @ a.T[:, :2]).fit(Pool(X))


def test_new_examples_need_the_same_columns() -> None:
    with pytest.raises(ValueError, match="5 columns"):
        KernelMap("rbf").fit(Pool(X)).features(Pool(np.ones((2, 5))))
