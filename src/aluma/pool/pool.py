"""Where the examples live: arrays, sparse matrices, memory maps and data frames under one face.

A pool is read in blocks and never copied: whatever is converted (to float32 for products, to
float64 for constraints) is converted one block at a time. Scoring runs in float32, as section 4 of
the design asks: converting a block of a float64 pool costs less than the product that follows it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from aluma.arrays import Bools, Floats, Ints, Singles
from aluma.pool.frames import frame_values, is_frame, with_columns

#: Upper limit for a temporary block. Large enough for matrix products to run at full speed (on
#: 784 columns they do from about 1000 rows on), small enough to stay in a processor's cache.
BLOCK_BYTES = 8 * 2**20

#: Products are taken in float32, whose range ends near 3e38: entries up to here leave room for
#: sums over any realistic number of columns.
LARGEST_ENTRY = 1e30

Selection: TypeAlias = slice | Ints


class Pool:
    """Examples to label, one a row, with an optional bias column that is never stored.

    Parameters
    ----------
    X : ndarray, scipy sparse matrix or array, np.memmap, DataFrame or Pool
        Real numbers of any type. Dense arrays, memory maps and CSR matrices are kept as they
        are; other sparse formats are converted to CSR. A DataFrame whose columns share one type
        is used in place where pandas holds it as one block; otherwise its columns are converted
        to one float array, once. Another Pool shares its data.
    bias : bool
        Append a constant 1 to every example. It is added to products and to the rows handed out,
        so the pool itself is not copied.

    Attributes
    ----------
    bias : bool
    index : the DataFrame's index, or ``range(len(pool))``
    columns : names of the DataFrame's columns, or None

    Notes
    -----
    No method allocates more than about twice ``BLOCK_BYTES`` beyond what it returns. The data are
    read, not copied: changing them afterwards changes the pool without its checks.
    """

    bias: bool
    index: Any
    columns: tuple[Hashable, ...] | None
    _store: _Store
    _zero: Bools

    def __init__(self, X: Any, *, bias: bool = False) -> None:
        if isinstance(X, Pool):
            self._store, self._zero = X._store, X._zero
            self.index, self.columns, self.bias = X.index, X.columns, X.bias or bias
            return
        self._store = _store(X)
        self.bias = bias
        if is_frame(X):
            self.index, self.columns = X.index, tuple(X.columns)
        else:
            self.index, self.columns = range(len(self)), None
        self._zero = self._checked()

    def __len__(self) -> int:
        return int(self._store.data.shape[0])

    def __repr__(self) -> str:
        kind = "sparse" if isinstance(self._store, _Sparse) else "dense"
        bias = ", with bias" if self.bias else ""
        return f"Pool({len(self)} x {self.dimension}, {kind} {self._store.data.dtype}{bias})"

    @property
    def dimension(self) -> int:
        """Length of an example as learners see it, the bias included."""
        return int(self._store.data.shape[1]) + self.bias

    @property
    def data(self) -> Any:
        """The numbers themselves, without the bias: an array or a CSR matrix, not to be changed."""
        return self._store.data

    @property
    def is_zero(self) -> Bools:
        """Examples that no homogeneous halfspace can decide: every entry is 0 in float32."""
        return np.zeros(len(self), dtype=bool) if self.bias else self._zero.copy()

    def alike(self, X: Any) -> Pool:
        """Return new examples as a pool with the same columns, by name if both are named, and bias.

        Columns of a DataFrame are put in this pool's order; other names are refused.
        """
        if self.columns is not None:
            X = with_columns(X, self.columns)
        return Pool(X, bias=self.bias)

    def rows(self, indices: npt.ArrayLike) -> Floats:
        """Return the examples at ``indices`` as a dense float64 array, the bias included."""
        chosen = self._positions(indices)
        out = np.ones((len(chosen), self.dimension))
        for part in _parts(len(chosen), self._step(8 * self.dimension)):
            out[part, : self.dimension - self.bias] = self._store.dense(chosen[part])
        return out

    def blocks(self, size: int | None = None) -> Iterator[tuple[slice, Floats]]:
        """Yield the whole pool as ``(slice, dense float64 rows)``, ``size`` rows at a time."""
        if size is not None and size < 1:
            raise ValueError(f"A block has {size} rows: it needs at least 1.")
        for part in _parts(len(self), size or self._step(8 * self.dimension)):
            rows = np.ones((part.stop - part.start, self.dimension))
            rows[:, : self.dimension - self.bias] = self._store.dense(part)
            yield part, rows

    def margin_blocks(
        self, W: npt.ArrayLike, indices: npt.ArrayLike | None = None
    ) -> Iterator[tuple[slice, Singles]]:
        """Yield ``(slice, products)`` of the examples with the hypotheses, in float32.

        The slice counts positions within ``indices`` (by default the whole pool); the products
        are a ``(rows, k)`` array that belongs to the caller.
        """
        hypotheses = self._hypotheses(W)
        chosen = None if indices is None else self._positions(indices)
        weights = self._store.operand(hypotheses[:, : self.dimension - self.bias])
        for part in _parts(
            len(self) if chosen is None else len(chosen), self._step(4 * len(hypotheses))
        ):
            margins = self._store.product(part if chosen is None else chosen[part], weights)
            if self.bias:
                margins += hypotheses[:, -1]
            yield part, margins

    def margins(self, W: npt.ArrayLike, indices: npt.ArrayLike | None = None) -> Singles:
        """Return the products of examples and hypotheses, ``(n, k)`` in float32."""
        n = len(self) if indices is None else len(self._positions(indices))
        out = np.empty((n, len(self._hypotheses(W))), dtype=np.float32)
        for part, margins in self.margin_blocks(W, indices):
            out[part] = margins
        return out

    def fingerprint(self) -> str:
        """Return a digest of the examples as learners see them.

        Equal for equal numbers, whatever their type and whether they are an array, a memory map
        or a DataFrame. A sparse pool is digested by its entries other than 0, so its digest
        differs from that of the same numbers held densely.
        """
        kind = "sparse" if isinstance(self._store, _Sparse) else "dense"
        head = f"aluma-pool-1 {kind} {len(self)} {self.dimension} {int(self.bias)}"
        digest = hashlib.blake2b(head.encode(), digest_size=16)
        for part in _parts(len(self), self._step(8)):
            self._store.feed(digest, part)
        return digest.hexdigest()

    def _step(self, bytes_per_row: int) -> int:
        """Return how many rows fit in a block, given what else each of them needs."""
        needed = max(self._store.bytes_per_row, bytes_per_row)
        return max(1, BLOCK_BYTES // needed)

    def _hypotheses(self, W: npt.ArrayLike) -> Singles:
        hypotheses = np.asarray(W, dtype=np.float32)
        if hypotheses.ndim != 2 or hypotheses.shape[1] != self.dimension:
            raise ValueError(
                f"Hypotheses have shape {hypotheses.shape}, but the pool has dimension "
                f"{self.dimension}{' with its bias' if self.bias else ''}: pass an array of "
                f"shape (k, {self.dimension})."
            )
        return hypotheses

    def _positions(self, indices: npt.ArrayLike) -> Ints:
        chosen = np.asarray(indices)
        if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iu"):
            raise TypeError(
                f"Indices must be a one-dimensional array of integers, got shape {chosen.shape} "
                f"of {chosen.dtype}: for a mask, pass np.flatnonzero(mask)."
            )
        outside = (chosen < 0) | (chosen >= len(self))
        if outside.any():
            raise IndexError(
                f"Index {chosen[outside][0]} is outside the pool: it has rows 0 to {len(self) - 1}."
            )
        return chosen.astype(np.int64, copy=False)

    def _checked(self) -> Bools:
        """Refuse what is not a usable number, and return which rows hold nothing but 0."""
        zero = np.empty(len(self), dtype=bool)
        for part in _parts(len(self), self._step(8)):
            wrong = self._store.first_wrong(part)
            if wrong is not None:
                raise ValueError(self._complaint(*wrong))
            zero[part] = self._store.zero_rows(part)
        return zero

    def _complaint(self, row: int, column: int) -> str:
        value = self._store.dense(slice(row, row + 1))[0, column]
        where = f"row {row}"
        if self.columns is not None:
            where += f" (index {self.index[row]!r}), column {self.columns[column]!r}"
        else:
            where += f", column {column}"
        if np.isfinite(value):
            return (
                f"The pool holds {value:g} at {where}: entries beyond {LARGEST_ENTRY:g} overflow "
                "float32 products. Rescale that column."
            )
        return (
            f"The pool holds {value} at {where}: every entry must be a finite number. "
            "Drop the row or impute the value first."
        )


class _Store(Protocol):
    """What a pool needs from its data; every method touches the selected rows only."""

    data: Any

    @property
    def bytes_per_row(self) -> int: ...
    def dense(self, selection: Selection) -> npt.NDArray[Any]: ...
    def operand(self, weights: Singles) -> Singles: ...
    def product(self, selection: Selection, operand: Singles) -> Singles: ...
    def first_wrong(self, part: slice) -> tuple[int, int] | None: ...
    def zero_rows(self, part: slice) -> Bools: ...
    def feed(self, digest: hashlib.blake2b, part: slice) -> None: ...


class _Dense:
    """Rows of an ndarray or a memory map."""

    def __init__(self, data: npt.NDArray[Any]) -> None:
        self.data = data

    @property
    def bytes_per_row(self) -> int:
        return 8 * int(self.data.shape[1])

    def dense(self, selection: Selection) -> npt.NDArray[Any]:
        return np.asarray(self.data[selection])

    def operand(self, weights: Singles) -> Singles:
        return weights.T

    def product(self, selection: Selection, operand: Singles) -> Singles:
        # "K" keeps the memory order: transposing a frame's block costs more than the product.
        block = np.asarray(self.data[selection]).astype(np.float32, order="K", copy=False)
        return np.asarray(block @ operand)

    def first_wrong(self, part: slice) -> tuple[int, int] | None:
        block = self.data[part]
        # NaN travels through max and min, and both comparisons with it are false.
        if float(block.max()) <= LARGEST_ENTRY and float(block.min()) >= -LARGEST_ENTRY:
            return None
        row, column = np.argwhere(~(np.abs(block.astype(np.float64)) <= LARGEST_ENTRY))[0]
        return part.start + int(row), int(column)

    def zero_rows(self, part: slice) -> Bools:
        single = self.data[part].astype(np.float32, order="K", copy=False)
        return np.asarray(~single.any(axis=1))

    def feed(self, digest: hashlib.blake2b, part: slice) -> None:
        # Adding 0 turns -0.0 into 0.0: they are equal numbers.
        block = np.asarray(self.data[part]).astype("<f8", order="C") + 0.0
        digest.update(block.data)


class _Sparse:
    """Rows of a CSR matrix in canonical format."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self._longest = int(np.diff(data.indptr).max(initial=0))

    @property
    def bytes_per_row(self) -> int:
        return 16 * self._longest + 8

    def dense(self, selection: Selection) -> npt.NDArray[Any]:
        return np.asarray(self.data[selection].toarray())

    def operand(self, weights: Singles) -> Singles:
        # scipy would make this copy again for every block.
        return np.ascontiguousarray(weights.T)

    def product(self, selection: Selection, operand: Singles) -> Singles:
        return np.asarray(self.data[selection].astype(np.float32) @ operand)

    def first_wrong(self, part: slice) -> tuple[int, int] | None:
        start, stop = self.data.indptr[part.start], self.data.indptr[part.stop]
        wrong = np.flatnonzero(~(np.abs(self.data.data[start:stop]) <= LARGEST_ENTRY))
        if wrong.size == 0:
            return None
        entry = start + wrong[0]
        row = np.searchsorted(self.data.indptr, entry, side="right") - 1
        return int(row), int(self.data.indices[entry])

    def zero_rows(self, part: slice) -> Bools:
        block = self.data[part]
        of_entry = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
        zero = np.ones(block.shape[0], dtype=bool)
        zero[of_entry[block.data.astype(np.float32) != 0]] = False
        return zero

    def feed(self, digest: hashlib.blake2b, part: slice) -> None:
        block = self.data[part].astype("<f8", copy=True)
        block.eliminate_zeros()
        digest.update(np.diff(block.indptr).astype("<i8").data)
        digest.update(block.indices.astype("<i8").data)
        digest.update(block.data.data)


def _store(X: Any) -> _Store:
    """Return the store that holds ``X`` without copying it, or say why there is none."""
    if np.ma.isMaskedArray(X):
        raise TypeError("The pool is a masked array: fill or drop the masked entries first.")
    data: Any = frame_values(X) if is_frame(X) else X
    is_sparse = sparse.issparse(X)
    if not is_sparse:
        data = np.asarray(data)
    if data.ndim != 2:
        raise ValueError(
            f"The pool has shape {data.shape}: pass two dimensions, one example a row "
            "(X.reshape(-1, 1) if every example is one number)."
        )
    if data.dtype.kind not in "biuf":
        raise TypeError(
            f"The pool has dtype {data.dtype}: pass real numbers, for instance X.astype(float)."
        )
    if 0 in data.shape:
        raise ValueError(f"The pool is empty (shape {data.shape}): pass at least one example.")
    if not is_sparse:
        return _Dense(data)
    rows = data.tocsr()
    if not rows.has_canonical_format:
        # Sorting and adding up in place would change the caller's matrix.
        rows = rows.copy()
        rows.sum_duplicates()
    return _Sparse(rows)


def _parts(n: int, step: int) -> Iterator[slice]:
    """Yield slices that cover ``range(n)`` in order."""
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))
