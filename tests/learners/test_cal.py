"""CAL against linear programs for every example, and what it infers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from aluma.errors import Exhausted, Undecided
from aluma.geometry.max_margin import Separator
from aluma.learners.cal import CAL
from evidence import generator, seed_of

seeds = st.integers(0, 2**32 - 1)


def possible(walls: np.ndarray) -> bool:
    """Say by a linear program whether some w is in front of all walls."""
    n, d = walls.shape
    result = linprog(
        np.append(np.zeros(d), -1.0),
        A_ub=np.hstack([-walls, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * d + [(None, 1)],
    )
    return bool(-result.fun > 1e-8)


def obvious(X: np.ndarray, y: np.ndarray, order: np.ndarray) -> list[int]:
    """Return what CAL asks, by two linear programs for every example."""
    asked: list[int] = []
    for i in order:
        walls = X[asked] * y[asked, None]
        if all(possible(np.vstack([walls, sign * X[i]])) for sign in (-1, 1)):
            asked.append(int(i))
    return asked


def pool_of(seed: int, m: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = generator(seed)
    X = rng.integers(-3, 4, size=(m, d)).astype(float)
    X[(X == 0).all(axis=1)] = 1.0
    target = rng.standard_normal(d)
    return X, np.where(X @ target > 0, 1, -1)


@settings(max_examples=15)
@given(seeds, st.integers(1, 5))
def test_it_asks_what_linear_programs_say(seed: int, d: int) -> None:
    X, y = pool_of(seed, 20, d)
    learner = CAL(X, classes=(-1, 1), predict_with="svm", random_state=seed_of(seed))
    asked = []
    while not learner.finished:
        asked.append(learner.ask())
        learner.tell(asked[-1], y[asked[-1]])
    assert asked == obvious(X, y, learner.order)
    assert learner.determined.sum() + learner.n_answers == 20
    assert (learner.predict() == y).all()


def test_the_population_changes_nothing_about_the_questions() -> None:
    X, y = pool_of(3, 60, 4)
    with_votes = CAL(X, classes=(-1, 1), n_hypotheses=256)
    without = CAL(X, classes=(-1, 1), predict_with="svm")
    while not without.finished:
        with_votes.predict()
        i = without.ask()
        assert with_votes.ask() == i
        with_votes.tell(i, y[i])
        without.tell(i, y[i])
    assert with_votes.finished


def test_repeated_examples_are_asked_once() -> None:
    X, y = pool_of(4, 30, 3)
    order = generator(0).integers(30, size=400)
    learner = CAL(X, classes=(-1, 1), order=order, predict_with="svm")
    while not learner.finished:
        i = learner.ask()
        learner.tell(i, y[i])
    _, first = np.unique(order, return_index=True)
    assert learner.answered.tolist() == obvious(X, y, order[np.sort(first)])
    assert set(np.flatnonzero(learner.determined)) <= set(order.tolist())


def test_what_was_inferred_is_open_again_after_an_undo() -> None:
    angles = np.deg2rad([0.0, 90.0, 45.0])
    X = np.c_[np.cos(angles), np.sin(angles)]
    learner = CAL(X, classes=(-1, 1), order=[0, 1, 2], predict_with="svm")
    learner.tell([0, 1], [1, 1])
    assert learner.finished
    assert learner.determined.tolist() == [False, False, True]
    twin = learner.fork()
    learner.undo()
    assert not learner.determined.any()
    learner.tell(1, -1)
    assert learner.ask() == 2
    assert twin.determined.tolist() == [False, False, True]
    learner.tell(2, -1)
    assert learner.finished


def test_inferred_labels_are_predictions_and_not_answers() -> None:
    angles = np.deg2rad([0.0, 90.0, 45.0, -120.0])
    X = np.c_[np.cos(angles), np.sin(angles)]
    learner = CAL(X, classes=("no", "yes"), order=[0, 1, 2, 3], n_hypotheses=256)
    learner.tell([0, 1], ["yes", "yes"])
    with pytest.raises(Exhausted, match="whole order of 4"):
        learner.ask()
    assert learner.n_answers == 2
    assert learner.predict().tolist() == ["yes", "yes", "yes", "no"]
    np.testing.assert_array_equal(learner.predict_proba()[2:], [[0.0, 1.0], [1.0, 0.0]])
    learner.tell(3, "no")
    assert learner.determined.tolist() == [False, False, True, False]


def test_what_float64_cannot_settle_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def at_a_loss(self: Separator, x: np.ndarray) -> np.ndarray:
        raise Undecided("too thin")

    angles = np.deg2rad([0.0, 90.0, 45.0])
    learner = CAL(np.c_[np.cos(angles), np.sin(angles)], classes=(-1, 1), predict_with="svm")
    learner.tell([0, 1], [1, 1])
    monkeypatch.setattr(Separator, "other_side", at_a_loss)
    assert learner.ask() == 2


@given(seeds, st.integers(1, 30), st.integers(1, 6))
def test_the_other_side_is_a_hypothesis_or_does_not_exist(seed: int, t: int, d: int) -> None:
    rng = generator(seed)
    target = rng.standard_normal(d)
    rows = rng.standard_normal((t + 1, d))
    walls = rows[:t] * np.where(rows[:t] @ target > 0, 1, -1)[:, None]
    separator = Separator.without_walls(d)
    for wall in walls:
        separator = separator.with_wall(wall / np.linalg.norm(wall))
    for x in (rows[t], -rows[t], walls[0], -walls[0]):
        found = separator.other_side(x)
        assert (found is not None) == possible(np.vstack([walls, -x]))
        if found is not None:
            assert (walls @ found > 0).all()
            assert found @ x < 0


def test_what_was_inferred_is_proven_in_the_certificate() -> None:
    angles = np.deg2rad([0.0, 90.0, 45.0, 100.0])
    learner = CAL(np.c_[np.cos(angles), np.sin(angles)], classes=("no", "yes"), order=range(4))
    learner.tell([0, 1], ["yes", "yes"])
    assert learner.ask() == 3
    assert learner.certificate(proof_seconds=0.0).determined == 3
    assert learner.proven == {0: "yes", 1: "yes", 2: "yes"}
    learner.undo()
    assert learner.proven == {}
