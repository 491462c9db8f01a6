"""What was said to a learner, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Event:
    """An answer (``sign`` +1 or -1) or, with sign 0, a skipped question.

    ``mark`` is what the strategy noted with it: how far a stream had been read, or the greedy
    factor that was verified when the question was chosen. It is no part of what was said, so events
    are equal whatever their marks.
    """

    index: int
    sign: int
    mark: Any = field(default=None, compare=False, repr=False)


def common(one: Sequence[Event], other: Sequence[Event]) -> int:
    """Return how many events two histories begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
