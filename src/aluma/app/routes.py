"""What every page serves: its files, its state, its examples, and why something was refused."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from importlib.resources import files
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import FastAPI, HTTPException, Path, Query, Request, Response
from fastapi.responses import FileResponse, JSONResponse

from aluma.app.examples import Examples
from aluma.app.publisher import Publisher
from aluma.app.shapes import Card, Problem, Shown
from aluma.errors import BadInput, Refused, SessionError

#: Seconds that a request for the next state may wait, at most.
LONGEST_WAIT = 25.0
#: The first page of each application; each serves its own only.
FRONTS = ("index.html", "check.html")
KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css",
         ".svg": "image/svg+xml"}  # fmt: skip
REFUSED: dict[int | str, dict[str, Any]] = {409: {"model": Problem}, 401: {"model": Problem}}
OR_NONE: dict[int | str, dict[str, Any]] = {404: {"model": Problem}, **REFUSED}
Index = Annotated[int, Path(ge=0, lt=2**53, description="position of the example, from 0")]


def application_of(front: str, title: str, description: str, version: str) -> FastAPI:
    """Return an application that serves the files of a page and explains what it refuses."""
    app = FastAPI(
        title=title, version=version, description=description, docs_url=None, redoc_url=None
    )
    _add_files(app, front)
    app.exception_handler(Refused)(_refused)
    app.exception_handler(BadInput)(_refused)
    app.exception_handler(SessionError)(_failed)
    return app


def add_state(app: FastAPI, desk: Publisher[Any], model: type[Shown]) -> None:
    """Let clients read the state, and wait for the next one."""

    @app.get(
        "/api/state",
        response_model=None,
        responses={200: {"model": model}, 401: {"model": Problem}},
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


def add_examples(app: FastAPI, examples: Examples) -> None:
    """Let clients read examples whole, and their images."""

    def existing(example: int) -> int:
        if example >= len(examples):
            raise HTTPException(404, f"there is no example {example}: there are {len(examples)}.")
        return example

    @app.get("/api/examples/{example}", responses=OR_NONE, summary="One example, whole")
    def example(example: Index) -> Card:
        """Return an example with all of its text."""
        return examples.card(existing(example), full=True)

    @app.get("/api/images/{example}", responses=OR_NONE, response_class=Response)
    def image(example: Index) -> Response:
        """Return the image of an example."""
        if examples.images is None:
            raise HTTPException(404, "these examples have no images.")
        media, content = examples.images.content(existing(example))
        keep = {"cache-control": "private, max-age=3600"}
        return Response(content, media_type=media, headers=keep)


def attached(content: bytes, media: str, name: str, ending: str) -> Response:
    """Return a file to be saved, under a name made of plain characters."""
    plain = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.") or "labels"
    kept = {"content-disposition": f"attachment; filename={quote(f'{plain}-{ending}')}"}
    return Response(content, media_type=media, headers=kept)


def _add_files(app: FastAPI, front: str) -> None:
    """Serve the files of the page, by name: there is no way to ask for another."""
    for file in files("aluma.app").joinpath("static").iterdir():
        ending = file.name[file.name.rfind(".") :]
        if ending not in KINDS or (file.name in FRONTS and file.name != front):
            continue
        path = "/" if file.name == front else f"/{file.name.removesuffix('.html')}"
        app.get(path, include_in_schema=False)(_serving(str(file), KINDS[ending]))


def _serving(file: str, media: str) -> Callable[[], FileResponse]:
    def serve() -> FileResponse:
        return FileResponse(file, media_type=media)

    return serve


async def _change(desk: Publisher[Any], after: str, seconds: float) -> None:
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


def _refused(_: Request, error: Exception) -> Response:
    clash = getattr(error, "clash", None)
    content = Problem(detail=str(error), clash=clash).model_dump(mode="json", by_alias=True)
    return JSONResponse(content, status_code=409)


def _failed(_: Request, error: Exception) -> Response:
    return JSONResponse({"detail": str(error), "clash": None}, status_code=507)
