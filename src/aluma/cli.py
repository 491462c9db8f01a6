"""The command line: a demonstration, a look back at labelled data, the benchmarks."""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.table import Table

from aluma import figures
from aluma.arrays import Floats
from aluma.comparison import (
    TARGETS,
    TITLES,
    Comparison,
    OnAnswer,
    Watch,
    compare,
    known_labels,
    standardise,
)
from aluma.learners.strategies import STRATEGIES
from aluma.pool import LARGEST_ENTRY

app = typer.Typer(
    name="aluma",
    help="Label a pool of examples with the fewest questions to a person.",
    epilog="Start with: aluma demo",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
)
console = Console(highlight=False)
complaints = Console(highlight=False, stderr=True)

DEMO_REPEATS = 5


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


Out = Annotated[
    Path, typer.Option(metavar="FOLDER", help="Folder for the results; made if it is not there.")
]


@app.command()
def demo(out: Out = Path("aluma-demo")) -> None:
    """Watch ALuMA label 357 handwritten digits, and compare it with what people use instead.

    The data ship with scikit-learn, so nothing is downloaded, and it takes less than a minute. At
    the end there are a table of the labels needed, a picture and the labelled pool as a CSV file.
    """
    folder = _folder(out)
    X, y = _threes_and_eights()
    console.print(
        f"{len(y)} images of a 3 or an 8, 64 pixels each. A teacher who knows the answers is asked "
        "one image at a time; all other labels are worked out from the answers. The pixels are "
        "centred, and a constant is added as bias."
    )
    with _watched(DEMO_REPEATS) as watch:
        found = compare(X, y, repeats=DEMO_REPEATS, watch=watch)
    _report(
        found, folder, f"3 or 8? Labels needed until all {len(y)} images are right", range(len(y))
    )


@app.command()
def run(
    pool: Annotated[
        Path, typer.Argument(metavar="POOL.CSV", help="CSV file, one example a row, names on top.")
    ],
    label_column: Annotated[
        str, typer.Option(metavar="NAME", help="The column that holds the known labels.")
    ],
    strategy: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Who asks: aluma, simple_margin (an SVM's nearest) or passive (random order).",
        ),
    ] = "aluma",
    budget: Annotated[
        int, typer.Option(min=1, metavar="N", help="Labels that may be asked for.")
    ] = 200,
    repeats: Annotated[
        int, typer.Option(min=1, metavar="N", help="Runs of each, with other seeds.")
    ] = 3,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="The same seed gives the same runs.")
    ] = 0,
    out: Out = Path("aluma-run"),
    compare_: Annotated[
        bool, typer.Option("--compare/--no-compare", help="Run the other strategies as well.")
    ] = True,
) -> None:
    """Find out how many labels you would have needed for data that are labelled already.

    The known labels are hidden and given away one at a time, when they are asked for. Two different
    labels are needed; numeric columns are used, standardised. At the end there are a table of the
    labels needed, a picture and the pool as it was labelled, as a CSV file.

    Example: aluma run flowers.csv --label-column species
    """
    if strategy not in STRATEGIES:
        _fail(f"There is no strategy {strategy!r}: choose one of {', '.join(STRATEGIES)}.")
    data = _read(pool, label_column)
    folder = _folder(out)
    for note in data.notes:
        console.print(escape(note))
    others = [name for name in TITLES if name != strategy] if compare_ else []
    with _watched(repeats) as watch:
        found = compare(
            data.X,
            data.y,
            [strategy, *others],
            repeats=repeats,
            budget=budget,
            seed=seed,
            watch=watch,
        )
    _report(found, folder, f"{pool.name}: labels needed for {len(data.y):,} rows", data.names)


@app.command()
def bench(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which one; by default all.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes: a minute, rough.")] = False,
) -> None:
    """Measure aluma against the packages that people would use instead, and print ratios.

    The exit code is 1 if a ratio falls short of what aluma promises.
    """
    programs = _benchmarks()
    if name is not None and name not in programs:
        _fail(f"There is no benchmark {name!r}: choose one of {', '.join(programs)}.")
    met = [programs[one](console, quick) for one in (programs if name is None else [name])]
    if not all(met):
        raise typer.Exit(1)


