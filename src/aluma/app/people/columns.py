"""What a table of labels says about the people behind them, in columns of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aluma.app.people.agreement import answers_by_example
from aluma.session.voices import resolutions

if TYPE_CHECKING:
    from aluma.app.desk import Desk

#: Who answered, when for the last time, who resolved it, and the likeliest answer with its share.
PEOPLE, TIME, RESOLVED = "label_people", "label_time", "label_resolved_by"
LIKELY, SHARE = "likely_label", "likely_share"


def by_people(desk: Desk) -> dict[str, list[Any]]:
    """Return columns about people, none where a session does not tell them apart.

    The likeliest answer is an estimate (:mod:`aluma.app.people.reliability`); of examples that
    nobody answered there is none.
    """
    from aluma.app.people.team import Team

    if not isinstance(desk, Team):
        return {}
    n, voices = len(desk.examples), desk.voices
    given, right, known = answers_by_example(voices), resolutions(desk.session.log), desk.judged()
    times: dict[int, str] = {}
    for voice in voices:
        times[voice.example] = max(voice.time, times.get(voice.example, ""))
    best = {
        i: (desk.task.labels[int(row.argmax())], round(float(row.max()), 4))
        for i, row in zip(known.examples, known.shares, strict=True)
    }
    return {
        PEOPLE: ["; ".join(given.get(i, {})) for i in range(n)],
        TIME: [times.get(i, "") for i in range(n)],
        RESOLVED: [right[i].who if i in right else "" for i in range(n)],
        LIKELY: [best[i][0] if i in best else "" for i in range(n)],
        SHARE: [best[i][1] if i in best else None for i in range(n)],
    }
