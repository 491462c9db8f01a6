"""The chosen example against brute force, the bound behind elimination, and what a choice costs."""

import itertools
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import binom, hypergeom

from aluma import scoring
from aluma.pool import BLOCK_BYTES, Pool
from aluma.scoring import choose, choose_batch, expected_disagreement, shortlist, vote_shares


def with_votes(votes: np.ndarray) -> tuple[Pool, np.ndarray]:
    """Return a pool and hypotheses whose vote on row i is ``votes[i]``, for any (m, k) booleans."""
    return Pool(sparse.eye_array(len(votes), format="csr")), np.where(votes.T, 1.0, -1.0)


def with_counts(counts: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Return (m, k) votes with the given number of positives in random places."""
    ranks = rng.random((len(counts), k)).argsort(axis=1)
    return ranks < np.asarray(counts)[:, None]


def everyone(pool: Pool) -> np.ndarray:
    return np.ones(len(pool), dtype=bool)


def splits(votes: np.ndarray) -> np.ndarray:
    """Return N+ N- of every row, as whole numbers."""
    positives = votes.sum(axis=1)
    return positives * (votes.shape[1] - positives)


def left_by_hand(votes: np.ndarray, candidate: int) -> float:
    """Return the expected disagreement over all rows, from its definition."""
    total = 0.0
    for answer in (True, False):
        kept = votes[:, votes[candidate] == answer]
        if kept.shape[1]:
            share = kept.mean(axis=1)
            total += kept.shape[1] / votes.shape[1] * np.minimum(share, 1 - share).mean()
    return total


def separated_by_hand(votes: np.ndarray, rows: tuple[int, ...]) -> int:
    """Return how many pairs of hypotheses differ on some of the rows."""
    cells = np.unique(votes[list(rows)], axis=1, return_counts=True)[1]
    k = votes.shape[1]
    return (k * k - int((cells**2).sum())) // 2


def test_ties_and_zero_products_are_positive_votes() -> None:
    pool = Pool(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    W = np.array([[0.0, 1.0], [-0.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    np.testing.assert_allclose(vote_shares(pool, W), [3 / 4, 2 / 4, 3 / 4])
    np.testing.assert_allclose(vote_shares(pool, W, np.array([2, 0])), [3 / 4, 3 / 4])


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(1, 30), st.booleans())
def test_alpha_one_is_the_best_split_of_a_small_pool(seed: int, m: int, k: int, bias: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, 3))
    W = rng.standard_normal((k, 3 + bias))
    eligible = rng.random(m) < 0.7
    eligible[rng.integers(m)] = True
    share = (np.hstack([X, np.ones((m, 1))])[:, : 3 + bias] @ W.T >= 0).mean(axis=1)
    pairs = np.rint(k * share) * np.rint(k * (1 - share))
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


@pytest.mark.parametrize(("k", "n"), [(1000, 32), (1000, 80), (1000, 500), (101, 40), (64, 32)])
def test_an_example_is_dropped_exactly_when_the_hypergeometric_tails_say_so(k: int, n: int) -> None:
    for fewest, delta in itertools.product((1, k // 20, k // 4, k // 2), (1e-4, 1e-2, 0.3)):
        seen = np.arange(n // 2 + 1)
        tails = hypergeom.cdf(seen, k, fewest, n) + hypergeom.cdf(seen, k, k // 2, n)
        dropped = seen[tails <= delta]
        assert scoring._too_few(k, fewest, n, delta) == dropped.max(initial=-1)


@pytest.mark.parametrize("k", [40, 1000])
def test_the_first_round_suffices_to_drop_the_unanimous_and_no_smaller_one_does(k: int) -> None:
    for fewest in (k // 40, k // 12, k // 5, k // 2):
        n = scoring._first_round(k, fewest, 5e-4)
        assert n == k or 2 * n <= k
        if scoring.FIRST < n < k:
            assert scoring._too_few(k, fewest, n, 5e-4) >= 0
            assert scoring._too_few(k, fewest, n - 1, 5e-4) == -1
    assert scoring._first_round(k, 0, 5e-4) == k


@pytest.mark.parametrize("top", [100, 60, 20, 2, 0])
def test_elimination_finds_the_best_of_a_large_pool(top: int) -> None:
    rng = np.random.default_rng(top)
    k, m = 400, 5000
    counts = rng.integers(0, top + 1, m) * (rng.random(m) < 0.3)
    counts = np.where(rng.random(m) < 0.5, counts, k - counts)
    votes = with_counts(counts, k, rng)
    pool, W = with_votes(votes)
    pairs = splits(votes)
    within = np.flatnonzero(1.25 * pairs >= pairs.max())
    found_in_all = 0
    # A run loses the best with probability at most 2e-3: false alarms below 2% for all 8.
    for seed in range(8):
        greedy = choose(pool, W, everyone(pool), np.random.default_rng(seed), alpha=1.0)
        assert pairs[greedy.index] == pairs.max()
        assert greedy.best == pytest.approx(pairs.max() / k**2)
        found = shortlist(pool, W, everyone(pool), np.random.default_rng(seed), alpha=1.25)
        assert np.isin(found.indices, within).all()
        np.testing.assert_array_equal(found.positives, votes.sum(axis=1)[found.indices])
        np.testing.assert_allclose(found.splits, pairs[found.indices] / k**2)
        found_in_all += len(found.indices)
    # Each is missing with probability at most 2e-3: by Markov, false alarms are below 20%.
    assert found_in_all >= 0.99 * 8 * len(within)


def test_elimination_loses_the_best_no_more_often_than_stated() -> None:
    rng = np.random.default_rng(5)
    k, m, runs, delta = 800, 2500, 60, 0.2
    # One best example just above a crowd: its loss shows at once, and the bar is always high.
    counts = np.r_[160, np.full(1500, 156), np.zeros(m - 1501, dtype=int)]
    votes = with_counts(counts, k, rng)
    pool, W = with_votes(votes)
    lost = 0
    for seed in range(runs):
        choice = choose(
            pool, W, everyone(pool), np.random.default_rng(seed), alpha=1.0, delta=delta
        )
        lost += choice.index != 0
    # False alarm if the true rate were delta itself: 1e-6.
    assert lost <= binom.isf(1e-6, runs, delta)
    # The bound is used up in part: at this delta some runs do lose it, so the count is a test.
    assert lost > 0


def test_a_given_candidate_is_missing_no_more_often_than_stated() -> None:
    rng = np.random.default_rng(6)
    k, m, runs, delta = 320, 2500, 100, 0.3
    counts = np.r_[np.full(12, 64), np.full(12, 60), np.full(500, 40), np.zeros(m - 524, dtype=int)]
    votes = with_counts(counts, k, rng)
    pool, W = with_votes(votes)
    pairs = splits(votes)
    within = np.flatnonzero(1.1 * pairs >= pairs.max())
    assert len(within) == 24
    missing = np.zeros(m, dtype=int)
    for seed in range(runs):
        found = shortlist(
            pool, W, everyone(pool), np.random.default_rng(seed), alpha=1.1, delta=delta
        )
        missing[within] += 1
        missing[np.intersect1d(found.indices, within)] -= 1
    # False alarm at 24 candidates whose true rate were delta itself: 24e-6.
    assert missing.max() <= binom.isf(1e-6, runs, delta)


def test_even_examples_end_the_search_early() -> None:
    rng = np.random.default_rng(7)
    k, m = 1000, 10_000
    votes = with_counts(rng.integers(400, 601, m), k, rng)
    pool, W = with_votes(votes)
    choice = choose(pool, W, everyone(pool), np.random.default_rng(1), alpha=1.05)
    assert 1.05 * splits(votes)[choice.index] >= k * k / 4
    assert choice.best == 0.25
    assert choice.products < m * k / 7
    greedy = choose(pool, W, everyone(pool), np.random.default_rng(1), alpha=1.0)
    assert splits(votes)[greedy.index] == k * k // 4
    assert greedy.products < m * k / 5


def test_few_even_examples_do_not_end_the_search() -> None:
    rng = np.random.default_rng(20)
    votes = with_counts(np.where(np.arange(6000) % 150 == 0, 200, 20), 400, rng)
    pool, W = with_votes(votes)
    found = shortlist(pool, W, everyone(pool), np.random.default_rng(0), alpha=1.05)
    # The pilot sees about half of the 40.
    assert len(found.indices) >= scoring.ENOUGH
    np.testing.assert_array_equal(found.indices % 150, 0)


@pytest.mark.parametrize("top", [480, 200, 90])
def test_elimination_spends_a_fifth_of_a_full_scoring_at_most(top: int) -> None:
    rng = np.random.default_rng(8)
    k, m = 1000, 12_000
    # Late in a run: most votes are settled, a few hundred are not, none is even.
    counts = np.where(rng.random(m) < 0.05, rng.integers(0, top, m), 0)
    counts[:10] = top
    votes = with_counts(counts, k, rng)
    pool, W = with_votes(votes)
    for alpha in (1.0, 1.05):
        choice = choose(pool, W, everyone(pool), np.random.default_rng(2), alpha=alpha)
        assert alpha * splits(votes)[choice.index] >= splits(votes).max()
        assert choice.products < m * k / 5


def test_candidates_are_spread_over_the_pool_and_not_its_first_rows() -> None:
    rng = np.random.default_rng(9)
    votes = with_counts(np.full(20_000, 50), 100, rng)
    pool, W = with_votes(votes)
    choice = choose(pool, W, everyone(pool), np.random.default_rng(3), alpha=1.05)
    assert len(choice.candidates) >= scoring.ENOUGH
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
    n = scoring.PILOT // 4 + 1
    batch = choose_batch(pool, rng.standard_normal((40, 3)), everyone(pool), n, rng)
    assert len(set(batch.tolist())) == n


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
    assert choice.products > 30_000 * scoring.FIRST
    # Blocks, the hypotheses in float32 twice, votes of the witnesses, a few numbers for a row.
    witnesses = 12 * scoring.WITNESSES * scoring.JURY
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
