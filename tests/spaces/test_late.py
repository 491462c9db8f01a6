"""Late questions about two classes: nearest to a tie by weights that allow for noise."""

from typing import Any

import numpy as np
import pytest

from aluma import ALuMA
from aluma.arrays import Floats, Ints
from aluma.pool import Pool
from aluma.pool.sample import Purpose
from aluma.representation.bias import typical_length, with_bias
from aluma.representation.softmax import likeliest
from aluma.spaces.frame import Frame
from aluma.spaces.late import LITTLE_NOISE, NEAR_FOR_EACH, Answered, Near, common
from aluma.spaces.loosening import (
    FEWEST_FEATURES,
    FOR_EACH_FEATURE,
    LATE,
    SETTLING,
    LooseningSpace,
)
from aluma.spaces.plain import PlainSpace
from aluma.strategies.split import LATE_SPLIT_EVERY
from evidence import generator, seed_of

#: A number of answers after which a late question is asked.
ANSWERS = LATE + 1


def apart(seed: int, m: int = 400, d: int = 30) -> tuple[Floats, Ints]:
    """Return two kinds of examples that are far apart: most votes agree after few answers."""
    rng = generator(seed)
    y = rng.choice([-1, 1], m)
    X = rng.standard_normal((m, d))
    X[:, 0] += 12.0 * y
    return X, y


def told(X: Any, y: Ints, answers: int = ANSWERS) -> LooseningSpace:
    space = LooseningSpace(with_bias(X, True), 256, 0)
    space.add_many([(index, int(y[index])) for index in range(answers)])
    return space


def boundary(space: LooseningSpace, y: Ints) -> Floats:
    """Return the likeliest boundary, worked out from whole rows."""
    rows = space.pool.rows(np.arange(len(y)))
    noise = LITTLE_NOISE * typical_length(space.pool)
    negative, positive = likeliest(rows, (y > 0).astype(np.int64), 2, noise)
    return np.asarray(positive - negative)


def test_answers_are_the_same_whether_they_came_one_by_one_or_together() -> None:
    X, y = apart(1, d=30)
    pool = Pool(X)
    events = [(index, int(y[index])) for index in range(20)]
    none = Answered((), Frame(pool.dimension))
    at_once, by_steps = none.after(events, pool), none
    for n in (3, 4, 11, 20):
        by_steps = by_steps.after(events[:n], pool)
    for some in (at_once, by_steps):
        assert some.told == tuple(events)
        lengths = [np.linalg.norm(within) for within in some.coordinates]
        np.testing.assert_allclose(lengths, np.linalg.norm(X[:20], axis=1))
    np.testing.assert_array_equal(at_once.boundary(0.5), by_steps.boundary(0.5))
    changed = [*events[:5], (7, -events[7][1])]
    again = at_once.after(changed, pool)
    np.testing.assert_array_equal(again.boundary(0.5), none.after(changed, pool).boundary(0.5))
    some = pool.rows(np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 6]))
    assert again.news()(some).tolist() == [False] * 5 + [True, True, False, True, False]


def test_the_boundary_is_that_of_whole_rows() -> None:
    X, y = apart(2, d=30)
    space = told(X, y, 20)
    found = Answered((), Frame(space.pool.dimension)).after(space._told, space.pool)
    direction = found.boundary(LITTLE_NOISE * typical_length(space.pool))
    wanted = boundary(space, y[:20])
    # Both solvers stop near the best, in other coordinates.
    cosine = direction @ wanted / np.linalg.norm(direction) / np.linalg.norm(wanted)
    assert cosine > 0.999
    np.testing.assert_array_equal(np.sign(space.pool.rows(np.arange(20)) @ direction), y[:20])


def test_the_example_nearest_to_a_tie_is_asked_about_late() -> None:
    X, y = apart(3)
    space = told(X, y)
    eligible = np.arange(len(X)) >= ANSWERS
    choice = space.nearest(eligible)
    assert choice is not None
    distance = np.abs(space.pool.rows(np.arange(len(X))) @ boundary(space, y[:ANSWERS]))
    open_ = np.flatnonzero(eligible)
    nearest = open_[np.argsort(distance[open_])]
    # Solvers stop near the best: the nearest few may change places.
    assert choice.index in nearest[:3]
    assert choice.candidates[0] == choice.index
    assert 0.0 <= choice.positive <= 1.0
    again = told(X, y).nearest(eligible)
    assert again is not None
    assert again.index == choice.index


