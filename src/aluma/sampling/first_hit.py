"""Which wall is hit first."""

from __future__ import annotations

from numba import njit

#: Walls are searched for the first hit in stretches of this many.
STRETCH = 64
#: Products with walls are kept above this in flight: the square of its inverse is still a float64.
LEAST = 1e-140


@njit(cache=True, nogil=True, error_model="numpy")
def first_hit(bits):  # type: ignore[no-untyped-def]
    """Return the position of the largest ratio, if any is positive (any position if none is)."""
    best = bits[0]
    stretch = 0
    for start in range(0, len(bits), STRETCH):
        piece = bits[start : start + STRETCH]
        most = piece[0]
        for i in range(len(piece)):
            most = max(most, piece[i])
        if most > best:
            best, stretch = most, start
    while bits[stretch] != best:
        stretch += 1
    return stretch
