"""What each person says about each example, as it stands now.

Several people share a session. What they say is in its log, with their names and the time, as
entries of three kinds: "say" (an answer, or a skip without a label), "unsay" (taken back by the one
who said it) and "resolve" (which answer is the right one, whoever gave it). A learner hears nothing
of that by itself. It is told one answer an example, in entries of their own that follow from these;
so a crash between the two loses nothing, and whoever opens the session tells the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aluma.session.answer_log import Entry


@dataclass(frozen=True)
class Voice:
    """What a person says about an example.

    Attributes
    ----------
    who : the person
    example : position in the pool
    label : the answer, or None if they skipped it
    time : when they said so last, as UTC in ISO 8601
    """

    who: str
    example: int
    label: Any
    time: str


def voices(log: Sequence[Entry]) -> list[Voice]:
    """Return what people say now, in the order in which they said it last."""
    found: dict[tuple[str, int], Voice] = {}
    for entry in log:
        if entry.kind in ("say", "unsay"):
            found.pop((entry.who, entry.example), None)
        if entry.kind == "say":
            said = Voice(entry.who, entry.example, entry.label, entry.time)
            found[entry.who, entry.example] = said
    return list(found.values())


def resolutions(log: Sequence[Entry]) -> dict[int, Voice]:
    """Return, by example, which answer was said to be the right one, and by whom."""
    found: dict[int, Voice] = {}
    for entry in log:
        if entry.kind == "resolve":
            found.pop(entry.example, None)
            if entry.label is not None:
                found[entry.example] = Voice(entry.who, entry.example, entry.label, entry.time)
    return found


def ever_voiced(log: Sequence[Entry]) -> set[int]:
    """Return the examples that anybody ever said something about, taken back or not."""
    return {entry.example for entry in log if entry.kind in ("say", "unsay", "resolve")}
