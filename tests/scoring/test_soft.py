"""Choosing by probabilities instead of votes."""

import numpy as np
import pytest
from scipy.stats import norm

from aluma import Pool
from aluma.scoring import choose, expected_disagreement
from aluma.scoring.soft import FINALISTS, choose_soft, soft_votes

RNG = np.random.default_rng(5)


def test_the_most_even_example_is_chosen() -> None:
    X = np.array([[3.0, 0.0], [0.0, 1.0], [-2.0, 0.1]])
    W = np.array([[2.0, 1.0], [2.0, -1.2]])
    found = choose_soft(Pool(X), W, np.ones(3, bool), np.random.default_rng(0), alpha=1.0)
    assert found.index == 1
    assert found.positive == pytest.approx(norm.cdf([1.0, -1.2]).mean(), abs=1e-6)


def test_what_is_not_eligible_is_not_chosen() -> None:
    X = RNG.standard_normal((50, 3))
    W = RNG.standard_normal((64, 3))
    eligible = np.zeros(50, bool)
    eligible[7] = True
    assert choose_soft(Pool(X), W, eligible, np.random.default_rng(0)).index == 7


def test_among_even_examples_the_one_that_leaves_least_wins() -> None:
    """An example of no length is split evenly by its own coordinate alone: it settles nothing."""
    X = np.vstack([np.full((1, 2), 1e-6), RNG.standard_normal((30, 2))])
    W = 20 * RNG.standard_normal((512, 2))
    found = choose_soft(Pool(X), W, np.ones(31, bool), np.random.default_rng(0), alpha=1.05)
    assert 0 in found.candidates
    assert found.index != 0


def test_the_chosen_split_is_within_alpha_of_the_best_of_a_large_pool() -> None:
    X = RNG.standard_normal((5 * FINALISTS, 4))
    W = RNG.standard_normal((400, 4)) + np.array([3.0, 0.0, 0.0, 0.0])
    pool = Pool(X)
    shares = soft_votes(pool, W, np.arange(len(X))).mean(axis=1)
    splits = shares * (1 - shares)
    found = choose_soft(pool, W, np.ones(len(X), bool), np.random.default_rng(0), alpha=1.05)
    assert 1.05 * splits[found.index] >= found.best
    assert found.best == pytest.approx(splits.max(), rel=0.01)


def test_large_margins_are_plain_votes() -> None:
    """With noise that vanishes, probabilities are 0 and 1, and so is the choice."""
    X = RNG.standard_normal((200, 3))
    W = 1e6 * (RNG.standard_normal((301, 3)) + np.array([1.0, 0.0, 0.0]))
    pool, eligible = Pool(X), np.ones(200, bool)
    soft = choose_soft(pool, W, eligible, np.random.default_rng(0), alpha=1.0)
    hard = choose(pool, W, eligible, np.random.default_rng(0), alpha=1.0)
    assert soft.best == pytest.approx(hard.best, abs=1e-6)


def test_expected_disagreement_of_probabilities_is_that_of_drawn_votes() -> None:
    candidates, witnesses = RNG.random((2, 40)), RNG.random((3, 40))
    found = expected_disagreement(candidates.astype(np.float32), witnesses.astype(np.float32))
    for c, value in zip(candidates, found, strict=True):
        left = [
            sum(min(np.mean(a * w), np.mean(a * (1 - w))) for a in (c, 1 - c)) for w in witnesses
        ]
        assert value == pytest.approx(np.mean(left), abs=1e-6)
