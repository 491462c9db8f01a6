"""A cone's coordinates are faithful to its walls, in whatever order the walls arrive."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aluma.geometry.cone import Cone, clearly_inside, guard
from evidence import generator

EPS = float(np.finfo(np.float64).eps)


def unit_rows(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def assert_sound(cone: Cone) -> None:
    d = cone.dimension
    assert cone.basis.shape == (d, cone.rank)
    assert cone.coordinates.shape == (len(cone), cone.rank)
    np.testing.assert_allclose(cone.basis.T @ cone.basis, np.eye(cone.rank), atol=8 * d * EPS)
    # A wall that the basis misses by no more than the guard adds no column.
    np.testing.assert_allclose(cone.coordinates @ cone.basis.T, cone.walls, atol=2 * guard(d))
    assert cone.rank <= min(len(cone), d)


def assert_grown(before: Cone, after: Cone, normals: np.ndarray) -> None:
    t, r = len(before), before.rank
    np.testing.assert_array_equal(after.walls, np.vstack([before.walls, normals]))
    np.testing.assert_array_equal(after.basis[:, :r], before.basis)
    np.testing.assert_array_equal(after.coordinates[:t, :r], before.coordinates)
    assert not after.coordinates[:t, r:].any()


@st.composite
def batches(draw: st.DrawFn) -> list[np.ndarray]:
    """Unit rows in batches: small integers, so that many repeat, oppose or depend on others."""
    d = draw(st.integers(1, 6))
    row = st.lists(st.integers(-2, 2), min_size=d, max_size=d).filter(any)
    several = draw(st.lists(st.lists(row, min_size=1, max_size=9), min_size=1, max_size=6))
    return [unit_rows(np.array(rows, dtype=np.float64)) for rows in several]


@given(batches())
def test_coordinates_stay_faithful_while_walls_arrive_in_batches(rows: list[np.ndarray]) -> None:
    cone = Cone.whole(rows[0].shape[1])
    for normals in rows:
        grown = cone.with_walls(normals)
        assert_grown(cone, grown, normals)
        assert_sound(grown)
        cone = grown


@given(batches())
def test_one_by_one_gives_the_same_geometry_as_all_at_once(rows: list[np.ndarray]) -> None:
    normals = np.vstack(rows)
    whole = Cone.whole(normals.shape[1])
    single = whole
    for normal in normals:
        grown = single.with_walls(normal[None, :])
        assert_grown(single, grown, normal[None, :])
        assert_sound(grown)
        single = grown
    together = whole.with_walls(normals)
    assert single.rank == np.linalg.matrix_rank(normals, tol=1e-9)
    for cone in (single, together):
        np.testing.assert_allclose(
            cone.coordinates @ cone.coordinates.T, normals @ normals.T, atol=4 * guard(6)
        )


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.floats(-17.0, 0.0), st.booleans())
def test_nearly_dependent_walls_keep_the_basis_orthonormal(
    seed: int, d: int, exponent: float, bulk: bool
) -> None:
    """Gram-Schmidt is weakest where almost nothing of a new wall is outside the basis."""
    rng = generator(seed)
    first = unit_rows(rng.standard_normal((d // 2, d)))
    near = first[rng.integers(0, len(first), 5)] * rng.choice([-1.0, 1.0], (5, 1))
    near = unit_rows(near + 10.0**exponent * rng.standard_normal((5, d)))
    cone = Cone.whole(d).with_walls(first)
    for normals in [near] if bulk else near[:, None, :]:
        cone = cone.with_walls(normals)
        assert_sound(cone)


@pytest.mark.parametrize(("d", "t"), [(1, 1), (1, 5), (7, 7), (7, 30), (300, 40), (60, 200)])
def test_generic_walls_need_as_many_coordinates_as_there_are_directions(d: int, t: int) -> None:
    normals = unit_rows(generator(0).standard_normal((t, d)))
    together = Cone.whole(d).with_walls(normals)
    halves = Cone.whole(d).with_walls(normals[: t // 2 + 1]).with_walls(normals[t // 2 + 1 :])
    for cone in (together, halves):
        assert_sound(cone)
        assert cone.rank == min(t, d)


def test_the_whole_space_has_no_walls_and_no_coordinates() -> None:
    cone = Cone.whole(5)
    assert (len(cone), cone.rank, cone.dimension) == (0, 0, 5)
    assert_sound(cone)
    assert len(cone.with_walls(np.empty((0, 5)))) == 0


def test_adding_walls_leaves_the_old_cone_alone() -> None:
    cone = Cone.whole(3).with_walls(np.eye(3)[:1])
    kept = [cone.walls.copy(), cone.basis.copy(), cone.coordinates.copy()]
    cone.with_walls(np.eye(3)[1:])
    for array, copy in zip((cone.walls, cone.basis, cone.coordinates), kept, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_clearly_inside_asks_for_more_than_the_guard_relative_to_the_norm() -> None:
    edge = guard(3)
    sizes = np.array([1.0, 1.0, 10.0, 10.0])
    closest = np.array([edge, 1.01 * edge, 9.9 * edge, 10.1 * edge])
    assert clearly_inside(closest, sizes, 3).tolist() == [False, True, False, True]
    products = np.column_stack([np.ones(4), closest])
    assert clearly_inside(products, sizes, 3).tolist() == [False, True, False, True]
    assert clearly_inside(np.empty((4, 0)), sizes, 3).all()


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 17, 100, 1000]))
def test_what_is_beyond_the_guard_has_one_sign_in_every_order_of_summation(
    seed: int, d: int
) -> None:
    rng = generator(seed)
    a, w = unit_rows(rng.standard_normal((2, d)))
    w = unit_rows((w - (a @ w) * a + 2 * guard(d) * a)[None, :])[0] if d > 1 else a
    exact = math.fsum(a * w)
    for order in (np.arange(d), rng.permutation(d), np.argsort(a * w)):
        summed = float(np.cumsum((a * w)[order])[-1])
        assert abs(summed - exact) < guard(d) / 2
        assert abs(a[order] @ w[order] - exact) < guard(d) / 2
