"""A bias is half as long as a typical row, so the unit of the rows does not matter."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from aluma import ActiveClassifier, ALuMA, Pool, Session
from aluma.learners.registry import ENTRIES
from aluma.representation import bias as biases
from aluma.representation.bias import typical_length, with_bias
from aluma.representation.view import View
from aluma.session import recipe
from evidence import generator, seed_of

SMALL: dict[str, Any] = {"classes": (False, True), "n_hypotheses": 200}
PLAIN: dict[str, Any] = {"promise": "credible", "slack": 0.0, "prior": "ball"}


def cloud(m: int = 300, d: int = 40) -> tuple[Any, Any]:
    """Return a standardised pool and a boundary far from its middle."""
    X = generator(0).standard_normal((m, d))
    w = generator(1).standard_normal(d)
    return X, X @ w > 1.0 * np.linalg.norm(w)


def curve(X: Any, positive: Any, n: int, **settings: Any) -> tuple[list[int], float]:
    """Return what a learner asks, and its share of wrong labels after n answers."""
    learner = ALuMA(X, **{**SMALL, **PLAIN, **settings})
    asked = []
    for _ in range(n):
        asked.append(learner.ask())
        learner.tell(asked[-1], bool(positive[asked[-1]]))
    return asked, float((learner.predict() != positive).mean())


def test_it_is_the_median_length_of_rows_that_are_not_empty() -> None:
    X = generator(2).standard_normal((501, 4)) * 7
    X[:100] = 0
    expected = np.median(np.linalg.norm(X[100:], axis=1))
    for kind in (X, sparse.csr_array(X), Pool(X, bias=True), Pool(X, bias=3.0)):
        assert typical_length(Pool(kind)) == pytest.approx(expected, rel=1e-6)
    assert typical_length(Pool(np.zeros((3, 2)))) == 1.0
    # One huge row is not typical.
    X[0] = 1e9
    assert typical_length(Pool(X)) == pytest.approx(expected, rel=0.01)


def test_some_rows_stand_for_a_large_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    X = generator(3).standard_normal((5000, 3))
    monkeypatch.setattr(biases, "MOST_ROWS", 500)
    whole = np.median(np.linalg.norm(X, axis=1))
    assert typical_length(Pool(X)) == pytest.approx(whole, rel=0.2)


def test_a_pool_appends_the_number() -> None:
    X = generator(4).standard_normal((50, 3))
    W = generator(5).standard_normal((6, 4))
    for kind in (X, sparse.csr_array(X)):
        pool = Pool(kind, bias=2.5)
        full = np.hstack([X, np.full((50, 1), 2.5)])
        assert (pool.bias, pool.constant, pool.dimension) == (True, 2.5, 4)
        np.testing.assert_allclose(pool.rows(np.arange(50)), full)
        np.testing.assert_allclose(np.vstack([rows for _, rows in pool.blocks(7)]), full)
        np.testing.assert_allclose(pool.margins(W), full @ W.T, atol=1e-5)
        np.testing.assert_allclose(pool.lengths(), np.linalg.norm(full, axis=1))
        assert pool.alike(kind[:3]).constant == 2.5
        assert len({Pool(kind, bias=b).fingerprint() for b in (False, True, 2.5, 2.6)}) == 4
        assert Pool(kind, bias=True).fingerprint() == Pool(kind, bias=1.0).fingerprint()
    assert Pool(Pool(X, bias=2.5), bias=7.0).constant == 2.5
    assert Pool(X).constant == 0.0


def test_the_unit_of_the_rows_does_not_matter() -> None:
    X, positive = cloud()
    asked, wrong = curve(X, positive, 12, bias=True)
    # By powers of two, nothing is rounded otherwise.
    for factor in (1 / 128, 128.0):
        assert curve(factor * X, positive, 12, bias=True) == (asked, wrong)
    assert curve(128 * X, positive, 12, bias=1.0)[0] != asked


def test_long_rows_do_not_drown_it() -> None:
    X, positive = cloud(d=400)
    runs = [{"n_hypotheses": 100, "random_state": seed_of(seed)} for seed in range(3)]
    short = [curve(X, positive, 12, bias=1.0, **one)[1] for one in runs]
    long = [curve(X, positive, 12, bias=True, **one)[1] for one in runs]
    # A sixth is positive, which a bias of 1 beside rows of length 20 cannot say.
    assert np.mean(long) < np.mean(short) - 0.1


@pytest.mark.parametrize("name", ENTRIES)
def test_every_learner_has_it(name: str) -> None:
    X = 50 * generator(6).standard_normal((60, 5))
    length = typical_length(Pool(X))
    kind = ENTRIES[name].learner
    assert kind(X, bias=True).pool.constant == length / 2 > 25
    assert kind(X, bias=3).pool.constant == 3.0
    assert kind(X).pool.constant == 0.0
    assert kind(Pool(X, bias=True)).pool.constant == 1.0


def test_of_a_kernel_it_is_as_long_as_its_features() -> None:
    X = 50 * generator(7).standard_normal((60, 5))
    for more in ({}, {"dimension": 20, "slack": 0.1}):
        view = View(X, bias=True, kernel="rbf", **more)
        assert view.new(view.examples.alike(X[:4])).dimension == view.pool.dimension
    view = View(X, bias=True, kernel="rbf")
    assert view.pool.constant == pytest.approx(0.5)
    np.testing.assert_allclose(view.new(view.examples).rows([0, 1]), view.pool.rows([0, 1]))
    assert View(X, bias=2.0, kernel="rbf").pool.constant == 2.0
    assert View(Pool(X, bias=True), kernel="rbf").pool.constant == 1.0


def test_more_than_two_classes_have_it_too() -> None:
    X = 20 * generator(8).standard_normal((80, 3))
    y = (X[:, 0] > 10).astype(int) + (X[:, 1] > 10)
    learner = ALuMA(X, classes=(0, 1, 2), bias=True, n_hypotheses=256)
    for _ in range(6):
        i = learner.ask()
        learner.tell(i, int(y[i]))
    assert learner.pool.constant > 10
    assert learner.predict(X[:5]).shape == (5,)


def test_what_is_no_bias_is_refused() -> None:
    for wrong in (0.0, -1.0, np.inf, np.nan, "typical", None):
        with pytest.raises(ValueError, match=r"bias must be True .* got"):
            ALuMA(np.eye(3), bias=wrong)


def test_the_estimator_does_not_mind_a_unit() -> None:
    X, positive = cloud(200, 10)
    settings: dict[str, Any] = {"budget": 15, "n_hypotheses": 200, "standardize": False}
    one = ActiveClassifier(**settings).fit(X, positive)
    other = ActiveClassifier(**settings).fit(128 * X, positive)
    np.testing.assert_array_equal(one.queried_, other.queried_)
    np.testing.assert_array_equal(one.labels_, other.labels_)


def test_an_old_session_keeps_its_bias_of_one(tmp_path: Path) -> None:
    X, positive = cloud(100, 4)
    X = 30 * X
    path = tmp_path / "now.aluma"
    with Session.create(path, X, bias=True, **SMALL) as session:
        session.tell(0, bool(positive[0]))
        question = session.ask()
        settings = json.loads(session.about["settings"])
        assert settings["bias"] == "typical"
        assert session.pool.constant == typical_length(Pool(X)) / 2
    with Session.open(path, X) as session:
        assert session.ask() == question
    # What older versions wrote.
    before = json.dumps(settings | {"bias": True})
    assert recipe.pool(before, X).constant == 1.0
    assert recipe.pool(before, X).fingerprint() == Pool(X, bias=True).fingerprint()
    old, alike = recipe.made("aluma", before, recipe.pool(before, X)), ALuMA(X, bias=1.0, **SMALL)
    for learner in (old, alike):
        learner.tell(0, bool(positive[0]))
    assert old.ask() == alike.ask()
    assert with_bias(X, False).bias is False
