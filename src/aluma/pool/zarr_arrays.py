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
#: Bytes that are read together, at most: more is a mistake, or meant to fill the memory.
MOST_BYTES = 4 * 2**30
#: Rows that a pool may have: what is kept of each of them must fit into memory.
MOST_ROWS = 2**33


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
        _check_codecs(array)
        self.array = array
        self.shape: tuple[int, ...] = tuple(array.shape)
        self.dtype = np.dtype(array.dtype)
        stored = getattr(array, "shards", None) or array.chunks
        self.chunk = max(1, int(stored[0])) if stored else 1
        row = max(1, self.dtype.itemsize * int(np.prod(self.shape[1:], dtype=np.int64)))
        together = self.chunk * max(1, rows_per_block(row) // self.chunk)
        if row * min(self.chunk, self.shape[0] if self.shape else 1) > MOST_BYTES:
            raise BadInput(
                f"{array.store_path} has chunks of {self.chunk:,} rows of {row:,} bytes, and more "
                f"than {MOST_BYTES // 2**30} GB are not read at once: write it in smaller chunks."
            )
        if self.shape and self.shape[0] > MOST_ROWS:
            raise BadInput(
                f"{array.store_path} has {self.shape[0]:,} rows, and a pool has {MOST_ROWS:,} at "
                "most: take a part of them."
            )
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


def _check_codecs(array: Any) -> None:
    """Refuse chunks that are unpickled: whoever wrote them could have code run here.

    Version 2 of the format names codecs of numcodecs, which unpickles before 0.16.6.
    """
    about = array.metadata
    named = [*(getattr(about, "filters", None) or ()), getattr(about, "compressor", None)]
    if any(getattr(one, "codec_id", "") == "pickle" for one in named):
        raise BadInput(
            f"{array.store_path} holds pickled objects, which are never read: write it as numbers."
        )
