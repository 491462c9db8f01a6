"""`aluma check`: how many labels of a file are wrong, by random checks of a person."""

from __future__ import annotations

import hashlib
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from aluma.arrays import Floats, Ints
from aluma.cli.check_log import CheckLog
from aluma.cli.terminal import console, fail
from aluma.errors import BadInput
from aluma.promises.audit import Audit

#: Columns that `aluma label` and `aluma run` write beside a column of labels: who gave each, and
#: the share of votes for it.
BESIDE = {
    "label": (("label_by", "given_by"), "vote_share"),
    "aluma_label": (("aluma_label_by",), "aluma_vote_share"),
}
#: Columns that are about a label, and not shown with an example.
HIDDEN = {"label_by", "given_by", "vote_share", "determined"}
HIDDEN |= {f"aluma_{name}" for name in HIDDEN}
#: Characters of a cell that are shown.
CELL = 300


def check(
    labelled: Annotated[
        Path, typer.Argument(metavar="LABELLED", help="CSV, TSV, Parquet or JSON Lines.")
    ],
    label_column: Annotated[
        str, typer.Option(metavar="NAME", help="The column that holds the labels.")
    ] = "label",
    tolerance: Annotated[
        float, typer.Option(min=0.0, max=0.99, metavar="SHARE", help="What may be wrong.")
    ] = 0.05,
    truth_column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A column with the right labels answers for you."),
    ] = None,
    by_doubt: Annotated[
        bool,
        typer.Option(
            "--by-doubt", help="Draw labels with few votes more often, by the column vote_share."
        ),
    ] = False,
    answers: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Labels there may be that the file does not hold."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Of the draws.")] = 0,
    checks: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where answers are kept; by default beside LABELLED."),
    ] = None,
) -> None:
    """Check a labelled file: random rows, one after the other, until it passes or fails.

    What it says is true with probability 95% over its draws, whatever the data are and whoever
    labelled them, and you may stop at any time. Labels that a person gave (column label_by) are not
    drawn. What you find wrong is put right in a copy of the file. The same command goes on where
    you left.

    Example: aluma check labels.csv --tolerance 0.02
    """
    frame = _read(labelled)
    truth = None if truth_column is None else _texts(frame, truth_column, labelled)
    others = [one.strip() for one in answers.split(",")] if answers else []
    try:
        audit = Audit(
            _texts(frame, label_column, labelled),
            tolerance=tolerance,
            known=_by_person(frame, label_column),
            doubt=_doubt(frame, label_column, labelled) if by_doubt else None,
            # What a person types may be a slip of the keyboard; a column has none.
            classes=others if truth is None else None,
            random_state=seed,
        )
        if truth is not None:
            while not (audit.passed or audit.failed):
                audit.tell(audit.ask(), truth[audit.ask()])
        else:
            about = {"file": _digest(labelled), "column": label_column, "seed": seed}
            about |= {"by_doubt": by_doubt, "tolerance": tolerance, "answers": others}
            place = checks or labelled.with_name(labelled.name + ".checks.jsonl")
            log = CheckLog(place, about)
            log.replay(audit)
            _converse(audit, log, frame.drop(columns=label_column))
    except (ValueError, OSError) as error:
        fail(str(error))
    _report(audit, frame, labelled, label_column)


def _read(path: Path) -> Any:
    """Return a table, or say what is wrong with the file and leave."""
    from aluma.reading import read_table

    try:
        return read_table(path)
    except BadInput as error:
        fail(str(error))


def _by_person(frame: Any, column: str) -> Ints | None:
    """Return the rows whose label a person gave, if the file says so."""
    names = BESIDE.get(column, ((f"{column}_by",), ""))[0]
    found = next((name for name in names if name in frame.columns), None)
    if found is None:
        return None
    return np.flatnonzero(frame[found].isin(["person", "exception"]))


