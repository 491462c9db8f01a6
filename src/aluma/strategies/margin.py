"""Ask about the example closest to the max-margin separator (Tong and Koller)."""

from __future__ import annotations

import numpy as np

from aluma.arrays import Ints
from aluma.scoring.hyperplane import closest, closest_large
from aluma.spaces.separator import SeparatorSpace
from aluma.spaces.situation import Question, Situation
from aluma.strategies.order import random_order
from aluma.strategies.strategy import Strategy


class ClosestToSeparator(Strategy[SeparatorSpace]):
    """The example with the least ``|<w, x>| / |x|``; the very first question is random."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def ask(self, at: Situation[SeparatorSpace]) -> Question:
        """Return the closest example."""
        return Question(int(self.ask_batch(at, 1)[0]))

    def ask_batch(self, at: Situation[SeparatorSpace], n: int) -> Ints:
        """Return the n closest."""
        if at.n_answers == 0:
            order = random_order(self.seed, len(at.pool))
            return np.asarray(order[at.eligible[order]][:n])
        direction = at.space.separator.direction
        if at.pool.is_large:
            return closest_large(at.pool, direction, at.eligible, n)
        rows = np.flatnonzero(at.eligible)
        return closest(at.pool, direction, rows, at.space.lengths[rows], n)
