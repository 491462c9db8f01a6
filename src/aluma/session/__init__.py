"""Sessions: a learner whose answers survive a crash, in one file."""

from aluma.errors import (
    NewerFormat,
    NotASession,
    SessionDamaged,
    SessionError,
    SessionLocked,
    SessionRolledBack,
    WrongPool,
)
from aluma.session.answer_log import Entry
from aluma.session.session import Session

__all__ = [
    "Entry",
    "NewerFormat",
    "NotASession",
    "Session",
    "SessionDamaged",
    "SessionError",
    "SessionLocked",
    "SessionRolledBack",
    "WrongPool",
]
