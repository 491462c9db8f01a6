"""An older state in the place of a newer one is noticed; a copy elsewhere is not held up."""

import shutil
from pathlib import Path

import pytest

from aluma.errors import SessionRolledBack
from aluma.session import Session, high_water
from sessions import SMALL, TRUTH, X

BOTH = {"classes": (False, True), **SMALL}


def tell(path: Path, examples: range, request: str | None = None) -> None:
    with Session.open(path, X) as session:
        for i in examples:
            session.tell(i, bool(TRUTH[i]), request=None if request is None else f"{request}{i}")


@pytest.fixture
def older(path: Path) -> Path:
    """Return a copy of a session that has gone on since."""
    Session.create(path, X, **BOTH).close()
    tell(path, range(3), "r")
    copy = path.with_name("copy.aluma")
    shutil.copy(path, copy)
    tell(path, range(3, 6), "r")
    return copy


def test_an_older_state_in_its_place_is_refused(path: Path, older: Path) -> None:
    newer = path.read_bytes()
    shutil.copy(older, path)
    for _ in range(2):
        with pytest.raises(SessionRolledBack, match=r"holds 3 entries, and 6 had been.*newer file"):
            Session.open(path, X)
    path.write_bytes(newer)
    tell(path, range(6, 7))


def test_one_that_went_on_from_an_older_state_is_refused(path: Path, older: Path) -> None:
    tell(older, range(10, 17))
    shutil.copy(older, path)
    with pytest.raises(SessionRolledBack, match="went another way: up to entry 6"):
        Session.open(path, X)


def test_another_session_in_its_place_is_refused_until_the_mark_is_deleted(
    path: Path, older: Path
) -> None:
    older.unlink()
    Session.create(older, X, **BOTH).close()
    shutil.copy(older, path)
    with pytest.raises(SessionRolledBack, match=r"not the session .* delete .*\.mark"):
        Session.open(path, X)
    high_water.place(path).unlink()
    tell(path, range(2))


def test_a_copy_elsewhere_and_a_mark_left_behind_are_fine(path: Path, older: Path) -> None:
    tell(older, range(3, 4))
    high_water.place(path).rename(path.with_name("elsewhere"))
    tell(path, range(6, 7))
    # One behind, as after a crash between an answer and its mark.
    shutil.copy(path.with_name("elsewhere"), high_water.place(path))
    tell(path, range(7, 8))


def test_a_new_session_has_a_mark_of_its_own(path: Path, older: Path) -> None:
    path.unlink()
    Session.create(path, X, **BOTH).close()
    tell(path, range(1))


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"marks": {"a": [1]}}', b"\xff" * 99])
def test_a_mark_that_cannot_be_read_keeps_nobody_from_the_answers(
    path: Path, older: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    high_water.place(path).write_bytes(content)
    tell(path, range(6, 7))
    assert "left out of account" in caplog.text
    assert len(high_water.read(path)) == 1


def test_a_mark_that_cannot_be_written_loses_no_answer(
    path: Path, older: Path, caplog: pytest.LogCaptureFixture
) -> None:
    high_water.place(path).unlink()
    high_water.place(path).mkdir()
    tell(path, range(6, 7))
    assert "may go unnoticed" in caplog.text
    with Session.open(path, X) as session:
        assert session.n_answers == 7


def test_a_flipped_bit_of_a_mark_changes_nothing_it_says(path: Path, older: Path) -> None:
    mark = high_water.place(path)
    sound, marks = mark.read_bytes(), high_water.read(path)
    for place in range(len(sound)):
        mark.write_bytes(sound[:place] + bytes([sound[place] ^ 1]) + sound[place + 1 :])
        assert high_water.read(path) in ({}, marks)
