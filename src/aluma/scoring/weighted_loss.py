"""The halfspace of least importance-weighted logistic loss, and how far near-optimal ones differ.

What importance weighted active learning asks by and predicts by: see
:class:`aluma.learners.iwal.IWAL` for the choices made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse

from aluma.arrays import Floats
from aluma.blas import one_thread
from aluma.geometry.logistic_ball import Loss
from aluma.pool import Pool
from aluma.scoring.hyperplane import lengths

#: A probability is known up to this share of it.
ACCURACY = 1e-2
#: Rows with fewer entries than this share are kept sparse if they are many: dense is faster else.
SPARSE, MANY = 0.1, 30_000
#: Ever closer bounds on it that are worked out, at most; about a dozen suffice.
STAGES = 100


@dataclass(frozen=True)
class Reading:
    """Where a reading of the order has come to; a function of the history.

    Attributes
    ----------
    place : examples of the order that have been read, over all passes
    rounds : how many of them, and of those told out of turn, count: t in the source
    weights : importance weight of each answer times its sign, by example
    early : examples told out of turn, whose next turn is used up
    best : the minimiser of the weighted loss, of these weights or (``stale``) earlier ones
    """

    place: int
    rounds: int
    weights: Mapping[int, float] = field(repr=False)
    early: frozenset[int]
    best: Floats = field(repr=False)
    stale: bool = False

    def read(self) -> Reading:
        """Return the reading behind an example that counts."""
        return replace(self, place=self.place + 1, rounds=self.rounds + 1)

    def left_out(self, example: int) -> Reading:
        """Return the reading behind an example that does not count in its turn."""
        return replace(self, place=self.place + 1, early=self.early - {example})

    def weighed(self, example: int, weight: float) -> Reading:
        """Return the reading with a signed weight more."""
        weights = {**self.weights, example: self.weights.get(example, 0.0) + weight}
        return replace(self, weights=weights, stale=True)


class WeightedLoss:
    """The convex programs of a pool, with the last one kept.

    Parameters
    ----------
    pool : the points
    norm : bound on the norm of u in ``x -> <u, x>``, for points scaled so that the longest is 1
    deviation : the constant c of the deviation bound ``c / sqrt(t)``
    """

    def __init__(self, pool: Pool, norm: float, deviation: float) -> None:
        self.pool, self.norm, self.deviation = pool, norm, deviation
        self._longest = float(lengths(pool).max()) or 1.0
        self._last: tuple[Mapping[int, float], Loss] | None = None

    def start(self) -> Reading:
        """Return the reading before the first example."""
        return Reading(0, 0, {}, frozenset(), np.zeros(self.pool.dimension))

    def fit(self, reading: Reading) -> Reading:
        """Return a reading with the minimiser of its own weights."""
        if not reading.stale:
            return reading
        return replace(reading, best=self._loss(reading).minimiser(reading.best), stale=False)

    @one_thread()
    def probability(self, example: int, reading: Reading, coin: float = -1.0) -> float:
        """Return the probability of asking about an example; less than the coin says no sooner."""
        x = self.pool.rows([example])[0] / self._longest
        most = self.norm * float(np.linalg.norm(x))
        if not reading.weights:
            return _spread(-most, most) / self.norm
        loss = self._loss(reading)
        level = loss.value(reading.best) + self.deviation * self.norm * reading.rounds**0.5
        ahead, behind = (loss.furthest(way, level, reading.best) for way in (x, -x))
        up = down = (0.0, most)
        for _ in range(STAGES):
            up, down = next(ahead, up), next(behind, down)
            lower = _spread(-down[0], up[0]) / self.norm
            upper = _spread(-min(down[1], most), min(up[1], most)) / self.norm
            if upper <= coin or upper - lower <= ACCURACY * lower:
                break
        return lower

    def _loss(self, reading: Reading) -> Loss:
        """Return the weighted loss of the answers that have been counted."""
        # Forks share this: what is kept is read once and replaced whole.
        last = self._last
        if last is None or last[0] is not reading.weights:
            signed = np.array(list(reading.weights.values()), dtype=np.float64)
            rows = self.pool.rows(np.array(list(reading.weights), dtype=np.int64)) / self._longest
            rows *= np.sign(signed)[:, None]
            few = rows.size > MANY and np.count_nonzero(rows) < SPARSE * rows.size
            loss = Loss(sparse.csr_array(rows) if few else rows, np.abs(signed), self.norm)
            self._last = last = reading.weights, loss
        return last[1]


def _spread(low: float, high: float) -> float:
    """Return by how much the loss of a label can differ for products between two values."""
    positive = np.logaddexp(0.0, -low) - np.logaddexp(0.0, -high)
    negative = np.logaddexp(0.0, high) - np.logaddexp(0.0, low)
    return float(max(positive, negative))
