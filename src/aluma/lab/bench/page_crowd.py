"""Many clients at one session: no error, and everybody sees the same."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from aluma.lab.bench.page_client import Client, Served

#: Seed of what the clients do, beside the number of each.
CROWD_SEED = 7


@dataclass
class Crowd:
    """What the clients met.

    Attributes
    ----------
    requests, answers : how many were answered, and how many of these were answers
    errors : replies that should not have come
    backwards : states that were older than one seen before
    wrong : answers in the end that differ from what was given, or that nobody gave
    """

    requests: int = 0
    answers: int = 0
    errors: list[str] = field(default_factory=list)
    backwards: int = 0
    wrong: int = 0


def crowd(
    source: Path, truth: Sequence[str], labels: tuple[str, str], *, clients: int, seconds: float
) -> Crowd:
    """Let clients answer, look, search and list, all at once."""
    served = Served(source, labels)
    end = time.monotonic() + seconds
    try:
        with ThreadPoolExecutor(clients) as threads:
            parts = list(threads.map(lambda n: _one(served.port, truth, n, end), range(clients)))
        given: dict[int, str] = {}
        for _, said in parts:
            given.update(said)
        total = Crowd()
        for found, _ in parts:
            total.requests += found.requests
            total.answers += found.answers
            total.errors += found.errors
            total.backwards += found.backwards
        total.wrong = _wrong(Client(served.port), given)
    finally:
        served.kill()
    return total


def _one(port: int, truth: Sequence[str], number: int, end: float) -> tuple[Crowd, dict[int, str]]:
    """Do what one client does until the time is over."""
    rng, client = np.random.default_rng([CROWD_SEED, number]), Client(port)
    found, given, version, count = Crowd(), dict[int, str](), 0, 0
    while time.monotonic() < end:
        kind = rng.random()
        found.requests += 1
        if kind < 0.4:
            example = int(rng.integers(len(truth)))
            body = {"request": f"c{number}-{count}", "example": example, "label": truth[example]}
            count += 1
            status, reply = client.post("/api/answer", **body)
            if status == 200:
                given[example] = truth[example]
                found.answers += 1
                version = max(version, int(reply["version"]))
            else:
                found.errors.append(f"{status} {reply}")
        elif kind < 0.8:
            state = client.get("/api/state")
            found.backwards += state["version"] < version
            version = max(version, state["version"])
        elif kind < 0.9:
            client.get("/api/search", q=str(rng.integers(100)), limit=5)
        else:
            client.get("/api/answers", limit=5)
    client.close()
    return found, given


def _wrong(client: Client, given: dict[int, str]) -> int:
    """Count differences between what was given and what the server holds."""
    held: dict[int, str] = {}
    while True:
        part = client.get("/api/answers", offset=len(held), limit=100)
        held.update({one["card"]["example"]: one["label"] for one in part["items"]})
        if len(held) >= part["total"] or not part["items"]:
            break
    return sum(held.get(example) != label for example, label in given.items()) + sum(
        example not in given for example in held
    )
