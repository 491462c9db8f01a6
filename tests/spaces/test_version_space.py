"""What a version space promises: its contract, its errors, and hypotheses that never violate it."""

import tracemalloc
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import binom, kstest

from aluma import Conflict, VersionSpace
from aluma.geometry.cone import Cone, guard
from aluma.sampling.ball import to_ball
from aluma.sampling.blocks import BLOCK
from evidence import generator, holds, seed_of

SAMPLERS = ("reflection", "hit_and_run")


def answered(X: np.ndarray, y: np.ndarray) -> VersionSpace:
    V = VersionSpace(np.shape(X)[1])
    V.add(X, y)
    return V


def separable(t: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return examples, their labels by a random halfspace, and that halfspace."""
    rng = generator(seed)
    X, w = rng.standard_normal((t, d)), rng.standard_normal(d)
    return X, np.where(X @ w > 0, 1, -1), w


def wedge(d: int, angle: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return two walls that leave ``angle`` between them, the middle, and the direction across."""
    middle, across = np.linalg.qr(generator(seed).standard_normal((d, 2)))[0].T
    half = angle / 2
    rows = np.array([[np.sin(half), np.cos(half)], [np.sin(half), -np.cos(half)]])
    return rows @ np.vstack([middle, across]), middle, across


def satisfiable(walls: np.ndarray) -> bool:
    """Ask HiGHS for ``walls @ w >= 1`` and look at what it says."""
    d = walls.shape[1]
    found = linprog(
        np.ones(2 * d), A_ub=np.hstack([-walls, walls]), b_ub=-np.ones(len(walls)), bounds=(0, None)
    )
    return found.x is not None and bool((walls @ (found.x[:d] - found.x[d:]) > 0).all())


def assert_agree(X: np.ndarray, y: np.ndarray, V: VersionSpace, W: np.ndarray) -> None:
    """Every hypothesis agrees with every answer, by the space's word and by our own products."""
    assert W.shape[1] == V.dimension
    assert np.all(V.contains(W))
    assert (W @ (X * np.asarray(y, dtype=np.float64)[:, None]).T > 0).all()
    assert (np.linalg.norm(W, axis=1) <= 1 + 1e-12).all()
    assert len(np.unique(W, axis=0)) == len(W)


# --- the contract --------------------------------------------------------------------------------


def test_a_new_space_holds_every_halfspace() -> None:
    V = VersionSpace(3)
    W = generator(0).standard_normal((20, 3))
    assert (len(V), V.dimension, len(V.cone)) == (0, 3, 0)
    assert np.all(V.contains(W))
    assert V.log_volume() == 0.0
    assert V.determined(W).tolist() == [0] * 20
    for sampler in SAMPLERS:
        drawn = V.sample(300, sampler, steps=50)
        assert drawn.shape == (300, 3)
        assert (np.linalg.norm(drawn, axis=1) <= 1).all()


def test_add_takes_one_answer_or_arrays_of_them() -> None:
    X, y, _ = separable(7, 3, 0)
    arrays, singles, lists = VersionSpace(3), VersionSpace(3), VersionSpace(3)
    arrays.add(X, y)
    for x, label in zip(X, y, strict=True):
        singles.add(x, label)
    lists.add(X.tolist(), y.tolist())
    arrays.add(np.empty((0, 3)), [])
    for V in (arrays, singles, lists):
        assert len(V) == 7
        np.testing.assert_array_equal(V.cone.walls, arrays.cone.walls)
    assert repr(arrays) == "VersionSpace(dimension=3, answers=7)"


def test_contains_says_which_rows_agree_and_takes_one_vector() -> None:
    V = answered(np.eye(2), [1, -1])
    assert np.asarray(V.contains([[1, -1], [1, 1], [-1, -1], [0, -1]])).tolist() == [
        True, False, False, False,
    ]  # fmt: skip
    assert V.contains([2.0, -1e-9]) is True
    assert V.contains([2.0, 0.0]) is False
    assert np.shape(V.contains(np.empty((0, 2)))) == (0,)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 12))
