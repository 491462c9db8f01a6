"""Examples in other coordinates: stretched along some directions when they are read.

A store of this kind holds another and a symmetric linear map. As the map is symmetric, the product
of a stretched row with a hypothesis is that of the row with the stretched hypothesis, so nothing
has to be copied, and a sparse matrix is multiplied as it is. Of a small pool in memory a stretched
copy is kept in float32: to stretch thousands of hypotheses for every question costs more than that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, Singles
from aluma.blas import one_thread
from aluma.pool.store import Selection, Store, T, Together, parts, rows_per_block


@dataclass(frozen=True, eq=False)
class Shape:
    """A symmetric map ``R``: a positive factor for each of some directions, and one for the rest.

    Attributes
    ----------
    directions : (k, d) orthonormal rows
    factors : (k,) what lengths along them are multiplied by
    rest : the same for everything orthogonal to them
    """

    directions: Floats
    factors: Floats
    rest: float

    @one_thread()
    def applied(self, rows: npt.NDArray[Any]) -> Floats:
        """Return ``rows @ R``: rows stretched, or hypotheses of stretched rows as of the rows."""
        along = rows @ self.directions.T
        out: Floats = rows * self.rest + (along * (self.factors - self.rest)) @ self.directions
        return out

    @one_thread()
    def applied_singly(self, rows: Floats) -> Floats:
        """Return the same, each row with the bits that it has when it is stretched by itself.

        Those of a product of matrices depend on how many rows there are. Here every row is a
        product of its own.
        """
        single = np.ascontiguousarray(rows)[:, None, :]
        along = np.matmul(single, self.directions.T) * (self.factors - self.rest)
        return np.asarray(rows * self.rest + np.matmul(along, self.directions)[:, 0, :])

    @cached_property
    def whole(self) -> Singles | None:
        """R itself, in float32, where multiplying by it is the cheaper way."""
        if 2 * len(self.directions) < self.directions.shape[1]:
            return None
        return self.applied(np.eye(self.directions.shape[1])).astype(np.float32)

    @cached_property
    def single(self) -> Shape:
        """The same in float32."""
        return Shape(
            self.directions.astype(np.float32),
            self.factors.astype(np.float32),
            float(np.float32(self.rest)),
        )


#: Numbers of a pool up to which a stretched copy is kept for products: 64 MB in float32.
COPIED_UP_TO = 2**24


class Shaped:
    """Rows of another store, stretched.

    Parameters
    ----------
    inner : the examples as given
    shape : the map
    lasting : whether it is there for more than one pass, so that a copy is worth its while
    """

    def __init__(self, inner: Store, shape: Shape, *, lasting: bool = False) -> None:
        self.inner, self.shaping, self._lasting = inner, shape, lasting
        self.kind = f"shaped {inner.kind}"
        self.index: Any = inner.index
        self.columns: tuple[Hashable, ...] | None = inner.columns

    @property
    def data(self) -> Any:
        """Refuse: nowhere are these numbers held."""
        raise AttributeError(
            "a pool in the coordinates of a prior holds its numbers nowhere, they are worked out "
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
        """What a row needs at most when it is multiplied."""
        return self.inner.bytes_per_row

    def held(self, selection: Selection) -> npt.NDArray[Any]:
        """Return rows as a dense array: stretched, hardly an entry is 0."""
        return self.dense(selection)

    def dense(self, selection: Selection) -> npt.NDArray[Any]:
        """Return rows as a dense array: the same bits, whatever they are read with.

        Answers that are taken in one by one or together have to lead to the same questions, and
        copies of a row have to be known as such.
        """
        return self.shaping.applied_singly(self._given(selection))

    def singles(self, selection: Selection) -> Singles:
        """Return rows as a dense array in float32, which is a third of the work."""
        whole = self.shaping.whole
        if whole is None:
            return self.shaping.applied(self._given(selection)).astype(np.float32)
        # Symmetric: a product with its rows is one with its columns.
        return self.inner.product(selection, self.inner.operand(whole))

    def operand(self, weights: Singles) -> Singles:
        """Return hypotheses prepared for products: as they are for the rows as given."""
        if self._copy is not None:
            return weights.T
        # In float32, as the products that follow: this is done for every question.
        whole = self.shaping.whole
        stretched = self.shaping.single.applied(weights) if whole is None else weights @ whole
        return self.inner.operand(np.asarray(stretched, dtype=np.float32))

    def product(
        self, selection: Selection, operand: Singles, out: Singles | None = None
    ) -> Singles:
        """Return the products of rows with prepared hypotheses."""
        if self._copy is not None:
            return np.asarray(np.matmul(self._copy[selection], operand, out=out))
        return self.inner.product(selection, operand, out)

    @cached_property
    def _copy(self) -> Singles | None:
        """All rows, stretched, where they are few and all at hand as an array."""
        rows, columns = self.inner.shape
        at_hand = self._lasting and self.inner.is_resident
        if not at_hand or self.inner.kind.endswith("sparse") or rows * columns > COPIED_UP_TO:
            return None
        # Some rows at a time: memory that was never touched costs more than the products.
        copy = np.empty((rows, columns), dtype=np.float32)
        for part in parts(rows, rows_per_block(4 * 8 * columns)):
            copy[part] = self.shaping.applied(self._given(part))
        return copy

    def _given(self, selection: Selection) -> Floats:
        """Return rows as they were given, in float64."""
        return self.inner.dense(selection).astype(np.float64, copy=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the copy out of files and messages to other processes."""
        return {name: value for name, value in self.__dict__.items() if name != "_copy"}

    def first_wrong(self, part: slice) -> tuple[int, int] | None:
        """Return the first entry that is no usable number, or None."""
        return self.inner.first_wrong(part)

    def zero_rows(self, part: slice) -> Bools:
        """Say which rows hold nothing but 0: factors are positive, so stretching makes none."""
        return self.inner.zero_rows(part)

    def squares(self, part: slice) -> Floats:
        """Return the squared lengths of rows."""
        shaping = self.shaping
        directions = self.inner.operand(shaping.directions.astype(np.float32))
        along = self.inner.product(part, directions).astype(np.float64)
        others = np.maximum(self.inner.squares(part) - (along**2).sum(axis=1), 0.0)
        return np.asarray(along**2 @ shaping.factors**2 + shaping.rest**2 * others)

    def feed(self, digest: hashlib.blake2b, part: slice) -> None:
        """Let rows into a digest, as they were given."""
        self.inner.feed(digest, part)

    @property
    def preamble(self) -> bytes:
        """What comes before the rows in a digest: the map."""
        directions = np.ascontiguousarray(self.shaping.directions, dtype="<f8").tobytes()
        factors = np.append(self.shaping.factors, self.shaping.rest).astype("<f8").tobytes()
        return directions + factors + self.inner.preamble

    @property
    def is_resident(self) -> bool:
        """Whether the numbers as given are in memory."""
        return self.inner.is_resident

    def where(self, row: int) -> str:
        """Return where a row is, in words."""
        return self.inner.where(row)

    def keep(self, rows: Ints, store: Any) -> None:
        """Keep rows at hand, as they were given."""
        self.inner.keep(rows, store.inner)

    def part(self, selection: Selection) -> Shaped:
        """Return some rows as a store of their own."""
        return Shaped(self.inner.part(selection), self.shaping, lasting=self._lasting)

    def stream(self, step: int) -> Iterator[tuple[int, Shaped]]:
        """Yield all rows in order, with the number of the first."""
        for start, rows in self.inner.stream(step):
            yield start, Shaped(rows, self.shaping)

    def each(
        self,
        work: Callable[..., T],
        step: int,
        shared: tuple[Any, ...],
        together: Together[T] | None = None,
    ) -> Iterator[T]:
        """Yield what is made of each block of rows, stretched where they are."""
        return self.inner.each(partial(_stretched, work, self.shaping), step, shared, together)


def _stretched(work: Callable[..., T], shape: Shape, start: int, rows: Store, *shared: Any) -> T:
    """Do some work on rows that are stretched."""
    return work(start, Shaped(rows, shape), *shared)
