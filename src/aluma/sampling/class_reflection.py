"""Reflected dynamics between the walls of several classes: the same flow, cheaper.

With :mod:`aluma.sampling.reflection` a bounce turns all walls and adds a row of their Gram matrix,
``t (K - 1)`` numbers for t answers about K classes, out of a matrix that no cache holds. But a
reflection at the wall "y is ahead of k on x_i" moves two of the K vectors only, along ``x_i``. So
here walls keep the two amplitudes of ``z(s) = A cos s + B sin s``, counted from the start of the
trajectory: what is not hit stays as it is. A bounce changes the walls that vector y or k has a part
in, about ``4 t``, by a row of the products of the t examples.

A wall with A > 0 is hit where the cotangent of the time is ``-B / A``. One with A <= 0 has been
left, and is not met again within a quarter turn.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from aluma.arrays import Floats, Ints
from aluma.geometry.kesler import Grid
from aluma.sampling.first_hit import LEAST, first_hit

#: Where the table of walls has none, one is put that no trajectory reaches.
FAR = 1e200


def bounce(
    margins: Floats,
    speeds: Floats,
    grid: Grid,
    cosine: Floats,
    sine: Floats,
    impulses: Floats,
    bounces: Ints,
    limit: int,
) -> None:
    """Follow each chain from wall to wall until its time is over.

    As in :mod:`aluma.sampling.reflection`: products with the walls at the start and their speeds,
    cosine and sine of the time, and what is filled in: impulses by wall, and numbers of bounces.
    """
    a, b, cotangents = (np.empty(grid.walls.shape) for _ in range(3))
    _bounce(
        margins, speeds, grid.starts, grid.alike, grid.places, grid.walls, cosine, sine, impulses,
        bounces, limit, a, b, cotangents, cotangents.reshape(-1).view(np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def _bounce(  # type: ignore[no-untyped-def]
    z, dz, starts, alike, places, walls, cosine, sine, impulses, bounces, limit,
    a, b, cotangents, bits,
):  # fmt: skip
    """Follow each chain; ``a`` and ``b`` are scratch, ``bits`` the cotangents as integers."""
    t = a.shape[1]
    for chain in range(len(z)):
        a[:], b[:] = FAR, 0.0
        for wall in range(len(places)):
            a[places[wall] // t, places[wall] % t] = z[chain, wall]
            b[places[wall] // t, places[wall] % t] = dz[chain, wall]
        for row in range(len(a)):
            _stretch(a, b, cotangents, alike[0], row, 0, t, 0.0, 0.0)
        n = 0
        while n < limit:
            place = first_hit(bits)
            k, column = place // t, place % t
            cotangent = cotangents[k, column]
            if cotangent * sine[chain] <= cosine[chain]:
                break
            sin = 1.0 / np.sqrt(1.0 + cotangent * cotangent)
            cos = cotangent * sin
            kick = 2.0 * (sin * a[k, column] - cos * b[k, column])
            impulses[chain, walls[k, column]] += kick * (sine[chain] * cos - cosine[chain] * sin)
            y = np.searchsorted(starts, column, side="right") - 1
            _reflect(a, b, cotangents, starts, alike[column], y, k, kick * sin / 2, kick * cos / 2)
            n += 1
        bounces[chain] = n


@njit(cache=True, nogil=True, error_model="numpy")
def _reflect(a, b, cotangents, starts, row, y, k, f, g):  # type: ignore[no-untyped-def]
    """Let an impulse change what it changes: vector y gets it, vector k loses it.

    Per unit of the product of two examples, the amplitudes of y's products with them change by -f
    and g. A wall is the difference of its class told and its row.
    """
    t = a.shape[1]
    first, second = min(y, k), max(y, k)
    for m in range(len(a)):
        if m in (y, k):
            # All answers have a wall here, but those that were told as this class.
            sign = 1.0 if m == y else -1.0
            other = k if m == y else y
            df, dg = sign * f, -sign * g
            _stretch(a, b, cotangents, row, m, 0, starts[first], df, dg)
            _stretch(a, b, cotangents, row, m, starts[first + 1], starts[second], df, dg)
            _stretch(a, b, cotangents, row, m, starts[second + 1], t, df, dg)
            start, stop = starts[other], starts[other + 1]
            _stretch(a, b, cotangents, row, m, start, stop, 2 * df, 2 * dg)
        else:
            _stretch(a, b, cotangents, row, m, starts[y], starts[y + 1], -f, g)
            _stretch(a, b, cotangents, row, m, starts[k], starts[k + 1], f, -g)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _stretch(a, b, cotangents, row, m, start, stop, f, g):  # type: ignore[no-untyped-def]
    """Add to the amplitudes of a stretch of walls in a row, and note when they are hit."""
    for i in range(start, stop):
        after, speed = a[m, i] + f * row[i], b[m, i] + g * row[i]
        a[m, i], b[m, i] = after, speed
        cotangents[m, i] = -speed / max(after, LEAST)
