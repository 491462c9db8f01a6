"""`aluma run`: how many labels would have been needed for data that are labelled already."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aluma.cli.options import slack_option
from aluma.cli.report import report, watched
from aluma.cli.stored import is_stored, read_stored
from aluma.cli.table_file import read_labelled
from aluma.cli.terminal import Out, console, fail, folder, plain
from aluma.extras import LAB, require
from aluma.lab.comparison import COMPARED, compare
from aluma.learners.assembly import checked_margin
from aluma.learners.registry import ENTRIES
from aluma.learners.settings import accepted
from aluma.pool import Pool
from aluma.representation.kernels import Kernel


def run(
    pool: Annotated[
        Path,
        typer.Argument(
            metavar="POOL",
            help="CSV, TSV, Parquet or JSON Lines: one example a row, with names; or numbers that "
            "need not fit into memory: .zarr, .npy, a folder of Parquet files.",
        ),
    ],
    label_column: Annotated[
        str, typer.Option(metavar="NAME", help="The column that holds the known labels.")
    ],
    text: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Learn from the texts in this column, not from the numbers."
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A table with that column, for a pool that has no names itself."
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="A Dask cluster whose workers read the pool (.zarr, .npy, Parquet) and keep it.",
        ),
    ] = None,
    strategy: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Who asks: "
            + ", ".join(f"{name} ({entry.title})" for name, entry in ENTRIES.items())
            + ".",
        ),
    ] = "aluma",
    budget: Annotated[
        int, typer.Option(min=1, metavar="N", help="Labels that may be asked for in a run.")
    ] = 300,
    repeats: Annotated[
        int, typer.Option(min=1, metavar="N", help="Runs of each, with other seeds.")
    ] = 3,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="The same seed gives the same runs.")
    ] = 0,
    kernel: Annotated[
        str,
        typer.Option(metavar="NAME", help="For curved boundaries: rbf, poly or cosine."),
    ] = "linear",
    gamma: Annotated[
        float | None, typer.Option(metavar="X", help="The kernel's gamma: larger curves more.")
    ] = None,
    slack: Annotated[
        str,
        typer.Option(
            metavar="H",
            help="For labels that contradict each other: a number, or auto (0 until they do). "
            "Only aluma allows for it.",
        ),
    ] = "0",
    margin: Annotated[
        float | None, typer.Option(metavar="X", help="The margin that auto measures slack at.")
    ] = None,
    out: Out = Path("aluma-run"),
    compare_: Annotated[
        bool,
        typer.Option("--compare/--no-compare", help="Run aluma, simple_margin and passive too."),
    ] = True,
) -> None:
    """Find out how many labels you would have needed for data that are labelled already.

    The known labels are hidden and given away one at a time, when they are asked for. Two different
    labels are needed; numeric columns are used, standardised, or the texts of one column, as
    `aluma label` makes features of them. At the end there are a table of the
    labels needed, where the learner itself would have stopped and what it would have promised, a
    picture, and the pool as it was labelled then, as a CSV file.

    Example: aluma run flowers.csv --label-column species --kernel rbf --slack auto

    Example: aluma run embeddings.zarr --labels topics.csv --label-column topic
    """
    require("aluma run", "demo", *LAB)
    if strategy not in ENTRIES:
        fail(f"There is no strategy {strategy!r}: choose one of {', '.join(ENTRIES)}.")
    chosen, allowed = _kernel(kernel, gamma), slack_option(slack)
    if allowed != 0 and "slack" not in accepted(ENTRIES[strategy].learner):
        fail(f"{strategy} does not allow for slack: leave --slack out, or use --strategy aluma.")
    wide = _margin(margin)
    if is_stored(pool, labels, scheduler):
        if text is not None:
            fail("--text is for a table of texts, and this pool has numbers only: leave it out.")
        data = read_stored(pool, label_column, labels, scheduler)
    else:
        data = read_labelled(pool, label_column, text)
    results = folder(out)
    for note in data.notes:
        console.print(plain(note))
    others = [name for name in COMPARED if name != strategy] if compare_ else []
    with watched(repeats) as watch:
        found = compare(
            Pool(data.X, prepared=True),
            data.y,
            [strategy, *others],
            repeats=repeats,
            budget=budget,
            seed=seed,
            kernel=chosen,
            slack=allowed,
            margin=wide,
            to_its_stop=True,
            watch=watch,
        )
    report(found, results, f"{pool.name}: labels needed for {len(data.y):,} rows", data.names)


def _kernel(name: str, gamma: float | None) -> Kernel:
    """Return the kernel of that name, or say what is wrong and leave."""
    if name == "precomputed":
        fail("A table of rows is no kernel matrix: choose linear, rbf, poly or cosine.")
    try:
        return Kernel(name, gamma=gamma)
    except ValueError as error:
        fail(f"--kernel and --gamma: {error}")


def _margin(margin: float | None) -> float | None:
    """Return a margin from the command line, or say what it may be and leave."""
    try:
        return checked_margin(margin)
    except ValueError:
        fail(f"--margin must be a positive number, got {margin}.")
