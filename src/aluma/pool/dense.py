"""Examples in arrays and memory maps."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, Singles
from aluma.pool.side_by_side import each_part, parts_of
from aluma.pool.store import LARGEST_ENTRY, Selection, T, Together, check_numbers


def of_array(X: Any) -> Dense | None:
    """Return a store for whatever NumPy takes for an array, without copying it."""
    if np.ma.isMaskedArray(X):
        raise TypeError("The pool is a masked array: fill or drop the masked entries first.")
    return Dense(np.asarray(X))


class Dense:
    """Rows of an ndarray or a memory map."""

    kind = "dense"
    preamble = b""
    is_resident = True

    def __init__(
        self,
        data: npt.NDArray[Any],
        index: Any = None,
        columns: tuple[Hashable, ...] | None = None,
    ) -> None:
        check_numbers(data)
        self.data, self.columns = data, columns
        self.index: Any = range(len(data)) if index is None else index

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers."""
        return self.data.dtype

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.data.shape[0]), int(self.data.shape[1])

    @property
    def bytes_per_row(self) -> int:
        """What a row needs at most when it is read."""
        return 8 * int(self.data.shape[1])

    def held(self, selection: Selection) -> npt.NDArray[Any]:
        """Return rows as they are held."""
        return np.asarray(self.data[selection])

    def dense(self, selection: Selection) -> npt.NDArray[Any]:
        """Return rows as a dense array."""
        return np.asarray(self.data[selection])

    def operand(self, weights: Singles) -> Singles:
        """Return hypotheses prepared for products."""
        return weights.T

    def product(
        self, selection: Selection, operand: Singles, out: Singles | None = None
    ) -> Singles:
        """Return the products of rows with prepared hypotheses."""
        # "K" keeps the memory order: transposing a frame's block costs more than the product.
        block = np.asarray(self.data[selection]).astype(np.float32, order="K", copy=False)
        return np.asarray(np.matmul(block, operand, out=out))

    def first_wrong(self, part: slice) -> tuple[int, int] | None:
        """Return the first entry that is no usable number, or None."""
        block = self.data[part]
        # NaN travels through max and min, and both comparisons with it are false.
        if float(block.max()) <= LARGEST_ENTRY and float(block.min()) >= -LARGEST_ENTRY:
            return None
        row, column = np.argwhere(~(np.abs(block.astype(np.float64)) <= LARGEST_ENTRY))[0]
        return part.start + int(row), int(column)

    def zero_rows(self, part: slice) -> Bools:
        """Say which rows hold nothing but 0 in float32."""
        single = self.data[part].astype(np.float32, order="K", copy=False)
        return np.asarray(~single.any(axis=1))

    def squares(self, part: slice) -> Floats:
        """Return the squared lengths of rows."""
        block = np.asarray(self.data[part], dtype=np.float64)
        return np.asarray(np.einsum("ij,ij->i", block, block))

    def feed(self, digest: hashlib.blake2b, part: slice) -> None:
        """Let rows into a digest."""
        # Adding 0 turns -0.0 into 0.0: they are equal numbers.
        block = np.asarray(self.data[part]).astype("<f8", order="C") + 0.0
        digest.update(block.data)

    def part(self, selection: Selection) -> Dense:
        """Return some rows as a store of their own."""
        return Dense(np.asarray(self.data[selection]), columns=self.columns)

    def where(self, row: int) -> str:
        """Return nothing: a row has no other name than its number."""
        del row
        return ""

    def keep(self, rows: Ints, store: Any) -> None:
        """Do nothing: all rows are at hand."""

    def stream(self, step: int) -> Iterator[tuple[int, Dense]]:
        """Yield all rows in order, with the number of the first."""
        return parts_of(self, step)

    def each(
        self,
        work: Callable[..., T],
        step: int,
        shared: tuple[Any, ...],
        together: Together[T] | None = None,
    ) -> Iterator[T]:
        """Yield what is made of each block of rows."""
        del together
        return each_part(self, work, step, shared)
