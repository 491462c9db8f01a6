"""The greedy rule that determines labels: binary search on the line, and counts as by hand."""

import numpy as np
import pytest

from aluma.learners.determined import Determined, determined
from aluma.learners.registry import ENTRIES
from aluma.pool import Pool
from evidence import generator


def on_a_line(positions: np.ndarray) -> np.ndarray:
    """Return the line in the plane: its first point is at angle 0, and negative."""
    angles = np.pi * np.concatenate([[0.0], positions])
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def labels_needed(learner: Determined, truth: np.ndarray) -> int:
    """Return how many answers it takes until all hypotheses agree on the whole line."""
    learner.tell(0, truth[0])
    for asked in range(len(truth)):
        share = learner.predict_proba()[:, 1]
        if ((share == 0) | (share == 1)).all():
            return asked
        i = learner.ask()
        learner.tell(i, truth[i])
    raise AssertionError("everything was asked")


@pytest.mark.parametrize("target", [2, 9, 14])
def test_on_the_line_it_is_binary_search(target: int) -> None:
    """15 points that crowd: by volume it takes more than four answers, by labels never."""
    positions = 0.9 * (np.arange(1, 16) / 16) ** 2
    truth = np.where(np.arange(16) > target, 1, -1)
    learner = Determined(on_a_line(positions), classes=(-1, 1), n_hypotheses=4000)
    assert labels_needed(learner, truth) <= 5


def test_what_answers_determine_is_counted() -> None:
    X = on_a_line(np.array([0.25, 0.5, 0.75]))[1:]
    # Thresholds in all four gaps, as halfspaces: positive from the first, second, third, none on.
    turned = np.pi * (np.array([0.1, 0.3, 0.6, 0.9]) + 0.5)
    voters = np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32)
    plus, minus = determined(Pool(X), voters, np.arange(3), np.arange(3))
    assert plus.tolist() == [3, 2, 1]
    assert minus.tolist() == [1, 2, 3]


def test_where_nothing_is_determined_ties_decide() -> None:
    X = generator(51).standard_normal((80, 30))
    by_split, by_order = (
        Determined(X, classes=(-1, 1), ties=ties, n_hypotheses=500) for ties in ("split", "order")
    )
    for learner in (by_split, by_order):
        learner.tell(0, 1)
    shares = (Pool(X).margins(by_split.population.voters(), np.arange(1, 80)) >= 0).mean(axis=1)
    most_even = np.abs(shares - 0.5).argmin() + 1
    assert by_split.ask() == most_even
    assert len(set(by_order.ask(10).tolist())) == 10


def test_a_batch_begins_with_the_question() -> None:
    learner = Determined(generator(52).standard_normal((20, 2)), classes=(-1, 1), n_hypotheses=200)
    learner.tell(3, 1)
    assert learner.ask(17)[0] == learner.ask()
    assert len(set(learner.ask(19).tolist())) == 19


def test_ties_are_checked_and_the_registry_has_it() -> None:
    with pytest.raises(ValueError, match="ties must be one of order, split, got 'luck'"):
        Determined(np.eye(2), ties="luck")
    assert ENTRIES["determined"].learner is Determined
