"""Secrets: the token of a link in the list of processes, in logs, in files, and in what is said.

Commands are started as a person starts them, with a browser that writes down what it is asked to
open. Their link is printed, once; nowhere else may the token be found, nor that of Label Studio.
"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from aluma.lab.bench.attack_access import sent
from aluma.lab.bench.attack_tally import Tally
from aluma.lab.bench.attack_tricks import AUTH, JSON, TOKEN, request

#: Seconds until a page is there, at most.
PATIENCE_SECONDS = 120.0


def secrets(folder: Path) -> list[Tally]:
    """Look for the token of every command that serves something."""
    rows = "\n".join(f"{i % 5},{i % 7},{'yes' if i % 2 else 'no'}" for i in range(40))
    (folder / "t.csv").write_text(f"a,b,label\n{rows}\n")
    labels = ["label", "t.csv", "--columns", "a,b", "--port", "0"]
    found = [
        _looked(folder, "aluma label", labels),
        _looked(folder, "aluma check", ["check", "t.csv", "--browser", "--port", "0"]),
    ]
    if find_spec("httpx") is not None:
        studio = ["label-studio", "--port", "0", "--folder", "studio"]
        found.append(_looked(folder, "aluma label-studio", studio))
    return found


def _looked(folder: Path, name: str, words: list[str]) -> Tally:
    """Run a command, ask it for this and that, and look for the token."""
    tally = Tally(f"where the token is: {name}")
    with _Running(folder, name, words) as one:
        _judge(tally, "list of processes", not any(TOKEN in text for text in _processes()))
        if name != "aluma label-studio":
            _ticket(tally, one)
        for path in ("/", f"/?token={TOKEN}", f"/api/state?token={TOKEN}", f"/{TOKEN}/x"):
            sent(one.port, request(one.port, path, "GET", ("Referer", f"http://x/?token={TOKEN}")))
        wrong = request(one.port, "/api/answer", "POST", AUTH, JSON, body=b'{"request": 1}')
        sent(one.port, wrong)
        sent(one.port, request(one.port, f"/{TOKEN}", "BREW", AUTH, body=TOKEN.encode()))
    said = one.printed()
    link = 0 if name == "aluma label-studio" else 1
    _judge(tally, "what it printed", said.count(TOKEN) == link)
    _judge(tally, "what it complained of", TOKEN not in one.complained())
    kept = [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "said"]
    _judge(tally, "its files", not any(TOKEN.encode() in path.read_bytes() for path in kept))
    keys = [path for path in kept if path.suffix == ".key"]
    hidden = not any(stat.S_IMODE(path.stat().st_mode) & 0o077 for path in keys)
    _judge(tally, "who may read a key", hidden)
    return tally


def _ticket(tally: Tally, one: _Running) -> None:
    """See that what the browser got works once, and is not the token."""
    opened = one.opened()
    ticket = parse_qs(urlsplit(opened).query).get("ticket", [""])[0]
    _judge(tally, "what the browser is started with", bool(ticket) and TOKEN not in opened)
    tried = [sent(one.port, request(one.port, f"/?ticket={ticket}")) for _ in range(3)]
    _judge(tally, "a ticket that is used again", tried == [200, 401, 401])


def _judge(tally: Tally, where: str, fine: bool) -> None:
    if fine:
        tally.count("nowhere else than in the link")
    else:
        tally.fail(where)


def _processes() -> list[str]:
    """Return what everybody on this machine can read of all processes; nothing where not Linux."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.append(path.read_bytes().decode("utf-8", "replace"))
    return found


class _Running:
    """A command, with the token in its environment and a browser that only writes."""

    def __init__(self, folder: Path, name: str, words: list[str]) -> None:
        self._said = folder / "said"
        self._said.mkdir(exist_ok=True)
        self._stem = name.replace(" ", "-")
        self._opened = self._said / f"{self._stem}.opened"
        browser = self._said / "browser"
        browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {self._said}/$ATTACKED.opened\n')
        browser.chmod(0o700)
        self._environment = os.environ | {
            "ALUMA_TOKEN": TOKEN, "LABEL_STUDIO_API_KEY": TOKEN, "BROWSER": f"{browser} %s",
            "COLUMNS": "400", "ATTACKED": self._stem,
        }  # fmt: skip
        self._words, self._folder, self.port = words, folder, 0

    def __enter__(self) -> _Running:
        code = "from aluma.cli import app; app()"
        with (
            (self._said / f"{self._stem}.out").open("w") as out,
            (self._said / f"{self._stem}.err").open("w") as err,
        ):
            self._process = subprocess.Popen(
                [sys.executable, "-c", code, *self._words],
                stdout=out,
                stderr=err,
                cwd=self._folder,
                env=self._environment,
            )
        self.port = int(_until(self._link).partition("//")[2].partition("/")[0].rpartition(":")[2])
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGINT)
        self._process.wait(60)

    def _link(self) -> str:
        lines = self.printed().splitlines()
        return next((line for line in lines if line.startswith("http://")), "")

    def opened(self) -> str:
        """Return what the browser was asked to open."""
        return _until(lambda: self._opened.read_text() if self._opened.exists() else "")

    def printed(self) -> str:
        """Return what it has printed."""
        return (self._said / f"{self._stem}.out").read_text("utf-8", "replace")

    def complained(self) -> str:
        """Return what it has written to standard error."""
        return (self._said / f"{self._stem}.err").read_text("utf-8", "replace")


def _until(look: object) -> str:
    """Return a text as soon as there is one."""
    assert callable(look)
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        if found := str(look()):
            return found
        time.sleep(0.1)
    raise RuntimeError("a command did not start")
