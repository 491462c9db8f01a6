"""The paper's examples and the bounds before its own, as far as they can be known exactly."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from aluma.lab import datasets
from aluma.lab.experiments import problems
from aluma.lab.experiments.theory import circles, earlier, packing
from aluma.lab.experiments.theory.labelings import Labelings, of_circle, of_octahedron
from aluma.lab.experiments.theory.optimum import AverageOptimum, Optimum, follow_greedy

CLASSES = st.integers(1, 5).flatmap(
    lambda m: st.sets(st.tuples(*[st.booleans()] * m), min_size=1, max_size=8)
)


@pytest.mark.parametrize(("d", "margin"), [(2, 0.01), (3, 0.15), (4, 0.3)])
def test_a_packing_is_one_and_everything_must_be_asked(d: int, margin: float) -> None:
    points = datasets.packing(d, margin).X[:, :-1]
    products = points @ points.T - 2 * np.eye(len(points))
    assert products.max() <= 1 - 2 * margin + 1e-12
    found = packing.margin_packing(f"{d}-{margin}", 0)
    assert found["least_margin"] >= margin - 1e-9
    assert found["aluma_certain"] == found["cal_certain"] == found["points"] <= found["most"]
    # What the paper says exists is more than there can be.
    assert found["most"] < found["claimed"]


def even_permutations() -> NDArray[np.int64]:
    """Return the twelve even orders of four things."""
    orders = np.array(list(permutations(range(4))))
    return orders[[round(np.linalg.det(np.eye(4)[order])) == 1 for order in orders]]


def icosahedron() -> NDArray[np.float64]:
    golden = (1 + 5**0.5) / 2
    corners = [(0, a, b * golden) for a in (1, -1) for b in (1, -1)]
    return np.array([np.roll(corner, turn) for corner in corners for turn in range(3)])


def six_hundred_cell() -> NDArray[np.float64]:
    golden = (1 + 5**0.5) / 2
    others = [
        np.array([a * golden, b, c / golden, 0])[order] / 2
        for a, b, c in product((1, -1), repeat=3)
        for order in even_permutations()
    ]
    return np.array(
        [*np.eye(4), *-np.eye(4), *(np.array(list(product((1, -1), repeat=4))) / 2), *others]
    )


def roots_of_e8() -> NDArray[np.float64]:
    pairs = [
        a * np.eye(8)[i] + b * np.eye(8)[j]
        for i, j in combinations(range(8), 2)
        for a, b in product((1, -1), repeat=2)
    ]
    halves = [z for z in product((1, -1), repeat=8) if np.prod(z) == 1]
    return np.array([*pairs, *(np.array(halves) / 2)])


@pytest.mark.parametrize(
    ("points", "claimed"),
    [(icosahedron(), 47), (six_hundred_cell(), 12_000), (roots_of_e8(), 65_536)],
)
def test_packings_known_to_be_largest_are_far_below_what_the_paper_says(
    points: NDArray[np.float64], claimed: int
) -> None:
    """Levenshtein: no spherical code at their angles has more points than these three."""
    unit = points / np.linalg.norm(points, axis=1)[:, None]
    n, d = unit.shape
    nearest = float((unit @ unit.T - 2 * np.eye(n)).max())
    margin = (1 - nearest) / 2
    most = 1 / packing.cap_share(d, np.arccos(nearest) / 2)
    assert len(np.unique(unit.round(9), axis=0)) == n <= most
    assert n < claimed <= margin**-d + 1e-6


def test_caps_are_shares_of_the_sphere() -> None:
    assert packing.cap_share(2, 0.3) == pytest.approx(0.3 / np.pi)
    assert packing.cap_share(3, 0.3) == pytest.approx((1 - np.cos(0.3)) / 2)
    with pytest.raises(ValueError, match=r"below 1/2, got 0\.5"):
        datasets.packing(3, 0.5)


@pytest.mark.parametrize("points", [10, 46])
def test_two_labels_above_settle_the_top_circle(points: int) -> None:
    found = circles.opposite_points(points, 0)
    assert found["determined_plus"] == found["determined_minus"] == points
    # One alone settles it only if it is negative where the others are more so.
    assert (found["one_less_plus"], found["one_less_minus"]) == (1, points)


def test_a_small_sample_holds_the_top_circle_only() -> None:
    small, large = (problems.sampled_circles(46, m, 0) for m in (46, 460_000))
    assert len(small.judged) == len(small.X) < 46
    assert len(large.judged) == 46
    assert len(large.X) > 80
    assert sorted(large.order) == list(range(len(large.X)))
    assert large.positive[large.judged].all()


@given(CLASSES)
def test_the_best_average_is_below_greedy_and_above_entropy(rows: set[tuple[bool, ...]]) -> None:
    signs = np.array(sorted(rows))
    weights = np.arange(1.0, len(signs) + 1)
    pool = Labelings(signs, weights / weights.sum())
    best = AverageOptimum(pool).cost()
    greedy = float(pool.probability @ follow_greedy(pool).certain)
    entropy = float(-(pool.probability * np.log2(pool.probability)).sum())
    assert entropy - 1e-9 <= best <= greedy + 1e-9
    assert best <= Optimum(pool).depth() + 1e-9


def test_averages_that_are_known() -> None:
    assert AverageOptimum(of_octahedron(3)).cost() == pytest.approx(3.0)
    # One at a time: 1, 2, ..., n questions, and n for none and for the last.
    assert AverageOptimum(of_circle(4)).cost() == pytest.approx((1 + 2 + 3 + 4 + 4) / 5)


@pytest.mark.parametrize("pool", ["line-20", "plane-8", "halving-8", "circle-5"])
def test_all_three_bounds_hold(pool: str) -> None:
    found = earlier.compare_bounds(pool, 0)
    assert found["greedy_mean"] <= found["dasgupta_mean"]
    assert found["greedy_worst"] <= found["golovin_krause_worst"]
    assert found["broken"] == 0
    assert found["opt_avg"] <= found["greedy_mean"] + 1e-6
    assert found.get("grid_log", -np.inf) <= found["log_p_min"]


def test_ours_is_stronger_where_the_target_is_likely() -> None:
    found = earlier.compare_bounds("halving-16", 0)
    assert found["ours_likeliest"] < found["golovin_krause_worst"] / 4
    # And not where all are as likely: then it pays for the vote.
    even = earlier.compare_bounds("octahedron-3", 0)
    assert even["ours_likeliest"] > even["golovin_krause_worst"]


def test_an_octahedron_may_have_fewer_faces() -> None:
    some = datasets.octahedron(8, 3, faces=50)
    assert len(some.X) == 16 + 50
    assert np.array_equal(some.target, datasets.octahedron(8, 3).target)
    vertices = 15
    for faces, positive in (("40", vertices + 1), ("40-without", vertices)):
        pools = [problems.octahedron_15(faces, seed) for seed in range(3)]
        assert [len(pool.X) for pool in pools] == [70] * 3
        assert [int(pool.positive.sum()) for pool in pools] == [positive] * 3
