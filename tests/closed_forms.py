"""Cones whose share of the ball, or whose uniform law, is known without sampling.

And, for cones of which neither is, a sampler that shares nothing with those of the package.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from itertools import product as every
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag
from scipy.optimize import linprog
from scipy.special import gammaln, ndtr, ndtri
from scipy.stats import (
    beta,
    chi,
    chisquare,
    halfnorm,
    ks_2samp,
    kstest,
    multivariate_normal,
    norm,
)

from aluma import VersionSpace
from aluma.geometry.cone import Cone

Floats = NDArray[np.float64]


class Known(NamedTuple):
    """A cone ``{w : walls @ w > 0}`` and ln of its share of the ball."""

    walls: Floats
    log_volume: float


def space(walls: Floats) -> VersionSpace:
    result = VersionSpace(walls.shape[1])
    result.add(walls, np.ones(len(walls)))
    return result


def cone_of(walls: Floats) -> Cone:
    """Return the cone without asking whether it is feasible, which very thin ones do not pass."""
    return Cone.whole(walls.shape[1]).with_walls(units(walls))


def units(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True))


def gaussian_radius(hypotheses: Floats, rng: np.random.Generator) -> Floats:
    """Return hypotheses with the radius of a Gaussian: uniform in the ball becomes N(0, I)."""
    n, d = hypotheses.shape
    return np.asarray(units(hypotheses) * np.sqrt(rng.chisquare(d, n))[:, None])


# Cones of known volume.


def wedge(width: float, turned: float = 0.0) -> Known:
    """All angles between ``turned`` and ``turned + width``, in the plane."""
    walls = np.array([[0.0, 1.0], [np.sin(width), -np.cos(width)]])
    return Known(walls @ rotation(turned).T, float(np.log(width / (2 * np.pi))))


def rotation(angle: float) -> Floats:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def wedge_angle(points: Floats, turned: float = 0.0) -> Floats:
    """Return the angle of points of a wedge from its first edge."""
    x, y = (points @ rotation(turned)).T
    return np.asarray(np.arctan2(y, x))


def triangle(walls: Floats) -> Known:
    """Three halfspaces in space: 1/8 + sum(asin rho) / 4 pi (Sheppard)."""
    a, b, c = units(walls)
    angles = np.arcsin([a @ b, b @ c, c @ a])
    return Known(walls, float(np.log(1 / 8 + angles.sum() / (4 * np.pi))))


def orthogonal(d: int, t: int) -> Known:
    return Known(np.eye(t, d), -t * float(np.log(2)))


def weyl(d: int) -> Known:
    """All w with ascending coordinates: one of d! equal chambers."""
    return Known(np.diff(np.eye(d), axis=0), -float(gammaln(d + 1)))


def equicorrelated(d: int) -> Known:
    """Walls at 60 degrees: the first of d + 1 exchangeable normals is the least of them."""
    return Known(np.linalg.cholesky(np.full((d, d), 0.5) + np.eye(d) / 2), -float(np.log(d + 1)))


def gaussian_orthant(walls: Floats) -> Known:
    """Any cone: the probability that N(0, walls walls^T) is positive, by scipy's quadrature."""
    unit = units(walls)
    law = multivariate_normal(np.zeros(len(unit)), unit @ unit.T, allow_singular=True, seed=0)
    # Set afterwards: the oldest SciPy takes them here, but not as arguments.
    law.maxpts, law.abseps, law.releps = 10_000 * len(unit), 1e-9, 2e-3
    return Known(walls, float(np.log(law.cdf(np.zeros(len(unit))))))


def needle(m: int, width: float) -> Known:
    """The thin cone ``{w_1, ..., w_m > 0, w_1 + ... + w_m < width w_0}`` in m + 1 dimensions.

    The Gaussian density is flat across it, up to O(width^2), so its share is the mean over w_0 of
    the volume of a simplex, (width w_0)^m / m!, over (2 pi)^(m/2).
    """
    walls = np.vstack([np.eye(m, m + 1, 1), np.append(width, -np.ones(m))])
    simplex = m * np.log(width) - gammaln(m + 1) - m / 2 * np.log(2 * np.pi)
    moment = (m / 2 - 1) * np.log(2) + gammaln((m + 1) / 2) - np.log(np.pi) / 2
    return Known(walls, float(simplex + moment))


