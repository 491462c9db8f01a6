"""The paper's kernel: its chords, its law, and its agreement with the reflection kernel.

Statistical tests look twice before they fail: see ``evidence.py``.
"""

import numpy as np
import pytest
from scipy.stats import kstest

from aluma import VersionSpace
from aluma.sampling import hit_and_run
from aluma.sampling.hit_and_run import PAPER_STEPS, walk
from closed_forms import (
    LAWS,
    Floats,
    gaussian_radius,
    orthant_law,
    random_walls,
    space,
    triangle_cells,
    units,
    wedge,
    wedge_angle,
)
from evidence import caught, cells_fit, generator, holds, same_law, seed_of, stream

N = 4096


def uniform_orthant(n: int, d: int, rng: np.random.Generator) -> Floats:
    """Draw exactly from the positive orthant of the unit ball."""
    return units(orthant_law(d).draw(n, rng)) * rng.uniform(size=(n, 1)) ** (1 / d)


def orthant_fit(points: Floats, rng: np.random.Generator) -> list[float]:
    """Test radius and directions of points of the orthant of the ball."""
    d = points.shape[1]
    radius = np.linalg.norm(points, axis=1)
    law = orthant_law(d).fit(gaussian_radius(points, rng), rng)
    return [kstest(radius**d, "uniform").pvalue, *law]


# The law.


def walked(d: int, steps: int, seed: int, n: int) -> list[float]:
    rng = stream(seed, d)
    return orthant_fit(walk(uniform_orthant(n, d, rng), np.eye(d), steps, rng), rng)


@pytest.mark.parametrize("steps", [1, 3, 20])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_steps_leave_the_uniform_law_invariant(d: int, steps: int) -> None:
    holds(lambda seed, more: walked(d, steps, seed, 25_000 * more))


