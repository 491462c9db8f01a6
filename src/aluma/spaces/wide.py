"""Hypotheses about wide sparse pools, which are never written down.

A hypothesis has a weight for every word and class: in all, tens of millions of numbers for a
question about posts. But the weight of a word that no answer has a say in is a normal number like
any other. So a word's weights, of all hypotheses and classes, are a stretch of one long row of
normal numbers that begins somewhere at random. The row fits into a processor's cache, and is drawn
anew for every question. Two words share their weights as rarely as they would share a bucket of as
many in a hash of features (Weinberger et al. 2009): products of two examples x and y are off by
``|x|_1 |y|_1 / BANK``, 0.0001 for posts of 64 words.

What the answers say is a part in their span: for an example, as many numbers as there are answers.

A prior stretches examples by a factor along each of some directions, and all else by the least of
them (:mod:`aluma.representation.prior`). That would make them dense. But a product of two stretched
examples is that of the examples, times the square of the least factor, and what the directions add
to it; so a stretched example counts as the example itself with a few numbers beside it, one for
each direction, whose weights are normal numbers too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse
from scipy.linalg import solve_triangular

from aluma.arrays import Floats, Ints, Singles
from aluma.pool import Pool
from aluma.pool.store import parts, rows_per_block
from aluma.sampling.ball import quick_normals
from aluma.spaces.frame import WIDE, Frame

#: Normal numbers that the weights of words begin in.
BANK = 2**19


def is_wide(pool: Pool) -> bool:
    """Say whether a pool is of the kind that is served here: sparse as given, with many columns."""
    stretch = pool.stretch
    # Directions of smaller factors would have to take away from the products.
    adds = stretch is None or bool((stretch.factors >= stretch.rest).all())
    return pool.dimension > WIDE and pool.is_sparse and adds


class Seen:
    """Products of the rows of a pool with the vectors of frames, worked out once for each.

    ``share`` is what the pool's constant is multiplied by.
    """

    def __init__(self, pool: Pool, share: float) -> None:
        self.pool, self.constant = pool, share * pool.constant
        self.stretch = pool.stretch
        #: What examples themselves are multiplied by.
        self.rest = 1.0 if self.stretch is None else self.stretch.rest

    def on(self, frame: Frame, rows: Ints) -> Singles:
        """Return the products of some rows, (n, r)."""
        found = np.empty((len(frame), len(rows)), dtype=np.float32)
        for line, axis in zip(found, frame.axes, strict=True):
            if axis.products is None:
                axis.products = self.of(self._all, axis.vector[None])[:, 0]
            np.take(axis.products, rows, out=line)
        return found.T

    def of(self, rows: Any, vectors: Floats) -> Singles:
        """Return the products of rows, in a CSR matrix without the bias, with vectors."""
        width = rows.shape[1]
        across = vectors[:, :width]
        # The map is symmetric.
        products = rows @ (across if self.stretch is None else self.stretch.applied(across)).T
        if self.pool.bias:
            products = products + self.constant * vectors[:, -1]
        return np.asarray(products, dtype=np.float32)

    def beside(self, rows: Any) -> Floats:
        """Return the numbers that rows, in a CSR matrix, have beside them, (n, D)."""
        if self.stretch is None:
            return np.empty((rows.shape[0], 0))
        return np.asarray(rows @ self.stretch.directions.T) * self.added

    @property
    def directions(self) -> int:
        """D, how many numbers that are."""
        return 0 if self.stretch is None else len(self.stretch.factors)

    @cached_property
    def added(self) -> Floats:
        """What lengths along the directions are multiplied by, beside the rest."""
        assert self.stretch is not None
        return np.asarray(np.sqrt(self.stretch.factors**2 - self.rest**2))

    @cached_property
    def own_beside(self) -> Singles:
        """The numbers beside the pool's own rows."""
        return self.beside(self._all).astype(np.float32)

    @cached_property
    def _all(self) -> Any:
        return self.pool.as_given(slice(0, len(self.pool)))