def product(*parts: Known) -> Known:
    """Independent cones side by side."""
    return Known(
        np.asarray(block_diag(*(part.walls for part in parts))),
        sum(part.log_volume for part in parts),
    )


def rotated(known: Known, rng: np.random.Generator, spare: int = 0) -> Known:
    """Turn a cone at random, in a space of ``spare`` more dimensions."""
    d = known.walls.shape[1] + spare
    turn, _ = np.linalg.qr(rng.standard_normal((d, d)))
    return Known(np.pad(known.walls, [(0, 0), (0, spare)]) @ turn, known.log_volume)


def random_walls(d: int, t: int, rng: np.random.Generator) -> Floats:
    """Random answers of a random halfspace."""
    target, rows = rng.standard_normal(d), rng.standard_normal((t, d))
    return np.asarray(units(rows) * np.sign(rows @ target)[:, None])


def narrow_walls(d: int, t: int, rng: np.random.Generator) -> Floats:
    """Answers that each pass nearer to one halfspace, as those of a greedy learner do."""
    target, rows = units(rng.standard_normal(d)), rng.standard_normal((t, d))
    apart = 2.0 ** -(np.arange(t)[:, None] / d) / np.sqrt(d)
    near = units(target + apart * rng.standard_normal((t, d)))
    rows -= (rows * near).sum(axis=1, keepdims=True) * near
    return np.asarray(units(rows) * np.sign(rows @ target)[:, None])


# Laws: exact draws of N(0, I) on a cone, and p-values that draws of it are such.


class Law(NamedTuple):
    """``draw(n, rng)`` is exact; ``fit(points, rng)`` are p-values for points that may not be."""

    walls: Floats
    draw: Callable[[int, np.random.Generator], Floats]
    fit: Callable[[Floats, np.random.Generator], list[float]]


def orthant_law(d: int) -> Law:
    """Coordinates are independent and half normal."""

    def fit(points: Floats, rng: np.random.Generator) -> list[float]:
        above = points > halfnorm.median()
        cells = np.bincount(above @ 2 ** np.arange(d), minlength=2**d)
        return [kstest(x, halfnorm.cdf).pvalue for x in points.T] + [chisquare(cells).pvalue]

    return Law(np.eye(d), lambda n, rng: np.abs(rng.standard_normal((n, d))), fit)


def weyl_law(d: int) -> Law:
    """Coordinates are the order statistics of d normals; their sum knows nothing of the walls."""

    def fit(points: Floats, rng: np.random.Generator) -> list[float]:
        each = [kstest(norm.cdf(points[:, i]), beta(i + 1, d - i).cdf).pvalue for i in range(d)]
        return [*each, kstest(points.sum(axis=1) / np.sqrt(d), norm.cdf).pvalue]

    return Law(weyl(d).walls, lambda n, rng: np.sort(rng.standard_normal((n, d)), axis=1), fit)


def wedge_law(width: float) -> Law:
    """Angle and radius are independent; the angle is uniform."""

    def draw(n: int, rng: np.random.Generator) -> Floats:
        angle, radius = rng.uniform(0, width, n), np.sqrt(rng.chisquare(2, n))
        return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)

    def fit(points: Floats, rng: np.random.Generator) -> list[float]:
        angle = wedge_angle(points) / width
        radius = np.linalg.norm(points, axis=1)
        cells = np.bincount((64 * angle).astype(int), minlength=64)
        return [
            kstest(angle, "uniform").pvalue,
            kstest(radius, chi(2).cdf).pvalue,
            chisquare(cells).pvalue,
        ]

    return Law(wedge(width).walls, draw, fit)


