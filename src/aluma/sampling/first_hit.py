"""Which wall is hit first."""

from __future__ import annotations

from numba import njit

from aluma.sampling.lanes import (
    WIDTH,
    all_of,
    at_least_fraction,
    choose,
    is_less,
    load,
    nowhere,
    places,
)

#: Walls come in whole numbers of so many: two vectors of float64, or one of float32.
TOGETHER = 2 * WIDTH


@njit(cache=True, nogil=True, error_model="numpy")
def first_hit(p, q, cos, sin):  # type: ignore[no-untyped-def]
    """Return where ``p / q`` is least among q > 0, or -1 if it is nowhere below ``sin / cos``.

    Two searches run side by side, each in every second vector, so that neither waits for its last
    comparison.
    """
    p_first, q_first = all_of(sin), all_of(cos)
    first = nowhere(p_first)
    p_other, q_other, other = p_first, q_first, first
    for i in range(0, len(p), TOGETHER):
        p_here, q_here = load(p, i), load(q, i)
        sooner = is_less(p_here, q_here, p_first, q_first)
        p_first, q_first = choose(sooner, p_here, p_first), choose(sooner, q_here, q_first)
        first = choose(sooner, places(p_here, i), first)
        p_here, q_here = load(p, i + WIDTH), load(q, i + WIDTH)
        sooner = is_less(p_here, q_here, p_other, q_other)
        p_other, q_other = choose(sooner, p_here, p_other), choose(sooner, q_here, q_other)
        other = choose(sooner, places(p_here, i + WIDTH), other)
    sooner = is_less(p_other, q_other, p_first, q_first)
    p_first, q_first = choose(sooner, p_other, p_first), choose(sooner, q_other, q_first)
    return at_least_fraction(p_first, q_first, choose(sooner, other, first))
