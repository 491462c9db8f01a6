"""ALuMA with any number of classes: the face of a learner, and what it does."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_wine

from aluma import ALuMA, Conflict, Session, SimpleMargin, run
from aluma.arrays import Floats
from aluma.representation.bias import bias_share
from evidence import generator

SMALL: dict[str, Any] = {"n_hypotheses": 256, "bias": True}


def wine() -> tuple[Floats, Any]:
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), np.array(["barolo", "grignolino", "barbera"])[y]


def told(learner: Any, labels: Any, n: int) -> Any:
    for _ in range(n):
        i = learner.ask()
        learner.tell(i, labels[i])
    return learner


@pytest.mark.parametrize("classes", [None, ("grignolino", "barolo", "barbera")])
def test_three_wines_are_told_apart_and_checked(classes: Any) -> None:
    X, y = wine()
    learner = ALuMA(X, classes=classes, **SMALL)
    trace = run(learner, y)
    assert learner.finished
    assert len(trace) < 130
    assert (learner.predict() != y).mean() <= 0.05
    assert learner.certificate().basis == "audit"
    assert learner.classes_ == (classes or ("barbera", "barolo", "grignolino"))


def test_shares_are_of_all_classes_in_their_order() -> None:
    X, y = wine()
    learner = told(ALuMA(X, **SMALL), y, 12)
    shares = learner.predict_proba()
    assert shares.shape == (178, len(learner.classes_))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    best = np.array(learner.classes_)[shares.argmax(axis=1)]
    assert (best == learner.predict()).all()
    assert (learner.predict()[learner.answered] == y[learner.answered]).all()
    assert learner.predict_proba(X[:5] + 0.01).shape == (5, 3)


def test_a_class_that_appears_late_is_as_if_known_before() -> None:
    """What counts is what was told: the number of classes is worked out from that."""
    X, y = wine()
    order = np.argsort(y != "barolo", kind="stable")
    order = np.concatenate([order[:5], order[60:75], order[-5:]])
    late = ALuMA(X, **SMALL)
    seen = []
    for i in order:
        late.tell(int(i), y[i])
        seen.append(len(late.labels.known))
    assert seen[0] == 1
    assert seen[-1] == 3
    at_once = ALuMA(X, **SMALL)
    at_once.tell(order, y[order])
    assert at_once.ask() == late.ask()
    np.testing.assert_array_equal(at_once.predict_proba(), late.predict_proba())


def test_classes_met_one_by_one_have_one_bias_between_them(monkeypatch: Any) -> None:
    """It takes products of many rows, and says the same however many classes there are."""
    looks = []
    assembly = import_module("aluma.learners.aluma")
    monkeypatch.setattr(assembly, "bias_share", lambda pool: looks.append(pool) or bias_share(pool))
    X, y = wine()
    learner = ALuMA(X, **SMALL)
    for i in (0, 60, 140, 61):
        learner.tell(i, y[i])
    learner.tell(100, "rose")
    assert len(learner.labels.known) == 4
    assert len(looks) == 1
    at_once = ALuMA(X, **SMALL)
    at_once.tell([0, 60, 140, 61, 100], [*y[[0, 60, 140, 61]], "rose"])
    np.testing.assert_array_equal(at_once.predict_proba(), learner.predict_proba())


def test_undo_takes_a_class_back() -> None:
    X, y = wine()
    one_each = [int(np.flatnonzero(y == name)[0]) for name in ("barolo", "barbera", "grignolino")]
    learner = ALuMA(X, **SMALL)
    learner.tell(one_each[:2], y[one_each[:2]])
    question, shares = learner.ask(), learner.predict_proba()
    learner.tell(one_each[2], y[one_each[2]])
    assert len(learner.classes_) == 3
    learner.undo()
    assert learner.classes_ == ("barbera", "barolo")
    assert learner.ask() == question
    np.testing.assert_array_equal(learner.predict_proba(), shares)


def test_skip_change_and_fork() -> None:
    X, y = wine()
    learner = told(ALuMA(X, classes=("barbera", "barolo", "grignolino"), **SMALL), y, 8)
    skipped = learner.ask()
    learner.skip(skipped)
    assert learner.ask() != skipped
    first = int(learner.answered[0])
    other = next(name for name in learner.classes_ if name != y[first])
    twin = learner.fork()
    twin.change(first, other)
    assert twin.predict()[first] == other
    assert learner.predict()[first] == y[first]
    twin.change(first, y[first])
    assert twin.ask() == learner.ask()


def test_batches_hold_different_examples() -> None:
    X, y = wine()
    learner = told(ALuMA(X, classes=("barbera", "barolo", "grignolino"), **SMALL), y, 6)
    batch = learner.ask(10)
    assert len(set(batch.tolist())) == 10
    assert batch[0] == learner.ask()
    assert not set(batch.tolist()) & set(learner.answered.tolist())


def test_contradictions_open_slack_or_are_named() -> None:
    rng = generator(3)
    X = np.repeat(rng.standard_normal((20, 2)), 2, axis=0)
    labels = rng.integers(0, 3, 40)
    strict = ALuMA(X, classes=(0, 1, 2), slack=0.0, **SMALL)
    with pytest.raises(Conflict):
        strict.tell(range(40), labels)
    loose = ALuMA(X, classes=(0, 1, 2), **SMALL)
    for i in range(20):
        loose.tell(i, labels[i])
    assert loose.allowed_slack > 0
    assert len(loose.doubts()) == 20
    assert loose.strained(3)


def test_random_labels_never_pass() -> None:
    rng = generator(4)
    X = rng.standard_normal((160, 3))
    learner = ALuMA(X, classes=(0, 1, 2), **SMALL)
    run(learner, rng.integers(0, 3, 160), budget=70)
    assert any(event.check for event in learner.history)
    assert not learner.finished


def test_answers_of_one_class_are_finished_by_checks_only() -> None:
    X = generator(5).standard_normal((400, 4))
    learner = ALuMA(X, classes=("a", "b", "c"), **SMALL)
    run(learner, ["b"] * 400)
    assert learner.finished
    assert learner.certificate().checks > 30
    assert set(learner.predict()) == {"b"}


def test_a_session_goes_on_with_the_same_question(tmp_path: Any) -> None:
    X, y = wine()
    path = tmp_path / "wine.aluma"
    with Session.create(path, X, **SMALL) as session:
        told(session, y, 15)
        question, shares = session.ask(), session.predict_proba()
    with Session.open(path, X) as again:
        assert again.ask() == question
        np.testing.assert_array_equal(again.predict_proba(), shares)
        again.undo()
        assert again.n_answers == 14


@pytest.mark.parametrize("slack", [0.0, 0.1])
def test_a_session_goes_on_from_where_the_chains_were(
    tmp_path: Any, slack: float, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is replayed but what came after the last class was met."""
    X, y = wine()
    path = tmp_path / "wine.aluma"
    with Session.create(path, X, slack=slack, **SMALL) as session:
        told(session, y, 12)
        question, shares = session.ask(), session.predict_proba()
    with caplog.at_level("INFO", "aluma.session.snapshot"):
        again = Session.open(path, X)
    assert "0 of 12 answers are replayed" in caplog.text
    assert again.ask() == question
    np.testing.assert_array_equal(again.predict_proba(), shares)
    told(again, y, 3)
    again.close()
    plain = told(ALuMA(X, slack=slack, **SMALL), y, 15)
    np.testing.assert_array_equal(plain.predict_proba(), again.predict_proba())


def test_what_is_for_two_classes_says_so() -> None:
    X, _ = wine()
    with pytest.raises(ValueError, match="decides between two: for more, use ALuMA"):
        SimpleMargin(X, classes=("a", "b", "c"))
    with pytest.raises(ValueError, match="are for two classes, and there are 3"):
        ALuMA(X, classes=("a", "b", "c"), estimate="verified")
    with pytest.raises(ValueError, match="'d' is none of 'a', 'b', 'c'"):
        ALuMA(X, classes=("a", "b", "c")).tell(0, "d")
