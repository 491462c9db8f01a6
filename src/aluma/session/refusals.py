"""Why a session cannot be opened or written to, and what to do about it."""

from __future__ import annotations

import os
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aluma.errors import NotASession, SessionDamaged, SessionError, SessionLocked
from aluma.locking import is_held


def check_place(path: Path) -> None:
    """Refuse a place where SQLite could not keep a file and, beside it, its journal."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent}: create it first.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a file in it.")
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(
            f"the folder {path.parent} cannot be written to, and a session keeps a journal beside "
            "its file while it writes: choose another folder."
        )


def check_new(path: Path) -> None:
    """Refuse a place where something is already."""
    check_place(path)
    if path.exists():
        raise FileExistsError(
            f"{path} exists already: continue it with Session.open, or choose another name."
        )


def check_file(path: Path) -> None:
    """Refuse a file that is not there, cannot be written to or holds nothing."""
    check_place(path)
    if not path.exists():
        raise FileNotFoundError(
            f"there is no file {path}: check the name, or begin one with Session.create."
        )
    if not os.access(path, os.R_OK | os.W_OK):
        raise PermissionError(
            f"{path} cannot be read and written: give yourself the right to, or copy it elsewhere."
        )
    if path.stat().st_size == 0:
        raise NotASession(
            f"{path} is empty, so it is not a session: if creating one was interrupted, delete it "
            "and use Session.create again."
        )


def damaged(path: Path, how: str) -> SessionDamaged:
    """Return the error for a file whose log cannot be trusted."""
    return SessionDamaged(
        f"{path} is damaged: {how}. Go back to a copy, or bring back the answers that are whole, "
        f"into files of their own: aluma recover {shlex.quote(str(path))}"
    )


def held(path: Path) -> SessionLocked:
    """Return the error for a file that somebody else has open."""
    return SessionLocked(
        f"{path} is in use: another session or program has it open, and only one may. Close "
        "that one first."
    )


def identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one of the same name, without opening it."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def explained(path: Path, done: str) -> Iterator[None]:
    """Turn SQLite's errors into ones that say what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explanation(path, done, error) from error
    except UnicodeDecodeError as error:
        # Python found no text in what SQLite says about a damaged schema.
        raise damaged(path, "its schema cannot be read") from error


def _explanation(path: Path, done: str, error: sqlite3.Error) -> Exception:
    # The low byte is the kind of error, the others its details.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if is_held(error):
        return held(path)
    if code == sqlite3.SQLITE_NOTADB:
        return NotASession(
            f"{path} is not a session of aluma, nor any SQLite database: check the name."
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        return PermissionError(
            f"{path} cannot be {done} ({error}): check that you may write to it and its folder."
        )
    if code == sqlite3.SQLITE_FULL:
        return SessionError(
            f"{path} cannot be {done} ({error}): nothing was recorded. Make room and repeat it."
        )
    if code == sqlite3.SQLITE_CORRUPT or done == "read":
        return damaged(path, str(error))
    return SessionError(
        f"{path} cannot be {done} ({error}): nothing was recorded. Check the disk, open the "
        "session again and repeat it."
    )
