"""Edits: a table that has changed since its session began must be refused, with what has changed.

And its answers can be carried over by the column that names the rows: those about rows that are
still there, each to its own row, and no others.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np

from aluma.app.opening import Wanted, opened
from aluma.errors import AlumaError
from aluma.lab.bench.attack_tally import Tally

Rows: TypeAlias = list[list[str]]
#: Rows of the table, and answers about them.
ROWS, ANSWERS, HYPOTHESES = 60, 16, 64
LABELS = ("no", "yes")


def edits(folder: Path, number: int, rng: np.random.Generator) -> Tally:
    """Edit a table so often, try to go on, and carry the answers over."""
    tally = Tally("a table edited between two sessions")
    points = np.random.default_rng(6).standard_normal((ROWS, 2)).round(3).tolist()
    rows = [[f"n{i}", str(a), str(b)] for i, (a, b) in enumerate(points)]
    begun = folder / "begun"
    begun.mkdir()
    _write(begun / "t.csv", rows)
    desk = opened(_wanted(begun)).desk
    for i in range(ANSWERS):
        desk.answer(f"r{i}", 3 * i, LABELS[i % 2])
    told = {rows[3 * i][0]: LABELS[i % 2] for i in range(ANSWERS)}
    desk.close()
    for attempt in range(number):
        name, edit = list(EDITS.items())[attempt % len(EDITS)]
        place = folder / f"edit-{attempt}"
        shutil.copytree(begun, place)
        changed = edit([list(row) for row in rows], rng)
        _write(place / "t.csv", changed)
        try:
            _refused(place, name)
            _carried(place, changed, told)
            tally.count("refused with what had changed, answers carried over")
        except AssertionError as wrong:
            tally.fail(f"{name}: {wrong}")
        except Exception as error:  # noqa: BLE001 - whatever it is, it is no refusal
            tally.fail(f"{name}: {type(error).__name__}: {error}")
        shutil.rmtree(place)
    return tally


def _refused(place: Path, name: str) -> None:
    """See that the table is not taken for what it was, and that the session stays as it is."""
    before = (place / "s.aluma").read_bytes()
    try:
        opened(_wanted(place)).desk.close()
    except AlumaError as refused:
        said = str(refused)
        if SAID[name] not in said or "--answers-from" not in said:
            raise AssertionError(f"it does not say what has changed: {said}") from refused
    else:
        raise AssertionError("it was opened as if nothing had changed")
    if (place / "s.aluma").read_bytes() != before:
        raise AssertionError("the session has changed")


def _carried(place: Path, rows: Rows, told: dict[str, str]) -> None:
    """Carry the answers over by the names of the rows, and compare them."""
    old = place / "s.aluma"
    found = opened(_wanted(place, "new.aluma", answers_from=old, key="name"))
    try:
        entries = found.desk.session.kept
        has = {rows[entry.example][0]: entry.label for entry in entries}
    finally:
        found.desk.close()
    there = {row[0] for row in rows}
    expected = {name: label for name, label in told.items() if name in there}
    if has != expected or len(entries) != len(expected):
        raise AssertionError(f"carried over were {has}, not {expected}")


def _wanted(place: Path, session: str = "s.aluma", **more: object) -> Wanted:
    return Wanted(
        place / "t.csv", place / session, no=LABELS[0], yes=LABELS[1], columns=("a", "b"),
        hypotheses=HYPOTHESES, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def _write(path: Path, rows: Rows) -> None:
    path.write_text("\n".join(["name,a,b", *(",".join(row) for row in rows)]) + "\n")


def _added(rows: Rows, rng: np.random.Generator) -> Rows:
    place = int(rng.integers(len(rows) + 1))
    return [*rows[:place], ["new", "0.5", "0.25"], *rows[place:]]


def _gone(rows: Rows, rng: np.random.Generator) -> Rows:
    del rows[int(rng.integers(len(rows)))]
    return rows


def _moved(rows: Rows, rng: np.random.Generator) -> Rows:
    one, other = rng.choice(len(rows), 2, replace=False)
    rows[one], rows[other] = rows[other], rows[one]
    return rows


def _changed(rows: Rows, rng: np.random.Generator) -> Rows:
    row = rows[int(rng.integers(len(rows)))]
    row[int(rng.integers(1, 3))] = "7.5"
    return rows


def _all(rows: Rows, rng: np.random.Generator) -> Rows:
    return _moved(_changed(_added(_gone(rows, rng), rng), rng), rng)


EDITS: dict[str, Callable[[Rows, np.random.Generator], Rows]] = {
    "added": _added,
    "gone": _gone,
    "moved": _moved,
    "changed": _changed,
    "all of it": _all,
}
#: What must be said of each.
SAID = {
    "added": "1 row added",
    "gone": "1 row gone",
    "moved": "rows in another order",
    "changed": "1 row changed",
    "all of it": "added",
}
