"""Ctrl-C at every bytecode: a tracer raises KeyboardInterrupt in the middle of a change.

What was interrupted must be as it was, or changed as a whole; and when it is told again, it must go
on as if nothing had been. Interrupted is the library's own code, at every instruction that a change
comes by (where it first does) and at some later ones. The file that limits BLAS is left out: Python
itself looks for signals at calls and jumps only, and never where a tracer could leave that lock
locked. Real signals, at random moments, do not leave it out.
"""

from __future__ import annotations

import copy
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import aluma
from aluma.lab.bench.attack_calls import FEATURES, HYPOTHESES, LABELS, SIZE, same, state
from aluma.lab.bench.attack_tally import Tally

#: Code that is interrupted, and what of it is not.
OWN, NOT = str(Path(aluma.__file__).parent), ("blas.py", f"{os.sep}lab{os.sep}")
#: Seconds after which a signal is sent, at most.
LONGEST_DELAY = 0.03
#: Instructions at which other changes of a session than an answer are interrupted, at most.
OTHERS = 120
#: Every so many interruptions, what was interrupted is done again.
AGAIN = 4


@dataclass(frozen=True)
class Change:
    """Something that changes an object, and how to have one to change."""

    name: str
    fresh: Callable[[], Any]
    act: Callable[[Any], Any]


class Tracer:
    """Lists the instructions of the library's own code that are come by, or interrupts at one.

    Parameters
    ----------
    at : which of them to interrupt at, counted from 0; None only lists them
    """

    def __init__(self, at: int | None = None) -> None:
        self.seen: list[tuple[CodeType, int]] = []
        self._at, self._count = at, 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> Tracer | None:
        """Follow a frame of ours from instruction to instruction."""
        if event == "call":
            name = frame.f_code.co_filename
            if not name.startswith(OWN) or any(part in name for part in NOT):
                return None
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        elif event == "opcode":
            if self._at is None:
                self.seen.append((frame.f_code, frame.f_lasti))
            elif self._count == self._at:
                raise KeyboardInterrupt
            self._count += 1
        return self

    def run(self, act: Callable[[], Any]) -> bool:
        """Let something happen under its eyes, and say whether it was interrupted."""
        before = sys.gettrace()
        sys.settrace(self)
        try:
            act()
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
        return False


