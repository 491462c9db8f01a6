"""Pools that are made, not found: the paper's examples of what active learning can do."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from aluma.arrays import Floats, positive_integer
from aluma.lab.datasets.dataset import Dataset, signs

#: Directions that a packing is chosen from.
PACKING_DRAWS = 20_000


def sphere(dimension: int, size: int, seed: int = 0, test: int = 0) -> Dataset:
    """Return uniform directions, labelled by a random halfspace (Section 6.2, "uniform").

    Parameters
    ----------
    dimension, size : shape of the pool
    seed : determines the pool, its labels and the test set
    test : number of further directions to test on
    """
    rng = np.random.default_rng(seed)
    X = _units(rng.standard_normal((positive_integer(size, "size"), dimension)))
    target = _units(rng.standard_normal((1, dimension)))[0]
    X_test = _units(rng.standard_normal((test, dimension))) if test else None
    return Dataset(
        f"uniform, d = {dimension}",
        X,
        signs(X @ target),
        X_test=X_test,
        y_test=None if X_test is None else signs(X_test @ target),
        target=target,
    )


def octahedron(
    dimension: int,
    seed: int = 0,
    *,
    negative_vertices: bool = True,
    faces: int | None = None,
    positive_face: bool | None = None,
) -> Dataset:
    """Return Example "octahedron": vertices and face centres, with a coordinate for the bias.

    The target is ``sgn(<x, w> - 1 + 1/d)`` for a random ``w`` in {-1, +1}^d: it is positive on the
    vertices that agree with w and on one of the 2^d face centres.

    Parameters
    ----------
    dimension : d, at least 2; examples have d + 1 coordinates, the last of them 1
    seed : determines w
    negative_vertices : whether -e_i are in the pool too, as in the experiment (not in the theorem)
    faces : how many face centres, drawn at random with the seed; by default all of them
    positive_face : whether the one that is positive is among them; by default as it is drawn
    """
    if not 2 <= dimension <= 20:
        raise ValueError(f"the octahedron has 2^d faces: choose d from 2 to 20, not {dimension}.")
    vertices = np.eye(dimension)
    centres = np.array(list(product((-1.0, 1.0), repeat=dimension))) / dimension
    rng = np.random.default_rng(seed)
    w = rng.choice((-1.0, 1.0), dimension)
    if faces is not None:
        drawn = rng.permutation(len(centres))
        if positive_face is not None:
            others = drawn[(centres[drawn] != w / dimension).any(axis=1)]
            own = np.setdiff1d(drawn, others)
            drawn = np.append(own, others) if positive_face else others
        centres = centres[np.sort(drawn[: positive_integer(faces, "faces")])]
    shapes = [vertices, -vertices, centres] if negative_vertices else [vertices, centres]
    X = np.vstack(shapes)
    target = np.append(w, 1.0 / dimension - 1.0)
    X = np.hstack([X, np.ones((len(X), 1))])
    # Margins are multiples of 1/d: rounding away what is below half of that makes them exact.
    margins = np.round(X @ target * dimension)
    return Dataset(f"octahedron, d = {dimension}", X, signs(margins), target=target)


def two_circles(points: int, *, one_sided: bool = True, seed: int = 0) -> Dataset:
    """Return Example "two circles", adapted by the paper from Dasgupta: the support of D_epsilon.

    First the ``points`` of the top circle, then those of the bottom circle at the same angles.
    Every halfspace labels half of the bottom circle positively, but any arc of the top circle.

    Parameters
    ----------
    points : 1 / epsilon, on each circle; half of it must be odd (proof of Theorem 20)
    one_sided : whether the target labels the whole top circle positively, the case that makes CAL
        ask about all of it; otherwise the target is uniform
    seed : determines the target
    """
    if points < 6 or points % 4 != 2:
        raise ValueError(f"points must be twice an odd number, 6 or more, got {points}.")
    angles = 2 * np.pi * np.arange(points) / points
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    top = np.hstack([circle, np.ones((points, 1))]) / np.sqrt(2.0)
    bottom = np.hstack([circle, np.zeros((points, 1))])
    X = np.vstack([top, bottom])
    rng = np.random.default_rng(seed)
    if one_sided:
        turn = rng.uniform(0, 2 * np.pi)
        # The tilt is smaller than the height, so that no point of the top circle falls below.
        target = np.array([np.cos(turn) / 2, np.sin(turn) / 2, 1.0])
    else:
        target = rng.standard_normal(3)
    return Dataset(f"two circles, {points} points each", X, signs(X @ target), target=target)


def two_circles_order(points: int, seed: int = 0) -> npt.NDArray[np.int64]:
    """Return the order in which an i.i.d. sample of D_epsilon first meets the points.

    The top circle has probability 1 - tau, ``tau = epsilon / (4 log(4 / epsilon))`` (proof of
    Theorem 20, two circles); within a circle the points are equally likely.
    """
    tau = bottom_share(points)
    rng = np.random.default_rng(seed)
    rates = np.repeat([1.0 - tau, tau], points)
    # First meetings of a Poisson stream: independent exponential times.
    return np.argsort(rng.exponential(size=2 * points) / rates, kind="stable").astype(np.int64)


def bottom_share(points: int) -> float:
    """Return tau, the probability of the bottom circle: epsilon / (4 log(4 / epsilon))."""
    epsilon = 1.0 / points
    return float(epsilon / (4 * np.log(4 / epsilon)))


def circle(points: int, odd: int | None = None) -> Dataset:
    """Return Dasgupta's circle: any single point can be cut off by a halfspace.

    The circle does not surround the origin. The labels are all negative, or all but one: to tell
    these cases apart, any learner has to ask about every point (Example "dasgupta").

    Parameters
    ----------
    points : at least 3
    odd : the point that is positive, or None
    """
    angles = 2 * np.pi * np.arange(positive_integer(points, "points")) / points
    X = np.stack([np.cos(angles), np.sin(angles), np.ones(points)], axis=1) / np.sqrt(2.0)
    if odd is None:
        target = np.array([0.0, 0.0, -1.0])
    else:
        # Between the cosine of the odd point (1) and that of its neighbours.
        level = (1.0 + np.cos(2 * np.pi / points)) / 2
        target = np.array([np.cos(angles[odd]), np.sin(angles[odd]), -level])
    return Dataset(f"circle, {points} points", X, signs(X @ target), target=target)


def packing(dimension: int, margin: float, seed: int = 0) -> Dataset:
    """Return Example 2 (margin is not enough): points that can each be cut off with a margin.

    Unit vectors with products of at most ``1 - 2 margin``, and a coordinate for the bias. The
    halfspace ``<x_i, x> >= 1 - margin`` holds x_i alone, with that margin. All labels are positive:
    to know that, any learner has to ask about every point.

    Parameters
    ----------
    dimension : of the sphere's space; examples have one coordinate more
    margin : gamma, above 0 and below 1/2
    seed : determines the points; in the plane they are evenly spaced, elsewhere drawn and kept if
        they are far enough from the others
    """
    if not 0 < margin < 0.5:
        raise ValueError(f"margin must be above 0 and below 1/2, got {margin}.")
    largest = 1 - 2 * margin
    if dimension == 2:
        count = int(2 * np.pi / np.arccos(largest))
        angles = 2 * np.pi * np.arange(count) / count
        points = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    else:
        rng = np.random.default_rng(seed)
        drawn = _units(rng.standard_normal((PACKING_DRAWS, dimension)))
        kept: list[int] = [0]
        for i in range(1, len(drawn)):
            if (drawn[kept] @ drawn[i]).max() <= largest:
                kept.append(i)
        points = drawn[kept]
    X = np.hstack([points, np.ones((len(points), 1))])
    target = np.append(np.zeros(dimension), 1.0)
    return Dataset(f"packing, margin {margin:g}", X, signs(X @ target), target=target)


def line(positions: npt.ArrayLike, threshold: float) -> Dataset:
    """Return thresholds on the line as halfspaces in the plane.

    The point at angle 0 comes first and is negative. Given its label, a direction drawn uniformly
    is a threshold drawn uniformly from [0, 1]: a point x, at angle pi x, is positive iff x is at
    least the threshold (Section "Results for greedy active learning").

    Parameters
    ----------
    positions : numbers strictly between 0 and 1
    threshold : in [0, 1]
    """
    x = np.asarray(positions, dtype=np.float64)
    if x.ndim != 1 or not ((x > 0) & (x < 1)).all():
        raise ValueError("positions must be a list of numbers strictly between 0 and 1.")
    angles = np.pi * np.concatenate([[0.0], x])
    X = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    turned = np.pi * (threshold + 0.5)
    return Dataset(
        f"line, {len(x)} points",
        X,
        np.concatenate([[-1], signs(x - threshold)]),
        target=np.array([np.cos(turned), np.sin(turned)]),
    )


def lower_bound(size: int, grid: int | None = None) -> Dataset:
    """Return the pool of Theorem 11 (lower bound): greedy asks about all of it, log(m) would do.

    Points at the angles 0 and pi / 2^i, moved to a grid; the target is negative on the first
    (angle 0) and positive on all others.

    Parameters
    ----------
    size : m, about ln(1 / gamma)
    grid : steps from 0 to 1 of the grid, by default about 8 e^m
    """
    m = positive_integer(size, "size")
    if not 2 <= m <= 32:
        raise ValueError(f"size must be from 2 to 32, where float64 ends, got {size}.")
    steps = int(np.ceil(8 * np.exp(m))) if grid is None else positive_integer(grid, "grid")
    angles = np.concatenate([[0.0], np.pi / 2.0 ** np.arange(1, m)])
    exact = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    # Towards 0, so that every point stays in the unit ball; the proof only needs it to be near.
    X = np.trunc(exact * steps) / steps
    # Halfway between angle 0 and the smallest other angle, turned by a right angle.
    between = angles[-1] / 2 + np.pi / 2
    y = np.where(np.arange(m) == 0, -1, 1).astype(np.int64)
    target = np.array([np.cos(between), np.sin(between)])
    return Dataset(f"lower bound, {m} points", X, y, target=target)


def _units(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))
