"""How long trajectories are, how many of them forget a start, and what they are counted to cost."""

import logging

import numpy as np
import pytest
from scipy.stats import norm

from aluma.errors import Undecided
from aluma.sampling import pace
from aluma.sampling.chains import Chains, Walls, place
from aluma.sampling.diagnostics import correlation, effective_sample_size
from aluma.sampling.pace import (
    FORGOTTEN,
    QUARTER,
    STEP,
    climb,
    cost,
    directions,
    first_to_forget,
    forget,
    functions,
    spread,
)
from aluma.sampling.reflection import fly
from closed_forms import (
    Floats,
    cone_of,
    narrow_walls,
    random_walls,
    space,
    units,
    wedge,
    wedge_law,
    weyl,
)
from evidence import generator, holds, seed_of, stream

CONES = {
    "wedge": wedge(1e-3).walls,
    "narrow": narrow_walls(10, 60, generator(1)),
    "random": random_walls(10, 30, generator(2)),
}


def stationary(normals: Floats, n: int = 256, seed: int | None = None) -> tuple[Chains, Walls]:
    walls = Walls.of(units(normals), normals.shape[1])
    number = seed_of(0) if seed is None else seed
    return place(units(space(normals).sample(n, random_state=number)), walls), walls


def independent_draws_per_cost(chains: Chains, walls: Walls, length: float) -> float:
    """Count what a fixed length yields over many flights, for the slowest of the functions."""
    rng = generator(3)
    judged = functions(walls, chains.points, rng)
    values, bounces = [], []
    for _ in range(16):
        chains, flight = fly(chains, walls, length, rng)
        values.append(directions(chains.points) @ judged)
        bounces.append(flight.bounces.mean())
    worth = effective_sample_size(np.stack(values, axis=1)).min() / (len(chains.points) * 16)
    return float(worth / cost(float(np.mean(bounces)), walls))


# The climb.


@pytest.mark.parametrize("name", CONES)
def test_the_climb_finds_a_length_that_yields_what_the_best_does(name: str) -> None:
    """Within a factor of 1.5, which two starts found as well; costs are counted, not timed."""
    chains, walls = stationary(CONES[name])
    # Beyond its ends, yields only fall.
    longest, steps = (0.03, 18) if name == "wedge" else (QUARTER, 14)
    grid = longest * STEP ** -np.arange(steps)
    best = max(independent_draws_per_cost(chains, walls, length) for length in grid)
    for seed in range(3):
        rng = generator(4, seed)
        _, first = spread(chains, walls, rng)
        _, length = climb(chains, walls, rng, first)
        assert independent_draws_per_cost(chains, walls, length) > best / 1.5


@pytest.mark.parametrize("seed", range(3))
def test_narrow_wedges_want_short_trajectories(seed: int) -> None:
    chains, walls = stationary(CONES["wedge"])
    _, length = climb(chains, walls, generator(seed), 0.05)
    assert 3e-4 < length < 1e-2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("start", [QUARTER, 0.05])
def test_wide_cones_want_nearly_a_quarter_turn(seed: int, start: float) -> None:
    """The yield is flat between three quarters of it and all of it, and falls below."""
    chains, walls = stationary(CONES["random"])
    _, length = climb(chains, walls, generator(seed), start)
    assert QUARTER / STEP**2 - 1e-9 < length <= QUARTER


def test_a_wrong_length_would_be_seen() -> None:
    """A quarter turn in a narrow cone, and a short turn in a wide one, yield far less."""
    for name, wrong in (("narrow", QUARTER), ("random", 0.1)):
        chains, walls = stationary(CONES[name])
        _, right = climb(chains, walls, generator(5))
        yields = [independent_draws_per_cost(chains, walls, length) for length in (wrong, right)]
        assert yields[0] < yields[1] / 3


def test_the_climb_is_repeatable_and_leaves_the_law_as_it_is() -> None:
    law = wedge_law(0.2)
    walls = Walls.of(units(law.walls), 2)

    def look(seed: int, more: int) -> list[float]:
        start = place(law.draw(4096 * more, stream(6, seed)), walls)
        once, length = climb(start, walls, stream(7, seed))
        again, same = climb(start, walls, stream(7, seed))
        assert length == same
        np.testing.assert_array_equal(once.points, again.points)
        return law.fit(once.points, stream(8, seed))

    holds(look)


@pytest.mark.parametrize("width", [1e-7, 3e-7, 3.4e-7, 1e-6, 3.3e-6, 3.4e-6, 5e-6])
def test_widths_at_which_a_function_is_nearly_constant_are_paced_like_others(width: float) -> None:
    """Products with the axis of a wedge of 3e-6 vary by 1e-12, of 3e-7 by 1e-14: near rounding.

    The best length is about twice the width.
    """
    law = wedge_law(width)
    walls = Walls.of(units(law.walls), 2)
    chains = place(law.draw(256, generator(9)), walls)
    for seed in range(5):
        _, length = climb(chains, walls, generator(10, seed), 100 * width)
        assert length < 20 * width


