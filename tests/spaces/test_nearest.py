"""Late questions about several classes: the example nearest to a tie."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from aluma.arrays import Floats, Ints
from aluma.learners.aluma import ALuMA
from aluma.pool import Pool
from aluma.pool.sample import Purpose
from aluma.representation.bias import typical_length, with_bias
from aluma.representation.softmax import likeliest
from aluma.scoring.many import (
    class_counts,
    disputed_share,
    doubt,
    nearest_to_a_tie,
)
from aluma.spaces.many import DOUBT, LITTLE_NOISE, ManySpace
from aluma.spaces.neighbours import Neighbours
from evidence import generator, seed_of

#: Rows of a pool that a small sample stands for.
MANY = 20_000


def clusters(seed: int, m: int = 300, d: int = 4, apart: float = 6.0) -> tuple[Floats, Ints]:
    """Return three kinds of examples that are far apart: most votes agree after few answers."""
    rng = generator(seed)
    y = rng.integers(0, 3, m)
    return rng.standard_normal((m, d)) + apart * np.eye(3, d)[y], y


def told(X: Any, y: Ints, answers: int, **settings: Any) -> ManySpace:
    space = ManySpace(with_bias(X, True), 3, 256, 0, **settings)
    for index in range(answers):
        space.add(index, int(y[index]) or -1)
    return space


def test_the_nearest_rows_to_a_tie_are_those_whose_leaders_differ_least() -> None:
    products = np.array([[0.0, 1.0, 5.0], [3.0, 2.9, 0.0], [9.0, 0.0, 8.0]], dtype=np.float32)
    assert nearest_to_a_tie(products, np.array([0, 1, 2])).tolist() == [1, 2, 0]
    assert nearest_to_a_tie(products, np.array([0, 2])).tolist() == [2, 0]
    assert disputed_share(np.array([[0.5, 0.5], [1.0, 0.0]])) == 0.25
    assert disputed_share(np.empty((0, 3))) == 0.0
    assert doubt(1e4 * products) == pytest.approx(0.0)
    assert doubt(np.empty((0, 3), dtype=np.float32)) == 0.0


@pytest.mark.parametrize("others", [9.0, 1.0], ids=["sure", "in doubt"])
def test_neighbours_are_heard_once_little_is_doubted(
    others: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = clusters(3)
    products = np.tile(np.array([others, 0.0, 0.0], dtype=np.float32), (len(X), 1))
    tie, contradicted = 200, 250
    products[tie] = (8.0, 7.9, 0.0)
    monkeypatch.setattr(ManySpace, "fitted", lambda *_: products)
    monkeypatch.setattr(Neighbours, "to_be_heard", True)
    monkeypatch.setattr(Neighbours, "contradicted", lambda *_: np.array([contradicted]))
    sure = doubt(products) < DOUBT
    assert sure == (others == 9.0)
    choice = told(X, y, 101).nearest(np.arange(len(X)) >= 101)
    assert choice is not None
    assert choice.index == (contradicted if sure else tie)


@pytest.mark.parametrize("large", [False, True])
def test_a_late_batch_is_of_examples_near_a_tie(
    large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr("aluma.pool.sample.FEWEST_ROWS", 64)
        monkeypatch.setattr("aluma.pool.sample.MOST_ROWS", 512)
        monkeypatch.setattr("aluma.scoring.large.FEWEST", 32)
    X, y = clusters(4, m=3000, apart=3.0)
    # Of a hundred examples each four times, so that copies could fill a batch.
    X[200:600], y[200:600] = np.repeat(X[200:300], 4, axis=0), np.repeat(y[200:300], 4)
    space, eligible = told(X, y, 101), np.arange(len(X)) >= 101
    assert space.pool.is_large == large
    near = space.nearest(eligible)
    assert near is not None
    for n in (1, 6, 12):
        batch = space.batch(space.voters(), eligible, n, alpha=1.05, first=near.index)
        assert batch[0] == near.index
        assert len(np.unique(X[batch], axis=0)) == n
        assert set(batch.tolist()) <= set(near.candidates.tolist())
    # The paper's own choice is among all, and so is one that is early.
    greedy = space.batch(space.voters(), eligible, 12, alpha=1.0, first=near.index)
    assert not set(greedy.tolist()) <= set(near.candidates.tolist())
    monkeypatch.setattr(ManySpace, "_is_late", lambda *_: False)
    early = space.batch(space.voters(), eligible, 12, alpha=1.05, first=near.index)
    np.testing.assert_array_equal(early, greedy)


def test_products_are_those_with_the_likeliest_weights() -> None:
    X, y = clusters(1)
    space = told(X, y, 9)
    pool, noise = space.pool, 0.2
    rows = pool.rows(np.arange(len(pool)))
    rows[:, -1] *= space._share
    weights = likeliest(rows[:9], y[:9], 3, noise * typical_length(pool))
    expected = rows @ weights.T
    # Both solvers stop near the best, in other coordinates.
    np.testing.assert_allclose(space.fitted(pool, noise), expected, atol=0.05 * expected.std())
    np.testing.assert_array_equal(space.fitted(pool, noise).argmax(axis=1)[:9], y[:9])


def test_wide_sparse_pools_have_the_same_products() -> None:
    rng = generator(2)
    X = sparse.random(40, 2500, 0.02, "csr", random_state=rng, data_rvs=rng.random)
    y = rng.integers(0, 3, 40)
    space = told(X, y, 12)
    assert space._seen is not None
    there = space.fitted(space.pool, 0.3)
    # Another pool of the same rows goes by the weights written down.
    elsewhere = space.fitted(Pool(X, bias=space.pool.constant), 0.3)
    np.testing.assert_allclose(there, elsewhere, atol=1e-3)
    np.testing.assert_array_equal(there.argmax(axis=1)[:12], y[:12])


@pytest.mark.parametrize("slack", [0.0, 0.01])
def test_it_is_asked_once_votes_are_divided_on_little(slack: float) -> None:
    X, y = clusters(3)
    eligible = np.ones(len(X), dtype=bool)
    assert told(X, y, 0).nearest(eligible) is None
    answers = 33
    space = told(X, y, answers, slack=slack)
    eligible[:answers] = False
    choice = space.nearest(eligible)
    assert choice is not None
    two = np.sort(space.fitted(space.pool, LITTLE_NOISE), axis=1)
    gaps = two[:, -1] - two[:, -2]
    assert choice.index >= answers
    assert gaps[choice.index] == gaps[answers:].min()
    assert choice.candidates[0] == choice.index
    again = told(X, y, answers, slack=slack).nearest(eligible)
    assert again is not None
    assert again.index == choice.index


@pytest.mark.parametrize("slack", [0.0, 0.01])
def test_the_lead_on_an_example_is_that_of_the_vote(slack: float) -> None:
    """Ten examples, five standard errors: false alarms below 1 in 1e5."""
    X, y = clusters(9, d=20)
    space = told(X, y, 7, slack=slack)
    rows = np.arange(50, 60)
    voters = space.voters()
    shares = class_counts(space.pool, voters, rows).max(axis=1) / len(voters)
    for row, share in zip(rows, shares, strict=True):
        noise = np.sqrt(2 * share * (1 - share) / len(voters)) + 2 / len(voters)
        assert abs(space._lead(int(row)) - share) < 5 * noise


def test_it_is_not_asked_while_votes_are_divided() -> None:
    X = generator(4).standard_normal((200, 30))
    y = generator(5).integers(0, 3, 200)
    eligible = np.ones(200, dtype=bool)
    eligible[:9] = False
    assert told(X, y, 9).nearest(eligible) is None


def test_of_a_large_pool_the_sample_is_looked_at_and_all_of_it_labelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("aluma.pool.sample.MOST_ROWS", 4096)
    X, y = clusters(8, m=MANY)
    answers = 33
    space = told(X, y, answers)
    pool = space.pool
    assert pool.is_large
    products = space.fitted(pool, LITTLE_NOISE)
    some = Pool(X[:500], bias=pool.constant)
    assert not some.is_large
    np.testing.assert_allclose(products[:500], space.fitted(some, LITTLE_NOISE), atol=1e-3)
    eligible = np.arange(len(X)) >= answers
    choice = space.nearest(eligible)
    assert choice is not None
    sample = pool.sample(Purpose.QUESTIONS).rows
    open_ = sample[eligible[sample]]
    two = np.sort(products, axis=1)
    gaps = two[:, -1] - two[:, -2]
    assert choice.index in open_
    assert gaps[choice.index] <= gaps[open_].min() + 1e-3


def test_the_paper_s_alpha_keeps_the_best_split(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = clusters(6)
    wanted = []
    monkeypatch.setattr(ManySpace, "nearest", lambda *given: wanted.append(given))
    for alpha, often in ((1.0, 0), (1.05, 1)):
        wanted.clear()
        learner = ALuMA(X, classes=(0, 1, 2), bias=True, alpha=alpha, random_state=seed_of(0))
        learner.tell(np.arange(9), y[:9])
        learner.ask()
        assert len(wanted) == often


def test_undo_fork_change_and_replay_ask_the_same() -> None:
    X, y = clusters(7)
    learner = ALuMA(X, classes=(0, 1, 2), bias=True, promise="credible", random_state=seed_of(1))
    asked = []
    for _ in range(30):
        asked.append(int(learner.ask()))
        learner.tell(asked[-1], int(y[asked[-1]]))
    following = learner.ask()
    learner.predict()
    twin = learner.fork()
    assert twin.ask() == following
    for _ in range(3):
        learner.undo()
    for row in asked[-3:]:
        assert learner.ask() == row
        learner.tell(row, int(y[row]))
    assert learner.ask() == following
    anew = ALuMA(X, classes=(0, 1, 2), bias=True, promise="credible", random_state=seed_of(1))
    for row in asked:
        assert anew.ask() == row
        anew.tell(row, int(y[row]))
    assert anew.ask() == following
    batch = anew.ask(5)
    assert batch[0] == following
    assert len(set(batch.tolist())) == 5
    np.testing.assert_array_equal(anew.predict(), twin.predict())


def test_copies_of_answered_examples_are_not_asked_about() -> None:
    """They are as near to a tie as those, and answers about them would tell nothing."""
    X, y = clusters(8)
    X, y = np.repeat(X, 5, axis=0), np.repeat(y, 5)
    learner = ALuMA(X, classes=(0, 1, 2), bias=True, promise="credible", random_state=seed_of(2))
    asked = []
    for _ in range(40):
        asked.append(int(learner.ask()))
        learner.tell(asked[-1], int(y[asked[-1]]))
    assert len({row // 5 for row in asked}) == 40


def test_where_only_copies_are_left_it_takes_a_split() -> None:
    X, y = clusters(9)
    X, y = np.repeat(X[:30], 2, axis=0), np.repeat(y[:30], 2)
    learner = ALuMA(X, classes=(0, 1, 2), bias=True, promise="credible", random_state=seed_of(3))
    for row in range(0, 60, 2):
        learner.tell(row, int(y[row]))
    assert learner.parts.space.nearest(learner.eligible) is None
    assert learner.ask() % 2 == 1


def test_what_was_looked_at_before_an_undo_changes_nothing() -> None:
    """Answers about examples at right angles all have the same walls in their own coordinates."""
    lengths = np.repeat([1.0, 6.0], 6)
    X = np.vstack([np.diag(lengths), np.abs(generator(10).standard_normal((200, 12)))])

    def labels(*before: tuple[int, int]) -> Ints:
        learner = ALuMA(X, classes=(0, 1, 2), promise="credible", random_state=seed_of(4))
        for row, code in before:
            learner.tell(row, code)
        if before:
            learner.predict()
        for _ in before:
            learner.undo()
        for row, code in ((0, 0), (1, 1), (8, 2)):
            learner.tell(row, code)
        return np.asarray(learner.predict())

    np.testing.assert_array_equal(labels((0, 0), (1, 1), (2, 2)), labels())
