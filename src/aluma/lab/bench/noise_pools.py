"""The pools that noise and kernels are measured on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.datasets import make_circles, make_moons
from sklearn.decomposition import PCA

from aluma.arrays import Floats
from aluma.lab import datasets
from aluma.lab.bench.cones import sphere_pool
from aluma.lab.experiments.problems import web_pages
from aluma.lab.problem import Problem

#: What a draw is for, beside the seed: each purpose has a stream of its own.
MAKING_MISTAKES = 1


@dataclass(frozen=True)
class KnownPool:
    """A pool with labels -1 and +1, a direction ``w`` and its loss ``slack`` at ``margin``."""

    X: Floats
    y: Floats
    w: Floats
    margin: float
    slack: float


def known_pool(m: int, d: int, *, margin: float, pairs: int, seed: int) -> KnownPool:
    """Return unit examples with a margin, and pairs of equal examples with both labels.

    The pairs are orthogonal to w, so each costs ``2 margin^2``, and no halfspace has less loss than
    w by more than it gains on them.
    """
    rng = np.random.default_rng(seed)
    w = _units(rng.standard_normal((1, d)))[0]
    across = rng.standard_normal((m, d))
    across = _units(across - np.outer(across @ w, w))
    height = rng.uniform(margin, 1.0, m)
    y = rng.choice([-1.0, 1.0], m)
    height[: 2 * pairs] = 0.0
    across[pairs : 2 * pairs] = across[:pairs]
    y[: 2 * pairs] = np.repeat([-1.0, 1.0], pairs)
    X = (y * height)[:, None] * w + np.sqrt(1 - height**2)[:, None] * across
    losses = np.maximum(0.0, margin - y * (X @ w))
    return KnownPool(X, y, w, margin, float((losses**2).sum()))


def shapes(m: int, seed: int) -> dict[str, tuple[Floats, Floats]]:
    """Return three pools in the plane that no line divides."""
    rng = np.random.default_rng(seed)
    square = rng.uniform(-1, 1, (m, 2))
    moons, moon = make_moons(m, noise=0.1, random_state=seed)
    circles, circle = make_circles(m, noise=0.05, random_state=seed)
    return {
        "XOR": (square, np.sign(square[:, 0] * square[:, 1])),
        "two moons": (moons, 2.0 * moon - 1),
        "circles": (circles, 2.0 * circle - 1),
    }


def noisy_sphere(share: float, seed: int, m: int = 2000, d: int = 25) -> Problem:
    """Return uniform directions, a teacher who is wrong that often, and as many to test on."""
    X, y = sphere_pool(d, 2 * m, seed)
    positive = y > 0
    wrong = np.random.default_rng((seed, MAKING_MISTAKES)).random(m) < share
    said = positive[:m] ^ wrong
    return Problem(X[:m], positive[:m], X[m:], positive[m:], said=said if wrong.any() else None)


def mnist(negative: int, positive: int, components: int = 25) -> Problem:
    """Return two digits of MNIST after PCA, as in the paper's experiment on non-separable data."""
    data = datasets.mnist(negative, positive)
    pca = PCA(components, svd_solver="full").fit(data.X)
    X, X_test = pca.transform(data.X), pca.transform(data.X_test)
    return Problem(X, data.y > 0, X_test, np.asarray(data.y_test) > 0, bias=True)


def w1a() -> Problem:
    """Return w1a as the experiments have it: its bias is a column, because some rows are empty."""
    return web_pages("all", seed=0)


def _units(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))