def _texts(frame: Any, column: str, path: Path) -> list[str]:
    """Return a column as texts, or say what is wrong with it and leave."""
    if column not in frame.columns:
        listed = ", ".join(repr(name) for name in frame.columns[:8])
        fail(f"{path} has no column {column!r}. Its columns are {listed}.")
    missing = np.flatnonzero(frame[column].isna())
    if len(missing):
        fail(
            f"{path} has no value in column {column!r} of row {missing[0]} (counted from 0 below "
            f"the names), {len(missing):,} such rows in all: an audit is of labels, so fill them "
            "in or drop those rows."
        )
    values = frame[column]
    if values.dtype.kind == "f" and (values % 1 == 0).all():
        # The same label is 1 in one column and 1.0 in another.
        values = values.astype(int)
    return [str(value) for value in values]


def _doubt(frame: Any, column: str, path: Path) -> Floats:
    vote = BESIDE.get(column, ((), "vote_share"))[1]
    if vote not in frame.columns:
        fail(f"--by-doubt needs a column {vote!r}, and {path} has none: leave it out.")
    return np.asarray(1.0 - frame[vote].to_numpy(dtype=np.float64))


def _converse(audit: Audit, log: CheckLog, frame: Any) -> None:
    """Ask until the audit has passed or failed, or the person has had enough."""
    console.print(
        f"{audit.remaining:,} checks to go if all of them find the label right. Enter: it is "
        "right; or type the right label; :u takes the last back, :q stops for now."
    )
    while not (audit.passed or audit.failed):
        example = audit.ask()
        console.print(_card(frame, example, audit))
        said = typer.prompt("right?", default="", show_default=False).strip()
        if said == ":q":
            return
        if said == ":u":
            if audit.asked:
                audit.undo()
                log.undo()
            continue
        answer = said or audit.labels[example].item()
        try:
            audit.tell(example, answer)
        except ValueError:
            console.print(
                f"[yellow]{escape(repr(said))} is none of the labels: type one of them, or name "
                "all that there may be with --answers.[/yellow]"
            )
            continue
        log.add(example, answer)


def _card(frame: Any, example: int, audit: Audit) -> Table:
    table = Table(show_header=False, box=None)
    for name, value in frame.iloc[example].items():
        if name not in HIDDEN:
            table.add_row(escape(str(name)), escape(str(value)[:CELL]))
    table.add_row("[bold]label[/bold]", f"[bold]{escape(str(audit.labels[example]))}[/bold]")
    return table


def _report(audit: Audit, frame: Any, path: Path, column: str) -> None:
    """Print what can be said, in one exact sentence, and write what was put right."""
    console.print(f"{date.today().isoformat()}: {audit}", soft_wrap=True)
    if audit.passed:
        console.print(f"Passed: at most {audit.tolerance:.2%} are wrong.")
    elif audit.failed:
        console.print(
            f"Failed: more than {audit.tolerance:.2%} are wrong, about {audit.estimate:.1%} as far "
            "as the checks tell. Better labels or the full labelling are the way; more checks are "
            "not."
        )
    else:
        console.print(
            f"{audit.remaining:,} more checks would do if all find the label right. The same "
            "command goes on."
        )
    if audit.asked:
        out = path.with_name(f"{path.stem}-checked.csv")
        _corrected(audit, frame, column).to_csv(out, index=False)
        console.print(
            f"{escape(str(out))} has the {len(audit.wrong)} labels that were wrong put right, and "
            "says which a person has checked."
        )


def _corrected(audit: Audit, frame: Any, column: str) -> Any:
    """Return the table with what was found put right; what was checked counts as a person's."""
    names = BESIDE.get(column, ((f"{column}_by",), ""))[0]
    by = next((name for name in names if name in frame.columns), names[0])
    given = frame[by].astype(object) if by in frame.columns else frame[column].map(lambda _: "file")
    given.iloc[audit.checked] = "person"
    return frame.assign(**{column: audit.labels, by: given})


def _digest(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
