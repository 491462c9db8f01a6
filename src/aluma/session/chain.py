"""The chain of digests through a session's file: every link covers its record and the link before.

Entries of the log and names of requests are links of one chain. Beside its link each record keeps a
digest of its own, so that one whose neighbours are lost can still be told to be whole.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

#: Bytes of a digest. Before format 3 a record stored its link alone.
SIZE = 16


def digest(content: bytes) -> bytes:
    """Return a digest of some bytes."""
    return blake2b(content, digest_size=SIZE).digest()


def entry(number: int, fields: Sequence[Any]) -> bytes:
    """Return what is digested of an entry of the log."""
    return json.dumps([number, *fields]).encode()


def request(place: int, name: str, number: int) -> bytes:
    """Return what is digested of a request: the text in front keeps it apart from entries."""
    return json.dumps(["request", place, name, number]).encode()


def link(previous: bytes, record: bytes) -> bytes:
    """Return the link that a record adds to the chain."""
    return digest(previous + record)


def stored(link: bytes, record: bytes) -> bytes:
    """Return what is stored with a record: its link, and its own digest."""
    return link + own(record)


def own(record: bytes) -> bytes:
    """Return a digest of a record by itself; the prefix keeps it apart from links."""
    return digest(b"own " + record)


def fits(given: Any, previous: bytes, record: bytes) -> bool:
    """Say whether what is stored with a record is what belongs there."""
    here = link(previous, record)
    return isinstance(given, bytes) and given in (here, here + own(record))


def is_whole(given: Any, record: bytes) -> bool:
    """Say whether a record is as it was written, without knowing its neighbours.

    Records from before format 3 cannot say.
    """
    return isinstance(given, bytes) and len(given) == 2 * SIZE and given[SIZE:] == own(record)
