"""Power loss: what a disk may hold if writes that were not synced are dropped, at every moment.

A process that answers is watched by strace. Its system calls are carried out again on a disk that
is only simulated: what was not synced is lost or not, write by write, at random; names of files are
made, moved and deleted in order, but reach the disk only when their folder is synced. (A real disk
does not split a write of some kilobytes in so many ways; this one is worse.) After every call the
power is cut, and the files are opened as after a restart.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from aluma.errors import BadInput, SessionError
from aluma.lab.bench.attack_durability import Attacked, begin
from aluma.lab.bench.attack_tally import Tally

CALLS = "openat,close,write,pwrite64,ftruncate,fsync,fdatasync,unlink,rename,link,lseek"
#: Answers that are watched, moves to another slack, and how often the power is cut after each call.
ANSWERS, MOVES, CUTS = 12, 3, 3
#: Times as many cuts when nothing is written any more.
AFTERWARDS = 5
#: Answers as fast as it can, and says so after each.
CHILD = """
import os, sys
from pathlib import Path
from aluma.app.check_log import CheckLog
from aluma.app.slack import loosened
from aluma.lab.bench import attack_durability as attack
from aluma.session import Session
kind, path, number = sys.argv[1:]
X = attack.pool()
os.write(1, b"begin\\n")
if kind == "checks":
    with CheckLog(Path(path), dict(attack.ABOUT), attack.audit()) as log:
        for i in range(int(number)):
            log.tell(log.audit.ask(), attack.LABELS[i % 2], f"r{i}")
            os.write(1, b"kept %d\\n" % (i + 1))
elif kind == "slack":
    session = Session.open(path, X)
    for i in range(int(number)):
        session = loosened(session, f"r{i}")
        os.write(1, b"kept %d\\n" % (i + 1))
else:
    with Session.open(path, X) as session:
        for i in range(int(number)):
            session.tell(i, attack.LABELS[int(X[i, 0] > 0)], request=f"r{i}")
            os.write(1, b"kept %d\\n" % (i + 1))
"""
_CALL = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+)")
_STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass
class Content:
    """What is in a file, and what of it has not reached the disk."""

    durable: bytes = b""
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)

    def now(self) -> bytes:
        """Return what a program reads."""
        return self.after(self.pending)

    def after(self, writes: list[tuple[int, bytes | None]]) -> bytes:
        """Return what is there after some writes; one without bytes cuts the file off."""
        raw = bytearray(self.durable)
        for place, part in writes:
            if part is None:
                raw = raw[:place].ljust(place, b"\0")
            else:
                raw = raw.ljust(place, b"\0")
                raw[place : place + len(part)] = part
        return bytes(raw)

    def sync(self) -> None:
        """Have everything on the disk."""
        self.durable, self.pending = self.now(), []


class Disk:
    """A folder that is simulated: names and contents, as programs see them and as they last."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._now = {one.name: Content(one.read_bytes()) for one in folder.iterdir()}
        self._durable = dict(self._now)
        self._steps: list[dict[str, Content]] = []
        self._files: dict[int, tuple[Content | None, bool]] = {}
        self._places: dict[int, int] = {}

    def call(self, name: str, arguments: str, result: int) -> bool:
        """Carry out a system call, and say whether it was about the folder."""
        texts = [bytes.fromhex(one.replace("\\x", "")) for one in _STRING.findall(arguments)]
        numbers = [int(one) for one in re.findall(r"(?<![\w\"\\])-?\d+(?![\w\"])", arguments)]
        if name == "openat":
            return self._open(texts[0].decode(), arguments, result)
        if name in ("unlink", "rename", "link"):
            return result == 0 and self._rename(name, [one.decode() for one in texts])
        file = int(arguments.split(",", maxsplit=1)[0])
        if file not in self._files:
            return False
        content, appending = self._files[file]
        if name == "close":
            del self._files[file]
        elif content is None:
            # The folder itself, whose names reach the disk.
            self._durable, self._steps = dict(self._now), []
        elif name in ("fsync", "fdatasync"):
            content.sync()
        elif name == "ftruncate":
            content.pending.append((numbers[-1], None))
        elif name == "lseek":
            self._places[file] = result
        elif name == "pwrite64":
            content.pending.append((numbers[-1], texts[0]))
        else:
            place = len(content.now()) if appending else self._places[file]
            content.pending.append((place, texts[0]))
            self._places[file] = place + len(texts[0])
        return True

    def cut(self, place: Path, rng: np.random.Generator) -> None:
        """Write into a folder what may be left when the power is cut now."""
        names = [self._durable, *self._steps][int(rng.integers(len(self._steps) + 1))]
        for name, content in names.items():
            share = rng.choice([0.0, 0.5, 1.0])
            kept = [one for one in content.pending if rng.random() < share]
            (place / name).write_bytes(content.after(kept))

    def _open(self, path: str, flags: str, result: int) -> bool:
        if Path(path) == self.folder:
            self._files[result] = None, False
            return True
        if Path(path).parent != self.folder or result < 0:
            return False
        name = Path(path).name
        if name not in self._now:
            self._now[name] = Content()
            self._steps.append(dict(self._now))
        if "O_TRUNC" in flags:
            self._now[name].pending.append((0, None))
        self._files[result] = self._now[name], "O_APPEND" in flags
        self._places[result] = 0
        return True

    def _rename(self, name: str, paths: list[str]) -> bool:
        """Take a name away, or give one, or both."""
        if Path(paths[0]).parent != self.folder or Path(paths[0]).name not in self._now:
            return False
        content = self._now[Path(paths[0]).name]
        if name != "link":
            del self._now[Path(paths[0]).name]
        if len(paths) == 2:
            self._now[Path(paths[1]).name] = content
        self._steps.append(dict(self._now))
        return True


