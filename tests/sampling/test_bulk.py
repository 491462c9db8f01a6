"""Several answers at once leave the same law as one by one, and looking in between nothing at all.

Statistical tests look twice before they fail: see ``evidence.py``.
"""

import numpy as np
import pytest
from scipy.stats import kstest

from aluma.sampling import bulk
from aluma.sampling.bulk import GROUP, Latecomer, absorb_all
from aluma.sampling.population import Population
from closed_forms import (
    Floats,
    Known,
    equicorrelated,
    orthogonal,
    random_walls,
    rotated,
    units,
    wedge,
    wedge_angle,
    weyl,
)
from evidence import generator, holds, seed_of, two_sided
from populations import differs


def late(d: int, size: int = 1000, seed: int | None = None) -> Latecomer:
    return Latecomer(Population(d, size, seed_of(0) if seed is None else seed).state)


def answers(seed: int) -> list[Floats]:
    """Forty answers of the same target in four dimensions, whatever the seed."""
    rows = units(generator(seed).standard_normal((40, 4)))
    return list(rows * np.sign(rows[:, :1]))


def looked_at(latecomer: Latecomer, walls: Floats, size: int = 1000) -> Population:
    population = Population(walls.shape[1], size)
    population.restore(latecomer.after(list(walls)))
    return population


@pytest.mark.parametrize(("d", "n"), [(3, 7), (4, 40), (6, 37), (40, 33)])
def test_what_is_left_is_uniform(d: int, n: int) -> None:
    walls = units(random_walls(d, n, generator(d)))

    def look(seed: int, more: int) -> list[float]:
        population = looked_at(late(d, 1000 * more, seed), walls, 1000 * more)
        assert (population.hypotheses() @ walls.T > 0).all()
        assert population.mixing.effective > 500 * more
        return differs(population.hypotheses(), walls, seed, more)

    holds(look)


@pytest.mark.parametrize(
    "known",
    [wedge(0.3), orthogonal(8, 8), weyl(6), weyl(12), equicorrelated(8),
     rotated(weyl(5), generator(25), spare=4)],
)  # fmt: skip
def test_volumes_are_those_known(known: Known) -> None:
    """At least a sixteenth of 4096 agree with a group, and groups may be single answers.

    The variance of the logarithm is at most 15 / 4096 a group, and somewhat more for copies.
    """
    walls = units(known.walls)

    def look(seed: int, more: int) -> float:
        state = late(walls.shape[1], 4096 * more, seed).after(list(walls))
        error = np.sqrt(1.2 * len(walls) * 15 / (4096 * more))
        return two_sided((state.log_volume - known.log_volume) / error).item()

    holds(look)


def test_fewer_flights_than_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random answers contradict few: whole groups are settled at once."""
    settled = []
    original = bulk.settle
    monkeypatch.setattr(bulk, "settle", lambda *args: settled.append(1) or original(*args))
    walls = units(random_walls(30, 4 * GROUP, generator(1)))
    late(30).after(list(walls))
    assert len(settled) < len(walls) / 3


def test_a_surprise_within_a_group_is_brought_in_gradually() -> None:
    known = wedge(1e-6, 0.7)

    def look(seed: int, more: int) -> float:
        population = looked_at(late(2, 2048 * more, seed), units(known.walls), 2048 * more)
        assert population.mixing.gradual > 0
        angles = wedge_angle(population.hypotheses(), 0.7) / 1e-6
        return kstest(angles, "uniform").pvalue

    holds(look)


def test_looking_changes_nothing() -> None:
    walls = list(units(random_walls(5, 45, generator(3))))
    alone = late(5).after(walls)
    often = late(5)
    for n in (1, 5, GROUP, GROUP + 1, 40, 45, 20, 2, 45):
        state = often.after(walls[:n])
        assert len(state.cone) == n
    assert state.key == alone.key
    np.testing.assert_array_equal(state.points, alone.points)


def test_what_was_forgotten_may_differ() -> None:
    first, second = answers(4), answers(5)
    changed = [*first[:20], *second[20:]]
    latecomer = late(4)
    latecomer.after(first)
    latecomer.forget(20)
    np.testing.assert_array_equal(latecomer.after(changed).points, late(4).after(changed).points)


def test_a_fork_goes_its_own_way() -> None:
    first, second = answers(6), answers(7)
    one = late(4)
    one.after(first[:GROUP])
    other = one.fork()
    one.after(first)
    theirs = [*first[:GROUP], *second[GROUP:]]
    np.testing.assert_array_equal(other.after(theirs).points, late(4).after(theirs).points)
    np.testing.assert_array_equal(one.after(first).points, late(4).after(first).points)


def test_one_answer_is_absorbed_as_always() -> None:
    wall = units(generator(8).standard_normal(3))
    population = Population(3, 500)
    start = population.state
    population.add(wall)
    np.testing.assert_array_equal(absorb_all(start, wall[None]).points, population.state.points)
