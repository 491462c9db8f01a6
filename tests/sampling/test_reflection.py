"""The reflection kernel: its flow, the law it leaves invariant, and what rounding can do to it.

Every statistical test has a false-alarm rate of ``ALARM`` = 1e-5 (p-values within one test are
adjusted for their number). Their power is shown by kernels that are wrong on purpose.
"""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, f_oneway, kstest, norm, spearmanr

from aluma import VersionSpace
from aluma.geometry.feasibility import interior_point
from aluma.sampling import draw
from aluma.sampling.blocks import BLOCK
from aluma.sampling.chains import Chains, Walls, place
from aluma.sampling.pace import QUARTER
from aluma.sampling.reflection import SHORTEST, fly
from closed_forms import (
    ALARM,
    LAWS,
    Floats,
    Law,
    adjusted,
    cone_of,
    exact_gibbs,
    gaussian_radius,
    narrow_walls,
    needle,
    orthogonal,
    product,
    random_walls,
    rotated,
    space,
    triangle_cells,
    units,
    wedge,
    wedge_angle,
    weyl,
    weyl_law,
)

N = 25_000


def walls_of(normals: Floats) -> Walls:
    return Walls.of(units(normals), normals.shape[1])


def lossy(walls: Walls) -> Walls:
    """Return walls at which a reflection takes only nine tenths of the impulse that it should."""
    return dataclasses.replace(walls, pull=0.9 * walls.pull)


def inside(points: Floats, normals: Floats) -> bool:
    """Say whether all points are inside, whatever the order and the precision of the sums."""
    unit = units(normals)
    longer = points.astype(np.longdouble) @ unit.astype(np.longdouble).T
    backwards = points[:, ::-1] @ unit[:, ::-1].T
    return bool((points @ unit.T > 0).all() and (backwards > 0).all() and (longer > 0).all())


# The flow.


def reference(w: Floats, v: Floats, normals: Floats, turn: float) -> tuple[Floats, int]:
    """Follow one trajectory in plain trigonometry; return its end and the number of bounces."""
    bounces = 0
    while True:
        hits = np.arctan2(np.maximum(normals @ w, 0.0), -(normals @ v))
        first = int(hits.argmin())
        time = min(hits[first], turn)
        w, v = w * np.cos(time) + v * np.sin(time), v * np.cos(time) - w * np.sin(time)
        if time == turn:
            return w, bounces
        v = v - 2 * (normals[first] @ v) * normals[first]
        turn, bounces = turn - time, bounces + 1


@pytest.mark.parametrize(
    ("d", "t", "length"), [(2, 2, 1.5), (3, 7, 1.0), (6, 20, 0.5), (8, 40, 0.1)]
)
def test_the_flow_is_that_of_plain_trigonometry(d: int, t: int, length: float) -> None:
    rng = np.random.default_rng((1, d))
    normals = random_walls(d, t, rng)
    start = space(normals).sample(32, random_state=1)
    ended, flight = fly(place(start, walls_of(normals)), walls_of(normals), length,
                        np.random.default_rng(2))  # fmt: skip
    # The same draws, in the order in which a flight takes them.
    same = np.random.default_rng(2)
    velocity = same.standard_normal((32, d))
    radius = np.sqrt(same.chisquare(d, 32))
    turns = length * same.uniform(SHORTEST, 1.0, 32)
    position = units(start) * radius[:, None]
    for i in range(32):
        end, bounces = reference(position[i], velocity[i], normals, turns[i])
        np.testing.assert_allclose(ended.points[i], end, rtol=1e-6, atol=1e-8)
        assert flight.bounces[i] == bounces
    assert not flight.refused.any()
    assert flight.bounces.sum() >= 10


def test_a_flight_changes_none_of_its_arguments() -> None:
    walls = walls_of(weyl(4).walls)
    chains = place(weyl_law(4).draw(10, np.random.default_rng(3)), walls)
    kept = Chains(chains.points.copy(), chains.margins.copy())
    ended, _ = fly(chains, walls, QUARTER, np.random.default_rng(4))
    np.testing.assert_array_equal(chains.points, kept.points)
    np.testing.assert_array_equal(chains.margins, kept.margins)
    np.testing.assert_array_equal(ended.margins, ended.points @ walls.normals.T)
    assert (ended.points != kept.points).all()


