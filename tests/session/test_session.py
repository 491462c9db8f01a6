"""Sessions: what was told is kept, what was refused is not, and resuming changes nothing."""

import doctest
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import aluma
from aluma import ALuMA, Conflict, Exhausted, Pool
from aluma.learners import strategies
from aluma.learners.base import Learner
from aluma.learners.history import Event
from aluma.sampling import population
from aluma.session import (
    NewerFormat,
    NotASession,
    Session,
    SessionDamaged,
    SessionError,
    SessionLocked,
    WrongPool,
    snapshot,
)
from aluma.session.answer_file import AnswerFile

RNG = np.random.default_rng(7)
X = RNG.standard_normal((60, 3))
TARGET = RNG.standard_normal(3)
TRUTH = X @ TARGET > 0
#: One block of chains: as cheap as a population can be.
SMALL = {"n_hypotheses": 200, "random_state": 3}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.aluma"


def told(session: Session | Learner, n: int) -> None:
    """Let the target answer n questions."""
    for _ in range(n):
        i = session.ask()
        session.tell(i, bool(TRUTH[i]))


def crash(session: Session) -> None:
    """End a session as a killed process would: nothing is written any more."""
    session._file.close()


def assert_same(one: Learner, other: Learner) -> None:
    """Compare two learners bit by bit."""
    assert one._history == other._history
    assert list(one._labels._signs.items()) == list(other._labels._signs.items())
    assert list(one._walls.items()) == list(other._walls.items())
    mine, theirs = one._population.state, other._population.state
    for a, b in (
        (mine.points, theirs.points),
        (mine.cone.walls, theirs.cone.walls),
        (mine.cone.basis, theirs.cone.basis),
        (mine.cone.coordinates, theirs.cone.coordinates),
    ):
        assert a.shape == b.shape
        assert a.tobytes("A") == b.tobytes("A")
        assert a.flags.c_contiguous == b.flags.c_contiguous
    for name in ("key", "length", "paced_at", "log_volume", "mixing"):
        # NaN is one of the values of mixing.
        assert repr(getattr(mine, name)) == repr(getattr(theirs, name))
    assert next_question(one) == next_question(other)


def next_question(learner: Learner | Session) -> int | str:
    try:
        return int(learner.ask())
    except Exhausted as nothing:
        return str(nothing)


@contextmanager
def counted_absorptions() -> Iterator[list[int]]:
    """Count how many answers populations absorb."""
    calls: list[int] = []
    original = population.absorb
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(population, "absorb", lambda *args: calls.append(1) or original(*args))
        yield calls


# -- the face ----------------------------------------------------------------------------------


def test_a_session_answers_like_its_learner(path: Path) -> None:
    learner = ALuMA(X, classes=(False, True), **SMALL)
    with Session.create(path, X, classes=(False, True), **SMALL) as session:
        for one in (learner, session):
            told(one, 4)
            one.skip(one.ask())
            one.tell([50, 51], TRUTH[[50, 51]])
            one.undo()
            one.tell(np.int64(52), TRUTH[52])
        assert_same(session._learner, learner)
        assert session.ask(3).tolist() == learner.ask(3).tolist()
        assert session.predict().tolist() == learner.predict().tolist()
        assert session.predict(X[:5]).tolist() == learner.predict(X[:5]).tolist()
        assert session.predict_proba().tobytes() == learner.predict_proba().tobytes()
        assert session.answers.tolist() == learner.answers.tolist()
        assert session.answered.tolist() == learner.answered.tolist()
        assert session.n_answers == learner.n_answers == 6
        assert session.classes_ == (False, True)
        assert session.finished == learner.finished
        assert session.certificate().error_bound == learner.certificate().error_bound
        assert len(session.pool) == 60


def test_a_fork_is_a_learner_that_the_file_does_not_know(path: Path) -> None:
    with Session.create(path, X, **SMALL) as session:
        told(session, 2)
        ahead = session.fork()
        told(ahead, 3)
        assert (ahead.n_answers, session.n_answers, len(session.log)) == (5, 2, 2)


