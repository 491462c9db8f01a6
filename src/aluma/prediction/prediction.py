"""How labels are given, in the abstract."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import ClassVar, Generic, Self

from aluma.arrays import Floats, Shares
from aluma.pool import Pool
from aluma.spaces.situation import S, Situation


class Prediction(ABC, Generic[S]):
    """Labels examples, given what the answers leave."""

    #: What gives the labels, in words that fit after "labelled by".
    words: ClassVar[str]

    @abstractmethod
    def shares(self, at: Situation[S], pool: Pool) -> Floats:
        """Return the share of + votes for each example of a pool, in a new array."""

    def leaning(self, at: Situation[S], pool: Pool) -> Shares:
        """Return shares that tell the label of each example, where that takes fewer votes."""
        return self.shares(at, pool)

    def fork(self) -> Self:
        """Return an independent copy."""
        return copy.copy(self)
