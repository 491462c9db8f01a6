"""Algorithm 3 and its theorem."""

import doctest
import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import binom
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import aluma.representation.kernels
import aluma.representation.lift
import aluma.representation.transformer
from aluma import bounds
from aluma.lab.bench.noise import relative_margin
from aluma.lab.bench.noise_pools import known_pool
from aluma.representation import Lift, ProjectionWarning, smallest_slack


def test_the_lifted_pool_is_separable_with_the_margin_of_the_lemma_exactly() -> None:
    """Before projecting: y <w, x'> >= gamma / (1 + sqrt H) for the w of the proof, always."""
    for seed in range(20):
        pool = known_pool(30, 4, margin=0.2, pairs=2, seed=seed)
        lift = Lift(pool.margin, pool.slack).set_params(dimension=None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ProjectionWarning)
            rows = lift.fit_transform(pool.X)
        points = np.hstack([rows, lift.own_ * np.eye(30)])
        losses = np.maximum(0, pool.margin - pool.y * (pool.X / lift.scale_ @ pool.w))
        w = np.append(pool.w, lift.shrink_ / lift.own_ * pool.y * losses)
        margins = pool.y * (points @ w) / np.linalg.norm(w)
        promised = bounds.lifted_margin(pool.margin, pool.slack, projected=False)
        assert margins.min() >= promised * (1 - 1e-9)
        # The points returned lack the coordinates that were added here, and with them the margin.
        assert lift.margin_ is None


