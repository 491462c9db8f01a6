"""Draws by chains from one point: the pilot, which draws come when, and what they are worth."""

import numba
import numpy as np
import pytest
from scipy.stats import norm

from aluma.geometry.feasibility import interior_point
from aluma.sampling import draw
from aluma.sampling.blocks import BLOCK
from aluma.sampling.chains import Walls
from aluma.sampling.diagnostics import correlation
from aluma.sampling.draw import MOST_BLOCKS, Pilot
from aluma.sampling.pace import FORGOTTEN, QUARTER, functions
from closed_forms import Floats, cone_of, narrow_walls, random_walls, space, units, wedge
from evidence import generator, holds, seed_of, stream

#: Wide, wider than there are walls, and narrow.
CONES = {
    "d=20": random_walls(20, 40, generator(1)),
    "fewer walls": random_walls(20, 8, generator(2)),
    "narrow": narrow_walls(8, 40, generator(3)),
}


def pilot_of(normals: Floats, *key: int) -> Pilot:
    cone = cone_of(normals)
    middle = units((interior_point(cone) @ cone.basis)[None, :])
    return draw._pilot(middle, Walls.of(cone.coordinates, cone.dimension), generator(4, *key))


def test_wide_cones_are_flown_through_in_float32_and_thin_ones_in_float64() -> None:
    for normals, kind in (
        (CONES["d=20"], np.float32),
        (CONES["fewer walls"], np.float32),
        (wedge(1e-3).walls, np.float64),
        (wedge(1e-7).walls, np.float64),
    ):
        assert pilot_of(normals).walls.kind is kind


def test_in_wide_cones_one_flight_is_enough_and_no_length_is_climbed_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(draw, "climb")
    for seed in range(5):
        pilot = pilot_of(CONES["d=20"], seed)
        assert pilot.flights == 1
        assert QUARTER / 2 < pilot.length <= QUARTER


@pytest.mark.parametrize("name", CONES)
def test_fewer_draws_are_the_first_of_more_across_all_blocks(name: str) -> None:
    V = space(CONES[name])
    more = V.sample((2 * MOST_BLOCKS + 1) * BLOCK, random_state=seed_of(5))
    for n in (1, BLOCK + 1, MOST_BLOCKS * BLOCK, MOST_BLOCKS * BLOCK + 1):
        np.testing.assert_array_equal(V.sample(n, random_state=seed_of(5)), more[:n])
    assert len(np.unique(more, axis=0)) == len(more)


def test_draws_are_the_same_on_one_and_two_threads() -> None:
    V, before = space(CONES["d=20"]), numba.get_num_threads()
    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("Numba was given one thread")
    try:
        found = []
        for threads in (1, 2):
            numba.set_num_threads(threads)
            found.append(V.sample(5000))
    finally:
        numba.set_num_threads(before)
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("apart", [1, MOST_BLOCKS])
@pytest.mark.parametrize("name", CONES)
def test_draws_have_forgotten_those_that_they_came_from(name: str, apart: int) -> None:
    """A block apart at the beginning, where blocks set out from each other, and a round later."""
    normals = CONES[name]
    cone = cone_of(normals)
    walls = Walls.of(units(normals), normals.shape[1])

    def look(seed: int, more: int) -> Floats:
        drawn = [
            units(space(normals).sample((1 + apart) * BLOCK, random_state=seed + number))
            for number in range(4 * more)
        ]
        judged = functions(walls, drawn[0], stream(6, seed))
        assert judged.shape[0] == cone.dimension
        first = np.vstack([one[:BLOCK] for one in drawn]) @ judged
        later = np.vstack([one[-BLOCK:] for one in drawn]) @ judged
        kept = correlation(first, later)
        return np.asarray(norm.sf((kept - FORGOTTEN) * np.sqrt(len(first))))

    holds(look)
