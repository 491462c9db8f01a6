"""A lock on a file that one process at a time can hold, and that the system drops with it.

It is SQLite's, which is the same on every system: an exclusive transaction that is kept open.
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
from pathlib import Path
from weakref import WeakSet

#: Seconds to wait for another program, such as a backup, that reads the file for a moment.
LOCK_SECONDS = 0.2


class Holder(sqlite3.Connection):
    """A connection that holds a lock; in a forked process it is left alone for ever.

    The lock is the first process's. Closing the connection in another, which Python does when that
    ends, would delete the journal that the first may need after a crash (SQLite's documentation,
    "How To Corrupt An SQLite Database File", on connections carried across a fork).
    """


#: Those that are open, for the moment of a fork: only the process has a place for what it needs.
_OPEN: WeakSet[Holder] = WeakSet()


def _leave_alone() -> None:
    for holder in _OPEN:
        # One more than there are, so that it is never given back.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(holder))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_alone)


def locked(path: Path) -> Holder:
    """Return a connection that holds the only lock on an SQLite file until it is closed.

    Raises
    ------
    sqlite3.Error
        With the code SQLITE_BUSY, if somebody else holds it.
    """
    # Never look into the file by other means: closing any other handle on it would, by the
    # rules of POSIX, drop the locks that this process holds on it.
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=LOCK_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        factory=Holder,
    )
    _OPEN.add(connection)
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        # The lock comes before any reading: two that hold the lock for readers and wait for
        # each other would both be refused.
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def locked_beside(path: Path) -> sqlite3.Connection:
    """Return a lock for a file that is not SQLite's: it is held on one of its own beside it.

    That one stays when the lock is given up. Whoever deleted it could delete the one that somebody
    else has just come to wait for, and two would hold a lock each.
    """
    lock = path.with_name(path.name + ".lock")
    lock.touch()
    return locked(lock)


def is_held(error: sqlite3.Error) -> bool:
    """Say whether an error means that somebody else holds the lock."""
    # The low byte is the kind of error, the others its details.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
