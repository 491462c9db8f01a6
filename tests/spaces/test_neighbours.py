"""Neighbours: distances, what they foretold, and questions about what they contradict."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import cohen_kappa_score

from aluma import ALuMA
from aluma.arrays import Floats, Ints
from aluma.pool import Pool
from aluma.pool.sample import Purpose
from aluma.representation.bias import with_bias
from aluma.spaces import neighbours
from aluma.spaces.loosening import EVERY, LATE, SETTLED, LooseningSpace
from aluma.spaces.neighbours import RECORD, STEPS, Neighbours
from evidence import generator, seed_of


def answers(seed: int, n: int, m: int = 120, classes: int = 3) -> list[tuple[int, int]]:
    rng = generator(seed)
    return [(int(i), int(rng.integers(classes))) for i in rng.permutation(m)[:n]]


def none(pool: Pool, names: Ints | None = None, unit: float = 1.0) -> Neighbours:
    return Neighbours.about(None, pool, names, unit)


def squared_distances(X: Floats, to: Ints) -> Floats:
    return np.asarray(((X[:, None, :] - X[to]) ** 2).sum(axis=2))


@pytest.mark.parametrize("kind", ["dense", "sparse", "stretched"])
@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e20])
def test_distances_are_those_to_the_nearest_of_each_class(kind: str, scale: float) -> None:
    X = generator(1).standard_normal((120, 40)) * np.linspace(3.0, 0.1, 40)
    given: Any = scale * X
    if kind == "sparse":
        X[X < 0.5] = 0.0
        given = sparse.csr_matrix(scale * X)
    pool = with_bias(given, True)
    if kind == "stretched":
        pool = ALuMA(given, classes=(0, 1, 2), bias=True).pool
        assert pool.stretch is not None
    told = answers(2, 30)
    rows = pool.rows(np.arange(120)) / scale
    found = none(pool, unit=2.0 * scale).after(told, pool)
    for code, nearest in found.nearest.items():
        of_class = np.array([index for index, one in told if one == code])
        wanted = squared_distances(rows, of_class).min(axis=1) / 4.0
        np.testing.assert_allclose(nearest, wanted, atol=1e-5 * wanted.max())


def test_one_by_one_together_and_after_an_undo_are_the_same_bits() -> None:
    pool = with_bias(generator(3).standard_normal((120, 30)), True)
    told = answers(4, 60)
    at_once, by_steps = none(pool).after(told, pool), none(pool)
    for n in (1, 2, 7, 40, 41, 60):
        by_steps = by_steps.after(told[:n], pool)
    changed = [*told[:39], (told[39][0], 1 - told[39][1] % 2), *told[40:50]]
    undone = by_steps.after(changed, pool)
    for one, other in (
        (at_once, by_steps),
        (undone, none(pool).after(changed, pool)),
        (undone.after(told, pool), at_once),
    ):
        assert one.told == other.told
        assert one.foretold == other.foretold
        assert list(one.nearest) == list(other.nearest)
        for code, nearest in one.nearest.items():
            np.testing.assert_array_equal(nearest, other.nearest[code])
    assert at_once.after(told, pool) is at_once


def test_the_last_states_are_kept_for_answers_that_are_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = with_bias(generator(5).standard_normal((120, 30)), True)
    told = answers(6, 40)
    now = none(pool)
    for n in range(1, 41):
        now = now.after(told[:n], pool)
    assert len(now.before) == STEPS
    assert all(not one.before for one in now.before)
    measured: list[int] = []
    ask = Neighbours._squared_distances

    def counted(self: Neighbours, whole: Pool, index: int) -> Any:
        measured.append(index)
        return ask(self, whole, index)

    monkeypatch.setattr(Neighbours, "_squared_distances", counted)
    now.after(told[: 41 - STEPS], pool)
    assert not measured
    now.after(told[: 39 - STEPS], pool)
    assert len(measured) == 39 - STEPS


def test_agreement_is_cohen_s_kappa_of_the_last_answers() -> None:
    X = generator(7).standard_normal((200, 10))
    pool = Pool(X)
    y = (X[:, 0] > 0).astype(int) + (X[:, 0] > 1)
    told = [(index, int(y[index])) for index in range(RECORD + 30)]
    found = none(pool).after(told, pool)
    indices = np.array([index for index, _ in told])
    between = squared_distances(X, indices)[indices]
    said = [told[int(between[n, :n].argmin())][1] for n in range(1, len(told))]
    assert found.foretold == tuple(zip(said, y[1 : len(told)].tolist(), strict=True))
    wanted = cohen_kappa_score(said[-RECORD:], y[indices][-RECORD:])
    assert found.agreement == pytest.approx(wanted)
    # Too few answers tell nothing, and one class alone is foretold by chance.
    assert none(pool).after(told[:RECORD], pool).agreement == 0.0
    assert none(pool).after([(i, 1) for i, _ in told], pool).agreement == 0.0
    assert none(pool).agreement == 0.0


def test_rows_come_by_how_much_nearer_another_class_is() -> None:
    X = np.array([[0.0], [10.0], [1.0], [4.0], [6.0], [9.0], [5.0]])
    pool = Pool(X)
    found = none(pool).after([(0, 0), (1, 1)], pool)
    rows = np.arange(2, 7)
    # All labelled 0: those near the answered 1 are contradicted most.
    assert found.contradicted(np.zeros(5, dtype=np.int64), rows).tolist() == [5, 4, 6, 3, 2]
    assert found.contradicted(np.array([1, 1, 1, 0, 1]), rows).tolist() == [2, 5, 3, 6, 4]
    few = found.contradicted(np.zeros(5, dtype=np.int64), rows, lambda some: some != 5)
    assert few.tolist() == [4, 6, 3, 2]
    # A class that nobody was told to be of is as far as can be, and one alone has no others.
    assert found.contradicted(np.full(5, 2), rows).tolist() == rows.tolist()
    alone = none(pool).after([(0, 0)], pool)
    assert alone.contradicted(np.zeros(5, dtype=np.int64), rows).tolist() == rows.tolist()


@pytest.mark.parametrize("answered_in_sample", [True, False])
def test_of_a_large_pool_the_sample_is_measured(
    answered_in_sample: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aluma.pool.sample.MOST_ROWS", 4096)
    X = generator(8).standard_normal((20_000, 6))
    pool = with_bias(X, True)
    assert pool.is_large
    sample = pool.sample(Purpose.QUESTIONS)
    inside = np.isin(np.arange(len(X)), sample.rows)
    chosen = np.flatnonzero(inside == answered_in_sample)[:5]
    told = [(int(index), n % 2) for n, index in enumerate(chosen)]
    known = Neighbours.about(None, sample.pool, sample.rows, 1.0).after(told, pool)
    wanted = ((X[sample.rows] - X[chosen[0]]) ** 2).sum(axis=1)
    np.testing.assert_allclose(known.after(told[:1], pool).nearest[0], wanted, atol=1e-3)
    assert len(known.foretold) == (4 if answered_in_sample else 0)
    # The sample is the same the next time, and so is what is known of it.
    again = pool.sample(Purpose.QUESTIONS)
    assert Neighbours.about(known, again.pool, again.rows, 1.0) is known
    assert Neighbours.about(known, pool, None, 1.0) is not known


def islands(seed: int) -> tuple[Floats, Ints]:
    """Return two kinds, and an island of the second where a halfspace says the first."""
    rng = generator(seed)
    y = np.repeat([-1, 1], 200)
    X = 0.3 * rng.standard_normal((400, 40))
    X[:, 0] += 6.0 * y
    X[:30, 0] = -9.0
    X[:30, 1] += 4.0
    y[:30] = 1
    order = rng.permutation(400)
    return X[order], y[order]


@pytest.mark.parametrize("foretell", [True, False])
@pytest.mark.parametrize("classes", [(-1, 1), (-1, 0, 1)], ids=["two", "three"])
def test_late_questions_are_about_what_they_contradict(
    classes: tuple[int, ...], foretell: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = islands(9)
    learner = ALuMA(
        X, classes=classes, bias=True, promise="credible", tolerance=0.0, n_hypotheses=512
    )
    main = np.flatnonzero(X[:, 0] * y > 0)
    rows = [*main[: RECORD + 20], *np.setdiff1d(np.arange(400), main)[:2]]
    learner.tell(rows, y[rows])
    monkeypatch.setattr("aluma.spaces.loosening.SETTLED", 1.0)
    if not foretell:
        monkeypatch.setattr(neighbours, "FORETOLD", 1.1)
    asked = []
    for _ in range(8):
        space: Any = learner.parts.space
        answered, choice = learner.n_answers, space.nearest(learner.eligible)
        assert choice is not None
        known = (space if len(classes) == 2 else space._inner)._neighbours
        heard = known.agreement >= neighbours.FORETOLD
        assert known.to_be_heard == heard
        heard &= len(classes) > 2 or answered % EVERY == 0
        asked.append((heard, bool(X[choice.index, 0] * y[choice.index] < 0)))
        learner.tell(choice.index, int(y[choice.index]))
    assert any(heard for heard, _ in asked) == foretell
    # On the island, until it is known.
    assert next((island for heard, island in asked if heard), True)


@pytest.mark.parametrize(("share", "heard"), [(0.9 * SETTLED, True), (1.1 * SETTLED, False)])
def test_of_two_classes_they_are_heard_once_hypotheses_disagree_about_next_to_nothing(
    share: float, heard: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = islands(12)
    space = LooseningSpace(with_bias(X, True), 256, 0)
    told = LATE + LATE % EVERY
    space.add_many([(index, int(y[index])) for index in range(told)])
    contradicted = told + 20
    monkeypatch.setattr(Neighbours, "to_be_heard", True)
    monkeypatch.setattr(Neighbours, "contradicted", lambda *_: np.array([contradicted]))
    monkeypatch.setattr(
        type(space._inner), "glance", lambda *given: np.full(len(given[-1]), 1.0 - share)
    )
    for more in range(2):
        choice = space.nearest(np.arange(len(X)) >= told + more)
        assert choice is not None
        assert (choice.index == contradicted) == (heard and more == 0)
        space.add(told, int(y[told]))


def test_undo_fork_and_replay_ask_the_same() -> None:
    X, y = islands(10)

    def anew() -> ALuMA:
        seed = seed_of(11)
        return ALuMA(X, classes=(-1, 1), bias=True, promise="credible", random_state=seed)

    learner, asked = anew(), []
    for _ in range(LATE + RECORD):
        asked.append(int(learner.ask()))
        learner.tell(asked[-1], int(y[asked[-1]]))
    space = learner.parts.space
    assert isinstance(space, LooseningSpace)
    assert space._neighbours is not None
    following = learner.ask()
    assert learner.fork().ask() == following
    for _ in range(STEPS + 3):
        learner.undo()
    for row in asked[-STEPS - 3 :]:
        assert learner.ask() == row
        learner.tell(row, int(y[row]))
    other = anew()
    for row in asked:
        other.tell(row, int(y[row]))
    assert other.ask() == following == learner.ask()
