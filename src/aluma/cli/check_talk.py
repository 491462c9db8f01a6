"""Checking labels in the terminal: one after the other, until the audit has passed or failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer
from rich.table import Table

from aluma.cli.terminal import console, plain

if TYPE_CHECKING:
    from aluma.app.check_file import CheckFile
    from aluma.app.check_log import CheckLog

#: Characters of a cell that are shown.
CELL = 300


@dataclass
class Talk:
    """A conversation about the labels of a file.

    Attributes
    ----------
    log : the answers so far
    file : what is being checked
    blind : whether the file's label is hidden until the answer is given
    """

    log: CheckLog
    file: CheckFile
    blind: bool = False
    #: What was typed last, if it was no label: typed again, it is one.
    _unsure: str | None = None

    def go(self) -> None:
        """Ask until the audit has passed or failed, or the person has had enough."""
        audit = self.log.audit
        enter = "Type the label" if self.blind else "Enter: it is right; or type the right label"
        console.print(
            f"{audit.remaining:,} checks to go if all of them find the label right. {enter}; :u "
            "takes the last back, :q stops for now."
        )
        while not (audit.passed or audit.failed):
            console.print(self._card(audit.ask()))
            asked = "label?" if self.blind else "right?"
            said = typer.prompt(asked, default="", show_default=False).strip()
            if said == ":q":
                return
            if said == ":u":
                self._undo()
            elif self._taken(said):
                self._tell(said)

    def _undo(self) -> None:
        if self.log.audit.asked:
            self.log.undo()

    def _tell(self, said: str) -> None:
        example = self.log.audit.ask()
        given = self.file.labels[example]
        self.log.tell(example, said or given)
        if self.blind:
            found = "right" if said == given else "put right"
            console.print(f"The file says {plain(repr(given))}: {found}.")

    def _taken(self, said: str) -> bool:
        """Say whether something is an answer, and what to do if it is not."""
        if not said:
            if self.blind:
                console.print("[yellow]The file's label is hidden: type the right one.[/yellow]")
            return not self.blind
        if said in self.file.vocabulary(self.log.audit):
            return True
        again, self._unsure = said == self._unsure, said
        if again and not self.file.closed:
            return True
        way = "type one of them" if self.file.closed else "type one of them, or this once more"
        console.print(
            f"[yellow]{plain(repr(said))} is none of the labels: {way}, or name all that there "
            "may be with --answers.[/yellow]"
        )
        return False

    def _card(self, example: int) -> Table:
        table = Table(show_header=False, box=None)
        for name, value in self.file.shown.iloc[example].items():
            table.add_row(plain(str(name)), plain(str(value)[:CELL]))
        if not self.blind:
            label = plain(self.file.labels[example])
            table.add_row("[bold]label[/bold]", f"[bold]{label}[/bold]")
        return table