def test_contains_agrees_with_plain_products(seed: int, d: int, t: int) -> None:
    X, y, w = separable(t, d, seed)
    V = answered(X, y)
    W = np.vstack([w, generator(seed).standard_normal((30, d))])
    np.testing.assert_array_equal(V.contains(W), ((X @ W.T) * y[:, None] > 0).all(axis=0))


@pytest.mark.parametrize(
    ("X", "share"),
    [
        ([[2.0]], 1 / 2),
        ([[1.0, 0.0]], 1 / 2),
        ([[1.0, 0.0], [0.0, 5.0]], 1 / 4),
        ([[1.0, 0.0], [1.0, 1.0]], 3 / 8),
        (np.eye(6), 2.0**-6),
        ([[1.0, -1, 0, 0], [0, 1.0, -1, 0], [0, 0, 1.0, -1]], 1 / 24),
    ],
)
def test_log_volume_is_within_its_promise(X: list[list[float]], share: float) -> None:
    """Promised to be broken once in 10,000 times: that is the p-value where it is broken."""
    V = answered(np.array(X), np.ones(len(X)))

    def look(seed: int, more: int) -> float:
        estimates = [V.log_volume(0.2, 1e-4, seed + number) for number in range(more)]
        assert all(isinstance(estimate, float) for estimate in estimates)
        broken = sum(abs(estimate - np.log(share)) > np.log(1.2) for estimate in estimates)
        return binom.sf(broken - 1, more, 1e-4)

    holds(look, first=5)


def test_one_answer_halves_the_volume_exactly() -> None:
    assert answered(np.ones((1, 40)), [-1]).log_volume() == -np.log(2)


def test_determined_gives_what_follows_and_nothing_else() -> None:
    V = answered(np.array([[1.0, 0.0], [1.0, 1.0]]), [1, -1])
    # The version space is w_1 > 0, w_2 < -w_1: the cone between (0, -1) and (1, -1).
    X = [[1, 0], [0, 1], [-3, 0], [1, 1], [-1, -1], [1, 2], [2, 1], [0, 0], [1, 0.999]]
    assert V.determined(X).tolist() == [1, -1, -1, -1, 1, -1, 0, 0, 0]


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 20))
@settings(max_examples=20)
def test_determined_is_what_linear_programs_say(seed: int, d: int, t: int) -> None:
    X, y, w = separable(t, d, seed)
    V = answered(X, y)
    rng = generator(seed)
    pool = np.vstack(
        [X[:3], rng.exponential(size=(3, t)) @ (X * y[:, None]), rng.normal(size=(6, d))]
    )
    labels = V.determined(pool)
    for x, label in zip(pool, labels, strict=True):
        sides = [
            linprog(sign * x, A_ub=-X * y[:, None], b_ub=np.zeros(t), bounds=(-1, 1)).fun < -1e-8
            for sign in (1, -1)
        ]
        assert label == (0 if all(sides) else int(np.sign(x @ w)))


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-5, 1e5, 1e200, 1e300])
def test_determined_does_not_depend_on_scale(scale: float) -> None:
    X, y, _ = separable(12, 3, 1)
    V = answered(X, y)
    pool = np.vstack(
        [
            X,
            X[:6] * y[:6, None] + X[6:] * y[6:, None],
            generator(2).normal(size=(20, 3)),
        ]
    )
    expected = V.determined(pool)
    assert set(expected.tolist()) == {-1, 0, 1}
    np.testing.assert_array_equal(V.determined(pool * scale), expected)


# --- conflicts -----------------------------------------------------------------------------------


def assert_conflict(X: np.ndarray, y: np.ndarray, indices: tuple[int, ...]) -> None:
    """The named answers cannot all be true, and any one fewer of them can."""
    assert len(set(indices)) == len(indices)
    walls = (X * np.asarray(y)[:, None])[list(indices)]
    walls = walls / np.linalg.norm(walls, axis=1, keepdims=True)
    assert not satisfiable(walls)
    for without in range(len(walls)):
        assert satisfiable(np.delete(walls, without, axis=0))


