"""Ask about examples in a given order, whatever the answers are."""

from __future__ import annotations

import numpy as np

from aluma.arrays import Bools, Ints
from aluma.spaces.situation import Question, Situation
from aluma.spaces.space import Space
from aluma.strategies.order import first_occurrences
from aluma.strategies.strategy import Strategy


class InOrder(Strategy[Space]):
    """The next example of an order; what is not in it is never asked about."""

    def __init__(self, order: Ints) -> None:
        self.order = first_occurrences(order)

    def listed(self, m: int) -> Bools:
        """Return what is in the order."""
        mask = np.zeros(m, dtype=bool)
        mask[self.order] = True
        return mask

    def ask(self, at: Situation[Space]) -> Question:
        """Return the next one."""
        return Question(int(self.order[at.eligible[self.order].argmax()]))

    def ask_batch(self, at: Situation[Space], n: int) -> Ints:
        """Return the next n."""
        return np.asarray(self.order[at.eligible[self.order]][:n])
