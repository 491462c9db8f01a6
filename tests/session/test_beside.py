"""What is kept beside the answers: durable, whole or not at all, and nothing to the learner."""

import sqlite3
from pathlib import Path

import pytest

from aluma.session import Session, SessionDamaged
from sessions import SMALL, X, crash


def test_it_is_there_with_the_file_and_after_a_crash(path: Path) -> None:
    session = Session.create(path, X, beside={"answers": '["a", "b"]'}, **SMALL)
    session.keep_beside({"note 3": "unsure", "note 4": "שלום <b>"}, request="one")
    session.keep_beside({"note 3": "", "answers": '["a", "b", "c"]'})
    crash(session)
    with Session.open(path, X) as again:
        assert again.beside == {"answers": '["a", "b", "c"]', "note 4": "שלום <b>"}
        assert again.knows("one")
        again.keep_beside({"note 4": "other"}, request="one")
        assert again.beside["note 4"] == "שלום <b>"
        assert again.log == ()


def test_a_file_from_before_keeps_nothing_and_takes_more(path: Path) -> None:
    Session.create(path, X, **SMALL).close()
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE beside")
    connection.close()
    with Session.open(path, X) as session:
        assert session.beside == {}
        session.keep_beside({"a": "b"})
    with Session.open(path, X) as session:
        assert session.beside == {"a": "b"}


def test_damage_is_noticed(path: Path) -> None:
    Session.create(path, X, beside={"answers": "ab"}, **SMALL).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE beside SET value = 'ac'")
    connection.close()
    with pytest.raises(SessionDamaged, match="'answers', kept beside the answers"):
        Session.open(path, X)


def test_an_answer_that_is_not_learnt_from_makes_no_further_class(path: Path) -> None:
    with Session.create(path, X, **SMALL) as session:
        session.tell([0, 1], ["a", "b"])
        session.skip(2, label="c")
        assert session.classes_ == ("a", "b")
        assert session.exceptions == {2: "c"}
    with Session.open(path, X) as session:
        assert session.classes_ == ("a", "b")
        assert session.exceptions == {2: "c"}
        session.tell(2, "c")
        assert session.classes_ == ("a", "b", "c")
        assert session.exceptions == {}
