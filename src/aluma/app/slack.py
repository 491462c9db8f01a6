"""Going on after a contradiction: the same answers in a session that allows for slack."""

from __future__ import annotations

import inspect
import json
import os

from aluma.learners.aluma import ALuMA
from aluma.session import Session

#: The learner's ``slack``: no more than the answers need.
SLACK = "auto"


def supports_slack() -> bool:
    """Say whether the learner can allow for contradicting answers."""
    return "slack" in inspect.signature(ALuMA).parameters


def loosened(session: Session, request: str) -> Session:
    """Return a session with the same answers and slack, in the same file.

    The file as it was is kept beside it. Whenever this is interrupted, a whole session is in
    its place: the old one or the new.
    """
    path = session.path
    settings = json.loads(session.about["settings"]) | {"slack": SLACK, "bias": session.pool.bias}
    part, before = path.with_name(path.name + ".part"), path.with_name(path.name + ".before-slack")
    part.unlink(missing_ok=True)
    new = Session.create(part, session.pool, strategy=session.about["strategy"], **settings)
    for entry in session.kept:
        if entry.label is None:
            new.skip(entry.example)
        elif entry.kind != "skip":
            new.tell(entry.example, entry.label)
    for example, label in session.exceptions.items():
        new.tell(example, label)
    new.remember({*session.requests, request})
    new.close()
    session.close()
    before.unlink(missing_ok=True)
    os.link(path, before)
    part.replace(path)
    return Session.open(path, session.pool)
