"""Answers at machine speed through the page's interface, while the server is killed repeatedly.

The client does what the page does: it gives every answer a name, and repeats it until it has a
receipt. Afterwards the session's file is looked at: every acknowledged answer must be in it once.
"""

from __future__ import annotations

import http.client
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from aluma.app.opening import Wanted, opened
from aluma.lab.bench.page_client import Client, Served


@dataclass(frozen=True)
class Crashes:
    """What became of the answers.

    Attributes
    ----------
    answers : acknowledged by the server
    kills : times that the server was killed
    lost : acknowledged answers that the file does not hold
    doubled : answers that it holds more than once
    wrong : answers that it holds and nobody gave
    """

    answers: int
    kills: int
    lost: int
    doubled: int
    wrong: int


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
    client = Client(served.port)
    acknowledged: list[tuple[int, str]] = []
    order = rng.permutation(len(truth))[:answers].tolist()
    moments = set(rng.choice(np.arange(2, answers - 1), kills, replace=False).tolist())
    try:
        for number, example in enumerate(order):
            if number in moments:
                # Somewhere within an answer: before, while or after it is written.
                delay = float(rng.uniform(0, 0.03))
                threading.Thread(target=_kill, args=(served.process, delay)).start()
            _insist(client, served, f"n{number}", example, truth[example])
            acknowledged.append((example, truth[example]))
    finally:
        client.close()
        served.kill()
    return _audited(source, labels, acknowledged, kills)


def _kill(process: subprocess.Popen[str], delay: float) -> None:
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)


def _insist(client: Client, served: Served, name: str, example: int, label: str) -> None:
    """Send an answer until there is a receipt; start the server again when it is gone."""
    while True:
        try:
            status, reply = client.post("/api/answer", request=name, example=example, label=label)
        except (OSError, http.client.HTTPException):
            client.close()
            served.kill()
            served.start()
            continue
        if status != 200:
            raise RuntimeError(f"answer {name} was refused: {reply}")
        return


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
