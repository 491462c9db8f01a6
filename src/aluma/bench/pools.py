"""The pools that learners are compared on: the octahedron, two circles, and MNIST."""

from __future__ import annotations

from itertools import product

import numpy as np
from sklearn.decomposition import PCA

from aluma import datasets
from aluma.arrays import Bools, Floats, Ints


def octahedron(d: int) -> Floats:
    """Return vertices and face centres of an octahedron with a bias: Example "octahedron".

    The 2^d centres ``z / d`` of the faces and, as in the paper's experiment, all 2 d vertices.
    """
    centres = np.array(list(product((-1.0, 1.0), repeat=d))) / d
    points = np.vstack([np.eye(d), -np.eye(d), centres])
    return np.hstack([points, np.ones((len(points), 1))])


def octahedron_target(d: int, seed: int) -> Floats:
    """Return a random hypothesis of the example, ``x -> sign(<x, w> - 1 + 1 / d)``."""
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=d)
    return np.append(signs, 1.0 / d - 1.0)


def two_circles(points: int) -> Floats:
    """Return the top circle, then the bottom one, of Theorem "twocircles"; epsilon is 1 / points.

    The proof wants half the number of points on a circle to be odd.
    """
    if points % 4 != 2:
        raise ValueError(f"half of {points} points on a circle must be odd: use 14, 30, 62, ...")
    angles = 2 * np.pi * np.arange(points) / points
    bottom = np.c_[np.cos(angles), np.sin(angles), np.zeros(points)]
    return np.vstack([(bottom + np.array([0.0, 0.0, 1.0])) / np.sqrt(2), bottom])


def two_circles_order(points: int, size: int, rng: np.random.Generator) -> Ints:
    """Return an i.i.d. sample of the proof's distribution, as positions in :func:`two_circles`.

    The bottom circle has the probability tau = epsilon / (4 ln(4 / epsilon)).
    """
    tau = 1 / (4 * points * np.log(4 * points))
    bottom = rng.uniform(size=size) < tau
    return np.asarray(rng.integers(points, size=size) + points * bottom)


def mnist_pair(negative: int, positive: int, part: str = "train") -> tuple[Floats, Bools]:
    """Return MNIST's images of two digits, pixels between 0 and 1, and which are the second."""
    data = datasets.mnist(negative, positive)
    X, y = (data.X, data.y) if part == "train" else (data.X_test, data.y_test)
    return X, np.asarray(y) > 0


def principal(train: Floats, test: Floats, components: int) -> tuple[Floats, Floats]:
    """Return principal components of the training rows, and the test rows in the same basis."""
    basis = PCA(components, svd_solver="covariance_eigh").fit(train)
    return np.asarray(basis.transform(train)), np.asarray(basis.transform(test))
