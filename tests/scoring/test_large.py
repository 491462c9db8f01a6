"""Large pools: a sample first, votes that decide, and what a sample promises."""

from __future__ import annotations

from functools import partial, reduce
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from aluma import ALuMA
from aluma.pool import Pool
from aluma.pool.sample import Purpose
from aluma.promises.sampled import share_bound, upper_share
from aluma.scoring.elimination import shortlist
from aluma.scoring.exact import count_exactly
from aluma.scoring.large import OFFERED, _offered, _together, nearest_large, shortlist_large
from aluma.scoring.majority import _bars, leaning
from aluma.scoring.votes import vote_shares
from evidence import generator, seed_of

MANY = 20_000


@pytest.fixture(autouse=True)
def small_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aluma.pool.sample.MOST_ROWS", 4096)


def pool_and_voters(d: int = 6, spread: float = 0.3) -> tuple[Pool, np.ndarray]:
    rng = generator(0)
    X = rng.standard_normal((MANY, d)).astype(np.float32)
    W = rng.standard_normal(d) + spread * rng.standard_normal((501, d))
    return Pool(X), W.astype(np.float32)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_votes_are_counted_as_in_float64(dtype: Any) -> None:
    rng = generator(1)
    X = (10 * rng.standard_normal((500, 7))).astype(dtype)
    W = rng.standard_normal((40, 7)).astype(np.float32)
    # Rows that a hypothesis is within rounding of: in float32 their side is a matter of order.
    if dtype != np.int32:
        W[0] = X[3] - (X[3] @ X[4]) / (X[4] @ X[4]) * X[4]
    for pool in (Pool(X), Pool(X, bias=True)):
        weights = W if not pool.bias else np.hstack([W, np.ones((40, 1), np.float32)])
        rows = pool.rows(np.arange(500)).astype(np.float32).astype(np.float64)
        expected = (rows @ weights.astype(np.float64).T >= 0).sum(axis=1)
        assert np.array_equal(count_exactly(pool, weights), expected)
        chosen = np.array([7, 3, 499])
        assert np.array_equal(count_exactly(pool, weights, chosen), expected[chosen])


def test_labels_by_few_votes_are_those_of_all() -> None:
    pool, W = pool_and_voters()
    assert pool.is_large
    full = vote_shares(pool, W)
    few = leaning(pool, W, generator(2))
    assert np.array_equal(few >= 0.5, full >= 0.5)
    heard = few * 64
    assert (heard == heard.round()).mean() > 0.5
    assert not np.array_equal(few, full)


def test_rounds_of_votes_double_until_all_have_voted() -> None:
    assert [n for n, _ in _bars(1000, 1e-9)] == [64, 128, 256, 512]
    assert [n for n, _ in _bars(100, 1e-9)] == [64]
    assert _bars(64, 1e-9) == []


