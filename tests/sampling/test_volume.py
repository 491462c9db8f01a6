"""VolEst: exact volumes, the promise over repeats, and the arithmetic behind the promise.

Every exact volume is compared with one estimate and its own reported standard deviation; several of
them are, if that one is off (see ``evidence.py``). A bias of five standard deviations is caught
with probability 0.95.
"""

import functools
import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, chi2

from aluma import VersionSpace
from aluma.geometry.cone import Cone
from aluma.sampling import volume
from aluma.sampling.blocks import BLOCK
from aluma.sampling.pace import QUARTER
from aluma.sampling.reflection import Chains, Flight, Walls, fly
from aluma.sampling.volume import (
    LEAST_SHARE,
    SHARE,
    VolumeEstimate,
    draws_needed,
    failure_bound,
    log_volume,
)
from aluma.streams import streams
from closed_forms import (
    Known,
    cone_of,
    equicorrelated,
    gaussian_orthant,
    needle,
    orthogonal,
    product,
    random_walls,
    rotated,
    solid_angle,
    space,
    triangle,
    triangle_cells,
    units,
    wedge,
    weyl,
)
from evidence import caught, generator, holds, seed_of, stream, two_sided


def deviations(estimate: VolumeEstimate, exact: float) -> float:
    """Return the error of an estimate in units of its reported standard deviation."""
    return (estimate.log_volume - exact) / estimate.standard_deviation


def off(known: Known, seed: int, n: int, epsilon: float, delta: float = 0.05) -> float:
    """Return the p-value of the mean error of n estimates."""
    cone = cone_of(known.walls)
    estimates = [log_volume(cone, epsilon, delta, random_state=seed + i) for i in range(n)]
    # A huge standard deviation would make every estimate right.
    assert all(0 < e.standard_deviation < np.log1p(epsilon) / 2 for e in estimates)
    total = sum(deviations(estimate, known.log_volume) for estimate in estimates)
    return two_sided(total / np.sqrt(n)).item()


def assert_right(known: Known, epsilon: float = 1 / 3, delta: float = 0.05) -> None:
    holds(lambda seed, more: off(known, seed, more, epsilon, delta))


def rng_of(*key: int) -> np.random.Generator:
    return generator(*key)


# The closed forms agree where two of them apply.


@pytest.mark.parametrize("seed", range(5))
def test_the_closed_forms_agree_on_triangles(seed: int) -> None:
    walls = random_walls(3, 3, rng_of(1, seed))
    known, cells = triangle(walls), triangle_cells(walls)
    corners = np.cross(walls[[1, 2, 0]], walls[[2, 0, 1]]) * np.sign(np.linalg.det(walls))
    assert np.exp(known.log_volume) == pytest.approx(solid_angle(*units(corners)) / (4 * np.pi))
    assert gaussian_orthant(walls).log_volume == pytest.approx(known.log_volume, abs=2e-3)
    assert len(cells.shares) == 64
    assert cells.shares.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "known",
    [equicorrelated(4), equicorrelated(9), weyl(4), weyl(7), orthogonal(6, 5), wedge(2), wedge(0.1),
     product(wedge(1), equicorrelated(3))],
)  # fmt: skip
def test_the_closed_forms_agree_with_quadrature(known: Known) -> None:
    assert gaussian_orthant(known.walls).log_volume == pytest.approx(known.log_volume, abs=1e-2)


def test_the_closed_forms_agree_on_needles() -> None:
    known = needle(2, 0.03)
    assert triangle(known.walls).log_volume == pytest.approx(known.log_volume, abs=1e-3)


# Exactness.


@pytest.mark.parametrize("width", [3, 2, 1, 0.1, 1e-3, 1e-6])
def test_angles_in_the_plane(width: float) -> None:
    assert_right(wedge(width))


@pytest.mark.parametrize("seed", range(6))
def test_spherical_triangles(seed: int) -> None:
    assert_right(triangle(random_walls(3, 3, rng_of(2, seed))))


@pytest.mark.parametrize("d", [4, 6, 8, 10])
def test_equicorrelated_orthants(d: int) -> None:
    assert_right(equicorrelated(d))


@pytest.mark.parametrize(
    ("d", "t"), [(4, 4), (5, 5), (6, 6), (8, 8), (10, 10), (4, 9), (5, 12), (8, 12)]
)
def test_orthants_of_random_gaussians(d: int, t: int) -> None:
    assert_right(gaussian_orthant(random_walls(d, t, rng_of(3, d, t))))