class WideHypotheses:
    """k hypotheses of K classes.

    Parameters
    ----------
    seen : the pool that they are about
    frame : of the answered examples
    weights : (k K, r) what the chains say of the hypotheses' weights for the frame's vectors
    classes : K
    rng : draws the rest
    scale : that all products are multiplied by
    """

    def __init__(
        self,
        seen: Seen,
        frame: Frame,
        weights: Floats,
        classes: int,
        rng: np.random.Generator,
        scale: float = 1.0,
    ) -> None:
        self.seen, self.frame, self.scale = seen, frame, np.float32(scale)
        self.shape = len(weights) // classes, classes, frame.dimension
        self.bank = quick_normals(rng, (1, BANK + len(weights)))[0]
        self.starts = rng.integers(0, BANK, frame.dimension)
        along = quick_normals(rng, (len(weights), seen.directions))
        #: Weights of the frame's vectors and of the directions, beside those of words.
        self.inside = np.hstack([self._corrected(weights, along), along])

    def _corrected(self, weights: Floats, along: Singles) -> Singles:
        """Return what to add to the free weights: the chains' part, less the free one there."""
        if not len(self.frame):
            return np.empty((len(weights), 0), dtype=np.float32)
        answered = np.array([axis.example for axis in self.frame.axes])
        examples = self.seen.pool.as_given(answered)
        # In float64: of examples that are nearly the same, small differences count.
        free = self._free(examples, self.seen.beside(examples) @ along.T.astype(np.float64))
        there = solve_triangular(self.frame.triangle, free, lower=True, check_finite=False)
        return np.asarray(weights - there.T, dtype=np.float32)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, which: slice) -> WideHypotheses:
        """Return some of them."""
        start, stop, step = which.indices(len(self))
        assert step == 1
        part: WideHypotheses = object.__new__(WideHypotheses)
        vars(part).update(vars(self))
        classes = self.shape[1]
        part.shape = max(0, stop - start), classes, self.shape[2]
        part.inside = self.inside[start * classes : stop * classes]
        part.starts = self.starts + start * classes
        return part

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Return them written down, (k, K, d)."""
        del copy
        length = self.shape[0] * self.shape[1]
        flat = np.stack([self.bank[start : start + length] for start in self.starts], axis=1)
        if self.seen.stretch is not None:
            self._stretched_back(flat[:, : self.seen.stretch.directions.shape[1]])
        flat += self.inside[:, : len(self.frame)] @ self.frame.vectors.astype(np.float32)
        if self.seen.pool.bias:
            flat[:, -1] *= np.float32(self.seen.constant / self.seen.pool.constant)
        return np.asarray((self.scale * flat).reshape(self.shape), dtype=dtype)

    def _stretched_back(self, words: Singles) -> None:
        """Make weights of words those of stretched examples, which have nothing beside them."""
        stretch = self.seen.stretch
        assert stretch is not None
        there = words @ stretch.directions.T
        beside = self.inside[:, len(self.frame) :] * self.seen.added
        wanted = (self.seen.rest * there + beside) / stretch.factors
        words += ((wanted - there) @ stretch.directions).astype(np.float32)

    def margin_blocks(self, pool: Pool, rows: Ints | None) -> Iterator[tuple[slice, Singles]]:
        """Yield slices of the rows, and products with all vectors, (rows, k K)."""
        chosen = np.arange(len(pool)) if rows is None else rows
        for part in parts(len(chosen), rows_per_block(4 * sum(self.inside.shape))):
            # New examples may be dense.
            given = sparse.csr_matrix(pool.as_given(chosen[part]))
            products = self._inside(pool, given, chosen[part]) @ self.inside.T
            yield part, self.scale * self._free(given, np.ascontiguousarray(products))

    def _inside(self, pool: Pool, given: Any, rows: Ints) -> Singles:
        """Return the coordinates of rows in the frame, and what they have beside them."""
        seen = self.seen
        if pool is seen.pool and not pool.is_large:
            return np.hstack([seen.on(self.frame, rows), seen.own_beside[rows]])
        return np.hstack([seen.of(given, self.frame.vectors), seen.beside(given)], dtype=np.float32)

    def _free(self, rows: Any, out: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Add to ``out`` (n, k K) the products of rows with weights of words that no answer has."""
        values = (self.seen.rest * rows.data).astype(out.dtype)
        _add_stretches(rows.indptr, rows.indices, values, self.starts, self.bank, out)
        if self.seen.pool.bias:
            start = self.starts[-1]
            out += self.seen.constant * self.bank[start : start + out.shape[1]]
        return out


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _add_stretches(indptr, indices, values, starts, bank, out):  # type: ignore[no-untyped-def]
    """Add to every row of ``out`` the stretches of the bank that its words begin at."""
    for row in range(len(out)):
        here = out[row]
        for entry in range(indptr[row], indptr[row + 1]):
            start, value = starts[indices[entry]], values[entry]
            stretch = bank[start : start + len(here)]
            for i in range(len(here)):
                here[i] += value * stretch[i]
