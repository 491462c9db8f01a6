"""Baselines ask and answer like learners, and do what their libraries do."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import aluma
from aluma.learners import baselines
from aluma.learners.baselines import LogisticMargin, SkactivemlLearner
from aluma.pool import Pool
from aluma.prediction.prediction import Prediction
from aluma.spaces.situation import Situation
from evidence import generator

RNG = generator(2)
X = RNG.standard_normal((80, 4))
Y = np.where(X @ [1.0, -0.5, 0.2, 0.0] + 0.3 > 0, "yes", "no")
CLASSES = ("no", "yes")

LEARNERS = {
    "margin": LogisticMargin,
    "margin, no intercept": partial(LogisticMargin, intercept=False),
    "skactiveml": SkactivemlLearner,
    "skactiveml, random": partial(SkactivemlLearner, strategy="RandomSampling"),
}


@pytest.fixture(params=LEARNERS, ids=str)
def build(request: pytest.FixtureRequest):
    if "skactiveml" in request.param:
        pytest.importorskip("skactiveml")
    return LEARNERS[request.param]


def test_a_run_undo_fork_and_replay(build) -> None:
    learner = build(X, classes=CLASSES)
    trace = aluma.run(learner, Y, budget=20)
    assert len(set(trace.indices)) == 20
    question = learner.ask()
    twin = learner.fork()
    learner.tell(question, Y[question])
    learner.undo()
    replayed = build(X, classes=CLASSES)
    replayed.tell(trace.indices, trace.labels)
    assert learner.ask() == twin.ask() == replayed.ask() == question
    assert len(set(learner.ask(5).tolist())) == 5
    np.testing.assert_array_equal(learner.predict_proba(), twin.predict_proba())
    assert (learner.predict(X) == Y).mean() > 0.8


def test_one_class_is_predicted_until_both_are_told(build) -> None:
    learner = build(X, classes=CLASSES)
    i = learner.ask()
    learner.tell(i, "no")
    assert (learner.predict(X) == "no").all()
    assert isinstance(learner.ask(), int)


def test_one_class_is_predicted_again_when_the_other_s_answers_are_gone() -> None:
    """Also where the label that was told first sorts first, and stands for +1."""
    learner = LogisticMargin(X)
    learner.tell(0, "a")
    learner.tell(1, "b")
    both = learner.labels
    learner.replay(learner.history[:1])
    learner.labels = both
    assert (learner.predict() == "a").all()
    assert learner.predict_proba().tolist() == [[1.0, 0.0]] * len(X)


@pytest.mark.parametrize("kind", [bool, np.int64, np.float32])
def test_a_prediction_of_one_s_own_may_return_any_numbers(kind: type) -> None:
    class Own(Prediction[Any]):
        words = "the first column"

        def shares(self, at: Situation[Any], pool: Pool) -> Any:
            return (pool.rows(np.arange(len(pool)))[:, 0] > 0).astype(kind)

    learner = LogisticMargin(X)
    learner.tell(0, "a")
    learner.tell(1, "b")
    learner.parts = replace(learner.parts, prediction=Own())
    expected = np.where(X[:, 0] > 0, "a", "b")
    expected[:2] = "a", "b"
    assert learner.predict().tolist() == expected.tolist()
    np.testing.assert_array_equal(learner.predict_proba()[:, 1], expected == "b")


@pytest.mark.parametrize("intercept", [True, False])
def test_the_margin_is_that_of_logistic_regression(intercept: bool) -> None:
    learner = LogisticMargin(X, classes=CLASSES, intercept=intercept)
    aluma.run(learner, Y, budget=25)
    told = learner.answered
    model = LogisticRegression(fit_intercept=intercept).fit(X[told], Y[told])
    distances = np.abs(model.decision_function(X))
    distances[told] = np.inf
    assert learner.ask() == distances.argmin()
    np.testing.assert_array_equal(learner.predict(X), model.predict(X))


def test_uncertainty_sampling_is_the_margin_when_nothing_ties() -> None:
    pytest.importorskip("skactiveml")
    learner = SkactivemlLearner(X, classes=CLASSES, strategy="UncertaintySampling")
    aluma.run(learner, Y, budget=15)
    other = LogisticMargin(X, classes=CLASSES)
    other.tell(learner.answered, learner.answers)
    assert learner.ask() == other.ask()


def test_a_missing_package_and_a_missing_strategy_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if baselines.find_spec("skactiveml") is not None:
        with pytest.raises(ValueError, match="no strategy 'Luck'"):
            SkactivemlLearner(X, strategy="Luck")
    monkeypatch.setattr(baselines, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"scikit-activeml.*aluma\[lab\]"):
        SkactivemlLearner(X)
