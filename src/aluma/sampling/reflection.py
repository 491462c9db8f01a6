"""Exact reflected dynamics on a Gaussian restricted to a cone: the default kernel.

Uniform on cone-within-ball is, in directions, N(0, I) restricted to the cone. Between walls that
law has the exact flow ``w(s) = w cos s + v sin s``, and at a wall the velocity is reflected (Pakman
and Paninski, "Exact Hamiltonian Monte Carlo for truncated multivariate Gaussians", 2014). In
``z = A w``, ``z' = A v`` and ``G = A A^T``:

- the wall hit first is the largest of ``-z'_i / z_i``, the cotangent of the hitting time;
- a reflection at wall j is ``z' -= 2 z'_j / G_jj * G[j]``, so a bounce costs O(t) and never O(d);
- ``w`` is rebuilt once a trajectory from the impulses that the walls gave.

Between the walls of several classes a bounce changes few of them, see
:mod:`aluma.sampling.class_reflection`.

Trajectories are at most a quarter turn long, so every cotangent that matters is positive; and
positive floats compare like the integers that have the same bits, which compilers turn into vector
code where they refuse to for a maximum of floats.

Rounding can put an end point on the wrong side of a wall that it nearly touches. End points are
therefore judged in float64 with :func:`aluma.geometry.cone.guard` to spare, and a trajectory that
fails is refused: its chain stays where it was. The share refused bounds what that can do to the
law, and :class:`~aluma.sampling.chains.Flight` reports it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from aluma.sampling import class_reflection
from aluma.sampling.chains import Chains, Flight, Walls
from aluma.sampling.first_hit import LEAST, first_hit

#: From so many walls of several classes on, it pays to change only those that a bounce changes.
FROM_WALLS = 256
#: Trajectories are drawn uniformly between this share of their length and all of it, so that no
#: periodicity of the cone can resonate with the flow. At 0.8 a quarter turn without a wall keeps a
#: correlation of 0.16 with its start: one flight is enough where the cone is wide.
SHORTEST = 0.8
#: A trajectory is given up after this many bounces per wall, but not before so many in all: its
#: length does not fit the cone.
BOUNCES_PER_WALL, LEAST_LIMIT = 40, 4000


def fly(
    chains: Chains, walls: Walls, length: float, rng: np.random.Generator
) -> tuple[Chains, Flight]:
    """Move every chain along one trajectory; leaves N(0, I) on the cone invariant.

    Radius and velocity are drawn afresh first: both are independent of the direction.
    """
    n, rank = chains.points.shape
    velocity = rng.standard_normal((n, rank))
    scale = np.sqrt(rng.chisquare(rank, n)) / np.linalg.norm(chains.points, axis=1)
    turn = length * rng.uniform(SHORTEST, 1.0, n)
    cosine, sine = np.cos(turn), np.sin(turn)
    margins = chains.margins * scale[:, None]
    speeds = walls.products(velocity)
    impulses = np.zeros_like(margins)
    bounces = np.empty(n, dtype=np.int64)
    limit = max(BOUNCES_PER_WALL * len(walls.normals), LEAST_LIMIT)
    if walls.factors is None or len(walls.normals) < FROM_WALLS:
        ratio = np.empty(len(walls.normals))
        _bounce(
            margins, speeds, walls.gram, walls.pull, cosine, sine, impulses, bounces, limit,
            ratio, ratio.view(np.int64),
        )  # fmt: skip
    else:
        class_reflection.bounce(margins, speeds, walls.grid, cosine, sine, impulses, bounces, limit)
    velocity *= sine[:, None]
    ends = chains.points * (scale * cosine)[:, None]
    ends += velocity
    ends += walls.combined(impulses)
    landed = walls.products(ends)
    refused = _keep_inside(
        ends, landed, chains.points, chains.margins, bounces < limit, walls.margin
    )
    return Chains(ends, landed), Flight(bounces, refused)


@njit(cache=True, nogil=True, error_model="numpy")
def _bounce(z, dz, gram, pull, cosine, sine, impulses, bounces, limit, ratio, bits):  # type: ignore[no-untyped-def]
    """Follow each chain from wall to wall until its time is over; overwrite z and dz.

    ``cosine`` and ``sine`` are of the time left. ``impulses[j]`` collects what the reflections at
    wall j add to the end point, in units of its normal. ``ratio`` and ``bits`` are one scratch
    array seen as floats and as integers.
    """
    for chain in range(len(z)):
        cos_left, sin_left = cosine[chain], sine[chain]
        _turn(z[chain], dz[chain], gram[0], 1.0, 0.0, 0.0, ratio)
        n = 0
        while n < limit:
            wall = first_hit(bits)
            cotangent = ratio[wall]
            if cotangent * sin_left <= cos_left:
                break
            sin = 1.0 / np.sqrt(1.0 + cotangent * cotangent)
            cos = cotangent * sin
            kick = pull[wall] * (cos * dz[chain, wall] - sin * z[chain, wall])
            cos_left, sin_left = cos_left * cos + sin_left * sin, sin_left * cos - cos_left * sin
            impulses[chain, wall] += kick * sin_left
            _turn(z[chain], dz[chain], gram[wall], cos, sin, kick, ratio)
            n += 1
        bounces[chain] = n


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _turn(z, dz, row, cos, sin, kick, ratio):  # type: ignore[no-untyped-def]
    """Let time pass, add an impulse, and note the cotangent of every wall's hitting time.

    ``z`` is kept above the least size that can be divided by: a wall that rounding has crossed is
    then hit at once, and one just left is never hit again before it is left.
    """
    for i in range(len(z)):
        before, speed = z[i], dz[i]
        after = max(cos * before + sin * speed, LEAST)
        new_speed = cos * speed - sin * before + kick * row[i]
        z[i] = after
        dz[i] = new_speed
        ratio[i] = -new_speed / after


@njit(cache=True, nogil=True, error_model="numpy")
def _keep_inside(ends, landed, points, margins, on_time, least):  # type: ignore[no-untyped-def]
    """Put chains that did not end clearly inside back where they started; return which."""
    refused = np.empty(len(ends), np.bool_)
    for chain in range(len(ends)):
        reach = least * np.sqrt(np.sum(ends[chain] ** 2))
        closest = landed[chain, 0]
        for i in range(landed.shape[1]):
            closest = min(closest, landed[chain, i])
        refused[chain] = not (on_time[chain] and closest > reach)
        if refused[chain]:
            ends[chain] = points[chain]
            landed[chain] = margins[chain]
    return refused