@pytest.mark.parametrize(
    "known",
    [
        product(wedge(0.5), equicorrelated(4), orthogonal(3, 3)),
        product(triangle(random_walls(3, 3, rng_of(4))), weyl(5), wedge(0.2)),
        product(equicorrelated(5), equicorrelated(7), equicorrelated(8)),
    ],
)
def test_products_of_independent_cones(known: Known) -> None:
    assert_right(rotated(known, rng_of(5)), epsilon=0.5)


@pytest.mark.parametrize(("d", "t"), [(12, 12), (200, 10), (30, 30)])
def test_orthogonal_walls(d: int, t: int) -> None:
    assert_right(rotated(orthogonal(d, t), rng_of(6, d)), epsilon=0.5)


@pytest.mark.parametrize(
    ("d", "epsilon", "delta"), [(6, 1 / 3, 0.05), (12, 0.5, 0.05), (30, 0.9, 0.2)]
)
def test_weyl_chambers(d: int, epsilon: float, delta: float) -> None:
    assert_right(weyl(d), epsilon, delta)


@pytest.mark.parametrize(("m", "width"), [(2, 1e-2), (4, 1e-3), (6, 1e-2)])
def test_needles(m: int, width: float) -> None:
    assert_right(needle(m, width), epsilon=0.9)


def test_walls_in_more_dimensions_than_they_span() -> None:
    assert_right(rotated(wedge(0.3), rng_of(7), spare=6))


# Tiny volumes.


def thrift(monkeypatch: pytest.MonkeyPatch, m: int) -> None:
    """Spend little on a needle where the price of the promise, O(levels^2) draws, is minutes.

    One block of chains, a pilot of one, and trajectories that get shorter as the cone gets
    narrower, in m dimensions at once, instead of a search for their length at every level. The
    estimate is less accurate, and says so.
    """
    lengths = (min(QUARTER, 3 * QUARTER * SHARE ** (level / m)) for level in itertools.count(1))

    def shorter(chains: Chains, *_: object) -> tuple[Chains, float]:
        return chains, next(lengths)

    monkeypatch.setattr(volume, "PILOT_BLOCKS", 1)
    monkeypatch.setattr(volume, "draws_needed", lambda *_: BLOCK)
    monkeypatch.setattr(volume, "climb", shorter)


def test_a_volume_of_1e_300(monkeypatch: pytest.MonkeyPatch) -> None:
    known = needle(33, 1e-8)
    assert -305 < known.log_volume / np.log(10) < -295

    def look(seed: int, more: int) -> float:
        z = []
        for number in range(more):
            thrift(monkeypatch, 33)
            estimate = log_volume(cone_of(known.walls), random_state=seed + number)
            assert estimate.levels > 400
            assert estimate.standard_deviation < 3
            z.append(deviations(estimate, known.log_volume))
        return two_sided(sum(z) / np.sqrt(more)).item()

    holds(look)


