"""The library: generated calls of all that is public, Ctrl-C, threads, forks, pickles and copies.

Only documented exceptions, no call that hangs, and after every exception the same next question and
votes as before. It runs in a process of its own, which may use so much memory and no more, and ends
when a call takes too long: what crashes or hangs there is seen here.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

import aluma
from aluma.lab.bench.attack_calls import (
    CALLS,
    FEATURES,
    LABELS,
    Calls,
    called,
    methods,
    permitted,
    same,
    state,
    used,
    written,
)
from aluma.lab.bench.attack_interrupts import changes, in_a_session, interrupted, signalled
from aluma.lab.bench.attack_tally import Tally

#: Seconds that a call may take, and memory that the process may use.
MOST_SECONDS, MOST_BYTES = 30, 6 * 2**30
#: For many calls together, or for code that has to be compiled first.
LONG = 600
#: Instructions at which other changes than a plain answer are interrupted.
INSTRUCTIONS = 120


def library(folder: Path, number: int, seed: int) -> Iterator[Tally]:
    """Make so many calls, and interrupt changes in proportion."""
    code = "from aluma.lab.bench import attack_library; attack_library.main()"
    with (folder / "errors").open("w+", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([str(folder), number, seed]) + "\n")
        process.stdin.close()
        for line in process.stdout:
            yield Tally(**json.loads(line))
        process.stdout.close()
        if process.wait():
            errors.seek(0)
            last = folder / "last"
            where = last.read_text("utf-8") if last.exists() else "the start"
            crashed = Tally("the process that calls the library")
            crashed.fail(f"ended with {process.returncode} in {where}: {errors.read()[-2000:]}")
            yield crashed


def main() -> None:
    """Attack the library in this process, and write what became of it."""
    where, number, seed = json.loads(sys.stdin.readline())
    folder, rng = Path(where), np.random.default_rng(seed)
    # What calls print, such as bars of progress, goes elsewhere.
    report = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    _limit_memory()
    warnings.simplefilter("ignore")
    watch = Watch(folder / "last")
    share = min(1.0, number / 10_000)
    calls = Calls(rng, folder)
    _say(report, _made(calls, number // 3, watch))
    _say(report, _methods(calls, number - number // 3, watch))
    for place, change in enumerate(changes()):
        most = 10**6 if place == 0 else INSTRUCTIONS
        watch.at(change.name, LONG)
        _say(
            report,
            interrupted(change, most if share == 1 else max(8, int(INSTRUCTIONS * share)), rng),
        )
    watch.at("Ctrl-C in a session", LONG)
    for tally in in_a_session(folder, 10**6 if share == 1 else max(8, int(100 * share)), rng):
        _say(report, tally)
    watch.at("signals and threads", LONG)
    _say(report, signalled(folder, max(10, int(200 * share)), rng))
    _say(report, _threads(folder, max(1, int(10 * share))))
    # Its thread would not be there in a forked process.
    watch.end()
    if hasattr(os, "fork"):
        _say(report, _forks(folder, max(2, int(30 * share))))


class Watch:
    """Writes down what is being called, and ends the process if that takes too long.

    Counted is what the process works, for the machine may be busy; and, so that waiting for ever is
    noticed too, ten times that on the clock.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("w+", encoding="utf-8", errors="backslashreplace")
        if hasattr(signal, "SIGPROF"):
            faulthandler.register(signal.SIGPROF, chain=True)

    def at(self, text: str, seconds: float = MOST_SECONDS) -> None:
        """Begin with a call."""
        self._file.seek(0)
        self._file.truncate()
        self._file.write(text)
        self._file.flush()
        if hasattr(signal, "SIGPROF"):
            signal.setitimer(signal.ITIMER_PROF, seconds)
        faulthandler.dump_traceback_later(10 * seconds, exit=True)

    def end(self) -> None:
        """Watch no longer."""
        if hasattr(signal, "SIGPROF"):
            signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()


def _made(calls: Calls, number: int, watch: Watch) -> Tally:
    """Call classes and functions."""
    tally, callables = Tally("calls: classes and functions"), list(calls.made())
    for attempt in range(number):
        name, function = callables[attempt % len(callables)]
        positional, named = calls.arguments(function)
        text = written(name, positional, named)
        watch.at(text)
        found = _judged(tally, text, partial(_called, function, positional, named))
        if isinstance(found, aluma.Session):
            found.close()
    return tally


