"""Places and clocks: folders and files that may not be written to, and a clock that goes back."""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest import mock

import numpy as np

from aluma.app.check_log import CheckLog
from aluma.arrays import Floats
from aluma.errors import AlumaError
from aluma.lab.bench.attack_tally import Tally
from aluma.promises.audit import Audit
from aluma.session import Session

LABELS = ("no", "yes")
#: Answers before and after.
ANSWERS = 10
#: Version of the structure by which Linux takes rights away (capset(2)).
CAPABILITIES = 0x20080522
ABOUT = {"file": "x"}


def places(folder: Path) -> list[Tally]:
    """Try them all."""
    made = [_clock(folder)]
    if hasattr(os, "fork"):
        made.append(_read_only(folder))
    return made


def _clock(folder: Path) -> Tally:
    """Answer while every look at the clock shows an earlier time, and open the file again."""
    tally, X = Tally("the clock going back"), _pool()
    start, looks = datetime.now(UTC), iter(range(10**6))

    def earlier() -> str:
        return (start - timedelta(hours=next(looks))).isoformat(timespec="milliseconds")

    path = folder / "clock.aluma"
    with mock.patch("aluma.session.session._now", earlier):
        with Session.create(path, X, strategy="passive", classes=LABELS) as session:
            for i in range(ANSWERS):
                session.tell(i, _label(X[i]), request=f"r{i}")
            session.undo()
            session.change(2, _label(-X[2]))
            expected = session.answered.tolist(), session.answers.tolist()
        # The file itself is older than what it says, then newer than there is.
        for seconds in (0, 2**33):
            os.utime(path, (seconds, seconds))
            with Session.open(path, X) as again:
                if (again.answered.tolist(), again.answers.tolist()) == expected:
                    tally.count("the same answers", len(again.log))
                else:
                    tally.fail("other answers")
    return tally


def _read_only(folder: Path) -> Tally:
    """Create, open and answer where nothing may be written, in a process without privileges."""
    tally = Tally("a folder or file that is read-only")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            found = _tried_without_rights(folder)
        except BaseException as error:  # noqa: BLE001 - the child must end here
            found = [f"FAILED {type(error).__name__}: {error}"]
        os.write(writing, json.dumps(found).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        lines = json.loads(pipe.read() or b'["FAILED the process is gone"]')
    os.waitpid(child, 0)
    for line in lines:
        if line.startswith("FAILED"):
            tally.fail(line)
        else:
            tally.count(line)
    return tally


def _tried_without_rights(folder: Path) -> list[str]:
    place, X = folder / "read-only", _pool()
    place.mkdir()
    session, checks = place / "s.aluma", place / "c.jsonl"
    with Session.create(session, X, strategy="passive", classes=LABELS) as made:
        made.tell(0, _label(X[0]))
    with CheckLog(checks, dict(ABOUT), _audit()) as log:
        log.tell(log.audit.ask(), "yes")
    _drop_rights()
    if os.access(folder, os.W_OK) and not _is_bound(place):
        return ["not tried: nothing is read-only for this user"]
    kept = session.read_bytes(), checks.read_bytes()
    attempts: list[tuple[str, Callable[[], object]]] = [
        ("create", lambda: Session.create(place / "new.aluma", X, strategy="passive").close()),
        ("open", lambda: Session.open(session, X).close()),
        ("new checks", lambda: CheckLog(place / "n.jsonl", dict(ABOUT), _audit()).close()),
    ]
    found = [_refused(place, 0o555, name, act) for name, act in attempts]
    found.append(_refused(session, 0o444, *attempts[1]))
    found.append(_refused(checks, 0o444, "checks", lambda: _tell(checks)))
    found += [_while_open(place, session, X)]
    with Session.open(session, X) as again:
        same = again.answered.tolist()[:1] == [0]
    if not same or checks.read_bytes() != kept[1]:
        found.append("FAILED something was lost")
    return found


def _refused(place: Path, mode: int, name: str, act: Callable[[], object]) -> str:
    """Try something where that may not be, and say how it ended."""
    before = place.stat().st_mode
    place.chmod(mode)
    try:
        act()
    except (AlumaError, OSError) as refused:
        told = any(word in str(refused) for word in ("choose", "name", "Make", "right"))
        return "refused, nothing changed" if told else f"FAILED no way out: {refused}"
    finally:
        place.chmod(before)
    return f"FAILED {name} was possible"


def _tell(checks: Path) -> None:
    with CheckLog(checks, dict(ABOUT), _audit()) as log:
        log.tell(log.audit.ask(), "yes")


def _while_open(place: Path, path: Path, X: Floats) -> str:
    """Take the right to write away while a session is open: answers are kept, or refused."""
    with Session.open(path, X) as session:
        place.chmod(0o555)
        try:
            for i in range(1, ANSWERS):
                session.tell(i, _label(X[i]))
        except AlumaError:
            pass
        finally:
            place.chmod(0o755)
        told = session.answered.tolist()
    with Session.open(path, X) as again:
        fits = again.answered.tolist() == told
    return "kept or refused, as it said" if fits else "FAILED the file says something else"


def _is_bound(place: Path) -> bool:
    """Say whether the rights of a folder mean anything to this process."""
    place.chmod(0o555)
    try:
        return not os.access(place, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
    finally:
        place.chmod(0o755)


def _drop_rights() -> None:
    """Be an ordinary user as far as files go: the superuser may write anywhere."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return
    header = (ctypes.c_uint32 * 2)(CAPABILITIES, 0)
    nothing = (ctypes.c_uint32 * 6)()
    ctypes.CDLL(None).capset(header, nothing)


def _pool() -> Floats:
    return np.random.default_rng(8).standard_normal((40, 3))


def _label(x: Floats) -> str:
    return LABELS[int(x[0] > 0)]


def _audit() -> Audit:
    return Audit(LABELS * 20, tolerance=0.0)