def test_a_volume_that_float64_cannot_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arithmetic only: 1000 levels whose survivors are binomial stand for a volume of 1e-700."""
    levels = [volume.Level(1.0 / (n + 1), 1.0, 1) for n in range(1000)]
    monkeypatch.setattr(volume, "_pilot", lambda *_: levels)
    monkeypatch.setattr(volume, "draws_needed", lambda *_: 20 * BLOCK)
    monkeypatch.setattr(
        volume, "_descend", lambda cone, levels, rng: rng.binomial(BLOCK, SHARE, len(levels))
    )
    exact = np.log(0.5) + 1000 * np.log(SHARE)
    spread = np.sqrt(1000 * (1 - SHARE) / (SHARE * 20 * BLOCK))
    cone = cone_of(wedge(1).walls)
    assert np.exp(exact) == 0.0

    def look(seed: int, more: int) -> list[float]:
        n = 200 * more
        estimates = [log_volume(cone, random_state=seed + i) for i in range(n)]
        assert all(0.9 < e.standard_deviation / spread < 2.5 for e in estimates)
        z = np.array([(estimate.log_volume - exact) / spread for estimate in estimates])
        # Without the correction of the bias of a logarithm each would be 0.44 of a deviation too
        # low, and their mean six of its own.
        return [chi2.sf((z**2).sum(), n), two_sided(z.mean() * np.sqrt(n)).item()]

    holds(look)


# The promise.


REPEATED = weyl(4)


@functools.cache
def repeats(seed: int, more: int) -> list[VolumeEstimate]:
    cone = cone_of(REPEATED.walls)
    return [log_volume(cone, 1 / 3, 0.05, random_state=seed + i) for i in range(200 * more)]


def broken_promises(estimates: list[VolumeEstimate], epsilon: float) -> float:
    """Return the p-value of as many estimates outside as there are, if one in 20 may be."""
    off = [abs(estimate.log_volume - REPEATED.log_volume) for estimate in estimates]
    broken = sum(x > np.log1p(epsilon) for x in off)
    return float(binom.sf(broken - 1, len(estimates), 0.05))


def test_the_promise_holds_over_200_repeats() -> None:
    """At most 5% + noise fall outside.

    The bound is conservative: it takes 2.7 standard deviations to break it, so that a right
    estimator does so about once in 200 repeats.
    """
    holds(lambda seed, more: broken_promises(repeats(seed, more), 1 / 3))


def test_a_promise_that_took_more_draws_would_be_broken() -> None:
    """The power of 200 repeats: the same estimates do not keep the promise of epsilon = 0.05."""
    caught(lambda seed, more: broken_promises(repeats(seed, more), 0.05))


def test_reported_deviations_are_those_of_200_repeats() -> None:
    def look(seed: int, more: int) -> list[float]:
        n = 200 * more
        z = np.array([deviations(e, REPEATED.log_volume) for e in repeats(seed, more)])
        # The reported one is the larger of two estimates, one of them noisy: it may err upwards,
        # but not by half, and not downwards.
        squares = (z**2).sum()
        return [two_sided(z.mean() * np.sqrt(n)).item(), chi2.sf(squares, n),
                chi2.cdf(squares / 0.7**2, n)]  # fmt: skip

    holds(look)


def test_a_biased_sampler_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reflections that lose a fifth of their impulse move the estimate by many deviations."""

    def lossy(
        chains: Chains, walls: Walls, length: float, rng: np.random.Generator
    ) -> tuple[Chains, Flight]:
        weaker = replace(walls)
        vars(weaker)["pull"] = 0.9 * walls.pull
        return fly(chains, weaker, length, rng)

    monkeypatch.setattr(volume, "fly", lossy)
    caught(lambda seed, more: off(weyl(12), seed, more, 0.5))


@pytest.mark.parametrize("known", [wedge(1e-3), weyl(10), needle(5, 1e-3), equicorrelated(10)])
def test_no_level_keeps_a_smaller_share_than_the_promise_assumes(known: Known) -> None:
    cone = cone_of(known.walls)
    levels = volume._pilot(cone, (8, 1))
    survivors = sum(volume._descend(cone, levels, rng) for rng in streams((8, 2), 20))
    shares = survivors / (20 * BLOCK)
    assert len(levels) > 1 or shares[0] >= SHARE
    # Noise: the pilot's quantile (2048 chains) and the shares (5120) have standard deviations of
    # .009 and .006 at most, if chains are independent; .15 is five of them away.
    assert shares.min() > LEAST_SHARE
    assert (shares[:-1] < 0.25).all()


# The arithmetic.


@pytest.mark.parametrize("levels", [1, 4, 30])
@pytest.mark.parametrize(("epsilon", "delta"), [(1 / 3, 0.05), (0.1, 0.2), (0.9, 0.01)])
def test_simulated_products_fail_less_often_than_promised(
    levels: int, epsilon: float, delta: float
) -> None:
    n, x = draws_needed(levels, epsilon, delta), np.log1p(epsilon)

    def look(seed: int, more: int) -> list[float]:
        rng, p_values = stream(9, levels, seed), []
        for p in (LEAST_SHARE, SHARE, 0.5):
            counts = rng.binomial(n, p, (4000 * more, levels))
            failures = int((np.abs(np.log(counts / (n * p)).sum(axis=1)) > x).sum())
            p_values.append(binomtest(failures, 4000 * more, delta, "greater").pvalue)
        return p_values

    holds(look)


