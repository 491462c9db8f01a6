"""Pages as processes, killed within a request: of labels, of several people, of checks, of others.

One process imports everything and forks a page for each attack, so that a kill costs little; among
them is the backend that Label Studio connects to. Whoever answers repeats a request by its name
until there is a receipt. After every kill the file is looked at: each receipt must be in it once,
and at most the one request beside them that was on its way.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import numpy as np

from aluma.app import check_file, notes
from aluma.app.api import application
from aluma.app.check_api import check_application
from aluma.app.check_desk import CheckDesk
from aluma.app.check_log import CheckLog
from aluma.app.opening import Wanted, opened
from aluma.app.people import tokens
from aluma.app.people.begin import Wish
from aluma.app.server import serve, take
from aluma.errors import BadInput, SessionError
from aluma.lab.bench.attack_studio import CONFIG, Studio
from aluma.lab.bench.attack_tally import Tally
from aluma.lab.bench.attack_tricks import TOKEN
from aluma.promises.audit import Audit
from aluma.session.answer_file import AnswerFile

#: Rows of a file, answers after which another is begun, and hypotheses.
ROWS, MOST_ANSWERS, HYPOTHESES = 160, 36, 64
#: Seconds after a request at which the page is killed, at most.
LONGEST_DELAY = 0.03
#: Requests before the one that meets a kill, at most.
FEW = 3
PEOPLE, LABELS = ("anna", "ben"), ("a", "b", "c")
#: Which part of all kills each kind of page gets.
KILLED = {
    "page": 10,
    "page of two people": 20,
    "page of checks": 10,
    "Label Studio's backend": 40,
}


# -- the process that is killed ------------------------------------------------------------------


def forks() -> None:
    """Fork a page for every line, and say when it is open and when it is dead."""
    for line in sys.stdin:
        kind, folder, more = json.loads(line)
        child = os.fork()
        if child == 0:
            with suppress(BaseException):
                SERVED[kind](Path(folder), more)
            os._exit(1)
        _say(f"child {child}")
        os.waitpid(child, 0)
        _say("dead")


def _say(text: str) -> None:
    os.write(1, f"{text}\n".encode())


def _serve_labels(folder: Path, _: str, people: Wish | None = None) -> None:
    wanted = Wanted(
        folder / "points.csv", folder / "s.aluma", answers=LABELS, hypotheses=HYPOTHESES,
        people=people,
    )  # fmt: skip
    found = opened(wanted)
    place = take(port=0, token=TOKEN)
    _say(f"port {place.listener.getsockname()[1]}")
    serve(partial(application, found.desk, found.features), found.desk, place)


def _serve_people(folder: Path, more: str) -> None:
    _serve_labels(folder, more, Wish(PEOPLE, asks=False, token=TOKEN))


def _serve_checks(folder: Path, _: str) -> None:
    desk = CheckDesk(_log(folder), _checked(folder), _checked(folder).examples())
    place = take(port=0, token=TOKEN)
    _say(f"port {place.listener.getsockname()[1]}")
    serve(partial(check_application, desk), desk, place)


def _serve_studio(folder: Path, address: str) -> None:
    import uvicorn

    # The lab and the adapters do not know each other.
    made = import_module("aluma.adapters.label_studio.backend")
    place = take(port=0, token=TOKEN)
    _say(f"port {place.listener.getsockname()[1]}")
    backend = made.Backend(folder, address=address, token="t", say=lambda _: None)
    app = made.application(backend, TOKEN)
    config = uvicorn.Config(app, log_level="critical", access_log=False, lifespan="off")
    uvicorn.Server(config).run(sockets=[place.listener])


SERVED: dict[str, Callable[[Path, str], None]] = {
    "page": _serve_labels,
    "page of two people": _serve_people,
    "page of checks": _serve_checks,
    "Label Studio's backend": _serve_studio,
}


# -- what is in its file -------------------------------------------------------------------------


def _found_labels(folder: Path) -> list[Any]:
    """Return who said what, in order, and all notes."""
    if not (folder / "s.aluma").exists():
        return []
    file = AnswerFile.open(folder / "s.aluma")
    file.close()
    said = [(one.who, one.example, one.label) for one in file.entries if one.kind == "say"]
    told = [("", one.example, one.label) for one in file.entries if one.kind == "tell"]
    noted = [("note", example, text) for example, text in notes.of_texts(file.beside).items()]
    # What people say is told to the learner too, once that has its turn.
    return [*(said or told), *noted]


def _found_checks(folder: Path) -> list[Any]:
    with _log(folder) as log:
        told = zip(log.audit.checked.tolist(), log.audit.answers, strict=True)
        return [("", example, str(label)) for example, label in told]


def _found_studio(folder: Path) -> list[Any]:
    """Return what the session has learnt from; there must be one session only."""
    made = sorted(folder.glob("project-1-*.aluma"))
    if len(made) > 1:
        raise SessionError(f"there are {len(made)} sessions of one project")
    found = []
    for path in made:
        file = AnswerFile.open(path)
        file.close()
        found += [("", one.example, one.label) for one in file.entries]
    return found


FOUND: dict[str, Callable[[Path], list[Any]]] = {
    "page": _found_labels,
    "page of two people": _found_labels,
    "page of checks": _found_checks,
    "Label Studio's backend": _found_studio,
}


def _checked(folder: Path) -> check_file.CheckFile:
    return check_file.read(folder / "points.csv", "label")


def _log(folder: Path) -> CheckLog:
    file = _checked(folder)
    audit = Audit(file.labels, tolerance=0.0)
    return CheckLog(folder / "checks.jsonl", {"file": file.digest}, audit)


# -- whoever answers, and kills ------------------------------------------------------------------


class Forks:
    """The process that forks pages, and one page at a time."""

    def __init__(self) -> None:
        code = "from aluma.lab.bench import attack_pages; attack_pages.forks()"
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in: IO[str] = self._process.stdin
        self._out: IO[str] = self._process.stdout
        self.child, self.port, self.dead = 0, 0, True

    def begin(self, kind: str, folder: Path, more: str = "") -> None:
        """Fork a page, and wait until it can be asked."""
        self._in.write(json.dumps([kind, str(folder), more]) + "\n")
        self._in.flush()
        self.child, self.port, self.dead = 0, 0, False
        while not (self.child and self.port):
            self._hear()
            if self.dead:
                raise RuntimeError(f"the {kind} did not start")

    def kill(self) -> None:
        """Kill the page; it may be dead already."""
        with suppress(ProcessLookupError):
            os.kill(self.child, signal.SIGKILL)

    def rest(self) -> None:
        """Wait until it is dead."""
        while not self.dead:
            self._hear()

    def close(self) -> None:
        """End the process."""
        if not self.dead:
            self.kill()
            self.rest()
        self._in.close()
        self._process.wait(30)
        self._out.close()

    def _hear(self) -> None:
        line = self._out.readline()
        if not line:
            raise RuntimeError("the process that forks pages is gone")
        said = line.split()
        if said[0] == "dead":
            self.dead = True
        elif said[0] in ("child", "port"):
            setattr(self, said[0], int(said[1]))


@dataclass
class Attacked:
    """A folder that a page works in, and the receipts that there were."""

    kind: str
    folder: Path
    studio: Studio | None = None
    receipts: list[Any] = field(default_factory=list)
    number: int = 0
    #: Receipts that must be in the file; the backend may learn others when it meets Label Studio.
    due: int = 0

    @property
    def more(self) -> str:
        """What the page is told besides its folder."""
        return "" if self.studio is None else self.studio.address

    def request(self, forks: Forks) -> tuple[str, dict[str, Any], str, Any]:
        """Return the next request: its path, body and token, and what it leaves in the file."""
        i, label = self.number, LABELS[self.number % 3]
        if self.kind == "Label Studio's backend":
            assert self.studio is not None
            task = self.studio.first + i
            event = self.studio.annotate(task, LABELS[i % 3])
            return f"/{TOKEN}/webhook", event, "", ("", i, label)
        if self.kind == "page of checks":
            i = int(_ask(forks.port, "GET", "/api/state", TOKEN)[1]["question"]["example"])
        body = {"request": f"r{self.number}", "example": i, "label": label}
        if self.kind == "page" and self.number % 4 == 3:
            del body["label"]
            noted = f"note {self.number}"
            return "/api/note", {**body, "text": noted}, TOKEN, ("note", i, noted)
        if self.kind == "page of two people":
            who = PEOPLE[self.number % 2]
            key = tokens.key_of(self.folder / "s.aluma", TOKEN)
            return "/api/answer", body, tokens.token(key, who), (who, i, label)
        return "/api/answer", body, TOKEN, ("", i, label)


def pages(folder: Path, kills: int, rng: np.random.Generator) -> Iterator[Tally]:
    """Kill each kind of page so often, in proportion."""
    forks = Forks()
    try:
        for kind, part in KILLED.items():
            if kind == "Label Studio's backend" and find_spec("httpx") is None:
                continue
            yield _killed(forks, folder / kind.replace(" ", "-"), kind, max(2, kills // part), rng)
    finally:
        forks.close()


def _killed(forks: Forks, place: Path, kind: str, number: int, rng: np.random.Generator) -> Tally:
    tally = Tally(f"SIGKILL within a request: {kind}")
    attacked = fresh(place, kind, 0)
    try:
        for attempt in range(number):
            if forks.dead:
                forks.begin(kind, attacked.folder, attacked.more)
                _connect(attacked, forks)
            for _ in range(int(rng.integers(FEW + 1))):
                _receive(attacked, forks, attacked.request(forks))
            wanted = attacked.request(forks)
            delay = float(rng.uniform(0, LONGEST_DELAY))
            killer = threading.Thread(target=_kill_after, args=(forks, delay))
            killer.start()
            kept = _receive(attacked, forks, wanted)
            killer.join()
            forks.rest()
            _judge(attacked, None if kept else wanted[3], tally)
            if not kept:
                # Whoever got no receipt sends it again, by the same name.
                forks.begin(kind, attacked.folder, attacked.more)
                _connect(attacked, forks)
                if not _receive(attacked, forks, wanted):
                    tally.fail(f"{wanted[3]} was never taken")
            if len(attacked.receipts) > MOST_ANSWERS:
                forks.kill()
                forks.rest()
                _end(attacked, tally)
                attacked = fresh(place, kind, attempt + 1)
    finally:
        if not forks.dead:
            forks.kill()
            forks.rest()
        _end(attacked, tally)
    return tally


def _end(attacked: Attacked, tally: Tally) -> None:
    """Look at a file for the last time."""
    _judge(attacked, None, tally, counts=False)
    if attacked.studio is not None:
        attacked.studio.close()


def _kill_after(forks: Forks, delay: float) -> None:
    time.sleep(delay)
    forks.kill()


def _receive(attacked: Attacked, forks: Forks, wanted: tuple[str, Any, str, Any]) -> bool:
    """Send a request, and say whether there is a receipt; the first one counts on."""
    path, body, token, left = wanted
    try:
        status, reply = _ask(forks.port, "POST", path, token, body)
    except (OSError, http.client.HTTPException):
        return False
    if status != 200:
        raise RuntimeError(f"{path} {body} was refused: {status} {reply}")
    attacked.receipts.append(left)
    attacked.number += 1
    return True


def _ask(port: int, method: str, path: str, token: str, body: Any = None) -> tuple[int, Any]:
    one = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        headers = {"content-type": "application/json"}
        if token:
            headers["authorization"] = f"Bearer {token}"
        one.request(method, path, None if body is None else json.dumps(body), headers)
        answer = one.getresponse()
        return answer.status, json.loads(answer.read() or b"null")
    finally:
        one.close()


def _connect(attacked: Attacked, forks: Forks) -> None:
    """Let Label Studio connect to its backend, and wait until both have met."""
    if attacked.studio is None:
        return
    setup = {"project": "1.17", "schema": CONFIG, "hostname": attacked.studio.address}
    _ask(forks.port, "POST", f"/{TOKEN}/setup", "", setup)
    for _ in range(1000):
        one = http.client.HTTPConnection("127.0.0.1", forks.port, timeout=60)
        one.request("GET", f"/{TOKEN}/")
        words = one.getresponse().read().decode()
        one.close()
        if "annotations" in words:
            attacked.due = len(attacked.receipts)
            return
        time.sleep(0.02)
    raise RuntimeError(f"Label Studio and its backend never met: {words}")


def _judge(attacked: Attacked, pending: Any, tally: Tally, *, counts: bool = True) -> None:
    """Compare the receipts with what the file holds."""
    try:
        found = FOUND[attacked.kind](attacked.folder)
    except (SessionError, BadInput) as error:
        tally.fail(f"the file cannot be opened: {error}")
        return
    known = [*attacked.receipts, *([] if pending is None else [pending])]
    due = attacked.receipts if attacked.studio is None else attacked.receipts[: attacked.due]
    lost = [one for one in due if one not in found]
    doubled = [one for one in found if found.count(one) > 1]
    invented = [one for one in found if one not in known]
    for what, which in (("lost", lost), ("doubled", doubled), ("invented", invented)):
        if which:
            tally.fail(f"{what}: {which[:3]}")
            return
    if counts:
        tally.count("nothing lost, doubled or invented")


def fresh(place: Path, kind: str, number: int) -> Attacked:
    """Return a new folder for a page."""
    folder = place / str(number)
    folder.mkdir(parents=True)
    points = np.random.default_rng(3).standard_normal((ROWS, 2)).round(3).tolist()
    if kind == "Label Studio's backend":
        return Attacked(kind, folder, Studio(points))
    rows = [f"{a},{b},{LABELS[i % 3]}" for i, (a, b) in enumerate(points)]
    if kind != "page of checks":
        rows = [row[: row.rindex(",")] for row in rows]
    head = "a,b,label" if kind == "page of checks" else "a,b"
    (folder / "points.csv").write_text("\n".join([head, *rows]) + "\n")
    return Attacked(kind, folder)
