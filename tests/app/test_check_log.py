"""The file of answers to checks: durable, for one process at a time, and never silently damaged."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from aluma import Audit
from aluma.app.check_log import CheckLog
from aluma.errors import BadInput, SessionError, SessionRolledBack
from aluma.session import high_water

ABOUT = {"file": "x", "tolerance": 0.05}


def audit() -> Audit:
    return Audit(["a", "b"] * 50)


def opened(path: Path, **about: Any) -> CheckLog:
    return CheckLog(path, ABOUT | about, audit())


def test_what_was_told_is_there_after_opening_again(tmp_path: Path) -> None:
    path = tmp_path / "checks.jsonl"
    with opened(path) as log:
        for number in range(4):
            log.tell(log.audit.ask(), "a", f"r{number}")
        log.undo("r4")
        told, following = log.audit.answers, log.audit.ask()
    with opened(path) as again:
        assert again.audit.answers == told
        assert again.audit.ask() == following
        assert again.version == 5
        assert all(again.knows(f"r{number}") for number in range(5))
        assert not again.knows("r5")


def test_only_one_at_a_time_in_this_process_or_another(tmp_path: Path) -> None:
    path = tmp_path / "checks.jsonl"
    code = (
        "import sys; from pathlib import Path; from aluma.locking import *\n"
        "try: locked_beside(Path(sys.argv[1]))\n"
        "except Exception as error: sys.exit(3 if is_held(error) else 4)"
    )
    command = [sys.executable, "-c", code, str(path)]
    paths = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    with opened(path):
        with pytest.raises(BadInput, match="in use: another aluma check"):
            opened(path)
        assert subprocess.run(command, env=paths, check=False).returncode == 3
    assert subprocess.run(command, env=paths, check=False).returncode == 0
    opened(path).close()


def test_an_unfinished_line_is_dropped_and_damage_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checks.jsonl"
    with opened(path) as log:
        example = log.audit.ask()
        log.tell(example, "a")
    sound = path.read_bytes()
    for rest in (b'{"example": 1', b"\xff", b"{}"):
        path.write_bytes(sound + rest)
        with opened(path) as log:
            assert log.audit.asked == 1
        assert path.read_bytes() == sound
    for line in ('{"example": 200, "answer": "a"}', '{"undo": 200}', "3", "{}", "no"):
        path.write_bytes(sound + line.encode() + b"\n")
        with pytest.raises(BadInput, match="is damaged"):
            opened(path)
    path.write_bytes(sound[:20])
    with pytest.raises(SessionRolledBack, match="older state"):
        opened(path)
    high_water.place(path).unlink()
    with opened(path) as log:
        assert log.audit.asked == 0
    with pytest.raises(BadInput, match=r"something else \(not the same: tolerance\)"):
        opened(path, tolerance=0.1)


def test_an_answer_that_cannot_be_written_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "checks.jsonl"
    with opened(path) as log:
        log.tell(log.audit.ask(), "a", "first")
        sound = path.read_bytes()

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            with pytest.raises(SessionError, match="No space left on device"):
                log.tell(log.audit.ask(), "a", "second")
            with pytest.raises(SessionError, match="nothing was recorded"):
                log.undo("third")
        assert log.audit.asked == 1
        assert not log.knows("second")
        assert path.read_bytes() == sound
        log.tell(log.audit.ask(), "a", "second")
    assert len(path.read_bytes().splitlines()) == 3


def test_a_file_that_somebody_else_changes_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "checks.jsonl"
    with opened(path) as log:
        path.write_bytes(path.read_bytes() + b"\n")
        with pytest.raises(SessionError, match="changed by another program"):
            log.tell(log.audit.ask(), "a")
        path.unlink()
        with pytest.raises(SessionError, match="cannot be written"):
            log.tell(log.audit.ask(), "a")
        assert not path.exists()


def test_places_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no folder"):
        opened(tmp_path / "nowhere" / "x")


def test_lines_are_plain_json(tmp_path: Path) -> None:
    path = tmp_path / "checks.jsonl"
    with opened(path) as log:
        example = log.audit.ask()
        log.tell(example, "ünï\u2028✓", "r")
    line = json.loads(path.read_text().split("\n")[1])
    assert len(line.pop("digest")) == 32
    assert line == {"example": example, "answer": "ünï\u2028✓", "request": "r"}
    opened(path).close()


def test_no_flipped_bit_or_lost_end_changes_an_answer_unnoticed(tmp_path: Path) -> None:
    path = tmp_path / "checks.jsonl"
    with opened(path) as log:
        for number in range(4):
            log.tell(log.audit.ask(), "a", f"r{number}")
        told = log.audit.answers
    sound = path.read_bytes()
    harmed = [sound[:place] for place in range(1, len(sound))]
    harmed += [
        sound[:place] + bytes([sound[place] ^ (1 << place % 8)]) + sound[place + 1 :]
        for place in range(len(sound))
    ]
    refused = 0
    for content in harmed:
        path.write_bytes(content)
        try:
            with opened(path) as log:
                assert log.audit.answers == told
                assert all(log.knows(f"r{number}") for number in range(4))
        except (BadInput, SessionError):
            refused += 1
            assert path.read_bytes() == content
    assert refused > len(harmed) // 2


def test_lines_from_before_there_were_digests_are_read_and_written_on(tmp_path: Path) -> None:
    path = tmp_path / "checks.jsonl"
    with opened(path) as log:
        example = log.audit.ask()
    path.write_text(f'{json.dumps(ABOUT)}\n{{"example": {example}, "answer": "a"}}\n')
    high_water.place(path).unlink()
    for asked in (1, 2):
        with opened(path) as log:
            assert log.audit.asked == asked
            log.tell(log.audit.ask(), "a")
