"""Notes that a person makes about examples: kept beside the answers, exported with the labels."""

from __future__ import annotations

import re

from aluma.session import Session

_NAME = re.compile(r"note (\d+)")


def named(example: int) -> str:
    """Return under which name a note is kept."""
    return f"note {example}"


def of_session(session: Session) -> dict[int, str]:
    """Return the notes by example."""
    found = ((_NAME.fullmatch(name), text) for name, text in session.beside.items())
    return {int(name[1]): text for name, text in found if name}
