"""Exact reflected dynamics on a Gaussian restricted to a cone: the default kernel.

Uniform on cone-within-ball is, in directions, N(0, I) restricted to the cone. Between walls that
law has the exact flow ``w(s) = w cos s + v sin s``, and at a wall the velocity is reflected (Pakman
and Paninski, "Exact Hamiltonian Monte Carlo for truncated multivariate Gaussians", 2014).

Behind a wall lies the mirror image of what is in front of it: instead of the velocity at that
moment, the whole circle on which the point moves can be reflected. So no moment is ever worked out.
Seen from the middle of the trajectory, half of its time away from both ends, the circle is
``P cos s - Q sin s``. With ``p = A P``, ``q = A Q`` and ``G = A A^T``:

- wall i is met where ``tan s = p_i / q_i``, if ``q_i > 0``: else it has been left, or stays ahead;
- the wall hit first has the least of these, found in float64 by comparing ``p_i q_j`` with
  ``p_j q_i``, without a division;
- a reflection at wall j is ``p -= 2 p_j / G_jj * G[j]`` and the same for q, so a bounce costs O(t)
  and never O(d), and needs neither an angle nor a root;
- ``w`` is rebuilt once a trajectory from the impulses that the walls gave.

A wall that rounding has crossed, or that was overlooked for another hit at the same time, is the
next one hit: that the order of the two is wrong changes nothing but the last bits.

Between the walls of several classes a bounce changes few of them, see
:mod:`aluma.sampling.class_reflection`.

Draws from wide cones are made in float32, and populations between many walls fly in it: a bounce
takes a third of the time there (see :meth:`~aluma.sampling.chains.Walls.single`). The bounces then
say where a trajectory ends, and its end point says it too; where the two differ by more than
float32 rounds, and where the end point is not clearly inside, the trajectory is followed again in
float64. So it is the same flow up to rounding, and which side of a wall a point is on is decided in
float64 as ever.

Rounding can put an end point on the wrong side of a wall that it nearly touches. End points are
therefore judged in float64 with :func:`aluma.geometry.cone.guard` to spare, and a trajectory that
fails is refused: its chain stays where it was. The share refused bounds what that can do to the
law, and :class:`~aluma.sampling.chains.Flight` reports it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import extending, njit, types

from aluma.arrays import Bools, Floats, Ints
from aluma.sampling import class_reflection
from aluma.sampling.chains import Chains, Flight, Walls, place
from aluma.sampling.lanes import (
    SINGLE_WIDTH,
    WIDTH,
    all_of,
    at_least,
    at_least_fraction,
    choose,
    fraction,
    is_less,
    is_sooner,
    load,
    nowhere,
    places,
    plus_product,
    store,
)
from aluma.sampling.normals import normals

#: From so many walls of several classes on it pays to change only those that a bounce changes: all
#: products of the walls with each other would have to be made for every answer.
FROM_WALLS = 768
#: Trajectories are drawn uniformly between this share of their length and all of it, so that no
#: periodicity of the cone can resonate with the flow. At 0.8 a quarter turn without a wall keeps a
#: correlation of 0.16 with its start: one flight is enough where the cone is wide.
SHORTEST = 0.8
#: A trajectory is given up after this many bounces per wall, but not before so many in all: its
#: length does not fit the cone.
BOUNCES_PER_WALL, LEAST_LIMIT = 40, 4000
#: Chains that take turns in bouncing: a processor begins with one while it still finds out which
#: wall another hits first. Two take between a half and two thirds of the time of one; a third takes
#: off a few percent where vectors are wide, and costs nothing elsewhere.
SIDE_BY_SIDE = 3


class Course(NamedTuple):
    """Where a block of chains sets out to, and for how long.

    ``velocity`` (B, r), ``scale`` (B,) from the norms of its points to the radii that were drawn
    for them, and ``turn`` (B,), the angles by which it moves on.
    """

    velocity: Floats
    scale: Floats
    turn: Floats


def fly(
    chains: Chains, walls: Walls, length: float, rng: np.random.Generator
) -> tuple[Chains, Flight]:
    """Move every chain along one trajectory; leaves N(0, I) on the cone invariant.

    Radius and velocity are drawn afresh first: both are independent of the direction.
    """
    n, rank = chains.points.shape
    velocity: Any
    if walls.double is not None:
        velocity = normals(rng, (n, rank))
        sizes = np.sqrt(np.einsum("ij,ij->i", chains.points, chains.points))
    else:
        velocity = rng.standard_normal((n, rank))
        sizes = np.linalg.norm(chains.points, axis=1)
    scale = np.sqrt(rng.chisquare(rank, n)) / sizes
    turn = np.asarray(length * rng.uniform(SHORTEST, 1.0, n))
    course = Course(velocity, scale, turn)
    if walls.double is not None:
        return _in_single(chains, walls, walls.double, course)
    (ends, landed), _, bounces, on_time = _followed(chains, walls, course)
    refused = _keep_inside(ends, landed, chains.points, chains.margins, on_time, walls.margin)
    return Chains(ends, landed), Flight(bounces, refused)


def _in_single(
    chains: Chains, walls: Walls, double: Walls, course: Course
) -> tuple[Chains, Flight]:
    """Follow trajectories in float32, and again in float64 those that it could not.

    It could where the bounces end up with the same products with the walls as the end point has.
    End points that float32 cannot tell from a wall are judged in float64.
    """
    velocity, scale, turn = course
    (ends, landed), expected, bounces, on_time = _followed(chains, walls, course)
    astray = _astray(ends, landed, expected, on_time, walls.margin, double.normals, double.margin)
    refused, (again,) = np.zeros(len(ends), dtype=np.bool_), np.nonzero(astray)
    if len(again):
        start = place(chains.points[again], double)
        (ends_, landed_), _, bounces[again], on_time = _followed(
            start, double, Course(velocity[again], scale[again], turn[again])
        )
        refused[again] = _keep_inside(ends_, landed_, *start, on_time, double.margin)
        ends[again], landed[again] = ends_, landed_
    return Chains(ends, landed), Flight(bounces, refused, len(again) / len(ends))


def _followed(chains: Chains, walls: Walls, course: Course) -> tuple[Chains, Floats, Ints, Bools]:
    """Return where trajectories end, by products and by bounces; how many, and who was on time."""
    velocity, scale, turn = course
    speeds = walls.products(velocity)
    impulses = np.zeros_like(speeds)
    bounces = np.zeros(len(turn), dtype=np.int64)
    limit = max(BOUNCES_PER_WALL * len(walls), LEAST_LIMIT)
    half = np.cos(turn / 2).astype(walls.kind), np.sin(turn / 2).astype(walls.kind)
    grown = scale.astype(walls.kind)
    if walls.factors is None or len(walls) < FROM_WALLS:
        p, q = np.empty((2, SIDE_BY_SIDE, len(walls)), dtype=walls.kind)
        _bounce(
            chains.margins, speeds, grown, walls.gram, walls.pull, *half, impulses, bounces, limit,
            p, q,
        )  # fmt: skip
    else:
        class_reflection.bounce(
            chains.margins, speeds, grown, walls.grid, *half, impulses, bounces, limit
        )
    ends = _sums(chains.points, scale * np.cos(turn), velocity, np.sin(turn),
                 walls.combined(impulses))  # fmt: skip
    return Chains(ends, walls.products(ends)), speeds, bounces, bounces < limit


@njit(cache=True, nogil=True, error_model="numpy")
def _bounce(  # type: ignore[no-untyped-def]
    margins, speeds, scale, gram, pull, cosine, sine, impulses, bounces, limit, p, q
):
    """Follow each chain from wall to wall until its time is over.

    ``margins`` times ``scale`` and ``speeds`` are of the start; ``cosine`` and ``sine`` of half the
    time. ``impulses[j]`` collects what the reflections at wall j add to the end point, in units of
    its normal, and ``bounces`` counts them. In the place of ``speeds`` come the margins of the end,
    as the reflections made them. ``p`` and ``q`` are scratch, a row for each chain that is under
    way.
    """
    chain, wall = np.full(len(p), -1), np.full(len(p), -1)
    begun = ended = 0
    while ended < len(margins):
        for turn in range(len(p)):
            c, j = chain[turn], wall[turn]
            if j >= 0 and bounces[c] < limit:
                by_p, by_q = pull[j] * p[turn, j], pull[j] * q[turn, j]
                impulses[c, j] += cosine[c] * by_p - sine[c] * by_q
                bounces[c] += 1
                wall[turn] = _reflected(p[turn], q[turn], gram[j], by_p, by_q, cosine[c], sine[c])
                continue
            if c >= 0:
                ended += 1
                for i in range(len(speeds[c])):
                    speeds[c, i] = cosine[c] * p[turn, i] - sine[c] * q[turn, i]
            chain[turn] = wall[turn] = -1
            if begun < len(margins):
                chain[turn] = begun
                _begin(margins[begun], speeds[begun], scale[begun], cosine[begun], sine[begun],
                       p[turn], q[turn])  # fmt: skip
                zero = margins.dtype.type(0.0)
                wall[turn] = _reflected(
                    p[turn], q[turn], gram[0], zero, zero, cosine[begun], sine[begun]
                )
                begun += 1


@njit(cache=True, nogil=True, error_model="numpy")
def _begin(margins, speeds, scale, cos, sin, p, q):  # type: ignore[no-untyped-def]
    """Note the circle of a chain, as seen from the middle of its trajectory."""
    for i in range(len(p)):
        before, speed = scale * margins[i], speeds[i]
        p[i] = cos * before + sin * speed
        q[i] = sin * before - cos * speed


def _reflected(p: Any, q: Any, row: Any, by_p: Any, by_q: Any, cos: Any, sin: Any) -> Any:
    """Add multiples of a row to p and q; return the wall that is then hit first, -1 for the end.

    The end comes where the tangent is ``sin / cos``. For use inside compiled functions.
    """
    raise NotImplementedError


@extending.overload(_reflected)
def _for_its_kind(p, q, row, by_p, by_q, cos, sin):  # type: ignore[no-untyped-def]
    return _reflected_double if p.dtype == types.float64 else _reflected_single


def _reflected_double(p, q, row, by_p, by_q, cos, sin):  # type: ignore[no-untyped-def]
    # Two searches run side by side, each in every second vector of walls, so that neither waits
    # for its last comparison.
    by_p_, by_q_ = all_of(by_p), all_of(by_q)
    p_first, q_first = all_of(sin), all_of(cos)
    first = nowhere(p_first)
    p_other, q_other, other = p_first, q_first, first
    for i in range(0, len(p), 2 * WIDTH):
        walls = load(row, i)
        p_here = plus_product(load(p, i), by_p_, walls)
        q_here = plus_product(load(q, i), by_q_, walls)
        store(p, i, p_here)
        store(q, i, q_here)
        sooner = is_less(p_here, q_here, p_first, q_first)
        p_first, q_first = choose(sooner, p_here, p_first), choose(sooner, q_here, q_first)
        first = choose(sooner, places(p_here, i), first)
        j = i + WIDTH
        walls = load(row, j)
        p_here = plus_product(load(p, j), by_p_, walls)
        q_here = plus_product(load(q, j), by_q_, walls)
        store(p, j, p_here)
        store(q, j, q_here)
        sooner = is_less(p_here, q_here, p_other, q_other)
        p_other, q_other = choose(sooner, p_here, p_other), choose(sooner, q_here, q_other)
        other = choose(sooner, places(p_here, j), other)
    sooner = is_less(p_other, q_other, p_first, q_first)
    p_first, q_first = choose(sooner, p_other, p_first), choose(sooner, q_other, q_first)
    return at_least_fraction(p_first, q_first, choose(sooner, other, first))


def _reflected_single(p, q, row, by_p, by_q, cos, sin):  # type: ignore[no-untyped-def]
    # Of float32 a vector holds so many that divisions cost less than what they save: comparisons
    # of products have to wait for a product each, and those of fractions do not.
    by_p_, by_q_ = all_of(by_p), all_of(by_q)
    soonest = all_of(sin / cos)
    first = nowhere(soonest)
    for i in range(0, len(p), SINGLE_WIDTH):
        walls = load(row, i)
        p_here = plus_product(load(p, i), by_p_, walls)
        q_here = plus_product(load(q, i), by_q_, walls)
        store(p, i, p_here)
        store(q, i, q_here)
        tangents = fraction(p_here, q_here)
        sooner = is_sooner(tangents, soonest, q_here)
        soonest = choose(sooner, tangents, soonest)
        first = choose(sooner, places(p_here, i), first)
    return at_least(soonest, first)


@njit(cache=True, nogil=True, error_model="numpy")
def _keep_inside(ends, landed, points, margins, on_time, least):  # type: ignore[no-untyped-def]
    """Put chains that did not end clearly inside back where they started; return which."""
    refused = np.empty(len(ends), np.bool_)
    for chain in range(len(ends)):
        reach = least * np.sqrt(_product(ends[chain], ends[chain]))
        inside = 0
        for i in range(landed.shape[1]):
            inside += landed[chain, i] > reach
        refused[chain] = not (on_time[chain] and inside == landed.shape[1])
        if refused[chain]:
            ends[chain] = points[chain]
            landed[chain] = margins[chain]
    return refused


@njit(cache=True, nogil=True, error_model="numpy")
def _sums(points, cosine, velocity, sine, moved):  # type: ignore[no-untyped-def]
    """Return end points: what is left of the start, of the velocity, and what walls added."""
    ends = np.empty_like(points)
    for chain in range(len(points)):
        cos, sin = cosine[chain], sine[chain]
        for i in range(points.shape[1]):
            ends[chain, i] = points[chain, i] * cos + velocity[chain, i] * sin + moved[chain, i]
    return ends


@njit(cache=True, nogil=True, error_model="numpy")
def _astray(ends, landed, expected, on_time, reach, normals, least):  # type: ignore[no-untyped-def]
    """Say which chains did not end clearly inside, not where their bounces say, or too late.

    ``landed`` are products in float32, which say nothing within ``reach`` of a wall: those are made
    in float64.
    """
    astray = np.empty(len(ends), np.bool_)
    for chain in range(len(ends)):
        size = np.sqrt(_product(ends[chain], ends[chain]))
        near = landed.dtype.type(reach * size)
        # Counted, since that is what compilers make vectors of.
        clear = close = 0
        for i in range(landed.shape[1]):
            clear += landed[chain, i] > near
            close += abs(landed[chain, i] - expected[chain, i]) <= near
        astray[chain] = not (on_time[chain] and close == landed.shape[1])
        if not astray[chain] and clear < landed.shape[1]:
            for i in range(len(normals)):
                if not landed[chain, i] > near:
                    astray[chain] |= not _product(ends[chain], normals[i]) > least * size
    return astray


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _product(one, other):  # type: ignore[no-untyped-def]
    """Return the product of two points."""
    total = 0.0
    for i in range(len(one)):
        total += one[i] * other[i]
    return total
