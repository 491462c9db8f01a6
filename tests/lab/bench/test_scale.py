"""What the benchmark of large pools says of draws and of the time that a cluster takes."""

import numpy as np

from aluma.lab.bench.scale import _cpu_seconds, _worth
from aluma.sampling.blocks import BLOCK
from aluma.sampling.draw import MOST_BLOCKS
from evidence import generator

TOGETHER = MOST_BLOCKS * BLOCK


def test_independent_draws_are_worth_one_each_and_slow_ones_less() -> None:
    rng = generator(1)
    judged = rng.standard_normal((5, 6))
    independent = rng.standard_normal((8 * TOGETHER, 5))
    assert _worth(independent, judged).min() > 0.85
    slow = np.repeat(independent[: 4 * TOGETHER].reshape(4, TOGETHER, 5), 2, axis=0)
    assert _worth(slow.reshape(-1, 5), judged).max() < 0.7


def test_motion_to_the_other_side_is_seen_in_squares_only() -> None:
    rng = generator(2)
    judged = rng.standard_normal((5, 6))
    there = rng.standard_normal((TOGETHER, 5))
    back_and_forth = np.concatenate([there, -there] * 4)
    linear, squares = _worth(back_and_forth, judged)
    assert linear.min() > 0.85
    assert squares.max() < 0.5


def test_cpu_seconds_of_a_cluster_are_those_of_its_workers_too() -> None:
    class Client:
        def run(self, work: object) -> dict[str, float]:
            del work
            return {"one": 3.0, "other": 4.0}

    class Store:
        client = Client()

    own = _cpu_seconds(object())
    assert 7.0 <= _cpu_seconds(Store()) - own < 8.0