def conflict_of(V: VersionSpace, x: np.ndarray, y: object) -> Conflict | None:
    try:
        V.add(x, y)
    except Conflict as conflict:
        return conflict
    return None


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
@settings(max_examples=12)
def test_a_conflict_is_irreducible_names_the_new_answer_and_changes_nothing(
    seed: int, d: int
) -> None:
    rng = generator(seed)
    V = VersionSpace(d)
    X, y = np.empty((0, d)), np.empty(0, dtype=int)
    conflicts = 0
    # So many random labels are without a contradiction once in 2^23 times at most.
    for _ in range(8 * d + 16):
        x, label = rng.standard_normal(d), int(rng.choice([-1, 1]))
        more, labels = np.vstack([X, x]), np.append(y, label)
        conflict = conflict_of(V, x, label)
        if conflict is None:
            X, y = more, labels
        else:
            conflicts += 1
            assert len(X) in conflict.indices
            assert all(isinstance(index, int) for index in conflict.indices)
            assert_conflict(more, labels, conflict.indices)
        assert len(V) == len(X)
    assert conflicts


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_after_a_conflict_the_space_is_as_it_was_bit_for_bit(sampler: str) -> None:
    X, y, _ = separable(30, 4, 0)
    V, untouched = answered(X, y), answered(X, y)
    for attempt in range(3):
        with pytest.raises(Conflict):
            V.add(X[attempt], -y[attempt])
    with pytest.raises(Conflict):
        V.add(np.vstack([np.ones(4), X[3]]), [1, -y[3]])
    assert len(V) == 30
    np.testing.assert_array_equal(V.sample(100, sampler, 40), untouched.sample(100, sampler, 40))
    np.testing.assert_array_equal(V.determined(X + 1), untouched.determined(X + 1))
    V.add([1.0, 2.0, 3.0, 4.0], 1 if V.sample(1)[0] @ [1, 2, 3, 4] > 0 else -1)
    assert len(V) == 31


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_after_bad_input_the_space_is_as_it_was(sampler: str) -> None:
    X, y, _ = separable(6, 3, 0)
    V, untouched = answered(X, y), answered(X, y)
    for x, label in (([1, 2, np.nan], 1), ([0, 0, 0], 1), ([1, 2, 3], 0), ([1, 2], 1)):
        with pytest.raises(ValueError, match=r"\w"):
            V.add(x, label)
    assert len(V) == 6
    np.testing.assert_array_equal(V.sample(50, sampler, 20), untouched.sample(50, sampler, 20))


@pytest.mark.parametrize("d", [1, 2, 9, 300])
@pytest.mark.parametrize("scale", [1.0, 1e-250, 3.3e250])
def test_opposite_answers_about_one_direction_conflict(d: int, scale: float) -> None:
    X, y, _ = separable(5, d, d)
    V = answered(X, y)
    with pytest.raises(Conflict) as caught:
        V.add(X[2] * scale, -y[2])
    indices = caught.value.indices
    assert indices[-1] == 5
    # With fewer answers than dimensions nothing else can be the reason.
    if d > 5:
        assert indices == (2, 5)
    assert_conflict(np.vstack([X, X[2]]), np.append(y, -y[2]), indices)
    named = ", ".join(map(str, indices))
    for word in ("no halfspace agrees", f"{len(indices)} answers", named):
        assert word in str(caught.value)


def test_a_conflict_among_many_answers_shows_the_first_of_them() -> None:
    conflict = Conflict(tuple(range(40)), advice="Undo one.")
    assert conflict.indices == tuple(range(40))
    assert "40 answers" in str(conflict)
    assert "10, 11, ..." in str(conflict)
    assert str(conflict).endswith("Undo one.")
    assert isinstance(conflict, ValueError)


