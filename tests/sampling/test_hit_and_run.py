"""The paper's kernel: its chords, its law, and its agreement with the reflection kernel.

Every statistical test has a false-alarm rate of ``ALARM`` = 1e-5, adjusted within a test.
"""

import numpy as np
import pytest
from scipy.stats import chisquare, ks_2samp, kstest

from aluma import VersionSpace
from aluma.sampling import hit_and_run
from aluma.sampling.hit_and_run import PAPER_STEPS, walk
from closed_forms import (
    ALARM,
    LAWS,
    Floats,
    adjusted,
    gaussian_radius,
    orthant_law,
    random_walls,
    space,
    triangle_cells,
    units,
    wedge,
    wedge_angle,
)

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


@pytest.mark.parametrize("steps", [1, 3, 20])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_steps_leave_the_uniform_law_invariant(d: int, steps: int) -> None:
    rng = np.random.default_rng((1, d))
    points = walk(uniform_orthant(25_000, d, rng), np.eye(d), steps, rng)
    assert adjusted(orthant_fit(points, rng)) > ALARM


@pytest.mark.parametrize("d", [2, 4])
def test_a_biased_chord_would_be_seen(d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Points that keep a tenth of the chord's length from its far end."""
    chord = hit_and_run._chord

    def shorter(*arguments: Floats) -> tuple[Floats, Floats]:
        low, high = chord(*arguments)
        return low, high - 0.1 * (high - low)

    monkeypatch.setattr(hit_and_run, "_chord", shorter)
    rng = np.random.default_rng((1, d))
    points = walk(uniform_orthant(25_000, d, rng), np.eye(d), 3, rng)
    assert adjusted(orthant_fit(points, rng)) < ALARM


def fit(name: str, steps: int) -> list[float]:
    """Test directions and radii of draws from a single point."""
    law, rng = LAWS[name], np.random.default_rng(2)
    points = space(law.walls).sample(N, "hit_and_run", steps=steps)
    radius = np.linalg.norm(points, axis=1) ** points.shape[1]
    return [kstest(radius, "uniform").pvalue, *law.fit(gaussian_radius(points, rng), rng)]


@pytest.mark.parametrize("name", LAWS)
def test_draws_from_a_single_point_follow_the_law(name: str) -> None:
    assert adjusted(fit(name, 300 if name == "wedge" else 100)) > ALARM


@pytest.mark.parametrize("name", LAWS)
def test_too_few_steps_would_be_seen(name: str) -> None:
    assert adjusted(fit(name, 2)) < ALARM


@pytest.mark.parametrize("width", [3, 1, 0.1])
def test_angles_of_a_wedge_are_uniform(width: float) -> None:
    points = space(wedge(width, turned=0.4).walls).sample(N, "hit_and_run", steps=100)
    assert kstest(wedge_angle(points, turned=0.4) / width, "uniform").pvalue > ALARM


def test_cells_of_a_spherical_triangle_are_as_full_as_they_are_large() -> None:
    walls = random_walls(3, 3, np.random.default_rng(3))
    cells = triangle_cells(walls)
    counts = cells.count(space(walls).sample(N, "hit_and_run", steps=100))
    assert chisquare(counts, N * cells.shares).pvalue > ALARM


def test_the_ball_without_walls() -> None:
    points = VersionSpace(3).sample(N, "hit_and_run", steps=50)
    radius = np.linalg.norm(points, axis=1)
    heights = [kstest(x, "uniform", (-1, 2)).pvalue for x in units(points).T]
    assert adjusted([kstest(radius**3, "uniform").pvalue, *heights]) > ALARM


# The two kernels.


def functions(walls: Floats, rng: np.random.Generator) -> Floats:
    """Random linear functions of the direction, and the walls that matter most to it."""
    return np.vstack([rng.standard_normal((4, walls.shape[1])), walls[:2]]).T


def compare(one: Floats, other: Floats, walls: Floats, rng: np.random.Generator) -> list[float]:
    """Two-sample tests on functions of directions, and on the distance from the nearest wall."""
    a, b = units(one), units(other)
    f = functions(walls, rng)
    pairs = [*zip((a @ f).T, (b @ f).T, strict=True)]
    pairs.append(((a @ walls.T).min(axis=1), (b @ walls.T).min(axis=1)))
    return [ks_2samp(x, y).pvalue for x, y in pairs]


def random_cones(n: int) -> list[Floats]:
    rng = np.random.default_rng(4)
    return [random_walls(rng.integers(2, 9), rng.integers(2, 21), rng) for _ in range(n)]


def kernels(cones: list[Floats], steps: int) -> list[list[float]]:
    """Compare the kernels on each of the cones."""
    p = []
    for seed, walls in enumerate(cones):
        V, rng = space(walls), np.random.default_rng((5, seed))
        slow = V.sample(256, "hit_and_run", steps=steps, random_state=seed)
        p.append(compare(slow, V.sample(2048, random_state=seed), walls, rng))
    return p


def test_the_two_kernels_agree_on_50_random_cones() -> None:
    p = kernels(random_cones(50), steps=300)
    assert adjusted(np.concatenate(p)) > ALARM
    # Small differences everywhere would show in the distribution of the p-values.
    assert kstest([found[-1] for found in p], "uniform").pvalue > ALARM


def test_kernels_that_disagree_would_be_seen() -> None:
    """Too few steps, on some of the same cones."""
    p = kernels(random_cones(50)[:10], steps=3)
    assert adjusted(np.concatenate(p)) < ALARM


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
    [wedge(1e-3, 0.7).walls, wedge(1e-7).walls, random_walls(10, 200, np.random.default_rng(6))],
)
def test_no_step_ever_ends_outside(walls: Floats) -> None:
    points = space(walls).sample(256, random_state=1)
    rng = np.random.default_rng(7)
    for _ in range(10):
        points = walk(points, walls, 30, rng)
        assert (points @ walls.T > 0).all()
        assert (points[:, ::-1] @ walls[:, ::-1].T > 0).all()
        assert (np.linalg.norm(points, axis=1) <= 1 + 1e-12).all()


def test_the_argument_is_not_changed() -> None:
    points = np.full((4, 2), 0.5)
    walk(points, np.eye(2), 5, np.random.default_rng(8))
    assert (points == 0.5).all()


def test_the_paper_s_number_of_steps_is_the_default() -> None:
    V = space(wedge(1).walls)
    default = V.sample(10, "hit_and_run")
    np.testing.assert_array_equal(default, V.sample(10, "hit_and_run", steps=PAPER_STEPS))
    assert PAPER_STEPS == 1000
