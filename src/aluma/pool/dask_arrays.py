"""Dask arrays as pools: on the workers of a cluster, or computed here when they are wanted.

With a client, blocks are computed once and stay on the workers (:mod:`aluma.pool.on_workers`).
Without one, a block is computed in this process whenever it is read.
"""

from __future__ import annotations

import sys
from typing import Any

from aluma.extras import needed
from aluma.pool.chunked import Chunked
from aluma.pool.dask_source import DaskSource
from aluma.pool.on_workers import Distributed


def of_dask(X: Any) -> Chunked | None:
    """Return a store for a Dask array, with the client that is active; told without importing."""
    dask = sys.modules.get("dask.array")
    if dask is None or not isinstance(X, dask.Array):
        return None
    client = _active_client()
    return Chunked(DaskSource(X)) if client is None else Distributed(X, client)


def with_client(X: Any, client: Any) -> Chunked:
    """Return a store for a Dask array on the cluster of a client, or say what is wrong."""
    dask = needed("dask.array", "scale", "a pool on a cluster")
    if not isinstance(X, dask.Array):
        raise TypeError(
            f"client= is for Dask arrays, and X is a {type(X).__name__}: leave it out, or pass "
            "dask.array.from_array(X, chunks=...)."
        )
    return Distributed(X, client)


def _active_client() -> Any:
    """Return the client that is active, or None."""
    if "distributed" not in sys.modules:
        return None
    try:
        return needed("distributed", "scale", "a pool on a cluster").default_client()
    except ValueError:
        return None