def test_positions_count_every_answer_also_repeated_ones() -> None:
    a, b, c = np.eye(3)
    V = VersionSpace(3)
    V.add([a, a, b], [1, 1, 1])
    V.add(a, 1)
    V.add([b, c], [1, 1])
    assert (len(V), len(V.cone)) == (6, 3)
    with pytest.raises(Conflict) as caught:
        V.add(c, -1)
    assert caught.value.indices == (5, 6)
    with pytest.raises(Conflict) as caught:
        V.add([a, a, a + b + c], [1, 1, -1])
    assert caught.value.indices == (0, 2, 5, 8)
    with pytest.raises(Conflict) as caught:
        V.add([[1.0, 2, 0], [0, -3.0, 0]], [1, 1])
    assert caught.value.indices == (2, 7)


def test_an_array_that_contradicts_itself_conflicts_and_adds_nothing() -> None:
    V = VersionSpace(2)
    with pytest.raises(Conflict) as caught:
        V.add([[1, 0], [1, 0], [0, 1], [2, 0]], [1, 1, 1, -1])
    assert caught.value.indices == (0, 3)
    assert len(V) == 0


@pytest.mark.parametrize("label", [1, -1])
@pytest.mark.parametrize("x", [[1.0, 0.0, 0.0], [0.0, -2.0, 1.0], [0.3, -0.0, 0.7]])
def test_a_repeated_answer_counts_but_adds_no_wall(x: list[float], label: int) -> None:
    V = VersionSpace(3)
    V.add(x, label)
    alone = V.sample(20)
    V.add(x, label)
    V.add([x, x], [label, label])
    V.add(-np.array(x), -label)
    assert len(V) == 5
    assert len(V.cone) == 1
    np.testing.assert_array_equal(V.sample(20), alone)


# --- hypotheses never violate an answer ----------------------------------------------------------


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 12), st.floats(0.0, 6.0),
    st.sampled_from(SAMPLERS),
)  # fmt: skip
@settings(max_examples=40)
def test_no_hypothesis_violates_an_answer(
    seed: int, d: int, t: int, narrow: float, sampler: str
) -> None:
    """Cones from wide to a millionth, rows of any size."""
    rng = generator(seed)
    axis = rng.standard_normal(d)
    axis /= np.linalg.norm(axis)
    flat = rng.standard_normal((t, d))
    flat -= np.outer(flat @ axis, axis)
    X = flat + 10.0**-narrow * rng.exponential(size=(t, 1)) * axis
    y = rng.choice([-1, 1], t)
    X *= y[:, None] * 10.0 ** rng.uniform(-3, 3, (t, 1))
    V = answered(X, y)
    W = V.sample(
        300, sampler, steps=None if sampler == "reflection" else 60, random_state=seed_of(seed)
    )
    assert_agree(X, y, V, W)


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("angle", [1e-3, 1e-7, 1e-11])
@pytest.mark.parametrize("d", [2, 5])
def test_a_thin_wedge_is_sampled_without_violating_it(sampler: str, angle: float, d: int) -> None:
    """And not by standing still: the angle within the wedge is uniform."""
    walls, middle, across = wedge(d, angle)
    V = answered(walls, [1, 1])

    def look(seed: int, more: int) -> float:
        steps = None if sampler == "reflection" else 200
        W = V.sample(2000 * more, sampler, steps, random_state=seed)
        assert_agree(walls, np.ones(2), V, W)
        place = np.arctan((W @ across) / (W @ middle)) / angle + 0.5
        return kstest(place, "uniform").pvalue

    holds(look)


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("d", [2, 5, 25])
def test_weyl_chambers_are_sampled_without_violating_them(sampler: str, d: int) -> None:
    """``w_1 > w_2 > ... > w_d``: every row sorted, and a volume of 1/d!."""
    X = np.eye(d)[:-1] - np.eye(d)[1:]
    V = answered(X, np.ones(d - 1))
    W = V.sample(500, sampler, steps=None if sampler == "reflection" else 300)
    assert_agree(X, np.ones(d - 1), V, W)
    assert (np.diff(W, axis=1) < 0).all()


