"""The cones that samplers are measured on: random ones, and what greedy learners are left with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits

from aluma.arrays import Floats
from aluma.lab import datasets
from aluma.sampling.population import Population


@dataclass(frozen=True)
class Case:
    """A cone to measure on.

    Attributes
    ----------
    name : what the tables call it
    walls : returns its unit normals, (t, d); raises :class:`aluma.errors.MissingData` where its
        data are not there
    over_hit_and_run, over_hopsy : how many times as fast as them reflection has to be
    """

    name: str
    walls: Callable[[], Floats]
    over_hit_and_run: float = 30.0
    over_hopsy: float = 1.0


def cases(quick: bool = False) -> list[Case]:
    """Return the cones of the benchmark, or the two that take seconds."""
    small = [
        Case("random 30x10", lambda: random_cone(10, 30)),
        Case("sphere, greedy", lambda: greedy_cone(*sphere_pool(10, 1000), 60)),
    ]
    if quick:
        return small
    return [
        small[0],
        Case("random 200x100", lambda: random_cone(100, 200), 800, 80),
        Case("random 300x784", lambda: random_cone(784, 300), 2000, 500),
        small[1],
        Case("digits 3 vs 8", lambda: greedy_cone(*digits_pool(), 60)),
        # A quarter of the hypotheses: scoring this pool takes longer than moving them.
        Case("MNIST 4 vs 7", lambda: greedy_cone(*mnist_pool(), 300, hypotheses=256)),
    ]


def random_cone(dimension: int, walls: int, seed: int = 0) -> Floats:
    """Return random unit rows, signed by a random target."""
    rows, labels = sphere_pool(dimension, walls, seed)
    return np.asarray(rows * labels[:, None])


def sphere_pool(dimension: int, size: int, seed: int = 0) -> tuple[Floats, Floats]:
    """Return a pool of uniform directions and their labels by a random target."""
    data = datasets.sphere(dimension, size, seed)
    return data.X, data.y.astype(np.float64)


def digits_pool() -> tuple[Floats, Floats]:
    """Return scikit-learn's digits 3 (-1) and 8 (+1), centred, with a bias."""
    images, digits = load_digits(return_X_y=True)
    return _two_classes(images, digits, 3, 8)


def mnist_pool() -> tuple[Floats, Floats]:
    """Return MNIST's training digits 4 (-1) and 7 (+1), centred, with a bias."""
    data = datasets.mnist(4, 7)
    return _two_classes(data.X, data.y, -1, 1)


def greedy_cone(rows: Floats, labels: Floats, answers: int, hypotheses: int = 1000) -> Floats:
    """Return the walls after a number of answers, each about the example that splits most evenly.

    The greedy rule of Section 3 of the paper, with votes of a :class:`Population` for volumes.
    """
    units = _unit(rows)
    pool = units.astype(np.float32)
    population = Population(rows.shape[1], hypotheses, seed=0)
    open_ = np.ones(len(rows), dtype=bool)
    for _ in range(answers):
        votes = (pool @ population.voters().T >= 0).mean(axis=1)
        asked = int(np.where(open_, np.abs(votes - 0.5), np.inf).argmin())
        open_[asked] = False
        population.add(labels[asked] * units[asked])
    return population.cone.walls


def _two_classes(
    rows: npt.NDArray[Any], classes: npt.NDArray[Any], negative: int, positive: int
) -> tuple[Floats, Floats]:
    """Keep two classes; centre what varies, scale it to the unit ball and add a bias."""
    kept = np.isin(classes, (negative, positive))
    chosen = rows[kept].astype(np.float64)
    varying = chosen[:, np.ptp(chosen, axis=0) > 0]
    centred = varying - varying.mean(axis=0)
    scaled = centred / np.linalg.norm(centred, axis=1).max()
    labels = np.where(classes[kept] == positive, 1.0, -1.0)
    return np.hstack([scaled, np.ones((len(scaled), 1))]), labels


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))
