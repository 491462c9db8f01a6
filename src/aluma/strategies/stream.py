"""Strategies that take the examples as they come: for each, ask for its label or pass on."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from aluma.arrays import Bools, Ints
from aluma.errors import Exhausted
from aluma.spaces.situation import Question, S, Situation
from aluma.strategies.strategy import Strategy


class Stream(Strategy[S]):
    """Reads an order of examples, again and again, and asks about some of them.

    It wants no more labels when a whole pass through the order asks for nothing new. What it would
    ask next follows from its seed and the history alone, whether it is asked or not, so a told
    example counts as asked if it is the one that would have been asked; otherwise the reading goes
    on where it was. Labels that are inferred on the way are predictions, not answers.
    """

    reads_a_stream: ClassVar[bool] = True

    def __init__(self, order: Ints, m: int) -> None:
        self.order = order
        self._listed = np.zeros(m, dtype=bool)
        self._listed[order] = True

    @abstractmethod
    def wanted(self, at: Situation[S], n: int) -> list[Question]:
        """Return the next n questions, fewer if a pass through the order has fewer."""

    def listed(self, m: int) -> Bools:
        """Return what is in the order."""
        return self._listed

    def ask(self, at: Situation[S]) -> Question | None:
        """Return the next question, or None when a pass has none."""
        return next(iter(self.wanted(at, 1)), None)

    def ask_batch(self, at: Situation[S], n: int) -> Ints:
        """Return the next n questions of a pass."""
        found = self.wanted(at, n)
        if not found:
            raise self.passed()
        if len(found) < n:
            raise Exhausted(f"{n} questions were wanted, {len(found)} are left.")
        return np.array([question.example for question in found], dtype=np.int64)

    def passed(self) -> Exhausted:
        """Return the error for asking on when a whole pass wanted nothing."""
        return Exhausted(
            f"the learner read its whole order of {len(self.order)} examples and wanted none of "
            "their labels: it has finished. Labels can still be told."
        )