@pytest.mark.parametrize(("d", "rank"), [(3, 2), (16, 2), (60, 5)])
def test_lifting_to_the_ball_never_crosses_a_wall(d: int, rank: int) -> None:
    """Chains may end as close to a wall as the guard; what is free must not push them over it."""
    walls = np.linalg.qr(generator(d).standard_normal((d, rank)))[0].T
    cone = Cone.whole(d).with_walls(walls)
    rng = generator(0)
    margins = np.full((64 * BLOCK, rank), 1.01 * guard(d))
    margins[np.arange(len(margins)), rng.integers(0, rank, len(margins))] = 1.0
    points = np.linalg.solve(cone.coordinates, margins.T).T
    W = to_ball(cone, points, (0,))
    assert (W @ walls.T > 0).all()


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_hypotheses_fill_the_ball_and_not_only_its_surface(sampler: str) -> None:
    """The d-th power of the norm is uniform."""
    X, y, _ = separable(4, 3, 3)
    V, steps = answered(X, y), None if sampler == "reflection" else 200

    def look(seed: int, more: int) -> float:
        W = V.sample(2000 * more, sampler, steps, random_state=seed)
        return kstest(np.linalg.norm(W, axis=1) ** 3, "uniform").pvalue

    holds(look)


# --- sizes and scales ----------------------------------------------------------------------------


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_rows_may_have_any_scale(sampler: str) -> None:
    X, y, w = separable(12, 4, 0)
    scales = 10.0 ** np.linspace(-300, 300, 12)
    plain, scaled = answered(X, y), answered(X * scales[:, None], y)
    np.testing.assert_allclose(scaled.cone.walls, plain.cone.walls, rtol=1e-14, atol=1e-16)
    np.testing.assert_allclose(
        plain.sample(50, sampler, steps=5), scaled.sample(50, sampler, steps=5), atol=1e-6
    )
    assert scaled.contains(w) is True
    assert scaled.contains(1e-300 * w) is True
    assert scaled.contains(-1e300 * w) is False


def test_entries_of_one_row_may_differ_by_any_scale() -> None:
    V = answered(
        np.array([[1e300, 1e-300, 0.0], [5e-324, 0.0, 0.0], [0.0, 1e-310, 1e-310]]), [1, 1, -1]
    )
    assert np.isfinite(V.cone.walls).all()
    np.testing.assert_allclose(np.linalg.norm(V.cone.walls, axis=1), 1.0, rtol=1e-12)
    assert np.all(V.contains(V.sample(30)))


def test_thousands_of_answers() -> None:
    t, d = 3000, 20
    rng = generator(0)
    X = rng.standard_normal((t, d))
    X[:, 0] = 4 + np.abs(X[:, 0])
    y = rng.choice([-1, 1], t)
    X *= y[:, None]
    V = answered(X, y)
    assert len(V.cone) == t
    assert_agree(X, y, V, V.sample(300))
    assert_agree(X, y, V, V.sample(200, "hit_and_run", steps=20))
    np.testing.assert_array_equal(V.determined(X[:20]), y[:20])
    new = 2 * X[1234] + X[77] * y[77] * y[1234]
    conflict = conflict_of(V, new, -y[1234])
    assert conflict is not None
    assert t in conflict.indices
    assert_conflict(np.vstack([X, new]), np.append(y, -y[1234]), conflict.indices)


def test_thousands_of_answers_that_leave_little() -> None:
    X, y, w = separable(3000, 20, 1)
    V = answered(X, y)
    assert V.contains(w) is True
    assert_agree(X, y, V, V.sample(64, "hit_and_run", steps=10))
    with pytest.raises(Conflict) as caught:
        V.add(w, -1)
    assert 3000 in caught.value.indices
    assert len(caught.value.indices) <= 21


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_thousands_of_features(sampler: str) -> None:
    X, y, _ = separable(50, 5000, 0)
    V = VersionSpace(5000)
    for x, label in zip(X[:25], y[:25], strict=True):
        V.add(x, label)
    V.add(X[25:], y[25:])
    W = V.sample(300, sampler, steps=None if sampler == "reflection" else 3)
    assert_agree(X, y, V, W)


