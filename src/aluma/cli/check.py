"""`aluma check`: how many labels of a file are wrong, by random checks of a person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aluma.cli.check_talk import Talk
from aluma.cli.page import Port, Token, offer
from aluma.cli.terminal import console, fail, plain

if TYPE_CHECKING:
    from aluma.app.check_file import CheckFile
    from aluma.app.check_log import CheckLog
    from aluma.promises.audit import Audit


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
        typer.Option(
            metavar="A,B,...",
            help="Labels there may be that the file does not hold; no others are taken then.",
        ),
    ] = None,
    blind: Annotated[
        bool, typer.Option("--blind", help="Hide the file's label until you have answered.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Of the draws.")] = 0,
    checks: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where answers are kept; by default beside LABELLED."),
    ] = None,
    browser: Annotated[
        bool | None,
        typer.Option(
            "--browser/--no-browser",
            help="Check on a page: open it in a browser, or only print its link. Without either: "
            "in the terminal.",
            show_default=False,
        ),
    ] = None,
    images: Annotated[
        Path | None,
        typer.Option(
            metavar="PLACE",
            help="What the page shows: a folder with the images that a column names, or an array "
            "of them (.npy, .npz), row by row.",
        ),
    ] = None,
    port: Port = None,
    token: Token = None,
) -> None:
    """Check a labelled file: random rows, one after the other, until it passes or fails.

    What it says is true with probability 95% over its draws, whatever the data are and whoever
    labelled them, and you may stop at any time. Labels that a person gave (column label_by) are not
    drawn. What you find wrong is put right in a copy of the file. The same command goes on where
    you left, in the terminal or on a page.

    Example: aluma check labels.csv --tolerance 0.02 --browser
    """
    page = Wish(browser, port, token, images)
    _check_options(page, truth_column is not None, blind)
    from aluma.app import check_file
    from aluma.app.check_log import CheckLog
    from aluma.errors import SessionError

    others = [one.strip() for one in (answers or "").split(",") if one.strip()]
    about = {"column": label_column, "seed": seed, "by_doubt": by_doubt, "tolerance": tolerance}
    try:
        file = check_file.read(labelled, label_column, others)
        for note in file.notes:
            console.print(plain(note))
        audit = _audit(file, by_doubt, tolerance, seed)
        if truth_column is not None:
            _answer(audit, file.texts(truth_column))
        else:
            kept = checks or labelled.with_name(labelled.name + ".checks.jsonl")
            with CheckLog(kept, {"file": file.digest, **about, "answers": others}, audit) as log:
                if browser is None:
                    Talk(log, file, blind).go()
                else:
                    _serve(page, log, file, blind)
    except (ValueError, OSError, SessionError) as error:
        fail(str(error))
    _report(audit, file)


@dataclass(frozen=True)
class Wish:
    """What was said about a page: None for ``browser`` if there is to be none."""

    browser: bool | None
    port: int | None
    token: str | None
    images: Path | None


def _check_options(page: Wish, answered: bool, blind: bool) -> None:
    """Refuse options that would have no effect."""
    if page.browser is None:
        for name, value in (("--port", page.port), ("--images", page.images)):
            if value is not None:
                fail(f"{name} is about the page: add --browser, or leave it out.")
    if answered and (page.browser is not None or blind):
        fail("--truth-column answers for you, so nothing is shown: leave out one of the two.")


def _audit(file: CheckFile, by_doubt: bool, tolerance: float, seed: int) -> Audit:
    from aluma.promises.audit import Audit

    return Audit(
        file.labels,
        tolerance=tolerance,
        known=file.known,
        doubt=file.doubt if by_doubt else None,
        classes=file.answers or None,
        random_state=seed,
    )


def _answer(audit: Audit, truth: list[str]) -> None:
    """Let a column answer until the audit has passed or failed."""
    while not (audit.passed or audit.failed):
        example = audit.ask()
        audit.tell(example, truth[example])


def _serve(page: Wish, log: CheckLog, file: CheckFile, blind: bool) -> None:
    """Serve the page until Ctrl-C."""
    from aluma.app import reading
    from aluma.app.check_api import check_application
    from aluma.app.check_desk import CheckDesk
    from aluma.app.server import take

    desk = CheckDesk(log, file, file.examples(page.images), blind=blind)
    named = reading.picture_column(file.shown)
    if named is not None and page.images is None:
        console.print(f"Column {plain(repr(named))} names images: --images FOLDER shows them.")
    place = take(port=page.port, token=page.token)
    offer(partial(check_application, desk), desk, place, browser=bool(page.browser))


def _report(audit: Audit, file: CheckFile) -> None:
    """Print what can be said, in one exact sentence, and write what was put right."""
    from aluma.app import check_export
    from aluma.promises import audit_words

    said = audit_words.statement(audit, file.path.name, date.today())
    console.print(plain(said), soft_wrap=True)
    shown = audit_words.verdict(audit) or audit_words.outlook(audit)
    console.print(f"{shown} {audit_words.guess(audit)}".rstrip(), soft_wrap=True)
    if audit.failed:
        console.print(audit_words.ways_out(audit), soft_wrap=True)
    elif not audit.passed:
        console.print("The same command goes on.")
    if audit.asked:
        rows, statement = check_export.save(file, audit)
        console.print(
            f"{plain(str(rows))} has what was found wrong put right ({len(audit.wrong)}), and "
            f"says which labels were checked; {plain(str(statement))} has what can be said.",
            soft_wrap=True,
        )
