"""Batches against the pairs of hypotheses that they separate, counted by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aluma.pool import Pool
from aluma.scoring import choose, choose_batch
from aluma.scoring.batch import CONTESTED
from aluma.scoring.elimination import PILOT
from ballots import everyone, with_votes


def separated_by_hand(votes: np.ndarray, rows: tuple[int, ...]) -> int:
    """Return how many pairs of hypotheses differ on some of the rows."""
    cells = np.unique(votes[list(rows)], axis=1, return_counts=True)[1]
    k = votes.shape[1]
    return (k * k - int((cells**2).sum())) // 2


def test_a_batch_starts_with_the_single_choice() -> None:
    rng = np.random.default_rng(14)
    for m in (200, 5000):
        pool = Pool(rng.standard_normal((m, 6)))
        W = rng.standard_normal((100, 6))
        single = choose(pool, W, everyone(pool), np.random.default_rng(5))
        for n in (1, 5):
            batch = choose_batch(pool, W, everyone(pool), n, np.random.default_rng(5))
            assert batch[0] == single.index
            assert len(set(batch.tolist())) == n


@given(st.integers(0, 2**32 - 1))
def test_each_of_a_batch_separates_most_pairs_within_the_cells(seed: int) -> None:
    rng = np.random.default_rng(seed)
    votes = rng.standard_normal((25, 3)) @ rng.standard_normal((3, 50)) >= 0
    pool, W = with_votes(votes)
    batch = choose_batch(pool, W, everyone(pool), 6, rng, alpha=1.0).tolist()
    for i in range(1, 6):
        taken = tuple(batch[:i])
        gains = [separated_by_hand(votes, (*taken, j)) for j in range(25)]
        assert gains[batch[i]] == max(gains)


def left_by_hand(votes: np.ndarray, asked: int, witness: int) -> float:
    """Return the minority's share on a row that an answer about another leaves, on average."""
    k = votes.shape[1]
    sides = [votes[witness, votes[asked] == answer] for answer in (True, False)]
    return sum(min(side.sum(), (~side).sum()) for side in sides) / k


@given(st.integers(0, 2**32 - 1))
def test_while_much_is_contested_each_of_a_batch_leaves_the_least_disagreement(seed: int) -> None:
    rng = np.random.default_rng(seed)
    votes = rng.standard_normal((15, 3)) @ rng.standard_normal((3, 40)) >= 0
    pool, W = with_votes(votes)
    assert np.minimum(votes.mean(axis=1), 1 - votes.mean(axis=1)).mean() > CONTESTED
    batch = choose_batch(pool, W, everyone(pool), 5, rng, alpha=1.05).tolist()
    left = np.array([[left_by_hand(votes, i, j) for j in range(15)] for i in range(15)])
    for i in range(1, 5):
        taken = batch[:i]
        sums = [left[[*taken, j]].min(axis=0).sum() for j in range(15)]
        best = min(sums[j] for j in range(15) if j not in taken)
        assert sums[batch[i]] <= best + 1e-5


def test_a_batch_holds_no_copies_while_there_are_others() -> None:
    rng = np.random.default_rng(15)
    originals = rng.standard_normal((6, 5))
    X = np.repeat(originals, 400, axis=0)
    pool = Pool(X)
    W = rng.standard_normal((500, 5))
    for alpha in (1.0, 1.25):
        batch = choose_batch(pool, W, everyone(pool), 6, np.random.default_rng(6), alpha=alpha)
        assert sorted(batch // 400) == [0, 1, 2, 3, 4, 5]


def test_a_batch_larger_than_the_cells_can_be_cut_goes_on_with_pairs_separated_once() -> None:
    # Two hypotheses on two original rows: after one row every pair is separated.
    votes = np.array([[True, False]] * 3 + [[True, True]] * 3)
    pool, W = with_votes(votes)
    batch = choose_batch(pool, W, everyone(pool), 6, np.random.default_rng(0), alpha=1.0)
    assert sorted(batch) == [0, 1, 2, 3, 4, 5]
    assert sorted(batch[:3]) == [0, 1, 2]


def test_a_batch_may_be_the_whole_pool() -> None:
    rng = np.random.default_rng(16)
    pool = Pool(rng.standard_normal((300, 3)))
    batch = choose_batch(pool, rng.standard_normal((40, 3)), everyone(pool), 300, rng)
    np.testing.assert_array_equal(np.sort(batch), np.arange(300))


def test_a_batch_may_be_larger_than_the_pilot_can_offer() -> None:
    rng = np.random.default_rng(18)
    pool = Pool(rng.standard_normal((5000, 3)))
    n = PILOT // 4 + 1
    batch = choose_batch(pool, rng.standard_normal((40, 3)), everyone(pool), n, rng)
    assert len(set(batch.tolist())) == n
