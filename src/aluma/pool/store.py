"""What a pool needs of the thing that holds its examples, and which things can hold them.

A store answers for selected rows only, so that whatever is converted (to float32 for products, to
float64 for constraints) is converted one block at a time. To add one, write it in a file of its own
with a function that recognises what it is for, and add that to :data:`aluma.pool.stores.STORES`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, Singles

#: Upper limit for a temporary block. Large enough for matrix products to run at full speed (on
#: 784 columns they do from about 1000 rows on), small enough to stay in a processor's cache.
BLOCK_BYTES = 8 * 2**20

#: Products are taken in float32, whose range ends near 3e38: entries up to here leave room for
#: sums over any realistic number of columns.
LARGEST_ENTRY = 1e30

Selection: TypeAlias = slice | Ints
T = TypeVar("T")
#: Makes one of two results, of whichever blocks and in whichever order.
Together: TypeAlias = Callable[[T, T], T]


class Store(Protocol):
    """Where the numbers of a pool are; every method touches the selected rows only.

    Attributes
    ----------
    kind : "dense" or "sparse": the same numbers count as different pools
    index : names of the rows, or ``range(m)``
    columns : names of the columns, or None
    """

    kind: str
    index: Any
    columns: tuple[Hashable, ...] | None

    @property
    def data(self) -> Any:
        """The numbers themselves."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    def bytes_per_row(self) -> int:
        """What a row needs at most when it is read."""

    def held(self, selection: Selection) -> Any:
        """Return rows as they are held: an array, or a CSR matrix."""

    def dense(self, selection: Selection) -> npt.NDArray[Any]:
        """Return rows as a dense array."""

    def operand(self, weights: Singles) -> Singles:
        """Return hypotheses (k, d) prepared for :meth:`product`."""

    def product(
        self, selection: Selection, operand: Singles, out: Singles | None = None
    ) -> Singles:
        """Return the products of rows with prepared hypotheses, (rows, k), the caller's to keep.

        A store may write them to ``out``, of that shape, and return that.
        """

    def first_wrong(self, part: slice) -> tuple[int, int] | None:
        """Return row and column of the first entry that is no usable number, or None."""

    def zero_rows(self, part: slice) -> Bools:
        """Say which rows hold nothing but 0 in float32."""

    def squares(self, part: slice) -> Floats:
        """Return the squared lengths of rows."""

    def feed(self, digest: hashlib.blake2b, part: slice) -> None:
        """Let rows into a digest: equal numbers give equal digests, whatever their type."""

    @property
    def preamble(self) -> bytes:
        """What comes before the rows in a digest."""

    @property
    def is_resident(self) -> bool:
        """Whether the numbers are in memory or mapped there: any row is had for nothing."""

    def where(self, row: int) -> str:
        """Return the file and the chunk that a row is in, in words, or nothing."""

    def keep(self, rows: Ints, store: Any) -> None:
        """Keep rows that are in a store of their own at hand, if reading them takes long."""

    def part(self, selection: Selection) -> Store:
        """Return some rows as a store of their own, in memory."""

    def stream(self, step: int) -> Iterator[tuple[int, Store]]:
        """Yield all rows in order, about ``step`` at a time, with the number of the first."""

    def each(
        self,
        work: Callable[..., T],
        step: int,
        shared: tuple[Any, ...],
        together: Together[T] | None = None,
    ) -> Iterator[T]:
        """Yield ``work(start, rows, *shared)`` for all rows, in order, done where they are.

        ``rows`` is a store of about ``step`` rows, or fewer, and ``start`` the number of the
        first. Blocks are worked on side by side, and which rows share one is the store's affair:
        what is returned for a row must not depend on it. ``work`` is a function of a module, or a
        partial of one, since it may be sent to another process. With ``together``, a store may
        put results together where they are made, and yield fewer; the order is then any.
        """


def parts(n: int, step: int) -> Iterator[slice]:
    """Yield slices that cover ``range(n)`` in order."""
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def rows_per_block(bytes_per_row: int) -> int:
    """Return how many rows of a size fit in a block."""
    return max(1, BLOCK_BYTES // bytes_per_row)


def check_numbers(data: Any) -> None:
    """Refuse what is not a table of real numbers, with the way out."""
    if len(data.shape) != 2:
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
