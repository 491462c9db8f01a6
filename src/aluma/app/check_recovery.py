"""What is whole of a damaged file of checks: the file itself is only read.

A line counts as whole if its digest follows from that of the line before, as it stands there. So a
damaged line costs itself, and the one after it if its own digest is damaged too. Nothing is
guessed. Lines from before there were digests count if the first digest follows from them, or if
there is none.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aluma.app.check_log import DIGEST
from aluma.errors import NotASession, SessionLocked
from aluma.locking import is_held, locked_beside
from aluma.session import chain, high_water

#: The end of a line, which may be whole where the line is not.
_END = re.compile(rb'"digest": "([0-9a-f]{32})"\}$')


@dataclass(frozen=True)
class RecoveredChecks:
    """What could be read of a file of checks.

    Attributes
    ----------
    about : what was being checked, or None if that is lost
    lines : the lines after it that are whole, by number from 1 on
    last : number of the last line that there is any sign of
    beginning : the bytes up to the first that is not whole
    """

    about: dict[str, Any] | None
    lines: Mapping[int, dict[str, Any]]
    last: int
    beginning: bytes

    @property
    def lost(self) -> list[int]:
        """Numbers of the lines that are lost."""
        return [number for number in range(1, self.last + 1) if number not in self.lines]

    def answers(self) -> dict[int, tuple[int, str]]:
        """Return, by example, the number of the line that counts, and its answer."""
        found: dict[int, tuple[int, str]] = {}
        for number, line in sorted(self.lines.items()):
            if "undo" in line:
                found.pop(line["undo"], None)
            elif "example" in line:
                found[line["example"]] = number, line["answer"]
        return found


def is_file_of_checks(path: Path) -> bool:
    """Say whether a file is one of checks, by its name or its first byte."""
    if path.suffix == ".jsonl" or not path.is_file():
        return path.suffix == ".jsonl"
    with path.open("rb") as file:
        return file.read(1) == b"{"


def recovered(path: Path) -> RecoveredChecks:
    """Read what is whole of a file of checks."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}: check the name.")
    _check_unused(path)
    content = path.read_bytes()
    # What follows the last line end was never finished, so never confirmed.
    raw = content.split(b"\n")[:-1]
    found = [_read(line) for line in raw]
    whole = _whole(found)
    sound = {number: line for number, (line, _) in enumerate(found) if line and whole[number]}
    if not sound:
        raise NotASession(
            f"nothing in {path} is a whole line of checks: check the name, or go back to a copy."
        )
    unbroken = raw[: whole.index(False)] if False in whole else raw
    marks = [mark.entries for mark in high_water.read(path).values()]
    return RecoveredChecks(
        about=sound.pop(0, None),
        lines=sound,
        last=max([len(raw) - 1, *marks]),
        beginning=b"".join(line + b"\n" for line in unbroken),
    )


def _read(raw: bytes) -> tuple[dict[str, Any] | None, bytes | None]:
    """Return what a line says, None if it is in no fit state, and its digest, if there is one."""
    end = _END.search(raw)
    digest = bytes.fromhex(end[1].decode()) if end else None
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError):
        return None, digest
    if not isinstance(line, dict):
        return None, digest
    line.pop(DIGEST, None)
    return line, digest


def _whole(lines: Sequence[tuple[dict[str, Any] | None, bytes | None]]) -> list[bool]:
    """Say which lines are as they were written."""
    first = next((n for n, (_, given) in enumerate(lines) if given is not None), len(lines))
    records = [None if line is None else json.dumps(line).encode() for line, _ in lines]
    whole: list[bool] = []
    link = chain.digest(records[0]) if records and records[0] is not None else None
    for number, (_, given) in enumerate(lines):
        record = records[number]
        expected = None if record is None or link is None else chain.link(link, record)
        whole.append(expected is not None and (number < first or given == expected))
        link = expected if number < first else given
    if first < len(lines) and not whole[first]:
        # Lines without a digest are vouched for by the first that has one.
        whole[:first] = [False] * first
    return whole


def _check_unused(path: Path) -> None:
    """Refuse a file that is being written."""
    try:
        locked_beside(path).close()
    except sqlite3.Error as error:
        if is_held(error):
            raise SessionLocked(
                f"{path} is in use: end the program that has it open, then recover it."
            ) from error
    except OSError:
        # Nobody can write where the lock cannot be made.
        return
