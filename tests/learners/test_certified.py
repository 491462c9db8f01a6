"""A learner with a certificate says when it is done, and keeps what it has proven."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_moons

from aluma.errors import NarrowPool
from aluma.spaces.loosening import TESTS
from evidence import generator, seed_of
from paper import paper


def test_it_finishes_when_the_rest_is_settled() -> None:
    rng = generator(4)
    X = rng.standard_normal((150, 3))
    labels = X @ rng.standard_normal(3) > 0
    learner = paper(X, classes=(False, True), n_hypotheses=500)
    assert not learner.finished
    while not learner.finished:
        i = learner.ask()
        learner.tell(i, labels[i])
    assert learner.n_answers < 75
    assert (learner.predict() != labels).mean() <= 0.01
    certificate = learner.certificate()
    assert certificate.asked == learner.n_answers
    assert certificate.error_bound == 0
    assert certificate.greedy_factor is None
    assert 0.9 <= certificate.purity <= 1
    assert learner.n_answers <= certificate.determined <= 150


def test_a_tolerance_stops_earlier() -> None:
    rng = generator(5)
    X = rng.standard_normal((200, 4))
    labels = X @ rng.standard_normal(4) > 0
    needed = []
    for tolerance in (0.0, 0.05):
        learner = paper(X, classes=(False, True), tolerance=tolerance, n_hypotheses=256)
        while not learner.finished:
            i = learner.ask()
            learner.tell(i, labels[i])
        needed.append(learner.n_answers)
        assert learner.certificate().error_bound <= tolerance
    assert needed[1] < needed[0]


def test_a_budget_that_is_spent_does_not_stop_the_certificate() -> None:
    X = generator(6).standard_normal((100, 5))
    learner = paper(X, classes=(0, 1), budget=2, n_hypotheses=256)
    for _ in range(2):
        i = learner.ask()
        learner.tell(i, int(X[i, 0] > 0))
    assert not learner.finished
    assert learner.certificate().error_bound > 0
    assert learner.certificate() is learner.certificate()


def test_proofs_are_taken_over_from_fewer_answers_only():
    X = generator(6).standard_normal((200, 2))
    learner = paper(X, classes=(0, 1), n_hypotheses=300)
    for _ in range(8):
        i = learner.ask()
        learner.tell(i, int(X[i, 0] > 0.2 * X[i, 1]))
    earlier = learner.fork()
    found = earlier.certificate(proof_seconds=5.0)
    assert found.determined == len(earlier.proven) > 100
    assert all(label == int(X[i, 0] > 0.2 * X[i, 1]) for i, label in earlier.proven.items())
    i = learner.ask()
    learner.tell(i, int(X[i, 0] > 0.2 * X[i, 1]))
    learner.take_proofs(earlier)
    assert earlier.proven.keys() <= learner.proven.keys()
    fresh = paper(X, classes=(0, 1), n_hypotheses=300)
    fresh.take_proofs(earlier)
    assert fresh.proven == {}


def test_a_population_that_is_not_sound_promises_nothing() -> None:
    rng = generator(4)
    X = rng.standard_normal((60, 3))
    learner = paper(X, classes=(False, True), n_hypotheses=256)
    while not learner.finished:
        i = learner.ask()
        learner.tell(i, X[i, 0] > 0)
    state = learner.population.state
    learner.population.restore(replace(state, mixing=replace(state.mixing, refused=0.9)))
    assert learner.certificate(proof_seconds=0).error_bound == 1
    assert not learner.finished


def test_slack_auto_puts_a_settled_pool_to_the_test() -> None:
    """A line that no moons respect is settled within a dozen answers, and wrong about a tenth."""
    X, moon = make_moons(120, noise=0.1, random_state=seed_of(0))
    settled, tested = (
        paper(X, classes=(0, 1), bias=True, slack=slack, n_hypotheses=500) for slack in (0, "auto")
    )
    for learner in (settled, tested):
        while not learner.finished and learner.n_answers < 60:
            i = learner.ask()
            learner.tell(i, moon[i])
    assert settled.n_answers < 30
    assert (settled.predict() != moon).mean() > 0.05
    assert tested.allowed_slack > 0
    assert tested.n_answers == 60


def test_a_separable_pool_costs_slack_auto_a_few_tests_more() -> None:
    rng = generator(4)
    X = rng.standard_normal((150, 3))
    needed = []
    for slack in (0.0, "auto"):
        learner = paper(X, classes=(False, True), slack=slack, n_hypotheses=500)
        while not learner.finished:
            i = learner.ask()
            learner.tell(i, X[i, 0] > 0.2 * X[i, 1])
        needed.append(learner.n_answers)
        assert learner.allowed_slack == 0
    assert needed[0] < needed[1] <= needed[0] + TESTS


@pytest.mark.parametrize("width", [1e-7, 1e-4])
def test_near_copies_with_opposite_answers_do_not_end_a_run_with_slack(width: float) -> None:
    rng = generator(0)
    X = rng.standard_normal((40, 6))
    copies = X[:3] * (1 + width * rng.standard_normal((3, 6)))
    learner = paper(np.vstack([X, copies]), classes=(-1, 1), slack="auto", n_hypotheses=256)
    labels = np.where(X[:, 0] > 0, 1, -1)
    learner.tell(np.arange(12), labels[:12])
    learner.tell(np.arange(40, 43), -labels[:3])
    assert learner.allowed_slack > 0
    assert learner.n_answers == 15


def test_answers_of_one_class_finish_nothing() -> None:
    """A pool that is not centred lies in a narrow cone, where two answers seem to settle all."""
    X = generator(12).standard_normal((60, 3)) + np.array([200.0, 0.0, 0.0])
    with pytest.warns(NarrowPool):
        learner = paper(X, classes=(False, True))
    for i in (0, 1, 2):
        learner.tell(i, True)
        assert not learner.finished
    for i in range(3, 60):
        learner.tell(i, True)
    assert learner.finished
