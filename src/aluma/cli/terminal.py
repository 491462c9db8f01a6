"""The terminal: where commands print, how they fail, where they put their results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.markup import escape

from aluma.visible import visible

console = Console(highlight=False)
complaints = Console(highlight=False, stderr=True)

Out = Annotated[
    Path, typer.Option(metavar="FOLDER", help="Folder for the results; made if it is not there.")
]


def folder(path: Path) -> Path:
    """Make the folder for the results before the work starts, not after it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"{path} cannot be used as a folder for the results: {error.strerror}.")
    return path


def fail(message: str) -> NoReturn:
    """Say what is wrong and leave with the exit code for wrong usage."""
    complaints.print(f"[bold red]Error:[/bold red] {plain(message)}", soft_wrap=True)
    raise typer.Exit(2)


def plain(text: str) -> str:
    """Return text of others as it may be printed: no markup, nothing that steers a terminal."""
    return escape(visible(text))
