"""The HTTP interface: what the page uses, and any other tool may use as well."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from importlib.resources import files
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import FastAPI, HTTPException, Path, Query, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse

from aluma.app import export
from aluma.app.desk import Clashing, Desk
from aluma.app.features import Features
from aluma.app.guard import Guard
from aluma.app.shapes import (
    Answer,
    Card,
    Found,
    Plain,
    Problem,
    Receipt,
    Skip,
    State,
)
from aluma.errors import BadInput, Refused, SessionError
from aluma.session.recipe import aluma_version

#: Seconds that a request for the next state may wait, at most.
LONGEST_WAIT = 25.0
#: Items of a list that are sent at once, at most.
MOST_ITEMS = 100
#: Summaries are whole documents with a style of their own, and need nothing else.
SUMMARY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}
REFUSED: dict[int | str, dict[str, Any]] = {409: {"model": Problem}, 401: {"model": Problem}}
DESCRIPTION = """
Ask for the next question, answer it, take answers back, and export the labelled pool.

Every request needs the token, as `Authorization: Bearer TOKEN`. Requests that change something
carry a name in `request`, made up by the client: sending one again changes nothing, so that a
client that got no answer may simply repeat it. A receipt means that it is on the disk.
"""
Index = Annotated[int, Path(ge=0, lt=2**53, description="position of the example, from 0")]


def application(desk: Desk, features: Features, token: str, names: Iterable[str] = ()) -> Guard:
    """Return the page and its interface, guarded by a token."""
    app = FastAPI(
        title="aluma label",
        version=aluma_version(),
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
    )
    _reading(app, desk)
    _writing(app, desk)
    _exporting(app, desk, features)
    _page(app)
    app.exception_handler(Refused)(_refused)
    app.exception_handler(BadInput)(_refused)
    app.exception_handler(SessionError)(_failed)
    return Guard(app, token, names)


def _reading(app: FastAPI, desk: Desk) -> None:
    @app.get(
        "/api/state",
        response_model=None,
        responses={200: {"model": State}, 401: {"model": Problem}},
        summary="The question, and more",
    )
    async def state(
        after: Annotated[str, Query(max_length=40, description="`tick` of a state")] = "",
        wait: Annotated[float, Query(ge=0, le=LONGEST_WAIT, description="seconds")] = 0,
    ) -> Response:
        """Return what is to be seen now; with `after`, wait until that is something else."""
        if wait and after == desk.state.tick and not desk.ending:
            await _change(desk, after, wait)
        return Response(desk.encoded, media_type="application/json")

    @app.get("/api/answers", responses={401: {"model": Problem}}, summary="The answers so far")
    def answers(
        offset: Annotated[int, Query(ge=0, lt=2**53)] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_ITEMS)] = 50,
    ) -> Found:
        """Return the answers given, the newest first, exceptions among them."""
        given = desk.given()
        return Found(total=len(given), items=given[offset : offset + limit])

    @app.get("/api/search", responses={401: {"model": Problem}}, summary="Search the pool")
    def search(
        q: Annotated[str, Query(max_length=200)] = "",
        offset: Annotated[int, Query(ge=0, lt=2**53)] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_ITEMS)] = 50,
    ) -> Found:
        """Return examples in which all words occur, with their answers or the votes on them."""
        found = desk.examples.find(q)
        return Found(total=len(found), items=desk.verdicts(found[offset : offset + limit]))

    @app.get("/api/examples/{example}", responses=_or_none(), summary="One example, whole")
    def example(example: Index) -> Card:
        """Return an example with all of its text."""
        return desk.examples.card(_existing(desk, example), full=True)

    @app.get("/api/images/{example}", responses=_or_none(), response_class=Response)
    def image(example: Index) -> Response:
        """Return the image of an example."""
        if desk.examples.images is None:
            raise HTTPException(404, "these examples have no images.")
        media, content = desk.examples.images.content(_existing(desk, example))
        keep = {"cache-control": "private, max-age=3600"}
        return Response(content, media_type=media, headers=keep)


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

    @app.post("/api/undo", responses=REFUSED, summary="Undo")
    def undo(body: Plain) -> Receipt:
        """Take back the last answer or skip."""
        return desk.undo(body.request)

    @app.post("/api/slack", responses=REFUSED, summary="Allow for messy data")
    def slack(body: Plain) -> Receipt:
        """Let answers contradict each other from now on, as much as they need."""
        return desk.loosen(body.request)


def _exporting(app: FastAPI, desk: Desk, features: Features) -> None:
    name = re.sub(r"[^\w.-]+", "-", desk.task.name, flags=re.ASCII).strip("-.") or "labels"

    def attached(content: bytes, media: str, ending: str) -> Response:
        file = quote(f"{name}-{ending}")
        kept = {"content-disposition": f"attachment; filename={file}"}
        return Response(content, media_type=media, headers=kept)

    @app.get("/api/export/labels.{kind}", responses=_or_none(), response_class=Response)
    def labels(kind: Literal["csv", "jsonl", "parquet"]) -> Response:
        """Return the whole pool with its labels, who gave them, and how checks came out."""
        return attached(export.as_file(export.table(desk), kind), MEDIA[kind], f"labelled.{kind}")

    @app.get("/api/export/model.json", responses=_or_none(), response_class=Response)
    def model() -> Response:
        """Return a linear classifier of the pool as plain JSON."""
        return attached(export.model_file(desk, features), "application/json", "model.json")

    @app.get("/api/export/promise.txt", responses=_or_none(), response_class=Response)
    def promise() -> Response:
        """Return what is promised about the labels, in one exact sentence with its date."""
        text = f"{export.statement(desk)}\n".encode("utf-8", "replace")
        return attached(text, "text/plain; charset=utf-8", "promise.txt")

    @app.get("/api/export/summary.html", responses=_or_none(), response_class=HTMLResponse)
    def summary() -> Response:
        """Return a page that says what was asked, answered and can be promised."""
        headers = {"content-security-policy": SUMMARY_POLICY}
        return HTMLResponse(export.summary(desk), headers=headers)


def _page(app: FastAPI) -> None:
    """Serve the files of the page, by name: there is no way to ask for another."""
    kinds = {".html": "text/html", ".js": "text/javascript", ".css": "text/css",
             ".svg": "image/svg+xml"}  # fmt: skip
    for file in files("aluma.app").joinpath("static").iterdir():
        ending = file.name[file.name.rfind(".") :]
        if ending not in kinds:
            continue
        path = "/" if file.name == "index.html" else f"/{file.name.removesuffix('.html')}"
        app.get(path, include_in_schema=False)(_serving(str(file), kinds[ending]))


def _serving(file: str, media: str) -> Callable[[], FileResponse]:
    def serve() -> FileResponse:
        return FileResponse(file, media_type=media)

    return serve


async def _change(desk: Desk, after: str, seconds: float) -> None:
    """Wait until the state is another, or the time is over."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(changed.set)

    desk.listen(wake)
    try:
        if desk.state.tick == after:
            await asyncio.wait_for(changed.wait(), seconds)
    except TimeoutError:
        pass
    finally:
        desk.unlisten(wake)


def _existing(desk: Desk, example: int) -> int:
    if example >= len(desk.examples):
        raise HTTPException(404, f"there is no example {example}: there are {len(desk.examples)}.")
    return example


def _or_none() -> dict[int | str, dict[str, Any]]:
    return {404: {"model": Problem}, 401: {"model": Problem}, 409: {"model": Problem}}


def _refused(_: Request, error: Exception) -> Response:
    clash = error.clash if isinstance(error, Clashing) else None
    content = Problem(detail=str(error), clash=clash).model_dump(mode="json", by_alias=True)
    return JSONResponse(content, status_code=409)


def _failed(_: Request, error: Exception) -> Response:
    return JSONResponse({"detail": str(error), "clash": None}, status_code=507)
