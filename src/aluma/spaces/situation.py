"""What the parts of a learner may look at: the pool, the answers so far and what they leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from aluma.arrays import Bools, Ints, Shares, Signs
from aluma.pool import Pool
from aluma.spaces.history import Event
from aluma.spaces.space import Space

S = TypeVar("S", bound=Space)


def _nobody() -> Ints:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Question:
    """An example to ask about, and what choosing it brought to light.

    Attributes
    ----------
    example : its position in the pool
    others : examples that could as well be asked about
    positive : share of the hypotheses that vote + on it, if that is known
    factor : greedy factor that was verified for asking it (Section 3 of the paper), or None
    found : where a strategy that reads a stream stands with it
    """

    example: int
    others: Ints = field(default_factory=_nobody)
    positive: float | None = None
    factor: float | None = None
    found: Any = None


@dataclass(frozen=True, eq=False)
class Situation(Generic[S]):
    """A learner as its parts see it at one moment; nothing of it is ever changed.

    Attributes
    ----------
    pool : the examples as the points that halfspaces divide
    space : what the answers leave
    history : answers and skips that count and that were learnt from, in order
    heard : all that count: the same, and then the checks of an audit that goes on
    listed : mask of the examples that the strategy can ask about at all, or None for all
    budget : how many answers there may be, or None
    next_question : returns what will be asked, or None if no label is wanted any more
    vote : returns shares of + votes that tell the label of each example of a pool
    labelling : returns the sign of every example's label, as given now
    """

    pool: Pool
    space: S
    history: Sequence[Event]
    heard: Sequence[Event]
    listed: Bools | None
    budget: int | None
    next_question: Callable[[], Question | None]
    vote: Callable[[Pool], Shares]
    labelling: Callable[[], Signs]

    @cached_property
    def eligible(self) -> Bools:
        """Which examples can be asked about: not answered, not skipped, and not all zeros."""
        mask = ~self.pool.zero_mask
        mask[[event.index for event in self.heard]] = False
        return mask if self.listed is None else np.asarray(mask & self.listed)

    @cached_property
    def answered(self) -> Ints:
        """Indices of the examples that were learnt from, in order."""
        return np.array([e.index for e in self.history if e.sign], dtype=np.int64)

    @cached_property
    def signs(self) -> Ints:
        """What they were told as, +1 or -1."""
        return np.array([e.sign for e in self.history if e.sign], dtype=np.int64)

    @property
    def n_answers(self) -> int:
        """How many answers were learnt from."""
        return len(self.answered)

    @cached_property
    def told(self) -> dict[int, int]:
        """All that was told, checks included: signs by example."""
        return {e.index: e.sign for e in self.heard if e.sign}

    @property
    def spent(self) -> bool:
        """Whether the budget is used up."""
        return self.budget is not None and len(self.told) >= self.budget