@pytest.mark.parametrize(("m", "late"), [(60, 20), (400, 20), (620, 31), (2000, LATE)])
def test_before_it_is_late_it_takes_a_split(m: int, late: int) -> None:
    X, y = apart(3, m=m)
    for answers in (0, late - 1):
        assert told(X, y, answers).nearest(np.arange(m) >= answers) is None
    assert told(X, y, late).nearest(np.arange(m) >= late) is not None


def test_a_late_batch_is_of_examples_near_a_tie_that_separate_hypotheses() -> None:
    X, y = apart(3)
    # Copies of what is near are all near: one of them says what all do.
    X[100:] = np.repeat(X[100:115], 20, axis=0)
    y[100:] = np.repeat(y[100:115], 20)
    space, eligible = told(X, y), np.arange(len(X)) >= ANSWERS
    near = space.nearest(eligible)
    assert near is not None
    for n in (1, 5, 10):
        batch = space.batch(space.voters(), eligible, n, alpha=1.05, first=near.index)
        assert len(set(batch.tolist())) == n
        assert batch[0] == near.index
        assert eligible[batch].all()
        # The batch is of twice as many as it has, and more than 32 are not named.
        assert set(batch.tolist()) <= set(near.candidates[: NEAR_FOR_EACH * n].tolist())
        assert len(near.candidates) >= NEAR_FOR_EACH * n
        assert len(np.unique(X[batch], axis=0)) == n
    # What is asked about first need not be near.
    other = int(np.flatnonzero(eligible & ~np.isin(np.arange(len(X)), near.candidates))[0])
    batch = space.batch(space.voters(), eligible, 5, alpha=1.05, first=other)
    assert batch[0] == other
    assert set(batch[1:].tolist()) <= set(near.candidates.tolist())