def test_what_blocks_offer_is_bounded_and_the_same_however_they_are_cut() -> None:
    """As few as travel over a network, although hundreds of examples would do."""
    rng = generator(21)
    X = rng.standard_normal((4000, 3)).astype(np.float32)
    W = rng.standard_normal((100, 3)).astype(np.float32)
    gone = np.array([5, 2100])
    offers = []
    for cuts in ([0, 4000], [0, 100, 2500, 4000]):
        parts = [
            _offered(start, Pool(X[start:stop], prepared=True), W, gone, 40, 0.01)
            for start, stop in pairwise(cuts)
        ]
        assert all(len(part.rows) <= OFFERED for part in parts)
        total = reduce(partial(_together, 100), parts)
        order = np.argsort(total.rows)
        offers.append((total.rows[order], total.positives[order]))
    assert len(offers[0][0]) == OFFERED
    for one, other in zip(*offers, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.isin(gone, offers[0][0]).any()


def test_a_question_within_alpha_of_the_best_of_all() -> None:
    pool, W = pool_and_voters(spread=0.005)
    shares = vote_shares(pool, W)
    eligible = np.ones(len(pool), dtype=bool)
    eligible[np.argsort(np.abs(shares - 0.5))[:5]] = False
    splits = np.where(eligible, shares * (1 - shares), 0)
    for alpha in (1.0, 1.05):
        found = shortlist_large(pool, W, eligible, generator(3), alpha=alpha)
        assert (alpha * splits[found.indices] >= splits.max() - 1e-12).all()
        assert found.best >= splits.max() - 1e-12
        assert eligible[found.indices].all()
        # The control: what the sample alone has to offer is not it.
        sample = pool.sample(Purpose.QUESTIONS)
        alone = shortlist(sample.pool, W, eligible[sample.rows], generator(3), alpha=alpha)
        assert alone.best < splits.max()


def test_a_unanimous_sample_is_no_end() -> None:
    pool, W = pool_and_voters(d=2, spread=1e-4)
    sample = pool.sample(Purpose.QUESTIONS)
    shares = vote_shares(pool, W)
    disputed = np.flatnonzero((shares > 0) & (shares < 1))
    assert len(disputed)
    eligible = np.ones(len(pool), dtype=bool)
    eligible[np.intersect1d(sample.rows, disputed)] = False
    left = np.flatnonzero(eligible & (np.minimum(shares, 1 - shares) > 0.2))
    found = shortlist_large(pool, W, eligible, generator(4))
    assert not len(left) or len(np.intersect1d(found.indices, left))


def test_the_nearest_rows_of_all_blocks() -> None:
    pool, W = pool_and_voters()
    eligible = np.ones(len(pool), dtype=bool)
    eligible[::7] = False
    X = pool.rows(np.arange(len(pool)))
    for by_length in (False, True):
        distance = np.abs(X @ W[0].astype(np.float64))
        distance = distance / np.linalg.norm(X, axis=1) if by_length else distance
        distance[~eligible] = np.inf
        rows, found = nearest_large(pool, W[0].astype(np.float64), eligible, 9, by_length=by_length)
        order = np.argsort(found, kind="stable")[:9]
        assert rows[order].tolist() == np.argsort(distance)[:9].tolist()
        np.testing.assert_allclose(found, distance[rows])


def test_a_bound_from_a_sample_covers_the_share_of_all() -> None:
    """The target of a hypothesis: how often is the share above the bound? At most delta."""
    rng = generator(5)
    delta, failures, runs = 0.1, 0, 200
    for _ in range(runs):
        # Hypotheses dispute the examples below a place of their own, as on a line.
        places = rng.gamma(2.0, 0.01, 400)
        sample = np.sort(rng.random(1000))
        bound = share_bound(np.searchsorted(sample, places), len(sample), delta)
        exceeded = float((rng.gamma(2.0, 0.01, 4000) > bound).mean())
        failures += exceeded > delta
    # LUCK and the quantile's confidence together: a tenth of the samples at most.
    assert binomtest(failures, runs, 0.1, alternative="greater").pvalue > 1e-8
    assert upper_share(0, 1000, 0.05) == pytest.approx(1 - 0.05 ** (1 / 1000))
    assert upper_share(1000, 1000, 0.05) == 1.0


def test_a_certificate_looks_at_a_sample_and_says_so() -> None:
    pool, _ = pool_and_voters(d=3)
    settings: dict[str, Any] = {"classes": (-1, 1), "slack": 0, "n_hypotheses": 128}
    learner = ALuMA(pool, promise="credible", random_state=seed_of(6), **settings)
    for i in range(12):
        row = pool.rows([i])[0]
        learner.tell(i, 1 if row[0] > 0.3 * row[1] else -1)
    said = learner.certificate(proof_seconds=0.0)
    assert said.sampled == 1024
    assert said.size == MANY
    assert 0 < said.sampling_error < said.expected_error
    assert said.credible_bound > said.expected_error
    exact = ALuMA(pool, promise="credible", tolerance=0, random_state=seed_of(6), **settings)
    assert exact.parts.promise.tolerance == 0
