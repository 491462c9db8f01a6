"""The reflection kernel: its flow, the law it leaves invariant, and what rounding can do to it.

Statistical tests look twice before they fail (see ``evidence.py``). Their power is shown by kernels
that are wrong on purpose.
"""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, f_oneway, kstest, norm, spearmanr

from aluma import VersionSpace
from aluma.geometry.cone import Cone
from aluma.geometry.feasibility import interior_point
from aluma.geometry.kesler import Factors, contrasts
from aluma.sampling import draw
from aluma.sampling.blocks import BLOCK
from aluma.sampling.chains import Chains, Walls, place
from aluma.sampling.class_reflection import bounce
from aluma.sampling.normals import normals as quick
from aluma.sampling.pace import QUARTER
from aluma.sampling.reflection import SHORTEST, Course, _bounce, _followed, fly
from closed_forms import (
    LAWS,
    Floats,
    Law,
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
from evidence import caught, cells_fit, generator, holds, seed_of, stream, two_sided

N = 25_000


def walls_of(normals: Floats) -> Walls:
    return Walls.of(units(normals), normals.shape[1])


def lossy(walls: Walls) -> Walls:
    """Return walls at which a reflection takes only nine tenths of the impulse that it should."""
    wrong = dataclasses.replace(walls)
    wrong.__dict__["pull"] = 0.9 * walls.pull
    return wrong


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


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize(
    ("d", "t", "length"), [(2, 2, 1.5), (3, 7, 1.0), (6, 20, 0.5), (8, 40, 0.1)]
)
def test_the_flow_is_that_of_plain_trigonometry(
    d: int, t: int, length: float, single: bool
) -> None:
    rng = generator(1, d)
    normals = random_walls(d, t, rng)
    start = space(normals).sample(32, random_state=seed_of(1))
    walls = walls_of(normals).single() if single else walls_of(normals)
    ended, flight = fly(place(start, walls), walls, length, generator(2))
    # The same draws, in the order in which a flight takes them.
    same = generator(2)
    drawn = quick(same, (32, d)) if single else same.standard_normal((32, d))
    velocity = drawn.astype(float)
    radius = np.sqrt(same.chisquare(d, 32))
    turns = length * same.uniform(SHORTEST, 1.0, 32)
    position, differing = units(start) * radius[:, None], 0
    for i in range(32):
        end, bounces = reference(position[i], velocity[i], normals, turns[i])
        # Float32 may take another order of walls hit at once, which no test may hang on.
        near = abs(ended.points[i] - end).max() < (1e-4 if single else 1e-8)
        differing += not near or flight.bounces[i] != bounces
    assert differing <= (2 if single else 0)
    assert not flight.refused.any()
    assert flight.bounces.sum() >= 10


def test_a_flight_changes_none_of_its_arguments() -> None:
    walls = walls_of(weyl(4).walls)
    chains = place(weyl_law(4).draw(10, generator(3)), walls)
    kept = Chains(chains.points.copy(), chains.margins.copy())
    ended, _ = fly(chains, walls, QUARTER, generator(4))
    np.testing.assert_array_equal(chains.points, kept.points)
    np.testing.assert_array_equal(chains.margins, kept.margins)
    np.testing.assert_array_equal(ended.margins, ended.points @ walls.normals.T)
    assert (ended.points != kept.points).all()


def test_padding_changes_nothing() -> None:
    """Walls are padded with copies of the first: so are these, by hand."""
    normals = weyl(5).walls
    twice = np.vstack([normals, np.repeat(normals[:1], 12, axis=0)])
    start = weyl_law(5).draw(100, generator(5))
    ends = []
    for some in (normals, twice):
        walls = walls_of(some)
        ends.append(fly(place(start, walls), walls, 1.0, generator(6))[0].points)
    np.testing.assert_array_equal(*ends)


# The law.


@pytest.mark.parametrize("length", [QUARTER, 0.7, 0.1, 0.01])
@pytest.mark.parametrize("name", LAWS)
def test_one_flight_leaves_the_law_invariant(name: str, length: float) -> None:
    law = LAWS[name]
    walls = walls_of(law.walls)

    def look(seed: int, more: int) -> list[float]:
        rng = stream(7, seed)
        chains, flight = fly(place(law.draw(N * more, rng), walls), walls, length, rng)
        assert flight.refused.mean() < 1e-3
        return law.fit(chains.points, rng)

    holds(look)


@pytest.mark.parametrize("length", [QUARTER, 0.7])
@pytest.mark.parametrize("name", LAWS)
def test_one_flight_in_float32_leaves_the_law_invariant(name: str, length: float) -> None:
    law = LAWS[name]
    walls = walls_of(law.walls).single()

    def look(seed: int, more: int) -> list[float]:
        rng = stream(33, seed)
        chains, flight = fly(place(law.draw(N * more, rng), walls), walls, length, rng)
        assert not flight.refused.any()
        return law.fit(chains.points, rng)

    holds(look)


@pytest.mark.parametrize("name", LAWS)
def test_a_flight_that_reflects_wrongly_would_be_seen(name: str) -> None:
    law = LAWS[name]
    walls = lossy(walls_of(law.walls))

    def look(seed: int, more: int) -> list[float]:
        rng = stream(7, seed)
        chains, _ = fly(place(law.draw(N * more, rng), walls), walls, QUARTER, rng)
        return law.fit(chains.points, rng)

    caught(look)


@pytest.mark.parametrize("name", LAWS)
def test_draws_from_a_single_point_follow_the_law(name: str) -> None:
    law = LAWS[name]

    def look(seed: int, more: int) -> list[float]:
        points = space(law.walls).sample(N * more, random_state=seed)
        return law.fit(gaussian_radius(points, stream(8, seed)), stream(9, seed))

    holds(look)


@pytest.mark.parametrize("name", LAWS)
def test_a_start_that_is_not_forgotten_would_be_seen(name: str) -> None:
    """Two short flights from one point; and six that would do, but for one velocity all along."""
    law = LAWS[name]
    walls = walls_of(law.walls)

    def start(seed: int, more: int) -> Chains:
        point = law.draw(1, stream(10, seed))
        return place(np.repeat(point, N // 5 * more, axis=0), walls)

    def short(seed: int, more: int) -> list[float]:
        chains, rng = start(seed, more), stream(11, seed)
        for _ in range(2):
            chains, _ = fly(chains, walls, 0.1, rng)
        return law.fit(gaussian_radius(chains.points, rng), rng)

    def stale(seed: int, more: int) -> list[float]:
        chains, rng = start(seed, more), stream(11, seed)
        for _ in range(6):
            # A quarter turn would end at the velocity, folded into the cone: a draw of its own.
            suitable = 0.4 if name == "wedge" else 1.0
            chains, _ = fly(chains, walls, suitable, stream(12, seed))
        return law.fit(gaussian_radius(chains.points, rng), rng)

    caught(short)
    caught(stale)


def shared_start(law: Law, seed: int, more: int, **options: int) -> Floats:
    """Compare draws that share a start, one block apart, with those that do not: an F-test."""
    points = space(law.walls).sample(80 * BLOCK * more, random_state=seed, **options)
    f = np.vstack([stream(29).standard_normal((4, points.shape[1])), law.walls]).T
    values = (units(points) @ f).reshape(80 * more, BLOCK, -1)
    return np.asarray(f_oneway(*values.swapaxes(0, 1)).pvalue)


@pytest.mark.parametrize("name", LAWS)
def test_nothing_is_left_of_a_start_that_draws_share(name: str) -> None:
    holds(lambda seed, more: shared_start(LAWS[name], seed, more))


def test_what_is_left_of_a_shared_start_would_be_seen() -> None:
    """One trajectory instead of the default number; in the other cones even that is enough."""
    caught(lambda seed, more: shared_start(LAWS["simplex"], seed, more, steps=1))


@pytest.mark.parametrize("width", [3, 1, 0.1, 1e-3, 1e-6])
def test_angles_of_a_wedge_are_uniform(width: float) -> None:
    V = space(wedge(width, turned=0.4).walls)

    def look(seed: int, more: int) -> list[float]:
        angle = wedge_angle(V.sample(N * more, random_state=seed), turned=0.4) / width
        cells = np.bincount((64 * angle).astype(int), minlength=64)
        return [kstest(angle, "uniform").pvalue, chisquare(cells).pvalue]

    holds(look)


@pytest.mark.parametrize("width", [2.5, 0.5, 0.05])
def test_cells_of_a_lune_and_of_its_half_are_equally_full(width: float) -> None:
    """Height and azimuth of a uniform point of the sphere are independent and uniform."""
    lune = np.pad(wedge(width).walls, [(0, 0), (0, 1)])
    holds(lambda seed, more: lune_fit(lune, -1.0, width, seed, N * more))
    half = np.vstack([lune, [0, 0, 1]])
    holds(lambda seed, more: lune_fit(half, 0.0, width, seed, N * more))


def lune_fit(walls: Floats, low: float, width: float, seed: int, n: int) -> list[float]:
    unit = units(space(walls).sample(n, random_state=seed))
    height = (unit[:, 2] - low) / (1 - low)
    azimuth = wedge_angle(unit[:, :2]) / width
    cells = np.bincount((8 * height).astype(int) * 8 + (8 * azimuth).astype(int), minlength=64)
    each = [kstest(x, "uniform").pvalue for x in (height, azimuth)]
    return [*each, chisquare(cells).pvalue]


@pytest.mark.parametrize("seed", range(4))
def test_cells_of_spherical_triangles_are_as_full_as_they_are_large(seed: int) -> None:
    walls = random_walls(3, 3, generator(13, seed))
    cells = triangle_cells(walls)

    def look(seed: int, more: int) -> float:
        points = space(walls).sample(N * more, random_state=seed)
        return cells_fit(cells.count(points), cells.shares)

    holds(look)


@pytest.mark.parametrize("d", [2, 3, 10, 100])
def test_radii_are_those_of_the_ball(d: int) -> None:
    """The d-th power of the radius is uniform, and independent of the direction."""
    walls = random_walls(d, 3, generator(14, d))

    def look(seed: int, more: int) -> list[float]:
        points = space(walls).sample(N * more, random_state=seed)
        radius = np.linalg.norm(points, axis=1)
        assert radius.max() <= 1
        related = [spearmanr(radius, x).pvalue for x in (units(points) @ walls.T).T]
        return [kstest(radius**d, "uniform").pvalue, *related]

    holds(look)


def test_directions_without_walls_are_free() -> None:
    """A Weyl chamber turned about in eight more dimensions."""
    chamber, rng = weyl(4), generator(15)
    turn, _ = np.linalg.qr(rng.standard_normal((12, 12)))
    V = space(np.pad(chamber.walls, [(0, 0), (0, 8)]) @ turn.T)

    def look(seed: int, more: int) -> list[float]:
        points, rng = V.sample(N * more, random_state=seed), stream(15, seed)
        back = gaussian_radius(points, rng) @ turn
        free = [kstest(x, norm.cdf).pvalue for x in back[:, 4:].T]
        return [*weyl_law(4).fit(back[:, :4], rng), *free]

    holds(look)


def test_no_walls_at_all() -> None:
    def look(seed: int, more: int) -> list[float]:
        points = VersionSpace(3).sample(N * more, random_state=seed)
        gaussian = gaussian_radius(points, stream(16, seed))
        return [kstest(x, norm.cdf).pvalue for x in gaussian.T]

    holds(look)


def moments_differ(d: int, t: int, seed: int, more: int) -> Floats:
    """Compare means and second moments of the margins with those of Gibbs: p-values."""
    walls, rng, n = random_walls(d, t, generator(17, d)), stream(17, seed), 5000 * more
    ours = gaussian_radius(space(walls).sample(n, random_state=seed), rng) @ walls.T
    theirs = exact_gibbs(walls, 50, n, rng)
    first, second = np.triu_indices(t)
    a, b = (np.hstack([z, z[:, first] * z[:, second]]) for z in (ours, theirs))
    error = np.sqrt((a.var(axis=0) + b.var(axis=0)) / n)
    return two_sided((a.mean(axis=0) - b.mean(axis=0)) / error)


@pytest.mark.parametrize(("d", "t"), [(5, 5), (8, 6), (20, 12)])
def test_gibbs_in_the_margins_agrees(d: int, t: int) -> None:
    """A second opinion that shares no code with the kernels."""
    holds(lambda seed, more: moments_differ(d, t, seed, more))


def test_gibbs_would_disagree_with_a_wrong_sampler(monkeypatch: pytest.MonkeyPatch) -> None:
    of, single = Walls.of, Walls.single
    monkeypatch.setattr(draw.Walls, "of", lambda c, d, name: lossy(of(c, d, name)))
    monkeypatch.setattr(Walls, "single", lambda walls: lossy(single(walls)))
    caught(lambda seed, more: moments_differ(20, 12, seed, more))


# Rounding at walls.


NARROW = {
    "wedge 1e-4": wedge(1e-4, 0.3).walls,
    "wedge 1e-7": wedge(1e-7, 1.1).walls,
    "needle": rotated(needle(4, 1e-5), generator(19)).walls,
    "narrow, d=5": narrow_walls(5, 60, generator(20)),
    "narrow, d=20": narrow_walls(20, 120, generator(21)),
    "flat": rotated(product(wedge(1e-2), orthogonal(2, 2)), generator(22)).walls,
}


@pytest.mark.parametrize("name", NARROW)
def test_no_flight_ever_ends_outside(name: str) -> None:
    """Thousands of flights, at the length that suits the cone and at a far longer one."""
    normals = NARROW[name]
    walls, cone = walls_of(normals), cone_of(normals)
    seen = Walls.of(cone.coordinates, cone.dimension)
    middle = units((interior_point(cone) @ cone.basis)[None, :])
    pilot = draw._pilot(middle, seen, generator(22))
    start, pace, rng = pilot.chains.points @ cone.basis.T, pilot.length, generator(23)
    assert inside(start, normals)
    for length in (pace, min(5 * pace, QUARTER)):
        chains = place(start, walls)
        for _ in range(12):
            chains, flight = fly(chains, walls, length, rng)
            assert inside(chains.points, normals)
        if length == pace:
            assert flight.refused.mean() < 0.05


@pytest.mark.parametrize("name", NARROW)
def test_no_flight_in_float32_ever_ends_outside(name: str) -> None:
    """What it cannot tell is followed in float64."""
    normals = NARROW[name]
    walls, cone = walls_of(normals), cone_of(normals)
    middle = units((interior_point(cone) @ cone.basis)[None, :])
    pilot = draw._pilot(middle, Walls.of(cone.coordinates, cone.dimension), generator(34))
    single, rng = walls.single(), generator(35)
    chains = place(pilot.chains.points @ cone.basis.T, single)
    for _ in range(12):
        chains, flight = fly(chains, single, pilot.length, rng)
        assert inside(chains.points, normals)
    assert flight.refused.mean() < 0.05


def test_where_float32_goes_astray_the_end_is_that_of_float64() -> None:
    """Products of walls that are wrong by a thousandth: bounces then miss where the point ends."""
    normals = random_walls(10, 40, generator(36))
    walls = walls_of(normals)
    single = walls.single()
    single.__dict__["gram"] = (1.001 * single.gram).astype(np.float32)
    start = space(normals).sample(256)
    rough, flight = fly(place(start, single), single, 1.0, generator(37))
    assert flight.unclear > 0.9
    assert not flight.refused.any()
    same = generator(37)
    velocity = quick(same, (256, 10)).astype(float)
    scale = np.sqrt(same.chisquare(10, 256)) / np.linalg.norm(start, axis=1)
    turn = np.asarray(same.uniform(SHORTEST, 1.0, 256))
    (ends, _), *_ = _followed(place(start, walls), walls, Course(velocity, scale, turn))
    # Products of a few points with the walls may be summed up in another order than of many.
    off = np.abs(rough.points - ends).max(axis=1)
    assert np.mean(off < 1e-9) > 0.85


def test_float32_tells_nearly_every_end_in_wide_cones_and_hardly_any_in_a_thin_one() -> None:
    """In a wedge of a thousandth the cosine of its angle is 1 in float32, but for a few bits."""
    wide, thin = random_walls(20, 40, generator(38)), wedge(1e-3).walls
    shares = []
    for normals in (wide, thin):
        single = walls_of(normals).single()
        _, flight = fly(place(space(normals).sample(256), single), single, QUARTER, generator(39))
        shares.append(flight.unclear)
    assert shares[0] < 0.02
    assert shares[1] > 0.5


@pytest.mark.parametrize(("d", "t"), [(3, 5), (10, 30), (40, 80)])
def test_hardly_a_flight_is_refused_in_ordinary_cones(d: int, t: int) -> None:
    normals = random_walls(d, t, generator(24, d))
    walls = walls_of(normals)
    chains = place(space(normals).sample(256), walls)
    rng = generator(25)
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
    chains, flight = fly(place(start, walls), walls, QUARTER, generator(26))
    assert flight.refused.mean() > 0.99
    np.testing.assert_array_equal(chains.points[flight.refused], start[flight.refused])
    assert inside(chains.points, known.walls)


def test_a_point_that_rounding_put_on_a_wall_is_left_or_kept() -> None:
    """Starting within rounding of a wall neither crosses it nor goes on for ever."""
    walls = walls_of(np.eye(3))
    start = np.tile([1.0, 1.0, 1e-13], (256, 1))
    chains, flight = fly(place(start, walls), walls, QUARTER, generator(27))
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
    rng = generator(seed)
    normals = random_walls(d, t, rng)
    walls = walls_of(normals)
    start = space(normals).sample(256, random_state=seed_of(seed))
    assert inside(start, normals)
    assert inside(fly(place(start, walls), walls, length, rng)[0].points, normals)


@pytest.mark.parametrize("missing", [0, 2])
def test_between_walls_of_several_classes_only_what_a_bounce_changes_is_changed(
    missing: int,
) -> None:
    """The same trajectories as with all walls turned at every bounce, but for rounding."""
    rng, classes = generator(31), 4
    points, target = rng.standard_normal((30, 5)), rng.standard_normal((5, classes))
    factors = Factors.none(classes)
    for x in points:
        factors = factors.with_answer(x, int((x @ target).argmax()))
    cone = Cone.whole(0).completed(5 * (classes - 1)).factored(factors)
    walls = Walls.of_cone(cone.first(len(cone) - missing), "reflection")
    start = np.repeat((target @ contrasts(classes)).reshape(1, -1), 16, axis=0)
    z, dz = walls.products(start), walls.products(rng.standard_normal(start.shape))
    one, half = np.ones(16), (np.cos(np.full(16, 0.1)), np.sin(np.full(16, 0.1)))
    found = []
    for both in (False, True):
        impulses, bounces = np.zeros_like(z), np.zeros(16, dtype=np.int64)
        if both:
            bounce(z, dz, one, walls.grid, *half, impulses, bounces, 10_000)
        else:
            p, q = np.empty((2, 2, z.shape[1]))
            _bounce(z, dz.copy(), one, walls.gram, walls.pull, *half, impulses, bounces, 10_000,
                    p, q)  # fmt: skip
        found.append((walls.combined(impulses), bounces))
    assert found[0][1].sum() > 16
    np.testing.assert_array_equal(found[0][1], found[1][1])
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-9)


def test_walls_that_do_not_fill_vectors_are_refused() -> None:
    """Compiled loops would read and write past their end."""
    with pytest.raises(ValueError, match="whole numbers of 16, got 5"):
        Walls(np.eye(5), 0.0)
