"""Laws and volumes against oracles of another kind than the kernels under test.

In three dimensions, the areas of spherical polygons (Girard's theorem); above, hit-and-run along
lines of its own, to N(0, I) on the cone; and for draws that are too alike, the variance over seeds.
"""

from collections.abc import Callable

import numpy as np
import pytest

from aluma.sampling.population import Population
from closed_forms import (
    Cells,
    Floats,
    central_cuts,
    gaussian_walk,
    narrow_walls,
    polygon,
    polygon_cells,
    random_walls,
    slow_but_sure,
    space,
    triangle,
    triangle_cells,
    units,
)
from evidence import caught, cells_fit, generator, holds, same_law, stream, too_alike, two_sided
from populations import grown, seen_by


def fresh(walls: Floats, n: int, seed: int) -> Floats:
    return space(walls).sample(n, random_state=seed)


def paper(walls: Floats, n: int, seed: int) -> Floats:
    return space(walls).sample(n, "hit_and_run", steps=200, random_state=seed)


def one_by_one(walls: Floats, n: int, seed: int) -> Floats:
    return grown(walls, n, seed).hypotheses()


def independent(walls: Floats, n: int, seed: int) -> Floats:
    return grown(walls, n, seed).independent(0)


def after_an_undo(walls: Floats, n: int, seed: int) -> Floats:
    """Answer the last one wrongly first, where that is possible at all."""
    population = Population(walls.shape[1], n, seed)
    for wall in walls:
        if (population.hypotheses() @ wall < 0).sum() > n // 20:
            population.add(-wall)
            population.undo()
        population.add(wall)
    return population.hypotheses()


SOURCES: dict[str, Callable[[Floats, int, int], Floats]] = {
    "fresh": fresh,
    "the paper's": paper,
    "population": one_by_one,
    "independent": independent,
    "after an undo": after_an_undo,
}

#: Cones in space: random answers, and such that each passes nearer to the target.
IN_SPACE = {
    "wide": random_walls(3, 5, generator(1)),
    "random": random_walls(3, 20, generator(2)),
    "narrow": narrow_walls(3, 15, generator(3)),
}


# Exact polygons.


@pytest.mark.parametrize("case", range(4))
def test_polygons_are_triangles_where_there_are_three_walls(case: int) -> None:
    walls = random_walls(3, 3, generator(4, case))
    assert polygon(walls).log_volume == pytest.approx(triangle(walls).log_volume)
    assert polygon_cells(walls, np.empty((0, 3))).shares == pytest.approx(1)
    assert polygon_cells(walls, central_cuts(walls, 3, generator(5))).shares.sum() == pytest.approx(
        1
    )


@pytest.mark.parametrize("name", IN_SPACE)
def test_cells_of_a_polygon_tile_it(name: str) -> None:
    walls = IN_SPACE[name]
    cells = polygon_cells(walls, central_cuts(walls, 5, generator(6)))
    assert cells.shares.sum() == pytest.approx(1, abs=1e-9)
    assert (cells.shares > 0).all()
    assert 6 <= len(cells.shares) <= 16


def test_areas_of_polygons_are_what_rejection_finds() -> None:
    walls = IN_SPACE["wide"]
    cells = polygon_cells(walls, central_cuts(walls, 5, generator(7)))

    def look(seed: int, more: int) -> list[float]:
        points = stream(8, seed).standard_normal((100_000 * more, 3))
        inside = points[(points @ walls.T > 0).all(axis=1)]
        share = np.exp(polygon(walls).log_volume)
        z = (len(inside) - len(points) * share) / np.sqrt(len(points) * share * (1 - share))
        return [cells_fit(cells.count(inside), cells.shares), two_sided(z).item()]

    holds(look)


def full(source: Callable[[Floats, int, int], Floats], walls: Floats, cells: Cells):
    return lambda seed, more: cells_fit(cells.count(source(walls, 4000 * more, seed)), cells.shares)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", ["random", "narrow"])
def test_cells_of_polygons_are_as_full_as_they_are_large(name: str, source: str) -> None:
    walls = IN_SPACE[name]
    cells = polygon_cells(walls, central_cuts(walls, 5, generator(9)))
    holds(full(SOURCES[source], walls, cells))


def test_draws_that_keep_from_the_edges_are_seen_in_the_cells() -> None:
    """A tenth of the way to the middle."""
    walls = random_walls(3, 3, generator(10))
    cells = triangle_cells(walls)

    def shy(walls: Floats, n: int, seed: int) -> Floats:
        points = units(fresh(walls, n, seed))
        return points + 0.1 * (points.mean(axis=0) - points)

    caught(full(shy, walls, cells))


