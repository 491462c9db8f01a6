"""Who is asking: known for the time of one request, from the token that came with it."""

from __future__ import annotations

from contextvars import ContextVar

#: The person whose request is being answered; it follows the request into threads.
_WHO: ContextVar[str] = ContextVar("aluma_person", default="")


def enter(who: str) -> None:
    """Take what follows in this request for a person's."""
    _WHO.set(who)


def person() -> str:
    """Return who is asking; empty if that is nobody's request."""
    return _WHO.get()
