"""The HTTP interface: what the page uses, and any other tool may use as well."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from fastapi import FastAPI, Query, Response
from fastapi.responses import HTMLResponse

from aluma.app import export
from aluma.app.desk import Desk
from aluma.app.features import Features
from aluma.app.guard import Guard
from aluma.app.guidelines import Guidelines
from aluma.app.model import model_file
from aluma.app.people import export as people_export
from aluma.app.people.api import add_people
from aluma.app.people.team import Team
from aluma.app.review_api import add_review
from aluma.app.routes import (
    OR_NONE,
    REFUSED,
    add_examples,
    add_state,
    application_of,
    attached,
)
from aluma.app.shapes import Added, Answer, Found, Note, Plain, Problem, Receipt, Skip, State
from aluma.app.table_file import MEDIA, as_file
from aluma.session.recipe import aluma_version

#: Items of a list that are sent at once, at most.
MOST_ITEMS = 100
#: Summaries are whole documents with a style of their own, and need nothing else.
SUMMARY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
DESCRIPTION = """
Ask for the next question, answer it, take answers back, and export the labelled pool.

Every request needs the token, as `Authorization: Bearer TOKEN`. Requests that change something
carry a name in `request`, made up by the client: sending one again changes nothing, so that a
client that got no answer may simply repeat it. A receipt means that it is on the disk.
"""


def application(desk: Desk, features: Features, token: str, names: Iterable[str] = ()) -> Guard:
    """Return the page and its interface, guarded by a token."""
    app = application_of("index.html", "aluma label", DESCRIPTION, aluma_version())
    add_state(app, desk, State)
    _reading(app, desk)
    add_examples(app, desk.examples)
    add_review(app, desk, features)
    _writing(app, desk)
    _exporting(app, desk, features)
    if not isinstance(desk, Team):
        return Guard(app, token, names)
    add_people(app, desk)
    return Guard(app, desk.admission.token(), names, desk.admission)


def _reading(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/answers", responses={401: {"model": Problem}}, summary="The answers so far")
    def answers(
        offset: Annotated[int, Query(ge=0, lt=2**53)] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_ITEMS)] = 50,
    ) -> Found:
        """Return the answers given, the newest first, exceptions among them."""
        given = desk.given()
        return Found(total=len(given), items=given[offset : offset + limit])

    @app.get("/api/guidelines", responses={401: {"model": Problem}}, summary="The guidelines")
    def guidelines() -> Guidelines:
        """Return what helps to answer, as a tree of elements; nothing in it is HTML."""
        return Guidelines(nodes=list(desk.task.guidelines))

    @app.get("/api/search", responses={401: {"model": Problem}}, summary="Search the pool")
    def search(
        q: Annotated[str, Query(max_length=200)] = "",
        offset: Annotated[int, Query(ge=0, lt=2**53)] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_ITEMS)] = 50,
    ) -> Found:
        """Return examples in which all words occur, with their answers or the votes on them."""
        found = desk.examples.find(q)
        return Found(total=len(found), items=desk.verdicts(found[offset : offset + limit]))


def _writing(app: FastAPI, desk: Desk) -> None:
    @app.post("/api/answer", responses=REFUSED, summary="Answer")
    def answer(body: Answer) -> Receipt:
        """Take an answer, asked for or not; 409 with a clash if it contradicts earlier ones."""
        return desk.answer(body.request, body.example, body.label, body.showing)

    @app.post("/api/change", responses=REFUSED, summary="Change an answer")
    def change(body: Answer) -> Receipt:
        """Give another answer to an example that has one."""
        return desk.change(body.request, body.example, body.label)

    @app.post("/api/exception", responses=REFUSED, summary="Set an answer aside")
    def exception(body: Answer) -> Receipt:
        """Keep an answer that contradicts others, without learning from it."""
        return desk.set_aside(body.request, body.example, body.label)

    @app.post("/api/skip", responses=REFUSED, summary="Skip")
    def skip(body: Skip) -> Receipt:
        """Do not ask about an example; it can still be answered."""
        return desk.skip(body.request, body.example, body.showing)

    @app.post("/api/add", responses=REFUSED, summary="Add an answer")
    def add(body: Added) -> Receipt:
        """Let there be one more answer to choose from, if the session was begun so."""
        return desk.add_answer(body.request, body.label)

    @app.post("/api/note", responses=REFUSED, summary="Note")
    def note(body: Note) -> Receipt:
        """Keep a note about an example, answered or not; an empty text takes it away."""
        return desk.note(body.request, body.example, body.text)

    @app.post("/api/undo", responses=REFUSED, summary="Undo")
    def undo(body: Plain) -> Receipt:
        """Take back the last answer or skip."""
        return desk.undo(body.request)

    @app.post("/api/slack", responses=REFUSED, summary="Allow for messy data")
    def slack(body: Plain) -> Receipt:
        """Let answers contradict each other from now on, as much as they need."""
        return desk.loosen(body.request)


def _exporting(app: FastAPI, desk: Desk, features: Features) -> None:
    name = desk.task.name

    @app.get("/api/export/labels.{kind}", responses=OR_NONE, response_class=Response)
    def labels(
        kind: Literal["csv", "jsonl", "parquet"],
        shares: Annotated[bool, Query(description="also the votes for every answer")] = False,
    ) -> Response:
        """Return the whole pool with its labels, who gave them, and how checks came out."""
        content = as_file(export.table(desk, shares=shares), kind)
        return attached(content, MEDIA[kind], name, f"labelled.{kind}")

    @app.get("/api/export/answers.{kind}", responses=OR_NONE, response_class=Response)
    def answers(kind: Literal["csv", "jsonl", "parquet"]) -> Response:
        """Return every answer that a person gave: who, when, and what counts."""
        content = as_file(people_export.answers(desk), kind)
        return attached(content, MEDIA[kind], name, f"answers.{kind}")

    @app.get("/api/export/dataset.zip", responses=OR_NONE, response_class=Response)
    def dataset() -> Response:
        """Return a folder of plain Parquet files, labels and answers, in a ZIP file."""
        content = people_export.dataset(desk, name)
        return attached(content, "application/zip", name, "dataset.zip")

    @app.get("/api/export/model.json", responses=OR_NONE, response_class=Response)
    def model() -> Response:
        """Return a linear classifier of the pool as plain JSON."""
        content = model_file(desk, features)
        return attached(content, "application/json", name, "model.json")

    @app.get("/api/export/promise.txt", responses=OR_NONE, response_class=Response)
    def promise() -> Response:
        """Return what is promised about the labels, in one exact sentence with its date."""
        text = f"{export.statement(desk)}\n".encode("utf-8", "replace")
        return attached(text, "text/plain; charset=utf-8", name, "promise.txt")

    @app.get("/api/export/summary.html", responses=OR_NONE, response_class=HTMLResponse)
    def summary() -> Response:
        """Return a page that says what was asked, answered and can be promised."""
        headers = {"content-security-policy": SUMMARY_POLICY}
        return HTMLResponse(export.summary(desk), headers=headers)
