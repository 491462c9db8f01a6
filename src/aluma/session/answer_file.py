"""One SQLite file that holds a log of answers, which only grows, and snapshots that may be lost.

Every row of the log carries a digest of itself and of the row before, because SQLite notices
damage to its own structure but not to what is stored in it. Snapshots carry a checksum each: a
damaged one is dropped, a damaged log is refused.

The journal is a rollback journal and not a write-ahead log: between two answers everything is in
the one file, even after a crash, so that whoever copies or moves it alone loses nothing. The lock
is SQLite's own, held from opening to closing; the operating system drops it with the process.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

from aluma.errors import NewerFormat, NotASession, SessionError
from aluma.locking import locked
from aluma.session.answer_log import Entry
from aluma.session.refusals import check_file, check_new, damaged, explained

#: "ALuM": marks the file as ours, as SQLite's documentation of application_id asks.
APPLICATION = 0x414C754D
#: Version of what is written below. Raise it when an older aluma would misread a newer file.
FORMAT = 2

#: Name of the row of "about" that holds the digest of the others.
_DIGEST = "digest"
_SCHEMA = (
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE event (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, example INTEGER NOT NULL,"
    " label TEXT NOT NULL, known TEXT NOT NULL, factor REAL, time TEXT NOT NULL,"
    " digest BLOB NOT NULL)",
    "CREATE TRIGGER event_stays BEFORE DELETE ON event"
    " BEGIN SELECT RAISE(ABORT, 'the log of answers only grows'); END",
    "CREATE TRIGGER event_stays_as_it_is BEFORE UPDATE ON event"
    " BEGIN SELECT RAISE(ABORT, 'the log of answers only grows'); END",
)
_SNAPSHOTS = (
    "CREATE TABLE IF NOT EXISTS snapshot (slot INTEGER PRIMARY KEY, name BLOB NOT NULL,"
    " payload BLOB NOT NULL, checksum BLOB NOT NULL)"
)


#: Names that callers gave to what they asked for, so that asking again changes nothing. A file
#: without the table is as good as one where it is empty.
_REQUESTS = "CREATE TABLE IF NOT EXISTS request (name TEXT PRIMARY KEY, number INTEGER NOT NULL)"


class AnswerFile:
    """The file, open and locked. Make one with :meth:`create` or :meth:`open`.

    Attributes
    ----------
    path : Path
    about : what the session is about: text by name, written once
    entries : the log so far
    requests : names of the requests that have been carried out
    closed : bool
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._connection, self.closed = path, connection, False
        self.about: dict[str, str] = {}
        self.entries: list[Entry] = []
        self.requests: set[str] = set()
        self._digest = b""

    @classmethod
    def create(cls, path: Path, about: dict[str, str]) -> AnswerFile:
        """Make a new file; it must not exist yet."""
        check_new(path)
        try:
            path.touch(exist_ok=False)
        except PermissionError as error:
            raise PermissionError(
                f"{path} cannot be created ({error.strerror}): choose another folder."
            ) from error
        try:
            file = cls(path, _connect(path))
            try:
                file._fill(about)
            except BaseException:
                file.close()
                raise
        except BaseException:
            path.unlink()
            raise
        return file

    @classmethod
    def open(cls, path: Path) -> AnswerFile:
        """Open and lock a file that exists, and read its log."""
        check_file(path)
        file = cls(path, _connect(path))
        try:
            file._check_identity()
            file._read()
            file._prepare()
            file._read_requests()
        except BaseException:
            file.close()
            raise
        return file

    @property
    def seed(self) -> bytes:
        """Digest of what the session is about, with which the log's chain of digests begins."""
        return _digest(json.dumps(sorted(self.about.items())).encode())

    def append(self, entries: Sequence[Entry], request: str | None = None) -> None:
        """Write entries and who asked for them, all or none; on the disk when this returns."""
        digest, rows = self._digest, []
        for number, entry in enumerate(entries, start=len(self.entries) + 1):
            digest = _chained(digest, number, entry.fields())
            rows.append((number, *entry.fields(), digest))
        with self._transaction() as connection:
            connection.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            if request is not None:
                number = len(self.entries) + len(rows)
                connection.execute("INSERT INTO request VALUES (?, ?)", (request, number))
        self.entries.extend(entries)
        self._digest = digest
        if request is not None:
            self.requests.add(request)

    def remember(self, requests: Iterable[str]) -> None:
        """Take requests for carried out that another file has seen."""
        rows = [(request, len(self.entries)) for request in requests]
        with self._transaction() as connection:
            connection.executemany("INSERT OR IGNORE INTO request VALUES (?, ?)", rows)
        self.requests.update(request for request, _ in rows)

    def length(self) -> int:
        """Read the log again and return how long it is; close the file if that cannot be told."""
        try:
            self._read()
        except (SessionError, OSError):
            self.close()
        return len(self.entries)

    def close(self) -> None:
        """Close the file and give up its lock."""
        self.closed = True
        self._connection.close()

    # -- snapshots -----------------------------------------------------------------------------

    def snapshots(self) -> dict[int, bytes]:
        """Return the name of the snapshot in every slot that has one."""
        with explained(self.path, "read"):
            return dict(self._connection.execute("SELECT slot, name FROM snapshot").fetchall())

    def snapshot(self, slot: int) -> bytes | None:
        """Return what was stored in a slot, or None if it is damaged."""
        try:
            payload, checksum = self._connection.execute(
                "SELECT payload, checksum FROM snapshot WHERE slot = ?", (slot,)
            ).fetchone()
            return bytes(payload) if _digest(payload) == checksum else None
        except (sqlite3.DatabaseError, TypeError):
            return None

    def put_snapshot(self, slot: int, name: bytes, payload: bytes, stale: Sequence[int]) -> None:
        """Store a snapshot in a slot, in place of what is there and in ``stale`` slots."""
        with self._transaction() as connection:
            connection.executemany("DELETE FROM snapshot WHERE slot = ?", [(s,) for s in stale])
            connection.execute(
                "INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?)",
                (slot, name, payload, _digest(payload)),
            )

    # -- inside --------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit what is done within, or nothing of it."""
        with explained(self.path, "written"):
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _fill(self, about: dict[str, str]) -> None:
        self.about = dict(about)
        self._make_durable()
        with self._transaction() as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            for statement in (*_SCHEMA, _SNAPSHOTS, _REQUESTS):
                connection.execute(statement)
            rows = [*about.items(), (_DIGEST, self.seed.hex())]
            connection.executemany("INSERT INTO about VALUES (?, ?)", rows)
        self._digest = self.seed

    def _check_identity(self) -> None:
        """Refuse what is not a session, not of this format, or not sound."""
        with explained(self.path, "read"):
            if self._pragma("application_id") != APPLICATION:
                raise NotASession(
                    f"{self.path} is an SQLite database, but not a session of aluma (its "
                    f"application_id is {self._pragma('application_id')}, not {APPLICATION}): "
                    "check the name."
                )
            written = self._pragma("user_version")
            if written > FORMAT:
                raise NewerFormat(
                    f"{self.path} has format {written}, and this version of aluma reads formats "
                    f"up to {FORMAT}: upgrade aluma."
                )
            found = self._pragma("quick_check")
            if found != "ok":
                raise damaged(self.path, str(found).splitlines()[0])

    def _prepare(self) -> None:
        """Make commits durable, and show at once whether there can be any.

        Writing even what is there already also makes SQLite tidy up the journal of a process that
        was killed.
        """
        self._make_durable()
        with self._transaction() as connection:
            connection.execute(_SNAPSHOTS)
            connection.execute(_REQUESTS)
            connection.execute(f"PRAGMA user_version = {self._pragma('user_version')}")

    def _make_durable(self) -> None:
        with explained(self.path, "opened"):
            self._pragma("journal_mode = DELETE")
            # One step beyond FULL: the end of a journal is on the disk before a commit returns.
            self._connection.execute("PRAGMA synchronous = EXTRA")

    def _pragma(self, name: str) -> Any:
        return self._connection.execute(f"PRAGMA {name}").fetchone()[0]

    def _read(self) -> None:
        """Read everything, and verify that it is as it was written."""
        with explained(self.path, "read"):
            about = self._connection.execute("SELECT name, value FROM about").fetchall()
            rows = self._connection.execute(
                "SELECT number, kind, example, label, known, factor, time, digest FROM event"
                " ORDER BY number"
            ).fetchall()
        self.about = {str(name): str(value) for name, value in about}
        if self.about.pop(_DIGEST, "") != self.seed.hex():
            raise damaged(self.path, "what it is about is not as it was written")
        self.entries, self._digest = self._verified(rows)

    def _read_requests(self) -> None:
        with explained(self.path, "read"):
            names = self._connection.execute("SELECT name FROM request").fetchall()
        self.requests = {str(name) for (name,) in names}

    def _verified(self, rows: Sequence[tuple[Any, ...]]) -> tuple[list[Entry], bytes]:
        """Return the entries that rows hold, and the last link of their chain of digests."""
        entries, link = [], self.seed
        for expected, (number, *fields, digest) in enumerate(rows, start=1):
            try:
                link = _chained(link, number, tuple(fields))
                sound = number == expected and digest == link
                entries.append(Entry.of_fields(*fields))
            except (ValueError, TypeError):
                sound = False
            if not sound:
                raise damaged(self.path, f"entry {expected} of the log is not as it was written")
        return entries, link


def _connect(path: Path) -> sqlite3.Connection:
    """Return a connection that holds the only lock on the file until it is closed."""
    with explained(path, "opened"):
        return locked(path)


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


def _chained(previous: bytes, number: int, fields: tuple[Any, ...]) -> bytes:
    return _digest(previous + json.dumps([number, *fields]).encode())
