"""What is whole of a damaged file of checks comes back; the file itself is left alone."""

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aluma import Audit
from aluma.app import check_recovery
from aluma.app.check_log import CheckLog
from aluma.cli import app
from aluma.errors import BadInput, NotASession, SessionLocked

ABOUT = {"file": "x", "tolerance": 0.0}


def audit() -> Audit:
    return Audit(["a", "b"] * 20, tolerance=0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file of eight checks, one of which was taken back."""
    kept = tmp_path / "things.csv.checks.jsonl"
    with CheckLog(kept, dict(ABOUT), audit()) as log:
        for number in range(8):
            log.tell(log.audit.ask(), "ab"[number % 2], f"r{number}")
        log.undo("undo")
    return kept


def harmed(path: Path, line: int, old: bytes, new: bytes) -> bytes:
    lines = path.read_bytes().split(b"\n")
    assert old in lines[line]
    lines[line] = lines[line].replace(old, new)
    path.write_bytes(b"\n".join(lines))
    return path.read_bytes()


def test_a_whole_file_comes_back_whole(path: Path) -> None:
    found = check_recovery.recovered(path)
    assert found.about == ABOUT
    assert (found.lost, found.last, found.beginning) == ([], 9, path.read_bytes())
    assert len(found.answers()) == 7


def test_a_changed_answer_costs_itself_and_the_rest_comes_back(path: Path) -> None:
    order = audit().coming(8).tolist()
    content = harmed(path, 4, b'"answer": "b"', b'"answer": "a"')
    with pytest.raises(BadInput, match="aluma recover"):
        CheckLog(path, dict(ABOUT), audit())
    result = CliRunner().invoke(app, ["recover", str(path)])
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert "8 entries of 9 are whole. Lost: 1 (4)." in said
    assert "goes on after the first 3 entries, and asks again what came after" in said
    assert path.read_bytes() == content
    new = path.with_name("things.csv.checks-recovered.jsonl")
    with new.with_suffix(".csv").open(newline="") as file:
        rows = {int(row["example"]): row["answer"] for row in csv.DictReader(file)}
    assert rows == {order[i]: "ab"[i % 2] for i in range(7) if i != 3}
    with CheckLog(new, dict(ABOUT), audit()) as log:
        assert log.audit.answers == ("a", "b", "a")
        assert log.knows("r2")
        assert log.audit.ask() == order[3]


def test_a_lost_digest_costs_the_next_line_too_and_nothing_is_guessed(path: Path) -> None:
    harmed(path, 2, b'"digest": "', b'"digest": "x')
    found = check_recovery.recovered(path)
    assert found.lost == [2, 3]
    harmed(path, 0, b'"x"', b'"y"')
    result = CliRunner().invoke(app, ["recover", str(path)])
    assert "what the old one is about is lost" in " ".join(result.output.split())


def test_lines_that_are_gone_are_missed_by_the_mark(path: Path) -> None:
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join(lines[:5]) + b"\n")
    assert check_recovery.recovered(path).lost == [5, 6, 7, 8, 9]


def test_lines_from_before_digests_are_vouched_for_by_the_first_that_has_one(path: Path) -> None:
    old = path.with_name("old.jsonl")
    old.write_text('{"file": "x", "tolerance": 0.0}\n{"example": 1, "answer": "a"}\n')
    assert list(check_recovery.recovered(old).answers()) == [1]
    harmed(path, 0, b'"digest"', b'"digesu"')
    assert check_recovery.recovered(path).about is None


def test_what_holds_nothing_or_is_in_use_is_refused(path: Path) -> None:
    nothing = path.with_name("nothing.jsonl")
    with pytest.raises(FileNotFoundError, match="check the name"):
        check_recovery.recovered(nothing)
    nothing.write_bytes(b"name,label\n" * 9)
    with pytest.raises(NotASession, match="is a whole line"):
        check_recovery.recovered(nothing)
    with CheckLog(path, dict(ABOUT), audit()), pytest.raises(SessionLocked, match="is in use"):
        check_recovery.recovered(path)
