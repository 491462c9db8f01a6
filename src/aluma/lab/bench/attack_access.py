"""Access: requests that must not be let in, sent over sockets as bytes, and some that must.

A request counts as let in if the answer is none of those that the guard, or the server below it,
gives to what it refuses.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import uvicorn

from aluma.app.api import application
from aluma.app.desk import Desk
from aluma.app.opening import Wanted, opened
from aluma.app.people.begin import Wish
from aluma.app.server import take
from aluma.lab.bench.attack_pages import Forks, fresh
from aluma.lab.bench.attack_tally import Tally
from aluma.lab.bench.attack_tricks import (
    AUTH,
    JSON,
    TOKEN,
    Trick,
    backend_tricks,
    request,
    tricks,
)

#: Seconds that an answer may take.
SECONDS = 5.0


def access(folder: Path, most: int | None = None) -> list[Tally]:
    """Try all of them on a page (or so many), then slow and many connections."""
    with page(folder) as (port, desk):
        before = desk.session.log
        found = tried(port, tricks(port), "page", most)
        # All that was let in and changes something takes the one answer back, once.
        if [entry.kind for entry in desk.session.log[len(before) :]] not in ([], ["undo"]):
            found[0].fail(f"the session has changed: {desk.session.log}")
        return [*found, _headers(port, AUTHORISED), _crowded(port)]


def doors(folder: Path, most: int | None = None) -> Iterator[Tally]:
    """Try them on the page of checks, and on Label Studio's backend, as processes of their own."""
    forks = Forks()
    try:
        checks = fresh(folder / "checks", "page of checks", 0)
        forks.begin("page of checks", checks.folder)
        yield from tried(forks.port, tricks(forks.port), "page of checks", most)
        yield _headers(forks.port, AUTHORISED, "page of checks")
        yield _crowded(forks.port, "page of checks")
        forks.kill()
        forks.rest()
        if find_spec("httpx") is None:
            return
        one = fresh(folder / "studio", "Label Studio's backend", 0)
        assert one.studio is not None
        forks.begin("Label Studio's backend", one.folder, one.studio.address)
        found = tried(forks.port, backend_tricks(forks.port), "Label Studio's backend", most)
        if one.studio.asked:
            found[0].fail(f"Label Studio was asked: {one.studio.asked[:3]}")
        yield from found
        own = {"words": f"/{TOKEN}/", "health": f"/{TOKEN}/health", "refused": "/"}
        yield _headers(forks.port, own, "Label Studio's backend")
        here = f"/{TOKEN}/webhook", f"/{TOKEN}/health"
        yield _crowded(forks.port, "Label Studio's backend", *here)
        one.studio.close()
    finally:
        forks.close()


def tried(port: int, there: list[Trick], where: str, most: int | None) -> list[Tally]:
    """Send requests, and count those that were refused and those that were let in."""
    tally = Tally(f"requests that must be refused: {where}")
    control = Tally(f"requests that must be let in: {where}")
    for trick in there[:: _step(len(there), most)]:
        status = sent(port, trick.content)
        admitted = status not in trick.refused
        counted = control if trick.allowed else tally
        if admitted == trick.allowed:
            counted.count("let in" if admitted else "refused")
        else:
            counted.fail(f"{trick.name}: {status}")
    return [tally, control]


def _step(there: int, most: int | None) -> int:
    return 1 if most is None else max(1, there // most)


#: What is asked for to see its headers, by the right token but for one.
AUTHORISED = {
    "page": f"/?token={TOKEN}",
    "refused": "/",
    "state": "/api/state",
    "export": "/api/export/labels.csv",
}
KEPT_SAFE = (
    "content-security-policy: default-src 'none'",
    "frame-ancestors 'none'",
    "x-content-type-options: nosniff",
    "referrer-policy: no-referrer",
    "x-frame-options: deny",
    "cross-origin-resource-policy: same-origin",
    "cross-origin-opener-policy: same-origin",
    "cache-control: no-store",
)


def _headers(port: int, paths: dict[str, str], where: str = "page") -> Tally:
    """See that what is let in, and what is not, carries the headers that keep it safe."""
    tally = Tally(f"headers of answers: {where}")
    for name, path in paths.items():
        given = (AUTH,) if path.startswith("/api/") else ()
        answer = _answer(port, request(port, path, "GET", *given))
        text = answer.partition(b"\r\n\r\n")[0].decode("latin-1").lower()
        for wanted in KEPT_SAFE:
            if wanted in text:
                tally.count("there")
            else:
                tally.fail(f"{name} has no {wanted}")
        if name == "page" and not ("httponly" in text and "samesite=strict" in text):
            tally.fail("the cookie is open to scripts or other sites")
        if name != "page" and TOKEN in text:
            tally.fail(f"{name} gives the token away")
    return tally


def _crowded(
    port: int, where: str = "page", post: str = "/api/undo", get: str = "/api/state"
) -> Tally:
    """Hold many connections open, with headers and bodies that never end; others must get in."""
    tally = Tally(f"120 slow connections at once: {where}")
    held = [socket.create_connection(("127.0.0.1", port), SECONDS) for _ in range(120)]
    try:
        for number, one in enumerate(held):
            half = request(port, post, "POST", AUTH, JSON, ("Content-Length", "60000"))
            one.sendall(half + b" " if number % 2 else half[:40])
        for _ in range(5):
            begun = time.monotonic()
            status = sent(port, request(port, get, "GET", AUTH))
            if status == 200 and time.monotonic() - begun < SECONDS:
                tally.count("another request was answered")
            else:
                tally.fail(f"another request was kept waiting: {status}")
    finally:
        for one in held:
            one.close()
    return tally


def sent(port: int, content: bytes) -> int | None:
    """Send bytes, and return the status of the answer; None if there is none."""
    line = _answer(port, content).partition(b"\r\n")[0].split()
    return int(line[1]) if len(line) > 1 and line[1].isdigit() else None


def _answer(port: int, content: bytes) -> bytes:
    with closing(socket.create_connection(("127.0.0.1", port), SECONDS)) as one:
        found = b""
        try:
            one.sendall(content)
            while part := one.recv(65536):
                found += part
                if len(found) > 2**20:
                    break
        except OSError:
            return found
        return found


@contextmanager
def page(folder: Path, people: Wish | None = None) -> Iterator[tuple[int, Desk]]:
    """Serve a small page in a thread, and yield its port and its desk."""
    source = folder / "points.csv"
    points = np.random.default_rng(0).standard_normal((30, 2)).round(3).tolist()
    source.write_text("\n".join(["a,b", *(f"{a},{b}" for a, b in points)]) + "\n")
    found = opened(Wanted(source, folder / "s.aluma", hypotheses=200, people=people))
    if people is None:
        found.desk.answer("first", 0, "yes")
    place = take(port=0, token=TOKEN)
    guard = application(found.desk, found.features, TOKEN)
    config = uvicorn.Config(
        guard, log_level="critical", access_log=False, lifespan="off", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [place.listener]}, daemon=True)
    thread.start()
    try:
        yield place.listener.getsockname()[1], found.desk
    finally:
        found.desk.release()
        server.should_exit = True
        thread.join()
        found.desk.close()
