"""Damage: the files of a session and of a check, cut off, flipped, overwritten and put back.

Each must be refused with the way out, or be harmless: the same answers, the same names of requests.
What is refused is recovered, and must bring back every entry whose bytes are still there.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from aluma.app import check_recovery
from aluma.app.check_log import CheckLog
from aluma.app.curve import Curve
from aluma.app.features import Features
from aluma.app.opening import Wanted, opened
from aluma.app.rows import UNREADABLE
from aluma.app.shapes import Figures
from aluma.errors import BadInput, SessionError
from aluma.lab.bench.attack_tally import Tally
from aluma.promises.audit import Audit
from aluma.session import carving, high_water, recovery
from aluma.session.answer_file import AnswerFile

Random: TypeAlias = np.random.Generator
LABELS = ("no", "yes")
#: Answers in the session that is damaged, and checks in the log.
ANSWERS, CHECKS = 24, 24
#: Bytes of a session's file that hold what it is about and its log, about.
BEGINNING = 2**16
#: What is being checked.
ABOUT = {"file": "x", "tolerance": 0.05}


def damages(folder: Path, number: int, rng: Random) -> list[Tally]:
    """Damage each kind of file so often, and see what becomes of it."""
    session, states = _session(folder)
    checks = _checks(folder)
    features, curve = session.with_suffix(".features.npz"), session.with_suffix(".curve.jsonl")
    return [
        _each(session, number, rng, "session", _session_opens(session)),
        _each(features, number, rng, "features", _features_open(features)),
        _each(curve, number, rng, "curve", _curve_opens),
        _each(high_water.place(session), number // 4, rng, "mark", _mark_opens(session)),
        _each(checks, number // 2, rng, "checks", _checks_open(checks)),
        _rollbacks(session, states),
    ]


def harmed(content: bytes, rng: Random) -> bytes:
    """Return bytes that are cut off, or have some flipped or overwritten."""
    # Half of the places where a session has its log; what follows is mostly a snapshot.
    reach = min(len(content), BEGINNING) if rng.random() < 0.5 else len(content)
    kind, place = rng.integers(4), int(rng.integers(reach))
    if kind == 0:
        return content[:place]
    changed = bytearray(content)
    if kind == 1:
        changed[place] ^= 1 << int(rng.integers(8))
    else:
        size = min(int(rng.integers(1, 600)), len(content) - place)
        changed[place : place + size] = bytes(size) if kind == 2 else rng.bytes(size)
    return bytes(changed)


def _each(
    path: Path, number: int, rng: Random, name: str, opens: Callable[[Path, bytes], str]
) -> Tally:
    """Damage a file so often in a folder of its own, and count how opening it ends."""
    tally, content = Tally(f"damage: {name}"), path.read_bytes()
    beside = high_water.place(path)
    for _ in range(number):
        folder = path.parent / "harmed"
        folder.mkdir()
        copy = folder / path.name
        if beside.exists():
            shutil.copy(beside, high_water.place(copy))
        changed = harmed(content, rng)
        copy.write_bytes(changed)
        try:
            tally.count(opens(copy, changed))
        except AssertionError as wrong:
            tally.fail(f"{name}: {wrong}")
        except Exception as error:  # noqa: BLE001 - whatever it is, it is no refusal
            tally.fail(f"{name}: {type(error).__name__}: {error}")
        shutil.rmtree(folder)
    return tally


def _session_opens(sound: Path) -> Callable[[Path, bytes], str]:
    content = sound.read_bytes()
    file = AnswerFile.open(sound)
    file.close()
    expected = (file.about, file.entries, file.requests, file.beside)
    spans = _spans(content)

    def opens(path: Path, changed: bytes) -> str:
        try:
            one = AnswerFile.open(path)
        except SessionError as refused:
            _has_way_out(str(refused))
            return _recovers(path, changed)
        one.close()
        if (one.about, one.entries, one.requests, one.beside) != expected:
            raise AssertionError("it was opened with other answers")
        return "harmless"

    def _recovers(path: Path, changed: bytes) -> str:
        before = path.read_bytes()
        try:
            found = recovery.recovered(path)
        except SessionError:
            found = recovery.Recovered(None, {}, (), 0)
        if path.read_bytes() != before:
            raise AssertionError("recovering changed the file")
        if any(expected[1][n - 1] != entry for n, entry in found.entries.items()):
            raise AssertionError("an entry was recovered that nobody wrote")
        if any(expected[3].get(name) != text for name, text in found.beside.items()):
            raise AssertionError("a note was recovered that nobody wrote")
        whole = {n for n, places in spans.items() if _intact(content, changed, places)}
        if whole - set(found.entries):
            raise AssertionError(f"entries {whole - set(found.entries)} are whole and were missed")
        lost = len(expected[1]) - len(found.entries) + len(expected[3]) - len(found.beside)
        return "refused, all recovered" if not lost else "refused, some lost"

    return opens


def _spans(content: bytes) -> dict[int, list[tuple[int, int]]]:
    """Return where the bytes of every entry are, by its number."""
    spans: dict[int, list[tuple[int, int]]] = {}
    for number, *fields, digest in carving.entries(content):
        # Texts, and at most 24 bytes for the header, the key and the numbers.
        size = sum(len(one.encode()) for one in fields if isinstance(one, str)) + len(digest) + 24
        end = content.find(digest) + len(digest)
        spans.setdefault(number, []).append((end - size, end))
    return spans


def _intact(content: bytes, changed: bytes, places: list[tuple[int, int]]) -> bool:
    return any(content[a:b] == changed[a:b] for a, b in places)


def _features_open(sound: Path) -> Callable[[Path, bytes], str]:
    expected, digest = Features.load(sound)

    def opens(path: Path, _: bytes) -> str:
        try:
            found, of = Features.load(path)
        except UNREADABLE:
            return "refused"
        same = np.array_equal(found.X, expected.X) and of == digest
        if not same or found.notes != expected.notes:
            raise AssertionError("other features were read")
        for one, other in zip(found.blocks, expected.blocks, strict=True):
            if one.about != other.about or not np.array_equal(one.map, other.map):
                raise AssertionError("other features were read")
        return "harmless"

    return opens


def _curve_opens(path: Path, _: bytes) -> str:
    Curve(path).points  # noqa: B018 - it must not raise: what cannot be read is left out
    return "harmless"


def _mark_opens(session: Path) -> Callable[[Path, bytes], str]:
    expected = high_water.read(session)

    def opens(path: Path, _: bytes) -> str:
        found = high_water.read(path.with_name(path.name.removesuffix(".mark")))
        if found not in ({}, expected):
            raise AssertionError("another mark was read")
        return "harmless" if found else "left out of account"

    return opens


def _checks_open(sound: Path) -> Callable[[Path, bytes], str]:
    with CheckLog(sound, dict(ABOUT), _audit()) as log:
        expected = (log.audit.answers, log.version)
    lines = sound.read_bytes().split(b"\n")[:-1]

    def opens(path: Path, changed: bytes) -> str:
        try:
            with CheckLog(path, dict(ABOUT), _audit()) as one:
                found = (one.audit.answers, one.version)
                known = all(one.knows(f"c{number}") for number in range(CHECKS))
        except (SessionError, BadInput) as refused:
            _has_way_out(str(refused))
            if path.read_bytes() != changed:
                raise AssertionError("a file that was refused has changed") from refused
            return _checks_recovered(path, lines)
        if found != expected or not known:
            raise AssertionError("it was opened with other answers")
        return "harmless"

    return opens


def _checks_recovered(path: Path, lines: list[bytes]) -> str:
    """See that every line comes back that is whole, as is the one before, and no other."""
    now = path.read_bytes().split(b"\n")[:-1]
    try:
        recovered: Iterable[dict[str, Any]] = check_recovery.recovered(path).lines.values()
    except SessionError:
        recovered = ()
    # By what they say: where an end of a line is lost, the numbers are others.
    found = {json.dumps(line) for line in recovered}
    said = [_said(line) for line in lines]
    if found - set(said[1:]):
        raise AssertionError("a check was recovered that nobody wrote")
    left = set(pairwise(now))
    whole = {said[n] for n in range(1, len(lines)) if (lines[n - 1], lines[n]) in left}
    if whole - found:
        raise AssertionError(f"{whole - found} are whole and were missed")
    return "refused, all recovered" if len(found) == len(lines) - 1 else "refused, some lost"


def _said(raw: bytes) -> str:
    line = json.loads(raw)
    line.pop("digest")
    return json.dumps(line)


def _rollbacks(session: Path, states: list[bytes]) -> Tally:
    """Put back every older state in the place of the last, and elsewhere."""
    tally, last = Tally("an older state of the file"), session.read_bytes()
    elsewhere = session.with_name("elsewhere.aluma")
    for number, older in enumerate(states[:-1]):
        session.write_bytes(older)
        try:
            AnswerFile.open(session).close()
            tally.fail(f"the state after {number} answers was opened in the place of the last")
        except SessionError as refused:
            _has_way_out(str(refused))
            tally.count("refused in its place")
        elsewhere.write_bytes(older)
        AnswerFile.open(elsewhere).close()
        high_water.place(elsewhere).unlink()
        tally.count("opened elsewhere, without a mark")
    session.write_bytes(last)
    return tally


def _has_way_out(message: str) -> None:
    """Refuse a refusal that does not say what to do."""
    ways = ("copy", "recover", "check the name", "Put", "put", "restore", "begin", "upgrade",
            "delete")  # fmt: skip
    if not any(way in message for way in ways):
        raise AssertionError(f"no way out: {message}")


def _session(folder: Path) -> tuple[Path, list[bytes]]:
    """Answer some questions of a page, and return its session and the states that it had."""
    rng = np.random.default_rng(0)
    source, session = folder / "points.csv", folder / "points.aluma"
    X = rng.standard_normal((200, 3)).round(3)
    lines = [f"n{i},{','.join(map(str, x))}" for i, x in enumerate(X.tolist())]
    source.write_text("\n".join(["name,a,b,c", *lines]) + "\n")
    desk = opened(Wanted(source, session, no=LABELS[0], yes=LABELS[1], hypotheses=200)).desk
    try:
        for i in range(ANSWERS):
            desk.answer(f"r{i}", i, LABELS[int(X[i, 0] > 0)])
            if i % 4 == 0:
                desk.note(f"n{i}", i, f"a note about {i}, " * 5)
    finally:
        desk.close()
    # The page draws it when it has time to; here it is to be there.
    curve = Curve(session.with_suffix(".curve.jsonl"))
    for answers in range(1, 200):
        seen = {"answers": answers, "determined": answers, "error_bound": 1 / answers}
        curve.add(Figures.model_validate(seen))
    return session, _states(session)


def _states(session: Path) -> list[bytes]:
    """Return the file as it was after every entry: a log only grows, so it can be built again."""
    found = recovery.recovered(session)
    copy = session.with_name("states.aluma")
    assert found.about is not None
    file, states = AnswerFile.create(copy, found.about), []
    for number in sorted(found.entries):
        file.append([found.entries[number]], f"r{number - 1}")
        # Between two answers everything is in the one file.
        file.close()
        states.append(copy.read_bytes())
        file = AnswerFile.open(copy)
    file.close()
    copy.unlink()
    high_water.place(copy).unlink()
    return states


def _checks(folder: Path) -> Path:
    """Answer some checks, and return their log."""
    path = folder / "points.csv.checks.jsonl"
    with CheckLog(path, dict(ABOUT), _audit()) as log:
        for number in range(CHECKS):
            log.tell(log.audit.ask(), LABELS[number % 2], f"c{number}")
    return path


def _audit() -> Audit:
    return Audit(LABELS * 100)