def simplex_law(d: int) -> Law:
    """The equicorrelated cone: differences to the least of d + 1 normals."""
    walls = equicorrelated(d).walls

    def draw(n: int, rng: np.random.Generator) -> Floats:
        u = rng.standard_normal((n, d + 1))
        others = u[np.arange(d + 1) != u.argmin(axis=1)[:, None]].reshape(n, d)
        z = (others - u.min(axis=1, keepdims=True)) / np.sqrt(2)
        return np.asarray(np.linalg.solve(walls, z.T).T)

    def fit(points: Floats, rng: np.random.Generator) -> list[float]:
        z, exact = points @ walls.T, draw(len(points), rng) @ walls.T
        each = [ks_2samp(z[:, i], exact[:, i]).pvalue for i in range(d)]
        return [*each, ks_2samp(z.min(axis=1), exact.min(axis=1)).pvalue]

    return Law(walls, draw, fit)


LAWS = {
    "orthant": orthant_law(5),
    "Weyl chamber": weyl_law(6),
    "wedge": wedge_law(0.2),
    "simplex": simplex_law(4),
}


# Cells of the sphere of known area.


class Cells(NamedTuple):
    """Cones that tile a cone, each given by its walls, and their shares of it."""

    walls: Sequence[Floats]
    shares: Floats

    def count(self, points: Floats) -> NDArray[np.int64]:
        inside = np.stack([(points @ cell.T >= 0).all(axis=1) for cell in self.walls])
        return np.bincount(inside.argmax(axis=0), minlength=len(self.walls))


def triangle_cells(walls: Floats, depth: int = 3) -> Cells:
    """Cut a spherical triangle at the midpoints of its sides, ``depth`` times: 4^depth cells."""
    a, b, c = walls
    corners = [units(np.array([np.cross(b, c), np.cross(c, a), np.cross(a, b)]))]
    corners[0] *= np.sign(np.linalg.det(walls))
    for _ in range(depth):
        corners = [small for large in corners for small in _quarters(large)]
    areas = np.array([solid_angle(*cell) for cell in corners])
    inward = [np.cross(cell[[1, 2, 0]], cell[[2, 0, 1]]) for cell in corners]
    signs = [np.sign(np.linalg.det(cell)) for cell in corners]
    return Cells(list(np.array(inward) * np.array(signs)[:, None, None]), areas / areas.sum())


def _quarters(corners: Floats) -> list[Floats]:
    a, b, c = corners
    ab, bc, ca = units(a + b), units(b + c), units(c + a)
    return [np.array(t) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]


def solid_angle(a: Floats, b: Floats, c: Floats) -> float:
    """Return the area of the spherical triangle with these corners (van Oosterom, Strackee)."""
    volume = abs(np.linalg.det(np.array([a, b, c])))
    return float(2 * np.arctan2(volume, 1 + a @ b + b @ c + c @ a))


def corners_of(walls: Floats) -> Floats:
    """Return the corners of the spherical polygon that walls in general position bound."""
    found = []
    for i, j in combinations(range(len(walls)), 2):
        others = np.delete(walls, (i, j), axis=0)
        along = np.cross(walls[i], walls[j])
        found += [corner for corner in (along, -along) if (others @ corner > 0).all()]
    return units(np.array(found)) if found else np.empty((0, 3))


def polygon_area(corners: Floats) -> float:
    """Return the area of the convex spherical polygon with these corners: Girard's theorem."""
    axis = units(corners.mean(axis=0))
    u = np.cross(axis, [0.3, -0.5, 0.8])
    v = np.cross(axis, u)
    ring = corners[np.argsort(np.arctan2(corners @ v, corners @ u))]
    angles = 0.0
    for before, here, after in zip(np.roll(ring, 1, 0), ring, np.roll(ring, -1, 0), strict=True):
        left, right = np.cross(here, before), np.cross(here, after)
        # From sine and cosine, because an arc cosine has no digits where angles are nearly flat.
        angles += np.arctan2(np.linalg.norm(np.cross(left, right)), left @ right)
    return float(angles - (len(ring) - 2) * np.pi)


def polygon(walls: Floats) -> Known:
    """Three or more halfspaces in space."""
    return Known(walls, float(np.log(polygon_area(corners_of(walls)) / (4 * np.pi))))


def polygon_cells(walls: Floats, cuts: Floats) -> Cells:
    """Cut a cone in space by planes through the origin."""
    cells = [np.vstack([walls, np.array(signs)[:, None] * cuts])
             for signs in every((1.0, -1.0), repeat=len(cuts))]  # fmt: skip
    cells = [cell for cell in cells if len(corners_of(cell))]
    areas = np.array([polygon_area(corners_of(cell)) for cell in cells])
    return Cells(cells, areas / polygon_area(corners_of(walls)))


