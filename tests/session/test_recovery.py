"""What is whole of a damaged session comes back, what is not is named, the file is left alone."""

import csv
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from aluma.cli import app
from aluma.errors import NotASession, SessionDamaged, SessionError, SessionLocked
from aluma.session import Session, recovery
from aluma.session.answer_file import AnswerFile
from aluma.session.answer_log import Entry
from sessions import SMALL, TRUTH, X, as_format_2

NAMES = ("no", "yes")


def begun(path: Path, answers: int = 12) -> tuple[Entry, ...]:
    with Session.create(path, X, classes=NAMES, slack="auto", **SMALL) as session:
        for i in range(answers):
            session.tell(i, NAMES[int(TRUTH[i])], request=f"r{i}")
        session.skip(40, label="yes", request="aside")
        session.skip(41, request="skip")
        session.undo(request="undo")
        session.change(2, NAMES[int(not TRUTH[2])], request="change")
        return session.log


def harmed(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER event_stays")
    connection.execute("DROP TRIGGER event_stays_as_it_is")
    assert connection.execute(statement).rowcount != 0
    connection.commit()
    # So that what was deleted is not found in the bytes, as it else would be.
    connection.execute("VACUUM")
    connection.close()


@pytest.mark.parametrize("old", [False, True])
def test_nothing_is_lost_of_what_is_whole(path: Path, old: bool) -> None:
    log = begun(path)
    if old:
        as_format_2(path)
    before = path.read_bytes()
    found = recovery.recovered(path)
    assert path.read_bytes() == before
    assert found.log() == list(log)
    assert (found.lost, found.last) == ([], len(log))
    counting = {example: entry.label for example, (_, entry) in found.answers().items()}
    with Session.open(path, X) as session:
        expected = {entry.example: entry.label for entry in session.kept}
    assert counting == expected


@pytest.mark.parametrize("page", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("old", [False, True])
def test_a_ruined_page_costs_no_more_than_what_stood_there(
    path: Path, page: int, old: bool
) -> None:
    log = begun(path)
    if old:
        as_format_2(path)
    content = bytearray(path.read_bytes())
    content[page * 4096 : page * 4096 + 120] = bytes(120)
    path.write_bytes(content)
    with pytest.raises(SessionError):
        AnswerFile.open(path)
    found = recovery.recovered(path)
    assert all(log[number - 1] == entry for number, entry in found.entries.items())
    # The beginning of a page holds no entries, and only one page holds what it is about.
    assert len(found.entries) == len(log)
    assert path.read_bytes() == content


def test_what_is_lost_is_named_and_the_rest_goes_on(path: Path) -> None:
    log = begun(path)
    harmed(path, "UPDATE event SET label = '\"yes\"', time = 'x' WHERE number = 5")
    with pytest.raises(SessionDamaged, match="aluma recover"):
        Session.open(path, X)
    content = path.read_bytes()
    result = CliRunner().invoke(app, ["recover", str(path)])
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert f"{len(log) - 1} entries of {len(log)} are whole. Lost: 1 (5)." in said
    assert path.read_bytes() == content
    new = path.with_name("answers-recovered.aluma")
    with new.with_suffix(".csv").open(newline="") as file:
        rows = {int(row["example"]): row for row in csv.DictReader(file)}
    assert sorted(rows) == [0, 1, 2, 3, *range(5, 12), 40]
    assert rows[2]["answer"] == NAMES[int(not TRUTH[2])]
    assert (rows[40]["answer"], rows[40]["kept_as"]) == ("yes", "exception")
    with Session.open(new, X) as session:
        assert set(session.answered.tolist()) == {0, 1, 2, 3, *range(5, 12)}
        assert session.exceptions == {40: "yes"}
        assert session.knows("r0")
        assert not any(entry.check for entry in session.log)
        session.tell(4, NAMES[int(TRUTH[4])])
    again = CliRunner().invoke(app, ["recover", str(path)])
    assert again.exit_code == 2
    assert "exists already" in again.output


def test_entries_are_missed_at_the_end_if_there_is_a_mark(path: Path) -> None:
    log = begun(path)
    harmed(path, f"DELETE FROM event WHERE number > {len(log) - 2}")
    found = recovery.recovered(path)
    assert found.lost == [len(log) - 1, len(log)]


@pytest.mark.parametrize("old", [False, True])
def test_nothing_is_invented_whatever_is_flipped_or_cut(path: Path, old: bool) -> None:
    log = begun(path)
    if old:
        as_format_2(path)
    sound, rng = path.read_bytes(), np.random.default_rng(5)
    lost = []
    for number in range(60):
        content = bytearray(sound)
        if number % 3:
            for place in rng.integers(8 * 4096, size=number):
                content[place] ^= 1 << int(rng.integers(8))
        else:
            del content[int(rng.integers(len(sound))) :]
        file = path.with_name(f"harmed-{number}")
        file.write_bytes(content)
        try:
            found = recovery.recovered(file)
        except NotASession:
            continue
        assert all(log[n - 1] == entry for n, entry in found.entries.items())
        lost.append(len(log) - len(found.entries))
    assert 0 in lost
    assert max(lost) > 0


def test_one_flipped_bit_costs_one_entry_at_most(path: Path) -> None:
    log = begun(path)
    sound, rng = path.read_bytes(), np.random.default_rng(6)
    for number, place in enumerate(rng.integers(len(sound), size=80)):
        content = bytearray(sound)
        content[place] ^= 1 << int(rng.integers(8))
        file = path.with_name(f"harmed-{number}")
        file.write_bytes(content)
        assert len(recovery.recovered(file).entries) >= len(log) - 1


def test_an_answer_longer_than_a_page_comes_back(path: Path) -> None:
    with Session.create(path, X, classes=("no", "x" * 9000), **SMALL) as session:
        session.tell([0, 1], ["x" * 9000, "no"])
        log = session.log
    assert recovery.recovered(path).log() == list(log)


def test_what_holds_nothing_or_is_in_use_is_refused(path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="check the name"):
        recovery.recovered(path)
    for content in (b"", b"name,label\n" * 999):
        path.write_bytes(content)
        with pytest.raises(NotASession, match=r"nothing in .* is a whole record"):
            recovery.recovered(path)
    path.unlink()
    with Session.create(path, X, **SMALL), pytest.raises(SessionLocked, match="is in use"):
        recovery.recovered(path)


def test_what_is_kept_beside_the_answers_comes_back(path: Path) -> None:
    notes = {f"note {i}": f"the note about {i} " * 6 for i in range(3)}
    with Session.create(path, X, classes=NAMES, **SMALL) as session:
        session.tell(0, NAMES[int(TRUTH[0])])
        session.keep_beside(notes)
    found = recovery.recovered(path)
    assert (dict(found.beside), found.uncertain) == (notes, ())
    content = path.read_bytes()
    # Two copies: the row, and its index by name, which has no text.
    harmed_bytes = content.replace(b"the note about 1", b"the note about 7", 1)
    assert harmed_bytes != content
    path.write_bytes(harmed_bytes)
    with pytest.raises(SessionDamaged, match="kept beside"):
        Session.open(path, X)
    found = recovery.recovered(path)
    assert dict(found.beside) == {name: notes[name] for name in ("note 0", "note 2")}
    assert found.uncertain == ("note 1",)
    result = CliRunner().invoke(app, ["recover", str(path)])
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert "2 texts kept beside the answers are whole." in said
    assert "Lost, or perhaps not as they were last: note 1." in said
    new = path.with_name("answers-recovered.aluma")
    with new.with_suffix(".csv").open(newline="") as file:
        rows = {int(row["example"]): row for row in csv.DictReader(file)}
    assert rows[0]["note"] == notes["note 0"]
    assert (rows[2]["answer"], rows[2]["note"]) == ("", notes["note 2"])
    with Session.open(new, X) as session:
        assert session.beside == dict(found.beside)


def test_notes_are_found_in_the_bytes_where_their_table_is_lost(path: Path) -> None:
    with Session.create(path, X, classes=NAMES, **SMALL) as session:
        session.tell(0, NAMES[int(TRUTH[0])])
        session.keep_beside({"note 1": "a text"})
    content = path.read_bytes()
    # The schema no longer knows the table, the rows are where they were.
    path.write_bytes(content.replace(b"CREATE TABLE beside", b"CREATE TABLF beside"))
    found = recovery.recovered(path)
    assert dict(found.beside) == {"note 1": "a text"}
    assert found.uncertain == ("note 1",)
