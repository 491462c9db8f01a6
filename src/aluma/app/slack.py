"""Going on after a contradiction: the same answers in a session that allows for slack."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from typing import Any

from aluma.learners.aluma import ALuMA
from aluma.session import Session, high_water, recipe
from aluma.session.snapshot import SPACING
from aluma.spaces.history import Event
from aluma.spaces.space import Watch, unwatched

#: The learner's ``slack``: no more than the answers need.
SLACK = "auto"


def supports_slack() -> bool:
    """Say whether the learner can allow for contradicting answers."""
    return "slack" in inspect.signature(ALuMA).parameters


def loosened(session: Session, request: str) -> Session:
    """Return a session with the same answers and slack, in the same file.

    All answers are learnt from, exceptions and checks among them, and checking begins anew: the
    labels come out otherwise with slack, and what was shown of the others is not true of these.

    The file as it was is kept beside it. Whenever this is interrupted, a whole session is in
    its place: the old one or the new.
    """
    path = session.path
    settings = {"promise": "credible", "prior": "ball", **recipe.read(session.about["settings"])}
    settings |= {"slack": SLACK, "bias": settings.get("bias") or session.pool.constant or False}
    part, before = path.with_name(path.name + ".part"), path.with_name(path.name + ".before-slack")
    for left in (part, part.with_name(part.name + "-journal")):
        left.unlink(missing_ok=True)
    new = Session.create(
        part, session.pool, strategy=session.about["strategy"], beside=session.beside, **settings
    )
    told = {entry.example: entry.label for entry in session.kept if entry.label is not None}
    for entry in session.kept:
        if entry.example not in told:
            new.skip(entry.example)
    learn(new, told)
    new.remember({*session.requests, request})
    new.close()
    # Until the new session has been opened in its place, either of the two may be there.
    high_water.write(path, high_water.read(path) | high_water.read(part))
    high_water.place(part).unlink(missing_ok=True)
    before.unlink(missing_ok=True)
    os.link(path, before)
    if os.name == "nt":
        # An open file cannot be replaced there.
        session.close()
    # The lock is held until then, or others could begin with a file that is about to go.
    part.replace(path)
    session.close()
    return Session.open(path, session.pool)


def learn(session: Session, told: Mapping[int, Any], watch: Watch = unwatched) -> None:
    """Let a session learn from answers that nobody was asked for, and that check nothing.

    Many of them are taken in together; the session then keeps a snapshot, so that they need not be
    taken in again. ``watch`` is told how many have been.
    """
    learner = session.fork()
    labels = learner.labels
    signs = {example: labels.sign(label) for example, label in told.items()}
    learner.labels = labels
    if len(signs) > SPACING:
        learner.learn_together(signs, watch)
    else:
        events = [Event(example, sign) for example, sign in signs.items()]
        learner.replay([*learner.history, *events])
    session.adopt(learner)