def _benchmarks() -> dict[str, Callable[[Console, bool], bool]]:
    """Return the programs in aluma.bench: every module there that has a function ``run``."""
    package = importlib.import_module("aluma.bench")
    found = {
        module.name: importlib.import_module(f"aluma.bench.{module.name}")
        for module in pkgutil.iter_modules(package.__path__)
    }
    return {name: module.run for name, module in found.items() if hasattr(module, "run")}


class Labelled(NamedTuple):
    """Examples whose labels are known, the rows they come from, and what the user should know."""

    X: Floats
    y: Sequence[Any]
    names: Sequence[int]
    notes: list[str]


def _read(path: Path, label_column: str) -> Labelled:
    """Read a CSV file, or say what is wrong with it and leave."""
    frame = _read_csv(path)
    columns = _listed(frame.columns)
    if label_column not in frame.columns:
        _fail(f"{path} has no column {label_column!r}. Its columns are {columns}.")
    known = frame[frame[label_column].notna()]
    if known.empty:
        _fail(f"{path} has no row with a label in {label_column!r}.")
    features = known.drop(columns=label_column)
    numeric = features.select_dtypes(["number", "bool"])
    if numeric.columns.empty:
        _fail(f"{path} has no numeric column beside {label_column!r}. Its columns are {columns}.")
    labels = known[label_column]
    if labels.dtype.kind == "f" and (labels % 1 == 0).all():
        # A column of integers with missing cells is read as floats.
        labels = labels.astype(int)
    try:
        known_labels(labels, len(labels))
    except ValueError as error:
        _fail(f"Column {label_column!r} of {path}: {error}")
    notes = [
        f"{path.name}: {len(known):,} rows, {numeric.shape[1]:,} numeric columns "
        f"({_listed(numeric.columns)}). They are standardised to mean 0 and standard deviation 1, "
        "and a constant column is added as bias."
    ]
    if features.shape[1] > numeric.shape[1]:
        dropped = _listed(features.columns.difference(numeric.columns, sort=False))
        notes.append(f"Left out because they are not numeric: {dropped}.")
    if len(frame) > len(known):
        notes.append(f"Left out: {len(frame) - len(known):,} rows without a label.")
    return Labelled(
        standardise(_checked(numeric, path)), labels.tolist(), known.index.tolist(), notes
    )


