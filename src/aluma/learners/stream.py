"""Learners that take the examples as they come: for each, ask for its label or pass on."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Ints
from aluma.errors import Exhausted
from aluma.learners.learner import Learner
from aluma.strategies.order import given_order

PASSED = (
    "the learner read its whole order of {} examples and wanted none of their labels: it has "
    "finished. Labels can still be told."
)


class StreamLearner(Learner):
    """A learner that reads an order of examples, again and again, and asks about some of them.

    It has finished when a whole pass through the order asks for nothing new. What it would ask
    next follows from its seed and the history alone, whether it is asked or not, so a told example
    counts as asked if it is the one that would have been asked; otherwise the reading goes on
    where it was. Labels that are inferred on the way are predictions, not answers.

    Subclasses call :meth:`_read_in` when they are made, and say what is wanted next
    (:meth:`_wanted`).
    """

    order: Ints
    _listed: Bools
    _passed: bool

    def _read_in(self, order: npt.ArrayLike | None, seed: int) -> None:
        """Set the order in which examples come; by default the random order of the seed."""
        self.order = given_order(order, seed, len(self.pool))
        self._listed = np.zeros(len(self.pool), dtype=bool)
        self._listed[self.order] = True
        self._passed = False

    @property
    def finished(self) -> bool:
        """Whether a pass through the whole order asks for nothing new."""
        return self._next() is None

    @abstractmethod
    def _wanted(self, eligible: Bools, n: int) -> Ints:
        """Return the next n examples that it wants, fewer if a pass through the order has fewer."""

    def _next(self) -> int | None:
        """Return the next question, or None when a pass has none; worked out once."""
        if self._question is None and not self._passed:
            eligible = self._eligible()
            found = self._wanted(eligible, 1) if eligible.any() else self.order[:0]
            self._question, self._passed = (int(found[0]), False) if len(found) else (None, True)
        return self._question

    def _eligible(self) -> Bools:
        return np.asarray(super()._eligible() & self._listed)

    def _choose(self, eligible: Bools) -> int:
        question = self._next()
        if question is None:
            raise Exhausted(PASSED.format(len(self.order)))
        return question

    def _choose_batch(self, eligible: Bools, n: int) -> Ints:
        found = self._wanted(eligible, n)
        if len(found) == 0:
            raise Exhausted(PASSED.format(len(self.order)))
        if len(found) < n:
            raise Exhausted(f"{n} questions were wanted, {len(found)} are left.")
        return found

    def _forget(self) -> None:
        super()._forget()
        self._passed = False
