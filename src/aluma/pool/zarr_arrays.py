"""Examples in zarr arrays, on a disk or wherever zarr can read."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.errors import BadInput, Unreadable
from aluma.extras import needed
from aluma.pool.chunked import Chunked
from aluma.pool.store import parts, rows_per_block

#: What zarr and its codecs raise for a chunk that is broken.
BROKEN = (OSError, ValueError, RuntimeError, TypeError, KeyError)


def of_zarr(X: Any) -> Chunked | None:
    """Return a store for a zarr array, told without importing zarr: whoever has one has it."""
    zarr = sys.modules.get("zarr")
    if zarr is None or not isinstance(X, zarr.Array):
        return None
    return Chunked(ZarrSource(X))


def open_zarr(path: Path, columns: Sequence[str] | None = None) -> Chunked:
    """Open an array, or the only array of a group."""
    zarr = needed("zarr", "scale", "a zarr array")
    if columns is not None:
        raise BadInput(f"{path}: the columns of a zarr array have no names, so none can be chosen.")
    try:
        found = zarr.open(store=str(path), mode="r")
    except BROKEN as error:
        raise BadInput(f"{path} cannot be opened as a zarr array: {error}") from error
    if isinstance(found, zarr.Group):
        names = sorted(name for name, _ in found.arrays())
        if len(names) != 1:
            raise BadInput(
                f"{path} is a group of {len(names)} arrays ({', '.join(names)}): open one of them, "
                f"as in Pool.open({str(path / 'name')!r})."
            )
        found = found[names[0]]
    return Chunked(ZarrSource(found))


class ZarrSource:
    """The chunks of an array, as many together as fill a block."""

    columns: tuple[Hashable, ...] | None = None

    def __init__(self, array: Any) -> None:
        self.array = array
        self.shape: tuple[int, ...] = tuple(array.shape)
        self.dtype = np.dtype(array.dtype)
        stored = getattr(array, "shards", None) or array.chunks
        self.chunk = max(1, int(stored[0])) if stored else 1
        row = max(1, self.dtype.itemsize * int(np.prod(self.shape[1:], dtype=np.int64)))
        together = self.chunk * max(1, rows_per_block(row) // self.chunk)
        self.pieces: Sequence[slice] = list(parts(self.shape[0] if self.shape else 0, together))

    def read(self, piece: int, step: int) -> Iterator[npt.NDArray[Any]]:
        """Yield the rows of a piece."""
        del step
        try:
            rows = np.asarray(self.array[self.pieces[piece]])
        except BROKEN as error:
            raise Unreadable(
                f"{self.where(piece)} cannot be read ({error}): restore it, or leave its rows out."
            ) from error
        yield rows

    def where(self, piece: int) -> str:
        """Return the array and the chunks of a piece."""
        rows = self.pieces[piece]
        first, last = rows.start // self.chunk, (rows.stop - 1) // self.chunk
        chunks = f"chunk {first}" if first == last else f"chunks {first} to {last}"
        return f"{chunks} (rows {rows.start} to {rows.stop - 1}) of {self.array.store_path}"
