"""A seconds-long version of the sampler benchmark: that it runs, and that its figures are true."""

from __future__ import annotations

import io
from pathlib import Path

import numba
import numpy as np
import pytest
from rich.console import Console

from aluma.arrays import Floats
from aluma.errors import MissingData
from aluma.lab.bench import (
    RANDOM,
    Rate,
    cones,
    effective_at_most,
    functionals,
    one_core,
    rate,
    sampler,
)
from aluma.lab.bench.cones import Case, greedy_cone, random_cone, sphere_pool
from aluma.sampling.diagnostics import effective_sample_size

TINY = sampler.Effort(
    flights=40, rounds=1, records=50, seconds=0.2, hopsy_records=40, hopsy_trial=0.01
)


def autoregression(rho: float, chains: int, length: int, functions: int = 20) -> Floats:
    """Return stationary chains with autocorrelation rho^h: time (1 + rho) / (1 - rho)."""
    rng = np.random.default_rng(3)
    values = [rng.standard_normal((chains, functions))]
    while len(values) < length:
        noise = rng.standard_normal((chains, functions))
        values.append(rho * values[-1] + np.sqrt(1 - rho**2) * noise)
    return np.stack(values, axis=1)


class Recorded:
    """A walk through a chain made beforehand, with the first coordinates as hypotheses."""

    def __init__(self, draws: Floats) -> None:
        self.draws, self.at, self.strides = draws, 0, [0]

    def __call__(self, steps: int) -> Floats:
        if steps != self.strides[-1]:
            self.strides.append(steps)
        self.at = (self.at + steps) % self.draws.shape[1]
        return np.asarray(self.draws[:, self.at])


@pytest.fixture
def without_hopsy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampler, "find_spec", lambda name: None)


def test_long_chains_are_worth_what_theory_says() -> None:
    draws = autoregression(0.8, chains=64, length=400)
    # Twenty estimates, each with a relative standard deviation of about 4%.
    np.testing.assert_allclose(effective_at_most(draws), draws[..., 0].size / 9, rtol=0.25)


def test_short_chains_are_not_overrated() -> None:
    draws = autoregression(0.999, chains=256, length=64)
    truth = draws[..., 0].size * (1 - 0.999) / (1 + 0.999)
    assert effective_sample_size(draws).min() > 10 * truth
    # 256 chains estimate the squared difference to about 9%; 35% is four times that.
    np.testing.assert_allclose(effective_at_most(draws), truth, rtol=0.35)


def test_chains_that_never_move_are_worth_nothing() -> None:
    assert not effective_at_most(np.ones((4, 50, 3))).any()
    stuck = np.repeat(np.arange(4.0)[:, None, None], 50, axis=1)
    assert not effective_at_most(stuck).any()


def test_records_are_spaced_until_they_are_worth_something() -> None:
    walk = Recorded(autoregression(0.995, chains=64, length=4_500, functions=21))
    found = rate(walk, np.eye(21), records=50, seconds=60.0)
    # Time 399: a record is worth a tenth of a draw at a stride of 40, so 16 is not enough.
    assert walk.strides[1:] == [1, 4, 16, 64]
    assert found.random >= found.hard > 0


def test_time_that_is_up_ends_a_measurement() -> None:
    walk = Recorded(autoregression(0.995, chains=8, length=2_000, functions=30))
    rate(walk, np.eye(30), records=50, seconds=0.0)
    assert walk.strides[1:] == [1]


def test_functionals_are_random_ones_then_walls_then_the_axis() -> None:
    walls = random_cone(5, 30)
    judged = functionals(walls, np.arange(5.0))
    assert judged.shape == (5, RANDOM + 20 + 1)
    np.testing.assert_array_equal(judged[:, RANDOM], walls[0])
    np.testing.assert_array_equal(judged[:, -2], walls[-1])
    np.testing.assert_array_equal(judged[:, -1], np.arange(5.0))


def test_one_core_gives_the_threads_back() -> None:
    before = numba.get_num_threads()
    with one_core():
        assert numba.get_num_threads() == 1
    assert numba.get_num_threads() == before


def test_random_cones_contain_their_target() -> None:
    rows, labels = sphere_pool(6, 40, seed=4)
    walls = random_cone(6, 40, seed=4)
    np.testing.assert_allclose(np.linalg.norm(walls, axis=1), 1.0)
    np.testing.assert_array_equal(walls, rows * labels[:, None])


