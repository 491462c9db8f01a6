"""A page that runs: a server in a thread, on a port of its own, and a client that is let in."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import httpx
import numpy as np
import pandas as pd
import uvicorn

from aluma.app.api import application
from aluma.app.guard import Guard
from aluma.app.opening import Opened, Wanted, opened
from aluma.app.server import take
from aluma.pool import Pool
from aluma.session import Session

TOKEN = "a-token-for-tests"
LABELS = {"yes": "right", "no": "left"}


@dataclass
class Running:
    """A page, where it is, and a client that has the token."""

    desk: Any
    url: str
    link: str
    client: httpx.Client
    guard: Guard
    opened: Opened | None = None
    names: Iterator[int] = field(default_factory=lambda: iter(range(10**9)))

    def state(self) -> dict[str, Any]:
        return self.client.get("/api/state").json()

    def question(self, seconds: float = 20) -> dict[str, Any]:
        """Wait for a state that has a question, or nothing left to ask."""
        end, state = time.monotonic() + seconds, self.state()
        while state["question"] is None and not state["progress"]["exhausted"]:
            assert time.monotonic() < end, "there is no question"
            state = self.client.get("/api/state", params={"after": state["tick"], "wait": 1}).json()
        return state

    def until(self, holds: Callable[[dict[str, Any]], bool], seconds: float = 20) -> dict[str, Any]:
        """Wait for a state of which something holds."""
        end, state = time.monotonic() + seconds, self.state()
        while not holds(state):
            assert time.monotonic() < end, f"it never came to that: {state}"
            state = self.client.get("/api/state", params={"after": state["tick"], "wait": 1}).json()
        return state

    def post(self, what: str, **body: Any) -> httpx.Response:
        return self.client.post(f"/api/{what}", json={"request": f"t{next(self.names)}", **body})

    def answer(self, example: int, label: str, **more: Any) -> httpx.Response:
        return self.post("answer", example=example, label=label, **more)


def start(stack: ExitStack, found: Opened) -> Running:
    """Serve what was opened until the stack is left."""
    page = served(stack, application(found.desk, found.features, TOKEN), found.desk)
    page.opened = found
    return page


def served(stack: ExitStack, app: Guard, desk: Any) -> Running:
    """Serve a page until the stack is left."""
    place = take(port=0, token=TOKEN)
    config = uvicorn.Config(app, log_level="warning", lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [place.listener]}, daemon=True)
    thread.start()
    url = place.link.partition("/?")[0]
    client = httpx.Client(
        base_url=url, headers={"authorization": f"Bearer {TOKEN}"}, timeout=30, trust_env=False
    )
    stack.callback(desk.close)
    stack.callback(thread.join)
    stack.callback(lambda: setattr(server, "should_exit", True))
    stack.callback(desk.release)
    stack.callback(client.close)
    return Running(desk, url, place.link, client, app)


def settle(
    wanted: Wanted,
    answer: Callable[[int], str],
    until: Callable[[Session], bool] = lambda session: session.phase != "learning",
) -> None:
    """Begin a session and answer it without a page, until labels are to be checked.

    Nobody looks ahead then, or judges what is there: a fraction of the work.
    """
    found = opened(wanted)
    found.desk.close()
    with Session.open(wanted.session, Pool(found.features.X, prepared=True)) as session:
        session.keep_asking = True
        while not until(session):
            example = int(session.ask())
            session.tell(example, answer(example))
            assert not session.finished


def plane(size: int = 60, seed: int = 3) -> pd.DataFrame:
    """Return points of the plane, and on which side of a line they are."""
    points = np.random.default_rng(seed).standard_normal((size, 2)).round(3)
    side = np.where(points @ [1.0, 0.6] > 0.1, "right", "left")
    return pd.DataFrame({"x": points[:, 0], "y": points[:, 1], "side": side})
