"""`aluma recover`: the answers of a damaged session that are whole, in files of their own."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aluma.cli.terminal import console, fail, plain
from aluma.visible import counted

if TYPE_CHECKING:
    from aluma.session.recovery import Recovered

#: Numbers of lost entries that are listed.
LISTED = 20


def recover(
    session: Annotated[Path, typer.Argument(metavar="SESSION", help="The file that is damaged.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The new session; by default SESSION-recovered."),
    ] = None,
) -> None:
    """Bring back every answer of a damaged session whose record is whole, and say what is lost.

    The file itself is only read. The answers go into a table, and into a new session if what is
    left is enough for one; where entries are lost, checks of labels begin anew in it.

    Example: aluma recover messages.aluma
    """
    from aluma.session import SessionError, recovery
    from aluma.session.refusals import check_new

    new = out or session.with_name(f"{session.stem}-recovered{session.suffix}")
    table = new.with_suffix(".csv")
    try:
        check_new(new)
        check_new(table)
        found = recovery.recovered(session)
        _write_table(found, table)
        begun = recovery.write(found, new)
    except (SessionError, OSError) as error:
        fail(str(error))
    _say_lost(found)
    console.print(plain(f"In {table}: {counted(len(found.answers()), 'answer')}."), soft_wrap=True)
    if begun:
        kept = session.with_suffix(".features.npz")
        if kept.is_file():
            shutil.copyfile(kept, new.with_suffix(".features.npz"))
        console.print(
            plain(f"{new} goes on from there: name it with --session, or open it as a session."),
            soft_wrap=True,
        )
    else:
        console.print(
            "There is no new session: what the old one is about, or one of its labels, is lost. "
            "Begin another with the table."
        )


def _say_lost(found: Recovered) -> None:
    """Say which entries are lost, and what that may mean."""
    lost = found.lost
    console.print(f"{len(found.entries):,} entries of {found.last:,} are whole.")
    if lost:
        listed = ", ".join(map(str, lost[:LISTED])) + (", ..." if len(lost) > LISTED else "")
        console.print(
            f"Lost: {len(lost):,} ({listed}). Each may have been an answer, or have changed or "
            "taken back one that is listed; look through those that matter.",
            soft_wrap=True,
        )


def _write_table(found: Recovered, path: Path) -> None:
    """Write the answers, one a line; examples are counted from 0."""
    with path.open("x", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("example", "answer", "kept_as", "check", "entry", "time"))
        for example, (number, entry) in found.answers().items():
            aside = "skip" if entry.label is None else "exception"
            kept_as = "answer" if entry.kind == "tell" else aside
            answer = "" if entry.label is None else entry.label
            check = "check" if entry.check else ""
            writer.writerow((example, answer, kept_as, check, number, entry.time))