# Forgetting.


@pytest.mark.parametrize("name", CONES)
def test_forgetting_is_real(name: str) -> None:
    """After as many flights again, chains know no more of their start than they should.

    Correlations of 256 pairs have a standard deviation of 1/16.
    """

    def look(seed: int, more: int) -> Floats:
        chains, walls = stationary(CONES[name], 256 * more, seed)
        rng = stream(11, seed)
        _, length = climb(chains, walls, rng, spread(chains, walls, rng)[1])
        _, flights = forget(chains, walls, rng, length)
        ended = chains
        for _ in range(flights):
            ended, _ = fly(ended, walls, length, rng)
        judged = functions(walls, chains.points, rng)
        kept = correlation(directions(chains.points) @ judged, directions(ended.points) @ judged)
        return np.asarray(norm.sf((kept - FORGOTTEN) * 16 * np.sqrt(more)))

    holds(look)


def test_shorter_trajectories_take_more_flights() -> None:
    chains, walls = stationary(CONES["random"])
    taken = [forget(chains, walls, generator(12), x)[1] for x in (QUARTER, 0.3, 0.1)]
    assert taken[0] <= 3
    assert taken == sorted(set(taken))


def test_forgetting_is_given_up_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pace, "MOST_FLIGHTS_TO_FORGET", 5)
    chains, walls = stationary(CONES["random"])
    with caplog.at_level(logging.WARNING):
        _, flights = forget(chains, walls, generator(13), 1e-3)
    assert flights == 5
    assert "after 5 trajectories of length 0.001 the start is not forgotten" in caplog.text


@pytest.mark.parametrize("name", ["random", "narrow"])
def test_the_first_length_that_forgets_is_one_that_forgets(name: str) -> None:
    """Found from a guess at the width of the cone; judged by other flights than it was found by."""
    chains, walls = stationary(CONES[name])
    moved, length = first_to_forget(chains, walls, generator(21), QUARTER)
    assert length is not None
    # Noise of 256 pairs may let a length pass that keeps a little more.
    judged = functions(walls, moved.points, generator(22))
    kept = []
    for number in range(8):
        ended, _ = fly(moved, walls, length, generator(23, number))
        kept.append(correlation(directions(moved.points) @ judged,
                                directions(ended.points) @ judged))  # fmt: skip
    assert np.mean(kept, axis=0).max() < FORGOTTEN + 0.1


def test_no_length_is_enough_if_the_longest_is_too_short() -> None:
    chains, walls = stationary(CONES["random"])
    moved, length = first_to_forget(chains, walls, generator(24), 0.1)
    assert length is None
    assert (moved.points != chains.points).any()


# Spreading from one point.


@pytest.mark.parametrize("width", [1.0, 1e-3, 1e-6, 1e-9])
def test_chains_spread_from_one_point(width: float) -> None:
    walls = Walls.of(wedge(width).walls, 2)
    middle = np.tile([np.cos(width / 2), np.sin(width / 2)], (256, 1))
    chains, length = spread(place(middle, walls), walls, generator(14))
    angle = np.arctan2(chains.points[:, 1], chains.points[:, 0]) / width
    assert angle.std() > 0.1
    assert length <= min(QUARTER, 1e4 * width)


def test_a_cone_that_float64_cannot_resolve_is_undecided() -> None:
    width = 2e-14
    walls = Walls.of(wedge(width).walls, 2)
    middle = np.tile([1.0, width / 2], (256, 1))
    with pytest.raises(Undecided, match="too thin for float64"):
        spread(place(middle, walls), walls, generator(15))


# What is judged, and what it costs.


def test_functions_are_random_ones_walls_and_the_axis() -> None:
    normals = weyl(20).walls
    walls = Walls.of(units(normals), 20)
    points = space(normals).sample(64)
    judged = functions(walls, points, generator(16))
    assert judged.shape == (20, pace.RANDOM + pace.WALLS + 1)
    hard = judged[:, pace.RANDOM : -1].T
    assert all((np.abs(walls.normals - f).max(axis=1) == 0).any() for f in hard)
    np.testing.assert_allclose(judged[:, -1], units(points).mean(axis=0))


def test_cost_counts_bounces_walls_and_dimensions() -> None:
    small, large = (Walls.of(cone_of(weyl(d).walls).coordinates, d) for d in (5, 50))
    assert cost(10, small) > cost(1, small)
    assert cost(10, large) > cost(10, small)
    assert cost(20, large) - cost(10, large) == pytest.approx(cost(10, large) - cost(0, large))
