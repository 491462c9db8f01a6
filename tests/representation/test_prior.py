"""The prior from the pool is the paper's for examples stretched by the pool's covariance."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from aluma import ActiveClassifier, ALuMA, Pool, Session
from aluma.lab import datasets
from aluma.representation import prior as priors
from aluma.representation.bias import typical_length
from aluma.representation.prior import shape_of, spread_of
from aluma.representation.view import View
from aluma.session import recipe
from evidence import generator, seed_of

SMALL: dict[str, Any] = {"classes": (False, True), "n_hypotheses": 200}


@pytest.fixture(autouse=True)
def _whole_covariance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stretch small pools too, which are left as they are otherwise, by the covariance itself."""
    monkeypatch.setattr(priors, "EFFECTIVE", 1.0)
    monkeypatch.setattr(priors, "MOST_POWER", 1.0)


def strong_and_weak(m: int = 300, d: int = 40) -> Any:
    """Return rows that differ much in a few directions, and little in many."""
    rng = generator(0)
    X = rng.standard_normal((m, d)) * (1 / (1 + np.arange(d)))
    return X @ np.linalg.qr(rng.standard_normal((d, d)))[0]


def by_hand(X: Any) -> Any:
    """Return the square root of the covariance, shrunk as Ledoit and Wolf do."""
    from sklearn.covariance import ledoit_wolf

    values, vectors = np.linalg.eigh(ledoit_wolf(X)[0])
    return (vectors * np.sqrt(values / values.mean())) @ vectors.T


def test_rows_are_multiplied_by_the_root_of_the_shrunk_covariance() -> None:
    X = strong_and_weak() + 2.0
    shape = shape_of(Pool(X))
    assert shape is not None
    np.testing.assert_allclose(shape.applied(X), X @ by_hand(X), rtol=1e-6, atol=1e-9)


def test_every_kind_of_pool_is_stretched_alike() -> None:
    X = strong_and_weak()
    X[np.abs(X) < 0.05] = 0
    shape = shape_of(Pool(X))
    assert shape is not None
    expected, W = shape.applied(X), generator(1).standard_normal((7, X.shape[1]))
    for given in (X, sparse.csr_array(X), X.astype(np.float32), np.asfortranarray(X)):
        pool = Pool(given).shaped(shape)
        np.testing.assert_allclose(pool.rows([3, 5]), expected[[3, 5]], atol=1e-6)
        np.testing.assert_allclose(pool.margins(W), expected @ W.T, atol=1e-4)
        # Where it is copied, nothing else changes; a part is that of the copy.
        copied = Pool(given).shaped(shape, lasting=True)
        np.testing.assert_allclose(copied.margins(W, [9, 2]), expected[[9, 2]] @ W.T, atol=1e-4)
        assert copied.fingerprint() == pool.fingerprint()
        np.testing.assert_allclose(pool.lengths(), np.linalg.norm(expected, axis=1), atol=1e-5)
        assert pool.is_zero.sum() == 0
        found = shape_of(Pool(given))
        assert found is not None
        np.testing.assert_allclose(found.applied(X), expected, atol=1e-5)
    with pytest.raises(AttributeError, match="holds its numbers nowhere"):
        Pool(X).shaped(shape).data  # noqa: B018
    assert Pool(X).shaped(shape).fingerprint() != Pool(X).fingerprint()


def test_the_unit_of_the_rows_does_not_matter() -> None:
    X = strong_and_weak()
    one, other = shape_of(Pool(X)), shape_of(Pool(128 * X))
    assert one is not None
    assert other is not None
    np.testing.assert_allclose(one.applied(X), other.applied(X), rtol=1e-9, atol=1e-12)


def test_where_all_directions_are_alike_nothing_is_stretched() -> None:
    rng = generator(2)
    for m, d in ((400, 5), (60, 50), (30, 90)):
        shape = shape_of(Pool(rng.standard_normal((m, d))))
        if shape is not None:
            lengths = np.linalg.norm(shape.applied(np.eye(d)), axis=1)
            assert lengths.max() / lengths.min() < 1.15
    octahedron = datasets.octahedron(6, 0).X
    view = View(octahedron, prior="pool")
    rows = view.pool.rows(np.arange(len(octahedron)))
    ratio = np.linalg.norm(rows, axis=1) / np.linalg.norm(octahedron, axis=1)
    assert ratio.max() / ratio.min() < 1.01