def _methods(calls: Calls, number: int, watch: Watch) -> Tally:
    """Call methods and properties in any order; compare what they are called of."""
    tally = Tally("calls: methods and properties")
    while tally.tried < number:
        subjects = calls.subjects()
        while (subject := _next(subjects, watch)) is not None:
            before = state(subject)
            names = methods(subject)
            for _ in range(CALLS if before is not None else 5):
                name = names[calls.rng.integers(len(names))]
                text, act = called(subject, name, calls)
                watch.at(text)
                raised = _judged(tally, text, act) is _RAISED
                now = state(subject)
                if raised and not same(now, before):
                    tally.fail(f"{text} raised, and left something changed")
                before = now
            if isinstance(subject, aluma.Session):
                subject.close()
    return tally


def _called(function: Callable[..., Any], positional: list[Any], named: dict[str, Any]) -> Any:
    return used(function(*positional, **named))


def _next(subjects: Iterator[Any], watch: Watch) -> Any:
    """Make the next object to call; code may have to be compiled for it."""
    watch.at("making what is called", LONG)
    return next(subjects, None)


_RAISED = object()


def _judged(tally: Tally, text: str, act: Callable[[], Any]) -> Any:
    """Make a call, and count how it ended."""
    try:
        found = act()
    except Exception as error:  # noqa: BLE001 - which exceptions there are is the question
        if permitted(error, text):
            tally.count("documented exception")
        else:
            tally.fail(f"{text}: {type(error).__name__}: {error}"[:600])
        return _RAISED
    tally.count("returned")
    return found


def _threads(folder: Path, rounds: int) -> Tally:
    """Let threads answer one session at once; every answer must be in it once."""
    tally = Tally("threads on one session")
    X = np.random.default_rng(2).standard_normal((80, FEATURES))
    for one in range(rounds):
        path = folder / f"threads-{one}.aluma"
        errors: list[Exception] = []
        with aluma.Session.create(path, X, strategy="passive", classes=LABELS[:2]) as session:

            def work(first: int, session: aluma.Session = session, errors: Any = errors) -> None:
                try:
                    for i in range(first, 40, 4):
                        session.tell(i, LABELS[int(X[i, 0] > 0)], request=f"r{i}")
                        session.tell(i, LABELS[int(X[i, 0] > 0)], request=f"r{i}")
                        session.predict(), session.ask(), session.phase
                except Exception as error:  # noqa: BLE001 - none may come
                    errors.append(error)

            workers = [threading.Thread(target=work, args=(first,)) for first in range(4)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
        with aluma.Session.open(path, X) as again:
            if errors or sorted(again.answered.tolist()) != list(range(40)):
                tally.fail(f"{errors[:1]}, {len(again.answered)} answers of 40")
            else:
                tally.count("every answer once", 40)
    return tally


def _forks(folder: Path, rounds: int) -> Tally:
    """Fork a process that has a session open: the child may look, and not write."""
    tally = Tally("a forked process")
    X = np.random.default_rng(3).standard_normal((2 * rounds + 40, FEATURES))
    path = folder / "forks.aluma"
    with aluma.Session.create(path, X, n_hypotheses=300, classes=LABELS[:2]) as session:
        for one in range(rounds):
            i = int(session.ask())
            child = os.fork()
            if child == 0:
                os._exit(_child(session, i, close=one % 2 == 0))
            _, status = os.waitpid(child, 0)
            if os.waitstatus_to_exitcode(status) == 0:
                tally.count("the child looked, and could not write")
            else:
                tally.fail(f"the child ended with {os.waitstatus_to_exitcode(status)}")
            session.tell(i, LABELS[int(X[i, 0] > 0)])
        told = session.answered.tolist()
    with aluma.Session.open(path, X) as again:
        if again.answered.tolist() != told:
            tally.fail("the file holds other answers")
    return tally


def _child(session: aluma.Session, asked: int, close: bool) -> int:
    """Try what a forked child may not do, and what it may; return 0 if all is well."""
    signal.alarm(MOST_SECONDS)
    try:
        if session.ask() != asked or len(session.predict()) != len(session.pool):
            return 2
        session.fork().tell(asked, "yes")
        writes: tuple[Callable[[], None], ...] = (
            lambda: session.tell(asked, "yes"),
            lambda: session.keep_beside({"note": "x"}),
            lambda: session.remember(["r"]),
        )
        for write in writes:
            try:
                write()
                return 3
            except aluma.SessionError:
                continue
        if close:
            session.close()
    except Exception:  # noqa: BLE001 - whatever it is, it is wrong
        return 4
    return 0


def _limit_memory() -> None:
    with contextlib.suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def _say(report: IO[str], tally: Tally) -> None:
    report.write(json.dumps(asdict(tally)) + "\n")
    report.flush()
