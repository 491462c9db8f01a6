"""The chosen example against brute force, on every kind of pool."""

import itertools
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import binom

from aluma.pool import BLOCK_BYTES, Pool
from aluma.scoring import choose, choose_batch, expected_disagreement
from aluma.scoring.choice import JURY, WITNESSES
from aluma.scoring.elimination import ENOUGH
from aluma.scoring.tails import FIRST
from ballots import everyone, splits, with_counts, with_votes


def left_by_hand(votes: np.ndarray, candidate: int) -> float:
    """Return the expected disagreement over all rows, from its definition."""
    total = 0.0
    for answer in (True, False):
        kept = votes[:, votes[candidate] == answer]
        if kept.shape[1]:
            share = kept.mean(axis=1)
            total += kept.shape[1] / votes.shape[1] * np.minimum(share, 1 - share).mean()
    return total


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(1, 30), st.booleans())
def test_alpha_one_is_the_best_split_of_a_small_pool(seed: int, m: int, k: int, bias: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, 3))
    W = rng.standard_normal((k, 3 + bias))
    eligible = rng.random(m) < 0.7
    eligible[rng.integers(m)] = True
    share = (np.hstack([X, np.ones((m, 1))])[:, : 3 + bias] @ W.T >= 0).mean(axis=1)
    pairs = np.rint(k * share) * np.rint(k * (1 - share))
    assume(pairs[eligible].max() > 0)
    expected = np.flatnonzero(eligible & (pairs == pairs[eligible].max()))[0]
    choice = choose(Pool(X, bias=bias), W, eligible, rng, alpha=1.0)
    assert choice.index == expected
    assert choice.positive == pytest.approx(share[expected])
    assert choice.best == pytest.approx(pairs[expected] / k**2)
    assert choice.index in choice.candidates
    assert choice.products == k * eligible.sum()


@given(st.integers(0, 2**32 - 1), st.sampled_from([1.01, 1.05, 1.25, 3.0]))
def test_alpha_leaves_the_least_expected_disagreement(seed: int, alpha: float) -> None:
    rng = np.random.default_rng(seed)
    m, k = 40, 60
    # Votes that hang together, as halfspaces' do: disagreement then differs between candidates.
    votes = rng.standard_normal((m, 4)) @ rng.standard_normal((4, k)) >= 0
    pool, W = with_votes(votes)
    eligible = rng.random(m) < 0.9
    choice = choose(pool, W, eligible, rng, alpha=alpha)
    pairs = splits(votes)
    within = np.flatnonzero(eligible & (alpha * pairs >= pairs[eligible].max()))
    np.testing.assert_array_equal(choice.candidates, within)
    asked = np.flatnonzero(eligible).tolist()
    left = [left_by_hand(votes[eligible], asked.index(c)) for c in within]
    assert left[within.tolist().index(choice.index)] == pytest.approx(min(left), abs=1e-6)


@given(st.integers(0, 2**32 - 1))
def test_expected_disagreement_is_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    votes = rng.random((rng.integers(1, 15), rng.integers(1, 40))) < rng.random()
    chosen = rng.integers(len(votes), size=3)
    by_hand = [left_by_hand(votes, int(c)) for c in chosen]
    np.testing.assert_allclose(expected_disagreement(votes[chosen], votes), by_hand, atol=1e-6)
    assert expected_disagreement(votes[chosen], votes[:0]).tolist() == [0.0, 0.0, 0.0]


def test_candidates_are_spread_over_the_pool_and_not_its_first_rows() -> None:
    rng = np.random.default_rng(9)
    votes = with_counts(np.full(20_000, 50), 100, rng)
    pool, W = with_votes(votes)
    choice = choose(pool, W, everyone(pool), np.random.default_rng(3), alpha=1.05)
    assert len(choice.candidates) >= ENOUGH
    # All rows are alike, so that as few in either half have probability below 1e-4.
    in_first_half = np.count_nonzero(choice.candidates < 10_000)
    n = len(choice.candidates)
    assert binom.ppf(1e-4, n, 0.5) <= in_first_half <= binom.isf(1e-4, n, 0.5)


