"""Bringing what a learner is told in line with what people say.

What people say is on the disk first. This compares it with what the learner was told and makes up
the difference, so it can be interrupted anywhere and done again, also after a crash.

While labels are checked, checks are told in the order in which they were drawn, whatever the order
in which they arrive: an answer waits until all that were drawn before it are there. So the learner
hears exactly what it would hear from one person who answers one check after the other, and what is
promised (docs/audit.md) holds as it does there. Were they counted as they come, quick answers, and
those may be the easy ones, would be seen first, and the bound would be about those.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from aluma.errors import Conflict, Undecided
from aluma.learners.learner import Learner
from aluma.session import Session

logger = logging.getLogger(__name__)


def told(session: Session) -> dict[int, str | None]:
    """Return what the learner was told, by example; None is a skip."""
    return {
        entry.example: None if entry.label is None else str(entry.label) for entry in session.kept
    }


def bring_in_line(session: Session, wanted: Mapping[int, str | None], voiced: set[int]) -> set[int]:
    """Tell the learner what counts, and return the examples that have to wait.

    Parameters
    ----------
    wanted : the answer that counts by example, in order; None is a skip
    voiced : examples that anybody ever said something about: others are left alone
    """
    now = told(session)
    for example in [i for i in now if i in voiced and i not in wanted]:
        session.withdraw(example)
    for example, label in wanted.items():
        if now.get(example, label) != label and now[example] is not None:
            _replace(session, example, label)
    now = told(session)
    left = {i: label for i, label in wanted.items() if i not in now or now[i] != label}
    return _tell(session, left)


def _replace(session: Session, example: int, label: str | None) -> None:
    """Let another answer take the place of one that was told."""
    if label is None or example not in session.answered:
        session.withdraw(example)
        return
    try:
        session.change(example, label)
    except (Conflict, Undecided) as error:
        logger.warning("a changed answer is kept without being learnt from: %s", error)
        session.withdraw(example)
        session.skip(example, label=label)


def _tell(session: Session, left: Mapping[int, str | None]) -> set[int]:
    """Tell new answers and skips; checks in the order of their draws."""
    waiting, learner = dict(left), session.fork()
    while waiting:
        example = _next(learner, waiting)
        if example is None:
            break
        label = waiting.pop(example)
        try:
            if label is not None:
                learner.tell(example, label)
                continue
        except (Conflict, Undecided) as error:
            logger.warning("an answer is kept without being learnt from: %s", error)
        session.adopt(learner)
        session.skip(example, label=label)
        learner = session.fork()
    session.adopt(learner)
    return set(waiting)


def _next(learner: Learner, waiting: Mapping[int, str | None]) -> int | None:
    """Return which answer is told next, or None if all have to wait."""
    audit = learner.audit
    if audit is None or not audit.left:
        return next(iter(waiting))
    drawn = audit.ask()
    return drawn if drawn in waiting else None