def test_a_batch_is_of_splits_with_alpha_1_or_early_or_if_too_few_are_near(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = apart(3)
    space, eligible = told(X, y), np.arange(len(X)) >= ANSWERS
    first = int(np.flatnonzero(eligible)[0])

    def batch(of: LooseningSpace, n: int, alpha: float) -> list[int]:
        return of.batch(of.voters(), eligible, n, alpha=alpha, first=first).tolist()

    late, greedy = batch(space, 10, 1.05), batch(space, 10, 1.0)
    with monkeypatch.context() as without:
        without.setattr(LooseningSpace, "_near", lambda *_, **__: None)
        plain = batch(space, 10, 1.05)
        assert greedy == batch(space, 10, 1.0)
    assert plain != late
    few = Near(space.pool, None, np.flatnonzero(eligible)[:5], 5)
    monkeypatch.setattr(LooseningSpace, "_near", lambda *_, **__: few)
    assert batch(space, 10, 1.05) == plain


@pytest.mark.parametrize("fewest", [32, 1024], ids=["its sample", "another sample"])
def test_late_batches_of_a_large_pool_have_the_names_that_rows_have_there(
    fewest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aluma.pool.sample.FEWEST_ROWS", 64)
    monkeypatch.setattr("aluma.pool.sample.MOST_ROWS", 256)
    monkeypatch.setattr("aluma.scoring.large.FEWEST", fewest)
    X, y = apart(3, m=3000)
    space = told(X, y)
    assert space.pool.is_large
    eligible = np.arange(len(X)) >= ANSWERS
    near = space.nearest(eligible)
    assert near is not None
    batch = space.batch(space.voters(), eligible, 8, alpha=1.05, first=near.index)
    assert set(batch.tolist()) <= set(near.candidates.tolist())
    assert len(set(batch.tolist())) == 8


def test_every_eighth_late_question_is_a_split(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = apart(3)
    learner = learner_of(X)
    looked: list[Any] = []
    monkeypatch.setattr(LooseningSpace, "nearest", lambda *given: looked.append(given))
    counted = []
    for row in range(2 * LATE_SPLIT_EVERY):
        before = len(looked)
        learner.ask()
        counted.append(len(looked) > before)
        learner.tell(row, int(y[row]))
    assert counted == [n % LATE_SPLIT_EVERY > 0 for n in range(2 * LATE_SPLIT_EVERY)]


@pytest.mark.parametrize("features", [FEWEST_FEATURES - 1, FEWEST_FEATURES])
def test_of_few_features_splits_say_all_there_is(features: int) -> None:
    X, y = apart(3, d=features - 1)
    choice = told(X, y).nearest(np.arange(len(X)) >= ANSWERS)
    assert (choice is None) == (features < FEWEST_FEATURES)


@pytest.mark.parametrize(("share", "late"), [(0.9 * SETTLING, True), (1.1 * SETTLING, False)])
def test_while_hypotheses_are_divided_it_takes_a_split(
    share: float, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = apart(3, m=1000)
    space = told(X, y)
    looked: list[Ints] = []

    def glance(self: PlainSpace, pool: Pool, rows: Ints) -> Floats:
        looked.append(rows)
        return np.full(len(rows), 1.0 - share)

    monkeypatch.setattr(PlainSpace, "glance", glance)
    assert (space.nearest(np.arange(len(X)) >= ANSWERS) is not None) == late
    # The same examples are looked at whenever the same was told, and others after another answer.
    told(X, y).nearest(np.arange(len(X)) >= ANSWERS)
    told(X, -y).nearest(np.arange(len(X)) >= ANSWERS)
    first, again, other = (rows for rows in looked if len(rows) > 1)
    assert len(first) < len(X) - ANSWERS
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    # Votes that are divided in truth, without a glance made up.
    X = generator(4).standard_normal((400, 90))
    monkeypatch.undo()
    y = np.where(X[:, 0] > 0, 1, -1)
    assert told(X, y).nearest(np.arange(len(X)) >= ANSWERS) is None


def test_where_many_answers_agree_with_a_halfspace_splits_find_the_rest() -> None:
    """Until they contradict each other: then it is late again."""
    X, y = apart(3)
    eligible = np.arange(len(X)) >= 150
    most = FOR_EACH_FEATURE * (X.shape[1] + 1)
    assert told(X, y, most - 1).nearest(eligible) is not None
    assert told(X, y, most + 1).nearest(eligible) is None
    y = y.copy()
    y[:40] *= -1
    space = told(X, y, most + 1)
    assert space.allowed_slack > 0
    assert space._may_be_late()


def test_without_room_for_noise_there_are_none() -> None:
    X, y = apart(3)
    space = PlainSpace(with_bias(X, True), 256, 0)
    space.add_many([(index, int(y[index])) for index in range(ANSWERS)])
    assert space.nearest(np.arange(len(X)) >= ANSWERS) is None


@pytest.mark.parametrize("mixed", [False, True], ids=["separable", "not"])
def test_with_slack_it_goes_by_soft_votes(mixed: bool) -> None:
    """The glance is that of the space that is used now, a lifted one after mixed answers."""
    X, y = apart(5)
    if mixed:
        y = y.copy()
        y[:40] *= -1
    space = told(X, y, 120)
    assert (space.allowed_slack > 0) == mixed
    rows = np.arange(120, len(X))
    shares = space._inner.glance(space.pool, rows)
    assert ((shares >= 0) & (shares <= 1)).all()
    # A block of hypotheses says nearly what all do.
    all_shares = space.shares(space.pool)[rows]
    assert np.mean((shares > 0.5) == (all_shares > 0.5)) > 0.95
    if mixed:
        # Shares of hard votes would be whole numbers of hypotheses.
        voters = len(space.population.some_voters())
        assert np.abs(shares * voters - np.round(shares * voters)).max() > 0.1
        assert np.abs(shares - all_shares).mean() < 0.05


def test_copies_of_answered_examples_are_not_asked_about() -> None:
    X, y = apart(6, m=ANSWERS)
    X, y = np.vstack([X, X, apart(7, m=50)[0]]), np.concatenate([y, y, apart(7, m=50)[1]])
    space = told(X, y)
    choice = space.nearest(np.arange(len(X)) >= ANSWERS)
    assert choice is not None
    assert (choice.candidates >= 2 * ANSWERS).all()
    assert told(X, y).nearest(np.arange(len(X)) // ANSWERS == 1) is None


def stretched(**settings: Any) -> tuple[ALuMA, Ints, Ints]:
    """Return a learner of a pool in which every row is there twice, labels, and names of rows."""
    rng = generator(11)
    X = rng.standard_normal((150, 60))
    X[:, :20] *= 3.0
    y = np.where(X[:, :20] @ rng.standard_normal(20) > 0, 1, -1)
    y[rng.random(150) < 0.1] *= -1
    learner = learner_of(np.vstack([X, X]), **settings)
    assert learner.pool.stretch is not None
    return learner, np.tile(y, 2), np.tile(np.arange(150), 2)


@pytest.mark.parametrize("classes", [(-1, 1), (-1, 0, 1)], ids=["two", "three"])
def test_in_the_prior_s_coordinates_copies_are_known_too(classes: tuple[int, ...]) -> None:
    """Rows have the same bits there, whichever are read together."""
    learner, y, names = stretched(classes=classes)
    seen: set[int] = set()
    late = again = 0
    for _ in range(90):
        nearest = learner.parts.space.nearest(learner.eligible)
        if nearest is not None:
            late += 1
            again += names[nearest.index] in seen
        row = int(learner.ask())
        seen.add(int(names[row]))
        learner.tell(row, int(y[row]))
    assert late > 20
    assert again == 0


def test_in_the_prior_s_coordinates_replay_and_undo_ask_the_same() -> None:
    learner, y, _ = stretched()
    other, _, _ = stretched()
    for _ in range(ANSWERS + 30):
        row = int(learner.ask())
        if learner.n_answers >= ANSWERS:
            assert other.fork().ask() == row
            undone = learner.fork()
            event = undone.history[-1].index
            undone.undo()
            undone.ask()
            undone.tell(event, int(y[event]))
            assert undone.ask() == row
        learner.tell(row, int(y[row]))
        other.tell(row, int(y[row]))


def test_after_an_undo_what_stays_is_not_worked_out_again() -> None:
    X, y = apart(1)
    pool = Pool(X)
    events = [(index, int(y[index])) for index in range(20)]
    whole = Answered((), Frame(pool.dimension)).after(events, pool)
    fewer = whole.after([*events[:15], (30, int(y[30]))], pool)
    kept = zip(whole.frame.axes, fewer.frame.axes, strict=False)
    assert [one is other for one, other in kept] == [True] * 15 + [False]
    anew = Answered((), Frame(pool.dimension)).after(fewer.told, pool)
    np.testing.assert_array_equal(fewer.boundary(0.5), anew.boundary(0.5))
    assert fewer.digests == anew.digests
    assert [common("abcd", other) for other in ("", "abcd", "ab", "abxd", "abcde")] == [
        0,
        4,
        2,
        2,
        4,
    ]


@pytest.mark.parametrize("scale", [1e-41, 1e-20, 1e20])
def test_the_unit_of_rows_does_not_matter(scale: float) -> None:
    X, y = apart(2)
    wanted = told(X, y).nearest(np.arange(len(X)) >= ANSWERS)
    found = told(scale * X, y).nearest(np.arange(len(X)) >= ANSWERS)
    assert wanted is not None
    assert found is not None
    # Solvers stop near the best.
    assert found.index in wanted.candidates[:3]


def test_of_a_large_pool_the_sample_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aluma.pool.sample.MOST_ROWS", 4096)
    X, y = apart(8, m=20_000)
    space = told(X, y)
    assert space.pool.is_large
    choice = space.nearest(np.arange(len(X)) >= ANSWERS)
    assert choice is not None
    assert choice.index in space.pool.sample(Purpose.QUESTIONS).rows
    assert choice.index >= ANSWERS


def learner_of(X: Floats, **settings: Any) -> ALuMA:
    given: dict[str, Any] = {"classes": (-1, 1), "bias": True, "promise": "credible"}
    return ALuMA(
        X, tolerance=0.0, n_hypotheses=256, random_state=seed_of(9), **{**given, **settings}
    )


@pytest.mark.parametrize(("settings", "late"), [({}, True), ({"alpha": 1.0}, False)])
def test_the_paper_s_alpha_keeps_the_best_split(
    settings: dict[str, Any], late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = apart(9)
    looked: list[Any] = []
    monkeypatch.setattr(LooseningSpace, "nearest", lambda *given: looked.append(given))
    learner = learner_of(X, **settings)
    learner.tell(np.arange(ANSWERS), y[:ANSWERS])
    learner.ask()
    assert bool(looked) == late


def test_undo_fork_change_and_replay_ask_the_same() -> None:
    X, y = apart(10)
    first = list(range(0, 2 * LATE, 2))
    learner = learner_of(X)
    for row in first:
        learner.tell(row, int(y[row]))
    asked = []
    for _ in range(LATE_SPLIT_EVERY + 2):
        asked.append(int(learner.ask()))
        learner.tell(asked[-1], int(y[asked[-1]]))
    following = learner.ask()
    assert learner.fork().ask() == following
    for _ in range(3):
        learner.undo()
    learner.change(asked[1], -int(y[asked[1]]))
    learner.ask()
    learner.change(asked[1], int(y[asked[1]]))
    for row in asked[-3:]:
        assert learner.ask() == row
        learner.tell(row, int(y[row]))
    anew = learner_of(X)
    for row in [*first, *asked]:
        anew.tell(row, int(y[row]))
    assert anew.ask() == following
