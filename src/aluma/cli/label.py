"""`aluma label`: a page in the browser where a person answers until the labels pass a check."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from aluma.cli.options import slack_option
from aluma.cli.page import Port, Token, offer
from aluma.cli.terminal import console, fail, plain


def label(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="THINGS",
            help="CSV, TSV, Parquet, JSON, JSON Lines or text, a line an example; a folder of "
            "images; or an array (.npy, .npz).",
        ),
    ] = None,
    question: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What is asked about every example.")
    ] = None,
    yes: Annotated[str | None, typer.Option(metavar="NAME", help="Name of the answer yes.")] = None,
    no: Annotated[str | None, typer.Option(metavar="NAME", help="Name of the answer no.")] = None,
    answers: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="2 to 20 answers in place of yes and no; more can be added on the page.",
        ),
    ] = None,
    guidelines: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Markdown that helps to answer, one key away (G)."),
    ] = None,
    label_column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A column with labels that count as answers given, and name the answers.",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Columns to learn from; by default all of use."),
    ] = None,
    table: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A table to show for an array's rows.")
    ] = None,
    embeddings: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="An array to learn from, a row an example: .npy or .npz; .zarr or .parquet, which "
            "are read where they are.",
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A Dask cluster whose workers read the embeddings."),
    ] = None,
    embed: Annotated[
        str | None,
        typer.Option(
            metavar="PACKAGE:FUNCTION",
            help="A function to learn with: takes the list of examples, returns an array. Or "
            "minilm (texts) or efficientnet (images), models that packages carry; words or tfidf, "
            "texts with or without vectors of words.",
        ),
    ] = None,
    stop_at: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=0.5,
            metavar="SHARE",
            help="The goal: at most this share of the labels is wrong, 95% sure by checks at "
            "random.",
            show_default="0.05",
        ),
    ] = None,
    slack: Annotated[
        str | None,
        typer.Option(
            metavar="H",
            help="How messy the answers may be: auto allows for as much as they need, 0 for none, "
            "so that the page asks about every contradiction.",
            show_default="auto",
        ),
    ] = None,
    session: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where answers are kept; by default beside THINGS."),
    ] = None,
    answers_from: Annotated[
        Path | None,
        typer.Option(
            metavar="SESSION",
            help="Begin with the answers of a session about this table as it was before.",
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The column by which its rows are found again."),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Encoding of the file, as latin-1 or utf-16; else it is found out."
        ),
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line names the columns; else it is found out.",
            show_default=False,
        ),
    ] = None,
    people: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Several people, with a link each; or 'ask' for one link and names on first "
            "visit.",
        ),
    ] = None,
    overlap: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            metavar="SHARE",
            help="Share of the questions that is asked twice, of different people.",
            show_default="0.1",
        ),
    ] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Try it on 400 made-up messages.")] = False,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Let other machines in: mind who can.")
    ] = "127.0.0.1",
    port: Port = None,
    token: Token = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
) -> None:
    """Label a file in the browser: answer questions until the labels have passed a check.

    Questions are for learning first, then to check labels at random: that tells how many are wrong,
    whatever the data.

    Answers are kept in a file beside yours and are safe on the disk before the page ticks them, so
    stop whenever you like and run the same command again to go on. Numbers are standardised, texts
    and images turned into features (texts better with: pip install 'aluma[text]'); or bring your
    own with --embeddings or --embed.

    Example: aluma label messages.csv --yes spam --no ham

    With more answers: aluma label news.csv --answers sport,politics,science,other

    With several people: aluma label messages.csv --people anna,ben --host 0.0.0.0
    """  # fmt: skip
    from aluma.app.answers import kept as answers_kept
    from aluma.app.api import application
    from aluma.app.memory import return_large_arrays
    from aluma.app.opening import Wanted, opened
    from aluma.app.people.begin import wish
    from aluma.app.server import take
    from aluma.errors import BadInput
    from aluma.session import SessionError

    if (source is None) != demo:
        fail("Name what to label, as in: aluma label messages.csv. Or try: aluma label --demo")
    named = _answers(yes, no, answers)
    try:
        team = wish(people, overlap, token)
    except BadInput as error:
        fail(str(error))
    # A demonstration leaves nothing behind, unless somebody names a place for it.
    passing = None if source or session else TemporaryDirectory(prefix="aluma-demo-")
    beside = _beside(source) if source else Path(passing.name if passing else "") / "demo.aluma"
    wanted = Wanted(
        source=source,
        session=session or beside,
        question=question,
        yes=yes,
        no=no,
        answers=named,
        guidelines=guidelines,
        label_column=label_column,
        columns=[name.strip() for name in columns.split(",")] if columns else None,
        table=table,
        embeddings=embeddings,
        embed=embed,
        tolerance=stop_at,
        slack=None if slack is None else slack_option(slack),
        answers_from=answers_from,
        key=key,
        encoding=encoding,
        header=header,
        people=team,
        scheduler=scheduler,
    )
    place = None
    try:
        place = take(host, port, token)
        return_large_arrays()
        found = opened(wanted, lambda text: console.print(plain(text)))
    except (BadInput, SessionError, OSError) as error:
        if place is not None:
            place.listener.close()
        fail(str(error))
    for note in found.notes:
        if passing is None:
            console.print(plain(note))
    if not place.is_private:
        console.print(
            f"[bold yellow]Warning:[/bold yellow] {plain(host)} lets other machines in. Whoever "
            "has the link can read the examples and answer; it travels unencrypted."
        )
    page = partial(application, found.desk, found.features)
    offer(page, found.desk, place, browser=browser, stays=passing is None)
    if passing is not None:
        passing.cleanup()
        return
    kept = answers_kept(found.desk.session)
    console.print(
        f"{kept} {'is' if kept.startswith('1 ') else 'are'} kept in "
        f"{plain(str(wanted.session))}. The same command goes on from there."
    )


def _answers(yes: str | None, no: str | None, answers: str | None) -> tuple[str, ...] | None:
    """Return the answers that were listed, or say what is wrong with their names and leave."""
    from aluma.app.answers import listed
    from aluma.errors import BadInput

    for option, name in (("--yes", yes), ("--no", no)):
        if name is not None and "," in name:
            fail(
                f"{option} names one answer, and {name!r} looks like several: list them all with "
                "--answers, and put a name that has a comma in quotes: --answers '\"yes, but\",no'."
            )
    try:
        return None if answers is None else listed(answers)
    except BadInput as error:
        fail(str(error))


def _beside(source: Path) -> Path:
    """Return where the session is kept unless another place is named."""
    whole = source.resolve() if source.is_dir() else source
    return whole.parent / f"{whole.stem}.aluma"
