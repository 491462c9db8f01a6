"""Dask arrays as pools: on the workers of a cluster, or computed here when they are wanted.

With a client, blocks are computed once and stay on the workers (:mod:`aluma.pool.on_workers`).
Without one, a block is computed in this process whenever it is read.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import BROKEN_FILE
from aluma.errors import ClusterLost, Unreadable
from aluma.extras import needed
from aluma.pool.chunked import Chunked, Source
from aluma.pool.dask_source import DaskSource
from aluma.pool.on_workers import Distributed
from aluma.pool.opening import opened
from aluma.pool.store import Store, parts, rows_per_block
from aluma.pool.zarr_arrays import of_zarr

#: What the extra is needed for, in words.
NAME = "a pool on a cluster"
#: Seconds in which a scheduler has to answer.
CONNECT_SECONDS = 30


def of_dask(X: Any) -> Chunked | None:
    """Return a store for a Dask array, with the client that is active; told without importing."""
    dask = sys.modules.get("dask.array")
    if dask is None or not isinstance(X, dask.Array):
        return None
    client = _active_client()
    source = DaskSource(X)
    return Chunked(source) if client is None else Distributed(source, client)


def connected(address: str | None) -> Any:
    """Return a client of the cluster with a scheduler at an address; None of no address."""
    if address is None:
        return None
    distributed = needed("distributed", "scale", NAME)
    try:
        return distributed.Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError, TimeoutError) as error:
        raise ClusterLost(
            f"no Dask scheduler answers at {address!r} ({error}): start one, as with `dask "
            "scheduler`, and pass the address that it prints, as tcp://127.0.0.1:8786."
        ) from error


def with_client(X: Any, client: Any) -> Chunked:
    """Return a store for what a cluster can keep, or say what is wrong."""
    dask = needed("dask.array", "scale", NAME)
    if isinstance(X, str | PathLike):
        return read_by_workers(opened(X, None), client)
    if (chunked := of_zarr(X)) is not None:
        return read_by_workers(chunked, client)
    if not isinstance(X, dask.Array):
        raise TypeError(
            f"client= is for Dask arrays, zarr arrays and paths, and X is a {type(X).__name__}: "
            "leave it out, or pass dask.array.from_array(X, chunks=...)."
        )
    return Distributed(DaskSource(X), client)


def read_by_workers(store: Store, client: Any) -> Distributed:
    """Return a store whose pieces are read, and kept, by the workers of a cluster."""
    array, delayed = needed("dask.array", "scale", NAME), needed("dask", "scale", NAME).delayed
    source = store.source if isinstance(store, Chunked) else Mapped(store.data)
    read = delayed(_piece)
    blocks = [
        array.from_delayed(
            read(source, piece),
            shape=(rows.stop - rows.start, source.shape[1]),
            dtype=source.dtype,
        )
        for piece, rows in enumerate(source.pieces)
    ]
    return Distributed(DaskSource(array.concatenate(blocks), source), client)


def _piece(source: Source, piece: int) -> npt.NDArray[Any]:
    """Read a piece; this runs on a worker."""
    rows = source.pieces[piece]
    return np.concatenate(list(source.read(piece, rows.stop - rows.start)))


class Mapped:
    """Pieces of an array that NumPy saved, mapped into memory where they are read."""

    columns: tuple[Hashable, ...] | None = None

    def __init__(self, data: Any) -> None:
        self.path = Path(data.filename)
        self.shape: tuple[int, ...] = data.shape
        self.dtype: np.dtype[Any] = data.dtype
        row = self.dtype.itemsize * self.shape[1]
        self.pieces: Sequence[slice] = list(parts(self.shape[0], 4 * rows_per_block(row)))

    def read(self, piece: int, step: int) -> Iterator[npt.NDArray[Any]]:
        """Yield the rows of a piece."""
        del step
        try:
            data = np.load(self.path, mmap_mode="r", allow_pickle=False)
        except BROKEN_FILE as error:
            raise Unreadable(
                f"{self.where(piece)} cannot be read ({error}): restore it."
            ) from error
        yield np.array(data[self.pieces[piece]])

    def where(self, piece: int) -> str:
        """Return the file and its rows."""
        rows = self.pieces[piece]
        return f"rows {rows.start} to {rows.stop - 1} of {self.path}"


def _active_client() -> Any:
    """Return the client that is active, or None."""
    if "distributed" not in sys.modules:
        return None
    try:
        return needed("distributed", "scale", NAME).default_client()
    except ValueError:
        return None
