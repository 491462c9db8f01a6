"""`aluma recover`: what is whole of a damaged session or file of checks, in files of its own."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Sequence
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

    The file itself is only read. The answers go into a table, with notes, and into a new session if
    what is left is enough for one; where entries are lost, checks of labels begin anew in it. A
    file of checks (of aluma check) is recovered in the same way.

    Example: aluma recover messages.aluma
    """
    from aluma.app.check_recovery import is_file_of_checks
    from aluma.session import SessionError, recovery
    from aluma.session.refusals import check_new

    new = out or session.with_name(f"{session.stem}-recovered{session.suffix}")
    table = new.with_suffix(".csv")
    try:
        check_new(new)
        check_new(table)
        if is_file_of_checks(session):
            _recover_checks(session, new, table)
            return
        found = recovery.recovered(session)
        _write_table(found, table)
        begun = recovery.write(found, new)
    except (SessionError, OSError) as error:
        fail(str(error))
    _say_lost(found.lost, len(found.entries), found.last)
    _say_beside(found)
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


def _recover_checks(path: Path, new: Path, table: Path) -> None:
    """Bring back what is whole of a file of checks."""
    from aluma.app import check_recovery

    found = check_recovery.recovered(path)
    answers = found.answers()
    with table.open("x", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("example", "answer", "entry"))
        writer.writerows((example, text, number) for example, (number, text) in answers.items())
    _say_lost(found.lost, len(found.lines), found.last)
    console.print(plain(f"{len(answers):,} answers are in {table}."), soft_wrap=True)
    if found.about is None:
        console.print("There is no new file of checks: what the old one is about is lost.")
        return
    with new.open("xb") as copy:
        copy.write(found.beginning)
    kept = found.beginning.count(b"\n") - 1
    again = ", and asks again what came after" if kept < found.last else ""
    console.print(
        plain(f"{new} goes on after the first {kept:,} entries{again}: name it with --checks."),
        soft_wrap=True,
    )


def _say_lost(lost: list[int], whole: int, last: int) -> None:
    """Say which entries are lost, and what that may mean."""
    console.print(f"{whole:,} entries of {last:,} are whole.")
    if lost:
        console.print(
            f"Lost: {len(lost):,} ({_listed(lost)}). Each may have been an answer, or have changed "
            "or taken back one that is listed; look through those that matter.",
            soft_wrap=True,
        )


def _say_beside(found: Recovered) -> None:
    """Say what became of notes and of whatever else is kept beside the answers."""
    if found.beside:
        console.print(f"{len(found.beside):,} texts kept beside the answers are whole.")
    if found.uncertain:
        names = _listed(found.uncertain)
        console.print(
            plain(f"Lost, or perhaps not as they were last: {names}. Look through them."),
            soft_wrap=True,
        )


def _listed(names: Sequence[object]) -> str:
    return ", ".join(map(str, names[:LISTED])) + (", ..." if len(names) > LISTED else "")


def _write_table(found: Recovered, path: Path) -> None:
    """Write the answers, one a line; examples are counted from 0."""
    with path.open("x", encoding="utf-8", errors="backslashreplace", newline="") as file:
        from aluma.app import notes

        writer, noted = csv.writer(file), notes.of_texts(found.beside)
        more = ("note",) if noted else ()
        writer.writerow(("example", "answer", "kept_as", "check", "entry", "time", *more))
        for example, (number, entry) in found.answers().items():
            aside = "skip" if entry.label is None else "exception"
            kept_as = "answer" if entry.kind == "tell" else aside
            answer = "" if entry.label is None else entry.label
            check = "check" if entry.check else ""
            note = (noted.pop(example, ""),) if more else ()
            writer.writerow((example, answer, kept_as, check, number, entry.time, *note))
        for example, text in noted.items():
            writer.writerow((example, "", "", "", "", "", text))
