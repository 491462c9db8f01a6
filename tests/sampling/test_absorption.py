"""What an answer does to a population: survivors are copied, surprises are brought in gradually."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

from aluma.errors import Undecided
from aluma.geometry.feasibility import Infeasible
from aluma.sampling.absorption import refill
from aluma.sampling.population import Population
from closed_forms import Floats, random_walls, rotated, space, units, wedge, wedge_angle
from evidence import generator, holds, stream, two_sided
from populations import differs, grown


@given(
    alive=st.lists(st.booleans(), min_size=1, max_size=60).filter(any), seed=st.integers(0, 1000)
)
def test_survivors_stay_and_are_copied_evenly(alive: list[bool], seed: int) -> None:
    inside = np.array(alive)
    family = refill(inside, generator(seed))
    survivors = np.flatnonzero(inside)
    np.testing.assert_array_equal(family[survivors], survivors)
    assert inside[family].all()
    copies = np.bincount(family, minlength=len(inside))[survivors]
    assert copies.sum() == len(inside)
    assert copies.max() - copies.min() <= 1


def test_who_gets_the_odd_copy_is_random() -> None:
    """One dead and four alive: each of them is copied a quarter of the time."""
    inside = np.array([True, True, False, True, True])

    def look(seed: int, more: int) -> float:
        rng = stream(seed)
        chosen = np.bincount([refill(inside, rng)[2] for _ in range(2000 * more)], minlength=5)
        assert chosen[2] == 0
        return chisquare(chosen[inside]).pvalue

    holds(look)


def test_ancestors_are_the_survivors() -> None:
    population = grown(random_walls(3, 4, generator(10)), 1024)
    wall = units(generator(11).standard_normal(3))
    expected = int((population.state.points @ population.cone.basis.T @ wall > 0).sum())
    population.add(wall)
    assert population.mixing.ancestors == expected
    assert population.log_volume == pytest.approx(
        grown(random_walls(3, 4, generator(10)), 1024).log_volume + np.log(expected / 1024)
    )


@pytest.mark.parametrize("width", [1e-4, 1e-8, 1e-10])
@pytest.mark.parametrize("turned", [0.0, 0.7, 2.0])
def test_an_answer_that_surprises_everybody(width: float, turned: float) -> None:
    """Nobody of 2048 is in the wedge; all are, and uniform, once its wall has been brought in.

    Each of the gradual steps keeps a quarter, so ln(volume) has a variance of 3 / 2048 a step.
    """
    known = wedge(width, turned)

    def look(seed: int, more: int) -> list[float]:
        population = grown(known.walls, 2048 * more, seed)
        points, mixing = population.hypotheses(), population.mixing
        assert (points @ known.walls.T > 0).all()
        assert mixing.gradual == pytest.approx(np.log(np.pi / width) / np.log(4), abs=2)
        assert mixing.refused < 0.01
        z = (population.log_volume - known.log_volume) / np.sqrt(
            3 * (mixing.gradual + 1) / (2048 * more)
        )
        return [kstest(wedge_angle(points, turned) / width, "uniform").pvalue, two_sided(z).item()]

    holds(look)


def test_a_surprise_among_free_directions() -> None:
    """The same thin wedge in five dimensions, and with answers about other directions."""
    rng = generator(12)
    thin = rotated(wedge(1e-4), rng, spare=3).walls

    def look(seed: int, more: int) -> float:
        hypotheses = grown(thin, 2048 * more, seed).hypotheses()
        assert (hypotheses @ thin.T > 0).all()
        z = units(hypotheses @ np.linalg.qr(thin.T)[0])
        share = z @ np.linalg.qr(thin.T)[0].T @ thin.T
        return kstest(share[:, 0] / share.sum(axis=1), "uniform").pvalue

    holds(look)


def test_a_surprise_late_in_a_run() -> None:
    """A wall that leaves about a thousandth of a cone of 20 walls, found by moving it there."""
    walls = random_walls(4, 20, generator(13))
    sample = units(space(walls).sample(4096))
    axis, normal = units(sample.mean(axis=0)), units(generator(14).standard_normal(4))
    cut = np.quantile(sample @ normal / (sample @ axis), 0.9992)
    walls = np.vstack([walls, units(normal - cut * axis)])

    def look(seed: int, more: int) -> list[float]:
        population = grown(walls, 1024 * more, seed)
        assert population.mixing.gradual > 0
        assert (population.hypotheses() @ walls.T > 0).all()
        return differs(population.hypotheses(), walls, seed, more)

    holds(look)


def test_a_contradiction_leaves_it_as_it_was() -> None:
    population = grown(random_walls(3, 6, generator(15)))
    state, hypotheses = population.state, population.hypotheses()
    with pytest.raises(Infeasible) as found:
        population.add(-units(population.cone.walls[0]))
    assert found.value.support.tolist() == [0, 6]
    assert population.state is state
    np.testing.assert_array_equal(population.hypotheses(), hypotheses)
    population.undo()
    assert len(population.cone) == 5


def thin(width: float) -> tuple[Population, Floats]:
    """Return a population after 40 answers, and one that leaves a wedge so thin."""
    rng = generator(0)
    walls = random_walls(20, 40, rng)
    close = walls[0] + width * rng.standard_normal(20) / np.sqrt(20)
    return grown(walls, 300), -close / np.linalg.norm(close)


def test_a_thin_wedge_is_explored() -> None:
    population, wall = thin(1e-2)
    population.add(wall)
    assert population.mixing.gradual > 0
    assert population.mixing.sound
    assert (population.hypotheses() @ wall > 0).all()


def test_a_wedge_that_is_too_thin_is_given_up_in_time() -> None:
    """Work is counted, not timed; without the limit this takes minutes."""
    population, wall = thin(1e-7)
    before = population.state
    with pytest.raises(Undecided, match="nearly the same"):
        population.add(wall)
    assert population.state is before


def test_answers_that_nearly_everybody_expected_are_counted() -> None:
    population = grown(random_walls(4, 12, generator(11)), 1000)
    axis = units(population.hypotheses()).mean(axis=0)
    before = population.state.expected
    for expected in range(1, 4):
        population.add(axis / np.linalg.norm(axis))
        assert population.state.expected == before + expected
        axis[0] += 1e-3
    projected = population.hypotheses() @ np.eye(4)[:, 0]
    even = np.eye(4)[0] - np.median(projected / (population.hypotheses() @ axis)) * axis
    population.add(even / np.linalg.norm(even))
    assert population.state.expected == 0