def test_the_theorem_holds_after_projection() -> None:
    """20 pools, promised to fail with probability 0.1 each; more than 6 has probability 0.0024."""
    failures = 0
    for seed in range(20):
        pool = known_pool(1200, 3, margin=0.9, pairs=1, seed=seed)
        lift = Lift(pool.margin, pool.slack, delta=0.1, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("error", ProjectionWarning)
            points = lift.fit_transform(pool.X)
        assert points.shape == (1200, lift.dimension_)
        assert lift.margin_ == pytest.approx(bounds.lifted_margin(pool.margin, pool.slack))
        failures += relative_margin(points, pool.y) < lift.margin_
    assert binom.sf(6, 20, 0.1) < 0.0025
    assert failures <= 6


def test_too_few_dimensions_lose_the_margin() -> None:
    """The check above can fail: projected to 3 dimensions, no such pool stays separable."""
    pool = known_pool(1200, 3, margin=0.9, pairs=1, seed=0)
    lift = Lift(pool.margin, pool.slack, dimension=3)
    assert relative_margin(lift.fit_transform(pool.X), pool.y) < 0.01
    assert lift.margin_ is None


def test_without_projection_a_warning_says_why() -> None:
    X = np.random.default_rng(0).standard_normal((50, 3))
    with pytest.warns(ProjectionWarning, match="nothing is projected"):
        lift = Lift(margin=0.1, slack=0.01).fit(X)
    assert lift.dimension_ is None
    np.testing.assert_allclose(lift.transform(X), lift.shrink_ * X / lift.scale_)


def test_the_dimension_is_the_theorems() -> None:
    pool = known_pool(2000, 3, margin=0.6, pairs=1, seed=0)
    lift = Lift(0.5, 0.01, delta=0.1).fit(pool.X)
    assert lift.dimension_ == bounds.projection_dimension(0.5, 0.01, 2000, 0.1)


@pytest.mark.filterwarnings("ignore::aluma.representation.lift.ProjectionWarning")
def test_kernel_and_explicit_features_have_the_same_lifted_gram_matrix() -> None:
    X = np.random.default_rng(0).standard_normal((30, 2))
    K = rbf_kernel(X, gamma=0.5)
    named = Lift(slack=0.1, kernel={"name": "rbf", "gamma": 0.5}).fit_transform(X)
    given = Lift(slack=0.1, kernel="precomputed").fit_transform(K)
    np.testing.assert_allclose(named @ named.T, given @ given.T, atol=1e-8)
    a2 = 1 / (1 + np.sqrt(0.1))
    np.testing.assert_allclose(given @ given.T, a2 * K, atol=1e-8)
    for kernel in (
        "precomputed",
        {"name": "precomputed"},
        aluma.representation.kernels.Kernel("precomputed"),
    ):
        assert Lift(kernel=kernel).__sklearn_tags__().input_tags.pairwise
    for kernel in (None, "rbf", {"name": "rbf"}, {"gamma": 2.0}):
        assert not Lift(kernel=kernel).__sklearn_tags__().input_tags.pairwise


def test_new_examples_have_no_coordinate_of_their_own() -> None:
    X = np.random.default_rng(0).standard_normal((30, 4))
    lift = Lift(slack=0.5, dimension=100)
    pool = lift.fit_transform(X)
    extra = pool - lift.transform(X)
    np.testing.assert_allclose(np.linalg.norm(extra, axis=1), lift.own_)


def test_without_slack_pool_and_new_examples_are_the_same() -> None:
    X = np.random.default_rng(0).standard_normal((30, 4))
    lift = Lift(dimension=10)
    np.testing.assert_array_equal(lift.fit_transform(X), lift.transform(X))


def test_lengths_are_divided_by_one_constant_that_counts_the_bias() -> None:
    X = np.array([[3.0, 4.0], [0.0, 1.0]])
    assert Lift().fit(X).scale_ == 5.0
    assert Lift(bias=True).fit(X).scale_ == pytest.approx(np.sqrt(26))
    assert Lift(bias=True).fit(sparse.csr_matrix(X)).scale_ == pytest.approx(np.sqrt(26))
    np.testing.assert_allclose(
        Lift(bias=True).fit_transform(sparse.csr_matrix(X)).toarray(),
        Lift(bias=True).fit_transform(X),
    )


@pytest.mark.filterwarnings("ignore::aluma.representation.lift.ProjectionWarning")
def test_sparse_stays_sparse_until_projected() -> None:
    X = sparse.random(40, 20, 0.2, random_state=0, format="csr")
    assert sparse.issparse(Lift(slack=0.1).fit_transform(X))
    assert isinstance(Lift(slack=0.1, dimension=5).fit_transform(X), np.ndarray)


def test_a_margin_is_relative_to_norms() -> None:
    X, y = np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([1, -1])
    assert relative_margin(X, y) == pytest.approx(np.sqrt(0.5), rel=1e-4)
    machine = SVC(kernel="linear", C=1e8).fit(X / [[2.0], [4.0]], y)
    assert machine.score(X, y) == 1.0


def test_the_slack_of_a_known_pool_is_enough_for_its_labels() -> None:
    pool = known_pool(60, 4, margin=0.3, pairs=3, seed=1)
    walls = pool.y[:, None] * pool.X / np.linalg.norm(pool.X, axis=1).max()
    assert smallest_slack(walls, 0.3).slack <= pool.slack * (1 + 1e-6)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"slack": -1.0}, "slack"),
        ({"slack": "auto"}, "slack"),
        ({"slack": True}, "slack must be a finite number"),
        ({"dimension": 0}, "dimension"),
        ({"delta": 5, "dimension": 2}, "delta must lie strictly between 0 and 1, got 5"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Lift(**settings).fit(np.eye(3))


def test_it_can_be_cloned() -> None:
    twin = clone(Lift(0.1, 0.2, "rbf", 0.3, 4, bias=True, random_state=5))
    assert twin.get_params()["kernel"] == "rbf"


@parametrize_with_checks([Lift(slack=0.1, dimension=4)])
def test_scikit_learns_checks(estimator: object, check: object) -> None:
    check(estimator)  # type: ignore[operator]


@pytest.mark.parametrize("name", ["lift", "transformer", "kernels"])
def test_the_examples_are_true(name: str) -> None:
    found = doctest.testmod(getattr(aluma.representation, name))
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("settings", [{"slack": 0.1}, {"slack": 0.1, "margin": 0.05}])
def test_without_projection_slack_is_said_to_have_no_effect(settings: dict[str, float]) -> None:
    X = np.random.default_rng(0).standard_normal((30, 3))
    with pytest.warns(ProjectionWarning, match=r"slack=0.1 has no effect.*ALuMA\(slack="):
        lift = Lift(**settings).fit(X)
    assert lift.dimension_ is None
    assert lift.margin_ is None


def test_without_slack_there_is_nothing_to_warn_of() -> None:
    X = np.random.default_rng(0).standard_normal((30, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Lift().fit(X).margin_ is None
        assert Lift(slack=0.1, margin=0.9, dimension=1000).fit(X).margin_ == pytest.approx(
            bounds.lifted_margin(0.9, 0.1)
        )


@pytest.mark.parametrize("settings", [{"slack": 0.1, "dimension": 5}, {"bias": True}])
def test_features_have_names(settings: dict[str, object]) -> None:
    X = np.random.default_rng(0).standard_normal((30, 4))
    lift = Lift(**settings).set_output(transform="pandas")
    frame = lift.fit_transform(X)
    assert frame.columns.tolist() == [f"lift{i}" for i in range(5)]
    assert lift.get_feature_names_out().tolist() == frame.columns.tolist()
    assert lift.transform(X[:3]).shape == (3, 5)
