"""The problems of the experiments: pools ready for learners, prepared as each of them asks."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse

from aluma.arrays import Floats
from aluma.lab import datasets
from aluma.lab.datasets import Dataset
from aluma.lab.problem import Problem

#: Purposes of draws that share a seed: each has a stream of its own.
PROJECTING, ODD_POINT, CHOOSING_PART, SAMPLING = 300, 3, 7, 11


def mnist_pair(digits: tuple[int, int], size: int | str, seed: int) -> Problem:
    """Return two digits, centred, in the unit ball, with a bias; "all" of them, or ``size``."""
    data = _some(_read(datasets.mnist, *digits), size, seed)
    return _centred(data)


def mnist_components(
    digits: tuple[int, int], size: int | str, seed: int, components: int = 25
) -> Problem:
    """Return two digits by their first principal components, which do not separate them."""
    from sklearn.decomposition import PCA

    data = _some(_read(datasets.mnist, *digits), size, seed)
    pca = PCA(components, svd_solver="covariance_eigh").fit(data.X)
    return _problem(data, *_in_unit_ball(pca.transform(data.X), pca.transform(data.X_test)))


def pcmac_projected(size: int, seed: int, dimension: int = 300) -> Problem:
    """Return PCMAC, projected by random signs, ``size`` posts to learn from and the rest to test.

    The Johnson-Lindenstrauss projection of Section 6.2; dividing by the square root of the
    dimension keeps lengths, which the paper's raw signs do not.
    """
    data = _read(datasets.pcmac)
    rng = np.random.default_rng((seed, PROJECTING))
    flips = rng.integers(0, 2, (data.X.shape[1], dimension)) * 2.0 - 1.0
    X = np.asarray(data.X @ flips) / np.sqrt(dimension)
    shuffled = rng.permutation(len(data))
    pool, rest = np.sort(shuffled[:size]), np.sort(shuffled[size:])
    positive = data.y > 0
    return Problem(X[pool], positive[pool], X[rest], positive[rest])


def uniform(dimension: int, size: int, seed: int, test: int = 5000) -> Problem:
    """Return uniform directions with a random target, and more of them to test on."""
    data = datasets.sphere(dimension, size, seed, test=test)
    return _problem(data, data.X, data.X_test)


def web_pages(size: int | str, seed: int) -> Problem:
    """Return W1A with a bias: one example in twelve has no feature at all.

    The bias is a column, so that learners which add none of their own can decide about those too.
    """
    data = _some(_read(datasets.w1a), size, seed)
    return _problem(data, _with_ones(data.X), _with_ones(data.X_test))


def octahedron(dimension: int, seed: int) -> Problem:
    """Return the octahedron with a random target; its bias is a coordinate already."""
    data = datasets.octahedron(dimension, seed)
    return _problem(data, data.X, None)


def octahedron_15(faces: str, seed: int) -> Problem:
    """Return the octahedron in 15 dimensions with "all" of its face centres, or so many of them.

    The positive one is among those; with "-without" behind the number it is not.
    """
    if faces == "all":
        return octahedron(15, seed)
    number, _, rest = faces.partition("-")
    data = datasets.octahedron(15, seed, faces=int(number), positive_face=rest != "without")
    return _problem(data, data.X, None)


def two_circles(points: int, seed: int) -> Problem:
    """Return both circles, the top one all positive, met in the order of an i.i.d. sample.

    Only the top circle counts: the bottom one has a probability below epsilon / 4.
    """
    data = datasets.two_circles(points, seed=seed)
    order = datasets.two_circles_order(points, seed)
    return Problem(data.X, data.y > 0, order=order, judged=np.arange(points))


def sampled_circles(points: int, draws: int, seed: int) -> Problem:
    """Return what an i.i.d. sample of D_epsilon holds of both circles, the top one all positive.

    It is met in the order of the sample. Only points of the top circle count, those in the pool.
    """
    data, rng = datasets.two_circles(points, seed=seed), np.random.default_rng((seed, SAMPLING))
    tau = datasets.bottom_share(points)
    drawn = rng.integers(points, size=draws) + points * (rng.uniform(size=draws) < tau)
    met, first = np.unique(drawn, return_index=True)
    order = np.argsort(first)
    judged = np.flatnonzero(met < points)
    return Problem(data.X[met], data.y[met] > 0, order=order, judged=judged)


def to_determine(value: str, seed: int) -> Problem:
    """Return a pool that a halfspace separates: "octahedron-d", "sphere-d" or "digits"."""
    kind, _, size = value.partition("-")
    if kind == "octahedron":
        return octahedron(int(size), seed)
    if kind == "sphere":
        return uniform(int(size), 300, seed, test=0)
    problem = mnist_components((4, 7), 500, seed)
    # Labels by a halfspace, so that everybody can be right.
    from sklearn.svm import LinearSVC

    X = np.asarray(problem.X, dtype=np.float64)
    machine = LinearSVC(dual=False, fit_intercept=False).fit(X, problem.positive)
    return Problem(X, machine.decision_function(X) > 0)


def top_circle(points: int, seed: int) -> Problem:
    """Return Dasgupta's circle with one odd point: nothing helps to find it."""
    odd = int(np.random.default_rng((seed, ODD_POINT)).integers(points))
    data = datasets.circle(points, odd)
    return _problem(data, data.X, None)


def lower_bound(size: int, seed: int) -> Problem:
    """Return the pool on which greedy asks about everything."""
    data = datasets.lower_bound(size)
    return _problem(data, data.X, None)


@lru_cache(maxsize=1)
def _read(reader: Callable[..., Dataset], *which: Any) -> Dataset:
    """Return a data set, the last one without reading it again: the next run is often about it."""
    return reader(*which)


def _problem(data: Dataset, X: Any, X_test: Any) -> Problem:
    test = None if data.y_test is None else data.y_test > 0
    return Problem(X, data.y > 0, X_test, test)


def _with_ones(rows: Any) -> Any:
    ones = sparse.csr_matrix(np.ones((rows.shape[0], 1)))
    return sparse.hstack([sparse.csr_matrix(rows), ones], format="csr")


def _centred(data: Dataset) -> Problem:
    """Centre a pool, scale it into the unit ball, and ask for a bias of 1, as its longest row."""
    mean = data.X.mean(axis=0)
    X, X_test = _in_unit_ball(data.X - mean, data.X_test - mean)
    test = None if data.y_test is None else data.y_test > 0
    return Problem(X, data.y > 0, X_test, test, bias=1.0)


def _in_unit_ball(X: Floats, X_test: Floats) -> tuple[Any, Any]:
    """Divide by the largest length in the pool; float32, which halves what workers hold."""
    longest = np.linalg.norm(X, axis=1).max()
    return (X / longest).astype(np.float32), (X_test / longest).astype(np.float32)


def _some(data: Dataset, size: int | str, seed: int) -> Dataset:
    """Keep a random part of a pool, and no more than five times as many to test on."""
    if isinstance(size, str) or size >= len(data):
        return data
    rng = np.random.default_rng((seed, CHOOSING_PART))
    kept = np.sort(rng.permutation(len(data))[:size])
    X, y = data.X[kept], data.y[kept]
    if data.y_test is None:
        return Dataset(data.name, X, y, data.classes)
    test = np.sort(rng.permutation(len(data.y_test))[: 5 * size])
    return Dataset(data.name, X, y, data.classes, data.X_test[test], data.y_test[test])