def watches() -> bool:
    """Say whether processes can be watched here."""
    tool = shutil.which("strace")
    return (
        tool is not None
        and not subprocess.run(
            [tool, "-o", os.devnull, sys.executable, "-c", ""], capture_output=True, check=False
        ).returncode
    )


#: What is written while the power is cut.
KINDS = ("session", "checks", "slack")


def power(
    folder: Path, rng: np.random.Generator, cuts: int = CUTS, kinds: Sequence[str] = KINDS
) -> list[Tally]:
    """Cut the power after every call of a process that answers, so often each."""
    return [cut(folder, kind, rng, cuts) for kind in kinds] if watches() else []


def cut(folder: Path, kind: str, rng: np.random.Generator, cuts: int = CUTS) -> Tally:
    """Cut the power after every call of a process that answers a session, or checks."""
    tally = Tally(f"power cut: {kind}")
    work = folder / f"power-{kind}"
    work.mkdir()
    path = work / "answers"
    begin(kind, path)
    disk, calls = Disk(work), _watched(kind, path, folder / f"{kind}.strace")
    kept = 0
    for name, arguments, result in calls:
        text = _STRING.search(arguments)
        if name == "write" and arguments.startswith("1,") and text:
            kept = _kept(bytes.fromhex(text.group(1).replace("\\x", "")), kept)
        elif disk.call(name, arguments, result):
            for _ in range(cuts):
                _restart(disk, folder / "restart", kind, kept, rng, tally)
    # What was said last has to last too.
    for _ in range(AFTERWARDS * cuts):
        _restart(disk, folder / "restart", kind, kept, rng, tally)
    if kept != (MOVES if kind == "slack" else ANSWERS):
        tally.fail(f"only {kept} answers were seen")
    return tally


def _kept(said: bytes, before: int) -> int:
    return int(said.split()[1]) if said.startswith(b"kept") else before


def _restart(
    disk: Disk, place: Path, kind: str, kept: int, rng: np.random.Generator, tally: Tally
) -> None:
    """Cut the power, open what is left, and compare it with what was said to be kept."""
    place.mkdir()
    disk.cut(place, rng)
    attacked = Attacked(kind, place / "answers")
    try:
        found, wrong = attacked.found()
        if wrong is not None:
            tally.fail(wrong)
        elif not kept <= found <= kept + 1:
            tally.fail(f"{kept} answers were kept and {found} found")
        else:
            tally.count("nothing lost, doubled or invented")
    except (SessionError, BadInput) as error:
        tally.fail(f"refused: {error}")
    shutil.rmtree(place)


def _watched(kind: str, path: Path, log: Path) -> list[tuple[str, str, int]]:
    """Return the calls of a process that answers, from the moment on that it begins to."""
    watching = ["strace", "-xx", "-s", "100000", "-e", f"trace={CALLS}", "-o", str(log)]
    number = MOVES if kind == "slack" else ANSWERS
    answering = [sys.executable, "-c", CHILD, kind, str(path), str(number)]
    subprocess.run([*watching, *answering], check=True, stdout=subprocess.DEVNULL)
    found = [_CALL.match(line) for line in log.read_text().splitlines()]
    calls = [(one[1], one[2], int(one[3])) for one in found if one]
    said = "".join(f"\\x{byte:02x}" for byte in b"begin\n")
    begun = next(i for i, (_, arguments, _) in enumerate(calls) if said in arguments)
    return calls[begun + 1 :]