def central_cuts(walls: Floats, n: int, rng: np.random.Generator) -> Floats:
    """Return planes in all directions that pass near the middle of a cone in space."""
    corners = corners_of(walls)
    axis, size = units(corners.mean(axis=0)), np.linalg.norm(corners - corners.mean(axis=0))
    normals = rng.standard_normal((n, 3))
    normals = units(normals - np.outer(normals @ axis, axis))
    return units(normals + 0.1 * size * rng.standard_normal((n, 1)) * axis)


# Samplers that share nothing with the kernels of the package.


def exact_gibbs(walls: Floats, sweeps: int, n: int, rng: np.random.Generator) -> Floats:
    """Draw z = walls @ w for w ~ N(0, I) on the cone of t <= d walls, one coordinate at a time.

    In z the cone is the positive orthant and the law N(0, walls walls^T): every conditional is a
    normal cut off at zero, drawn by inversion. Nothing is shared with the kernels of the package.
    """
    precision = np.linalg.inv(walls @ walls.T)
    z: Floats = np.ones((n, len(walls)))
    for _ in range(sweeps):
        for i in range(len(walls)):
            sd = precision[i, i] ** -0.5
            mean = z[:, i] - z @ precision[i] / precision[i, i]
            # Upper tails on both sides of the inversion keep digits where the mean is negative.
            share = norm.sf(-mean / sd) * rng.uniform(size=n)
            z[:, i] = mean + sd * norm.isf(share)
    return z


def middle(walls: Floats) -> Floats:
    """Return the point of the cube that is farthest from its nearest wall (a linear program)."""
    t, d = walls.shape
    found = linprog(
        np.append(np.zeros(d), -1.0), A_ub=np.hstack([-walls, np.ones((t, 1))]), b_ub=np.zeros(t),
        bounds=[(-1, 1)] * d + [(None, None)],
    )  # fmt: skip
    return np.asarray(found.x[:d])


def gaussian_walk(
    points: Floats, walls: Floats, shape: Floats, steps: int, rng: np.random.Generator
) -> Floats:
    """Walk through the cone along random lines, to N(0, I) on what is inside of each.

    ``shape @ z`` is a direction, for z ~ N(0, I): whatever it is, the law is left invariant.
    """
    for _ in range(steps):
        along = units(rng.standard_normal(points.shape) @ shape.T)
        margins, slopes = points @ walls.T, along @ walls.T
        with np.errstate(divide="ignore"):
            hits = -margins / slopes
        low = np.where(slopes > 0, hits, -np.inf).max(axis=1)
        high = np.where(slopes < 0, hits, np.inf).min(axis=1)
        centre = -(points * along).sum(axis=1)
        # Inversion in the lower tail, where a normal distribution function has its digits.
        side = np.where(low + high > 2 * centre, -1.0, 1.0)
        ends = np.sort(side * (np.array([low, high]) - centre), axis=0)
        below, above = ndtr(ends)
        moved = ndtri(below + (above - below) * rng.uniform(size=len(points)))
        points = points + (centre + side * moved)[:, None] * along
    return points


def slow_but_sure(walls: Floats, n: int, rng: np.random.Generator, steps: int = 300) -> Floats:
    """Draw n points of N(0, I) on a cone, each by a chain of its own, from its middle.

    A hundred steps are too few in 20 dimensions with 40 walls: 8,000 draws show it.

    Half of the steps are taken in rounds that fit the lines to what was found so far; the start is
    forgotten in the other half, along lines that no longer change.
    """
    points, shape = np.tile(middle(walls), (n, 1)), np.eye(walls.shape[1])
    for _ in range(5):
        points = gaussian_walk(points, walls, shape, steps // 10, rng)
        spread, axes = np.linalg.eigh(np.cov(points.T))
        shape = axes * np.sqrt(spread.clip(1e-6 * spread.max()))
    return gaussian_walk(points, walls, shape, steps, rng)
