"""The names that people go by: what a name may be, and where the list is kept."""

from __future__ import annotations

import csv
import json
import unicodedata
from collections.abc import Iterable, Sequence

from aluma.errors import BadInput
from aluma.session import Session

#: Characters of a name, and people in a session.
LONGEST_NAME, MOST_PEOPLE = 60, 50
#: Name of the list among what a session keeps beside its answers.
LIST = "people"
#: Signs that turn the direction of what follows them: a name with one could pass for another.
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def listed(text: str) -> tuple[str, ...]:
    """Return the people that a user lists with commas; a name with a comma is put in quotes."""
    found: tuple[str, ...] = ()
    for name in next(csv.reader([text], skipinitialspace=True), []):
        found = added(found, name)
    return found


def added(names: Sequence[str], given: str) -> tuple[str, ...]:
    """Return the names with one more, or say why it cannot be one."""
    if any(unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") for one in given.strip()):
        raise BadInput(f"the name {given[:80]!r} has a control character: a name is one line.")
    if turning := [one for one in given if one in _TURNING]:
        raise BadInput(
            f"the name {given[:80]!r} has a sign that turns the direction of text "
            f"(U+{ord(turning[0]):04X}): leave it out, letters of any script need none."
        )
    name = " ".join(unicodedata.normalize("NFC", given).split())
    if not any(unicodedata.category(one)[0] in "LN" for one in name):
        raise BadInput(f"{given[:80]!r} is no name: it needs a letter or a digit.")
    if len(name) > LONGEST_NAME:
        raise BadInput(
            f"the name {name[:30] + '…'!r} has {len(name):,} characters: it may have up to "
            f"{LONGEST_NAME}."
        )
    if taken := [one for one in names if folded(one) == folded(name)]:
        raise BadInput(f"the name {taken[0]!r} is taken: choose one that looks different.")
    if len(names) >= MOST_PEOPLE:
        raise BadInput(f"there are {MOST_PEOPLE} people already, which is as many as there may be.")
    return *names, name


def folded(name: str) -> str:
    """Return a name as it is compared: large and small letters, wide and narrow ones are alike."""
    return unicodedata.normalize("NFKC", name).casefold()


def of_session(session: Session) -> tuple[str, ...]:
    """Return the people of a session, in the order in which they came."""
    kept = json.loads(session.beside.get(LIST, "[]"))
    return tuple(dict.fromkeys([*kept, *(voice.who for voice in session.voices)]))


def keep(session: Session, names: Iterable[str]) -> None:
    """Write the list of people down."""
    session.keep_beside({LIST: json.dumps(list(names))})
