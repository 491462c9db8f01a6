"""What is whole of a damaged session, read from a copy: the file itself is never touched.

An entry counts as whole if the digest that it carries fits: its own, or, in files from before
format 3, the link to the entry before. Nothing is guessed. SQLite is asked first, then the bytes of
the file are searched (:mod:`aluma.session.carving`), so that a ruined page, schema or header costs
no more than what stood there.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aluma.errors import NotASession, SessionLocked
from aluma.locking import is_held
from aluma.session import carving, chain, high_water
from aluma.session.answer_file import ABOUT, DIGEST, AnswerFile, is_sound
from aluma.session.answer_log import VOICES, Entry

_ENTRIES = "SELECT number, kind, example, label, known, factor, time, digest FROM event ORDER BY "


@dataclass(frozen=True)
class Recovered:
    """What could be read of a session.

    Attributes
    ----------
    about : what the session is about, or None if that is lost
    entries : the entries that are whole, by number from 1 on
    requests : names of requests that are whole
    last : number of the last entry that there is any sign of
    beside : what was kept beside the answers and is whole: text by name
    uncertain : names among them that stand in a damaged table, so that the text may be an earlier
        one, and names whose text is lost
    """

    about: dict[str, str] | None
    entries: Mapping[int, Entry]
    requests: tuple[str, ...]
    last: int
    beside: Mapping[str, str] = field(default_factory=dict)
    uncertain: tuple[str, ...] = ()

    @property
    def lost(self) -> list[int]:
        """Numbers of the entries that are lost."""
        return [number for number in range(1, self.last + 1) if number not in self.entries]

    def answers(self) -> dict[int, tuple[int, Entry]]:
        """Return, by example, the entry that counts and its number, as far as can be told.

        Every entry names its example, so this needs no others: but one that is lost may have
        changed or taken back an answer that is listed.
        """
        told: dict[int, list[tuple[int, Entry]]] = {}
        for number, entry in sorted(self.entries.items()):
            if entry.kind in VOICES:
                continue
            mine = told.setdefault(entry.example, [])
            if entry.kind == "undo":
                del mine[-1:]
            elif entry.kind == "withdraw":
                mine.clear()
            elif entry.kind == "change" and mine:
                mine[-1] = number, replace(entry, kind="tell", check=mine[-1][1].check)
            else:
                mine.append(
                    (number, replace(entry, kind="skip" if entry.kind == "skip" else "tell"))
                )
        counting = {example: mine[-1] for example, mine in told.items() if mine}
        return dict(sorted(counting.items(), key=lambda item: item[1][0]))

    def log(self) -> list[Entry] | None:
        """Return a log for another session, or None if it would need what is lost.

        If all entries are whole it is the same. Otherwise it has the answers that count. None of
        them checks anything: of the labels that were drawn at random some are missing, and nothing
        can be promised by the others.
        """
        if self.about is None or not self.entries:
            return None
        if not self.lost:
            return [entry for _, entry in sorted(self.entries.items())]
        known = self.entries[max(self.entries)].known
        labels = {label for label, _ in known}
        kept = [entry for _, entry in self.answers().values()]
        if any(entry.label not in labels for entry in kept if entry.label is not None):
            return None
        # What people said stands by itself: nothing of it needs what is lost.
        said = [entry for _, entry in sorted(self.entries.items()) if entry.kind in VOICES]
        return [
            replace(entry, known=known, factor=None, check=0, said=None) for entry in (*said, *kept)
        ]


def recovered(path: Path) -> Recovered:
    """Read what is whole of a session's file, and leave it alone."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}: check the name.")
    _check_unused(path)
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copyfile(path, copy)
        journal = path.with_name(path.name + "-journal")
        if journal.is_file():
            # SQLite needs it to undo what a killed process had half written.
            shutil.copyfile(journal, copy.with_name("copy-journal"))
        told, rows, requests, kept = _asked(copy)
        content = copy.read_bytes()
    about = _about([*told, *carving.about(content, [*ABOUT, DIGEST])])
    entries = _whole([*rows, *carving.entries(content)], about)
    if about is None and not entries:
        raise NotASession(
            f"nothing in {path} is a whole record of a session: check the name, or go back to a "
            "copy."
        )
    marks = [mark.entries for mark in high_water.read(path).values()]
    last = max([*entries, *marks], default=0)
    return Recovered(about, entries, requests, last, *_beside(kept, content))


