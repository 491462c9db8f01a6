"""Answers at machine speed through the page's interface, while the server is killed repeatedly.

The client does what the page does: it gives every answer a name, and repeats it until it has a
receipt. Afterwards the session's file is looked at: every acknowledged answer must be in it once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from aluma.app.opening import Wanted, opened

TOKEN = "a-token-for-measuring"


@dataclass(frozen=True)
class Crashes:
    """What became of the answers."""

    answers: int
    kills: int
    lost: int
    doubled: int
    wrong: int


class Served:
    """`aluma label` as a process of its own, on one port, started again whenever it is killed."""

    def __init__(self, source: Path, labels: Sequence[str], *options: str) -> None:
        self._command = [
            sys.executable, "-c", "from aluma.cli import app; app()", "label", str(source),
            "--no-browser", "--no", labels[0], "--yes", labels[1], "--token", TOKEN, *options,
        ]  # fmt: skip
        self._port = "0"
        self.link = ""
        self.start()

    def start(self) -> None:
        """Start the process and wait for its link."""
        environment = os.environ | {"COLUMNS": "400"}
        command = [*self._command, "--port", self._port]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("http://"):
                self.link = line.strip()
                self._port = self.url.rpartition(":")[2]
                return
        raise RuntimeError(f"the page did not start: {' '.join(command)}")

    @property
    def url(self) -> str:
        """Where the page is, without the token."""
        return self.link.partition("/?")[0]

    def kill(self) -> None:
        """End the process at once, as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def stop(self) -> None:
        """End the process as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


def client(url: str) -> httpx.Client:
    """Return a client that is let in."""
    headers = {"authorization": f"Bearer {TOKEN}"}
    return httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False)


def hammer(
    source: Path,
    truth: Sequence[str],
    labels: tuple[str, str],
    *,
    answers: int,
    kills: int,
    rng: np.random.Generator,
) -> Crashes:
    """Answer as fast as the interface takes it, and kill the server at random moments."""
    served = Served(source, labels)
    acknowledged: list[tuple[int, str]] = []
    order = rng.permutation(len(truth))[:answers]
    moments = set(rng.choice(np.arange(2, answers - 1), kills, replace=False).tolist())
    try:
        with client(served.url) as http:
            for number, example in enumerate(order.tolist()):
                if number in moments:
                    # Somewhere within the answer: before, while or after it is written.
                    delay = float(rng.uniform(0, 0.03))
                    threading.Thread(target=_killed_after, args=(served, delay)).start()
                label = truth[example]
                _insist(http, served, f"n{number}", example, label)
                acknowledged.append((example, label))
    finally:
        served.kill()
    return _audited(source, labels, acknowledged, kills)


def _killed_after(served: Served, delay: float) -> None:
    process = served.process
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)


def _insist(http: httpx.Client, served: Served, name: str, example: int, label: str) -> None:
    """Send an answer until there is a receipt; start the server when it is gone."""
    body = {"request": name, "example": example, "label": label}
    while True:
        try:
            response = http.post("/api/answer", json=body)
            response.raise_for_status()
            return
        except httpx.TransportError:
            served.kill()
            served.start()


def _audited(
    source: Path, labels: tuple[str, str], acknowledged: list[tuple[int, str]], kills: int
) -> Crashes:
    """Compare what was acknowledged with what the file holds."""
    wanted = Wanted(source, source.with_suffix(".aluma"), no=labels[0], yes=labels[1])
    found = opened(wanted)
    try:
        log = [(entry.example, entry.label) for entry in found.desk.session.log]
    finally:
        found.desk.close()
    counts: Counter[Any] = Counter(log)
    return Crashes(
        answers=len(acknowledged),
        kills=kills,
        lost=sum(one not in counts for one in acknowledged),
        doubled=sum(count - 1 for count in counts.values()),
        wrong=len(set(log) - set(acknowledged)),
    )
