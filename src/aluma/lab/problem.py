"""What a learner is measured on: a pool whose labels are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from aluma.arrays import Bools, Floats, Ints

#: Labels in contests: the negative and the positive one.
CLASSES = (-1, 1)

#: Takes a seed; returns examples and their labels, -1 or +1.
Source: TypeAlias = Callable[[int], tuple[Floats, Floats]]


@dataclass(frozen=True, eq=False)
class Problem:
    """A pool, its labels, and what some learners need beside them.

    Attributes
    ----------
    X, positive : the pool, and which of its examples have the second class
    X_test, positive_test : the test set, or None
    bias : whether learners add a constant feature: half as long as a typical row, or this
    order : the order in which stream learners meet the pool, or None for the seed's own
    judged : positions whose labels count for the training error, or None for all
    said : what the teacher says, True for the second class, or None for a teacher who is never
        wrong
    """

    X: Any
    positive: Bools
    X_test: Any = None
    positive_test: Bools | None = None
    bias: bool | float = False
    order: Ints | None = None
    judged: Ints | None = None
    said: Bools | None = None

    def answer(self, index: int) -> int:
        """Return the teacher's label for an example."""
        said = self.positive if self.said is None else self.said
        return CLASSES[int(said[index])]


def of_source(source: Source, seed: int) -> Problem:
    """Return examples with signs as a problem."""
    X, signs = source(seed)
    return Problem(X, signs > 0)
