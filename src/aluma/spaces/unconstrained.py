"""The space of learners that take any answers: nothing is ever ruled out."""

from __future__ import annotations

from collections.abc import Sequence

from aluma.pool import Pool
from aluma.spaces.history import Event
from aluma.spaces.space import Space


class Unconstrained(Space):
    """All halfspaces, whatever was answered; what answers count for is the prediction's affair."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def add(self, index: int, sign: int) -> None:
        """Take any answer."""

    def back_to(self, kept: Sequence[Event]) -> None:
        """Do nothing: the history is all there is."""
