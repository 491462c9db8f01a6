"""One SQLite file that holds a log of answers, which only grows, and snapshots that may be lost.

Every row of the log, and every name of a request, carries a digest of itself and of the one before
(:mod:`aluma.session.chain`), because SQLite notices damage to its own structure but not to what is
stored in it. The end of the chain is written down as well, so that none is missing. Snapshots carry
a checksum each: a damaged one is dropped, a damaged log is refused.

The journal is a rollback journal and not a write-ahead log: between two answers everything is in
the one file, even after a crash, so that whoever copies or moves it alone loses nothing. The lock
is SQLite's own, held from opening to closing; the operating system drops it with the process.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

from aluma.errors import NewerFormat, NotASession, SessionError
from aluma.locking import locked
from aluma.session import chain, high_water
from aluma.session.answer_log import VOICES, Entry
from aluma.session.refusals import check_file, check_new, damaged, explained, held, identity

#: "ALuM": marks the file as ours, as SQLite's documentation of application_id asks.
APPLICATION = 0x414C754D
#: Version of what is written below. Raise it when an older aluma would misread a newer file.
FORMAT = 4
#: The first format that has the names of requests in its chain, and the end of it in a table.
CHAINED = 3
#: The first format that has voices, and withdrawals, among its entries. A file without them stays
#: of the format before, which an older aluma reads as well.
VOICED = 4

#: Names of the rows of "about", and of the one that holds the digest of the others.
ABOUT, DIGEST = ("strategy", "settings", "pool", "shape", "created", "aluma"), "digest"
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


#: Names that callers gave to what they asked for, so that asking again changes nothing; with how
#: many entries there were then, which is their place in the chain.
_REQUESTS = (
    "CREATE TABLE request (place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " number INTEGER NOT NULL, digest BLOB NOT NULL)"
)
#: How many links the chain has, and the last of them.
_TIP = "CREATE TABLE tip (slot INTEGER PRIMARY KEY, links INTEGER NOT NULL, last BLOB NOT NULL)"
#: What callers keep beside the answers, such as notes. A file without the table keeps nothing.
_BESIDE = (
    "CREATE TABLE IF NOT EXISTS beside (name TEXT PRIMARY KEY, value TEXT NOT NULL,"
    " checksum BLOB NOT NULL)"
)


class AnswerFile:
    """The file, open and locked. Make one with :meth:`create` or :meth:`open`.

    Attributes
    ----------
    path : Path
    about : what the session is about: text by name, written once
    entries : the log so far
    requests : names of the requests that have been carried out
    beside : what callers keep beside the answers: text by name
    links : the chain of digests, from the seed on
    closed : bool
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._connection, self.closed = path, connection, False
        self._process = os.getpid()
        self.about: dict[str, str] = {}
        self.entries: list[Entry] = []
        self.requests: set[str] = set()
        self.beside: dict[str, str] = {}
        self.links: list[bytes] = []
        self._format = FORMAT

    @classmethod
    def create(
        cls, path: Path, about: dict[str, str], beside: Mapping[str, str] | None = None
    ) -> AnswerFile:
        """Make a new file; it must not exist yet. What is kept beside is there with the file."""
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
                file._fill(about, dict(beside or {}))
            except BaseException:
                file.close()
                raise
        except BaseException:
            path.unlink()
            raise
        file._mark()
        return file

    @classmethod
    def open(cls, path: Path) -> AnswerFile:
        """Open and lock a file that exists, and read its log."""
        check_file(path)
        found = identity(path)
        file = cls(path, _connect(path))
        try:
            if identity(path) != found:
                # Somebody has just put another in its place: the lock is on one without a name.
                raise held(path)
            file._check_identity()
            file._read()
            high_water.check(path, file.seed.hex(), file.links, len(file.entries))
            file._prepare()
            file._read_beside()
        except BaseException:
            file.close()
            raise
        file._mark()
        return file

    @property
    def seed(self) -> bytes:
        """Digest of what the session is about, with which the log's chain of digests begins."""
        return chain.digest(json.dumps(sorted(self.about.items())).encode())

    @property
    def is_inherited(self) -> bool:
        """Whether a fork of the process brought the file here: the lock stayed where it was."""
        return os.getpid() != self._process

    def append(self, entries: Sequence[Entry], request: str | None = None) -> None:
        """Write entries and who asked for them, all or none; on the disk when this returns."""
        self._grow(entries, [] if request is None else [request])

    def remember(self, requests: Iterable[str]) -> None:
        """Take requests for carried out that another file has seen."""
        self._grow([], [name for name in requests if name not in self.requests])

    def keep_beside(self, values: Mapping[str, str], request: str | None = None) -> None:
        """Keep texts by name, an empty one not at all; on the disk when this returns."""
        requests = [] if request is None else [request]
        try:
            with self._transaction() as connection:
                _put_beside(connection, values)
                links = self._insert([], requests)
            self.beside = {k: v for k, v in (self.beside | dict(values)).items() if v}
            self.requests.update(requests)
            self.links = links
        except BaseException:
            # Ctrl-C may come after the commit: what is kept is what the file says.
            self.length()
            raise
        self._mark()

    def length(self) -> int:
        """Read the log again and return how long it is; close the file if that cannot be told."""
        try:
            self._read()
            self._read_beside()
        except (SessionError, OSError):
            self.close()
        return len(self.entries)

    def close(self) -> None:
        """Close the file and give up its lock; in a forked process, only leave it alone.

        By the rules of SQLite a connection must not be used across a fork, nor closed there.
        """
        self.closed = True
        if not self.is_inherited:
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
            return bytes(payload) if chain.digest(payload) == checksum else None
        except (sqlite3.DatabaseError, TypeError):
            return None

    def put_snapshot(self, slot: int, name: bytes, payload: bytes, stale: Sequence[int]) -> None:
        """Store a snapshot in a slot, in place of what is there and in ``stale`` slots."""
        with self._transaction() as connection:
            connection.executemany("DELETE FROM snapshot WHERE slot = ?", [(s,) for s in stale])
            connection.execute(
                "INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?)",
                (slot, name, payload, chain.digest(payload)),
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

    def _grow(self, entries: Sequence[Entry], requests: Sequence[str]) -> None:
        """Add links to the chain: entries, then the names of requests."""
        voiced = any(entry.kind in (*VOICES, "withdraw") for entry in entries)
        try:
            with self._transaction() as connection:
                links = self._insert(entries, requests)
                if voiced and self._format < VOICED:
                    connection.execute(f"PRAGMA user_version = {VOICED}")
            self._format = VOICED if voiced else self._format
            self.entries.extend(entries)
            self.requests.update(requests)
            self.links = links
        except BaseException:
            # Ctrl-C may come after the commit: what is kept is what the file says.
            self.length()
            raise
        self._mark()

    def _insert(self, entries: Sequence[Entry], requests: Sequence[str]) -> list[bytes]:
        """Insert what comes next, and return the chain with it."""
        links, rows, names = list(self.links), [], []
        for number, entry in enumerate(entries, start=len(self.entries) + 1):
            record = chain.entry(number, entry.fields())
            links.append(chain.link(links[-1], record))
            rows.append((number, *entry.fields(), chain.stored(links[-1], record)))
        last = len(self.entries) + len(rows)
        for place, name in enumerate(requests, start=len(self.requests) + 1):
            record = chain.request(place, name, last)
            links.append(chain.link(links[-1], record))
            names.append((place, name, last, chain.stored(links[-1], record)))
        self._connection.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._connection.executemany("INSERT INTO request VALUES (?, ?, ?, ?)", names)
        self._write_tip(links)
        return links

    def _write_tip(self, links: Sequence[bytes]) -> None:
        row = (len(links) - 1, links[-1])
        self._connection.execute("INSERT OR REPLACE INTO tip VALUES (0, ?, ?)", row)

    def _mark(self) -> None:
        """Write down beside the file how far it has grown."""
        mark = high_water.Mark(len(self.links) - 1, len(self.entries), self.links[-1].hex())
        high_water.write(self.path, {self.seed.hex(): mark})

    def _fill(self, about: dict[str, str], beside: dict[str, str]) -> None:
        self.about, self.beside = dict(about), beside
        self._make_durable()
        with self._transaction() as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            self._format = CHAINED
            connection.execute(f"PRAGMA user_version = {CHAINED}")
            for statement in (*_SCHEMA, _SNAPSHOTS, _REQUESTS, _TIP, _BESIDE):
                connection.execute(statement)
            rows = [*about.items(), (DIGEST, self.seed.hex())]
            connection.executemany("INSERT INTO about VALUES (?, ?)", rows)
            self.links = [self.seed]
            self._write_tip(self.links)
            _put_beside(connection, beside)

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
            self._format = written
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
            connection.execute(_BESIDE)
            connection.execute(f"PRAGMA user_version = {self._format}")
        if self._format < CHAINED:
            self._adopt_requests()

    def _adopt_requests(self) -> None:
        """Bring the names of requests into the chain of a file from before they were in it.

        They all count as asked for now, behind the entries: these stay as they are. An older aluma
        refuses the file from here on, and says so.
        """
        with self._transaction() as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS request (name TEXT PRIMARY KEY)")
            found = connection.execute("SELECT name FROM request ORDER BY rowid").fetchall()
            names = [str(name) for (name,) in found]
            connection.execute("DROP TABLE request")
            for statement in (_REQUESTS, _TIP):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {CHAINED}")
            links = self._insert([], names)
        self._format, self.links, self.requests = CHAINED, links, set(names)

    def _make_durable(self) -> None:
        with explained(self.path, "opened"):
            self._pragma("journal_mode = DELETE")
            # One step beyond FULL: the end of a journal is on the disk before a commit returns.
            self._connection.execute("PRAGMA synchronous = EXTRA")

    def _pragma(self, name: str) -> Any:
        return self._connection.execute(f"PRAGMA {name}").fetchone()[0]

    def _read(self) -> None:
        """Read everything, and verify that it is as it was written."""
        chained = self._format >= CHAINED
        with explained(self.path, "read"):
            about = self._connection.execute("SELECT name, value FROM about").fetchall()
            rows = self._connection.execute(
                "SELECT number, kind, example, label, known, factor, time, digest FROM event"
                " ORDER BY number"
            ).fetchall()
            names, tip = [], []
            if chained:
                names = self._connection.execute(
                    "SELECT number, place, name, digest FROM request ORDER BY place"
                ).fetchall()
                tip = self._connection.execute("SELECT slot, links, last FROM tip").fetchall()
        self.about = {str(name): str(value) for name, value in about}
        if self.about.pop(DIGEST, "") != self.seed.hex():
            raise damaged(self.path, "what it is about is not as it was written")
        entries, links = self._verified(rows, names)
        if chained and tip != [(0, len(links) - 1, links[-1])]:
            raise damaged(self.path, "its end is not as it was written")
        self.entries, self.links = entries, links
        self.requests = {name for _, _, name, _ in names}

    def _read_beside(self) -> None:
        with explained(self.path, "read"):
            rows = self._connection.execute("SELECT name, value, checksum FROM beside").fetchall()
        for name, value, checksum in rows:
            if not is_sound(name, value, checksum):
                raise damaged(self.path, f"{name!r}, kept beside the answers, has changed")
        self.beside = {str(name): str(value) for name, value, _ in rows}

    def _verified(
        self, rows: Sequence[tuple[Any, ...]], names: Sequence[tuple[Any, ...]]
    ) -> tuple[list[Entry], list[bytes]]:
        """Return the entries that rows hold, and the chain of digests through them and names."""
        links = [self.seed]
        for what, record, digest in _records(rows, names):
            if record is None or not chain.fits(digest, links[-1], record):
                raise damaged(self.path, f"{what} is not as it was written")
            links.append(chain.link(links[-1], record))
        return [Entry.of_fields(*fields) for _, *fields, _ in rows], links


#: What a record is called, what is digested of it (None if it is in no fit state), its digest.
_Record: TypeAlias = tuple[str, bytes | None, Any]


def _records(
    rows: Sequence[tuple[Any, ...]], names: Sequence[tuple[Any, ...]]
) -> Iterator[_Record]:
    """Yield entries and names of requests in the order in which they were written."""
    after: dict[Any, list[_Record]] = {}
    for expected, (number, place, name, digest) in enumerate(names, start=1):
        sound = place == expected and isinstance(name, str)
        record = chain.request(expected, name, number) if sound else None
        after.setdefault(number, []).append((f"request {expected}", record, digest))
    yield from after.pop(0, [])
    for expected, (number, *fields, digest) in enumerate(rows, start=1):
        yield f"entry {expected} of the log", _entry_record(number, expected, fields), digest
        yield from after.pop(expected, [])
    for rest in after.values():
        yield from ((what, None, digest) for what, _, digest in rest)


def _entry_record(number: int, expected: int, fields: Sequence[Any]) -> bytes | None:
    try:
        Entry.of_fields(*fields)
        return chain.entry(expected, fields) if number == expected else None
    except (ValueError, TypeError, AttributeError):
        return None


def _connect(path: Path) -> sqlite3.Connection:
    """Return a connection that holds the only lock on the file until it is closed."""
    with explained(path, "opened"):
        return locked(path)


def _put_beside(connection: sqlite3.Connection, values: Mapping[str, str]) -> None:
    gone = [(name,) for name, value in values.items() if not value]
    rows = [(name, value, _checksum(name, value)) for name, value in values.items() if value]
    connection.executemany("DELETE FROM beside WHERE name = ?", gone)
    connection.executemany("INSERT OR REPLACE INTO beside VALUES (?, ?, ?)", rows)


def is_sound(name: Any, value: Any, checksum: Any) -> bool:
    """Say whether what is kept beside the answers is as it was written."""
    return isinstance(name, str) and isinstance(value, str) and checksum == _checksum(name, value)


def _checksum(name: str, value: str) -> bytes:
    return blake2b(json.dumps([name, value]).encode(), digest_size=16).digest()
