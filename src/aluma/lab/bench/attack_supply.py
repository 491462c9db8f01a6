"""Supply: downloads from a server that lies, cuts off, stalls, drips and never ends.

Each must end with the published content, or with an error that says what to do, and leave nothing
in the cache that is not the published content. The server is on this machine.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest import mock

import numpy as np
import pooch

from aluma.errors import MissingData
from aluma.lab.bench.attack_tally import Tally
from aluma.lab.datasets import files

CONTENT = np.random.default_rng(5).bytes(200_000)
DIGEST = hashlib.sha256(CONTENT).hexdigest()
#: Seconds after which a silent server, and a slow one, are given up here, and how long one drips.
REPLY, SLOW, DRIPS = 1.0, 1.0, 30.0
#: Bytes that may come: a server that never ends sends more.
MOST_BYTES = 2_000_000
BOMB = gzip.compress(bytes(10 * MOST_BYTES))
TRICKS = (
    "flipped", "cut", "cut headers", "empty", "longer", "another range", "another file", "packed",
    "bomb", "endless", "silent", "stalls", "drips", "error", "redirects", "lies about its length",
)  # fmt: skip


class Liar(BaseHTTPRequestHandler):
    """Serves the content in the way that the path names, or as it is from /true."""

    place = 0

    def do_GET(self) -> None:
        """Answer."""
        trick = self.path.strip("/").replace("%20", " ")
        with suppress(OSError):
            self._answer(trick)
        self.close_connection = True

    def _answer(self, trick: str) -> None:
        place = type(self).place
        asked = self.headers.get("Range")
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        rest = CONTENT[start:]
        flipped = bytearray(rest)
        if flipped:
            flipped[place % len(flipped)] ^= 1
        bodies = {
            "flipped": bytes(flipped),
            "longer": rest + b"more",
            "another range": CONTENT[start // 2 :],
            "another file": b"junk",
            "packed": gzip.compress(rest),
            "bomb": BOMB,
        }
        if trick == "silent":
            time.sleep(4 * REPLY)
            return
        if trick == "error":
            self.send_error(500)
            return
        if trick == "redirects":
            self.send_response(302)
            self.send_header("Location", self.path)
            self.end_headers()
            return
        body = bodies.get(trick, rest)
        self.send_response(206 if asked else 200)
        if trick in ("packed", "bomb"):
            self.send_header("Content-Encoding", "gzip")
        if trick == "cut headers":
            self.wfile.write(b"Content-")
            return
        length = {"lies about its length": 10**15, "empty": 0}.get(trick, len(body))
        if trick != "endless":
            self.send_header("Content-Length", str(length))
        self.end_headers()
        self._send(trick, body, place)

    def _send(self, trick: str, body: bytes, place: int) -> None:
        if trick in ("cut", "stalls", "drips"):
            self.wfile.write(body[: place % max(1, len(body))])
            self.wfile.flush()
            end = time.monotonic() + (0 if trick == "cut" else DRIPS)
            while time.monotonic() < end:
                time.sleep(0.05)
                if trick == "drips":
                    self.wfile.write(b"x")
        elif trick == "endless":
            while True:
                self.wfile.write(body)
        elif trick != "empty":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def supply(folder: Path, number: int, rng: np.random.Generator) -> Tally:
    """Download by so many tricks, each followed by an honest server."""
    tally = Tally("downloads")
    limits = mock.patch.multiple(
        files, REPLY_SECONDS=REPLY, SLOW_SECONDS=SLOW, MOST_BYTES=MOST_BYTES
    )
    # It says of every attempt where to it goes.
    quiet = mock.patch.object(pooch.get_logger(), "disabled", True)
    with _server() as address, limits, quiet:
        for attempt in range(number):
            trick = TRICKS[attempt % len(TRICKS)]
            Liar.place = int(rng.integers(len(CONTENT)))
            cache = folder / f"cache-{attempt}"
            _judge(tally, trick, address, cache)
    return tally


def _judge(tally: Tally, trick: str, address: str, cache: Path) -> None:
    begun = time.monotonic()
    with mock.patch.object(files, "cache_folder", return_value=cache):
        end = _located(f"{address}/{trick}")
        if time.monotonic() - begun > DRIPS / 2:
            tally.fail(f"{trick}: it took {time.monotonic() - begun:.0f} seconds")
        elif any(path.read_bytes() != CONTENT for path in cache.rglob("a") if path.is_file()):
            tally.fail(f"{trick}: something else is in the cache")
        elif end not in ("refused", "the published file"):
            tally.fail(f"{trick}: {end}")
        elif (later := _located(f"{address}/true")) != "the published file":
            # What was left of a wrong one may cost one more attempt, which begins anew.
            again = _located(f"{address}/true")
            if again == "the published file":
                tally.count(f"{end}; the attempt after the next was right")
            else:
                tally.fail(f"{trick}: never right again: {later}")
        else:
            tally.count(end)


def _located(url: str) -> str:
    """Say how a download ended."""
    with mock.patch.dict("os.environ"):
        os.environ.pop(files.VARIABLE, None)
        try:
            path = files.locate(files.DataFile("set/a", DIGEST, (url.replace(" ", "%20"),)))
        except MissingData as refused:
            return "refused" if files.VARIABLE in str(refused) else f"no way out: {refused}"
        except Exception as error:  # noqa: BLE001 - whatever it is, it is no refusal
            return f"{type(error).__name__}: {error}"
    return "the published file" if path.read_bytes() == CONTENT else "another file"


@contextmanager
def _server() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Liar)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
