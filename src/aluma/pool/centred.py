"""Examples seen from the middle of their pool: shifted and scaled when they are read.

A store of this kind holds another and two numbers for each column. Nothing is copied: rows are
shifted and scaled when they are handed out, and dense blocks when they are multiplied. Of a sparse
matrix ``(x - m) / s`` would be dense, so products are taken apart, ``<w, x / s> - <w, m / s>``;
only columns whose mean is many times their deviation, where that would cancel, are made dense.
Such a column is nearly full (``STEEP``), so this takes no more memory than the matrix itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from aluma.arrays import Bools, Floats, Ints, Singles
from aluma.pool.moments import moments
from aluma.pool.sparse import Sparse
from aluma.pool.store import LARGEST_ENTRY, Selection, Store, T, Together
from aluma.pool.units import divisors

#: A column whose deviation is a smaller share of its mean is constant but for rounding.
CONSTANT = 1e-12
#: Sparse columns whose mean is this many deviations from 0 are read densely: in float32 the parts
#: of a product would cancel. By the Cauchy-Schwarz inequality a column of which a share p is not
#: 0 has mean^2 <= sd^2 p / (1 - p), so in such a column p is at least 64/65.
STEEP = 8.0


@dataclass(frozen=True, eq=False)
class Middle:
    """Where the columns of a pool have their mean, and what they are divided by.

    Attributes
    ----------
    mean : what is subtracted
    scale : what the difference is divided by: 1 where columns are constant or only centred
    steep : columns whose mean is many times their deviation
    words : "centred", "centred and scaled" or "centred and scaled as a whole"
    """

    mean: Floats
    scale: Floats
    steep: Bools
    words: str

    @classmethod
    def of(cls, store: Store, scale: bool | str) -> Middle:
        """Measure the columns of a store."""
        mean, spread = moments(store)
        varies = spread > CONSTANT * np.abs(mean)
        steep = np.abs(mean) > STEEP * spread
        divisor = divisors(spread, varies, scale)
        whole = scale == "whole" or (scale == "auto" and len(set(divisor.tolist())) == 1)
        words = "centred and scaled" if scale else "centred"
        return cls(mean, divisor, steep, f"{words} as a whole" if whole else words)

    def applied(self, rows: npt.NDArray[Any]) -> Floats:
        """Return dense rows, shifted and scaled, in an array of their own."""
        out: Floats = np.subtract(rows, self.mean, dtype=np.float64)
        out /= self.scale
        return out


def seen_from(middle: Middle, store: Store, own: bool) -> Centred:
    """Return a store as seen from a middle, its own or that of another pool."""
    kind = CentredSparse if isinstance(store, Sparse) else Centred
    return kind(store, middle, own)


class Centred:
    """Rows of another store, shifted and scaled.

    Parameters
    ----------
    inner : the examples as given
    middle : what they are shifted and scaled by
    own : whether the middle is that of these examples, and so follows from them
    """

    def __init__(self, inner: Store, middle: Middle, own: bool) -> None:
        self.inner, self.middle, self._own = inner, middle, own
        self.kind = f"{middle.words} {inner.kind}"
        self.index: Any = inner.index
        self.columns: tuple[Hashable, ...] | None = inner.columns

    @property
    def data(self) -> Any:
        """Refuse: nowhere are these numbers held."""
        raise AttributeError(
            f"a pool that is {self.middle.words} holds its numbers nowhere, they are worked out "
            "when they are wanted: use rows(), blocks() or margins()."
        )

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers handed out."""
        return np.dtype(np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.inner.shape

    @property
    def bytes_per_row(self) -> int:
        """What a row needs at most when it is read."""
        # In float64 as shifted, and in float32 for products.
        return max(self.inner.bytes_per_row, 12 * self.shape[1])

    def held(self, selection: Selection) -> npt.NDArray[Any]:
        """Return rows as a dense array: shifted, hardly an entry is 0."""
        return self.dense(selection)

    def dense(self, selection: Selection) -> npt.NDArray[Any]:
        """Return rows as a dense array."""
        return self.middle.applied(self.inner.dense(selection))

    def operand(self, weights: Singles) -> Singles:
        """Return hypotheses prepared for products."""
        return weights.T

    def product(
        self, selection: Selection, operand: Singles, out: Singles | None = None
    ) -> Singles:
        """Return the products of rows with prepared hypotheses."""
        # Shifted in float64: in float32 a mean of 1e8 deviations would leave nothing of the rest.
        single = self.dense(selection).astype(np.float32, order="K")
        return np.asarray(np.matmul(single, operand, out=out))

    def first_wrong(self, part: slice) -> tuple[int, int] | None:
        """Return the first entry that overflows, or None."""
        rows = self.dense(part)
        if float(rows.max()) <= LARGEST_ENTRY and float(rows.min()) >= -LARGEST_ENTRY:
            return None
        row, column = np.argwhere(~(np.abs(rows) <= LARGEST_ENTRY))[0]
        return part.start + int(row), int(column)

    def zero_rows(self, part: slice) -> Bools:
        """Say which rows hold nothing but 0 in float32."""
        return np.asarray(~self.dense(part).astype(np.float32, order="K").any(axis=1))

    def squares(self, part: slice) -> Floats:
        """Return the squared lengths of rows."""
        rows = self.dense(part)
        return np.asarray(np.einsum("ij,ij->i", rows, rows))

    def feed(self, digest: hashlib.blake2b, part: slice) -> None:
        """Let rows into a digest, as they were given.

        Their own middle follows from them, and its last bits would depend on the machine.
        """
        self.inner.feed(digest, part)

    @property
    def preamble(self) -> bytes:
        """What comes before the rows in a digest: the middle, unless it follows from the rows."""
        if self._own:
            return b""
        return self.middle.mean.astype("<f8").tobytes() + self.middle.scale.astype("<f8").tobytes()

    @property
    def is_resident(self) -> bool:
        """Whether the numbers as given are in memory."""
        return self.inner.is_resident

    def part(self, selection: Selection) -> Centred:
        """Return some rows as a store of their own."""
        return seen_from(self.middle, self.inner.part(selection), own=False)

    def where(self, row: int) -> str:
        """Return where a row is, in words."""
        return self.inner.where(row)

    def keep(self, rows: Ints, store: Any) -> None:
        """Keep rows at hand, as they were given."""
        self.inner.keep(rows, store.inner)

    def stream(self, step: int) -> Iterator[tuple[int, Centred]]:
        """Yield all rows in order, with the number of the first."""
        for start, rows in self.inner.stream(step):
            yield start, seen_from(self.middle, rows, own=False)

    def each(
        self,
        work: Callable[..., T],
        step: int,
        shared: tuple[Any, ...],
        together: Together[T] | None = None,
    ) -> Iterator[T]:
        """Yield what is made of each block of rows, shifted and scaled where they are."""
        return self.inner.each(partial(_from_middle, work, self.middle), step, shared, together)


class CentredSparse(Centred):
    """Rows of a sparse matrix, shifted and scaled without making them dense."""

    def __init__(self, inner: Store, middle: Middle, own: bool) -> None:
        super().__init__(inner, middle, own)
        self._steep = np.flatnonzero(middle.steep)
        #: What an entry becomes that is not stored.
        self._absent = np.where(middle.steep, 0.0, -middle.mean / middle.scale)

    @property
    def bytes_per_row(self) -> int:
        """What a row needs at most when it is read."""
        return 2 * self.inner.bytes_per_row + 16 * len(self._steep)

    def operand(self, weights: Singles) -> Singles:
        """Return hypotheses prepared for products; below, what all entries that are 0 add up to."""
        # In this order scipy takes the weights as they are, and copies them for no block.
        out = np.empty((len(self._absent) + 1, len(weights)), dtype=np.float32)
        out[:-1] = weights.T
        out[-1] = weights @ self._absent
        return out

    def product(
        self, selection: Selection, operand: Singles, out: Singles | None = None
    ) -> Singles:
        """Return the products of rows with prepared hypotheses."""
        del out
        weights, constant = operand[:-1], operand[-1]
        block = self.inner.held(selection)
        entries = block.data / self.middle.scale[block.indices]
        entries[self.middle.steep[block.indices]] = 0.0
        scaled = (entries.astype(np.float32), block.indices, block.indptr)
        products = np.asarray(sparse.csr_array(scaled, shape=block.shape) @ weights)
        products += constant
        if len(self._steep):
            products += self._steep_rows(block).astype(np.float32) @ weights[self._steep]
        return products

    def first_wrong(self, part: slice) -> tuple[int, int] | None:
        """Return the first entry that overflows, or None; what is not stored never does."""
        block = self.inner.held(part)
        wrong = np.flatnonzero(~(np.abs(self._shifted(block)) <= LARGEST_ENTRY))
        if wrong.size == 0:
            return None
        row = np.searchsorted(block.indptr, wrong[0], side="right") - 1
        return part.start + int(row), int(block.indices[wrong[0]])

    def zero_rows(self, part: slice) -> Bools:
        """Say which rows hold nothing but 0 in float32.

        That is where all stored entries become 0, and so would none that is not stored.
        """
        block = self.inner.held(part)
        vanishing = self._shifted(block).astype(np.float32) == 0
        needed = (-self.middle.mean / self.middle.scale).astype(np.float32) != 0
        stored = _by_row(block, needed[block.indices])
        others = _by_row(block, ~vanishing)
        return np.asarray((stored == needed.sum()) & (others == 0))

    def squares(self, part: slice) -> Floats:
        """Return the squared lengths of rows."""
        block = self.inner.held(part)
        gained = self._shifted(block) ** 2 - self._absent[block.indices] ** 2
        gained[self.middle.steep[block.indices]] = 0.0
        steep = self._steep_rows(block)
        total = _by_row(block, gained) + float(self._absent @ self._absent)
        return np.asarray(np.maximum(total, 0.0) + np.einsum("ij,ij->i", steep, steep))

    def _shifted(self, block: Any) -> Floats:
        """Return what the stored entries become."""
        of = block.indices
        return np.asarray((block.data - self.middle.mean[of]) / self.middle.scale[of])

    def _steep_rows(self, block: Any) -> Floats:
        """Return the steep columns, shifted and scaled."""
        rows = block[:, self._steep].toarray() - self.middle.mean[self._steep]
        return np.asarray(rows / self.middle.scale[self._steep])


def _from_middle(
    work: Callable[..., T], middle: Middle, start: int, rows: Store, *shared: Any
) -> T:
    """Do some work on rows as seen from a middle."""
    return work(start, seen_from(middle, rows, own=False), *shared)


def _by_row(block: Any, values: npt.NDArray[Any]) -> Floats:
    """Return the sums of values, one for each stored entry, over rows."""
    row = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
    return np.asarray(np.bincount(row, values, block.shape[0]), dtype=np.float64)
