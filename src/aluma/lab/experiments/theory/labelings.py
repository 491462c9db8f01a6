"""All labelings of small pools by halfspaces, with their exact probabilities."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from aluma.arrays import Bools, Floats


@dataclass(frozen=True)
class Labelings:
    """A finite class of hypotheses on a pool.

    Attributes
    ----------
    signs : (n, m) True where a labeling is positive; rows are different
    probability : (n,) share of the hypotheses with that labeling, P(h)
    """

    signs: Bools
    probability: Floats


def of_thresholds(points: Floats) -> Labelings:
    """Return the labelings of ascending points in (0, 1) by a uniform threshold."""
    m = len(points)
    signs = np.arange(m)[None, :] >= np.arange(m + 1)[:, None]
    return Labelings(signs, np.diff(np.concatenate([[0.0], points, [1.0]])))


def of_plane(X: Floats) -> Labelings:
    """Return the labelings by homogeneous halfspaces in the plane, which are arcs of directions."""
    angles = np.arctan2(X[:, 1], X[:, 0])
    # The label of x changes where a direction is at a right angle to it.
    walls = np.sort(np.concatenate([angles + np.pi / 2, angles - np.pi / 2]) % (2 * np.pi))
    arcs = np.diff(np.append(walls, walls[0] + 2 * np.pi))
    kept = arcs > 1e-14
    middles = (walls + arcs / 2)[kept]
    signs = np.stack([np.cos(middles), np.sin(middles)], axis=1) @ X.T >= 0
    return Labelings(signs, arcs[kept] / (2 * np.pi))


def of_space(X: Floats) -> Labelings:
    """Return the labelings by homogeneous halfspaces in three dimensions, in general position.

    Walls are great circles; two of them cross at ``+-(x_i x x_j)``, where four cells meet. A cell
    is a spherical polygon, and the fan of triangles from its first corner adds up to its area.
    """
    corners: dict[bytes, list[Floats]] = defaultdict(list)
    for i, j in combinations(range(len(X)), 2):
        crossing = np.cross(X[i], X[j])
        for corner in (crossing, -crossing):
            signs = X @ corner >= 0
            for at_i, at_j in product((True, False), repeat=2):
                signs[[i, j]] = at_i, at_j
                corners[signs.tobytes()].append(corner / np.linalg.norm(corner))
    cells = np.array([np.frombuffer(name, dtype=bool) for name in corners])
    areas = np.array([_polygon(np.array(found)) for found in corners.values()])
    return Labelings(cells, areas / areas.sum())


def of_octahedron(dimension: int) -> Labelings:
    """Return the class of Example "octahedron", all w in {-1, +1}^d, on its vertices and faces."""
    w = np.array(list(product((-1.0, 1.0), repeat=dimension)))
    X = np.vstack([np.eye(dimension), w / dimension])
    return Labelings(np.round(dimension * (w @ X.T - 1) + 1) >= 0, np.full(len(w), 1 / len(w)))


def of_circle(points: int) -> Labelings:
    """Return what Dasgupta's circle cannot tell apart: all negative, or all but one."""
    signs = np.vstack([np.zeros((1, points), dtype=bool), np.eye(points, dtype=bool)])
    return Labelings(signs, np.full(points + 1, 1 / (points + 1)))


def _polygon(corners: Floats) -> float:
    """Return the area of a convex spherical polygon, its corners in any order."""
    middle = corners.mean(axis=0)
    middle /= np.linalg.norm(middle)
    first = corners[0] - (corners[0] @ middle) * middle
    first /= np.linalg.norm(first)
    second = np.cross(middle, first)
    around = corners[np.argsort(np.arctan2(corners @ second, corners @ first))]
    a, b, c = middle, around, np.roll(around, -1, axis=0)
    # Van Oosterom and Strackee's formula for a triangle, from the middle.
    volume = np.abs(np.cross(b, c) @ a)
    denominator = 1 + b @ a + c @ a + np.einsum("ij,ij->i", b, c)
    return float(2 * np.arctan2(volume, denominator).sum())
