"""Opening a session again leads to the same learner, the same next question."""

import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aluma import ALuMA, Conflict
from aluma.learners import registry
from aluma.learners.learner import Learner
from aluma.session import (
    Session,
    snapshot,
)
from aluma.spaces.history import Event
from sessions import SMALL, TRUTH, X, assert_same, counted_absorptions, crash, told

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


@pytest.mark.parametrize("seed", range(2))
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


def test_a_snapshot_of_answers_is_none_of_checks() -> None:
    """The same answers lead elsewhere when they were checks: open ones are not learnt from yet."""
    names = [
        set(snapshot._prefixes([Event(1, 1), Event(2, -1, check=check)], b"", 2))
        for check in (0, 1, 2)
    ]
    assert len(set.union(*names)) == 4
    assert len(set.intersection(*names)) == 1


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
    learner = registry.strategy(strategy)(X, random_state=5)
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
    for name in registry.ENTRIES:
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
