"""How far the examples of a pool are from a hyperplane, and on which side of it."""

from __future__ import annotations

import numpy as np

from aluma.arrays import Bools, Floats, Ints
from aluma.blas import one_thread
from aluma.pool import Pool
from aluma.pool.store import parts, rows_per_block
from aluma.scoring.large import nearest_large

#: Distances that differ by less are equal: the separator is not known better than this.
TIE = 1e-9


def lengths(pool: Pool) -> Floats:
    """Return the norm of every example."""
    out = np.empty(len(pool))
    for part, rows in pool.blocks():
        out[part] = np.linalg.norm(rows, axis=1)
    return out


def closest_large(pool: Pool, direction: Floats, eligible: Bools, n: int) -> Ints:
    """Return the same for a large pool: every block has its nearest to offer."""
    rows, distances = nearest_large(pool, direction, eligible, n, by_length=True)
    return np.asarray(rows[ascending(distances)][:n])


@one_thread()
def closest(pool: Pool, direction: Floats, rows: Ints, sizes: Floats, n: int) -> Ints:
    """Return the n examples of ``rows`` with the least ``|<direction, x>| / |x|``, closest first.

    All are scored in float32, and those that its rounding could have put in the wrong place once
    more in float64, as many as fit in a block. Ties go to the lowest index.
    """
    distance = np.abs(pool.margins(direction[None, :])[rows, 0]) / sizes
    limit = np.partition(distance, n - 1)[n - 1] + 2 * _single_noise(pool)
    near = np.flatnonzero(distance <= limit)
    near = near[np.argsort(distance[near], kind="stable")][: max(n, _rows_a_block(pool))]
    near.sort()
    exact = np.abs(_exact_distances(pool, direction, rows[near]))
    return np.asarray(rows[near[ascending(exact)]][:n])


def ascending(distances: Floats) -> Ints:
    """Return positions by distance; those that tie in their own order."""
    order = np.argsort(distances, kind="stable")
    level = np.concatenate([[0], np.cumsum(np.diff(distances[order]) > TIE)])
    return np.asarray(order[np.lexsort((order, level))])


@one_thread()
def sides(pool: Pool, normal: Floats, sizes: Floats | None = None) -> Floats:
    """Return 1 for examples in front of a hyperplane, 0 behind it and 1/2 on it.

    ``sizes`` are the lengths of the examples, if they are known already.
    """
    if pool.is_large:
        return np.concatenate(list(pool.mapped(_sides, normal, room=16)))
    size = float(np.linalg.norm(normal))
    direction = normal / size if size > 0 else normal
    sizes = lengths(pool) if sizes is None else sizes
    distance = pool.margins(direction[None, :])[:, 0] / np.where(sizes > 0, sizes, 1.0)
    # A product that is exactly zero needs no second look, and a sparse pool has many.
    doubtful = np.flatnonzero((distance != 0) & (np.abs(distance) <= _single_noise(pool)))
    exact = _exact_distances(pool, direction, doubtful)
    distance[doubtful] = np.where(np.abs(exact) <= TIE, 0.0, exact)
    return np.asarray((np.sign(distance) + 1) / 2, dtype=np.float64)


def _sides(start: int, block: Pool, normal: Floats) -> Floats:
    """Return the sides that the rows of a block are on."""
    del start
    return sides(block, normal)


def _exact_distances(pool: Pool, direction: Floats, rows: Ints) -> Floats:
    """Return ``<direction, x> / |x|`` in float64."""
    out = np.empty(len(rows))
    for part in parts(len(rows), _rows_a_block(pool)):
        block = pool.rows(rows[part])
        out[part] = block @ direction / np.linalg.norm(block, axis=1)
    return out


def _rows_a_block(pool: Pool) -> int:
    return rows_per_block(8 * pool.dimension)


def _single_noise(pool: Pool) -> float:
    """Return how far float32 may move the product of unit vectors; errors add up like a walk."""
    return 4.0 * float(np.sqrt(pool.dimension)) * float(np.finfo(np.float32).eps)