def write(found: Recovered, path: Path) -> bool:
    """Write a new session with what was found, and say whether there is enough for one."""
    log = found.log()
    if log is None or found.about is None:
        return False
    file = AnswerFile.create(path, found.about, found.beside)
    try:
        file.append(log)
        file.remember(found.requests)
    finally:
        file.close()
    return True


def _check_unused(path: Path) -> None:
    """Refuse a file that is being written: a copy of it would be of two moments."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, timeout=0.2)) as connection:
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            if is_held(error):
                raise SessionLocked(
                    f"{path} is in use: end the program that has it open, then recover it."
                ) from error
        except UnicodeDecodeError:
            # Python found no text in what SQLite says about a damaged schema.
            return


def _asked(
    copy: Path,
) -> tuple[
    list[tuple[str, str]], list[tuple[Any, ...]], tuple[str, ...], list[tuple[Any, ...]] | None
]:
    """Return lines about the session, entries, names of requests, as far as SQLite goes.

    And what is kept beside them, None if that table cannot be read to its end.
    """
    with closing(sqlite3.connect(copy)) as connection:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        about = [
            (name, value)
            for name, value in _selected(connection, "SELECT name, value FROM about")
            if isinstance(name, str) and isinstance(value, str)
        ]
        # From both ends: a damaged page ends the reading.
        rows = [*_selected(connection, _ENTRIES + "number")]
        rows += _selected(connection, _ENTRIES + "number DESC")
        names = _selected(connection, "SELECT place, name, number, digest FROM request")
        requests = tuple(
            name
            for place, name, number, digest in names
            if isinstance(name, str) and chain.is_whole(digest, chain.request(place, name, number))
        )
        try:
            beside = connection.execute("SELECT name, value, checksum FROM beside").fetchall()
        except (sqlite3.Error, UnicodeDecodeError):
            beside = None
    return about, rows, requests, beside


def _beside(
    rows: list[tuple[Any, ...]] | None, content: bytes
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return what was kept beside the answers and is whole, and the names that are uncertain.

    What SQLite can read as a whole is what was kept last. Otherwise the bytes are searched, where
    earlier texts may be found as well: of several by one name the longest is taken.
    """
    found = {name: value for name, value, given in rows or () if is_sound(name, value, given)}
    missed = {str(name) for name, *_ in rows or () if name not in found}
    if rows is not None and not missed:
        return found, ()
    carved: dict[str, str] = {}
    for name, value, given in carving.beside(content):
        fresh = name not in found and (rows is None or name in missed)
        if fresh and is_sound(name, value, given) and len(value) > len(carved.get(name, "")):
            carved[name] = value
    return found | carved, tuple(sorted({*carved, *missed}))


def _selected(connection: sqlite3.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    """Yield rows until SQLite meets damage."""
    try:
        yield from connection.execute(query)
    except (sqlite3.Error, UnicodeDecodeError):
        return


def _about(lines: Iterable[tuple[str, str]]) -> dict[str, str] | None:
    """Return what the session is about if it is whole."""
    lines = list(lines)
    for digest in {value for name, value in lines if name == DIGEST}:
        # A damaged page may hold a line twice, once as it was and once as it is.
        for chosen in (lines, lines[::-1]):
            found = {name: value for name, value in chosen if name != DIGEST}
            if chain.digest(json.dumps(sorted(found.items())).encode()).hex() == digest:
                return found
    return None


def _whole(rows: Iterable[tuple[Any, ...]], about: dict[str, str] | None) -> dict[int, Entry]:
    """Return the entries whose digests fit, by number."""
    found: dict[int, list[tuple[bytes, bytes, Entry]]] = {}
    for number, *fields, digest in rows:
        try:
            record, entry = chain.entry(number, fields), Entry.of_fields(*fields)
        except (ValueError, TypeError, AttributeError):
            continue
        if isinstance(digest, bytes) and len(digest) in (chain.SIZE, 2 * chain.SIZE):
            found.setdefault(number, []).append((record, digest, entry))
    whole: dict[int, Entry] = {}
    for number in sorted(found):
        before = {digest[: chain.SIZE] for _, digest, _ in found.get(number - 1, [])}
        if about is not None and number == 1:
            before.add(chain.digest(json.dumps(sorted(about.items())).encode()))
        # One that follows from the entry before comes first, should there be two.
        linked = [e for r, d, e in found[number] if any(chain.fits(d, one, r) for one in before)]
        alone = [e for r, d, e in found[number] if chain.is_whole(d, r)]
        if linked or alone:
            whole[number] = (linked or alone)[0]
    return whole
