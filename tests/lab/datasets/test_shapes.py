"""The paper's own examples: that they are what the text says they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aluma import VersionSpace
from aluma.lab import datasets
from aluma.lab.datasets.dataset import signs

SEEDS = st.integers(0, 2**32 - 1)


def every_shape() -> list[datasets.Dataset]:
    return [
        datasets.sphere(5, 40, test=10),
        datasets.octahedron(4),
        datasets.octahedron(3, negative_vertices=False),
        datasets.two_circles(10),
        datasets.two_circles(14, one_sided=False),
        datasets.circle(9),
        datasets.circle(9, odd=4),
        datasets.line([0.1, 0.5, 0.9], 0.3),
        datasets.lower_bound(8),
    ]


@pytest.mark.parametrize("data", every_shape(), ids=lambda data: data.name)
def test_the_target_labels_the_pool(data: datasets.Dataset) -> None:
    np.testing.assert_array_equal(signs(data.X @ data.target), data.y)
    space = VersionSpace(data.X.shape[1])
    space.add(data.X, data.y)
    assert space.contains(data.target[None, :]).all()


def test_sphere_is_the_same_with_and_without_a_test_set() -> None:
    one, two = datasets.sphere(4, 30, seed=3), datasets.sphere(4, 30, seed=3, test=7)
    np.testing.assert_array_equal(one.X, two.X)
    np.testing.assert_array_equal(one.y, two.y)
    assert len(two.y_test) == 7
    np.testing.assert_allclose(np.linalg.norm(two.X_test, axis=1), 1.0)


@given(st.integers(2, 7), SEEDS)
def test_octahedron_is_positive_on_the_agreeing_vertices_and_one_face(d: int, seed: int) -> None:
    data = datasets.octahedron(d, seed)
    assert data.X.shape == (2**d + 2 * d, d + 1)
    w = data.target[:d]
    np.testing.assert_array_equal(data.y[:d], w)
    np.testing.assert_array_equal(data.y[d : 2 * d], -w)
    (face,) = np.flatnonzero(data.y[2 * d :] > 0)
    np.testing.assert_allclose(data.X[2 * d + face, :d], w / d)


@given(st.integers(1, 30).map(lambda n: 4 * n + 2), SEEDS)
def test_halfspaces_cut_the_bottom_circle_in_half(points: int, seed: int) -> None:
    data = datasets.two_circles(points, one_sided=False, seed=seed)
    assert (data.y[points:] > 0).sum() == points // 2
    assert (datasets.two_circles(points, seed=seed).y[:points] > 0).all()


def test_the_top_circle_is_usually_met_first() -> None:
    points = 22
    firsts = [datasets.two_circles_order(points, seed) for seed in range(200)]
    assert all(sorted(order) == list(range(2 * points)) for order in firsts)
    whole_top = np.mean([(order[:points] < points).all() for order in firsts])
    # The proof promises 1/2; at this size 3 in 4 are typical, and 0.5 is 8 standard deviations off.
    assert whole_top > 0.5


@given(st.integers(3, 60), st.data())
def test_every_point_of_the_circle_can_be_cut_off(points: int, data: st.DataObject) -> None:
    odd = data.draw(st.integers(0, points - 1))
    np.testing.assert_array_equal(np.flatnonzero(datasets.circle(points, odd).y > 0), [odd])
    assert (datasets.circle(points).y < 0).all()


def test_thresholds_are_uniform_given_the_first_label() -> None:
    data = datasets.line([0.25, 0.5, 0.9], 0.3)
    space = VersionSpace(2)
    space.add(data.X[0], -1)
    positive = space.sample(4000, random_state=0) @ data.X.T >= 0
    # Standard deviation 0.008 at most: 4 of them are exceeded once in 5,000 runs.
    np.testing.assert_allclose(positive.mean(axis=0), [0, 0.25, 0.5, 0.9], atol=0.032)


@pytest.mark.parametrize("m", [2, 4, 8, 16, 32])
def test_lower_bound_pool_is_on_its_grid_and_halves(m: int) -> None:
    data = datasets.lower_bound(m)
    assert (np.linalg.norm(data.X, axis=1) <= 1 + 1e-15).all()
    np.testing.assert_array_equal(data.y, [-1, *[1] * (m - 1)])
    angles = np.arctan2(data.X[1:, 1], data.X[1:, 0])
    np.testing.assert_allclose(angles, np.pi / 2.0 ** np.arange(1, m), rtol=1e-3)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: datasets.octahedron(1), "from 2 to 20"),
        (lambda: datasets.two_circles(12), "twice an odd number"),
        (lambda: datasets.line([0.0, 0.5], 0.5), "strictly between"),
        (lambda: datasets.line([[0.5]], 0.5), "strictly between"),
        (lambda: datasets.lower_bound(40), "from 2 to 32"),
        (lambda: datasets.sphere(3, 0), "at least 1"),
    ],
)
def test_impossible_shapes_are_refused(make, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()
