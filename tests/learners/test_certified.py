"""A learner with a certificate says when it is done, and keeps what it has proven."""

import numpy as np

from aluma.learners.aluma import ALuMA


def test_it_finishes_when_the_rest_is_settled() -> None:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((150, 3))
    labels = X @ rng.standard_normal(3) > 0
    learner = ALuMA(X, classes=(False, True), n_hypotheses=500)
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
    rng = np.random.default_rng(5)
    X = rng.standard_normal((200, 4))
    labels = X @ rng.standard_normal(4) > 0
    needed = []
    for tolerance in (0.0, 0.05):
        learner = ALuMA(X, classes=(False, True), tolerance=tolerance, n_hypotheses=256)
        while not learner.finished:
            i = learner.ask()
            learner.tell(i, labels[i])
        needed.append(learner.n_answers)
        assert learner.certificate().error_bound <= tolerance
    assert needed[1] < needed[0]


def test_a_budget_that_is_spent_does_not_stop_the_certificate() -> None:
    X = np.random.default_rng(6).standard_normal((100, 5))
    learner = ALuMA(X, classes=(0, 1), budget=2, n_hypotheses=256)
    for _ in range(2):
        i = learner.ask()
        learner.tell(i, int(X[i, 0] > 0))
    assert not learner.finished
    assert learner.certificate().error_bound > 0
    assert learner.certificate() is learner.certificate()


def test_proofs_are_taken_over_from_fewer_answers_only():
    X = np.random.default_rng(6).standard_normal((200, 2))
    learner = ALuMA(X, classes=(0, 1), n_hypotheses=300)
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
    fresh = ALuMA(X, classes=(0, 1), n_hypotheses=300)
    fresh.take_proofs(earlier)
    assert fresh.proven == {}
