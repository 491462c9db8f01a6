"""Products of examples in the feature space of a Mercer kernel, one column of them at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

from aluma.arrays import Floats, Ints
from aluma.pool import Pool

#: A name that scikit-learn knows, "precomputed", or a function of two examples.
Kernel: TypeAlias = str | Callable[[Floats, Floats], float]

PRECOMPUTED = "precomputed"
#: Rows whose own products are taken together: all pairs of them are computed.
TOGETHER = 32


class KernelColumns:
    """``k(x_j, x_i) / sqrt(k(x_j, x_j) k(x_i, x_i))`` for all examples j of a pool and some i.

    A pool's bias is a constant feature in the feature space: 1 is added to the kernel. Columns are
    kept, 8 bytes per example and column; they follow from the pool, so copies of a learner share
    them.

    Parameters
    ----------
    pool : the examples or, if ``kernel`` is "precomputed", their kernel matrix
    kernel : see :data:`Kernel`
    parameters : keyword arguments of the kernel, for instance ``{"gamma": 0.5}``
    """

    def __init__(self, pool: Pool, kernel: Kernel, parameters: Mapping[str, Any]) -> None:
        self.pool, self.kernel, self.parameters = pool, kernel, dict(parameters)
        self._check()
        self._columns: dict[int, Floats] = {}
        self.sizes = self._sizes()

    def column(self, i: int) -> Floats:
        """Return the normalised products of the whole pool with example i."""
        if i not in self._columns:
            products = np.concatenate([self._with(rows, [i]) for _, rows in self.pool.blocks()])
            self._columns[i] = products[:, 0] / np.where(self.sizes > 0, self.sizes, 1.0)
        return self._columns[i]

    def products(self, pool: Pool, indices: Ints) -> Floats:
        """Return products of new examples with examples of the pool, which have length 1."""
        return np.concatenate([self._with(rows, indices) for _, rows in pool.blocks()])

    def _with(self, rows: Floats, indices: Any) -> Floats:
        """Return products of rows with examples of the pool, divided by the latter's lengths."""
        bias = 1.0 if self.pool.bias else 0.0
        features = rows[:, :-1] if self.pool.bias else rows
        if self.kernel == PRECOMPUTED:
            values = features[:, indices]
        else:
            others = self.pool.rows(indices)
            values = self._pairs(features, others[:, :-1] if self.pool.bias else others)
        return np.asarray((values + bias) / self.sizes[indices])

    def _pairs(self, rows: Floats, others: Floats) -> Floats:
        return np.asarray(pairwise_kernels(rows, others, metric=self.kernel, **self.parameters))

    def _sizes(self) -> Floats:
        """Return the lengths of the examples in the feature space."""
        squares = np.empty(len(self.pool))
        for part, rows in self.pool.blocks(TOGETHER):
            features = rows[:, :-1] if self.pool.bias else rows
            if self.kernel == PRECOMPUTED:
                squares[part] = np.diagonal(features[:, part])
            elif callable(self.kernel):
                squares[part] = [self.kernel(x, x, **self.parameters) for x in features]
            else:
                squares[part] = np.diagonal(self._pairs(features, features))
        if not (squares >= 0).all():
            wrong = int(np.argmin(squares))
            raise ValueError(
                f"the kernel of example {wrong} with itself is {squares[wrong]:g}: no Mercer "
                "kernel is negative there. Use one such as 'rbf' or 'polynomial'."
            )
        return np.asarray(np.sqrt(squares + (1.0 if self.pool.bias else 0.0)))

    def _check(self) -> None:
        """Refuse a kernel that is not known, or a kernel matrix that cannot be one."""
        if callable(self.kernel):
            return
        known = (*sorted(PAIRWISE_KERNEL_FUNCTIONS), PRECOMPUTED)
        if self.kernel not in known:
            raise ValueError(
                f"kernel must be a function of two examples or one of {', '.join(known)}, got "
                f"{self.kernel!r}."
            )
        if self.kernel != PRECOMPUTED:
            return
        m, width = len(self.pool), self.pool.dimension - self.pool.bias
        if width != m:
            raise ValueError(
                f"a precomputed kernel is a matrix of all pairs of examples, got {m} x {width}."
            )
        matrix = self.pool.rows(np.arange(m))[:, :m]
        if not np.allclose(matrix, matrix.T, rtol=1e-6, atol=1e-9 * float(np.abs(matrix).max())):
            raise ValueError("a precomputed kernel must be symmetric: k(x, z) = k(z, x).")
