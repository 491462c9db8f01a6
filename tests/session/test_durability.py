"""What was told is on the disk before it is used; what was refused is not."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aluma
from aluma import ALuMA, Conflict, Pool
from aluma.session import (
    Session,
    SessionError,
    SessionLocked,
)
from aluma.session.answer_file import AnswerFile
from sessions import SMALL, TRUTH, X, assert_same, counted_absorptions, crash, told

# What is kept, and when.


@pytest.mark.parametrize(
    "pair", [("no", "yes"), (0, 1), (False, True), (-1.5, 0.1), ("1", 1), ("ä\ud800", "\0'\"")]
)
def test_labels_come_back_as_they_were(path: Path, pair: tuple[Any, Any]) -> None:
    with Session.create(path, X, classes=pair, **SMALL) as session:
        for i in range(6):
            session.tell(i, pair[int(TRUTH[i])])
    with Session.open(path, X) as session:
        assert session.classes_ == pair
        assert [type(label) for label in session.classes_] == [type(label) for label in pair]
        assert [entry.label for entry in session.log] == [pair[int(t)] for t in TRUTH[:6]]


def test_labels_are_learnt_and_forgotten_as_by_a_learner(path: Path) -> None:
    learner = ALuMA(X, **SMALL)
    session = Session.create(path, X, **SMALL)
    for one in (session, learner):
        one.tell(0, "typo")
        one.undo()
        one.tell(1, np.str_("zebra"))
        one.tell(2, "zebra")
        one.change(1, "ant")
        one.change(2, "ant")
    crash(session)
    with Session.open(path, X) as session:
        for one in (session, learner):
            one.tell(3, "yak")
            one.tell(4, "ant")
        assert_same(session._learner, learner)
        assert session.classes_ == ("ant", "yak")
        for one in (session, learner):
            one.undo()
    with Session.open(path, X) as session:
        # From a snapshot, unlike the undoing before.
        for one in (session, learner):
            one.undo()
            one.tell(5, "emu")
        assert_same(session._learner, learner)
        assert session.classes_ == ("ant", "emu")


@pytest.mark.parametrize(
    "label", [b"yes", datetime(2020, 1, 1, tzinfo=UTC), np.inf, 1j, Path("yes")]
)
def test_labels_that_json_cannot_hold_are_refused(path: Path, label: Any) -> None:
    with Session.create(path, X, **SMALL) as session:
        with pytest.raises(TypeError, match="a session keeps labels that are text"):
            session.tell(0, label)
        assert (session.n_answers, session.log) == (0, ())
        session.tell(0, "yes")
        with pytest.raises(TypeError, match="a session keeps labels that are text"):
            session.change(0, label)
        assert len(session.log) == 1
    with pytest.raises(TypeError, match="a session keeps labels that are text"):
        Session.create(path.with_name("other"), X, classes=("no", label))
    assert not path.with_name("other").exists()


def test_the_log_only_grows(path: Path) -> None:
    begun = datetime.now(UTC) - timedelta(milliseconds=1)
    with Session.create(path, X, **SMALL) as session:
        session.tell(4, "a")
        session.tell(5, "a")
        session.skip(6)
        session.undo()
        session.undo()
        session.change(4, "b")
        session.tell(4, "b")  # changes nothing, and is not written
        session.change(4, "b")  # neither is this
        session.skip(4)  # nor this
    with Session.open(path, X) as session:
        kinds = [(entry.kind, entry.example, entry.label) for entry in session.log]
        assert kinds == [
            ("tell", 4, "a"),
            ("tell", 5, "a"),
            ("skip", 6, None),
            ("undo", 6, None),
            ("undo", 5, None),
            ("change", 4, "b"),
        ]
        times = [datetime.fromisoformat(entry.time) for entry in session.log]
        assert times == sorted(times)
        assert begun <= times[0]
        assert times[-1] <= datetime.now(UTC)
        assert all(time.utcoffset() == timedelta(0) for time in times)
    connection = sqlite3.connect(path)
    for statement in ("DELETE FROM event", "UPDATE event SET label = 'a'"):
        with pytest.raises(sqlite3.IntegrityError, match="only grows"):
            connection.execute(statement)
    connection.close()


def test_a_refused_answer_leaves_nothing(path: Path) -> None:
    line = np.array([[1.0, 0.0], [2.0, 0.1], [3.0, -0.1], [0.0, 0.0]])
    narrow = Pool(line, prepared=True)
    with Session.create(path, narrow, classes=("no", "yes"), slack=0, **SMALL) as session:
        session.tell([1, 2], ["yes", "yes"])
        before = session.fork()
        refusals: list[tuple[type[Exception], Any]] = [
            (Conflict, lambda: session.tell(0, "no")),
            (Conflict, lambda: session.tell([0, 1], ["yes", "no"])),
            (ValueError, lambda: session.tell(0, "perhaps")),
            (ValueError, lambda: session.tell(3, "yes")),
            (IndexError, lambda: session.tell(9, "yes")),
            (LookupError, lambda: session.change(0, "yes")),
            (ValueError, lambda: session.change(1, "perhaps")),
            (TypeError, lambda: session.change(1.5, "yes")),
            (IndexError, lambda: session.skip(-1)),
        ]
        for expected, attempt in refusals:
            with pytest.raises(expected):
                attempt()
            assert_same(session._learner, before)
            assert len(session.log) == 2
    with Session.open(path, narrow) as session:
        assert_same(session._learner, before)
        session.undo()
        session.undo()
        with pytest.raises(LookupError, match="no answer to take back"):
            session.undo()


def test_an_answer_is_on_the_disk_before_it_is_used(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int]] = []
    original = AnswerFile.append
    with Session.create(path, X, **SMALL) as session:

        def spy(self: AnswerFile, *entries: Any) -> None:
            original(self, *entries)
            # As another process would find it after a crash at this moment.
            shutil.copy(path, path.with_name("copy"))
            connection = sqlite3.connect(path.with_name("copy"))
            stored = connection.execute("SELECT count(*) FROM event").fetchone()[0]
            connection.close()
            seen.append((stored, session.n_answers))

        monkeypatch.setattr(AnswerFile, "append", spy)
        for i in range(4):
            session.tell(i, TRUTH[i])
        assert seen == [(1, 0), (2, 1), (3, 2), (4, 3)]
        pragmas = [session._file._pragma(name) for name in ("synchronous", "journal_mode")]
        assert pragmas == [3, "delete"]


def test_an_answer_that_cannot_be_written_is_not_used(path: Path) -> None:
    session = Session.create(path, X, **SMALL)
    session._file._pragma(f"max_page_count = {session._file._pragma('page_count') + 4}")
    long = "x" * 3000

    def fill() -> None:
        for i in range(10):
            session.tell(i, long)

    with pytest.raises(SessionError, match=r"nothing was recorded. Make room"):
        fill()
    n = session.n_answers
    assert 0 < n == len(session.log)
    learner = ALuMA(X, **SMALL)
    learner.tell(np.arange(n), [long] * n)
    assert_same(session._learner, learner)
    session._file._pragma("max_page_count = 1000")
    session.tell(n, long)
    crash(session)
    with Session.open(path, X) as session:
        assert [entry.example for entry in session.log] == list(range(n + 1))


def test_a_snapshot_that_cannot_be_written_costs_only_time(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    session = Session.create(path, X, **SMALL)
    session.tell([0, 1, 2], TRUTH[:3])
    session._file._pragma(f"max_page_count = {session._file._pragma('page_count')}")
    session.close()
    assert "no snapshot was written" in caplog.text
    with counted_absorptions() as calls, Session.open(path, X) as session:
        assert (len(calls), session.n_answers) == (3, 3)


@pytest.mark.parametrize("moment", ["before the commit", "after the commit"])
def test_an_interrupt_leaves_file_and_learner_in_step(
    path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    original = AnswerFile.append

    def interrupted(self: AnswerFile, *entries: Any) -> None:
        if moment == "after the commit":
            original(self, *entries)
            self.entries = self.entries[: -len(entries)]
        raise KeyboardInterrupt

    with Session.create(path, X, **SMALL) as session:
        session.tell(0, TRUTH[0])
        with monkeypatch.context() as patch:
            patch.setattr(AnswerFile, "append", interrupted)
            with pytest.raises(KeyboardInterrupt):
                session.tell(1, TRUTH[1])
        assert session.n_answers == (2 if moment == "after the commit" else 1)
        session.tell(1, TRUTH[1])
        session.tell(2, TRUTH[2])
    with Session.open(path, X) as session:
        assert [entry.example for entry in session.log] == [0, 1, 2]


def test_closing(path: Path) -> None:
    session = Session.create(path, X, **SMALL)
    told(session, 3)
    assert "3 answers, open" in repr(session)
    session.close()
    session.close()
    assert "closed" in repr(session)
    assert sorted(one.name for one in path.parent.iterdir()) == [path.name, f"{path.name}.mark"]
    assert session.n_answers == 3
    for attempt in (lambda: session.tell(0, True), session.undo, lambda: session.skip(0)):
        with pytest.raises(SessionError, match="is closed: open it again"):
            attempt()
    with pytest.raises(ZeroDivisionError), Session.open(path, X):
        raise ZeroDivisionError
    Session.open(path, X).close()


# Kill -9.


#: Imports once, then forks a process for every path it is told, which answers as fast as it can.
SERVER = """
import os, sys
import numpy as np
from aluma import ALuMA
from aluma.session import Session

