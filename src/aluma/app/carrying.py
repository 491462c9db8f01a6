"""Answers of one session for another: about the same things, in a table that was edited since."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aluma.app.rows import Rows
from aluma.errors import BadInput
from aluma.session import answer_log
from aluma.session.answer_file import AnswerFile
from aluma.visible import counted


@dataclass(frozen=True)
class Carried:
    """Answers by row of the new table.

    Attributes
    ----------
    source : the session that they come from
    told : what is to be learnt from
    aside : what is to be kept only
    skipped : rows that were skipped
    gone : answers about rows that the new table does not have
    changed : answers about rows that read otherwise now
    """

    source: Path
    told: dict[int, Any]
    aside: dict[int, Any]
    skipped: list[int]
    gone: int
    changed: int

    def words(self) -> str:
        """Say what was carried over."""
        kept = len(self.told) + len(self.aside)
        were = "was" if kept == 1 else "were"
        said = f"{counted(kept, 'answer')} {were} carried over from {self.source}."
        if self.gone:
            said += f" {self.gone:,} are about rows that were not found again."
        if self.changed:
            said += (
                f" {self.changed:,} are about rows that read otherwise than they did when they were"
                " answered: look through them."
            )
        return said


def carried(session: Path, key: str | None, new: Rows) -> Carried:
    """Return the answers of a session for another table, row by row by a key column.

    Without a key a row is found again only if all of it is as it was.
    """
    features = session.with_suffix(".features.npz")
    old = Rows.load(features)
    if old is None:
        raise BadInput(
            f"{features} does not say what the rows of {session} were: it is damaged, missing or "
            "was begun before that was kept. Export the labels with the table as it was, and pass "
            "them with --label-column."
        )
    if key is not None:
        _check_key(key, old, new)
    places = old.places_in(new, key)
    file = AnswerFile.open(session)
    file.close()
    counting = {entry.example: entry for entry in answer_log.kept(file.entries)}
    here = {places[i]: entry for i, entry in counting.items() if i in places}
    return Carried(
        session,
        {i: entry.label for i, entry in here.items() if entry.kind != "skip"},
        {i: e.label for i, e in here.items() if e.kind == "skip" and e.label is not None},
        [i for i, entry in here.items() if entry.kind == "skip" and entry.label is None],
        len(counting) - len(here),
        sum(old.whole[i] != new.whole[places[i]] for i in counting if i in places),
    )


def _check_key(key: str, old: Rows, new: Rows) -> None:
    for rows, which in ((old, "the session's"), (new, "this")):
        if key not in rows.keys:
            both = [name for name in old.keys if name in new.keys]
            fit = f"These do: {', '.join(map(repr, both))}." if both else "No column does."
            raise BadInput(
                f"--key {key!r} must name every row of {which} table by a value of its own, and "
                f"does not. {fit} Without --key, rows are found again that have not changed."
            )
