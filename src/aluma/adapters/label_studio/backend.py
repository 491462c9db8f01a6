"""The backend that Label Studio connects to: health, setup, predict and webhook.

Label Studio waits a second for a webhook and three for a setup, so both only hand over work to one
thread, which has the sessions to itself. A webhook waits for it a little, because Label Studio asks
for the next task right after. What is acknowledged and then lost in a crash is in Label Studio, and
is learnt when both meet again. ``door.py`` decides who may ask for any of it.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from aluma.adapters.label_studio.config import Question
from aluma.adapters.label_studio.door import Door
from aluma.adapters.label_studio.project import Project
from aluma.adapters.label_studio.studio import MODEL, Studio, httpx
from aluma.app.guard import LOOPBACK
from aluma.errors import AlumaError

logger = logging.getLogger(__name__)

#: Seconds that a webhook waits for the next question; Label Studio gives it one.
WEBHOOK_SECONDS = 0.8
#: Webhooks that bring an annotation, and those after which everything is compared.
ANNOTATED = ("ANNOTATION_CREATED", "ANNOTATION_UPDATED")
CHANGED = (
    "ANNOTATIONS_CREATED", "ANNOTATIONS_DELETED", "TASKS_CREATED", "TASKS_DELETED",
    "START_TRAINING",
)  # fmt: skip

#: A number in Label Studio's database, and a project's as it writes it: "7.1763424000".
Number = Annotated[int, Field(ge=0, lt=2**53)]
Named = Annotated[str, Field(pattern=r"^[0-9]{1,15}(\.|$)", max_length=100)]


class Setup(BaseModel):
    """What Label Studio says when it connects, and ever again."""

    model_config = ConfigDict(populate_by_name=True)
    project: Named
    configuration: str = Field(alias="schema")
    hostname: str | None = None
    access_token: str | None = None


class Numbered(BaseModel):
    """A task or a project, of which only the number is wanted."""

    id: Number


class Predict(BaseModel):
    """What it asks for predictions with."""

    project: Named
    tasks: list[Numbered]


class Event(BaseModel):
    """What has happened in it."""

    action: str
    project: Numbered | None = None
    annotation: Any = None


class Backend:
    """The projects that Label Studio has connected, and the thread that works on them.

    Parameters
    ----------
    folder : where sessions are kept
    address, token : Label Studio's; what it says of itself is used where they are missing, if that
        is on this machine
    embed, tolerance : as for :class:`Project`
    say : gets what a person should read
    connect : returns a client for an address and a token
    """

    def __init__(
        self,
        folder: Path,
        *,
        address: str | None = None,
        token: str | None = None,
        embed: str | None = None,
        tolerance: float = 0.05,
        say: Callable[[str], None] = logger.info,
        connect: Callable[[str, str], Studio] = Studio,
    ) -> None:
        self._folder, self._address, self._token = folder, address, token
        self._settings: dict[str, Any] = {"embed": embed, "tolerance": tolerance}
        self._say, self._connect = say, connect
        #: Of each project what it asks, where it is, and what lets in there.
        self._configs: dict[int, str] = {}
        self._places: dict[int, str] = {}
        self._tokens: dict[int, str] = {}
        self._projects: dict[int, Project] = {}
        self._troubles: dict[int, str] = {}
        self._phases: dict[int, str] = {}
        #: Where each project stands, in words; a session that learns would keep a reader waiting.
        self._words: dict[int, str] = {}
        self._jobs: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self._thread = threading.Thread(target=self._work, name="label-studio", daemon=True)
        self._thread.start()

    # -- what Label Studio calls ---------------------------------------------------------------

    def setup(self, asked: Setup) -> None:
        """Take over a project, if it is new or its configuration has changed."""
        number, config = _number(asked.project), asked.configuration
        if self._configs.get(number) == config and number not in self._troubles:
            return
        address = self._address or asked.hostname or ""
        if self._address is None and urlsplit(address).hostname not in LOOPBACK:
            raise AlumaError(
                f"Label Studio says that it is at {address!r}, which is not this machine: start "
                "aluma label-studio with --label-studio ADDRESS if that is right."
            )
        self._configs[number], self._places[number] = config, address
        self._tokens[number] = self._token or asked.access_token or ""
        self._do(number, lambda: self._begin(number))

    def webhook(self, event: Event) -> None:
        """Learn from what has happened; return when the next question is known, or soon."""
        number = 0 if event.project is None else event.project.id
        if number not in self._configs:
            return
        if event.action in ANNOTATED and isinstance(event.annotation, dict):
            self._do(number, lambda: self._annotated(number, event.annotation)).wait(
                WEBHOOK_SECONDS
            )
        elif event.action in CHANGED:
            self._do(number, lambda: self._meet(number))

    def predict(self, asked: Predict) -> list[dict[str, Any]]:
        """Return predictions for tasks, as they are known now."""
        project = self._projects.get(_number(asked.project))
        blank = {"model_version": MODEL, "score": 0.5, "result": []}
        if project is None:
            return [blank for _ in asked.tasks]
        return [project.predict(task.id) for task in asked.tasks]

    def words(self) -> str:
        """Return where all projects stand, a line each."""
        said = {**self._words, **self._troubles}
        lines = [f"Project {number}: {said[number]}" for number in sorted(said)]
        return "\n".join(lines) or "No project is connected yet."

    @property
    def alive(self) -> bool:
        """Whether the thread is at work; mistakes are logged, and do not end it."""
        return self._thread.is_alive()

    def wait(self) -> None:
        """Return when all that was asked for so far is done."""
        self._do(0, lambda: None).wait()

    def close(self) -> None:
        """Finish what is at hand, and close all sessions."""
        self._jobs.put(None)
        self._thread.join()

    # -- the thread ----------------------------------------------------------------------------

    def _do(self, number: int, job: Callable[[], None]) -> threading.Event:
        """Let the thread do something about a project; return what is set when it is done."""
        done = threading.Event()

        def guarded() -> None:
            try:
                job()
                self._troubles.pop(number, None)
            except (AlumaError, OSError, KeyError, ValueError, httpx.HTTPError) as error:
                self._troubles[number] = str(error) or repr(error)
                self._say(f"Project {number}: {self._troubles[number]}")
            except Exception as error:  # a mistake in aluma must not end the thread
                logger.exception("project %d", number)
                self._troubles[number] = f"{type(error).__name__}: {error}"
                self._say(f"Project {number}: {self._troubles[number]}")
            finally:
                done.set()

        self._jobs.put(guarded)
        return done

    def _work(self) -> None:
        while (job := self._next()) is not None:
            job()
        for project in self._projects.values():
            project.close()
            project.studio.close()

    def _next(self) -> Callable[[], None] | None:
        """Return what to do next; while there is nothing, put labels right in Label Studio."""
        while True:
            try:
                return self._jobs.get_nowait()
            except queue.Empty:
                if not self._put_one_right():
                    return self._jobs.get()

    def _put_one_right(self) -> bool:
        for project in list(self._projects.values()):
            try:
                if project.put_one_right():
                    return True
            except (AlumaError, httpx.HTTPError) as error:
                self._say(f"Project {project.number}: {error}")
                return False
        return False

    def _meet(self, number: int) -> None:
        if number in self._projects:
            self._projects[number].meet()
            self._tell_phase(number)
        else:
            self._begin(number)

    def _begin(self, number: int) -> None:
        """Open a project, anew if it is open."""
        if (earlier := self._projects.pop(number, None)) is not None:
            earlier.close()
            earlier.studio.close()
        question = Question.of(self._configs[number])
        studio = self._connect(self._places[number], self._tokens[number])
        project = Project(number, question, studio, self._folder, **self._settings)
        try:
            project.meet()
            studio.ask_in_order(number)
        except BaseException:
            project.close()
            studio.close()
            raise
        self._projects[number] = project
        self._tell_phase(number)

    def _annotated(self, number: int, annotation: dict[str, Any]) -> None:
        project, task = self._projects.get(number), annotation.get("task")
        if project is None or not isinstance(task, int) or not project.annotated(task, annotation):
            self._meet(number)
        self._tell_phase(number)

    def _tell_phase(self, number: int) -> None:
        """Keep where a project stands, and say it when that is another phase."""
        project = self._projects[number]
        self._words[number] = project.words()
        phase = "" if project.session is None else project.session.phase
        if self._phases.get(number) != phase:
            self._phases[number] = phase
            self._say(f"Project {number}: {self._words[number]}")


def application(backend: Backend, token: str, names: Iterable[str] = ()) -> Door:
    """Return the backend as Label Studio speaks with it, at an address that begins with a token."""
    app = FastAPI(title="aluma for Label Studio", docs_url=None, redoc_url=None, openapi_url=None)

    @app.get("/")
    def words() -> Response:
        return PlainTextResponse(backend.words())

    @app.get("/health")
    def health() -> Response:
        said = {"status": "UP" if backend.alive else "DOWN", "model_class": "ALuMA"}
        return JSONResponse(said, 200 if backend.alive else 500)

    @app.post("/setup")
    def setup(asked: Setup) -> Response:
        try:
            backend.setup(asked)
        except AlumaError as error:
            return JSONResponse({"error": str(error)}, 400)
        return JSONResponse({"model_version": MODEL})

    @app.post("/predict")
    def predict(asked: Predict) -> dict[str, Any]:
        return {"results": backend.predict(asked)}

    @app.post("/webhook")
    def webhook(event: Event) -> dict[str, str]:
        backend.webhook(event)
        return {"status": "ok"}

    return Door(app, token, names)


def _number(project: str) -> int:
    """Return a project's number, of "7.1763424000" as Label Studio writes it."""
    return int(project.partition(".")[0])
