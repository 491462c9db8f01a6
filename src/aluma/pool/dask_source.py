"""Examples in Dask arrays: their blocks, computed in this process when they are read."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.errors import Unreadable
from aluma.pool.chunked import Source


class DaskSource:
    """The blocks of an array, computed in this process when they are read.

    Parameters
    ----------
    array : a Dask array
    origin : what its blocks are read from, piece by piece, if that is known
    """

    def __init__(self, array: Any, origin: Source | None = None) -> None:
        self.array, self._origin = _in_rows(array), origin
        self.columns: tuple[Hashable, ...] | None = None if origin is None else origin.columns
        self.shape: tuple[int, ...] = tuple(map(int, self.array.shape))
        self.dtype = np.dtype(self.array.dtype)
        lengths = self.array.chunks[0] if self.shape else ()
        ends = np.cumsum(lengths, dtype=np.int64)
        self.pieces: Sequence[slice] = [
            slice(int(end) - int(n), int(end)) for n, end in zip(lengths, ends, strict=True) if n
        ]
        self.numbers = [number for number, n in enumerate(lengths) if n]

    def read(self, piece: int, step: int) -> Iterator[npt.NDArray[Any]]:
        """Yield the rows of a block."""
        del step
        rows = self.array.blocks[self.numbers[piece]].compute(scheduler="synchronous")
        yield checked(np.asarray(rows), self.pieces[piece], self.shape[1], self.where(piece))

    def where(self, piece: int) -> str:
        """Return the block and its rows, or what it was read from."""
        if self._origin is not None:
            return self._origin.where(piece)
        rows = self.pieces[piece]
        name = f"block {self.numbers[piece]} (rows {rows.start} to {rows.stop - 1})"
        return f"{name} of the Dask array {self.array.name}"


def checked(rows: npt.NDArray[Any], piece: slice, width: int, where: str) -> npt.NDArray[Any]:
    """Return a block, or say that it is not what its array said it would be."""
    if rows.shape != (piece.stop - piece.start, width):
        raise Unreadable(
            f"{where} has shape {rows.shape}, and {(piece.stop - piece.start, width)} was said: "
            "every block needs the same columns."
        )
    return rows


def _in_rows(array: Any) -> Any:
    """Return an array whose blocks hold whole rows, of which it is known how many there are."""
    if len(array.shape) != 2:
        return array
    if np.isnan(array.shape[0]):
        raise ValueError(
            "the Dask array does not know how many rows its blocks have: call "
            "X.compute_chunk_sizes() first."
        )
    return array if len(array.chunks[1]) == 1 else array.rechunk({1: -1})
