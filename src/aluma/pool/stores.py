"""Which store holds what a user passes: the first that recognises it."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

from aluma.pool.dask_arrays import of_dask
from aluma.pool.dense import of_array
from aluma.pool.frames import of_frame
from aluma.pool.opening import opened
from aluma.pool.sparse import of_sparse
from aluma.pool.store import Store
from aluma.pool.zarr_arrays import of_zarr


def of_path(X: Any) -> Store | None:
    """Return a store for the file or folder that a path names."""
    return opened(X, None) if isinstance(X, str | PathLike) else None


#: Each returns a store for what it recognises and None for everything else; the last takes whatever
#: is left. Put a new one before it.
STORES: list[Callable[[Any], Store | None]] = [
    of_path,
    of_frame,
    of_sparse,
    of_zarr,
    of_dask,
    of_array,
]


def store_of(X: Any) -> Store:
    """Return the store that holds ``X`` without copying it, or say why there is none."""
    for recognised in STORES:
        found = recognised(X)
        if found is not None:
            return found
    raise TypeError(f"a pool cannot be made of {type(X).__name__}: pass an array of numbers.")