def test_greedy_answers_are_different_and_halve_what_is_left() -> None:
    rows, labels = sphere_pool(4, 300)
    walls = greedy_cone(rows, labels, 12, hypotheses=256)
    assert len(np.unique(walls, axis=0)) == 12
    # Twelve even splits would leave 2^-12 of the ball.
    space = sampler.VersionSpace(4)
    space.add(walls, np.ones(12))
    assert space.log_volume() < 9 * np.log(0.5)


def test_mnist_has_the_published_counts(data_folder: Path) -> None:
    rows, labels = cones.mnist_pool()
    assert rows.shape[0] == 12_107
    assert (labels > 0).sum() == 6_265
    np.testing.assert_allclose(rows[:, :-1].mean(axis=0), 0.0, atol=1e-12)


def test_digits_are_centred_with_a_bias() -> None:
    rows, labels = cones.digits_pool()
    assert len(rows) == 357
    assert (rows[:, -1] == 1).all()
    assert set(labels) == {-1.0, 1.0}


@pytest.mark.parametrize("index", [0, 1, 7, 20])
def test_lengths_have_an_index(index: int) -> None:
    assert sampler._index(sampler._length(index)) == index


@pytest.mark.usefixtures("without_hopsy")
def test_reflection_is_faster_than_hit_and_run() -> None:
    result = sampler.compare(Case("small", lambda: random_cone(8, 20)), TINY)
    assert result.shape == (20, 8)
    assert result.hopsy is None
    # The ratio is near 70; a tenth of that is far below anything that a busy machine does.
    assert result.over_hit_and_run > 7
    assert 1.0 <= result.behind.random < 4.0
    assert sampler._length(sampler._index(result.length)) == pytest.approx(result.length)


def test_ratios_decide_whether_a_cone_is_met() -> None:
    def result(hopsy: float, behind: float) -> sampler.Result:
        case = Case("any", lambda: np.eye(2), over_hit_and_run=10, over_hopsy=2)
        rates = (Rate(100.0, 90.0), Rate(10.0, 1.0), Rate(hopsy, 1.0))
        return sampler.Result(case, (2, 2), *rates, "walk", 1.0, 1.0, Rate(behind, 9.0))

    assert result(hopsy=50.0, behind=1.5).met
    assert not result(hopsy=51.0, behind=1.5).met
    assert not result(hopsy=50.0, behind=1.6).met


def test_hopsy_stays_within_the_walls() -> None:
    pytest.importorskip("hopsy", reason="an optional part of the benchmark: aluma[bench]")
    walls = random_cone(5, 12)
    with one_core():
        chains = sampler.Reflection(walls)
        for name, start in sampler.hopsy_walks(walls, chains.walk(1)):
            points = start()(20)
            assert points.shape == (sampler.HOPSY_CHAINS, 5), name
            assert (points @ walls.T > -1e-9).all(), name


@pytest.mark.skipif(numba.get_num_threads() < 2, reason="needs two cores")
def test_two_threads_are_measured() -> None:
    before = numba.get_num_threads()
    assert min(sampler.two_threads(5, 12, 512)) > 0
    assert numba.get_num_threads() == before


def test_answers_are_measured() -> None:
    cost = sampler.absorb(5, 12, 256, timed=3)
    assert cost.longest >= cost.typical > 0
    assert cost.stated == 8 * (256 * (5 + 12) + 12 * 5 + 5 * 5 + 12 * 5 + 12 * 12)
    assert cost.peak >= cost.stated
    assert "fits of LinearSVC" in cost.told()


@pytest.mark.usefixtures("without_hopsy")
def test_a_run_prints_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> Floats:
        raise MissingData("it is not here")

    few = [Case("small cone", lambda: random_cone(5, 12), 1.0), Case("no cone", gone)]
    monkeypatch.setattr(sampler, "cases", lambda quick: few)
    monkeypatch.setattr(sampler, "QUICK", TINY)
    console = Console(file=io.StringIO(), width=400)
    assert isinstance(sampler.run(console, quick=True), bool)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "no cone is left out: it is not here" in shown
    assert "small cone" in shown
    assert "hopsy is not installed: pip install 'aluma[bench]'" in shown
    assert "Two threads draw 4,096 hypotheses" in shown or "One thread only" in shown
    assert "MiB of its chains and its cone" in shown
