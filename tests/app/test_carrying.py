"""A table that was edited since its session began: what has changed, and answers carried over."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aluma.app.opening import Opened, Wanted, opened
from aluma.app.rows import Rows, change
from aluma.errors import BadInput
from running_page import LABELS, plane


def table(size: int = 40) -> pd.DataFrame:
    frame = plane(size)
    frame.insert(0, "name", [f"n{i}" for i in range(size)])
    return frame


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda f: pd.concat([f, f.tail(1).assign(name="new")]), "1 row added (41)"),
        (lambda f: pd.concat([f.head(1).assign(name="new"), f]), "1 row added (1)"),
        (lambda f: f.drop(index=[3, 4]), "2 rows gone (4, 5)"),
        (lambda f: f.iloc[::-1], "rows in another order"),
        (lambda f: f.assign(x=f["x"].where(f.index != 7, 9.0)), "1 row changed (8)"),
        (lambda f: f.assign(more=1), "columns added: 'more'"),
        (lambda f: f.drop(columns="y"), "columns gone: 'y'"),
        (lambda f: f.drop(columns="name").head(39), "columns gone: 'name', 1 row gone (40)"),
        (lambda f: f, None),
    ],
)
def test_what_has_changed_is_said(edit, says):
    before = table()
    before.loc[:, "y"] = before["y"].round(1)
    after = edit(before).reset_index(drop=True)
    said = change(Rows.of(before), Rows.of(after))
    if says is not None and "columns gone: 'name'" in says:
        # Without the names nothing tells the rows apart but what they hold.
        assert said is not None
        assert said.startswith("columns gone: 'name'")
    else:
        assert said == says


def test_a_number_is_the_same_however_it_is_written():
    whole = pd.DataFrame({"id": [1, 2, 3]})
    assert change(Rows.of(whole), Rows.of(whole.astype(float))) is None


class Task:
    """A table in a file, and sessions about it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / "t.csv"

    def open(self, frame: pd.DataFrame | None = None, session: str = "s.aluma", **more) -> Opened:
        if frame is not None:
            frame.to_csv(self.path, index=False)
        wanted = {"session": self.folder / session, "hypotheses": 200} | LABELS | more
        return opened(Wanted(self.path, **wanted))

    def answer(self, frame: pd.DataFrame, rows: range) -> None:
        desk = self.open(frame.drop(columns="side")).desk
        for i in rows:
            desk.answer(f"r{i}", i, frame["side"][i])
        desk.set_aside("aside", 30, "left")
        desk.skip("skip", 31)
        desk.close()

    def carried(self, frame: pd.DataFrame, **more) -> tuple[dict[str, str], list[str], list[str]]:
        """Return answers and skips by name, and what was said."""
        source = self.folder / "s.aluma"
        found = self.open(frame.drop(columns="side"), "new.aluma", answers_from=source, **more)
        session = found.desk.session
        kept = {frame["name"].iloc[e.example]: e.label for e in session.kept}
        told = {name: label for name, label in kept.items() if label is not None}
        found.desk.close()
        assert {entry.check for entry in session.log} == {0}
        return told, [name for name, label in kept.items() if label is None], found.notes


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return Task(tmp_path)


def test_answers_follow_their_rows_by_a_key(task: Task) -> None:
    frame = table()
    task.answer(frame, range(10))
    expected = dict(zip(frame["name"][:10], frame["side"][:10], strict=True)) | {"n30": "left"}
    edited = frame.drop(index=3).sample(frac=1, random_state=1).reset_index(drop=True)
    edited.loc[edited["name"] == "n5", "x"] += 0.001
    with pytest.raises(BadInput, match=r"1 row gone \(4\).*--answers-from .*s.aluma --key name"):
        task.open(edited.drop(columns="side"))
    told, skipped, notes = task.carried(edited, key="name")
    del expected["n3"]
    assert (told, skipped) == (expected, ["n31"])
    said = " ".join(notes)
    assert "10 answers were carried over" in said
    assert "1 are about rows that were not found again" in said
    assert "1 are about rows that read otherwise" in said


def test_without_a_key_rows_that_have_not_changed_are_found(task: Task) -> None:
    frame = table()
    task.answer(frame, range(10))
    edited = frame.iloc[::-1].reset_index(drop=True)
    edited.loc[edited["name"] == "n5", "x"] += 0.001
    told, _, _ = task.carried(edited)
    assert sorted(told) == sorted({f"n{i}" for i in (*range(10), 30)} - {"n5"})


def test_wishes_that_cannot_be_carried_out_leave_nothing_behind(task: Task) -> None:
    frame = table()
    task.answer(frame, range(4))
    source, new = task.folder / "s.aluma", task.folder / "new.aluma"
    many = frame.assign(kind=np.where(frame["x"] > 0, "a", "b")).drop(columns="side")
    for more, says in (
        ({"key": "kind", "answers_from": source}, "--key 'kind' must name every row.*'name'"),
        ({"key": "name"}, "--answers-from too"),
        (
            {"answers_from": source, "key": "name", "yes": "up", "no": "down"},
            "name the answers alike",
        ),
        ({"answers_from": task.folder / "gone.aluma"}, "does not say what the rows"),
    ):
        with pytest.raises(BadInput, match=says):
            task.open(many, "new.aluma", **more)
        assert not new.exists()
    with pytest.raises(BadInput, match="is for a new session"):
        task.open(frame.drop(columns="side"), answers_from=source)


def test_options_that_have_changed_are_named(task: Task) -> None:
    frame = table().drop(columns="side")
    task.open(frame).desk.close()
    with pytest.raises(BadInput, match=r"the options \(--columns"):
        task.open(None, columns=["x"])
    task.path.write_text(task.path.read_text().replace("\n", "\r\n"))
    with pytest.raises(BadInput, match="Its rows read as they did"):
        task.open(None)