def test_a_conflict_among_thousands_of_features_takes_little_memory() -> None:
    """A matrix of 5000 x 5000 would be 200 MB, and seconds of work."""
    X, y, _ = separable(50, 5000, 0)
    V = answered(X, y)
    probes = np.vstack([X[:2], y[:1] * X[:1] + y[1:2] * X[1:2], np.ones(5000)])
    tracemalloc.start()
    try:
        labels = V.determined(probes)
        conflict = conflict_of(V, X[7] + X[8] * y[7] * y[8], -y[7])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert labels.tolist() == [y[0], y[1], 1, 0]
    assert conflict is not None
    assert conflict.indices == (7, 8, 50)
    assert peak < 100e6


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_one_feature(sampler: str) -> None:
    V = answered(np.array([[3.0], [-0.5]]), [-1, 1])

    def look(seed: int, more: int) -> float:
        W = V.sample(400 * more, sampler, steps=20, random_state=seed)
        assert_agree(np.array([[3.0], [-0.5]]), np.array([-1, 1]), V, W)
        return kstest(-W[:, 0], "uniform").pvalue

    holds(look)
    assert V.log_volume() == -np.log(2)
    assert V.determined([[1.0], [-7.0], [0.0]]).tolist() == [-1, 1, 0]
    with pytest.raises(Conflict) as caught:
        V.add(2.0, 1)
    assert len(caught.value.indices) == 2
    assert caught.value.indices[-1] == 2


# --- bad input -----------------------------------------------------------------------------------

BAD_VALUES: list[tuple[Callable[[VersionSpace], object], str]] = [
    (lambda V: V.add([1, 2], 1), "x has shape (2,) | dimension 3"),
    (lambda V: V.add(np.ones((2, 4)), [1, 1]), "(2, 4) | dimension 3 | rows of 3"),
    (lambda V: V.add(np.ones((1, 1, 3)), 1), "(1, 1, 3) | rows of 3"),
    (lambda V: V.add([], 1), "x has shape (0,) | dimension 3"),
    (lambda V: V.add([1, np.nan, 2], 1), "x holds nan | row 0, column 1 | finite | impute"),
    (lambda V: V.add([[1, 2, 3], [1, 2, -np.inf]], [1, 1]), "x holds -inf | row 1, column 2"),
    (lambda V: V.add([0, 0, 0], 1), "answer 2 | all-zero | bias"),
    (lambda V: V.add([[1, 2, 3], [0, 0, 0]], [1, 1]), "answer 3 | all-zero"),
    (lambda V: V.add([1, 2, 3], 0), "-1 or +1 | 0"),
    (lambda V: V.add([[1, 2, 3]], [2]), "-1 or +1 | 2"),
    (lambda V: V.add([1, 2, 3], 0.5), "-1 or +1 | 0.5"),
    (lambda V: V.add([1, 2, 3], np.nan), "-1 or +1 | nan"),
    (lambda V: V.add([1, 2, 3], None), "-1 or +1 | None"),
    (lambda V: V.add([1, 2, 3], "yes"), "-1 or +1 | yes"),
    (lambda V: V.add(np.eye(3), [1, 0, 1]), "-1 or +1 | 0"),
    (lambda V: V.add(np.eye(3), [1, 1]), "(2,) | 3 examples | one label per example"),
    (lambda V: V.add(np.eye(3), [[1], [1], [1]]), "(3, 1) | one label per example"),
    (lambda V: V.add(np.eye(3), 1), "() | 3 examples"),
    (lambda V: V.contains([1, 2]), "W has shape (2,) | dimension 3"),
    (lambda V: V.contains([1, 2, np.nan]), "W holds nan | column 2"),
    (lambda V: V.determined(np.ones((5, 4))), "X has shape (5, 4) | dimension 3"),
    (lambda V: V.determined([[1, np.inf, 2]]), "X holds inf | column 1"),
    (lambda V: V.sample(0), "n must be at least 1 | 0"),
    (lambda V: V.sample(-4), "n must be at least 1 | -4"),
    (lambda V: V.sample(10**30), "fit into no memory | draw fewer"),
    (lambda V: V.sample(5, sampler="gibbs"), "sampler | reflection, hit_and_run | gibbs"),
    (lambda V: V.sample(5, steps=0), "steps must be at least 1 | 0"),
    (lambda V: V.sample(5, "hit_and_run", -1), "steps must be at least 1 | -1"),
    (lambda V: V.sample(5, random_state=-1), "random_state | non-negative | -1"),
    (lambda V: V.sample(5, random_state=0.5), "random_state | Generator or None | 0.5"),
    (lambda V: V.sample(5, random_state="me"), "random_state | me"),
    (lambda V: V.log_volume(random_state=-2), "random_state | -2"),
    (lambda V: V.log_volume(epsilon=0), "epsilon | between 0 and 1 | 0"),
    (lambda V: V.log_volume(epsilon=1), "epsilon | between 0 and 1 | 1"),
    (lambda V: V.log_volume(epsilon=np.nan), "epsilon | between 0 and 1 | nan"),
    (lambda V: V.log_volume(delta=0.0), "delta | between 0 and 1"),
    (lambda V: V.log_volume(delta=2), "delta | between 0 and 1 | 2"),
]
BAD_TYPES: list[tuple[Callable[[VersionSpace], object], str]] = [
    (lambda V: V.add(["a", "b", "c"], 1), "x must be an array of real numbers"),
    (lambda V: V.add(np.array([1j, 1, 1]), 1), "x | an array of real numbers"),
    (lambda V: V.add([[1, 2, 3], [1, 2]], [1, 1]), "x must be an array of real numbers"),
    (lambda V: V.sample(2.5), "n must be an integer | 2.5"),
    (lambda V: V.sample(2.0), "n must be an integer | 2.0"),
    (lambda V: V.sample(True), "n must be an integer | True"),
    (lambda V: V.sample("5"), "n must be an integer | '5'"),
    (lambda V: V.sample(5, steps=1.5), "steps must be an integer | 1.5"),
]


