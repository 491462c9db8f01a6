"""Orthonormal vectors that span the answered examples, one more with every answer."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from aluma.arrays import Floats, Singles

#: An example whose part outside the span of the others is a smaller share of it counts as inside.
INSIDE = 1e-9
#: Vectors with more columns are kept one by one: to put them side by side after every answer would
#: take longer than to use them.
WIDE = 2048


class Axis:
    """A vector of a frame, and the example that brought it.

    Attributes
    ----------
    vector : of length 1, at right angles to all before it
    example : number of the example that is a sum of this vector and those before it
    coordinates : the weights of that sum
    products : of the vector with the rows of a pool, if somebody has worked them out
    """

    def __init__(self, vector: Floats, example: int, coordinates: Floats) -> None:
        self.vector, self.example, self.coordinates = vector, example, coordinates
        self.products: Singles | None = None


class Frame:
    """Vectors that are never changed: with one more, they are another frame."""

    def __init__(self, dimension: int, axes: tuple[Axis, ...] = ()) -> None:
        self.dimension, self.axes = dimension, axes

    def __len__(self) -> int:
        return len(self.axes)

    @property
    def nbytes(self) -> int:
        """Bytes that a frame has to itself: wide ones share their vectors with those before."""
        return 0 if self.dimension > WIDE else 8 * len(self) * self.dimension

    def begun_with(self, n: int) -> Frame:
        """Return the frame of the first n vectors."""
        return self if n == len(self) else Frame(self.dimension, self.axes[:n])

    @cached_property
    def vectors(self) -> Floats:
        """All vectors, (r, d)."""
        found = [axis.vector for axis in self.axes]
        return np.array(found) if found else np.empty((0, self.dimension))

    @cached_property
    def triangle(self) -> Floats:
        """The examples that brought the vectors, by their coordinates, (r, r)."""
        found = np.zeros((len(self), len(self)))
        for row, axis in zip(found, self.axes, strict=True):
            row[: len(axis.coordinates)] = axis.coordinates
        return found

    def with_example(self, x: Floats, example: int) -> tuple[Frame, Floats]:
        """Return a frame that has an example in its span, and the example's coordinates there."""
        within = self.products(x)
        outside = x - self.combined(within)
        # Once more: what is left can be small, and cancellation tilts it towards the frame.
        outside -= self.combined(self.products(outside))
        size = float(np.linalg.norm(outside))
        if size <= INSIDE * float(np.linalg.norm(x)) or len(self) == self.dimension:
            return self, within
        within = np.append(within, size)
        axis = Axis(outside / size, example, within)
        return Frame(self.dimension, (*self.axes, axis)), within

    def products(self, x: Floats) -> Floats:
        """Return the products of the vectors with an example: its coordinates, if it is inside."""
        if self.dimension <= WIDE:
            return np.asarray(self.vectors @ x)
        return np.array([axis.vector @ x for axis in self.axes])

    def combined(self, weights: Floats) -> Floats:
        """Return the sum of the vectors with some weights."""
        if self.dimension <= WIDE:
            return np.asarray(weights @ self.vectors)
        found = np.zeros(self.dimension)
        for weight, axis in zip(weights, self.axes, strict=True):
            found += weight * axis.vector
        return found