@pytest.mark.parametrize("d", [2, 4])
def test_a_biased_chord_would_be_seen(d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Points that keep a tenth of the chord's length from its far end."""
    chord = hit_and_run._chord

    def shorter(*arguments: Floats) -> tuple[Floats, Floats]:
        low, high = chord(*arguments)
        return low, high - 0.1 * (high - low)

    monkeypatch.setattr(hit_and_run, "_chord", shorter)
    caught(lambda seed, more: walked(d, 3, seed, 25_000 * more))


def fit(name: str, steps: int, seed: int, n: int) -> list[float]:
    """Test directions and radii of draws from a single point."""
    law, rng = LAWS[name], stream(seed)
    points = space(law.walls).sample(n, "hit_and_run", steps=steps, random_state=seed)
    radius = np.linalg.norm(points, axis=1) ** points.shape[1]
    return [kstest(radius, "uniform").pvalue, *law.fit(gaussian_radius(points, rng), rng)]


@pytest.mark.parametrize("name", LAWS)
def test_draws_from_a_single_point_follow_the_law(name: str) -> None:
    steps = 300 if name == "wedge" else 100
    holds(lambda seed, more: fit(name, steps, seed, N * more))


@pytest.mark.parametrize("name", LAWS)
def test_too_few_steps_would_be_seen(name: str) -> None:
    caught(lambda seed, more: fit(name, 2, seed, N * more))


@pytest.mark.parametrize("width", [3, 1, 0.1])
def test_angles_of_a_wedge_are_uniform(width: float) -> None:
    V = space(wedge(width, turned=0.4).walls)

    def look(seed: int, more: int) -> float:
        points = V.sample(N * more, "hit_and_run", steps=100, random_state=seed)
        return kstest(wedge_angle(points, turned=0.4) / width, "uniform").pvalue

    holds(look)


def test_cells_of_a_spherical_triangle_are_as_full_as_they_are_large() -> None:
    walls = random_walls(3, 3, generator(3))
    cells = triangle_cells(walls)

    def look(seed: int, more: int) -> float:
        points = space(walls).sample(N * more, "hit_and_run", steps=200, random_state=seed)
        return cells_fit(cells.count(points), cells.shares)

    holds(look)


def test_the_ball_without_walls() -> None:
    def look(seed: int, more: int) -> list[float]:
        points = VersionSpace(3).sample(N * more, "hit_and_run", steps=50, random_state=seed)
        radius = np.linalg.norm(points, axis=1)
        heights = [kstest(x, "uniform", (-1, 2)).pvalue for x in units(points).T]
        return [kstest(radius**3, "uniform").pvalue, *heights]

    holds(look)


# The two kernels.


def functions(walls: Floats, rng: np.random.Generator) -> Floats:
    """Random linear functions of the direction, and the walls that matter most to it."""
    return np.vstack([rng.standard_normal((4, walls.shape[1])), walls[:2]]).T


def compare(one: Floats, other: Floats, walls: Floats, rng: np.random.Generator) -> list[float]:
    """Two-sample tests on functions of directions, and on the distance from the nearest wall."""
    a, b = units(one), units(other)
    f = functions(walls, rng)
    nearest = [(x @ walls.T).min(axis=1, keepdims=True) for x in (a, b)]
    return same_law(np.hstack([a @ f, nearest[0]]), np.hstack([b @ f, nearest[1]]))


def random_cones(n: int) -> list[Floats]:
    rng = generator(4)
    return [random_walls(rng.integers(2, 9), rng.integers(2, 21), rng) for _ in range(n)]


def kernels(cones: list[Floats], steps: int, first: int, more: int) -> list[float]:
    """Compare the kernels on each of the cones, and the p-values with what is to be expected."""
    p = []
    for seed, walls in enumerate(cones, first):
        V, rng = space(walls), stream(5, seed)
        slow = V.sample(256 * more, "hit_and_run", steps=steps, random_state=seed)
        p.append(compare(slow, V.sample(2048 * more, random_state=seed), walls, rng))
    # Small differences everywhere would show in the distribution of the p-values.
    return [*np.concatenate(p), kstest([found[-1] for found in p], "uniform").pvalue]


def test_the_two_kernels_agree_on_random_cones() -> None:
    cones = random_cones(20)
    holds(lambda seed, more: kernels(cones, 300, seed, more))


def test_kernels_that_disagree_would_be_seen() -> None:
    """Too few steps, on some of the same cones."""
    cones = random_cones(50)[:10]
    caught(lambda seed, more: kernels(cones, 3, seed, more))


# The chord, and rounding.


def test_the_chord_ends_at_walls_and_at_the_ball() -> None:
    points = np.array([[0.25, 0.5]])
    along = np.array([[1.0, 0.0]])
    walls = np.eye(2)
    low, high = hit_and_run._chord(points, along, points @ walls.T, along @ walls.T)
    assert low[0] == pytest.approx(-0.25)
    assert high[0] == pytest.approx(np.sqrt(0.75) - 0.25)


@pytest.mark.parametrize(
    "walls",
    [wedge(1e-3, 0.7).walls, wedge(1e-7).walls, random_walls(10, 200, generator(6))],
)
def test_no_step_ever_ends_outside(walls: Floats) -> None:
    points = space(walls).sample(256, random_state=seed_of(1))
    rng = generator(7)
    for _ in range(10):
        points = walk(points, walls, 30, rng)
        assert (points @ walls.T > 0).all()
        assert (points[:, ::-1] @ walls[:, ::-1].T > 0).all()
        assert (np.linalg.norm(points, axis=1) <= 1 + 1e-12).all()


def test_the_argument_is_not_changed() -> None:
    points = np.full((4, 2), 0.5)
    walk(points, np.eye(2), 5, generator(8))
    assert (points == 0.5).all()


def test_the_paper_s_number_of_steps_is_the_default() -> None:
    V = space(wedge(1).walls)
    default = V.sample(10, "hit_and_run")
    np.testing.assert_array_equal(default, V.sample(10, "hit_and_run", steps=PAPER_STEPS))
    assert PAPER_STEPS == 1000