def test_run_takes_a_session(path: Path) -> None:
    with Session.create(path, X, **SMALL) as session:
        aluma.run(session, TRUTH, budget=5)
    with Session.open(path, X) as session:
        assert session.n_answers == 5


@pytest.mark.parametrize("name", sorted(set(strategies.STRATEGIES) - {"iwal"}))
def test_a_session_has_the_certificate_of_its_learner(path: Path, name: str) -> None:
    with Session.create(path, X, strategy=name, classes=(False, True), **SMALL) as session:
        told(session, 6)
        found = session.certificate()
        assert found.asked == 6
        assert 0 < found.expected_error < found.error_bound < 0.5


def test_a_learner_without_a_certificate_is_named(path: Path) -> None:
    with (
        Session.create(path, X, strategy="iwal") as session,
        pytest.raises(NotImplementedError, match=r"IWAL keeps no version space.*use ALuMA"),
    ):
        session.certificate()


def test_telling_works_from_another_thread(path: Path) -> None:
    with Session.create(path, X, **SMALL) as session:
        thread = threading.Thread(target=told, args=(session, 3))
        thread.start()
        thread.join()
        assert session.n_answers == 3


# -- resuming ----------------------------------------------------------------------------------

OPERATIONS = ("ask", "tell", "several", "skip", "undo", "change", "close", "crash")


def operate(one: Session | Learner, name: str, i: int, label: str) -> str:
    """Do one thing; return the name of the error that it was refused with."""
    try:
        if name == "ask":
            one.tell(one.ask(), label)
        elif name == "several":
            one.tell([i, (i + 1) % 60], [label, label])
        elif name == "undo":
            one.undo()
        elif name == "skip":
            one.skip(i)
        else:
            getattr(one, name)(i, label)
    except (Conflict, LookupError) as refusal:
        return type(refusal).__name__
    return ""


@settings(max_examples=6)
@given(
    st.lists(
        st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 59), st.sampled_from("ab")),
        min_size=12,
        max_size=24,
    ),
    st.sampled_from([None, ["b", "a"]]),
)
def test_interruptions_change_nothing(
    script: list[tuple[str, int, str]], classes: list[str] | None
) -> None:
    learner = ALuMA(X, classes=classes, **SMALL)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshot, "SPACING", 3)
        session = Session.create(Path(folder) / "s", X, classes=classes, **SMALL)
        for name, i, label in script:
            if name in ("close", "crash"):
                session.close() if name == "close" else crash(session)
                session = Session.open(Path(folder) / "s", X)
                assert_same(session._learner, learner)
                continue
            attempt = learner.fork()
            refused = operate(attempt, name, i, label)
            learner = learner if refused else attempt
            assert operate(session, name, i, label) == refused
        assert_same(session._learner, learner)
        session.close()
        with Session.open(Path(folder) / "s", X) as session:
            assert_same(session._learner, learner)


@pytest.mark.parametrize("seed", range(3))
def test_a_cut_anywhere_leads_to_the_same_next_question(path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pool = rng.standard_normal((200, 8))
    truth = pool @ rng.standard_normal(8) > 0
    learner = ALuMA(pool, **SMALL)
    session = Session.create(path, pool, **SMALL)
    cuts = set(rng.choice(np.arange(1, 30), 4, replace=False).tolist())
    for k in range(30):
        if k in cuts:
            crash(session) if rng.random() < 0.5 else session.close()
            session = Session.open(path, pool)
        i = session.ask()
        assert i == learner.ask()
        session.tell(i, bool(truth[i]))
        learner.tell(i, bool(truth[i]))
    assert_same(session._learner, learner)
    session.close()


def test_opening_does_not_replay_what_a_snapshot_holds(path: Path) -> None:
    session = Session.create(path, X, **SMALL)
    session.tell(np.arange(20), TRUTH[:20])
    session.close()
    with counted_absorptions() as calls, Session.open(path, X) as session:
        assert calls == []
        session.tell(20, TRUTH[20])
        assert len(calls) == 1
        crash(session)
    with counted_absorptions() as calls, Session.open(path, X) as session:
        assert len(calls) == 1
        assert session.n_answers == 21


def test_after_a_crash_at_most_one_spacing_is_replayed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "SPACING", 5)
    session = Session.create(path, X, **SMALL)
    for i in range(19):
        session.tell(i, TRUTH[i])
    crash(session)
    with counted_absorptions() as calls, Session.open(path, X):
        assert len(calls) == 4


