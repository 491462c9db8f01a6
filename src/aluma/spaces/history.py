"""What was said to a learner, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from aluma.arrays import Bools


@dataclass(frozen=True)
class Event:
    """An answer (``sign`` +1 or -1, see :func:`column`) or, with sign 0, a skipped question.

    ``mark`` is what the strategy noted with it: how far a stream had been read, or the greedy
    factor that was verified when the question was chosen. It is no part of what was said, so events
    are equal whatever their marks.

    ``check`` says what the answer was for. 0: it was learnt from at once. 1: it checked a label at
    random, in an audit that went on. 2: it ended that audit, upon which all checks since the last 0
    or 2 were learnt from together. ``said`` is the sign of the label that was checked, 0 if the
    example was not drawn; it is no part of what the person said either.
    """

    index: int
    sign: int
    mark: Any = field(default=None, compare=False, repr=False)
    check: int = 0
    said: int = field(default=0, compare=False, repr=False)


def column(sign: int) -> int:
    """Return the number of the class that a sign stands for, from 0.

    Two classes are told apart by -1 and +1, as in the paper; a third is 2, the next 3, and so on,
    so that one that appears late changes nothing that was told before.
    """
    return max(sign, 0)


class HasCheck(Protocol):
    """An event, or a line about one."""

    @property
    def check(self) -> int:
        """Whether it checked a label, as for :class:`Event`."""


@dataclass(frozen=True)
class Group:
    """Answers that are learnt from at one time.

    Attributes
    ----------
    answers : examples and their signs, in order
    are_checks : whether they were drawn at random, all of one audit; else it is a single answer
    """

    answers: tuple[tuple[int, int], ...]
    are_checks: bool = False


def learnt(events: Sequence[Event], undecidable: Bools | None = None) -> list[Group]:
    """Return what was learnt from some events, in order: single answers and groups of checks.

    Checks of an audit that has not ended are left out, and so are those of one that was given up
    for an answer that was learnt from at once. Skips (sign 0) are no answers and give nothing up,
    but a skipped check may be the one that ends its audit. ``undecidable`` is a mask of examples
    that no halfspace decides: they can be checked, and there is nothing to learn from them.
    """
    groups: list[Group] = []
    checks: list[tuple[int, int]] = []
    for event in events:
        decidable = undecidable is None or not undecidable[event.index]
        answer = [(event.index, event.sign)] if event.sign and decidable else []
        if event.check:
            checks += answer
            if event.check == 2 and checks:
                groups.append(Group(tuple(checks), are_checks=True))
        elif answer:
            groups.append(Group(tuple(answer)))
        if event.check == 2 or (answer and not event.check):
            checks = []
    return groups


def audited_from(events: Sequence[HasCheck]) -> int:
    """Return where the checks of an audit that has not ended begin; the end if there is none."""
    start = len(events)
    while start and events[start - 1].check == 1:
        start -= 1
    return start


def common(one: Sequence[Event], other: Sequence[Event]) -> int:
    """Return how many events two histories begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


E = TypeVar("E", bound=Any)


def without(events: Sequence[E], gone: Sequence[bool]) -> list[E]:
    """Return events, or lines about them, without some: as if those had not been said.

    The end of an audit passes on to the check before it, so that the others stay learnt from; only
    as the very last event it is simply taken back. If what was learnt from goes, the labels that
    are being checked came of it: their audit ends, as when an answer is changed.
    """
    start = audited_from(events)
    learnt_from = any(gone[:start])
    left: list[E] = []
    for place, event in enumerate(events):
        if not gone[place]:
            left.append(event)
        elif event.check == 2 and place < len(events) - 1 and left and left[-1].check == 1:
            left[-1] = replace(left[-1], check=2)
    if learnt_from and audited_from(left) < len(left):
        left[-1] = replace(left[-1], check=2)
    return left
