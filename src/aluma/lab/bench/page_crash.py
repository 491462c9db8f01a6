"""The page's questions answered at machine speed, while the server is killed repeatedly.

The client does what the page does: it answers what is asked, first to teach and then to check,
gives every answer a name, and repeats it until it has a receipt. Afterwards the session's file is
looked at: every acknowledged answer must be in it once. And a learner that nobody killed is told
the same: it must ask the same, or a restart has chosen a check again.
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
from threadpoolctl import threadpool_limits

from aluma.app.opening import Wanted, opened
from aluma.lab.bench.page_client import Client, Served
from aluma.learners.learner import Learner
from aluma.session.recipe import made


@dataclass(frozen=True)
class Kills:
    """How often the server is killed, and among how many of the first questions of each kind.

    Attributes
    ----------
    learning, checking : kills while a question is answered that is learnt from, or a check
    of_questions, of_checks : the questions of either kind that are drawn from
    """

    learning: int
    checking: int
    of_questions: int
    of_checks: int

    def moments(self, rng: np.random.Generator) -> dict[bool, set[int]]:
        """Return which questions meet a kill, counted among those of their kind: not the first."""
        drawn = {
            False: rng.permutation(np.arange(1, self.of_questions))[: self.learning],
            True: rng.permutation(np.arange(1, self.of_checks))[: self.checking],
        }
        return {check: set(places.tolist()) for check, places in drawn.items()}


@dataclass(frozen=True)
class Crashes:
    """What became of the answers.

    Attributes
    ----------
    answers : acknowledged by the server
    checks : how many of them checked a label
    kills, while_checking : times that the server was killed, and of these while a check was
        answered
    lost : acknowledged answers that the file does not hold
    doubled : answers that it holds more than once
    wrong : answers that it holds and nobody gave
    redrawn : questions that an uninterrupted learner does not ask at that place
    """

    answers: int
    checks: int
    kills: int
    while_checking: int
    lost: int
    doubled: int
    wrong: int
    redrawn: int

    @property
    def harmless(self) -> bool:
        """Whether nobody would notice that the server was ever killed."""
        return self.lost == self.doubled == self.wrong == self.redrawn == 0


def hammer(
    source: Path,
    truth: Sequence[str],
    labels: tuple[str, str],
    *,
    answers: int,
    kills: Kills,
    rng: np.random.Generator,
) -> Crashes:
    """Answer what the page asks, and kill the server at random moments within an answer."""
    served = Served(source, labels)
    client = Client(served.port)
    acknowledged: list[tuple[int, str]] = []
    asked, killed = Counter[bool](), Counter[bool]()
    moments = kills.moments(rng)
    try:
        for number in range(answers):
            question = _question(client, served)
            example, check = int(question["example"]), bool(question["check"])
            if asked[check] in moments[check]:
                # Somewhere within an answer: before, while or after it is written.
                killed[check] += 1
                delay = float(rng.uniform(0, 0.03))
                threading.Thread(target=_kill, args=(served.process, delay)).start()
            asked[check] += 1
            _insist(client, served, f"n{number}", example, truth[example])
            acknowledged.append((example, truth[example]))
    finally:
        client.close()
        served.kill()
    found = _audited(source, labels, acknowledged)
    return Crashes(len(acknowledged), asked[True], killed.total(), killed[True], *found)


def _kill(process: subprocess.Popen[str], delay: float) -> None:
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)


def _question(client: Client, served: Served) -> Any:
    """Return what is asked, as soon as that is known."""
    tick = ""
    while True:
        try:
            state = client.get("/api/state", **({"after": tick, "wait": 20} if tick else {}))
        except (OSError, http.client.HTTPException):
            _again(client, served)
            tick = ""
            continue
        if state["question"] is not None:
            return state["question"]
        if state["progress"]["exhausted"]:
            raise RuntimeError("everything has been answered: give a larger pool.")
        tick = state["tick"]


def _insist(client: Client, served: Served, name: str, example: int, label: str) -> None:
    """Send an answer until there is a receipt; start the server again when it is gone."""
    while True:
        try:
            status, reply = client.post("/api/answer", request=name, example=example, label=label)
        except (OSError, http.client.HTTPException):
            _again(client, served)
            continue
        if status != 200:
            raise RuntimeError(f"answer {name} was refused: {reply}")
        return


def _again(client: Client, served: Served) -> None:
    """Start the server again after it was killed."""
    client.close()
    served.kill()
    served.start()


def _audited(
    source: Path, labels: tuple[str, str], acknowledged: list[tuple[int, str]]
) -> tuple[int, int, int, int]:
    """Return how many answers are lost, doubled and wrong in the file, and were asked anew."""
    wanted = Wanted(source, source.with_suffix(".aluma"), no=labels[0], yes=labels[1])
    found = opened(wanted)
    try:
        session = found.desk.session
        log = [(entry.example, entry.label) for entry in session.log]
        alone = made(session.about["strategy"], session.about["settings"], session.pool)
    finally:
        found.desk.close()
    counts: Counter[Any] = Counter(log)
    return (
        sum(one not in counts for one in acknowledged),
        sum(count - 1 for count in counts.values()),
        len(set(log) - set(acknowledged)),
        _redrawn(alone, acknowledged),
    )


def _redrawn(alone: Learner, acknowledged: list[tuple[int, str]]) -> int:
    """Count the questions that a learner which nobody killed does not ask."""
    alone.keep_asking, others = True, 0
    with threadpool_limits(1, user_api="blas"):  # as the server has it
        for example, label in acknowledged:
            others += alone.ask() != example
            alone.tell(example, label)
    return others
