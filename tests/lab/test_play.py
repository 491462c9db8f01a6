"""The loop: what is asked, measured, skipped and proven."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aluma import CAL, ALuMA, Passive
from aluma.lab import datasets
from aluma.lab.construct import construct
from aluma.lab.play import certain_after, checkpoints, play
from aluma.lab.problem import CLASSES, Problem
from aluma.learners.simple_margin import SimpleMargin


@given(st.integers(1, 5000), st.integers(1, 50), st.floats(1.001, 2))
def test_checkpoints_grow_and_end_at_the_budget(budget: int, every: int, growth: float) -> None:
    counts = checkpoints(budget, every, growth)
    assert counts[-1] == budget
    pairs = list(pairwise(counts))
    assert all(at < after <= max(at + 1, growth * at) for at, after in pairs)
    assert counts[: min(every, budget)] == list(range(1, min(every, budget) + 1))
    assert set(range(50, budget + 1, 50)) <= set(counts)


@pytest.fixture
def sphere() -> Problem:
    data = datasets.sphere(3, 60, seed=1, test=40)
    return Problem(data.X, data.y > 0, data.X_test, data.y_test > 0)


def learner(kind, problem: Problem, **settings):
    return construct(kind, settings, problem, 64, 0)


def test_curves_are_those_of_the_learner(sphere: Problem) -> None:
    found = play(learner(ALuMA, sphere), sphere, [1, 5, 9])
    twin = learner(ALuMA, sphere)
    for index in found["asked"]:
        assert twin.ask() == index
        twin.tell(index, CLASSES[int(sphere.positive[index])])
    assert found["labels"] == [1, 5, 9]
    assert len(found["asked"]) == 9
    assert found["train"][-1] == np.mean((twin.predict() > 0) != sphere.positive)
    assert found["test"][-1] == np.mean((twin.predict(sphere.X_test) > 0) != sphere.positive_test)
    wrong = np.abs(twin.predict_proba()[:, 1] - sphere.positive).mean()
    assert found["train_random"][-1] == pytest.approx(wrong)
    assert found["ended"] == "budget"


def test_a_run_ends_when_everything_is_right(sphere: Problem) -> None:
    found = play(learner(ALuMA, sphere), sphere, list(range(1, 61)), until_right=True)
    assert found["ended"] == "right"
    assert found["train"][-1] == 0
    assert found["train"][-2] > 0


def test_a_learner_with_nothing_left_is_exhausted(sphere: Problem) -> None:
    found = play(learner(Passive, sphere, order=[3, 1, 4]), sphere, [1, 60])
    assert found["ended"] == "exhausted"
    assert found["asked"] == [3, 1, 4]
    assert found["labels"] == [1, 3]


def contradictory() -> Problem:
    """Return two examples twice, with different labels the second time."""
    X = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    return Problem(X, np.array([True, True, False, False, True]))


@pytest.mark.parametrize("kind", [ALuMA, SimpleMargin, Passive])
def test_contradicting_answers_are_paid_for_and_kept(kind) -> None:
    problem = contradictory()
    found = play(learner(kind, problem), problem, [5])
    assert sorted(found["asked"]) == [0, 1, 2, 3, 4]
    assert found["conflicts"] == 2
    assert found["train"] == [0.0]


def test_a_contradiction_can_end_the_run() -> None:
    problem = contradictory()
    found = play(learner(Passive, problem, order=[0, 2, 1]), problem, [5], on_conflict="stop")
    assert (found["ended"], found["asked"], found["conflicts"]) == ("conflict", [0, 2], 1)


def test_only_judged_examples_count(sphere: Problem) -> None:
    judged = Problem(sphere.X, sphere.positive, judged=np.array([7]))
    found = play(learner(Passive, judged, order=[7, 8]), judged, [1, 2])
    assert found["train"] == [0.0, 0.0]


def test_certainty_is_found_by_bisection() -> None:
    data = datasets.line([0.2, 0.4, 0.6, 0.8], 0.5)
    problem = Problem(data.X, data.y > 0)
    assert certain_after(problem, [0, 1, 4, 2, 3]) == 5
    assert certain_after(problem, [0, 2, 3, 1, 4]) == 3
    assert certain_after(problem, [0, 1, 4]) is None


def test_learners_get_what_they_take(sphere: Problem) -> None:
    ordered = Problem(sphere.X, sphere.positive, bias=True, order=np.array([5, 6]))
    one = construct(Passive, {}, ordered, 32, 3)
    assert (one.ask(), one.n_hypotheses, one.seed, one.pool.bias) == (5, 32, 3, True)
    assert construct(ALuMA, {"alpha": 1.0}, ordered, 32, 3).alpha == 1.0


def test_a_learner_may_be_asked_on_when_everything_is_right(sphere: Problem) -> None:
    marks = list(range(1, 61))
    settings = {"until_right": True, "ask_on": True}
    found = play(learner(CAL, sphere), sphere, marks, **settings)
    plain = play(learner(CAL, sphere), sphere, marks)
    assert found["asked"] == plain["asked"]
    assert found["ended"] == plain["ended"] == "exhausted"
    # It was measured until it was right, and once more at the end.
    right = plain["train"].index(0.0)
    assert found["labels"] == [*plain["labels"][: right + 1], len(plain["asked"])]
    assert found["train"][:-1] == plain["train"][: right + 1]
