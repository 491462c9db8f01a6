"""Embeddings that stay in their file, or on a cluster: rows are read when the page wants them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aluma.app.blocks import Block
from aluma.app.features import Features
from aluma.arrays import Floats, Ints, Singles
from aluma.errors import BadInput
from aluma.pool import Pool

#: Endings of what is never copied; an array that NumPy saved is not if it has more bytes.
STORES, MOST_BYTES = (".zarr", ".parquet", ".pq"), 2**28
#: Rows that a model to take away is fitted to, at most.
MOST_FITTED = 50_000


class StoredRows:
    """The rows of a pool in place of an array of features."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.shape = len(pool), pool.dimension

    def __len__(self) -> int:
        return len(self.pool)

    def __getitem__(self, rows: Any) -> Singles:
        if isinstance(rows, slice):
            rows = np.arange(*rows.indices(len(self)))
        found = self.pool.rows(np.atleast_1d(rows)).astype(np.float32)
        return found[0] if np.ndim(rows) == 0 else found

    def some(self) -> Ints:
        """Return the numbers of rows that stand for all of them."""
        return self.pool.spread_rows(min(MOST_FITTED, len(self)))

    def nearest(self, example: int, n: int) -> Ints:
        """Return up to n other rows, the nearest first, found where the rows are."""
        point = self.pool.rows([example])[0]
        near = self.pool.merged(_near, partial(_nearer, n + 1), point, n + 1)
        return np.asarray(near.rows[near.rows != example][:n])


class _Near(NamedTuple):
    rows: Ints
    squares: Floats


def _near(start: int, block: Pool, point: Floats, n: int) -> _Near:
    """Return the n rows of a block that are nearest to a point."""
    apart = block.rows(np.arange(len(block))) - point
    squares = np.einsum("ij,ij->i", apart, apart)
    return _first(n, start + np.arange(len(block)), squares)


def _nearer(n: int, one: _Near, other: _Near) -> _Near:
    both = (np.concatenate(pair) for pair in zip(one, other, strict=True))
    return _first(n, *both)


def _first(n: int, rows: Ints, squares: Floats) -> _Near:
    order = np.lexsort((rows, squares))[:n]
    return _Near(rows[order], squares[order])


def is_stored(path: Path) -> bool:
    """Say whether embeddings stay where they are, by the name and the size of what holds them."""
    if path.is_dir() or path.suffix.lower() in STORES:
        return True
    return path.suffix.lower() == ".npy" and path.exists() and path.stat().st_size > MOST_BYTES


def of_store(path: Path, client: Any = None) -> Features:
    """Return embeddings in a file, centred and rescaled as a whole when they are read.

    With a client, the workers of its cluster read them.
    """
    try:
        pool = Pool.centred(Pool.open(path, client=client), scale="whole")
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from error
    if np.ptp(pool.rows(pool.spread_rows(MOST_FITTED)), axis=0).max() == 0.0:
        raise BadInput(f"every row of {path.name} is the same: nothing tells the examples apart.")
    mean, scale = pool.moved_by
    block = Block("given", {"source": path.name}, 1.0 / scale, mean / scale)
    return Features(StoredRows(pool), (block,))  # type: ignore[arg-type]
