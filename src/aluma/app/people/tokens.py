"""A token for each person: made of their name and a key, so that it is the same after a restart.

One token tells nothing about another (HMAC with SHA-256 under a key of 32 random bytes). The key is
in a file of its own beside the session, which only its owner can read, and in no log; without the
file there are new tokens, and old links lead nowhere.
"""

from __future__ import annotations

import base64
import hmac
import os
import secrets
from pathlib import Path

#: What the link that asks for a name carries in place of a name; no name is empty.
GUEST = ""
KEY_BYTES = 32


def key_of(session: Path, given: str | None = None) -> bytes:
    """Return the key of a session: made of a token that was given, or from its file, or a new one.

    Parameters
    ----------
    session : the session's file
    given : what the user wants all tokens to be made of
    """
    if given is not None:
        return hmac.digest(b"aluma people", given.encode(), "sha256")
    path = place(session)
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        key = b""
    if len(key) != KEY_BYTES:
        key = secrets.token_bytes(KEY_BYTES)
        _write(path, key)
    return key


def place(session: Path) -> Path:
    """Return where the key of a session is."""
    return session.with_name(session.name + ".key")


def token(key: bytes, name: str) -> str:
    """Return the token of a person."""
    made = hmac.digest(key, b"person " + name.encode(), "sha256")
    return base64.urlsafe_b64encode(made[:24]).decode()


def _write(path: Path, key: bytes) -> None:
    """Write a key so that nobody else can read it, at no moment."""
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
