"""The order in which examples come to a learner that does not choose among them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aluma.arrays import Ints
from aluma.streams import OfSeed, stream


def random_order(seed: int, m: int) -> Ints:
    """Return the order of m examples that a seed stands for."""
    return stream(seed, OfSeed.ORDER).permutation(m)


def given_order(order: npt.ArrayLike | None, seed: int, m: int) -> Ints:
    """Return positions in a pool of m examples as given, or the random order of a seed.

    Positions may repeat, as in a sample drawn with replacement.
    """
    if order is None:
        return random_order(seed, m)
    positions = np.asarray(order)
    if positions.ndim == 1 and positions.size == 0:
        raise ValueError(
            "order is empty: name at least one example to read, or leave order out for all of "
            "them in random order."
        )
    if positions.ndim != 1 or positions.dtype.kind not in "iu":
        raise TypeError(
            f"order must be a list of positions in the pool, got {positions.dtype} of shape "
            f"{positions.shape}."
        )
    outside = (positions < 0) | (positions >= m)
    if outside.any():
        raise IndexError(f"order names example {positions[outside][0]}: the pool has {m}, from 0.")
    return np.asarray(positions, dtype=np.int64)


def first_occurrences(order: Ints) -> Ints:
    """Return the positions of an order without repetitions, as they first come."""
    first = np.full(int(order.max()) + 1, -1)
    # Of several assignments to one place the last stays: from behind, that is the first in order.
    first[order[::-1]] = np.arange(len(order) - 1, -1, -1)
    return np.asarray(order[np.sort(first[first >= 0])])
