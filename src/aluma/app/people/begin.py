"""Beginning with several people, or going on with them."""

from __future__ import annotations

import json
from dataclasses import dataclass

from aluma.app.board import Task
from aluma.app.desk import Desk
from aluma.app.examples import Examples
from aluma.app.people import names, tokens
from aluma.app.people.admission import Admission
from aluma.app.people.team import Team
from aluma.errors import BadInput
from aluma.session import Session

#: What a user writes in place of names if they are to be asked for, and the share asked twice.
ASK, OVERLAP = "ask", 0.1
#: Names among what a session keeps beside its answers: whether names are asked for, what is asked
#: twice.
ASKS, TWICE = "people ask", "people overlap"


@dataclass(frozen=True)
class Wish:
    """What a user wants of people.

    Attributes
    ----------
    people : their names; None for those of the session
    asks : whether names are asked for on the first visit; None for what the session says
    overlap : share of the questions that is asked twice; None for what the session says
    token : what all tokens are made of; None for a key that is kept beside the session
    """

    people: tuple[str, ...] | None = None
    asks: bool | None = None
    overlap: float | None = None
    token: str | None = None


def wish(people: str | None, overlap: float | None, token: str | None) -> Wish:
    """Return what the options --people and --overlap say."""
    if people is None:
        return Wish(overlap=overlap, token=token)
    if people.strip() == ASK:
        return Wish(asks=True, overlap=overlap, token=token)
    found = names.listed(people)
    if len(found) < 2:
        raise BadInput(
            f"--people has {len(found)} name{'' if len(found) == 1 else 's'}: list two at least, "
            "as in --people anna,ben, or say --people ask."
        )
    return Wish(found, asks=False, overlap=overlap, token=token)


def check_wish(wanted: Wish | None, slack: float | str | None) -> None:
    """Refuse what cannot be with several people."""
    several = wanted is not None and wanted.asks is not None
    if several and slack not in (None, "auto"):
        raise BadInput(
            f"--slack {slack} lets no answers contradict each other, and those of several people "
            "do: leave it out."
        )


def seated(session: Session, examples: Examples, task: Task, wanted: Wish | None) -> Desk:
    """Return a desk for one person, or for several where the user or the session says so."""
    wanted, before = wanted or Wish(), session.beside
    if wanted.asks is None and names.LIST not in before:
        if wanted.overlap is not None:
            raise BadInput("--overlap is for several people: name them with --people.")
        return Desk(session, examples, task)
    if json.loads(session.about["settings"]).get("slack", 0) != "auto":
        raise BadInput(
            f"{session.path} was begun without slack, so its answers may not contradict each "
            "other, and those of several people do: begin another session with --session."
        )
    asks = wanted.asks if wanted.asks is not None else before.get(ASKS) == "yes"
    overlap = wanted.overlap if wanted.overlap is not None else float(before.get(TWICE, OVERLAP))
    people = wanted.people or (() if asks else names.of_session(session))
    session.keep_beside({ASKS: "yes" if asks else "no", TWICE: repr(overlap)})
    key = tokens.key_of(session.path, wanted.token)
    admission = Admission(session, key, people, asks=asks)
    return Team(session, examples, task, admission, overlap)
