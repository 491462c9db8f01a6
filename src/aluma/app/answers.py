"""The answers that a person chooses from: their names, how many there may be, where they are kept.

A session of two named answers has them as its classes. One whose answers may become more begins
without classes, learns them as they are told, and keeps their list, in order, beside its answers.
"""

from __future__ import annotations

import csv
import json
import unicodedata
from collections.abc import Iterable, Sequence

from aluma.app.board import answers_of
from aluma.errors import BadInput
from aluma.session import Session
from aluma.visible import counted

#: There is a key for each of them, and they fit on a phone.
FEWEST_ANSWERS, MOST_ANSWERS = 2, 20
#: Characters of a name.
LONGEST_NAME = 100
#: Name of the list among what a session keeps beside its answers.
LIST = "answers"


def listed(text: str) -> tuple[str, ...]:
    """Return the answers that a user lists with commas; a name with a comma is put in quotes."""
    return checked(next(csv.reader([text], skipinitialspace=True), []))


def checked(names: Iterable[str], source: str = "--answers") -> tuple[str, ...]:
    """Return names of answers without blanks around them, or say what is wrong with one."""
    found: list[str] = []
    for name in names:
        found.append(_new(name, found, source))
    if len(found) < FEWEST_ANSWERS:
        raise BadInput(
            f"{source} has {len(found)} answer{'s' if len(found) != 1 else ''}: there must be at "
            f"least {FEWEST_ANSWERS}, as in --answers sport,politics,other."
        )
    return tuple(found)


def added(names: Sequence[str], name: str) -> tuple[str, ...]:
    """Return the answers with one more, or say why it cannot be one."""
    return *names, _new(name, names, "the list")


def grows(session: Session) -> bool:
    """Say whether the answers of a session may become more."""
    return json.loads(session.about["settings"]).get("classes") is None


def of_session(session: Session) -> tuple[str, ...]:
    """Return the answers of a session, in their order."""
    if not grows(session):
        return tuple(str(label) for label in session.classes_)
    kept = json.loads(session.beside.get(LIST, "[]"))
    told = (entry.label for entry in session.kept if entry.label is not None)
    return tuple(dict.fromkeys([*kept, *map(str, told)]))


def kept(session: Session) -> str:
    """Say how many answers a session has, and about what, where several people gave them."""
    said = [voice.example for voice in session.voices if voice.label is not None]
    if said:
        return f"{counted(len(said), 'answer')} about {counted(len(set(said)), 'example')}"
    return counted(len(answers_of(session)), "answer")


def written(names: Sequence[str]) -> dict[str, str]:
    """Return the list of answers as a session keeps it."""
    return {LIST: json.dumps(list(names))}


def in_words(names: Sequence[str]) -> str:
    """Return answers as a question, or none if they are too many for one."""
    return f"{', '.join(names[:-1])} or {names[-1]}?" if len(names) <= 5 else "Which answer?"


def _new(given: str, known: Sequence[str], source: str) -> str:
    name = unicodedata.normalize("NFC", given.strip())
    if not any(unicodedata.category(one)[0] in "LNPS" for one in name):
        raise BadInput(
            f"{source} has an answer without a name, {given!r}: name it or leave it out."
        )
    if any(unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") for one in name):
        raise BadInput(f"the answer {given!r} has a control character: names are one line of text.")
    if len(name) > LONGEST_NAME:
        raise BadInput(
            f"the answer {name[:30] + '…'!r} has {len(name):,} characters: a name may have up to "
            f"{LONGEST_NAME}."
        )
    if name in known:
        raise BadInput(f"{source} has the answer {name!r} twice: name every answer once.")
    if len(known) >= MOST_ANSWERS:
        raise BadInput(
            f"{source} has more than {MOST_ANSWERS} answers: that is as many as there are keys "
            "for. Put rare ones together, for instance as 'other'."
        )
    return name