def test_exact_ties_go_to_the_lowest_row_and_mirrored_votes_tie() -> None:
    votes = with_counts(np.array([10, 30, 70, 30]), 100, np.random.default_rng(10))
    pool, W = with_votes(votes)
    assert choose(pool, W, everyone(pool), np.random.default_rng(0), alpha=1.0).index == 1
    without = np.array([True, False, True, True])
    assert choose(pool, W, without, np.random.default_rng(0), alpha=1.0).index == 2


@pytest.mark.parametrize("m", [50, 6000])
def test_zero_rows_and_ineligible_rows_are_never_chosen(m: int) -> None:
    rng = np.random.default_rng(11)
    X = rng.standard_normal((m, 4))
    X[::2] = 0.0
    eligible = rng.random(m) < 0.5
    W = rng.standard_normal((64, 4))
    allowed = np.flatnonzero(eligible & X.any(axis=1))
    for seed, alpha in itertools.product(range(5), (1.0, 1.05)):
        generator = np.random.default_rng(seed)
        choice = choose(Pool(X), W, eligible, generator, alpha=alpha)
        assert np.isin(choice.candidates, allowed).all()
        assert choice.index in choice.candidates
        batch = choose_batch(Pool(X), W, eligible, 8, generator, alpha=alpha)
        assert np.isin(batch, allowed).all()
    assert Pool(X, bias=True).is_zero.sum() == 0


def test_a_unanimous_population_still_gets_an_answer() -> None:
    pool, W = with_votes(np.ones((30, 12), dtype=bool))
    for alpha in (1.0, 1.05):
        choice = choose(pool, W, everyone(pool), np.random.default_rng(0), alpha=alpha)
        assert (choice.index, choice.positive, choice.best) == (0, 1.0, 0.0)


@pytest.mark.parametrize("m", [300, 5000])
def test_every_kind_of_pool_gives_the_same_choice(tmp_path: Path, m: int) -> None:
    rng = np.random.default_rng(12)
    X = np.round(rng.standard_normal((m, 20)), 1)
    W = rng.standard_normal((200, 21)) + 0.3
    mapped = np.memmap(tmp_path / "pool.dat", dtype=np.float64, mode="w+", shape=X.shape)
    mapped[:] = X
    kinds = [X, sparse.csr_array(X), mapped, pd.DataFrame(X), np.asfortranarray(X)]
    eligible = rng.random(m) < 0.9
    for alpha in (1.0, 1.05):
        choices = [
            choose(Pool(kind, bias=True), W, eligible, np.random.default_rng(4), alpha=alpha)
            for kind in kinds
        ]
        assert len({(c.index, c.positive, c.products) for c in choices}) == 1
    batches = [
        tuple(choose_batch(Pool(kind, bias=True), W, eligible, 6, np.random.default_rng(4)))
        for kind in kinds
    ]
    assert len(set(batches)) == 1


def test_the_same_generator_gives_the_same_choice_and_another_may_not() -> None:
    rng = np.random.default_rng(13)
    pool = Pool(rng.standard_normal((8000, 10)))
    W = rng.standard_normal((300, 10))
    picks = [
        choose(pool, W, everyone(pool), np.random.default_rng(seed)).index
        for seed in (0, 0, 1, 2, 3)
    ]
    assert picks[0] == picks[1]
    assert len(set(picks)) > 1


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_choice_never_copies_the_pool(order: str) -> None:
    rng = np.random.default_rng(17)
    X = np.asarray(rng.standard_normal((30_000, 300)), order=order)
    W = rng.standard_normal((400, 301))
    W[:, -1] += 25.0  # the bias: nothing is even, so that every row is scored
    pool = Pool(X, bias=True)
    tracemalloc.start()
    try:
        choice = choose(pool, W, everyone(pool), rng, alpha=1.05)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert choice.products > 30_000 * FIRST
    # Blocks, the hypotheses in float32 twice, votes of the witnesses, a few numbers for a row.
    witnesses = 12 * WITNESSES * JURY
    assert peak < 3 * BLOCK_BYTES + 2 * W.nbytes + witnesses + 64 * len(pool)
    assert peak < X.nbytes / 2


