"""Hypotheses about wide sparse pools, which are never written down.

A hypothesis has a weight for every word and class: in all, tens of millions of numbers for a
question about posts. But the weight of a word that no answer has a say in is a normal number like
any other. So a word's weights, of all hypotheses and classes, are a stretch of one long row of
normal numbers that begins somewhere at random. The row fits into a processor's cache, and is drawn
anew for every question. Two words share their weights as rarely as they would share a bucket of as
many in a hash of features (Weinberger et al. 2009): products of two examples x and y are off by
``|x|_1 |y|_1 / BANK``, 0.0001 for posts of 64 words.

What the answers say is a part in their span: for an example, as many numbers as there are answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit
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
    return pool.dimension > WIDE and pool.is_plainly_sparse


class Seen:
    """Products of the rows of a pool with the vectors of frames, worked out once for each.

    ``share`` is what the pool's constant is multiplied by.
    """

    def __init__(self, pool: Pool, share: float) -> None:
        self.pool, self.constant = pool, share * pool.constant

    def on(self, frame: Frame, rows: Ints) -> Singles:
        """Return the products of some rows, (n, r)."""
        found = np.empty((len(frame), len(rows)), dtype=np.float32)
        for line, axis in zip(found, frame.axes, strict=True):
            if axis.products is None:
                axis.products = self.of(self.pool.data, axis.vector[None])[:, 0]
            np.take(axis.products, rows, out=line)
        return found.T

    def of(self, rows: Any, vectors: Floats) -> Singles:
        """Return the products of rows, in a CSR matrix without the bias, with vectors."""
        width = rows.shape[1]
        products = rows @ vectors[:, :width].T
        if self.pool.bias:
            products = products + self.constant * vectors[:, -1]
        return np.asarray(products, dtype=np.float32)


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
        self.inside = self._corrected(weights)

    def _corrected(self, weights: Floats) -> Singles:
        """Return what to add to the free weights: the chains' part, less the free one there."""
        if not len(self.frame):
            return np.empty((len(weights), 0), dtype=np.float32)
        examples = self.seen.pool.held(np.array([axis.example for axis in self.frame.axes]))
        # In float64: of examples that are nearly the same, small differences count.
        free = self._free(examples, np.zeros((len(self.frame), len(weights))))
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
        flat += self.inside @ self.frame.vectors.astype(np.float32)
        if self.seen.pool.bias:
            flat[:, -1] *= np.float32(self.seen.constant / self.seen.pool.constant)
        return np.asarray((self.scale * flat).reshape(self.shape), dtype=dtype)

    def margin_blocks(self, pool: Pool, rows: Ints | None) -> Iterator[tuple[slice, Singles]]:
        """Yield slices of the rows, and products with all vectors, (rows, k K)."""
        chosen = np.arange(len(pool)) if rows is None else rows
        length = self.shape[0] * self.shape[1]
        for part in parts(len(chosen), rows_per_block(4 * (length + len(self.frame)))):
            held = pool.held(chosen[part])
            products = self._inside(pool, held, chosen[part]) @ self.inside.T
            yield part, self.scale * self._free(held, np.ascontiguousarray(products))

    def _inside(self, pool: Pool, held: Any, rows: Ints) -> Singles:
        """Return the coordinates of rows in the frame."""
        if pool is self.seen.pool and not pool.is_large:
            return self.seen.on(self.frame, rows)
        return self.seen.of(held, self.frame.vectors)

    def _free(self, rows: Any, out: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Add to ``out`` (n, k K) the products of rows with weights that no answer has a say in."""
        _add_stretches(
            rows.indptr, rows.indices, rows.data.astype(out.dtype), self.starts, self.bank, out
        )
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
