"""Rules for stopping, on runs made by hand: each where it stops, where it does not, and wrongly."""

import numpy as np
import pytest

from aluma.lab.bench import stopping_rules as rules
from aluma.lab.bench.stopping_rules import Followed


def _predictions(*flips: int, size: int = 100) -> list[np.ndarray]:
    """Return predictions of which so many change from one to the next, always others."""
    now, seen, place = np.tile([-1, 1], size // 2), [], 0
    for count in (0, *flips):
        now = now.copy()
        now[np.arange(place, place + count) % size] *= -1
        place += count
        seen.append(now)
    return seen


def test_the_first_look_that_said_stop_counts() -> None:
    assert rules.first([False, False, True, False]) == 2
    assert rules.first([False]) is None


def test_kappa_is_agreement_beyond_chance() -> None:
    one, other = np.array([1, 1, -1, -1]), np.array([1, -1, -1, -1])
    assert rules.cohens_kappa(one, one) == 1.0
    assert rules.cohens_kappa(np.ones(4), np.ones(4)) == 1.0
    assert rules.cohens_kappa(one, -one) == pytest.approx(-1.0)
    assert rules.cohens_kappa(one, other) == pytest.approx((0.75 - 0.5) / 0.5)


def test_predictions_that_no_longer_change_stop_by_kappa() -> None:
    assert rules.kappa_average(_predictions(20, 5, 0, 0, 0, 0)) == 5


def test_predictions_that_go_on_changing_do_not() -> None:
    assert rules.kappa_average(_predictions(2, 0, 2, 0, 2, 0, 2)) is None
    assert rules.kappa_average(_predictions(0, 0)) is None


def test_kappa_stops_although_a_third_is_wrong() -> None:
    """The control that fails: a rule that looks at predictions alone cannot see the truth."""
    predictions = _predictions(0, 0, 0, 0)
    truth = predictions[-1].copy()
    truth[:30] *= -1
    look = rules.kappa_average(predictions)
    assert look == 3
    assert np.mean(predictions[look] != truth) == 0.3


def test_kappa_looks_at_batches_of_answers() -> None:
    run = Followed(labels=list(range(5, 105, 5)), predictions=_predictions(*[0] * 19))
    assert run.labels[rules.kappa_of(run)] == 40
    assert run.labels[rules.kappa_of(run, every=5)] == 20
    short = Followed(labels=run.labels[:6], predictions=run.predictions[:6])
    assert rules.kappa_of(short) is None


def test_many_irrelevant_ones_in_a_row_stop_screening() -> None:
    relevant = [True] * 5 + [False] * 3 + [True] + [False] * 60
    assert rules.consecutive_irrelevant(relevant, 50) == 59
    assert rules.consecutive_irrelevant(relevant, 3) == 8


def test_a_relevant_one_in_time_does_not() -> None:
    assert rules.consecutive_irrelevant(([False] * 49 + [True]) * 4, 50) is None
    assert rules.consecutive_irrelevant([False] * 50, 50) is None


def test_screening_stops_although_a_third_is_missed() -> None:
    relevant = np.array([True] * 10 + [False] * 50 + [True] * 30 + [False] * 10)
    stop = rules.consecutive_irrelevant(relevant, 50)
    assert stop == 60
    assert relevant[stop:].sum() / len(relevant) == 0.3


def test_recall_is_reached_where_nothing_more_was_met_for_long() -> None:
    relevant = np.array([True] * 20 + [False] * 480)
    stop = rules.recall_reached(relevant, 500, every=50)
    assert stop is not None
    assert rules.recall_p_value(relevant[:stop], 500) < 0.05
    assert rules.recall_p_value(relevant[: stop - 50], 500) >= 0.05


def test_recall_is_not_reached_while_relevant_ones_are_met() -> None:
    relevant = np.arange(500) % 10 == 0
    assert rules.recall_reached(relevant[:400], 500, every=50) is None


def test_the_p_value_is_that_of_a_hypergeometric_draw() -> None:
    """One relevant one found, then 9 others: with recall 0.5 missed, 2 or more are among 19."""
    relevant = np.array([True] + [False] * 9)
    expected = np.prod([(19 - 9 - j) / (19 - j) for j in range(2)])
    assert rules.recall_p_value(relevant, 20, recall=0.5) == pytest.approx(expected)


def test_recall_is_believed_to_be_reached_although_a_third_is_missed() -> None:
    """What was seen last was no random draw: the rule's assumption is what fails."""
    relevant = np.array([True] * 60 + [False] * 400 + [True] * 200)
    stop = rules.recall_reached(relevant, len(relevant))
    assert stop is not None
    assert relevant[:stop].sum() == 60
    assert relevant[stop:].sum() / len(relevant) > 0.3


def test_screening_meets_the_relevant_ones_first() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 5))
    relevant = X[:, 0] > 1.3
    order = rules.screening_order(X, relevant, seed=1)
    assert sorted(order) == list(range(300))
    assert relevant[order][:60].sum() > 0.8 * relevant.sum()
