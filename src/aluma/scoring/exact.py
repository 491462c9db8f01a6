"""Votes that do not depend on how a pool is cut into blocks.

Products are taken in float32, and their last bits depend on the shape of the block: where a product
is close to 0, so does the vote. Of a million examples and a thousand hypotheses a few hundred are.
Those that rounding could have turned are looked at once more in float64, so that a pool in memory,
on a disk and on a cluster counts the same votes.
"""

from __future__ import annotations

import numba
import numpy as np

from aluma.arrays import Ints, Singles
from aluma.pool import Pool
from aluma.pool.scratch import scratch

#: Products are counted as soon as they are there: bytes of them at a time, and rows at least.
PRODUCT_BYTES, FEWEST_ROWS = 2**18, 64


def count_exactly(pool: Pool, hypotheses: Singles, rows: Ints | None = None) -> Ints:
    """Return how many hypotheses vote + on each row of a block of a pool."""
    pool, hypotheses = pool.unstretched(hypotheses)
    n = len(pool) if rows is None else len(rows)
    counts, doubtful = np.empty(n, dtype=np.int64), np.empty(n, dtype=bool)
    longest = float(np.sqrt(np.einsum("ij,ij->i", hypotheses, hypotheses).max(initial=0.0)))
    limits = (_noise(pool.dimension) * longest * _sizes(pool, rows)).astype(np.float32)
    at_a_time = max(FEWEST_ROWS, PRODUCT_BYTES // (4 * len(hypotheses)))
    into = scratch("products", at_a_time, len(hypotheses))
    for part, margins in pool.margin_blocks(hypotheses, rows, into=into):
        _count(margins, limits[part], counts[part], doubtful[part])
    again = np.flatnonzero(doubtful)
    if len(again):
        exact = hypotheses.astype(np.float64).T
        of = again if rows is None else rows[again]
        single = pool.rows(of).astype(np.float32).astype(np.float64)
        counts[again] = np.count_nonzero(single @ exact >= 0, axis=1)
    return counts


@numba.njit(cache=True, nogil=True)
def _count(margins: Singles, limits: Singles, counts: Ints, doubtful: Ints) -> None:
    """Count products of at least 0, and note rows that hold one within the limit."""
    rows, k = margins.shape
    for i in range(rows):
        ayes, close = np.int32(0), np.int32(0)
        limit = limits[i]
        for j in range(k):
            value = margins[i, j]
            ayes += np.int32(value >= 0)
            close += np.int32(abs(value) <= limit)
        counts[i] = ayes
        doubtful[i] = close > 0


def _sizes(pool: Pool, chosen: Ints | None) -> Singles:
    """Return about the lengths of rows."""
    rows = pool.held(slice(0, len(pool)) if chosen is None else chosen)
    rows = rows.astype(np.float32, copy=False)
    if isinstance(rows, np.ndarray):
        # What overflows is in doubt altogether, and looked at once more.
        with np.errstate(over="ignore"):
            squares = np.einsum("ij,ij->i", rows, rows)
    else:
        squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    return np.asarray(np.sqrt(squares + np.float32(pool.constant**2)))


def _noise(dimension: int) -> float:
    """Return how far float32 may move a product of vectors of length 1, in any order of adding.

    The factor 2 is for lengths that are rounded themselves.
    """
    return 2 * (dimension + 2) * float(np.finfo(np.float32).eps)
