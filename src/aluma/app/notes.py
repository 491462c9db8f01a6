"""Notes that a person makes about examples: kept beside the answers, exported with the labels."""

from __future__ import annotations

import re
from collections.abc import Mapping

from aluma.session import Session

_NAME = re.compile(r"note (\d+)")


def named(example: int) -> str:
    """Return under which name a note is kept."""
    return f"note {example}"


def of_session(session: Session) -> dict[int, str]:
    """Return the notes by example."""
    return of_texts(session.beside)


def of_texts(beside: Mapping[str, str]) -> dict[int, str]:
    """Return the notes among what is kept beside answers, by example."""
    found = ((_NAME.fullmatch(name), text) for name, text in beside.items())
    return {int(name[1]): text for name, text in found if name}
