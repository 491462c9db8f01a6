"""Labels where classes overlap: noise is allowed for, and nothing else changes."""

import numpy as np
import pytest

from aluma import ALuMA
from aluma.arrays import Bools, Floats
from aluma.learners.settings import PAPER
from aluma.prediction.overlap import (
    BEGINS,
    CLEAR,
    FULL,
    MOST_NOISE,
    OverlapVote,
    drawn,
    noise_for,
)
from aluma.prediction.vote import Vote
from aluma.scoring.soft import soft_shares
from evidence import generator, seed_of


def overlapping(seed: int) -> tuple[ALuMA, Floats, Bools]:
    """Return a learner that was told random examples of two clouds which overlap.

    Fewer than there are features: no answers contradict each other.
    """
    rng = generator(seed)
    positive = rng.random(400) < 0.5
    X = rng.standard_normal((400, 150))
    X[:, 0] += np.where(positive, 1.0, -1.0)
    X[:, :8] *= 3.0
    learner = ALuMA(
        X, classes=(False, True), bias=True, random_state=seed_of(seed), n_hypotheses=500
    )
    told = rng.permutation(400)[:100]
    learner.tell(told, positive[told])
    return learner, X, positive


def plain_votes(learner: ALuMA) -> Floats:
    at = learner._situation()
    return Vote(learner.parts.prediction.most_times).shares(at, at.pool)


def test_noise_grows_with_what_is_in_dispute() -> None:
    assert noise_for(100, BEGINS / 100) == 0.0
    assert noise_for(50, FULL / 50) == noise_for(400, 0.4) == pytest.approx(MOST_NOISE)
    assert 0 < noise_for(100, 0.08) < noise_for(100, 0.1) < noise_for(110, 0.1) < MOST_NOISE


def test_clear_votes_keep_their_label_and_shares_tell_labels() -> None:
    learner, X, _ = overlapping(0)
    prediction = learner.parts.prediction
    assert isinstance(prediction, OverlapVote)
    votes, shares = plain_votes(learner), learner.predict_proba()[:, 1]
    told = learner.answered
    clear = (votes <= CLEAR) | (votes >= 1 - CLEAR)
    clear[told] = False
    divided = ~clear
    divided[told] = False
    np.testing.assert_array_equal(shares[clear], votes[clear])
    assert np.abs(shares - votes)[divided].mean() > 0.01
    np.testing.assert_array_equal(np.asarray(learner.predict(), bool), shares >= 0.5)
    np.testing.assert_array_equal(learner.fork().predict_proba()[:, 1], shares)
    # New examples are labelled as those of the pool are.
    again = learner.predict_proba(X)[:, 1]
    unanswered = np.setdiff1d(np.arange(len(X)), told)
    np.testing.assert_allclose(again[unanswered], shares[unanswered], atol=1e-6)


def test_chances_after_one_answer_are_those_of_a_closed_form() -> None:
    """Two Gaussians with correlation r have the same sign with chance 1/2 + arcsin(r) / pi.

    The model's moments are matched, which is off by at most 0.01 here; chances by 1,000 halfspaces
    have a standard error below 0.015, and 0.06 is three times that and more.
    """
    rng = generator(5)
    X, noise = rng.standard_normal((60, 6)), 1.5
    learner = ALuMA(X, classes=(False, True), prior="ball", random_state=seed_of(0))
    learner.tell(0, True)
    at = learner._situation()
    chances = soft_shares(at.pool, drawn(at, noise))
    lengths = np.sqrt((X**2).sum(axis=1) + noise**2)
    expected = 0.5 + np.arcsin(X @ X[0] / (lengths * lengths[0])) / np.pi
    np.testing.assert_allclose(chances[1:], expected[1:], atol=0.06)
    np.testing.assert_array_equal(chances > 0.5, X @ X[0] > 0)


def test_where_classes_separate_labels_are_those_of_the_vote() -> None:
    rng = generator(3)
    X = rng.standard_normal((300, 5))
    positive = X[:, 0] > 0
    learner = ALuMA(X, classes=(False, True), random_state=seed_of(0))
    for _ in range(25):
        i = learner.ask()
        learner.tell(i, bool(positive[i]))
    left = np.setdiff1d(np.arange(300), learner.answered)
    np.testing.assert_array_equal(learner.predict_proba()[left, 1], plain_votes(learner)[left])


def test_the_papers_learner_votes_as_ever() -> None:
    X = generator(0).standard_normal((20, 3))
    assert type(ALuMA(X, **PAPER).parts.prediction) is Vote
    assert type(ALuMA(X, slack=0.5).parts.prediction) is Vote
    three = ALuMA(X, classes=("a", "b", "c"), slack=0)
    assert type(three.parts.prediction) is Vote
