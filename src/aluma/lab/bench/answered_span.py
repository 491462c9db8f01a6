"""Rows of a wide pool by few numbers that tell a linear classifier all there is to tell.

Weights of a classifier with a quadratic penalty are sums of the examples it was fitted to (the
representer theorem: Kimeldorf and Wahba 1971). So what it says of any row depends on the row's
coordinates in the span of those only: as many numbers as there are answers, not as words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aluma.arrays import Floats

#: An example whose part outside the span is a smaller share of it counts as inside.
INSIDE = 1e-6


class AnsweredSpan:
    """Coordinates of all rows of a sparse matrix in the span of those that were answered."""

    def __init__(self, X: Any) -> None:
        self.X = X
        self._squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        self._inside: Floats = np.empty((X.shape[0], 0))

    def add(self, row: int) -> None:
        """Take a row into the span."""
        within = self._inside[row]
        left = self._squares[row] - within @ within
        if left <= INSIDE**2 * self._squares[row]:
            return
        products = np.asarray((self.X @ self.X[[row]].T).todense()).ravel()
        more = (products - self._inside @ within) / np.sqrt(left)
        self._inside = np.column_stack([self._inside, more])

    def rows(self) -> Floats:
        """Return all rows: their coordinates, and the length of what is outside the span.

        Lengths of rows are what they were, and of the answered ones nothing is outside.
        """
        left = self._squares - (self._inside**2).sum(axis=1)
        left[left <= INSIDE**2 * self._squares] = 0.0
        return np.column_stack([self._inside, np.sqrt(left)])