def test_padding_changes_nothing() -> None:
    """Walls are padded with copies of the first: so are these, by hand."""
    normals = weyl(5).walls
    twice = np.vstack([normals, np.repeat(normals[:1], 12, axis=0)])
    start = weyl_law(5).draw(100, np.random.default_rng(5))
    ends = []
    for some in (normals, twice):
        walls = walls_of(some)
        ends.append(fly(place(start, walls), walls, 1.0, np.random.default_rng(6))[0].points)
    np.testing.assert_array_equal(*ends)


# The law.


@pytest.mark.parametrize("length", [QUARTER, 0.7, 0.1, 0.01])
@pytest.mark.parametrize("name", LAWS)
def test_one_flight_leaves_the_law_invariant(name: str, length: float) -> None:
    rng, law = np.random.default_rng(7), LAWS[name]
    walls = walls_of(law.walls)
    chains, flight = fly(place(law.draw(N, rng), walls), walls, length, rng)
    assert flight.refused.mean() < 1e-4
    assert adjusted(law.fit(chains.points, rng)) > ALARM


@pytest.mark.parametrize("name", LAWS)
def test_a_flight_that_reflects_wrongly_would_be_seen(name: str) -> None:
    rng, law = np.random.default_rng(7), LAWS[name]
    walls = lossy(walls_of(law.walls))
    chains, _ = fly(place(law.draw(N, rng), walls), walls, QUARTER, rng)
    assert adjusted(law.fit(chains.points, rng)) < ALARM


@pytest.mark.parametrize("name", LAWS)
def test_draws_from_a_single_point_follow_the_law(name: str) -> None:
    law = LAWS[name]
    points = gaussian_radius(space(law.walls).sample(N), np.random.default_rng(8))
    assert adjusted(law.fit(points, np.random.default_rng(9))) > ALARM


