"""When a learner has finished, in the abstract.

A stopping rule looks at a situation and at the promise. To add one, write it in a file of its own
and add a line to :data:`aluma.promises.rules.STOPPING`: ``ALuMA(X, stopping=name)`` and sessions
then know it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

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
