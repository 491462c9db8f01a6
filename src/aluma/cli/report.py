"""What a comparison found: live while it runs, then as a table, a picture and a CSV file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.table import Table

from aluma.cli.stop import tell_stop
from aluma.cli.terminal import console, fail
from aluma.lab import figures
from aluma.lab.comparison import STOP, TARGETS, Comparison, Run, Watch
from aluma.lab.mistakes import OnAnswer
from aluma.lab.names import title as title_of


@contextmanager
def watched(repeats: int) -> Iterator[Watch]:
    """Show one line per strategy: which run, how much of the pool is right, how many labels."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[state]}"),
    )
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=console) as progress:

        def watch(name: str, repeat: int) -> OnAnswer:
            if name not in tasks:
                # Without a total the bar moves: the first use on a machine compiles for a while.
                tasks[name] = progress.add_task("", total=None, state="starting")
            run = "to its stop" if name == STOP else f"run {repeat + 1} of {repeats}"
            title = f"{title_of(name) if name != STOP else 'with checks':12} {run}"
            progress.update(tasks[name], description=title)

            def on_answer(answers: int, error: float) -> None:
                right = f"{1 - error:6.1%} right, {answers:,} labels"
                progress.update(tasks[name], total=1.0, completed=1 - error, state=right)

            return on_answer

        yield watch


def report(found: Comparison, folder: Path, title: str, names: Sequence[int]) -> None:
    """Print the table and what became of the first run, and write the files."""
    console.print(
        f"\nLabels needed until at most this share of {found.size:,} is labelled wrong:",
        _table(found),
        f"{_reading(found)}\n\n{_outcome(found, names)}",
        sep="\n",
    )
    if found.stop is not None:
        tell_stop(found.stop, found.size)
    files = {"Labelled pool": folder / "labelled-pool.csv"}
    try:
        found.labelled(names).to_csv(files["Labelled pool"], index=False)
        if len(found.main.errors):
            files["Learning curves"] = folder / "learning-curves.png"
            figures.learning_curves(found, files["Learning curves"], title)
    except OSError as error:
        fail(f"The results cannot be written to {folder}: {error.strerror}.")
    console.print()
    for what, path in files.items():
        console.print(f"{what + ':':16} {escape(str(path))}", soft_wrap=True)


def _table(found: Comparison) -> Table:
    """Return the labels needed, a strategy a row."""
    table = Table("")
    for target in TARGETS:
        table.add_column(f"{target:.0%}", justify="right")
    for name in found.strategies:
        cells = (_cell(found, name, target) for target in TARGETS)
        table.add_row(title_of(name), *cells)
    return table


def _reading(found: Comparison) -> str:
    """Say how the table is to be read."""
    repeats = len(found.of(found.main.strategy))
    runs = f"Median of {repeats} runs (their range)" if repeats > 1 else "One run each"
    cut = " The comparison was interrupted." if found.runs[-1].interrupted else ""
    ended = any(run.conflict or run.undecided or run.interrupted for run in found.runs)
    dash = " -: the run ended before that." if ended else ""
    return f"{runs}. {_rules(found)}{cut}{dash}"


def _rules(found: Comparison) -> str:
    """Say how the learners label, those that do so alike together."""
    alike: dict[str, list[str]] = {}
    for name in found.strategies:
        alike.setdefault(found.of(name)[0].labelled_by, []).append(title_of(name))
    parts = [
        f"{' and '.join(titles)} {'label' if len(titles) > 1 else 'labels'} by {rule}"
        for rule, titles in alike.items()
    ]
    return f"{', '.join(parts)}."


def _cell(found: Comparison, name: str, target: float) -> str:
    """Return the labels needed as text, with the range of the runs where they differ."""
    counts = found.needed(name, target)
    missed = [run for run in found.of(name) if run.needed(target) is None]
    spent = all(len(run.errors) == found.budget for run in missed)
    never = f">{found.budget}" if spent else "-"
    low, middle, high = (
        f"{count:g}" if np.isfinite(count) else never
        for count in (counts.min(), found.median(name, target), counts.max())
    )
    return middle if low == high else f"{middle} [dim]({low}-{high})[/dim]"


def _outcome(found: Comparison, names: Sequence[int]) -> str:
    """Say how the first run ended, and how good its labels were then."""
    run, title = found.main, title_of(found.main.strategy)
    answers = f"{len(run.indices):,} label{'' if len(run.indices) == 1 else 's'}"
    wrong = [f"{round(error * found.size):,} of {found.size:,} examples" for error in run.errors]
    now = f"{wrong[-1]} are labelled wrong" if wrong else "nothing was labelled yet"
    if run.conflict is not None:
        rows = ", ".join(str(names[i]) for i in run.conflict.indices)
        slack = "--slack auto" if run.strategy == "aluma" else "--strategy aluma --slack auto"
        return (
            f"{title} met a contradiction after {answers}; {now}. No straight boundary fits all "
            f"answers: the labels of rows {rows} (counted from 0) cannot all be right. Either one "
            "of them is a mistake, or these columns do not separate the two labels everywhere. "
            f"{slack} goes on all the same, and --kernel rbf allows for curved boundaries. "
            "Everything up to there is kept."
        )
    if run.undecided is not None:
        return f"{title} had to end after {answers}; {now}. The reason: {run.undecided}"
    if run.slack > 0:
        return f"After {answers}, {now}. {_strain(run, names)}"
    if run.interrupted:
        return f"Interrupted after {answers}; {now}. Everything up to there is kept."
    if run.errors[-1] > 0:
        return f"The budget of {answers} is spent; {now}. Allow more with --budget."
    return f"After {answers}, {title} has every label right."


def _strain(run: Run, names: Sequence[int]) -> str:
    """Say how much slack there was, and which answers are worth a second look."""
    told = f"The answers were given a slack of {run.slack:.2g}, as no boundary fits all of them."
    if not run.strained:
        return told
    rows = ", ".join(f"{names[one.index]} ({one.doubt:.0%})" for one in run.strained)
    return (
        f"{told} Those that strain the fit most are the labels of rows {rows} (counted from 0, "
        "with the share of hypotheses that dispute each): check these first."
    )
