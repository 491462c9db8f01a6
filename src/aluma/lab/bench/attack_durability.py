"""Durability: processes that answer as fast as they can, killed, stopped and out of room.

One process imports everything and forks a child for each attack. A child begins with the answer
that the last one may or may not have kept, by the same name, as a page does that got no reply. Then
every acknowledged answer must be in the file once, in order, and nothing else.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from aluma.app.answers import LIST
from aluma.app.check_log import CheckLog
from aluma.errors import BadInput, SessionError
from aluma.lab.bench.attack_tally import Tally
from aluma.promises.audit import Audit
from aluma.session import Session, answer_log
from aluma.session.answer_file import AnswerFile

#: Answers after which a file is left and another begun.
MOST_ANSWERS = 300
POOL, DIMENSION = 2 * MOST_ANSWERS, 3
#: Seconds after some answers at which a child is killed, at most.
LONGEST_DELAY, LONGEST_MOVE = 0.02, 0.3
#: Every so many attacks, a second process tries to open the file meanwhile.
SECOND = 5
ABOUT = {"file": "x", "tolerance": 0.0}
LABELS = ("no", "yes")
#: Answers in a session that is moved, and what is asked for when answers become more.
MOVED, SECTORS = 12, 6
#: Hypotheses of those that have some.
HYPOTHESES = 64

#: What is killed and how, which part of all kills that is, and the share of the time that it gets.
KILLED = (
    ("session", signal.SIGKILL, 2, 0.35),
    ("checks", signal.SIGKILL, 2, 0.3),
    ("slack", signal.SIGKILL, 10, 0.15),
    ("classes", signal.SIGKILL, 10, 0.15),
    ("session", signal.SIGTERM, 10, 0.05),
)

#: Imports once, then forks a process for every line: kind, path, first number, bytes of room.
SERVER = """
import json, logging, os, resource, signal, sys
from pathlib import Path
import numpy as np
from aluma.app import answers
from aluma.app.check_log import CheckLog
from aluma.app.slack import loosened
from aluma.errors import AlumaError
from aluma.lab.bench import attack_durability as attack
from aluma.session import Session

X = attack.pool()
logging.disable(logging.WARNING)

def stay():
    # Whoever is to be killed keeps the file open until then.
    if room is None:
        signal.pause()

def answer(kind, path, first):
    if kind == "checks":
        with CheckLog(Path(path), dict(attack.ABOUT), attack.audit()) as log:
            os.write(1, b"open\\n")
            for i in range(first, attack.most(kind)):
                if not log.knows(f"r{i}"):
                    log.tell(log.audit.ask(), attack.LABELS[i % 2], f"r{i}")
                os.write(1, b"%d\\n" % i)
            stay()
    elif kind == "slack":
        session = Session.open(path, X)
        os.write(1, b"open\\n")
        for i in range(first, attack.most(kind)):
            if not session.knows(f"r{i}"):
                session = loosened(session, f"r{i}")
            os.write(1, b"%d\\n" % i)
        stay()
    elif kind == "classes":
        with Session.open(path, X) as session:
            os.write(1, b"open\\n")
            for i in range(first, attack.most(kind)):
                listed = answers.written([attack.sector(X[j]) for j in range(i + 1)])
                session.keep_beside(listed)
                session.tell(i, attack.sector(X[i]), request=f"r{i}")
                os.write(1, b"%d\\n" % i)
            stay()
    else:
        with Session.open(path, X) as session:
            os.write(1, b"open\\n")
            for i in range(first, attack.most(kind)):
                session.tell(i, attack.LABELS[int(X[i, 0] > 0)], request=f"r{i}")
                os.write(1, b"%d\\n" % i)
            stay()

for line in sys.stdin:
    kind, path, first, room = json.loads(line)
    child = os.fork()
    if child == 0:
        try:
            if room is not None:
                size = os.path.getsize(path) if os.path.exists(path) else 0
                resource.setrlimit(resource.RLIMIT_FSIZE, (size + room, size + room))
            answer(kind, path, first)
        except (AlumaError, OSError):
            os.write(1, b"refused\\n")
        finally:
            os._exit(1)
    os.write(1, b"child %d\\n" % child)
    os.waitpid(child, 0)
    os.write(1, b"dead\\n")
