"""Labels of several classes: votes, led by what is likeliest with some noise."""

import numpy as np

from aluma.learners.aluma import ALuMA
from aluma.prediction.class_overlap import (
    BEGINS,
    FULL,
    LEAST_NOISE,
    MOST_NOISE,
    ClassOverlapVote,
    led_by,
    noise_for,
)
from aluma.prediction.overlap import OverlapVote
from evidence import generator, seed_of


def test_two_classes_change_places_where_votes_are_divided() -> None:
    votes = np.array([[0.5, 0.3, 0.2], [0.97, 0.02, 0.01], [0.1, 0.2, 0.7]])
    found = led_by(np.array([1, 1, 2]), votes)
    np.testing.assert_array_equal(found[0], [0.3, 0.5, 0.2])
    np.testing.assert_array_equal(found[1:], votes[1:])
    assert votes[0, 0] == 0.5


def test_noise_grows_with_what_stays_in_dispute() -> None:
    assert noise_for(100, 0.0) == LEAST_NOISE
    assert noise_for(100, BEGINS / 100) == LEAST_NOISE
    assert noise_for(100, FULL / 100) == noise_for(1000, 0.5) == MOST_NOISE
    assert LEAST_NOISE < noise_for(100, (BEGINS + FULL) / 200) < MOST_NOISE


def test_labels_are_those_that_probabilities_lead_with_and_answers_as_told() -> None:
    rng = generator(1)
    X = rng.standard_normal((150, 6))
    y = (X @ rng.standard_normal((6, 3)) + 2.0 * rng.standard_normal((150, 3))).argmax(axis=1)
    learner = ALuMA(X, classes=(0, 1, 2), bias=True, promise="credible", random_state=seed_of(0))
    rows = np.arange(60)
    learner.tell(rows, y[rows])
    shares = learner.predict_proba()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(shares.argmax(axis=1), learner.predict())
    np.testing.assert_array_equal(learner.predict()[rows], y[rows])
    # New examples are labelled as those of the pool.
    np.testing.assert_array_equal(learner.predict(X)[60:], learner.predict()[60:])


def test_who_gets_it() -> None:
    X = generator(2).standard_normal((30, 3))
    for classes, slack, kind in (
        ((0, 1, 2), "auto", ClassOverlapVote),
        ((0, 1), "auto", OverlapVote),
    ):
        learner = ALuMA(X, classes=classes, slack=slack)
        assert type(learner.parts.prediction) is kind
    exact = ALuMA(X, classes=(0, 1, 2), slack=0.0)
    assert not isinstance(exact.parts.prediction, ClassOverlapVote)
