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
from pathlib import Path

import numpy as np
import uvicorn

from aluma.app.api import application
from aluma.app.desk import Desk
from aluma.app.opening import Wanted, opened
from aluma.app.people.begin import Wish
from aluma.app.server import take
from aluma.lab.bench.attack_tally import Tally
from aluma.lab.bench.attack_tricks import AUTH, JSON, TOKEN, request, tricks

#: Seconds that an answer may take.
SECONDS = 5.0


def access(folder: Path, most: int | None = None) -> list[Tally]:
    """Try all of them on a page (or so many), then slow and many connections."""
    with page(folder) as (port, _):
        tally = Tally("requests that must be refused")
        control = Tally("requests that must be let in")
        for trick in tricks(port)[:: _step(len(tricks(port)), most)]:
            status = sent(port, trick.content)
            admitted = status not in trick.refused
            counted = control if trick.allowed else tally
            if admitted == trick.allowed:
                counted.count("let in" if admitted else "refused")
            else:
                counted.fail(f"{trick.name}: {status}")
        return [tally, control, _headers(port), _crowded(port)]


def _step(there: int, most: int | None) -> int:
    return 1 if most is None else max(1, there // most)


def _headers(port: int) -> Tally:
    """See that what is let in, and what is not, carries the headers that keep it safe."""
    tally = Tally("headers of answers")
    for name, content in (
        ("page", request(port, f"/?token={TOKEN}")),
        ("refused", request(port, "/")),
        ("state", request(port, "/api/state", "GET", AUTH)),
        ("export", request(port, "/api/export/labels.csv", "GET", AUTH)),
    ):
        text = _answer(port, content).partition(b"\r\n\r\n")[0].decode("latin-1").lower()
        for wanted in (
            "content-security-policy: default-src 'none'",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "x-frame-options: deny",
            "cross-origin-resource-policy: same-origin",
            "cross-origin-opener-policy: same-origin",
            "cache-control: no-store",
        ):
            if wanted in text:
                tally.count("there")
            else:
                tally.fail(f"{name} has no {wanted}")
        if name == "page" and not ("httponly" in text and "samesite=strict" in text):
            tally.fail("the cookie is open to scripts or other sites")
        if name != "page" and TOKEN in text:
            tally.fail(f"{name} gives the token away")
    return tally


def _crowded(port: int) -> Tally:
    """Hold many connections open, with headers and bodies that never end; others must get in."""
    tally = Tally("slow and many connections")
    held = [socket.create_connection(("127.0.0.1", port), SECONDS) for _ in range(120)]
    try:
        for number, one in enumerate(held):
            half = request(port, "/api/undo", "POST", AUTH, JSON, ("Content-Length", "60000"))
            one.sendall(half + b" " if number % 2 else half[:40])
        for _ in range(5):
            begun = time.monotonic()
            status = sent(port, request(port, "/api/state", "GET", AUTH))
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