@pytest.mark.parametrize(
    ("kind", "call", "words"),
    [(ValueError, *case) for case in BAD_VALUES] + [(TypeError, *case) for case in BAD_TYPES],
)
def test_bad_input_is_refused_with_its_value_and_the_rule(
    kind: type[Exception], call: Callable[[VersionSpace], object], words: str
) -> None:
    V = answered(np.eye(3)[:2], [1, 1])
    with pytest.raises(kind) as caught:
        call(V)
    for word in words.split(" | "):
        assert word in str(caught.value)
    assert not isinstance(caught.value, Conflict)
    assert len(V) == 2


@pytest.mark.parametrize(
    ("dimension", "kind", "word"),
    [
        (0, ValueError, "at least 1"),
        (-3, ValueError, "-3"),
        (2.0, TypeError, "2.0"),
        ("2", TypeError, "integer"),
    ],
)
def test_the_dimension_must_be_a_positive_integer(
    dimension: object, kind: type[Exception], word: str
) -> None:
    with pytest.raises(kind, match="dimension must be") as caught:
        VersionSpace(dimension)
    assert word in str(caught.value)


def test_numpy_integers_and_floats_that_are_labels_are_welcome() -> None:
    V = VersionSpace(np.int64(2))
    V.add(np.array([1, 0], dtype=np.float32), np.float64(1.0))
    V.add(np.array([[0, 1]]), np.array([-1], dtype=np.int8))
    assert V.sample(np.int32(3), random_state=np.uint8(4)).shape == (3, 2)


def test_each_answer_can_only_take_volume_away() -> None:
    X, y, _ = separable(5, 3, 4)
    V = VersionSpace(3)
    volumes = [V.log_volume()]
    for x, label in zip(X, y, strict=True):
        V.add(x, label)
        volumes.append(V.log_volume(epsilon=0.2, delta=1e-6))
    # Of five, each is within ln(1.2) but for one in a million.
    assert all(later < earlier + 2 * np.log(1.2) for earlier, later in pairwise(volumes))
