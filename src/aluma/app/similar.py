"""The examples nearest to one, by the features that are learnt from."""

from __future__ import annotations

import numpy as np

from aluma.app.features import Features
from aluma.app.stored import StoredRows
from aluma.arrays import Floats, Ints
from aluma.pool.store import rows_per_block


def nearest(features: Features, example: int, n: int) -> Ints:
    """Return up to n other examples, the nearest first; of equal distances, the first in order."""
    X = features.X
    if isinstance(X, StoredRows):
        return X.nearest(example, n)
    squares = np.empty(len(X))
    step = rows_per_block(8 * X.shape[1])
    for start in range(0, len(X), step):
        apart: Floats = X[start : start + step].astype(np.float64) - X[example]
        squares[start : start + step] = np.einsum("ij,ij->i", apart, apart)
    squares[example] = np.inf
    order = np.argsort(squares, kind="stable")
    return np.asarray(order[: min(n, len(X) - 1)])