def test_taking_back_after_opening_replays_little(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "SPACING", 5)
    learner = ALuMA(X, **SMALL)
    with Session.create(path, X, **SMALL) as session:
        for one in (session, learner):
            for i in range(28):
                one.tell(i, bool(TRUTH[i]))
    with Session.open(path, X) as session:
        for _ in range(6):
            with counted_absorptions() as calls:
                session.undo()
            learner.undo()
            assert len(calls) <= 5
            assert_same(session._learner, learner)
    with Session.open(path, X) as session:
        new = not TRUTH[20]
        with counted_absorptions() as calls:
            outcomes = [operate(one, "change", 20, new) for one in (session, learner)]
        assert outcomes[0] == outcomes[1]
        assert_same(session._learner, learner)


def test_few_snapshots_are_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "SPACING", 4)
    with Session.create(path, X, **SMALL) as session:
        for i in range(30):
            session.tell(i, TRUTH[i])
            assert len(session._file.snapshots()) <= snapshot.KEPT
    with Session.open(path, X) as session:
        assert sorted(session._file.snapshots()) == [snapshot.CLOSING, 6, 7]
        for _ in range(20):
            session.undo()
    with Session.open(path, X) as session:
        assert sorted(session._file.snapshots()) == [snapshot.CLOSING]


