"""What was said to a learner, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Event:
    """An answer (``sign`` +1 or -1) or, with sign 0, a skipped question.

    ``mark`` is where it left a learner that reads a stream: a consequence of this event and those
    before it, and no part of what was said.
    """

    index: int
    sign: int
    mark: Any = field(default=None, compare=False, repr=False)


def common(one: Sequence[Event], other: Sequence[Event]) -> int:
    """Return how many events two histories begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