def _read_csv(path: Path) -> pd.DataFrame:
    if not path.is_file():
        _fail(f"There is no file {path}.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(path, index_col=False, low_memory=False)
    except pd.errors.EmptyDataError:
        _fail(f"{path} is empty: the first line must name the columns.")
    except (pd.errors.ParserError, pd.errors.ParserWarning, UnicodeDecodeError) as error:
        _fail(f"{path} cannot be read as a CSV file with commas, in UTF-8: {error}")
    except OSError as error:
        _fail(f"{path} cannot be read: {error.strerror}.")
    if frame.empty:
        _fail(f"{path} has no rows below the names of its columns ({_listed(frame.columns)}).")
    return frame


def _checked(frame: pd.DataFrame, path: Path) -> Floats:
    """Return the numbers of a frame, or name the first cell that is none."""
    values = frame.to_numpy(dtype=np.float64)
    wrong = np.argwhere(~(np.abs(values) <= LARGEST_ENTRY))
    if len(wrong):
        row, column = wrong[0]
        value = values[row, column]
        what = "no number" if np.isnan(value) else f"{value:g}"
        _fail(
            f"{path} holds {what} in row {frame.index[row]} (counted from 0 below the names), "
            f"column {frame.columns[column]!r}; {len(wrong):,} such cells in all. Every cell must "
            "be a finite number: drop those rows or columns, or fill the cells in."
        )
    return values


def _threes_and_eights() -> tuple[Floats, Any]:
    """Return the demo's pool; pixels share a unit, so they keep their relative scale."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    chosen = (y == 3) | (y == 8)
    centred = X[chosen] - X[chosen].mean(axis=0)
    return np.asarray(centred / centred.std()), y[chosen]


@contextmanager
def _watched(repeats: int) -> Iterator[Watch]:
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
            title = f"{TITLES.get(name, name):12} run {repeat + 1} of {repeats}"
            progress.update(tasks[name], description=title)

            def on_answer(answers: int, error: float) -> None:
                right = f"{1 - error:6.1%} right, {answers:,} labels"
                progress.update(tasks[name], total=1.0, completed=1 - error, state=right)

            return on_answer

        yield watch


def _report(found: Comparison, folder: Path, title: str, names: Sequence[int]) -> None:
    """Print the table and what became of the first run, and write the files."""
    console.print(
        f"\nLabels needed until at most this share of {found.size:,} is labelled wrong:",
        _table(found),
        f"{_reading(found)}\n\n{_outcome(found, names)}",
        sep="\n",
    )
    files = {"Labelled pool": folder / "labelled-pool.csv"}
    try:
        found.labelled(names).to_csv(files["Labelled pool"], index=False)
        if len(found.main.errors):
            files["Learning curves"] = folder / "learning-curves.png"
            figures.learning_curves(found, files["Learning curves"], title)
    except OSError as error:
        _fail(f"The results cannot be written to {folder}: {error.strerror}.")
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
        table.add_row(TITLES.get(name, name), *cells)
    return table


def _reading(found: Comparison) -> str:
    """Say how the table is to be read."""
    repeats = len(found.of(found.main.strategy))
    runs = f"Median of {repeats} runs (their range)" if repeats > 1 else "One run each"
    cut = " The comparison was interrupted." if found.runs[-1].interrupted else ""
    ended = any(run.conflict or run.interrupted for run in found.runs)
    dash = " -: the run ended before that." if ended else ""
    return f"{runs}. ALuMA labels by vote, the others by SVM.{cut}{dash}"


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
    run, title = found.main, TITLES.get(found.main.strategy, found.main.strategy)
    answers = f"{len(run.indices):,} label{'' if len(run.indices) == 1 else 's'}"
    wrong = [f"{round(error * found.size):,} of {found.size:,} examples" for error in run.errors]
    now = f"{wrong[-1]} are labelled wrong" if wrong else "nothing was labelled yet"
    if run.conflict is not None:
        rows = ", ".join(str(names[i]) for i in run.conflict.indices)
        return (
            f"{title} met a contradiction after {answers}; {now}. No straight boundary fits all "
            f"answers: the labels of rows {rows} (counted from 0) cannot all be right. Either one "
            "of them is a mistake, or these columns do not separate the two labels everywhere; "
            "then more columns, or products of columns, may. Everything up to there is kept."
        )
    if run.interrupted:
        return f"Interrupted after {answers}; {now}. Everything up to there is kept."
    if run.finished_after is not None:
        return (
            f"{title} itself would stop after {run.finished_after:,} labels, with "
            f"{wrong[run.finished_after - 1]} labelled wrong. It does not see the known labels, so "
            "it goes on until hardly any hypothesis that fits the answers disputes a label."
        )
    if run.errors[-1] > 0:
        return f"The budget of {answers} is spent; {now}. Allow more with --budget."
    return f"After {answers}, {title} has every label right."


def _folder(path: Path) -> Path:
    """Make the folder for the results before the work starts, not after it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _fail(f"{path} cannot be used as a folder for the results: {error.strerror}.")
    return path


def _listed(names: Any, most: int = 8) -> str:
    shown = ", ".join(repr(str(name)) for name in names[:most])
    return shown + (f" and {len(names) - most:,} more" if len(names) > most else "")


def _fail(message: str) -> NoReturn:
    """Say what is wrong and leave with the exit code for wrong usage."""
    complaints.print(f"[bold red]Error:[/bold red] {escape(message)}", soft_wrap=True)
    raise typer.Exit(2)
