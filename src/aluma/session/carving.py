"""Rows of a session in the bytes of its file, found without SQLite and whatever else is lost.

SQLite writes a row as its length, its key, a header with a type for every column, and the columns
(https://www.sqlite.org/fileformat2.html, "B-tree Cell" and "Record Format"). The header of an entry
has a shape of its own, so it can be looked for at every byte, also where the page around it, the
header of the file or its schema is damaged. What was found is believed only if its digest fits.

A row that is longer than a page is continued elsewhere and is not found here: that takes a label of
thousands of characters.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from typing import Any

#: Row as it is stored: number, kind, example, label, known, factor, time, digest.
Row = tuple[Any, ...]

_TEXT = rb"(?:[\x80-\xff]{0,3}[\x00-\x7f])"
_NUMBER = rb"[\x00-\x09]"
#: Length of the header, the key's column (NULL, for the key is before the header), the others. A
#: lookahead, so that a chance match does not hide a real one that begins within it.
_HEADER = re.compile(
    rb"(?=([\x09-\x1c]\x00" + _TEXT + _NUMBER + _TEXT + _TEXT + _NUMBER + _TEXT + rb"[\x2c\x4c]))",
    re.DOTALL,
)
#: Length of the header, a name, a text and a checksum of 16 bytes.
_BESIDE = re.compile(rb"(?=([\x04-\x0a]" + _TEXT + _TEXT + rb"\x2c))", re.DOTALL)
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
#: Bytes of a row's key that are tried, which is enough for two million entries.
_KEY_BYTES = 3


def about(content: bytes, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield whatever has the form of a line about the session, with one of these names."""
    for name in names:
        raw = name.encode()
        head = rb"[\x03-\x05]" + re.escape(bytes([13 + 2 * len(raw)])) + b"(" + _TEXT + b")"
        for match in re.finditer(head + re.escape(raw), content, re.DOTALL):
            kind, _ = _varint(match.group(1), 0)
            try:
                value, _ = _value(content, kind, match.end())
            except ValueError:
                continue
            if isinstance(value, str):
                yield name, value


def entries(content: bytes) -> Iterator[Row]:
    """Yield whatever has the form of an entry of the log; most of it is, but verify it."""
    for match in _HEADER.finditer(content):
        header = match.group(1)
        if header[0] != len(header):
            continue
        fields = _fields(content, header, match.start())
        if fields is not None:
            for number in _keys(content, match.start()):
                yield (number, *fields)


def beside(content: bytes) -> Iterator[Row]:
    """Yield whatever has the form of a text that is kept beside the answers; verify it."""
    for match in _BESIDE.finditer(content):
        header, place = match.group(1), match.end(1)
        if header[0] != len(header):
            continue
        name, at = _varint(header, 1)
        value, _ = _varint(header, at)
        # Texts are of odd kinds.
        if not (name % 2 and value % 2):
            continue
        try:
            found, place = _value(content, name, place)
            text, place = _value(content, value, place)
            checksum, _ = _value(content, header[-1], place)
        except (ValueError, struct.error):
            continue
        yield found, text, checksum


def _fields(content: bytes, header: bytes, start: int) -> tuple[Any, ...] | None:
    """Return the columns after the first, or None if they cannot be read."""
    at, place = 2, start + len(header)
    found: list[Any] = []
    while at < len(header):
        kind, at = _varint(header, at)
        try:
            value, place = _value(content, kind, place)
        except (ValueError, struct.error):
            return None
        found.append(value)
    if len(found) != 7:
        return None
    if isinstance(found[4], int):
        # SQLite stores a factor of 1.0 as the integer, to save space.
        found[4] = float(found[4])
    return tuple(found)


def _value(content: bytes, kind: int, place: int) -> tuple[Any, int]:
    """Return a column of a kind that is stored at a place, and where the next one is."""
    if kind == 0:
        return None, place
    if kind in (8, 9):
        return kind - 8, place
    size = _INTEGERS.get(kind, 8 if kind == 7 else (kind - 12) // 2)
    part = content[place : place + size]
    if len(part) < size:
        raise ValueError("it is cut off")
    if kind == 7:
        return struct.unpack(">d", part)[0], place + size
    if kind in _INTEGERS:
        return int.from_bytes(part, "big", signed=True), place + size
    if kind < 12:
        raise ValueError("SQLite does not use this kind")
    return (part.decode() if kind % 2 else part), place + size


def _keys(content: bytes, start: int) -> Iterator[int]:
    """Yield the numbers that the bytes before a header can mean."""
    for size in range(1, min(_KEY_BYTES, start) + 1):
        key, end = _varint(content, start - size)
        if end == start:
            yield key


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """Return one of SQLite's integers of variable length, and where the next byte is."""
    value = 0
    for place in range(at, min(at + 8, len(content))):
        value = value << 7 | content[place] & 0x7F
        if content[place] < 0x80:
            return value, place + 1
    return value, at + 8