"""


def pool() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return the examples that are answered."""
    return np.random.default_rng(4).standard_normal((POOL, DIMENSION))


def sector(x: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    """Return one of many answers to an example: there are more and more of them on the way."""
    return f"c{int((np.arctan2(x[1], x[0]) + np.pi) * SECTORS / (2 * np.pi))}"


def most(kind: str) -> int:
    """Return how many answers a file gets; many classes take longer to learn."""
    return MOST_ANSWERS // 15 if kind == "classes" else MOST_ANSWERS


def audit() -> Audit:
    """Return the audit that is answered; it goes on to the last label."""
    return Audit(LABELS * POOL, tolerance=0.0)


@dataclass
class Attacked:
    """A file that is attacked, and how far it is known to have grown."""

    kind: str
    path: Path
    kept: int = 0

    def found(self) -> tuple[int, str | None]:
        """Open the file, and return how many answers it holds, and what is wrong with them."""
        if not self.path.exists():
            return 0, None
        if self.kind == "checks":
            told = audit()
            with CheckLog(self.path, dict(ABOUT), told) as log:
                number = log.version
                right = list(told.answers) == [LABELS[i % 2] for i in range(number)]
                named = all(log.knows(f"r{i}") for i in range(number))
        else:
            file = AnswerFile.open(self.path)
            file.close()
            if self.kind == "slack":
                return _moved(file)
            number, X = len(file.entries), pool()
            said = [sector(x) if self.kind == "classes" else LABELS[int(x[0] > 0)] for x in X]
            right = [(entry.example, entry.label) for entry in file.entries] == [
                (i, said[i]) for i in range(number)
            ]
            named = file.requests == {f"r{i}" for i in range(number)}
            if self.kind == "classes" and number:
                listed = set(json.loads(file.beside.get(LIST, "[]")))
                named = named and set(said[:number]) <= listed
        if not right:
            return number, "answers are doubled or invented"
        return number, None if named else "names of requests are lost"


def _moved(file: AnswerFile) -> tuple[int, str | None]:
    """Say how often a session was moved, and what is wrong with the answers that it has."""
    X, told = pool(), {entry.example: entry.label for entry in answer_log.kept(file.entries)}
    number = sum(name.startswith("r") for name in file.requests)
    if told != {i: LABELS[int(X[i, 0] > 0)] for i in range(MOVED)}:
        return number, "answers are lost, doubled or invented"
    expected = {f"a{i}" for i in range(MOVED)} | {f"r{i}" for i in range(number)}
    return number, None if file.requests == expected else "names of requests are lost"


class Children:
    """The process that forks children, and one child at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in: IO[str] = self._process.stdin
        self._out: IO[str] = self._process.stdout

    def begin(self, attacked: Attacked, room: int | None = None) -> tuple[int, list[str]]:
        """Let a child answer; return its number and what was said until then."""
        line = json.dumps([attacked.kind, str(attacked.path), attacked.kept, room])
        self._in.write(line + "\n")
        self._in.flush()
        said = [self._said()]
        while not any(line.startswith("child") for line in said):
            said.append(self._said())
        return next(int(one.split()[1]) for one in said if one.startswith("child")), said

    def more(self, said: list[str], number: int) -> None:
        """Wait until so many more lines were said, or the child is dead."""
        for _ in range(number):
            if "dead" in said:
                return
            said.append(self._said())

    def rest(self, said: list[str]) -> None:
        """Wait until the child is dead."""
        while "dead" not in said:
            said.append(self._said())

    def close(self) -> None:
        """End the process."""
        self._in.close()
        self._process.wait(30)
        self._out.close()

    def _said(self) -> str:
        line = self._out.readline()
        if not line:
            raise RuntimeError("the process that forks is gone")
        return line.strip()


def durability(
    folder: Path, kills: int, rng: np.random.Generator, *, seconds: float = np.inf
) -> list[Tally]:
    """Kill, stop and starve children so often; give up killing after so many seconds."""
    children = Children()
    try:
        begun = time.monotonic()
        found, spent = [], 0.0
        for kind, how, part, share in KILLED:
            # Time is shared out, or on a busy machine the first would have all of it.
            spent += share * seconds
            found.append(_killed(children, folder, kind, kills // part, rng, how, begun + spent))
        starved = (
            _starved(children, folder, kind, kills // 10, rng) for kind in ("session", "checks")
        )
        return [*found, *starved]
    finally:
        children.close()


def _killed(
    children: Children,
    folder: Path,
    kind: str,
    number: int,
    rng: np.random.Generator,
    how: signal.Signals,
    end: float,
) -> Tally:
    tally, attacked = Tally(f"{how.name}: {kind}"), _fresh(folder, kind, how.name, 0)
    for attempt in range(number):
        if time.monotonic() > end:
            break
        child, said = children.begin(attacked)
        # A moment of the opening, or of an answer after some of them.
        few = 3 if kind == "slack" else 12
        children.more(said, min(int(rng.integers(few)), most(kind) - attacked.kept))
        if attempt % SECOND == 0 and "open" in said and "dead" not in said:
            _second(attacked, tally)
        time.sleep(float(rng.uniform(0, LONGEST_MOVE if kind == "slack" else LONGEST_DELAY)))
        _end(child, how)
        children.rest(said)
        if "refused" in said:
            tally.fail("an answer was refused")
        _judge(attacked, said, tally)
        if attacked.kept >= most(kind) - 1:
            attacked = _fresh(folder, kind, how.name, attempt + 1)
    return tally


def _starved(
    children: Children, folder: Path, kind: str, number: int, rng: np.random.Generator
) -> Tally:
    """Let children answer until files may not grow any more."""
    tally, attacked = Tally(f"no room left: {kind}"), _fresh(folder, kind, "room", 0)
    for attempt in range(number):
        if attacked.path.exists():
            _, said = children.begin(attacked, room=int(rng.integers(20_000)))
            children.rest(said)
        else:
            child, said = children.begin(attacked)
            children.more(said, 4)
            _end(child, signal.SIGKILL)
            children.rest(said)
        _judge(attacked, said, tally)
        if attacked.kept >= most(kind) - 1:
            attacked = _fresh(folder, kind, "room", attempt + 1)
    return tally


def _fresh(folder: Path, kind: str, name: str, number: int) -> Attacked:
    """Return a new file to be attacked."""
    path = folder / f"{kind}-{name}-{number}"
    begin(kind, path)
    return Attacked(kind, path)


def begin(kind: str, path: Path) -> None:
    """Begin a file; one of checks begins by itself."""
    if kind == "session":
        Session.create(path, pool(), strategy="passive", classes=LABELS).close()
    elif kind == "classes":
        Session.create(path, pool(), n_hypotheses=HYPOTHESES, promise="credible").close()
    elif kind == "slack":
        with Session.create(
            path, pool(), classes=LABELS, n_hypotheses=HYPOTHESES, slack=0, promise="credible"
        ) as session:
            for i, x in enumerate(pool()[:MOVED]):
                session.tell(i, LABELS[int(x[0] > 0)], request=f"a{i}")


def _end(child: int, how: signal.Signals) -> None:
    """Send a signal to a child, which may have ended by itself."""
    with suppress(ProcessLookupError):
        os.kill(child, how)


def _second(attacked: Attacked, tally: Tally) -> None:
    """Try to open a file that a child has open."""
    try:
        attacked.found()
        tally.fail("two processes had the file open at once")
    except (SessionError, BadInput) as refused:
        if "in use" in str(refused):
            tally.count("a second process was refused")
        else:
            tally.fail(f"a second process was told: {refused}")


def _judge(attacked: Attacked, said: list[str], tally: Tally) -> None:
    """Compare what was acknowledged with what the file holds."""
    numbers = [int(line) for line in said if line.isdigit()]
    acknowledged = max([attacked.kept, *(number + 1 for number in numbers)])
    try:
        kept, wrong = attacked.found()
    except (SessionError, BadInput) as error:
        tally.fail(f"the file cannot be opened: {error}")
        return
    if wrong is not None:
        tally.fail(wrong)
    elif kept < acknowledged:
        tally.fail(f"{acknowledged - kept} acknowledged answers are lost")
    elif kept > acknowledged + 1:
        tally.fail(f"{kept - acknowledged} answers are there that nobody was told of")
    else:
        tally.count("nothing lost, doubled or invented")
    # The next child repeats the last by its name, which may be in the file already.
    attacked.kept = max(0, kept - 1)
