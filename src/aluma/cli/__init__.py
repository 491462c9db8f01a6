"""The command line: a demonstration, labelled data, the page, benchmarks, the paper."""

from __future__ import annotations

import importlib.metadata
from typing import Annotated

import typer

from aluma.cli import bench, check, demo, label, label_studio, recover, reproduce, run
from aluma.cli.terminal import console

app = typer.Typer(
    name="aluma",
    help="Label a pool of examples with the fewest questions to a person.",
    epilog="Start with: aluma demo",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        console.print(f"aluma {importlib.metadata.version('aluma')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Label a pool of examples with the fewest questions to a person."""


app.command()(demo.demo)
app.command()(run.run)
app.command()(label.label)
app.command()(label_studio.label_studio)
app.command()(check.check)
app.command()(recover.recover)
app.command()(bench.bench)
app.command()(reproduce.reproduce)