@pytest.mark.parametrize("harm", ["missing", "wrong", "of another form", "no table", "too large"])
def test_snapshots_are_rebuilt(path: Path, harm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    learner = ALuMA(X, **SMALL)
    if harm == "too large":
        monkeypatch.setattr(snapshot, "MOST_BYTES", 10)
    with Session.create(path, X, **SMALL) as session:
        for one in (session, learner):
            told(one, 8)
    harms = {
        "missing": "DELETE FROM snapshot",
        "wrong": "UPDATE snapshot SET payload = zeroblob(length(payload))",
        "no table": "DROP TABLE snapshot",
        "too large": "SELECT 1",
    }
    if harm == "of another form":
        with Session.open(path, X) as session:
            name = next(iter(session._file.snapshots().values()))
            session._file.put_snapshot(snapshot.CLOSING, name, b"from the future", [])
            crash(session)
    else:
        with sqlite3.connect(path) as connection:
            connection.execute(harms[harm])
        connection.close()
    with counted_absorptions() as calls, Session.open(path, X) as session:
        assert len(calls) == 8
        assert_same(session._learner, learner)
    if harm not in ("too large", "of another form"):
        with counted_absorptions() as calls, Session.open(path, X):
            assert calls == []


def test_a_long_replay_is_not_repeated(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Session.create(path, X, **SMALL) as session:
        session.tell(np.arange(20), TRUTH[:20])
        crash(session)
    monkeypatch.setattr(snapshot, "SPACING", 10)
    with Session.open(path, X) as session:
        crash(session)
    with counted_absorptions() as calls, Session.open(path, X):
        assert calls == []


@pytest.mark.parametrize("strategy", ["passive", "simple_margin"])
def test_learners_without_snapshots_are_replayed(
    path: Path, strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "SPACING", 3)
    learner = strategies.strategy(strategy)(X, random_state=5)
    with Session.create(path, X, strategy=strategy, random_state=5) as session:
        for one in (session, learner):
            told(one, 8)
            one.undo()
    with Session.open(path, X) as session:
        assert session._file.snapshots() == {}
        session.undo()
        learner.undo()
        assert session.ask() == learner.ask()
        assert session.predict().tolist() == learner.predict().tolist()


def test_every_registered_strategy_resumes(path: Path) -> None:
    for name in strategies.STRATEGIES:
        with Session.create(path.with_name(name), X, strategy=name) as session:
            told(session, 3)
            question = session.ask()
        with Session.open(path.with_name(name), X) as session:
            assert session.ask() == question


def test_verified_greedy_factors_survive(path: Path) -> None:
    pool = np.random.default_rng(1).standard_normal((6, 2))
    chosen = {"estimate": "volume", "alpha": 1.0, "delta": 0.3}
    with Session.create(path, pool, **chosen) as session:
        for _ in range(3):
            i = session.ask()
            session.tell(i, bool(pool[i, 0] > 0))
        assert session.certificate().greedy_factor == 4.0
    with Session.open(path, pool) as session:
        assert session.certificate().greedy_factor == 4.0
        session.undo()
        assert session.certificate().greedy_factor == 4.0


@pytest.mark.parametrize("reopened", [False, True])
def test_a_change_takes_later_factors_away_for_good(path: Path, reopened: bool) -> None:
    pool = np.random.default_rng(1).standard_normal((6, 3))
    session = Session.create(path, pool, estimate="volume", alpha=1.0, delta=0.3)
    asked = []
    for _ in range(3):
        asked.append(session.ask())
        session.tell(asked[-1], bool(pool[asked[-1], 0] > 0))
    if reopened:
        # What was restored cannot be undone step by step: the change is made from a snapshot.
        session.close()
        session = Session.open(path, pool)
    before = session.fork().verified_factors
    session.change(asked[1], not pool[asked[1], 0] > 0)
    left = session.fork().verified_factors
    assert left == {asked[0]: before[asked[0]]}
    assert session.certificate().greedy_factor is None
    session.close()
    with Session.open(path, pool) as again:
        assert again.fork().verified_factors == left
        assert again.certificate().greedy_factor is None


# -- what is kept, and when --------------------------------------------------------------------


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
    with Session.create(path, line, classes=("no", "yes"), **SMALL) as session:
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
    with Session.open(path, line) as session:
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
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert session.n_answers == 3
    for attempt in (lambda: session.tell(0, True), session.undo, lambda: session.skip(0)):
        with pytest.raises(SessionError, match="is closed: open it again"):
            attempt()
    with pytest.raises(ZeroDivisionError), Session.open(path, X):
        raise ZeroDivisionError
    Session.open(path, X).close()


# -- settings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state", [None, 5, np.uint8(5), np.random.default_rng(5)], ids=["none", "int", "uint8", "rng"]
)
def test_the_seed_is_kept(path: Path, state: Any) -> None:
    with Session.create(path, X, random_state=state, n_hypotheses=np.int64(100)) as session:
        told(session, 2)
        question, seed = session.ask(), session._learner.seed
    with Session.open(path, X) as session:
        assert (session.ask(), session._learner.seed) == (question, seed)


def test_settings_are_written_with_their_defaults(path: Path) -> None:
    with Session.create(path, X, alpha=1.25, **SMALL) as session:
        about = session.about
    assert about["strategy"] == "aluma"
    assert '"alpha": 1.25' in about["settings"]
    assert '"delta": 0.05' in about["settings"]
    assert about["pool"] == Pool(X).fingerprint()
    assert datetime.fromisoformat(about["created"]).utcoffset() == timedelta(0)
    with Session.open(path, X) as session:
        assert session._learner.alpha == 1.25


@pytest.mark.parametrize(
    "given",
    [{"slack": "auto"}, {"slack": 0.02}, {"kernel": {"name": "rbf", "gamma": 0.3}}],
    ids=str,
)
def test_slack_and_kernels_resume_to_the_same_question(path: Path, given: dict[str, Any]) -> None:
    answers = TRUTH ^ (RNG.random(60) < 0.15)
    both = {"classes": (False, True), "bias": True, **given, **SMALL}
    learner = ALuMA(X, **both)
    with Session.create(path, X, **both) as session:
        for _ in range(36):
            i = session.ask()
            session.tell(i, bool(answers[i]))
            learner.tell(i, bool(answers[i]))
        strained = session.strained()
    for _ in range(3):
        with Session.open(path, X) as session:
            assert_same(session._learner, learner)
            assert session._learner.allowed_slack == learner.allowed_slack
            assert session.strained() == strained == learner.strained()
            session.undo()
            learner.undo()
            i = session.ask()
            assert i == learner.ask()
            for one in (session, learner):
                one.tell(i, bool(answers[i]))
            strained = learner.strained()
    assert (learner.allowed_slack > 0) == ("slack" in given)


@pytest.mark.parametrize(
    ("given_settings", "error", "words"),
    [
        ({"strategy": "oracle"}, ValueError, "no strategy 'oracle'"),
        ({"colour": 1}, TypeError, "unexpected keyword argument 'colour'.*Its settings are"),
        ({"alpha": object()}, TypeError, "alpha=.* cannot be written into a session"),
        ({"tolerance": np.nan}, TypeError, "tolerance=nan cannot be written"),
        ({"kernel": np.dot}, TypeError, "kernel=.* cannot be written"),
        ({"alpha": 0.5}, ValueError, "alpha must be at least 1"),
        ({"random_state": -1}, ValueError, "random_state must be"),
    ],
)
def test_settings_that_make_no_learner_leave_no_file(
    path: Path, given_settings: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        Session.create(path, X, **given_settings)
    assert not path.exists()


# -- refusals ----------------------------------------------------------------------------------


def made(path: Path) -> Path:
    with Session.create(path, X, **SMALL) as session:
        told(session, 3)
    return path


def test_another_pool_is_refused(path: Path) -> None:
    made(path)
    changed = X.copy()
    changed[7, 1] += 1e-9
    for pool in (changed, X[::-1], X[:-1], X[:, :2], sparse.csr_array(X), Pool(X, bias=True)):
        with pytest.raises(WrongPool, match="about another pool: 60 examples of 3 features"):
            Session.open(path, pool)
    for pool in (X, Pool(X), np.asfortranarray(X)):
        Session.open(path, pool).close()


def test_a_bias_belongs_to_the_pool(path: Path) -> None:
    with Session.create(path, X, bias=True, **SMALL) as session:
        told(session, 3)
        question = session.ask()
        assert session.about["shape"] == "60 examples of 3 features and a bias"
    with Session.open(path, X) as session:
        assert session.ask() == question


def test_a_path_that_exists_is_not_overwritten(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(FileExistsError, match=r"exists already: continue it with Session.open"):
        Session.create(path, X)
    assert path.read_text() == "precious"


def test_places_that_cannot_hold_a_session(path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no file .*Session.create"):
        Session.open(path, X)
    assert not path.exists()
    for use in (Session.open, Session.create):
        with pytest.raises(FileNotFoundError, match="there is no folder"):
            use(path / "deeper", X)
        with pytest.raises(IsADirectoryError, match="is a folder: name a file in it"):
            use(path.parent, X)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder nobody can write to")
def test_a_folder_that_takes_no_files() -> None:
    with pytest.raises(OSError, match="/proc/answers"):
        Session.create("/proc/answers", X)


def test_a_read_only_place_is_refused(path: Path) -> None:
    made(path)
    path.chmod(0o444)
    if os.access(path, os.W_OK):
        pytest.skip("this user may write to everything")
    with pytest.raises(PermissionError, match="give yourself the right to, or copy it"):
        Session.open(path, X)
    path.chmod(0o644)
    path.parent.chmod(0o555)
    try:
        for use, name in ((Session.open, path), (Session.create, path.with_name("new"))):
            with pytest.raises(PermissionError, match="choose another folder"):
                use(name, X)
    finally:
        path.parent.chmod(0o755)


def test_rights_are_asked_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(path)
    monkeypatch.setattr(os, "access", lambda place, mode: Path(place) != path)
    with pytest.raises(PermissionError, match="give yourself the right to, or copy it"):
        Session.open(path, X)
    monkeypatch.setattr(os, "access", lambda place, mode: Path(place) != path.parent)
    with pytest.raises(PermissionError, match="choose another folder"):
        Session.open(path, X)


def test_files_of_others_are_refused_and_left_alone(path: Path) -> None:
    path.write_bytes(b"name,label\n" * 500)
    with pytest.raises(NotASession, match="not a session of aluma, nor any SQLite database"):
        Session.open(path, X)
    assert path.read_bytes() == b"name,label\n" * 500
    path.write_bytes(b"")
    with pytest.raises(NotASession, match="is empty, so it is not a session"):
        Session.open(path, X)
    assert path.read_bytes() == b""
    path.unlink()
    for mode in ("DELETE", "WAL"):
        connection = sqlite3.connect(path)
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.execute(f"CREATE TABLE of_{mode} (x)")
        connection.close()
        before = path.read_bytes()
        with pytest.raises(NotASession, match="application_id is 0"):
            Session.open(path, X)
        assert path.read_bytes() == before


def test_a_newer_format_is_refused(path: Path) -> None:
    made(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(NewerFormat, match=r"format 2, .* up to 1: upgrade aluma"):
        Session.open(path, X)


def test_a_second_writer_is_refused(path: Path) -> None:
    with Session.create(path, X, **SMALL) as session:
        told(session, 2)
        for _ in range(2):
            with pytest.raises(SessionLocked, match=r"is in use.*Close that one first"):
                Session.open(path, X)
        told(session, 1)
    with Session.open(path, X) as session:
        assert session.n_answers == 3


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE event SET label = 'true' WHERE number = 2",
        "UPDATE event SET example = example + 1 WHERE number = 2",
        "UPDATE event SET time = '2001-01-01' WHERE number = 2",
        "UPDATE event SET label = x'00' WHERE number = 2",
        "UPDATE event SET number = 9 WHERE number = 2",
        "DELETE FROM event WHERE number = 2",
        "UPDATE about SET value = replace(value, '1.05', '1.25')",
        "DELETE FROM about",
        "DROP TABLE about",
        "DROP TABLE event",
    ],
)
def test_a_log_that_was_tampered_with_is_refused(path: Path, harm: str) -> None:
    with Session.create(path, X, **SMALL) as session:
        for i in range(4):
            session.tell(i, False)
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER event_stays")
    connection.execute("DROP TRIGGER event_stays_as_it_is")
    assert connection.execute(harm).rowcount != 0
    connection.commit()
    connection.close()
    with pytest.raises(SessionDamaged, match=r"is damaged: .*Go back to a copy"):
        Session.open(path, X)


def test_no_flipped_bit_changes_an_answer_unnoticed(path: Path) -> None:
    with Session.create(path, X, classes=("no", "yes"), **SMALL) as session:
        for i in range(10):
            session.tell(i, "yes" if TRUTH[i] else "no")
        log = session.log
    sound = path.read_bytes()
    rng = np.random.default_rng(0)
    # Half of them where the log, the schema and the header are: all but the snapshot.
    places = np.concatenate([rng.integers(len(sound), size=40), rng.integers(5 * 4096, size=80)])
    outcomes = {"sound": 0, "refused": 0}
    for number, place in enumerate(places):
        harmed = bytearray(sound)
        harmed[place] ^= 1 << rng.integers(8)
        file = path.with_name(f"harmed-{number}")
        file.write_bytes(harmed)
        try:
            opened = AnswerFile.open(file)
        except SessionError:
            outcomes["refused"] += 1
            continue
        assert tuple(opened.entries) == log
        opened.close()
        outcomes["sound"] += 1
    assert min(outcomes.values()) > 5


def test_a_truncated_file_is_refused(path: Path) -> None:
    sound = made(path).read_bytes()
    for length in (50, 100, 4096, 5000, len(sound) - 4096):
        path.write_bytes(sound[:length])
        with pytest.raises((SessionDamaged, NotASession)):
            Session.open(path, X)


def test_the_page_about_sessions_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parents[2] / "docs" / "session.md"
    # The fence that ends the example would count as output.
    text = page.read_text(encoding="utf-8").replace("```", "")
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert len(test.examples) > 5
    assert doctest.DocTestRunner().run(test).failed == 0


# -- kill -9 -----------------------------------------------------------------------------------

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
            assert sorted(p.name for p in path.parent.iterdir()) == [path.name, "pool.npy"]
    finally:
        server.stdin.close()
        server.wait(30)
        server.stdout.close()
    assert acknowledged > 30


# -- requests by name, forks taken over, exceptions ------------------------------------------------


def test_a_named_request_happens_once_also_after_opening_again(path):
    with Session.create(path, X, classes=(False, True), **SMALL) as session:
        session.tell(3, True, request="a")
        session.tell(3, True, request="a")
        session.undo(request="b")
        session.undo(request="b")
        assert [entry.kind for entry in session.log] == ["tell", "undo"]
    with Session.open(path, X) as session:
        session.tell(3, True, request="a")
        session.skip(4, request="b")
        session.change(3, False, request="a")
        assert session.knows("a")
        assert not session.knows("c")
        assert len(session.log) == 2
        # One that changes nothing is remembered as well.
        session.tell(5, True, request="d")
        session.tell(5, True, request="e")
        session.undo()
        session.tell(5, True, request="e")
        assert session.n_answers == 0


def test_a_refused_request_may_be_made_again(path):
    with Session.create(path, X, classes=(False, True), **SMALL) as session:
        session.tell(3, True)
        with pytest.raises(Conflict):
            session.tell(3, False, request="a")
        assert not session.knows("a")


def test_a_fork_is_taken_over_as_if_it_had_been_told(path, tmp_path):
    with Session.create(path, X, classes=(False, True), **SMALL) as session:
        told(session, 5)
        ahead = session.fork()
        i = ahead.ask()
        ahead.tell(i, bool(TRUTH[i]))
        session.adopt(ahead, request="a")
        session.adopt(ahead, request="a")
        assert session.n_answers == 6
        question = session.ask()
    with Session.create(tmp_path / "other.aluma", X, classes=(False, True), **SMALL) as other:
        told(other, 6)
        assert other.ask() == question
    with Session.open(path, X) as session:
        assert session.ask() == question


def test_a_fork_of_another_moment_is_refused(path):
    with Session.create(path, X, classes=(False, True), **SMALL) as session:
        ahead = session.fork()
        ahead.tell(1, bool(TRUTH[1]))
        session.tell(2, bool(TRUTH[2]))
        with pytest.raises(ValueError, match="another point"):
            session.adopt(ahead)
        skipping = session.fork()
        skipping.skip(7)
        with pytest.raises(ValueError, match="only tell"):
            session.adopt(skipping)
        assert session.n_answers == 1


def test_a_skipped_example_can_become_an_exception(path):
    with Session.create(path, X, classes=(False, True), **SMALL) as session:
        told(session, 2)
        session.skip(50)
        session.skip(50)
        assert len(session.log) == 3
        session.skip(50, label=True)
        assert session.exceptions == {50: True}
    with Session.open(path, X) as session:
        assert session.exceptions == {50: True}
        session.undo()
        assert session.exceptions == {}
        assert session.fork().history[-1] == Event(50, 0)
        session.undo()
        assert session.n_answers == len(session.fork().history) == 2


def test_exceptions_are_kept_and_not_learnt_from(path):
    with Session.create(path, X, classes=(False, True), **SMALL) as session:
        told(session, 4)
        before = session.fork().population.hypotheses()
        session.skip(50, label=True)
        assert session.exceptions == {50: True}
        np.testing.assert_array_equal(session.fork().population.hypotheses(), before)
        with pytest.raises(ValueError, match="neither"):
            session.skip(51, label="perhaps")
    with Session.open(path, X) as session:
        assert session.exceptions == {50: True}
        assert session.kept[-1].example == 50
        session.tell(50, bool(TRUTH[50]))
        assert session.exceptions == {}
        session.undo()
        session.undo()
        assert session.exceptions == {}


def test_a_file_without_requests_is_opened(path):
    with Session.create(path, X, classes=(False, True), **SMALL) as session:
        told(session, 2)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE request")
    connection.close()
    with Session.open(path, X) as session:
        session.tell(9, bool(TRUTH[9]), request="a")
        assert session.knows("a")
