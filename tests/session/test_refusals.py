"""Files that a session refuses to open, and what it says about them."""

import doctest
import os
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from aluma import Pool
from aluma.app import slack
from aluma.session import (
    NewerFormat,
    NotASession,
    Session,
    SessionDamaged,
    SessionError,
    SessionLocked,
    WrongPool,
    answer_file,
)
from aluma.session.answer_file import AnswerFile
from sessions import SMALL, TRUTH, X, told


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
    connection.execute("PRAGMA user_version = 5")
    connection.close()
    with pytest.raises(NewerFormat, match=r"format 5, .* up to 4: upgrade aluma"):
        Session.open(path, X)


def test_a_file_that_was_replaced_while_it_was_opened_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(path)
    other = made(path.with_name("other"))
    connect = answer_file._connect

    def late(path: Path) -> sqlite3.Connection:
        other.replace(path)
        return connect(path)

    monkeypatch.setattr(answer_file, "_connect", late)
    with pytest.raises(SessionLocked, match="is in use"):
        AnswerFile.open(path)


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be replaced there")
def test_a_session_that_moves_to_slack_is_locked_until_it_has(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link, refused = os.link, []

    def meanwhile(*paths: Path) -> None:
        with pytest.raises(SessionLocked, match="is in use"):
            Session.open(path, X)
        refused.append(paths)
        link(*paths)

    session = Session.create(path, X, **SMALL, slack=0)
    told(session, 3)
    monkeypatch.setattr(slack.os, "link", meanwhile)
    with slack.loosened(session, "r") as moved:
        assert (len(refused), moved.n_answers, session.path) == (1, 3, path)


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
        "DELETE FROM event WHERE number = 4",
        "UPDATE request SET name = 'r9' WHERE place = 2",
        "UPDATE request SET name = x'7239' WHERE place = 2",
        "UPDATE request SET number = 3 WHERE place = 2",
        "UPDATE request SET number = 'x' WHERE place = 2",
        "UPDATE request SET place = 9 WHERE place = 2",
        "DELETE FROM request WHERE place = 2",
        "DELETE FROM request WHERE place = 4",
        "DELETE FROM request",
        "DROP TABLE request",
        "UPDATE tip SET links = 7",
        "DELETE FROM tip",
        "DROP TABLE tip",
        "DELETE FROM about",
        "DROP TABLE about",
        "DROP TABLE event",
    ],
)
def test_a_log_that_was_tampered_with_is_refused(path: Path, harm: str) -> None:
    with Session.create(path, X, **SMALL) as session:
        for i in range(4):
            session.tell(i, False, request=f"r{i}")
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
            session.tell(i, "yes" if TRUTH[i] else "no", request=f"r{i}")
        log, requests = session.log, session.requests
    sound = path.read_bytes()
    rng = np.random.default_rng(0)
    # Half of them where the log, the schema and the header are: all but the snapshot.
    places = np.concatenate([rng.integers(len(sound), size=40), rng.integers(9 * 4096, size=80)])
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
        assert opened.requests == requests
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