@pytest.mark.parametrize("name", IN_SPACE)
def test_volumes_are_areas_of_polygons(name: str) -> None:
    known = polygon(IN_SPACE[name])

    def look(seed: int, more: int) -> list[float]:
        found = [space(known.walls).estimate_volume(1 / 3, 0.05, seed + i) for i in range(more)]
        z = [(one.log_volume - known.log_volume) / one.standard_deviation for one in found]
        return two_sided(sum(z) / np.sqrt(more)).tolist()

    holds(look)


# A sampler of its own.


CONES = {
    "d=4": random_walls(4, 25, generator(11)),
    "d=8": random_walls(8, 30, generator(12)),
    "narrow, d=6": narrow_walls(6, 30, generator(13)),
    "d=20": random_walls(20, 12, generator(14)),
}


def test_the_other_sampler_leaves_its_law_invariant_and_forgets_its_start() -> None:
    """Exact draws of the orthant stay exact; those from its middle become so."""
    walls = np.eye(4)

    def exact(seed: int, n: int) -> Floats:
        return np.abs(stream(15, seed).standard_normal((n, 4)))

    def steps(seed: int, more: int) -> list[float]:
        start = np.abs(stream(16, seed).standard_normal((4000 * more, 4)))
        shape = np.diag([1.0, 2.0, 0.5, 1.0])
        walked = gaussian_walk(start, walls, shape, 3, stream(17, seed))
        return same_law(walked, exact(seed, 4000 * more))

    def start(seed: int, more: int) -> list[float]:
        found = slow_but_sure(walls, 2000 * more, stream(18, seed))
        return same_law(found, exact(seed, 4000 * more))

    holds(steps)
    holds(start)


def test_too_few_steps_of_the_other_sampler_would_be_seen() -> None:
    walls = CONES["d=8"]

    def look(seed: int, more: int) -> list[float]:
        found = slow_but_sure(walls, 1000 * more, stream(19, seed), steps=10)
        return same_law(seen_by(found, walls), seen_by(fresh(walls, 4000 * more, seed), walls))

    caught(look)


@pytest.mark.parametrize("name", CONES)
def test_another_sampler_agrees(name: str) -> None:
    """One run of it for all that is tested; they share its draws, and so a Bonferroni."""
    walls = CONES[name]

    def look(seed: int, more: int) -> list[float]:
        oracle = seen_by(slow_but_sure(walls, 1500 * more, stream(20, seed)), walls)
        sources = (fresh, one_by_one, independent, after_an_undo)
        found = (source(walls, 2000 * more, seed) for source in sources)
        return [p for one in found for p in same_law(seen_by(one, walls), oracle)]

    holds(look)


def test_another_sampler_would_see_a_cone_that_is_not_the_one_that_was_asked_for() -> None:
    """One wall of thirty is turned by a few degrees."""
    walls = CONES["d=4"]
    nearest = int((units(fresh(walls, 1000, 0)) @ walls.T).mean(axis=0).argmin())
    turned = walls.copy()
    turned[nearest] = units(walls[nearest] + 0.15 * units(fresh(walls, 1000, 0).mean(axis=0)))

    def look(seed: int, more: int) -> list[float]:
        oracle = seen_by(slow_but_sure(walls, 1500 * more, stream(21, seed)), walls)
        return same_law(seen_by(fresh(turned, 2000 * more, seed), walls), oracle)

    caught(look)


# Variance over seeds.


def over_seeds(source: Callable[[Floats, int, int], Floats], walls: Floats, most: float):
    """Look at many seeds with few draws each."""

    def look(seed: int, more: int) -> Floats:
        seeds = range(1000 * seed, 1000 * seed + 32 * more)
        found = [seen_by(source(walls, 256, one), walls) for one in seeds]
        return too_alike(np.array(found), most)

    return look


@pytest.mark.parametrize("source", SOURCES)
def test_draws_of_one_seed_are_no_more_alike_than_those_of_others(source: str) -> None:
    """Copies within a population are allowed to remember a little of whom they were copied from."""
    walls = random_walls(5, 12, generator(22))
    most = 1.2 if source in ("population", "after an undo") else 1.0
    holds(over_seeds(SOURCES[source], walls, most))


def test_draws_that_are_too_alike_would_be_seen() -> None:
    """Every hypothesis four times: single p-values would hardly know."""

    def copies(walls: Floats, n: int, seed: int) -> Floats:
        return np.repeat(fresh(walls, n // 4, seed), 4, axis=0)

    caught(over_seeds(copies, random_walls(4, 12, generator(23)), 1.0))
