"""Reflected dynamics between the walls of several classes: the same flow, cheaper.

With :mod:`aluma.sampling.reflection` a bounce adds a row of the Gram matrix to all walls,
``t (K - 1)`` numbers for t answers about K classes, out of a matrix that no cache holds. But a
reflection at the wall "y is ahead of k on x_i" moves two of the K vectors only, along ``x_i``. So a
bounce changes the walls that vector y or k has a part in, about ``4 t``, by a row of the products
of the t examples; p and q are as there.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from aluma.arrays import Floats, Ints
from aluma.geometry.kesler import Grid
from aluma.sampling.first_hit import TOGETHER, first_hit

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
    bounces.
    """
    cells = grid.walls.size
    p, q = np.empty((2, cells + -cells % TOGETHER))
    _bounce(
        margins, speeds, scale, grid.starts, grid.alike, grid.places, grid.walls, cosine, sine,
        impulses, bounces, limit, p, q,
    )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def _bounce(  # type: ignore[no-untyped-def]
    margins, speeds, scale, starts, alike, places, walls, cosine, sine, impulses, bounces, limit,
    p, q,
):  # fmt: skip
    """Follow each chain; ``p`` and ``q`` are scratch, the rows of the table one after another."""
    t = walls.shape[1]
    for chain in range(len(margins)):
        cos, sin = cosine[chain], sine[chain]
        p[:], q[:] = FAR, 0.0
        for wall in range(len(places)):
            before, speed = scale[chain] * margins[chain, wall], speeds[chain, wall]
            p[places[wall]] = cos * before + sin * speed
            q[places[wall]] = sin * before - cos * speed
        n = 0
        place = first_hit(p, q, cos, sin)
        while place >= 0 and n < limit:
            k, column = place // t, place % t
            by_p, by_q = p[place], q[place]
            impulses[chain, walls[k, column]] -= 2.0 * (cos * by_p - sin * by_q)
            y = np.searchsorted(starts, column, side="right") - 1
            _reflect(p, q, starts, alike[column], y, k, by_p, by_q)
            place = first_hit(p, q, cos, sin)
            n += 1
        bounces[chain] = n


@njit(cache=True, nogil=True, error_model="numpy")
def _reflect(p, q, starts, row, y, k, by_p, by_q):  # type: ignore[no-untyped-def]
    """Reflect at a wall: vector y loses what vector k gets, along the example of the wall.

    A wall is the difference of its class told and its row, so those of which both moved change
    twice as much.
    """
    classes, t = len(starts) - 1, len(row)
    first, second = min(y, k), max(y, k)
    for m in range(classes):
        at = m * t
        if m in (y, k):
            # All answers have a wall here, but those that were told as this class.
            sign = 1.0 if m == y else -1.0
            other = k if m == y else y
            more_p, more_q = sign * by_p, sign * by_q
            _add(p, q, row, at, 0, starts[first], more_p, more_q)
            _add(p, q, row, at, starts[first + 1], starts[second], more_p, more_q)
            _add(p, q, row, at, starts[second + 1], t, more_p, more_q)
            _add(p, q, row, at, starts[other], starts[other + 1], 2 * more_p, 2 * more_q)
        else:
            _add(p, q, row, at, starts[y], starts[y + 1], -by_p, -by_q)
            _add(p, q, row, at, starts[k], starts[k + 1], by_p, by_q)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _add(p, q, row, at, start, stop, by_p, by_q):  # type: ignore[no-untyped-def]
    """Add multiples of a stretch of a row to a row of the table."""
    # Slices, because an index that could be negative is no vector code.
    p_here, q_here = p[at + start : at + stop], q[at + start : at + stop]
    here = row[start:stop]
    for i in range(len(here)):
        p_here[i] += by_p * here[i]
        q_here[i] += by_q * here[i]
