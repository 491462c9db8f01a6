"""A pool, its teacher, and what tests of sessions do with them."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest

from aluma import Exhausted
from aluma.learners.learner import Learner
from aluma.sampling import population
from aluma.session import (
    Session,
)

RNG = np.random.default_rng(7)
X = RNG.standard_normal((60, 3))
TARGET = RNG.standard_normal(3)
TRUTH = X @ TARGET > 0
#: One block of chains: as cheap as a population can be.
SMALL = {"n_hypotheses": 200, "random_state": 3}


def told(session: Session | Learner, n: int) -> None:
    """Let the target answer n questions."""
    for _ in range(n):
        i = session.ask()
        session.tell(i, bool(TRUTH[i]))


def crash(session: Session) -> None:
    """End a session as a killed process would: nothing is written any more."""
    session._file.close()


def assert_same(one: Learner, other: Learner) -> None:
    """Compare two learners bit by bit."""
    assert one.history == other.history
    assert list(one.labels.signs.items()) == list(other.labels.signs.items())
    # Asked of the space, since streams have no standing of their own.
    standing, expected = one.parts.space.standing, other.parts.space.standing
    assert standing.examples == expected.examples
    assert (standing.slack, standing.conflict) == (expected.slack, expected.conflict)
    mine, theirs = standing.state, expected.state
    for a, b in (
        (mine.points, theirs.points),
        (mine.cone.walls, theirs.cone.walls),
        (mine.cone.basis, theirs.cone.basis),
        (mine.cone.coordinates, theirs.cone.coordinates),
    ):
        assert a.shape == b.shape
        assert a.tobytes("A") == b.tobytes("A")
        assert a.flags.c_contiguous == b.flags.c_contiguous
    for name in ("key", "length", "paced_at", "log_volume", "mixing"):
        # NaN is one of the values of mixing.
        assert repr(getattr(mine, name)) == repr(getattr(theirs, name))
    assert next_question(one) == next_question(other)


def next_question(learner: Learner | Session) -> int | str:
    try:
        return int(learner.ask())
    except Exhausted as nothing:
        return str(nothing)


def as_format_2(path: Path) -> None:
    """Rewrite a session's file as aluma wrote it before names of requests were in the chain."""
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER event_stays_as_it_is")
    about = connection.execute("SELECT name, value FROM about WHERE name != 'digest'").fetchall()
    link = _digest(json.dumps(sorted(map(list, about))).encode())
    for number, *fields in connection.execute(
        "SELECT number, kind, example, label, known, factor, time FROM event ORDER BY number"
    ).fetchall():
        link = _digest(link + json.dumps([number, *fields]).encode())
        connection.execute("UPDATE event SET digest = ? WHERE number = ?", (link, number))
    names = connection.execute("SELECT name, number FROM request").fetchall()
    connection.execute("DROP TABLE request")
    connection.execute("DROP TABLE tip")
    connection.execute("CREATE TABLE request (name TEXT PRIMARY KEY, number INTEGER NOT NULL)")
    connection.executemany("INSERT INTO request VALUES (?, ?)", names)
    connection.execute("PRAGMA user_version = 2")
    connection.commit()
    connection.close()
    path.with_name(f"{path.name}.mark").unlink()


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


@contextmanager
def counted_absorptions() -> Iterator[list[int]]:
    """Count how many answers populations absorb."""
    calls: list[int] = []
    original = population.absorb
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(population, "absorb", lambda *args: calls.append(1) or original(*args))
        yield calls
