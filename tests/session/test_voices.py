"""What several people say in one session: in the chain of digests, apart from what is learnt."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from aluma import ALuMA
from aluma.errors import SessionDamaged
from aluma.session import Session, recovery
from aluma.session.voices import resolutions
from sessions import SMALL, TRUTH, X, assert_same, crash, told

BOTH = {"classes": (False, True), **SMALL}


def said(session: Session) -> list[tuple[str, int, object]]:
    return [(voice.who, voice.example, voice.label) for voice in session.voices]


def test_voices_are_kept_with_names_and_times_and_the_learner_hears_nothing(path: Path) -> None:
    with Session.create(path, X, **BOTH) as session:
        session.say("anna", 3, True, request="a")
        session.say("anna", 3, False, request="a")  # the same request again
        session.say("ben <b>", 3, False)
        session.say("ben <b>", 4, None)
        session.say("anna", 5, True)
        session.unsay("anna", 5)
        session.resolve("carl", 3, False)
        crash(session)
    with Session.open(path, X) as session:
        assert said(session) == [("anna", 3, True), ("ben <b>", 3, False), ("ben <b>", 4, None)]
        assert all(voice.time.startswith("20") for voice in session.voices)
        assert {i: one.label for i, one in resolutions(session.log).items()} == {3: False}
        assert session.n_answers == 0
        assert session.kept == ()
        assert session.knows("a")
        told(session, 2)
        session.say("anna", 7, True)
        session.undo()
        assert session.n_answers == 1
        assert len(session.voices) == 4


def test_who_said_it_cannot_be_changed_unnoticed(path: Path) -> None:
    with Session.create(path, X, **BOTH) as session:
        session.say("anna", 3, True)
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER event_stays_as_it_is")
    connection.execute("UPDATE event SET kind = 'say \"ben\"'")
    connection.commit()
    connection.close()
    with pytest.raises(SessionDamaged, match="entry 1"):
        Session.open(path, X)


def version(path: Path) -> int:
    connection = sqlite3.connect(path)
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    connection.close()
    return int(found)


def test_only_a_file_with_voices_needs_the_newer_format(path: Path) -> None:
    with Session.create(path, X, **BOTH) as session:
        told(session, 2)
    assert version(path) == 3
    with Session.open(path, X) as session:
        session.say("anna", 3, True)
    assert version(path) == 4
    with Session.open(path, X) as session:
        assert said(session) == [("anna", 3, True)]


def test_a_withdrawn_answer_is_as_if_it_had_never_been_told(path: Path) -> None:
    with Session.create(path, X, **BOTH) as session:
        told(session, 8)
        gone = int(session.answered[3])
        session.withdraw(gone)
        left = session.answered.tolist()
        assert gone not in left
        twin = ALuMA(X, **BOTH)
        twin.tell(left, [bool(TRUTH[i]) for i in left])
        assert_same(session.fork(), twin)
        crash(session)
    with Session.open(path, X) as session:
        assert_same(session.fork(), twin)
        session.tell(gone, bool(TRUTH[gone]))
        with pytest.raises(LookupError, match="neither told nor skipped"):
            session.withdraw(int(np.flatnonzero(session.fork().eligible)[0]))


def test_withdrawals_during_checks_come_out_the_same_after_a_restart(path: Path) -> None:
    """Whatever is told, skipped and withdrawn: the file says what the learner holds."""
    pool = np.random.default_rng(5).standard_normal((150, 3))
    truth = pool[:, 0] > 0
    rng = np.random.default_rng(6)
    with Session.create(path, pool, slack=0, **BOTH) as session:
        while session.phase == "learning":
            i = int(session.ask())
            session.tell(i, bool(truth[i]))
    for _ in range(3):
        with Session.open(path, pool) as session:
            for _ in range(8):
                kept = [event.index for event in session.fork().history]
                if kept and rng.random() < 0.2:
                    session.withdraw(int(rng.choice(kept)))
                else:
                    i = int(session.ask())
                    if rng.random() < 0.2:
                        session.skip(i)
                    else:
                        session.tell(i, bool(truth[i]))
            before = session.fork()
            crash(session)
        with Session.open(path, pool) as session:
            after = session.fork()
            assert [(e.index, e.sign, e.check, e.said) for e in after.history] == [
                (e.index, e.sign, e.check, e.said) for e in before.history
            ]
            assert after.phase == before.phase
            assert session.ask() == before.ask()


def test_a_withdrawn_check_is_asked_again_and_counts_in_the_order_of_the_draws(path: Path) -> None:
    pool = np.random.default_rng(5).standard_normal((200, 3))
    truth = pool[:, 0] > 0
    with Session.create(path, pool, **BOTH) as session:
        while session.phase == "learning":
            i = session.ask()
            session.tell(i, bool(truth[i]))
        drawn = session.ask(5).tolist()
        for i in drawn:
            session.tell(i, bool(truth[i]))
        session.withdraw(drawn[1])
        # What was drawn later waits for it.
        assert session.audit.asked == 1
        assert session.ask() == drawn[1]
        session.tell(drawn[1], bool(truth[drawn[1]]))
        assert session.audit.checked.tolist() == drawn
        wrong = session.audit.wrong.tolist()
        # What is put right afterwards counts too, wherever it stands.
        session.change(drawn[2], not truth[drawn[2]])
        assert set(session.audit.wrong.tolist()) == {*wrong} ^ {drawn[2]}


def test_voices_are_recovered_with_the_rest(path: Path, tmp_path: Path) -> None:
    with Session.create(path, X, **BOTH) as session:
        session.say("anna", 3, True)
        told(session, 3)
        session.withdraw(int(session.answered[0]))
        session.say("ben", 3, False)
        wanted, answered = said(session), session.answered.tolist()
    found = recovery.recovered(path)
    assert sorted(found.answers()) == sorted(answered)
    copy = tmp_path / "copy.aluma"
    assert recovery.write(found, copy)
    with Session.open(copy, X) as session:
        assert said(session) == wanted
        assert session.answered.tolist() == answered
