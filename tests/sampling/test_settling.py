"""How far a population has forgotten where it was, and what it says about that."""

from dataclasses import replace

import numpy as np

from aluma.sampling import settling
from aluma.sampling.blocks import BLOCK
from aluma.sampling.chains import Walls
from aluma.sampling.pace import FORGOTTEN
from aluma.sampling.population import Population
from aluma.sampling.settling import settle
from closed_forms import random_walls
from evidence import generator
from populations import grown


def test_mixing_is_sane_after_every_answer() -> None:
    walls = random_walls(5, 25, generator(21))
    population = Population(5, 1000)
    chains = 4 * BLOCK
    for wall in walls:
        population.add(wall)
        mixing = population.mixing
        assert 0.5 * chains < mixing.effective <= chains
        assert 0 < mixing.ancestors <= chains
        # Where only a part flies, as much more is allowed as its noise could be.
        assert mixing.correlation < FORGOTTEN + 3 / np.sqrt(settling.PART)
        assert 1 <= mixing.flights < settling.MAX_FLIGHTS
        assert 0 < mixing.length <= np.pi / 2
        assert mixing.refused < 1e-3
        assert np.isnan(mixing.rhat) == (mixing.flights < 4)


def test_rhat_is_near_one_when_flights_are_many_and_far_when_they_do_nothing() -> None:
    walls = Walls.of(np.eye(3), 3)
    points = np.abs(generator(22).standard_normal((512, 3)))
    everybody = np.arange(512)
    _, mixed = settle(points, walls, 0.35, everybody, (1,))
    assert mixed.flights >= 4
    # Between 1.5 and 1.9 over 40 seeds; of those that do nothing, above 160.
    assert mixed.rhat < 2.5
    _, lazy = settle(points, walls, 1e-3, everybody, (1,))
    assert lazy.flights == settling.MAX_FLIGHTS
    assert lazy.rhat > 30
    assert lazy.correlation > 0.9
    assert lazy.effective == 512


def test_copies_that_remember_are_worth_less() -> None:
    walls = Walls.of(np.eye(3), 3)
    rng = generator(23)
    families = np.repeat(np.arange(64), 8)
    points = np.abs(rng.standard_normal((64, 3)))[families]
    _, lazy = settle(points, walls, 1e-3, families, (2,))
    _, mixed = settle(points, walls, np.pi / 2, families, (2,))
    assert 60 < lazy.effective < 80
    assert mixed.effective > 400


def test_a_population_that_does_not_move_is_not_sound() -> None:
    mixing = grown(random_walls(20, 40, generator(0))).mixing
    assert mixing.sound
    assert not replace(mixing, refused=0.6).sound
    assert not replace(mixing, correlation=0.6).sound
    assert not replace(mixing, rhat=1.6).sound
    assert replace(mixing, rhat=np.nan).sound
