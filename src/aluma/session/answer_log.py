"""The log of a session: what was told, skipped, taken back and changed, in order.

Nothing is ever removed from it. What counts now, the history, is worked out from it. What several
people say stands in the same log, see :mod:`aluma.session.voices`, and is no part of the history.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aluma.arrays import plain
from aluma.session.recipe import storable
from aluma.spaces.history import Event, audited_from, without

#: What a learner is told, and what people say.
TOLD, VOICES = ("tell", "skip", "undo", "change", "withdraw"), ("say", "unsay", "resolve")


@dataclass(frozen=True)
class Entry:
    """One line of the log.

    Attributes
    ----------
    kind : "tell", "skip", "undo", "change" or "withdraw"; of a person "say", "unsay" or "resolve"
    example : position in the pool; for "undo", of the answer or skip that was taken back
    label : the answer given by "tell" and "change"; with "skip", an answer that is kept but not
        learnt from, or None; with "say" None if the person skips it
    known : the labels known to the learner after it, each with the sign that stands for it
    factor : the greedy factor that was verified when the example was chosen, or None
    time : when, as UTC in ISO 8601
    check : whether it checked a label, see :class:`aluma.spaces.history.Event`
    said : the label that was checked, or None
    who : the person who said it; empty where a session does not tell people apart
    """

    kind: str
    example: int
    label: Any
    known: tuple[tuple[Any, int], ...]
    factor: float | None
    time: str
    check: int = 0
    said: Any = None
    who: str = ""

    def fields(self) -> tuple[Any, ...]:
        """Return what is stored; labels as JSON, which keeps 1, 1.0, True and "1" apart.

        What an entry checked, or who said it, is written behind its kind: files from before there
        were checks or people are read, and written on, as they are.
        """
        label, known = json.dumps(self.label), json.dumps(self.known)
        kind = f"{self.kind} {self.check} {json.dumps(self.said)}" if self.check else self.kind
        if self.kind in VOICES:
            kind = f"{self.kind} {json.dumps(self.who)}"
        return kind, self.example, label, known, self.factor, self.time

    @classmethod
    def of_fields(
        cls, kind: str, example: int, label: str, known: str, factor: float | None, time: str
    ) -> Entry:
        """Return an entry from what is stored."""
        pairs = tuple((name, sign) for name, sign in json.loads(known))
        told = json.loads(label)
        first, _, rest = kind.partition(" ")
        if first in VOICES:
            return cls(first, example, told, pairs, factor, time, who=str(json.loads(rest)))
        kind, check, said = [*kind.split(" ", 2), "0", "null"][:3]
        return cls(kind, example, told, pairs, factor, time, int(check), json.loads(said))


def entries(
    kind: str,
    events: Sequence[Event],
    signs: Mapping[Any, int],
    verified: Mapping[int, float],
    time: str,
    aside: Any = None,
) -> list[Entry]:
    """Return lines for the log, given the labels and greedy factors that a learner knows."""
    known = tuple((storable(label), sign) for label, sign in signs.items())
    beside = None if aside is None else storable(plain(aside))
    label_of = {sign: label for label, sign in known}
    lines: list[Entry] = []
    for event in events:
        label, factor = beside, None
        if kind not in ("undo", "skip", "withdraw"):
            label, factor = label_of[event.sign], verified.get(event.index)
        said = label_of.get(event.said)
        lines.append(Entry(kind, event.index, label, known, factor, time, event.check, said))
    return lines


def history(log: Sequence[Entry]) -> list[Event]:
    """Return what counts of a log: what was not taken back, as it was last changed."""
    signs = dict(log[-1].known) if log else {}
    return [
        Event(
            entry.example,
            0 if entry.kind == "skip" else signs[entry.label],
            check=entry.check,
            said=signs.get(entry.said, 0),
        )
        for entry in kept(log)
    ]


def set_aside(log: Sequence[Entry]) -> dict[int, Any]:
    """Return the answers, by example, that came with a skip: kept, but not learnt from."""
    skips = (entry for entry in kept(log) if entry.kind == "skip")
    return {entry.example: entry.label for entry in skips if entry.label is not None}


def kept(log: Sequence[Entry]) -> list[Entry]:
    """Return the entries that were not taken back, in order, as they were last changed."""
    counting: list[Entry] = []
    for entry in log:
        if entry.kind in VOICES:
            continue
        if entry.kind == "undo":
            counting.pop()
        elif entry.kind == "withdraw":
            counting = without(counting, [old.example == entry.example for old in counting])
        elif entry.kind == "change":
            told = [old.example == entry.example and old.kind != "skip" for old in counting]
            place = told.index(True)
            old = counting[place]
            counting[place] = replace(entry, check=old.check, said=old.said)
            if place < audited_from(counting) < len(counting):
                # The labels that were being checked came of the answer that changed.
                counting[-1] = replace(counting[-1], check=2)
        else:
            counting.append(entry)
    return counting


def factors(log: Sequence[Entry]) -> dict[int, float]:
    """Return the greedy factors that were verified when examples were chosen.

    A change takes away those of its example and of all told later: they were chosen in another
    version space. So does a withdrawal.
    """
    last: dict[int, float | None] = {}
    for place, entry in enumerate(log):
        if entry.kind == "tell":
            last[entry.example] = entry.factor
        elif entry.kind in ("change", "withdraw"):
            told = [one.example for one in kept(log[:place]) if one.kind != "skip"]
            start = told.index(entry.example) if entry.example in told else len(told)
            for example in told[start:]:
                last[example] = None
    return {example: factor for example, factor in last.items() if factor is not None}