X = np.load(sys.argv[1])
# Compiled functions are loaded once, here, and not by every child.
ALuMA(X, n_hypotheses=64).tell([0, 1, 2], [bool(x[0] > 0.1 * x[1]) for x in X[:3]])

def label(path):
    with Session.open(path, X) as session:
        os.write(1, b"open\\n")
        while True:
            i = session.n_answers
            session.tell(i, bool(X[i, 0] > 0.1 * X[i, 1]))
            os.write(1, b"%d\\n" % i)

for line in sys.stdin:
    child = os.fork()
    if child == 0:
        try:
            label(line.strip())
        finally:
            os._exit(1)
    os.write(1, b"child %d\\n" % child)
    os.waitpid(child, 0)
    os.write(1, b"dead\\n")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_kill_9_loses_nothing(path: Path) -> None:
    rng = np.random.default_rng(11)
    pool = rng.standard_normal((1000, 5))
    truth = pool[:, 0] > 0.1 * pool[:, 1]
    np.save(path.with_name("pool.npy"), pool)
    Session.create(path, pool, n_hypotheses=64).close()
    learner = ALuMA(pool, n_hypotheses=64)
    source = str(Path(aluma.__file__).parents[1])
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(path.with_name("pool.npy"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert server.stdin is not None
    assert server.stdout is not None
    acknowledged = 0
    try:
        for round_ in range(10):
            server.stdin.write(f"{path}\n")
            server.stdin.flush()
            said = [server.stdout.readline(), server.stdout.readline()]
            child = next(int(line.split()[1]) for line in said if line.startswith("child"))
            if round_ == 0:
                with pytest.raises(SessionLocked):
                    Session.open(path, pool)
            # A moment of the opening, or of the answers after some of them.
            for _ in range(int(rng.integers(15))):
                said.append(server.stdout.readline())
            threading.Event().wait(float(rng.uniform(0.0, 0.03)))
            os.kill(child, signal.SIGKILL)
            told_now = acknowledged
            while "dead\n" not in said:
                said.append(server.stdout.readline())
                assert said[-1], "the server died"
            numbers = [int(line) for line in said if line.strip().isdigit()]
            acknowledged = numbers[-1] + 1 if numbers else acknowledged
            assert numbers == list(range(told_now, acknowledged))
            with Session.open(path, pool) as session:
                kept = session.answered.tolist()
                assert kept == list(range(len(kept)))
                assert acknowledged <= len(kept) <= acknowledged + 1
                assert [entry.label for entry in session.log] == truth[: len(kept)].tolist()
                for i in range(learner.n_answers, len(kept)):
                    learner.tell(i, bool(truth[i]))
                assert_same(session._learner, learner)
                acknowledged = len(kept)
            beside = {path.name, f"{path.name}.mark", f"{path.name}.mark.part", "pool.npy"}
            assert {one.name for one in path.parent.iterdir()} <= beside
    finally:
        server.stdin.close()
        server.wait(30)
        server.stdout.close()
    assert acknowledged > 30


def test_a_clock_that_goes_back_changes_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Session.create(path, X, **SMALL).close()
    for year in (2040, 1999, 2020):
        now = datetime(year, 1, 1, tzinfo=UTC).isoformat()
        monkeypatch.setattr("aluma.session.session._now", lambda now=now: now)
        with Session.open(path, X) as session:
            n = session.n_answers
            session.tell([n, n + 1], TRUTH[[n, n + 1]], request=f"in {year}")
    with Session.open(path, X) as session:
        assert [entry.example for entry in session.log] == list(range(6))
        assert [entry.time[:4] for entry in session.log[::2]] == ["2040", "1999", "2020"]
        assert session.requests == {"in 2040", "in 1999", "in 2020"}
