"""Who is asked next, in the abstract.

A strategy looks at a situation and names an example. It keeps nothing that could not be worked out
again from the history, so that asking twice, undoing and replaying give the same questions; what it
does keep is a shortcut. To add one, write a class in a file of its own, assemble a learner with it
and add a line to :data:`aluma.learners.registry.ENTRIES`.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Self

from aluma.arrays import Bools, Ints
from aluma.errors import Exhausted
from aluma.spaces.history import Event
from aluma.spaces.situation import Question, S, Situation


class Strategy(ABC, Generic[S]):
    """Chooses the next question."""

    #: Whether it takes the examples as they come and may want none of them: its place in the order
    #: is then in the marks of the events.
    reads_a_stream: ClassVar[bool] = False

    @abstractmethod
    def ask(self, at: Situation[S]) -> Question | None:
        """Return the next question, an eligible example, or None if no label is wanted."""

    @abstractmethod
    def ask_batch(self, at: Situation[S], n: int) -> Ints:
        """Return n different eligible examples, the first of them the next question."""

    def listed(self, m: int) -> Bools | None:
        """Return which of m examples can be asked about at all; None for all of them."""
        del m
        return None

    def mark(self, at: Situation[S], question: Question | None, index: int, sign: int) -> Any:
        """Return what to note with the event that comes next, see :class:`Event`.

        ``question`` is what would be asked now; None if nobody has asked and no stream is read.
        """
        return None

    def inferred(self) -> Mapping[int, int]:
        """Return signs, by example, that choosing questions has proven on the way."""
        return {}

    def verified_factors(self, history: Sequence[Event]) -> dict[int, float]:
        """Return the greedy factors, by example, that were verified when it was chosen."""
        return {}

    def passed(self) -> Exhausted:
        """Return the error for asking on when no label is wanted any more."""
        return Exhausted("no label is wanted any more: the learner has finished.")

    def went_back(self, at: Situation[S]) -> None:
        """Forget shortcuts that need answers which have been taken back."""

    def fork(self) -> Self:
        """Return an independent copy."""
        return copy.copy(self)
