"""Late questions: nearest to a tie by the likeliest weights, with some noise allowed for.

Splits pin the version space down before it is found out that no halfspace is right about all of a
pool. What is wrong then is wrong although nearly all hypotheses agree on it, and splits do not find
that. Weights that allow for noise are not bound to every answer, and what is nearest to a tie by
them is where both sides meet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from aluma.arrays import Bools, Floats, Ints
from aluma.pool import Pool
from aluma.representation.softmax import likeliest
from aluma.scoring.many import first_of
from aluma.spaces.frame import Frame

#: One question in so many still goes to the best split. With every second one next to nothing was
#: gained on MNIST 3 and 5 (-0.02 instead of -0.16 points after 200, ten tuning seeds).
SPLIT_EVERY = 8
#: The noise of the weights that tell what is near a tie, in lengths of a typical row. On six seeds
#: of the digits 0.2 and 0.3 had 1.3% wrong after 200 answers, 0.1 and 0.45 1.4 and 1.5%. For two
#: classes 0.15 gained less than 0.3 (two pools, ten seeds), and 1 was worse than splits.
LITTLE_NOISE = 0.3
#: How many hypotheses look at how many examples, to see whether votes are divided on little.
GLANCE, GLANCED_AT = 32, 384


@dataclass(frozen=True)
class Answered:
    """The answered examples by coordinates in their own span, one more with every answer.

    ``bits`` are those of the examples themselves, which their copies have too.
    """

    told: tuple[tuple[int, int], ...]
    frame: Frame
    coordinates: tuple[Floats, ...] = ()
    bits: frozenset[bytes] = frozenset()

    def after(self, told: Sequence[tuple[int, int]], pool: Pool) -> Answered:
        """Return the same after these answers, going on from here if they do."""
        known = len(self.told)
        if tuple(told[:known]) != self.told:
            return Answered((), Frame(pool.dimension)).after(told, pool)
        frame, coordinates, bits = self.frame, list(self.coordinates), set(self.bits)
        new = [index for index, _ in told[known:]]
        for index, x in zip(new, pool.rows(new), strict=True):
            frame, within = frame.with_example(x, index)
            coordinates.append(within)
            bits.add(x.tobytes())
        return Answered(tuple(told), frame, tuple(coordinates), frozenset(bits))

    def has(self, rows: Floats) -> Bools:
        """Say which rows are copies of answered examples: to ask about those would tell nothing.

        As near to a tie as the one they are copies of, they would be asked about one by one.
        """
        return np.array([x.tobytes() in self.bits for x in rows], dtype=bool)

    def boundary(self, noise: float) -> Floats:
        """Return the direction, at right angles to the boundary of the likeliest weights."""
        rows = np.zeros((len(self.told), len(self.frame)))
        for row, within in zip(rows, self.coordinates, strict=True):
            row[: len(within)] = within
        positive = np.array([sign > 0 for _, sign in self.told], dtype=np.int64)
        negative_weights, positive_weights = likeliest(rows, positive, 2, noise)
        return self.frame.combined(positive_weights - negative_weights)


def nearest_to(direction: Floats, pool: Pool, rows: Ints, is_new: Callable[[Ints], Bools]) -> Ints:
    """Return those of some rows of a pool that are nearest to a boundary, the nearest first."""
    distance = np.empty(len(rows))
    for part, margins in pool.margin_blocks(direction[None], rows):
        distance[part] = np.abs(margins[:, 0])
    return first_of(rows[np.argsort(distance, kind="stable")], is_new)
