"""Reflected dynamics between the walls of several classes: the same flow, cheaper.

With :mod:`aluma.sampling.reflection` a bounce adds a row of the Gram matrix to all walls,
``t (K - 1)`` numbers for t answers about K classes, out of a matrix that no cache holds. But a
reflection at the wall "y is ahead of k on x_i" moves two of the K vectors only, along ``x_i``. So a
bounce changes the walls that vector y or k has a part in, about ``4 t``, by a row of the products
of the t examples; p and q are as there.

Walls are in blocks, by the class told and the class it is ahead of. Of each block it is kept which
of its walls is hit first, in every lane of a vector; so that is looked for again only in the blocks
that a bounce changes, ``4 (K - 1)`` of ``K^2``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from aluma.arrays import Floats, Ints
from aluma.geometry.kesler import Grid
from aluma.sampling.first_hit import TOGETHER, first_hit
from aluma.sampling.lanes import WIDTH, all_of, choose, is_less, load, plus_product, store

#: Where the table of walls has none, one is put that no trajectory reaches.
FAR = 1e200


def bounce(
    margins: Floats,
    speeds: Floats,
    scale: Floats,
    grid: Grid,
    cosine: Floats,
    sine: Floats,
    impulses: Floats,
    bounces: Ints,
    limit: int,
) -> None:
    """Follow each chain from wall to wall until its time is over.

    As in :mod:`aluma.sampling.reflection`: products with the walls at the start and their speeds,
    cosine and sine of half the time, and what is filled in: impulses by wall, and numbers of
    bounces. Stretches of the grid are whole vectors.
    """
    p, q = np.empty((2, grid.walls.size))
    lanes = WIDTH * len(grid.walls) ** 2
    p_best, q_best = np.empty((2, lanes + -lanes % TOGETHER))
    _bounce(
        margins, speeds, scale, grid.starts, grid.alike, grid.places, grid.walls, cosine, sine,
        impulses, bounces, limit, p, q, p_best, q_best,
    )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def _bounce(  # type: ignore[no-untyped-def]
    margins, speeds, scale, starts, alike, places, walls, cosine, sine, impulses, bounces, limit,
    p, q, p_best, q_best,
):  # fmt: skip
    """Follow each chain; ``p`` and ``q`` are scratch, the rows of the table one after another.

    So are ``p_best`` and ``q_best``: what is hit first in each block, a vector of each.
    """
    columns = walls.shape[1]
    for chain in range(len(margins)):
        cos, sin = cosine[chain], sine[chain]
        p[:], q[:] = FAR, 0.0
        for wall in range(len(places)):
            before, speed = scale[chain] * margins[chain, wall], speeds[chain, wall]
            p[places[wall]] = cos * before + sin * speed
            q[places[wall]] = sin * before - cos * speed
        _look(p, q, p_best, q_best, starts, alike[0], cos, sin)
        n = 0
        lane = first_hit(p_best, q_best, cos, sin)
        while lane >= 0 and n < limit:
            place = _place(p, q, p_best, q_best, starts, lane)
            k, column = place // columns, place % columns
            by_p, by_q = p[place], q[place]
            impulses[chain, walls[k, column]] -= 2.0 * (cos * by_p - sin * by_q)
            y = lane // WIDTH % len(walls)
            _reflect(p, q, p_best, q_best, starts, alike[column], y, k, by_p, by_q, cos, sin)
            lane = first_hit(p_best, q_best, cos, sin)
            n += 1
        bounces[chain] = n


@njit(cache=True, nogil=True, error_model="numpy")
def _look(p, q, p_best, q_best, starts, row, cos, sin):  # type: ignore[no-untyped-def]
    """Find out what is hit first in all blocks."""
    p_best[:], q_best[:] = sin, cos
    for m in range(len(starts) - 1):
        for c in range(len(starts) - 1):
            _add(p, q, p_best, q_best, starts, row, m, c, 0.0, 0.0, cos, sin)


@njit(cache=True, nogil=True, error_model="numpy")
def _place(p, q, p_best, q_best, starts, lane):  # type: ignore[no-untyped-def]
    """Return where in the table the wall is that is hit first in a lane of a block."""
    classes = len(starts) - 1
    m, c = lane // WIDTH // classes, lane // WIDTH % classes
    place = m * starts[classes] + starts[c] + lane % WIDTH
    while p[place] != p_best[lane] or q[place] != q_best[lane]:
        place += WIDTH
    return place


@njit(cache=True, nogil=True, error_model="numpy")
def _reflect(  # type: ignore[no-untyped-def]
    p, q, p_best, q_best, starts, row, y, k, by_p, by_q, cos, sin
):
    """Reflect at a wall: vector y loses what vector k gets, along the example of the wall.

    A wall is the difference of its class told and its row, so those of which both moved change
    twice as much.
    """
    classes = len(starts) - 1
    for m in range(classes):
        if m in (y, k):
            # All answers have a wall here, but those that were told as this class.
            sign = 1.0 if m == y else -1.0
            other = k if m == y else y
            for c in range(classes):
                if c != m:
                    times = 2.0 * sign if c == other else sign
                    _add(p, q, p_best, q_best, starts, row, m, c, times * by_p, times * by_q,
                         cos, sin)  # fmt: skip
        else:
            _add(p, q, p_best, q_best, starts, row, m, y, -by_p, -by_q, cos, sin)
            _add(p, q, p_best, q_best, starts, row, m, k, by_p, by_q, cos, sin)


@njit(cache=True, nogil=True, error_model="numpy")
def _add(  # type: ignore[no-untyped-def]
    p, q, p_best, q_best, starts, row, m, c, by_p, by_q, cos, sin
):
    """Add multiples of a stretch of a row to a block, and note what is then hit first there."""
    classes = len(starts) - 1
    at, block = m * starts[classes], WIDTH * (m * classes + c)
    by_p_, by_q_ = all_of(by_p), all_of(by_q)
    p_first, q_first = all_of(sin), all_of(cos)
    for i in range(starts[c], starts[c + 1], WIDTH):
        here = load(row, i)
        p_here = plus_product(load(p, at + i), by_p_, here)
        q_here = plus_product(load(q, at + i), by_q_, here)
        store(p, at + i, p_here)
        store(q, at + i, q_here)
        sooner = is_less(p_here, q_here, p_first, q_first)
        p_first, q_first = choose(sooner, p_here, p_first), choose(sooner, q_here, q_first)
    store(p_best, block, p_first)
    store(q_best, block, q_first)