def test_a_constant_column_stays_a_bias() -> None:
    X = strong_and_weak()
    with_column = np.hstack([X, np.full((len(X), 1), 0.5)])
    shape, alone = shape_of(Pool(with_column)), shape_of(Pool(X))
    assert shape is not None
    assert alone is not None
    found = shape.applied(with_column)
    np.testing.assert_allclose(found[:, :-1], alone.applied(X), atol=1e-9)
    longer = np.median(np.linalg.norm(alone.applied(X), axis=1))
    expected = 0.5 * longer / np.median(np.linalg.norm(X, axis=1))
    np.testing.assert_allclose(found[:, -1], expected, rtol=1e-6)
    for flat in (np.ones((20, 3)), np.arange(20.0)[:, None]):
        assert shape_of(Pool(flat)) is None


def test_a_bias_stays_half_as_long_as_a_typical_row() -> None:
    X = strong_and_weak()
    view = View(X, bias=True, prior="pool")
    assert view.pool.constant == pytest.approx(typical_length(view.pool) / 2, rel=1e-6)
    whole = View(X, bias=typical_length(Pool(X)), prior="pool")
    assert whole.pool.constant == pytest.approx(2 * view.pool.constant, rel=1e-6)
    assert View(X, prior="pool").pool.constant == 0


def test_wide_pools_are_sketched(monkeypatch: pytest.MonkeyPatch) -> None:
    X = strong_and_weak(400, 60)
    exact = spread_of(X, X.mean(axis=0), generator(3))
    monkeypatch.setattr(priors, "EXACT_UP_TO", 10)
    monkeypatch.setattr(priors, "LEADING", 12)
    for rows in (X, sparse.csr_array(X)):
        found = spread_of(rows, X.mean(axis=0), generator(3))
        assert found.directions.shape == (12, 60)
        np.testing.assert_allclose(found.variances[:6], exact.variances[:6], rtol=1e-2)
        np.testing.assert_allclose(found.rest, exact.variances[12:].mean(), rtol=0.05)
        assert found.shrinkage == pytest.approx(exact.shrinkage, rel=0.2)
        leading = np.abs(found.directions[:3] @ exact.directions[:3].T)
        np.testing.assert_allclose(leading, np.eye(3), atol=0.05)
    learner = ALuMA(sparse.csr_array(X), prior="pool", bias=True, **SMALL)
    learner.tell(learner.ask(), True)
    assert sparse.issparse(learner.pool._store.inner.data)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "more", [{}, {"kernel": "rbf"}, {"dimension": 30, "slack": 0.05}, {"slack": 0.1}]
)
def test_new_examples_are_seen_as_the_pool_is(more: dict[str, Any]) -> None:
    X = strong_and_weak(120, 8)
    learner = ALuMA(X, prior="pool", bias=True, promise="credible", **SMALL, **more)
    for _ in range(8):
        i = learner.ask()
        learner.tell(i, bool(X[i, 0] > 0))
    again = learner.predict_proba(X)
    rest = np.setdiff1d(np.arange(120), learner.answered)
    if "dimension" not in more:
        np.testing.assert_allclose(again[rest], learner.predict_proba()[rest], atol=0.02)
    assert learner.predict(X[:3]).shape == (3,)


def test_proofs_are_about_the_same_halfspaces() -> None:
    X = strong_and_weak(80, 4)
    truth = X @ [1.0, -0.5, 0.2, 0.1] > 0
    learner = ALuMA(X, prior="pool", slack=0.0, promise="credible", tolerance=0.0, **SMALL)
    while not learner.finished:
        i = learner.ask()
        learner.tell(i, bool(truth[i]))
    assert learner.certificate().credible_bound < 0.05
    assert all(truth[i] == label for i, label in learner.proven.items())
    assert np.mean(learner.predict() != truth) < 0.1