@pytest.mark.parametrize("name", LAWS)
def test_a_start_that_is_not_forgotten_would_be_seen(name: str) -> None:
    """Two short flights from one point; and six that would do, but for one velocity all along."""
    law = LAWS[name]
    walls = walls_of(law.walls)
    point = law.draw(1, np.random.default_rng(10))
    rng = np.random.default_rng(11)
    short = place(np.repeat(point, N // 5, axis=0), walls)
    stale = short
    for _ in range(2):
        short, _ = fly(short, walls, 0.1, rng)
    for _ in range(6):
        # A quarter turn would end at the velocity, folded into the cone: a draw of its own.
        suitable = 0.4 if name == "wedge" else 1.0
        stale, _ = fly(stale, walls, suitable, np.random.default_rng(12))
    for chains in (short, stale):
        points = gaussian_radius(chains.points, rng)
        assert adjusted(law.fit(points, rng)) < ALARM


def shared_start(law: Law, **options: int) -> float:
    """Compare draws that share a start, one block apart, with those that do not: an F-test."""
    points = space(law.walls).sample(80 * BLOCK, **options)
    f = np.vstack([np.random.default_rng(29).standard_normal((4, points.shape[1])), law.walls]).T
    values = (units(points) @ f).reshape(80, BLOCK, -1)
    return adjusted(f_oneway(*values.swapaxes(0, 1)).pvalue)


@pytest.mark.parametrize("name", LAWS)
def test_nothing_is_left_of_a_start_that_draws_share(name: str) -> None:
    assert shared_start(LAWS[name]) > ALARM


def test_what_is_left_of_a_shared_start_would_be_seen() -> None:
    """One trajectory instead of the default number; in the other cones even that is enough."""
    assert shared_start(LAWS["simplex"], steps=1) < ALARM


@pytest.mark.parametrize("width", [3, 1, 0.1, 1e-3, 1e-6])
def test_angles_of_a_wedge_are_uniform(width: float) -> None:
    points = space(wedge(width, turned=0.4).walls).sample(N)
    angle = wedge_angle(points, turned=0.4) / width
    cells = np.bincount((64 * angle).astype(int), minlength=64)
    assert adjusted([kstest(angle, "uniform").pvalue, chisquare(cells).pvalue]) > ALARM


@pytest.mark.parametrize("width", [2.5, 0.5, 0.05])
def test_cells_of_a_lune_and_of_its_half_are_equally_full(width: float) -> None:
    """Height and azimuth of a uniform point of the sphere are independent and uniform."""
    lune = np.pad(wedge(width).walls, [(0, 0), (0, 1)])
    for walls, low in ((lune, -1.0), (np.vstack([lune, [0, 0, 1]]), 0.0)):
        unit = units(space(walls).sample(N))
        height = (unit[:, 2] - low) / (1 - low)
        azimuth = wedge_angle(unit[:, :2]) / width
        cells = np.bincount((8 * height).astype(int) * 8 + (8 * azimuth).astype(int), minlength=64)
        p = [kstest(height, "uniform").pvalue, kstest(azimuth, "uniform").pvalue]
        assert adjusted([*p, chisquare(cells).pvalue]) > ALARM


@pytest.mark.parametrize("seed", range(4))
def test_cells_of_spherical_triangles_are_as_full_as_they_are_large(seed: int) -> None:
    walls = random_walls(3, 3, np.random.default_rng((13, seed)))
    cells = triangle_cells(walls)
    counts = cells.count(space(walls).sample(N))
    assert chisquare(counts, N * cells.shares).pvalue > ALARM


@pytest.mark.parametrize("d", [2, 3, 10, 100])
def test_radii_are_those_of_the_ball(d: int) -> None:
    """The d-th power of the radius is uniform, and independent of the direction."""
    walls = random_walls(d, 3, np.random.default_rng((14, d)))
    points = space(walls).sample(N)
    radius = np.linalg.norm(points, axis=1)
    related = [spearmanr(radius, x).pvalue for x in (units(points) @ walls.T).T]
    assert adjusted([kstest(radius**d, "uniform").pvalue, *related]) > ALARM
    assert radius.max() <= 1


def test_directions_without_walls_are_free() -> None:
    """A Weyl chamber turned about in eight more dimensions."""
    chamber, rng = weyl(4), np.random.default_rng(15)
    turn, _ = np.linalg.qr(rng.standard_normal((12, 12)))
    points = space(np.pad(chamber.walls, [(0, 0), (0, 8)]) @ turn.T).sample(N)
    back = gaussian_radius(points, rng) @ turn
    free = [kstest(x, norm.cdf).pvalue for x in back[:, 4:].T]
    assert adjusted([*weyl_law(4).fit(back[:, :4], rng), *free]) > ALARM


def test_no_walls_at_all() -> None:
    points = gaussian_radius(VersionSpace(3).sample(N), np.random.default_rng(16))
    assert adjusted([kstest(x, norm.cdf).pvalue for x in points.T]) > ALARM


def moments_differ(d: int, t: int) -> float:
    """Compare means and second moments of the margins with those of Gibbs: the least p-value."""
    rng, n = np.random.default_rng((17, d)), 5000
    walls = random_walls(d, t, rng)
    ours = gaussian_radius(space(walls).sample(n), rng) @ walls.T
    theirs = exact_gibbs(walls, 50, n, rng)
    first, second = np.triu_indices(t)
    a, b = (np.hstack([z, z[:, first] * z[:, second]]) for z in (ours, theirs))
    error = np.sqrt((a.var(axis=0) + b.var(axis=0)) / n)
    return adjusted(2 * norm.sf(np.abs(a.mean(axis=0) - b.mean(axis=0)) / error))


@pytest.mark.parametrize(("d", "t"), [(5, 5), (8, 6), (20, 12)])
def test_gibbs_in_the_margins_agrees(d: int, t: int) -> None:
    """A second opinion that shares no code with the kernels."""
    assert moments_differ(d, t) > ALARM


def test_gibbs_would_disagree_with_a_wrong_sampler(monkeypatch: pytest.MonkeyPatch) -> None:
    of = Walls.of
    monkeypatch.setattr(draw.Walls, "of", lambda c, d: lossy(of(c, d)))
    assert moments_differ(20, 12) < ALARM


# Rounding at walls.


NARROW = {
    "wedge 1e-4": wedge(1e-4, 0.3).walls,
    "wedge 1e-7": wedge(1e-7, 1.1).walls,
    "needle": rotated(needle(4, 1e-5), np.random.default_rng(19)).walls,
    "narrow, d=5": narrow_walls(5, 60, np.random.default_rng(20)),
    "narrow, d=20": narrow_walls(20, 120, np.random.default_rng(21)),
    "flat": rotated(product(wedge(1e-2), orthogonal(2, 2)), np.random.default_rng(22)).walls,
}


@pytest.mark.parametrize("name", NARROW)
def test_no_flight_ever_ends_outside(name: str) -> None:
    """Thousands of flights, at the length that suits the cone and at a far longer one."""
    normals = NARROW[name]
    walls, cone = walls_of(normals), cone_of(normals)
    seen = Walls.of(cone.coordinates, cone.dimension)
    start, pace, _ = draw._pilot(cone, interior_point(cone), seen, (1,))
    start, rng = start @ cone.basis.T, np.random.default_rng(23)
    assert inside(start, normals)
    for length in (pace, min(5 * pace, QUARTER)):
        chains = place(start, walls)
        for _ in range(12):
            chains, flight = fly(chains, walls, length, rng)
            assert inside(chains.points, normals)
        if length == pace:
            assert flight.refused.mean() < 0.05


@pytest.mark.parametrize(("d", "t"), [(3, 5), (10, 30), (40, 80)])
def test_hardly_a_flight_is_refused_in_ordinary_cones(d: int, t: int) -> None:
    normals = random_walls(d, t, np.random.default_rng((24, d)))
    walls = walls_of(normals)
    chains = place(space(normals).sample(256), walls)
    rng = np.random.default_rng(25)
    refused = 0
    for _ in range(50):
        chains, flight = fly(chains, walls, QUARTER, rng)
        refused += int(flight.refused.sum())
    assert refused / 12_800 < 1e-3


def test_a_trajectory_with_too_many_bounces_is_refused_and_stays_inside() -> None:
    """A quarter turn in a wedge of 1e-7 would take ten million bounces."""
    known = wedge(1e-7)
    walls = walls_of(known.walls)
    start = units(space(known.walls).sample(256))
    chains, flight = fly(place(start, walls), walls, QUARTER, np.random.default_rng(26))
    assert flight.refused.mean() > 0.99
    np.testing.assert_array_equal(chains.points[flight.refused], start[flight.refused])
    assert inside(chains.points, known.walls)


def test_a_point_that_rounding_put_on_a_wall_is_left_or_kept() -> None:
    """Starting within rounding of a wall neither crosses it nor goes on for ever."""
    walls = walls_of(np.eye(3))
    start = np.tile([1.0, 1.0, 1e-13], (256, 1))
    chains, flight = fly(place(start, walls), walls, QUARTER, np.random.default_rng(27))
    assert flight.bounces.max() < 20
    assert not flight.refused.any()
    assert inside(chains.points, np.eye(3))


@given(
    d=st.integers(1, 6),
    t=st.integers(1, 12),
    seed=st.integers(0, 2**32),
    length=st.floats(0.001, 1.5),
)
def test_draws_and_flights_are_inside_any_cone(d: int, t: int, seed: int, length: float) -> None:
    rng = np.random.default_rng(seed)
    normals = random_walls(d, t, rng)
    walls = walls_of(normals)
    start = space(normals).sample(256, random_state=seed)
    assert inside(start, normals)
    assert inside(fly(place(start, walls), walls, length, rng)[0].points, normals)