def changes() -> list[Change]:
    """Return what is interrupted: every change of a learner, a session, an audit and a space."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((SIZE, FEATURES))
    told = [(i, LABELS[int(X[i, 0] > 0)]) for i in range(6)]

    def learner(name: str, **settings: Any) -> Callable[[], Any]:
        made = getattr(aluma, name)(X, bias=True, **settings)
        for i, label in told[:4]:
            made.tell(i, label)
        state(made)
        return made.fork  # type: ignore[no-any-return]

    def new_space() -> Any:
        space = aluma.VersionSpace(FEATURES)
        space.add(X[:3], [1 if x > 0 else -1 for x in X[:3, 0]])
        return space

    audit = aluma.Audit([label for _, label in told] * 4)
    few = {"n_hypotheses": HYPOTHESES, "classes": LABELS[:2]}
    # A plain vote may begin to check labels soon; one without classes meets a third.
    main = learner("ALuMA", **few, promise="credible")
    open_ended = learner("ALuMA", n_hypotheses=HYPOTHESES)
    tell = lambda one: one.tell(*told[4])  # noqa: E731
    found = [
        Change("ALuMA.tell", main, tell),
        Change("ALuMA.tell, checking", learner("ALuMA", **few, tolerance=0.6), lambda one: one.tell(
            int(one.ask()), "yes")),
        Change("ALuMA.tell, arrays", main, lambda one: one.tell([4, 5], [told[4][1], told[5][1]])),
        Change("ALuMA.tell, a new class", open_ended, lambda one: one.tell(4, "perhaps")),
        Change("ALuMA.undo", main, lambda one: one.undo()),
        Change("ALuMA.change", main, lambda one: one.change(*_other(told[3]))),
        Change("ALuMA.skip", main, lambda one: one.skip(9)),
        Change("Audit.tell", audit.fork, lambda one: one.tell(one.ask(), "yes")),
        Change("Audit.undo", lambda: _told(audit), lambda one: one.undo()),
        Change("VersionSpace.add", new_space, lambda one: one.add(X[4], 1 if X[4, 0] > 0 else -1)),
        *(Change(f"{name}.tell", learner(name, **few), tell)
          for name in ("CAL", "QueryByCommittee", "SimpleMargin", "Passive")),
        Change("IWAL.tell", learner("IWAL", classes=LABELS[:2]), tell),
    ]  # fmt: skip
    return found


def interrupted(
    change: Change, most: int, rng: np.random.Generator, within: Collection[str] = ()
) -> Tally:
    """Interrupt a change at every instruction that it comes by, or at so many.

    With the names of functions, at those within these only.
    """
    tally = Tally(f"Ctrl-C in {change.name}")
    listing = Tracer()
    done = change.fresh()
    before = state(done)
    listing.run(lambda: change.act(done))
    after = state(done)
    for place in _places(listing.seen, most, rng):
        if within and listing.seen[place][0].co_name not in within:
            continue
        one = change.fresh()
        stopped = Tracer(place).run(lambda one=one: change.act(one))  # type: ignore[misc]
        _judge(tally, change, one, before, after, _where(listing.seen[place]), stopped)
    return tally


def in_a_session(folder: Path, most: int, rng: np.random.Generator) -> Iterator[Tally]:
    """Interrupt the changes of a session; its file must say what it says itself."""
    X = np.random.default_rng(1).standard_normal((SIZE, FEATURES))
    kept, copied = folder / "sound.aluma", folder / "interrupted.aluma"
    told = [(i, LABELS[int(X[i, 0] > 0)]) for i in range(5)]
    with aluma.Session.create(kept, X, strategy="passive", classes=LABELS[:2]) as session:
        for i, label in told[:4]:
            session.tell(i, label, request=f"r{i}")

    def fresh() -> aluma.Session:
        for old in folder.glob("interrupted.aluma*"):
            old.unlink()
        shutil.copy(kept, copied)
        return aluma.Session.open(copied, X)

    changes = (
        Change("Session.tell", fresh, lambda one: one.tell(*told[4], request="r4")),
        Change("Session.undo", fresh, lambda one: one.undo()),
        Change("Session.change", fresh, lambda one: one.change(*_other(told[3]))),
        Change("Session.keep_beside", fresh, lambda one: one.keep_beside({"note": "x"})),
    )
    for place, change in enumerate(changes):
        yield _interrupted_session(change, most if place == 0 else min(most, OTHERS), rng, X)


def _interrupted_session(
    change: Change, most: int, rng: np.random.Generator, X: np.ndarray[Any, Any]
) -> Tally:
    tally, listing = Tally(f"Ctrl-C in {change.name}"), Tracer()
    done = change.fresh()
    before = state(done)
    listing.run(lambda: change.act(done))
    after = state(done)
    done.close()
    for place in _places(listing.seen, most, rng):
        one, where = change.fresh(), _where(listing.seen[place])
        stopped = Tracer(place).run(lambda one=one: change.act(one))  # type: ignore[misc]
        now = state(one)
        one.close()
        with aluma.Session.open(one.path, X) as again:
            if not same(state(again), now):
                tally.fail(f"the file says something else, after {where}")
            elif same(now, after):
                tally.count("changed as a whole" if stopped else "not interrupted")
            elif same(now, before):
                tally.count("as it was")
            else:
                tally.fail(f"half changed at {where}")
    return tally


def _judge(
    tally: Tally, change: Change, one: Any, before: Any, after: Any, where: str, stopped: bool
) -> None:
    """See that an object is as it was, or as it was to become, and goes on as it would have."""
    now = state(one)
    if same(now, after) and not same(before, after):
        tally.count("changed as a whole" if stopped else "not interrupted")
        return
    if not same(now, before):
        tally.fail(f"half changed at {where}")
        return
    if tally.tried % AGAIN:
        tally.count("as it was")
        return
    change.act(one)
    if same(state(one), after):
        tally.count("as it was")
    else:
        tally.fail(f"it went on otherwise, after {where}")


def _places(seen: list[tuple[CodeType, int]], most: int, rng: np.random.Generator) -> list[int]:
    """Return where to interrupt: at every instruction once, and at some later times."""
    first: dict[tuple[CodeType, int], int] = {}
    for place, one in enumerate(seen):
        first.setdefault(one, place)
    chosen = sorted(first.values())
    if len(chosen) > most:
        return sorted(rng.choice(chosen, most, replace=False).tolist())
    again = rng.integers(len(seen), size=min(len(chosen) // 4, most - len(chosen)))
    return [*chosen, *again.tolist()]


def _where(one: tuple[CodeType, int]) -> str:
    code, offset = one
    return f"{Path(code.co_filename).name}, {code.co_name}, instruction {offset // 2}"


def signalled(folder: Path, number: int, rng: np.random.Generator) -> Tally:
    """Send real signals while a session is told answers; the file must say what it says."""
    tally = Tally("Ctrl-C by signals: session")
    X = rng.standard_normal((4 * number + 10, FEATURES))
    path = folder / "signals.aluma"
    session = aluma.Session.create(path, X, strategy="passive", classes=LABELS[:2])
    # A process in the background may have been told to ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    for _ in range(number):
        told = session.n_answers
        example = int(np.setdiff1d(np.arange(len(X)), session.answered)[0])
        label = LABELS[int(X[example, 0] > 0)]
        if not _signal(lambda e=example, y=label: session.tell(e, y), rng):  # type: ignore[misc]
            tally.count("not interrupted")
            continue
        kept = len(session.log)
        if session.n_answers not in (told, told + 1) or session.n_answers != kept:
            tally.fail(f"{session.n_answers} answers, {kept} in the log, {told} before")
            continue
        tally.count("as it was" if session.n_answers == told else "changed as a whole")
    signal.signal(signal.SIGINT, before)
    answers = session.answered.tolist()
    session.close()
    with aluma.Session.open(path, X) as again:
        if again.answered.tolist() != answers:
            tally.fail("the file holds other answers than the session did")
    return tally


def _signal(act: Callable[[], Any], rng: np.random.Generator) -> bool:
    """Do something while a Ctrl-C is on its way, and say whether it came in between."""
    ended = threading.Event()

    def send(after: float) -> None:
        time.sleep(after)
        if not ended.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send, args=(float(rng.uniform(0, LONGEST_DELAY)),))
    came = False
    try:
        try:
            sender.start()
            act()
        finally:
            ended.set()
            # One that is just being sent comes while this waits for it.
            sender.join()
            time.sleep(0)
    except KeyboardInterrupt:
        came = True
    sender.join()
    return came


def _other(told: tuple[int, str]) -> tuple[int, str]:
    index, label = told
    return index, LABELS[1 - LABELS.index(label)]


def _told(audit: aluma.Audit) -> aluma.Audit:
    one = copy.copy(audit.fork())
    one.tell(one.ask(), "no")
    return one
