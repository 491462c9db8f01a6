"""Answers to the checks of a labelled file, kept beside it: each is on the disk before it counts.

A file of JSON lines that only grows: first what is being checked, then a line for each answer and
for each that was taken back. Going on replays them, so a restart asks the same next question;
another file, or other settings, are refused. Only one process at a time can have it open.

Every line carries a digest of itself and of the one before it, and a mark beside the file says how
far it had grown: a changed answer, or one that is gone, is noticed.
"""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

from aluma.errors import BadInput, SessionError
from aluma.interrupts import held_back
from aluma.locking import is_held, locked_beside
from aluma.promises.audit import Audit
from aluma.session import chain, high_water

#: What the digest of a line is called in it. Lines from before there were digests have none.
DIGEST = "digest"


class CheckLog:
    """An audit whose answers are in a file. Close it, or use it in a ``with`` statement.

    Parameters
    ----------
    path : where they are kept
    about : what is being checked; it must be the same when checking goes on
    audit : it is told what was answered before

    Attributes
    ----------
    version : lines after the first: answers, and those taken back
    """

    def __init__(self, path: Path, about: dict[str, Any], audit: Audit) -> None:
        self.path, self.about, self.audit = path, about, audit
        self._process = os.getpid()
        self.version, self._requests = 0, set[str]()
        self._links = [chain.digest(json.dumps(about).encode())]
        self._lock = _taken(path)
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> CheckLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others have the file; in a forked process, only leave it alone."""
        if os.getpid() == self._process:
            self._lock.close()

    def knows(self, request: str) -> bool:
        """Say whether a request has been carried out, perhaps before a restart."""
        return request in self._requests

    def tell(self, example: int, answer: str, request: str | None = None) -> None:
        """Take an answer, or raise what the audit does; on the disk when this returns."""
        with held_back():
            self.audit.tell(example, answer)
            try:
                self._append({"example": int(example), "answer": answer}, request)
            except BaseException:
                self.audit.undo()
                raise

    def undo(self, request: str | None = None) -> int:
        """Take back the last answer, and return which example it was about."""
        if not self.audit.asked:
            raise LookupError("there is no check to take back.")
        example = int(self.audit.checked[-1])
        with held_back():
            self._append({"undo": example}, request)
            self.audit.undo()
        return example

    # -- inside --------------------------------------------------------------------------------

    def _open(self) -> None:
        content = self.path.read_bytes() if self.path.exists() else b""
        # What follows the last line end was never finished, so never confirmed: go on without it.
        self._size = content.rfind(b"\n") + 1
        lines = self._read(content[: self._size])
        if lines:
            self._check(lines[0])
        self._link(lines)
        if self.path.exists():
            high_water.check(self.path, self._links[0].hex(), self._links, len(lines[1:]))
        if self._size < len(content):
            self._cut()
        if not lines:
            self.path.touch()
            self._write(self.about)
            _sync_folder(self.path)
            return
        for line in lines[1:]:
            self._replay(line)
        self._mark()

    def _link(self, lines: list[dict[str, Any]]) -> None:
        """Follow the chain of digests through the lines, and leave them without."""
        begun = False
        for number, line in enumerate(lines, start=1):
            given = line.pop(DIGEST, None)
            link = chain.link(self._links[-1], json.dumps(line).encode())
            begun = begun or given is not None
            if begun and given != link.hex():
                raise self._damaged(f"line {number} is not as it was written")
            self._links.append(link)

    def _mark(self) -> None:
        """Write down beside the file how far it has grown."""
        mark = high_water.Mark(len(self._links) - 1, len(self._links) - 2, self._links[-1].hex())
        high_water.write(self.path, {self._links[0].hex(): mark})

    def _read(self, content: bytes) -> list[dict[str, Any]]:
        try:
            found = [json.loads(line) for line in content.split(b"\n")[:-1]]
        except ValueError as error:
            raise self._damaged(str(error)) from error
        if not all(isinstance(line, dict) for line in found):
            raise self._damaged("a line is no object")
        return found

    def _check(self, first: dict[str, Any]) -> None:
        names = dict.fromkeys([*self.about, *first])
        names.pop(DIGEST, None)
        differ = [name for name in names if first.get(name) != self.about.get(name)]
        if differ:
            raise BadInput(
                f"{self.path} holds checks of something else (not the same: "
                f"{', '.join(differ)}): put the file and the options back as they were, or name "
                "another place with --checks."
            )

    def _replay(self, line: dict[str, Any]) -> None:
        """Tell the audit what a line says."""
        names = set(line) - {"request"}
        try:
            if names == {"example", "answer"}:
                self.audit.tell(line["example"], line["answer"])
            elif names == {"undo"} and self.audit.checked[-1:].tolist() == [line["undo"]]:
                self.audit.undo()
            else:
                raise ValueError("a line is no answer")
        except (ValueError, TypeError, LookupError) as error:
            raise self._damaged(str(error)) from error
        self._count(line.get("request"))

    def _append(self, line: dict[str, Any], request: str | None) -> None:
        self._write(line if request is None else {**line, "request": request})
        self._count(request)

    def _count(self, request: str | None) -> None:
        self.version += 1
        if request is not None:
            self._requests.add(request)

    def _write(self, line: dict[str, Any]) -> None:
        """Add a line to the file, on the disk when this returns, or leave it as it was."""
        link = chain.link(self._links[-1], json.dumps(line).encode())
        content = json.dumps({**line, DIGEST: link.hex()}).encode() + b"\n"
        try:
            if os.getpid() != self._process:
                raise SessionError(
                    f"{self.path} was opened by another process, of which this one is a fork: "
                    "answer there, or close it there and open it here."
                )
            if self.path.stat().st_size != self._size:
                raise SessionError(
                    f"{self.path} was changed by another program: nothing was recorded. Put it "
                    "back as it was, or begin anew with --checks."
                )
            with self.path.open("ab") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            self._forget()
            raise SessionError(
                f"{self.path} cannot be written ({error.strerror}): nothing was recorded. Make "
                "room or put it back, and repeat it."
            ) from error
        self._size += len(content)
        self._links.append(link)
        self._mark()

    def _forget(self) -> None:
        """Remove what was written of a line; if that fails too, its length gives it away later."""
        try:
            self._cut()
        except OSError:
            return

    def _cut(self) -> None:
        with self.path.open("r+b") as file:
            file.truncate(self._size)
            os.fsync(file.fileno())

    def _damaged(self, how: str) -> BadInput:
        return BadInput(
            f"{self.path} is damaged ({how}): restore it, bring back what is whole with aluma "
            f"recover {self.path}, or begin anew with --checks."
        )


def _taken(path: Path) -> sqlite3.Connection:
    """Return the lock that belongs to a file, or say who has it."""
    if not path.absolute().parent.is_dir():
        raise BadInput(f"there is no folder {path.parent}: make it, or change --checks.")
    try:
        return locked_beside(path)
    except (sqlite3.Error, OSError) as error:
        if isinstance(error, sqlite3.Error) and is_held(error):
            raise BadInput(
                f"{path} is in use: another aluma check has it open, in a terminal or as a page, "
                "and only one may. End that one first, or name another place with --checks."
            ) from error
        raise BadInput(
            f"{path} cannot be kept there ({error}): name a place that you may write to with "
            "--checks."
        ) from error


def _sync_folder(path: Path) -> None:
    """Have the name of a new file on the disk as well, where the system lets one ask for that."""
    if os.name != "posix":
        return
    folder = os.open(path.absolute().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
