"""`aluma reproduce`: the paper's experiments, run on this machine."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from aluma.cli.terminal import Out, complaints, console, fail, folder
from aluma.extras import LAB, require

if TYPE_CHECKING:
    from aluma.lab.experiments.declaration import Scale
    from aluma.lab.experiments.reproduce import Plan
    from aluma.lab.experiments.runner import Outcome

#: What a shell expects of a program that Ctrl-C ended.
INTERRUPTED = 130


def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAMES]...", help="Which ones; by default all.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small pools, few seeds: minutes instead of hours.")
    ] = False,
    seeds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Runs of each learner.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes; by default one a core.")
    ] = None,
    out: Out = Path("aluma-reproduction"),
    list_: Annotated[bool, typer.Option("--list", help="List the experiments and leave.")] = False,
) -> None:
    """Run the experiments of the paper on this machine, and write a report about them.

    For every table and figure of the paper, and for its theory: what the paper says, what was
    measured here, and with what. Every finished run is kept, so you can stop with Ctrl-C and go on
    with the same command, and more seeds cost only the new ones. Data sets are downloaded once;
    ALUMA_DATA names a folder of local copies instead.

    Example: aluma reproduce octahedron mnist-4-7 --seeds 3
    """
    require("aluma reproduce", "demo", *LAB)
    # Here, because they bring scikit-learn: a second that the other commands need not wait.
    from aluma.lab.experiments.reproduce import chosen
    from aluma.lab.experiments.reproduce import reproduce as run
    from aluma.lab.experiments.runner import cores

    try:
        experiments = chosen(names or [])
    except LookupError as error:
        fail(str(error.args[0]))
    if list_:
        console.print(_listed())
        return
    scale: Scale = "quick" if quick else "full"
    results = folder(out)
    try:
        done = run(
            experiments,
            results,
            scale=scale,
            seeds=seeds,
            jobs=jobs or cores(),
            command=shlex.join(["aluma", *sys.argv[1:]]),
            watch=_watch,
        )
    except KeyboardInterrupt:
        complaints.print(
            "Interrupted. Every finished run is kept: the same command goes on from here.",
            soft_wrap=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    except BrokenProcessPool as error:
        complaints.print(
            "A process was ended from outside, perhaps because memory ran out. Every finished run "
            f"is kept: the same command goes on from here, with fewer --jobs if it happens again. "
            f"({escape(str(error).splitlines()[0])})",
            soft_wrap=True,
        )
        raise typer.Exit(1) from None
    except OSError as error:
        fail(f"The results cannot be written to {results}: {error.strerror}.")
    for trouble in done.report.troubles:
        complaints.print(f"[yellow]Note:[/yellow] {escape(trouble)}", soft_wrap=True)
    for name in ("report.html", "report.md"):
        console.print(f"{'Report:':10} {escape(str(results / name))}", soft_wrap=True)
    if done.failed:
        raise typer.Exit(1)


def _listed() -> Table:
    from aluma.lab.experiments import catalogue

    table = Table("name", "in the paper", "what", "learners", "seeds")
    for one in catalogue.CATALOGUE:
        keys = {case.partition("@")[0] for case in one.cases("full")} - {"exact"}
        learners = str(len(keys)) if keys else "-"
        table.add_row(one.name, one.where, one.title, learners, str(one.seeds["full"]))
    return table


@contextmanager
def _watch(plan: Plan) -> Iterator[Callable[[Outcome], None]]:
    """Show a line for every experiment, with the runs that are there."""
    todo = Counter(task.experiment.name for task in plan.left)
    total = Counter(task.experiment.name for task in plan.tasks)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[last]}", style="dim"),
    )
    with Progress(*columns, console=console) as progress:
        lines = {
            name: progress.add_task(
                f"{name:16}", total=count, completed=count - todo[name], last=""
            )
            for name, count in total.items()
        }
        for name, line in lines.items():
            if not todo[name]:
                progress.stop_task(line)

        def tell(outcome: Outcome) -> None:
            task = outcome.task
            what = f"{task.case}, seed {task.seed}, {outcome.seconds:.1f} s"
            last = f"failed: {what}" if outcome.trouble else what
            progress.update(lines[task.experiment.name], advance=1, last=last)

        yield tell
