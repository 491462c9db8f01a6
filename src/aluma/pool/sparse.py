"""Examples in sparse matrices."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from aluma.arrays import Bools, Floats, Ints, Singles
from aluma.pool.side_by_side import each_part, parts_of
from aluma.pool.store import LARGEST_ENTRY, Selection, T, Together, check_numbers


def of_sparse(X: Any) -> Sparse | None:
    """Return a store for a sparse matrix; a CSR matrix in canonical format is not copied."""
    if not sparse.issparse(X):
        return None
    data: Any = X
    check_numbers(data)
    rows = data.tocsr()
    if not rows.has_canonical_format:
        # Sorting and adding up in place would change the caller's matrix.
        rows = rows.copy()
        rows.sum_duplicates()
    return Sparse(rows)


class Sparse:
    """Rows of a CSR matrix in canonical format."""

    kind = "sparse"
    preamble = b""
    is_resident = True
    columns: tuple[Hashable, ...] | None = None

    def __init__(self, data: Any) -> None:
        check_numbers(data)
        self.data = data
        self.index: Any = range(data.shape[0])
        self._longest = int(np.diff(data.indptr).max(initial=0))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers."""
        kind: np.dtype[Any] = self.data.dtype
        return kind

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.data.shape[0]), int(self.data.shape[1])

    @property
    def bytes_per_row(self) -> int:
        """What a row needs at most when it is read."""
        return 16 * self._longest + 8

    def held(self, selection: Selection) -> Any:
        """Return rows as they are held: a CSR matrix."""
        return self.data[selection]

    def dense(self, selection: Selection) -> npt.NDArray[Any]:
        """Return rows as a dense array."""
        return np.asarray(self.data[selection].toarray())

    def operand(self, weights: Singles) -> Singles:
        """Return hypotheses prepared for products."""
        # scipy would make this copy again for every block.
        return np.ascontiguousarray(weights.T)

    def product(
        self, selection: Selection, operand: Singles, out: Singles | None = None
    ) -> Singles:
        """Return the products of rows with prepared hypotheses."""
        del out
        return np.asarray(self.data[selection].astype(np.float32) @ operand)

    def first_wrong(self, part: slice) -> tuple[int, int] | None:
        """Return the first entry that is no usable number, or None."""
        start, stop = self.data.indptr[part.start], self.data.indptr[part.stop]
        wrong = np.flatnonzero(~(np.abs(self.data.data[start:stop]) <= LARGEST_ENTRY))
        if wrong.size == 0:
            return None
        entry = start + wrong[0]
        row = np.searchsorted(self.data.indptr, entry, side="right") - 1
        return int(row), int(self.data.indices[entry])

    def zero_rows(self, part: slice) -> Bools:
        """Say which rows hold nothing but 0 in float32."""
        block = self._rows(part)
        of_entry = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
        zero = np.ones(block.shape[0], dtype=bool)
        zero[of_entry[block.data.astype(np.float32) != 0]] = False
        return zero

    def squares(self, part: slice) -> Floats:
        """Return the squared lengths of rows."""
        # Small integers would overflow when they are squared.
        block = self._rows(part).astype(np.float64)
        return np.asarray(block.multiply(block).sum(axis=1)).ravel()

    def feed(self, digest: hashlib.blake2b, part: slice) -> None:
        """Let rows into a digest."""
        block = self._rows(part).astype("<f8", copy=True)
        block.eliminate_zeros()
        digest.update(np.diff(block.indptr).astype("<i8").data)
        digest.update(block.indices.astype("<i8").data)
        digest.update(block.data.data)

    def part(self, selection: Selection) -> Sparse:
        """Return some rows as a store of their own."""
        return Sparse(self.data[selection])

    def where(self, row: int) -> str:
        """Return nothing: a row has no other name than its number."""
        del row
        return ""

    def keep(self, rows: Ints, store: Any) -> None:
        """Do nothing: all rows are at hand."""

    def stream(self, step: int) -> Iterator[tuple[int, Sparse]]:
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

    def _rows(self, part: slice) -> Any:
        """Return rows, all of them without a copy."""
        whole = part.indices(self.shape[0]) == (0, self.shape[0], 1)
        return self.data if whole else self.data[part]
