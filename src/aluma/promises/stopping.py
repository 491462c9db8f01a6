"""When a learner has finished.

A stopping rule looks at a situation and at the promise. To add one, write a class below and a line
in :data:`STOPPING`: ``ALuMA(X, stopping=name)`` and sessions then know it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aluma.promises.promise import Promise
from aluma.spaces.situation import Situation


@dataclass(frozen=True)
class Limits:
    """What a learner was told about when to stop.

    Attributes
    ----------
    tolerance : share of the pool that may be wrong
    delta : what the promise may fail with
    questions_are_cheap : whether the next question may be looked at to see that there is no need to
        count disputes yet
    """

    tolerance: float
    delta: float
    questions_are_cheap: bool


class Stopping(ABC):
    """Says when no label is worth asking for any more."""

    #: Whether having finished says something about how right the labels are.
    judges_labels: ClassVar[bool] = False

    @abstractmethod
    def finished(self, at: Situation[Any], promise: Promise[Any]) -> bool:
        """Say whether the learner has finished."""


class NothingLeft(Stopping):
    """When everything is answered, skipped or undecidable."""

    def finished(self, at: Situation[Any], promise: Promise[Any]) -> bool:
        """Say whether nothing can be asked about."""
        del promise
        return not at.eligible.any()


class NothingWanted(Stopping):
    """When a strategy that reads a stream wants no label of a whole pass through its order."""

    def finished(self, at: Situation[Any], promise: Promise[Any]) -> bool:
        """Say whether there is no next question."""
        del promise
        return at.next_question() is None


class Settled(Stopping):
    """When the promised share of wrong labels is at most ``tolerance``.

    Nothing needs to be proven for it. With ``slack="auto"`` a pool that seems settled is put to the
    test first, see :class:`aluma.spaces.loosening.LooseningSpace`.
    """

    judges_labels: ClassVar[bool] = True

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    def finished(self, at: Situation[Any], promise: Promise[Any]) -> bool:
        """Say whether the rest of the pool is settled."""
        if not at.eligible.any():
            return True
        if at.n_answers == 0 or at.space.untested:
            return False
        return not self._clearly_contested(at) and promise.error_bound(at) <= self.limits.tolerance

    def _clearly_contested(self, at: Situation[Any]) -> bool:
        """Say whether the next question alone shows that the pool is not settled yet.

        A single example on which more than delta of the hypotheses are in the minority does, so
        disputes are counted only near the end.
        """
        limits = self.limits
        if at.spent or not limits.questions_are_cheap or limits.tolerance * len(at.pool) >= 1:
            return False
        question = at.next_question()
        share = question.positive if question is not None and question.positive else 0.0
        doubt = 3 * np.sqrt(limits.delta / at.space.size)
        return bool(min(share, 1 - share) > limits.delta + doubt)


#: Name -> what makes the rule, given the limits.
STOPPING: dict[str, Callable[[Limits], Stopping]] = {
    "settled": Settled,
    "nothing_left": lambda _: NothingLeft(),
}


def stopping_rule(name: Any, limits: Limits) -> Stopping:
    """Return the rule of that name, or say which there are."""
    if not isinstance(name, str) or name not in STOPPING:
        raise ValueError(f"stopping must be one of {', '.join(STOPPING)}, got {name!r}.")
    return STOPPING[name](limits)
