"""A session has the face of its learner, and remembers its settings and requests."""

import json
import sqlite3
import threading
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aluma
from aluma import ALuMA, Conflict, Pool
from aluma.learners import registry
from aluma.session import (
    Session,
    recipe,
)
from aluma.spaces.history import Event
from sessions import RNG, SMALL, TRUTH, X, as_format_2, assert_same, told

# The face.


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


@pytest.mark.parametrize("name", sorted(set(registry.ENTRIES) - {"iwal"}))
def test_a_session_has_the_certificate_of_its_learner(path: Path, name: str) -> None:
    with Session.create(path, X, strategy=name, classes=(False, True), **SMALL) as session:
        told(session, 6)
        found = session.certificate()
        assert found.asked == 6
        assert 0 < found.expected_error < found.credible_bound < 0.5


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


# Settings.


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
    [
        {"slack": "auto", "promise": "credible"},
        {"slack": 0.02},
        {"kernel": {"name": "rbf", "gamma": 0.3}},
    ],
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


# Requests by name, forks taken over, exceptions.


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


def test_several_examples_are_skipped_together(path):
    with Session.create(path, X, classes=(False, True), **SMALL) as session:
        told(session, 2)
        session.skip([50, 51, 50], request="once")
        session.skip([52], request="once")
        assert [entry.kind for entry in session.log[2:]] == ["skip", "skip"]
        with pytest.raises(ValueError, match="one example"):
            session.skip([53, 54], label=True)
    with Session.open(path, X) as session:
        assert session.fork().history[2:] == (Event(50, 0), Event(51, 0))


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


@pytest.mark.parametrize("has_requests", [True, False])
def test_an_older_file_is_read_and_written_on(path, has_requests):
    with Session.create(path, X, classes=(False, True), **SMALL) as session:
        session.tell([7, 8], TRUTH[[7, 8]])
        session.tell(9, bool(TRUTH[9]), request="a")
        session.tell(9, bool(TRUTH[9]), request="b")
        log = session.log
    as_format_2(path)
    if not has_requests:
        with sqlite3.connect(path) as connection:
            connection.execute("DROP TABLE request")
        connection.close()
    for _ in range(2):
        with Session.open(path, X) as session:
            assert session.log[:3] == log
            assert session.requests >= ({"a", "b"} if has_requests else set())
            session.tell(10, bool(TRUTH[10]), request="c")
            assert session.knows("c")
            assert len(session.log) == 4


def test_checks_survive_a_crash_and_are_not_drawn_again(path: Path) -> None:
    """Of a session that is cut off anywhere, the same checks come again, and none is skipped."""
    pool = RNG.standard_normal((200, 3))
    truth = pool[:, 0] > 0
    both = {"classes": (False, True), **SMALL}
    learner = ALuMA(pool, **both)
    Session.create(path, pool, **both).close()
    while not learner.finished:
        with Session.open(path, pool) as session:
            assert (session.phase, session.ask()) == (learner.phase, learner.ask())
            for _ in range(7):
                if not session.finished:
                    i = session.ask()
                    # One answer in twenty is wrong, so that checks fail and are learnt from.
                    session.tell(i, bool(truth[i]) != (i % 20 == 0))
                    learner.tell(i, bool(truth[i]) != (i % 20 == 0))
    with Session.open(path, pool) as session:
        assert session.finished
        assert [(e.index, e.check, e.said) for e in session._learner.history] == [
            (e.index, e.check, e.said) for e in learner.history
        ]
        assert session.certificate().error_bound == learner.certificate().error_bound <= 0.05
        session.undo()
        learner.undo()
        assert session.ask() == learner.ask()


def test_a_change_of_what_was_learnt_from_ends_the_check_in_the_file_too(path: Path) -> None:
    pool = RNG.standard_normal((200, 3))
    truth = pool[:, 0] > 0
    with Session.create(path, pool, classes=(False, True), **SMALL) as session:
        while session.phase == "learning":
            i = session.ask()
            session.tell(i, bool(truth[i]))
        for _ in range(3):
            i = session.ask()
            session.tell(i, bool(truth[i]))
        session.change(int(session.answered[0]), not truth[session.answered[0]])
        flags = [event.check for event in session._learner.history]
    with Session.open(path, pool) as session:
        assert [event.check for event in session._learner.history] == flags
        assert flags[-3:] == [1, 1, 2]


def test_a_session_from_before_there_were_audits_keeps_its_promise(path: Path) -> None:
    settings = json.loads(recipe.written("aluma", X, {"classes": (False, True), **SMALL}))
    del settings["promise"]
    assert recipe.made("aluma", json.dumps(settings), X).parts.stopping.judges_labels
    learner = recipe.made("aluma", json.dumps(settings), X)
    assert learner.certificate().basis == "prior"
