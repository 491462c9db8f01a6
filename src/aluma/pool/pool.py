"""Where the examples live: in arrays, sparse matrices, data frames, files or on a cluster.

A pool is read in blocks and never copied: whatever is converted (to float32 for products, to
float64 for constraints) or centred is so one block at a time. Scoring runs in float32:
converting a block of a float64 pool costs less than the product that follows it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial, reduce
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, Singles, bias_of, yes_or_no
from aluma.pool.centred import Centred, Middle, seen_from
from aluma.pool.dask_arrays import read_by_workers, with_client
from aluma.pool.dense import Dense
from aluma.pool.frames import with_columns
from aluma.pool.opening import opened
from aluma.pool.sample import Purpose, Sample, is_large, sampled_rows
from aluma.pool.shaped import Shape, Shaped
from aluma.pool.sparse import Sparse
from aluma.pool.store import LARGEST_ENTRY, Selection, Store, T, Together, parts, rows_per_block
from aluma.pool.stores import store_of


class Pool:
    """Examples to label, one a row, with an optional constant column that is never stored.

    Parameters
    ----------
    X : array, scipy sparse matrix, np.memmap, DataFrame, zarr or Dask array, path, or Pool
        Real numbers of any type. Dense arrays, memory maps and CSR matrices are kept as they
        are; other sparse formats are converted to CSR. A DataFrame whose columns share one type
        is used in place where pandas holds it as one block; otherwise its columns are converted
        to one float array, once. A zarr array is read in its own chunks. The blocks of a Dask array
        are kept by the workers of the client that is active; without one they are computed in this
        process whenever they are read. A path is opened as by :meth:`open`. Another Pool shares
        its data.
    bias : bool or float
        Append a constant to every example: this number, and 1 for True. It is added to products
        and to the rows handed out, so the pool itself is not copied. (Learners that are asked for
        a bias choose one half as long as a typical row.)
    prepared : bool
        The rows are as they should be, for instance features that were made of something else:
        learners do not look whether they are narrow, see :class:`aluma.errors.NarrowPool`.
    client : dask.distributed.Client, optional
        Of the cluster that keeps the blocks of a Dask array, if it is not the active one. With
        a path or a zarr array, its workers read that.

    Attributes
    ----------
    bias, prepared : bool
    constant : the number that is appended, 0 without a bias
    index : the DataFrame's index, or ``range(len(pool))``
    columns : names of the DataFrame's columns, or None

    Notes
    -----
    No method allocates more than about twice ``BLOCK_BYTES`` beyond what it returns. The data are
    read, not copied: changing them afterwards changes the pool without its checks.

    See Also
    --------
    centred : the same examples, seen from their middle.
    open : examples in a file that need not fit in memory.
    """

    bias: bool
    constant: float
    prepared: bool
    index: Any
    columns: tuple[Hashable, ...] | None
    _store: Store
    #: Which rows are zero, once somebody has looked.
    _zero: Bools | None
    _samples: dict[Purpose, tuple[Ints, Store]]
    #: Whether it is a part of another pool.
    _is_block = False

    def __init__(
        self, X: Any, *, bias: bool | float = False, prepared: bool = False, client: Any = None
    ) -> None:
        self.constant = bias_of(bias)
        self.bias, self.prepared = bool(self.constant), yes_or_no(prepared, "prepared")
        if isinstance(X, Pool):
            self._store, self._zero, self._samples = X._store, X._zero, X._samples
            self.index, self.columns = X.index, X.columns
            self.prepared = X.prepared or prepared
            if X.bias:
                self.bias, self.constant = True, X.constant
            return
        self._begin(store_of(X) if client is None else with_client(X, client))

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        *,
        columns: Sequence[str] | None = None,
        bias: bool | float = False,
        prepared: bool = False,
        client: Any = None,
    ) -> Pool:
        """Return the examples in a file or folder, read in its own chunks when they are wanted.

        Nothing is copied, and a pool may be larger than memory: all of it is looked at once now,
        for numbers that are none. What is small anyway is read into memory.

        Parameters
        ----------
        path : an array that NumPy saved (.npy), a zarr array (.zarr), a Parquet file (.parquet) or
            a folder of Parquet files, which are taken in the order of their names
        columns : of Parquet, those to use: by default the only one that holds lists, else all
        bias, prepared : as for every pool
        client : of a Dask cluster whose workers read the file, each some of its chunks, and keep
            them; they have to find it under the same path

        Raises
        ------
        BadInput : for what is no pool
        Unreadable : for a chunk that cannot be read; the message names file and chunk
        """
        pool = cls.__new__(cls)
        pool.constant = bias_of(bias)
        pool.bias, pool.prepared = bool(pool.constant), yes_or_no(prepared, "prepared")
        store = opened(path, columns)
        pool._begin(store if client is None else read_by_workers(store, client))
        return pool

    @classmethod
    def centred(cls, X: Any, *, scale: bool | str = True) -> Pool:
        """Return examples whose columns have mean 0 and standard deviation 1.

        Halfspaces of rows that all point the same way (columns far from 0, or one of large numbers)
        hardly tell them apart; seen from their middle they do. Nothing is copied: means and
        deviations are found in one pass, and rows are shifted and scaled when they are read. New
        examples (:meth:`alike`, a learner's ``predict``) are shifted and scaled by the same
        numbers.

        Parameters
        ----------
        X : whatever a pool is made of
        scale : divide by the standard deviation too; False only centres. Constant columns are only
            centred in any case, so they become 0. "whole" divides all columns by one number, so
            that their variance is 1 on average and they keep their scales, as embeddings should.
            "auto" is True where columns have units of their own and "whole" elsewhere, see
            :mod:`aluma.pool.units`.

        Examples
        --------
        >>> pool = Pool.centred([[1.0, 200.0, 7.0], [3.0, 600.0, 7.0]])
        >>> pool.rows([0, 1]).tolist()
        [[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]]
        >>> pool.alike([[2.0, 400.0, 8.0]]).rows([0]).tolist()
        [[0.0, 0.0, 1.0]]
        """
        pool = cls(X)
        if isinstance(pool._store, Centred):
            raise ValueError(
                f"the pool is {pool.preparation} already: pass the examples that it was made of."
            )
        if scale not in (True, False, "whole", "auto"):
            raise ValueError(f"scale must be True, False, 'whole' or 'auto', got {scale!r}.")
        middle = Middle.of(pool._store, scale)
        pool._hold(seen_from(middle, pool._store, own=True))
        return pool

    def shaped(self, shape: Shape, *, lasting: bool = False) -> Pool:
        """Return the examples stretched along some directions, without their bias.

        Nothing is copied, unless the pool is small and ``lasting``: looked at again and again.
        """
        pool = Pool(self)
        pool.bias, pool.constant = False, 0.0
        pool._store, pool._samples = Shaped(self._store, shape, lasting=lasting), {}
        return pool

    def __len__(self) -> int:
        return self._store.shape[0]

    def __repr__(self) -> str:
        kind = self._store.kind
        bias = ", with bias" if self.bias else ""
        return f"Pool({len(self)} x {self.dimension}, {kind} {self._store.dtype}{bias})"

    @property
    def dimension(self) -> int:
        """Length of an example as learners see it, the bias included."""
        return self._store.shape[1] + self.bias

    @property
    def data(self) -> Any:
        """The numbers themselves, without the bias: an array or a CSR matrix, not to be changed.

        A centred pool has none, and raises an :class:`AttributeError` that says so.
        """
        return self._store.data

    @property
    def is_sparse(self) -> bool:
        """Whether rows are those of a sparse matrix in memory, stretched at most."""
        return isinstance(self._before_stretching, Sparse)

    @property
    def stretch(self) -> Shape | None:
        """How rows are stretched when they are read, if they are."""
        return self._store.shaping if isinstance(self._store, Shaped) else None

    @property
    def _before_stretching(self) -> Store:
        return self._store.inner if isinstance(self._store, Shaped) else self._store

    @property
    def preparation(self) -> str:
        """What is done to rows when they are read: "" if nothing, "centred", and so on."""
        if isinstance(self._store, Shaped):
            return "shaped"
        return self._store.middle.words if isinstance(self._store, Centred) else ""

    @property
    def moved_by(self) -> tuple[Floats, Floats]:
        """What a centred pool subtracts from each column, and what it then divides it by.

        Raises
        ------
        AttributeError
            If the pool is not centred.
        """
        if not isinstance(self._store, Centred):
            raise AttributeError("the pool is not centred: it moves its examples by nothing.")
        return self._store.middle.mean, self._store.middle.scale

    @property
    def is_zero(self) -> Bools:
        """Examples that no homogeneous halfspace can decide: every entry is 0 in float32."""
        return self.zero_mask.copy()

    @property
    def zero_mask(self) -> Bools:
        """The same mask, not to be written to: of a large pool a copy costs more than an answer."""
        if self.bias:
            return np.broadcast_to(np.False_, len(self))
        if self._zero is None:
            self._zero = self._store.zero_rows(slice(0, len(self)))
        return self._zero

    def alike(self, X: Any) -> Pool:
        """Return new examples as a pool with the same columns, by name if both are named, and bias.

        Columns of a DataFrame are put in this pool's order; other names are refused. If this pool
        is centred, they are shifted and scaled as it is.
        """
        if self.columns is not None:
            X = with_columns(X, self.columns)
        new = Pool(X, bias=self.constant)
        if isinstance(self._store, Centred):
            new._look_from(self._store.middle)
        return new

    def rows(self, indices: npt.ArrayLike) -> Floats:
        """Return the examples at ``indices`` as a dense float64 array, the bias included."""
        chosen = self._positions(indices)
        out = np.full((len(chosen), self.dimension), self.constant)
        for part in parts(len(chosen), self._step(8 * self.dimension)):
            out[part, : self.dimension - self.bias] = self._store.dense(chosen[part])
        return out

    def singles(self, indices: npt.ArrayLike) -> Singles:
        """Return the same in float32, for products that need no more."""
        chosen = self._positions(indices)
        read = getattr(self._store, "singles", self._store.dense)
        out = np.full((len(chosen), self.dimension), self.constant, dtype=np.float32)
        for part in parts(len(chosen), self._step(8 * self.dimension)):
            out[part, : self.dimension - self.bias] = read(chosen[part])
        return out

    def held(self, selection: Selection) -> Any:
        """Return examples without the bias, as they are held: an array, or a CSR matrix."""
        return self._store.held(selection)

    def as_given(self, selection: Selection) -> Any:
        """Return the same before a prior stretches them."""
        return self._before_stretching.held(selection)

    def lengths(self) -> Floats:
        """Return the length of every example, the bias included."""
        squares = self._store.each(_squares, self._step(8), ())
        return np.asarray(np.sqrt(np.concatenate(list(squares)) + self.constant**2))

    def blocks(self, size: int | None = None) -> Iterator[tuple[slice, Floats]]:
        """Yield the whole pool as ``(slice, dense float64 rows)``, ``size`` rows at a time."""
        if size is not None and size < 1:
            raise ValueError(f"A block has {size} rows: it needs at least 1.")
        step = size or self._step(8 * self.dimension)
        for start, block in self._store.stream(step):
            for part in parts(block.shape[0], step):
                rows = np.full((part.stop - part.start, self.dimension), self.constant)
                rows[:, : self.dimension - self.bias] = block.dense(part)
                yield slice(start + part.start, start + part.stop), rows

    def margin_blocks(
        self,
        W: npt.ArrayLike,
        indices: npt.ArrayLike | None = None,
        *,
        into: Singles | None = None,
    ) -> Iterator[tuple[slice, Singles]]:
        """Yield ``(slice, products)`` of the examples with the hypotheses, in float32.

        The slice counts positions within ``indices`` (by default the whole pool); the products
        are a ``(rows, k)`` array that belongs to the caller. With ``into``, an array of that shape,
        they are no more rows than it has, and may be in it: the next overwrite them.
        """
        hypotheses = self._hypotheses(W)
        chosen = None if indices is None else self._positions(indices)
        weights = self._store.operand(hypotheses[:, : self.dimension - self.bias])
        constants = hypotheses[:, -1] * np.float32(self.constant)
        step = self._step(4 * len(hypotheses))
        step = step if into is None else min(step, len(into))
        for part, margins in self._products(weights, chosen, step, into):
            if self.bias:
                margins += constants
            yield part, margins

    def _products(
        self, weights: Singles, chosen: Ints | None, step: int, into: Singles | None
    ) -> Iterator[tuple[slice, Singles]]:
        """Yield products with prepared weights, of chosen rows or of all in order."""
        if chosen is None and not self._store.is_resident:
            # Rows that are read in pieces are read once, in their own order.
            for start, block in self._store.stream(step):
                rows = block.shape[0]
                yield slice(start, start + rows), block.product(slice(0, rows), weights)
            return
        for part in parts(len(self) if chosen is None else len(chosen), step):
            out = None if into is None else into[: part.stop - part.start]
            yield part, self._store.product(part if chosen is None else chosen[part], weights, out)

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
        differs from that of the same numbers held densely; a centred pool by the numbers that were
        given and by what is done to them, so it differs from the same pool as given.
        """
        kind = self._store.kind
        constant = f"{self.constant:.9g}" if self.bias else "0"
        head = f"aluma-pool-1 {kind} {len(self)} {self.dimension} {constant}"
        digest = hashlib.blake2b(head.encode(), digest_size=16)
        digest.update(self._store.preamble)
        for _, block in self._store.stream(self._step(8)):
            block.feed(digest, slice(0, block.shape[0]))
        return digest.hexdigest()

    # -- large pools ---------------------------------------------------------------------------

    @property
    def is_large(self) -> bool:
        """Whether a sample of the pool, held in memory, stands for it where that will do."""
        return not self._is_block and is_large(self._store)

    def sample(self, purpose: Purpose) -> Sample:
        """Return a random sample of a large pool: always the same, and held in memory.

        Samples for different purposes are drawn independently.
        """
        if not isinstance(purpose, Purpose):
            raise TypeError(
                f"purpose must be one of {', '.join(map(str, Purpose))}, got {purpose!r}."
            )
        if purpose not in self._samples:
            self._draw_samples()
        rows, held = self._samples[purpose]
        return Sample(rows, self._block(held, self.constant))

    def _draw_samples(self) -> None:
        """Draw a sample for every purpose, in one reading of the pool."""
        drawn = {purpose: sampled_rows(self._store, purpose) for purpose in Purpose}
        union = np.unique(np.concatenate(list(drawn.values())))
        if not self._store.is_resident:
            held = self._store.part(union)
            self._store.keep(union, held)
        for purpose, rows in drawn.items():
            self._samples[purpose] = rows, self._store.part(rows)

    def unstretched(self, W: npt.ArrayLike) -> tuple[Pool, Singles]:
        """Return a pool of the rows before they were stretched, and hypotheses with the same votes.

        Rows are multiplied as they are held, so what is to be known of them (how long they are, for
        the error of a product) is had without stretching them.
        """
        hypotheses = self._hypotheses(W)
        if not isinstance(self._store, Shaped):
            return self, hypotheses
        pool = Pool.__new__(Pool)
        vars(pool).update(vars(self))
        pool._store, pool._samples = self._store.inner, {}
        width = self.dimension - self.bias
        moved = hypotheses.copy()
        # In float64, so that the last bits are the same wherever this is done.
        moved[:, :width] = self._store.shaping.applied(hypotheses[:, :width].astype(np.float64))
        return pool, moved

    def spread_rows(self, n: int) -> Ints:
        """Return the numbers of at most n rows that are evenly spread over the pool, ascending.

        Of a large pool they are some of its sample, which is at hand.
        """
        if not self.is_large:
            return np.unique(np.linspace(0, len(self) - 1, n).astype(np.int64))
        sample = self.sample(Purpose.QUESTIONS).rows
        return sample[np.unique(np.linspace(0, len(sample) - 1, n).astype(np.int64))]

    def bring(self, *rows: Ints) -> None:
        """Have rows at hand that are wanted next, all in one reading."""
        if not self._store.is_resident:
            self._store.dense(np.unique(np.concatenate(rows)))

    def picked(self, rows: Ints, into: Callable[..., Singles] | None = None) -> Pool:
        """Return some examples as a pool of their own, in memory.

        ``into(rows, columns)`` gives an array that they may be written to.
        """
        store = self._store
        if into is not None and isinstance(store, Dense) and store.dtype == np.float32:
            out = into(len(rows), store.shape[1])
            # Otherwise NumPy writes elsewhere first, so that an index outside changes nothing.
            np.take(store.data, rows, axis=0, out=out, mode="clip")
            return self._block(Dense(out, columns=self.columns), self.constant)
        return self._block(store.part(rows), self.constant)

    def mapped(self, work: Callable[..., T], *shared: Any, room: int = 0) -> Iterator[T]:
        """Yield ``work(start, block, *shared)`` for every block of the pool, in order.

        A block is a pool of its own, whose first row has the number ``start`` in this one. Blocks
        are worked on where they are, side by side: by threads in memory and on a disk, by the
        workers of a cluster, to whom ``shared`` is sent. Which rows share a block depends on where
        they are, so what is returned for a row must not depend on it.

        Parameters
        ----------
        work : a function of a module
        shared : what every call gets
        room : bytes that each row needs besides itself, which bound how many are in a block
        """
        return self._store.each(partial(_on_pool, work, self.constant), self._room(room), shared)

    def merged(
        self, work: Callable[..., T], together: Together[T], *shared: Any, room: int = 0
    ) -> T:
        """Return what ``together`` makes of :meth:`mapped`'s results, two at a time in any order.

        On a cluster that is done by the workers: what comes back does not grow with the pool.
        """
        on_pool, step = partial(_on_pool, work, self.constant), self._room(room)
        found: T = reduce(together, self._store.each(on_pool, step, shared, together))
        return found

    def _room(self, room: int) -> int:
        if not isinstance(room, int | np.integer):
            raise TypeError(f"room must be an integer, got {room!r}.")
        return self._step(room)

    @classmethod
    def _block(cls, store: Store, constant: float) -> Pool:
        """Return rows of a pool that has been checked as one of their own."""
        pool = cls.__new__(cls)
        pool.constant, pool.bias = constant, bool(constant)
        pool.prepared, pool._is_block = True, True
        pool._store, pool._samples = store, {}
        pool.index, pool.columns = store.index, store.columns
        pool._zero = None
        return pool

    # -- inside --------------------------------------------------------------------------------

    def _begin(self, store: Store) -> None:
        """Take the examples from a store; what is small anyway is read into memory."""
        self.index, self.columns = store.index, store.columns
        self._hold(store)
        if not store.is_resident and not self.is_large:
            self._store = store.part(slice(0, store.shape[0]))

    def _hold(self, store: Store) -> None:
        """Take the examples from a store, after a look at all of them."""
        self._store, self._samples = store, {}
        self._zero = self._checked()

    def _look_from(self, middle: Middle) -> None:
        """Shift and scale these examples as those of another pool are."""
        if isinstance(self._store, Centred):
            if self._store.middle is middle:
                return
            raise ValueError(
                f"the new examples are {self.preparation} by their own columns: pass them as they "
                "are, and they are shifted and scaled as those of the pool."
            )
        given, wanted = self._store.shape[1], len(middle.mean)
        if given != wanted:
            raise ValueError(f"X has {given} features, the pool has {wanted}.")
        self._hold(seen_from(middle, self._store, own=False))

    def _step(self, bytes_per_row: int) -> int:
        """Return how many rows fit in a block, given what else each of them needs."""
        return rows_per_block(max(self._store.bytes_per_row, bytes_per_row))

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
        zero = np.zeros(len(self), dtype=bool)
        for wrong, rows in self._store.each(_looked_at, self._step(8), ()):
            if wrong is not None:
                raise ValueError(self._complaint(*wrong))
            zero[rows] = True
        zero.flags.writeable = False
        return zero

    def _complaint(self, row: int, column: int, value: float) -> str:
        where = f"row {row}"
        if self.columns is not None:
            where += f" (index {self.index[row]!r}), column {self.columns[column]!r}"
        else:
            where += f", column {column}"
        if place := self._store.where(row):
            where += f", in {place}"
        if np.isfinite(value):
            return (
                f"The pool holds {value:g} at {where}: entries beyond {LARGEST_ENTRY:g} overflow "
                "float32 products. Rescale that column."
            )
        return (
            f"The pool holds {value} at {where}: every entry must be a finite number. "
            "Drop the row or impute the value first."
        )


def _on_pool(work: Callable[..., T], constant: float, start: int, rows: Store, *shared: Any) -> T:
    """Do some work on a block of rows, as a pool."""
    return work(start, Pool._block(rows, constant), *shared)


def _squares(start: int, rows: Store) -> Floats:
    """Return the squared lengths of rows."""
    del start
    return rows.squares(slice(0, rows.shape[0]))


def _looked_at(start: int, rows: Store) -> tuple[tuple[int, int, float] | None, Ints]:
    """Return where the first unusable number is, with its value, and which rows are all zeros."""
    whole = slice(0, rows.shape[0])
    wrong = rows.first_wrong(whole)
    if wrong is not None:
        value = float(rows.dense(slice(wrong[0], wrong[0] + 1))[0, wrong[1]])
        return (start + wrong[0], wrong[1], value), np.empty(0, dtype=np.int64)
    return None, start + np.flatnonzero(rows.zero_rows(whole))