def test_fewer_draws_would_not_do() -> None:
    """The bound is within a small factor of what is needed: a quarter of the draws fail."""
    n = draws_needed(4, 1 / 3, 0.05) // 4

    def look(seed: int, more: int) -> float:
        counts = stream(10, seed).binomial(n, LEAST_SHARE, (4000 * more, 4))
        off = np.log(counts / (n * LEAST_SHARE)).sum(axis=1)
        failures = int((np.abs(off) > np.log(4 / 3)).sum())
        return binomtest(failures, 4000 * more, 0.05, "greater").pvalue

    caught(look)


@settings(max_examples=10)
@given(levels=st.integers(1, 40), epsilon=st.floats(0.2, 0.9), delta=st.floats(0.001, 0.5))
def test_draws_needed_keep_the_bound(levels: int, epsilon: float, delta: float) -> None:
    assert failure_bound(draws_needed(levels, epsilon, delta), levels, np.log1p(epsilon)) <= delta


@settings(max_examples=15)
@given(
    n=st.integers(500, 10_000), levels=st.integers(1, 60), x=st.floats(0.1, 0.3),
    more=st.floats(1.1, 2),
)  # fmt: skip
def test_failure_bound_is_monotone(n: int, levels: int, x: float, more: float) -> None:
    bound = failure_bound(n, levels, x)
    # Powers come from a grid, so equals may differ a little.
    slack = 1 + 1e-2
    assert failure_bound(int(n * more), levels, x) <= bound * slack
    assert failure_bound(n, levels, x * more) <= bound * slack
    assert failure_bound(n, levels + max(1, int(levels * (more - 1))), x) >= bound / slack


def test_draws_needed_is_monotone() -> None:
    by_levels = [draws_needed(n, 1 / 3, 0.05) for n in (1, 2, 5, 20, 100)]
    by_epsilon = [draws_needed(5, e, 0.05) for e in (0.9, 0.5, 0.2, 0.1)]
    by_delta = [draws_needed(5, 1 / 3, d) for d in (0.5, 0.2, 0.05, 0.01, 1e-4)]
    for needed in (by_levels, by_epsilon, by_delta):
        assert needed == sorted(set(needed))


def test_larger_shares_fail_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """The promise is computed for the least share, where it is hardest to keep."""
    bounds = []
    for share in (0.15, 0.2, 0.3, 0.5, 0.9):
        monkeypatch.setattr(volume, "LEAST_SHARE", share)
        bounds.append(failure_bound(2000, 5, 0.25))
    assert bounds == sorted(bounds, reverse=True)


# Edges.


@pytest.mark.parametrize("name", ["epsilon", "delta"])
@pytest.mark.parametrize("value", [0, 1, -0.1, 2, np.nan, np.inf])
def test_promises_outside_the_unit_interval_are_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must lie strictly between 0 and 1, got"):
        log_volume(cone_of(wedge(1).walls), **{name: value})


@pytest.mark.parametrize(("name", "value"), [("epsilon", 1e-9), ("delta", 1e-60)])
def test_promises_that_no_number_of_chains_keeps_are_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be at least .*, got {value}"):
        log_volume(cone_of(wedge(1).walls), **{name: value})


def test_nothing_is_estimated_where_the_volume_is_known() -> None:
    assert log_volume(Cone.whole(5)) == VolumeEstimate(0.0, 0.0, 0, 0)
    one = log_volume(cone_of(np.ones((1, 5))))
    assert one == VolumeEstimate(pytest.approx(-np.log(2)), 0.0, 0, 0)


def test_the_seed_decides() -> None:
    cone = cone_of(weyl(5).walls)
    first = log_volume(cone, random_state=seed_of(3))
    assert log_volume(cone, random_state=seed_of(3)) == first
    assert log_volume(cone, random_state=seed_of(4)) != first
    generated = [log_volume(cone, random_state=rng_of(11)) for _ in range(2)]
    assert generated[0] == generated[1]


def test_the_version_space_reports_the_same() -> None:
    walls = weyl(5).walls
    estimate = space(walls).estimate_volume(0.4, 0.1, 7)
    assert estimate == log_volume(cone_of(walls), 0.4, 0.1, 7)
    assert space(walls).log_volume(0.4, 0.1, 7) == estimate.log_volume
    assert VersionSpace(3).log_volume() == 0.0


def test_too_thin_a_cone_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(volume, "MOST_LEVELS", 3)
    with pytest.raises(volume.Undecided, match="after 3 levels"):
        log_volume(cone_of(wedge(1e-6).walls))
