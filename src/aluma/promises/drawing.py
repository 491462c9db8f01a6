"""The order in which labels are checked, found as far as it is wanted.

Drawing one label after the other, each with a chance in proportion to its weight, is the order in
which exponential clocks of those rates ring. Of millions few are ever checked: what rings late is
not put in order, nor kept.
"""

from __future__ import annotations

import numpy as np

from aluma.arrays import Bools, Floats, Ints
from aluma.pool.store import parts
from aluma.streams import OfSeed, stream

#: Up to so many, or with weights, all are put in order at once.
WHOLE = 2**16
#: Of more, so many are at first.
FIRST = 4096
#: Clocks that are looked at together.
AT_ONCE = 2**20


class Drawing:
    """Examples in a random order.

    Parameters
    ----------
    known : mask of those that are not drawn, not to be changed
    weights : of all examples, or None where they are alike
    seed, name : of the draws
    """

    def __init__(self, known: Bools, weights: Floats | None, seed: int, name: int) -> None:
        self._known, self._n = known, int(np.count_nonzero(~known))
        self._seed, self._name = seed, name
        every = self._n <= WHOLE or weights is not None
        self._found = self._in_order(weights) if every else self._lowest(FIRST)

    def __len__(self) -> int:
        return self._n

    def first(self, n: int) -> Ints:
        """Return the first n of them, or all there are."""
        found = self._found
        if n > len(found) < self._n:
            # In one step, since forks share it.
            self._found = found = self._lowest(min(2 * n, self._n))
        return found[:n]

    def _in_order(self, weights: Floats | None) -> Ints:
        """Return all of them."""
        unknown = np.flatnonzero(~self._known)
        rates = np.ones(len(unknown)) if weights is None else weights[unknown]
        rings = self._clocks().exponential(size=len(unknown)) / rates
        return np.asarray(unknown[np.argsort(rings)])

    def _lowest(self, n: int) -> Ints:
        """Return the n whose clocks ring first."""
        # Half as many again are expected before that, and if they are too few, twice as many.
        share = 1.5 * n / self._n
        while True:
            latest = -np.log1p(-share) if share < 1.0 else np.inf
            clocks, places, times = self._clocks(), [], []
            for part in parts(self._n, AT_ONCE):
                rings = clocks.exponential(size=part.stop - part.start)
                early = np.flatnonzero(rings <= latest)
                places.append(part.start + early)
                times.append(rings[early])
            order = np.argsort(np.concatenate(times))
            if len(order) >= n:
                return self._names(np.concatenate(places)[order[:n]])
            share *= 2.0

    def _names(self, places: Ints) -> Ints:
        """Return which examples are at some places among those that are drawn."""
        known = np.flatnonzero(self._known)
        before = known - np.arange(len(known))
        return np.asarray(places + np.searchsorted(before, places, side="right"))

    def _clocks(self) -> np.random.Generator:
        return stream(self._seed, OfSeed.CHECKS, self._name)