def test_what_cannot_be_scored_is_refused() -> None:
    pool = Pool(np.array([[0.0, 0.0], [1.0, 0.0]]))
    W, rng = np.ones((3, 2)), np.random.default_rng(0)
    everything = everyone(pool)
    with pytest.raises(ValueError, match=r"alpha=0\.9"):
        choose(pool, W, everything, rng, alpha=0.9)
    with pytest.raises(ValueError, match="alpha=nan"):
        choose(pool, W, everything, rng, alpha=np.nan)
    with pytest.raises(ValueError, match=r"delta=1\.0"):
        choose(pool, W, everything, rng, delta=1.0)
    with pytest.raises(ValueError, match="mask of 2 booleans"):
        choose(pool, W, np.array([True]), rng)
    with pytest.raises(ValueError, match="mask of 2 booleans"):
        choose(pool, W, np.array([0, 1]), rng)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="No example can be asked about"):
        choose(pool, W, np.array([True, False]), rng)
    with pytest.raises(ValueError, match="at least one row"):
        choose(pool, np.ones((0, 2)), everything, rng)
    with pytest.raises(ValueError, match="not finite"):
        choose(pool, np.array([[np.nan, 1.0]]), everything, rng)
    with pytest.raises(ValueError, match="dimension 2"):
        choose(pool, np.ones((3, 3)), everything, rng)
    for n in (0, 2):
        with pytest.raises(ValueError, match=f"batch of {n}"):
            choose_batch(pool, W, everything, n, rng)


@pytest.mark.parametrize("alpha", [1.0, 1.05])
@pytest.mark.parametrize("m", [60, 3000])
def test_where_nobody_disagrees_the_example_nearest_to_the_centre_is_asked(
    alpha: float, m: int
) -> None:
    rng = np.random.default_rng(21)
    W = np.array([1.0, 0.0, 0.0]) + 0.05 * rng.standard_normal((200, 3))
    X = rng.standard_normal((m, 3))
    X[:, 1:] = np.clip(X[:, 1:] / 2, -0.5, 0.5)
    X[:, 0] = np.sign(X[:, 0]) * (1 + np.abs(X[:, 0]))
    X[7] = [0.5, 0.1, 0.1]
    choice = choose(Pool(X), W, np.ones(m, dtype=bool), rng, alpha=alpha)
    assert choice.best == 0
    assert choice.positive == 1
    assert choice.index == 7


@pytest.mark.parametrize("m", [60, 3000])
def test_once_the_pool_is_settled_the_nearest_of_all_is_asked(m: int) -> None:
    rng = np.random.default_rng(22)
    W = np.array([1.0, 0.0, 0.0]) + 0.05 * rng.standard_normal((200, 3))
    W[:6] = [1.0, 3.0, 0.0]
    X = rng.standard_normal((m, 3))
    X[:, 1:] = np.clip(X[:, 1:] / 8, -0.1, 0.1)
    X[:, 0] = np.sign(X[:, 0]) * (1 + np.abs(X[:, 0]))
    X[3] = X[5] = [1.0, -1.0, 0.0]  # six of 200 disagree, on both: 0.06 disputed on average
    X[7] = [0.4, 0.05, 0.0]  # nobody does, and it is nearer to the centre
    X[9] = [0.4, 0.06, 0.0]
    pool, eligible = Pool(X), np.ones(m, dtype=bool)
    for settled, asked in [(0.0, {3, 5}), (0.059, {3, 5}), (0.061, {7}), (0.5, {7})]:
        choice = choose(pool, W, eligible, np.random.default_rng(0), settled=settled)
        assert choice.index in asked
        assert choice.best == pytest.approx(0.03 * 0.97)
    # Its own share is told, not that of the most even, and others nearby are named.
    assert choice.positive == 1.0
    assert choice.candidates[:2].tolist() == [7, 9]
    distance = np.abs(X @ W.mean(axis=0))
    order = np.argsort(distance, kind="stable")
    np.testing.assert_array_equal(choice.candidates, order[: len(choice.candidates)])
    eligible[[5, 7]] = False  # who may not be asked about does not count
    assert choose(pool, W, eligible, np.random.default_rng(0), settled=0.031).index == 9