def test_it_finds_strong_directions_sooner() -> None:
    X = generator(4).standard_normal((600, 120)) * np.where(np.arange(120) < 3, 1.0, 0.3)
    truth = X[:, :3] @ [1.0, 1.0, -1.0] > 0
    wrong: dict[str, list[float]] = {"ball": [], "pool": []}
    for prior, found in wrong.items():
        for seed in range(3):
            learner = ALuMA(
                X, prior=prior, slack=0.0, promise="credible", random_state=seed_of(seed), **SMALL
            )
            for _ in range(10):
                i = learner.ask()
                learner.tell(i, bool(truth[i]))
            found.append(float(np.mean(learner.predict() != truth)))
    # About 0.04 and 0.10, and 0.01 from run to run.
    assert np.mean(wrong["pool"]) < 0.75 * np.mean(wrong["ball"])


def test_more_than_two_classes_have_it_too() -> None:
    X = strong_and_weak(100, 6)
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    learner = ALuMA(X, classes=(0, 1, 2), prior="pool", bias=True, n_hypotheses=256)
    for _ in range(5):
        i = learner.ask()
        learner.tell(i, int(y[i]))
    assert learner.pool.preparation == "shaped"
    assert learner.predict(X[:4]).shape == (4,)


def test_the_estimator_has_coefficients_of_the_columns_as_given() -> None:
    X = strong_and_weak(150, 10) + 3.0
    y = X[:, 0] + 0.5 * X[:, 1] > 4.5
    settings: dict[str, Any] = {"budget": 25, "n_hypotheses": 200, "prior": "pool"}
    for standardize in (True, False):
        model = ActiveClassifier(standardize=standardize, bias=True, **settings)
        if not standardize:
            X = X - X.mean(axis=0)
            y = X[:, 0] > 0
        model.fit(X, y)
        side = X @ model.coef_[0] + model.intercept_[0]
        np.testing.assert_array_equal(model.predict(X), side >= 0)
        assert model.score(X, model.labels_) > 0.9


def test_what_is_no_prior_is_refused() -> None:
    with pytest.raises(ValueError, match="prior must be one of ball, pool, got 'sphere'"):
        ALuMA(np.eye(3), prior="sphere")
    with pytest.raises(ValueError, match="prior must be one of"):
        ActiveClassifier(prior="sphere").fit(np.eye(4), [0, 1, 0, 1])


def test_sessions_keep_the_prior_and_old_ones_have_the_papers(tmp_path: Path) -> None:
    X = strong_and_weak(100, 6)
    path = tmp_path / "a.aluma"
    with Session.create(path, X, prior="pool", bias=True, **SMALL) as session:
        for i in (0, 1, 2):
            session.tell(i, bool(X[i, 0] > 0))
        question = session.ask()
        settings = json.loads(session.about["settings"])
    assert settings["prior"] == "pool"
    with Session.open(path, X) as session:
        assert session.ask() == question
        assert session.fork().pool.preparation == "shaped"
    del settings["prior"]
    before = json.dumps(settings)
    assert recipe.made("aluma", before, recipe.pool(before, X)).pool.preparation == ""


def test_enough_directions_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priors, "EFFECTIVE", 14.0)
    monkeypatch.setattr(priors, "MOST_POWER", 2.0)
    assert shape_of(Pool(strong_and_weak(300, 40))) is None
    variances = 1 / (1 + np.arange(400.0))
    power = priors.power_for(variances, np.ones(400))
    left = variances ** (1 + power)
    assert left.sum() ** 2 / (left**2).sum() == pytest.approx(14.0, rel=1e-3)
    assert 0 < power < 1
    X = generator(5).standard_normal((800, 60)) * np.where(np.arange(60) < 20, 1.0, 0.2)
    shape = shape_of(Pool(X))
    assert shape is not None
    long, short = np.linalg.norm(shape.applied(np.eye(60)[[0, 59]]), axis=1)
    # 20 strong directions are enough, so they are stretched twice.
    assert 12 < long / short < 30
