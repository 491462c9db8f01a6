"""Beginning a task and going on with it."""

import importlib
import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from aluma import ALuMA
from aluma.app import features, opening
from aluma.app.opening import Wanted, opened
from aluma.app.server import take
from aluma.cli import app
from aluma.errors import BadInput, NarrowPool
from aluma.reading import TABLES
from aluma.spaces import plain
from running_page import LABELS, plane


@pytest.fixture
def begin(tmp_path):
    """Return a function that opens a table; what it opened is closed afterwards."""
    found = []

    def beginning(frame, name="t.csv", **more):
        path = tmp_path / name
        if frame is not None:
            frame.to_csv(path, index=False)
        settings = {"session": tmp_path / "s.aluma", "hypotheses": 200} | more
        found.append(opened(Wanted(path, **settings)))
        return found[-1]

    yield beginning
    for one in found:
        one.desk.close()


def test_labels_in_a_column_count_as_answers(begin):
    frame = plane()
    truth = frame["side"].copy()
    frame.loc[10:, "side"] = None
    found = begin(frame, label_column="side")
    assert found.desk.task.labels == ("left", "right")
    assert found.desk.session.n_answers == 10
    assert found.desk.session.answers.tolist() == truth[:10].tolist()
    assert "side" not in [one.name for one in found.desk.examples.card(0).fields]


def test_empty_rows_are_counted_once_and_skipped_for_nobody(begin):
    frame = pd.DataFrame(
        {"text": [f"a text about {word}" for word in "abcdefghij" * 3], "label": None}
    )
    frame.loc[[3, 7, 8], "text"] = ["", None, "  \n"]
    frame.loc[8, "label"], frame.loc[9, "label"] = "no", "yes"
    found = begin(frame, label_column="label")
    # What somebody has labelled already is not counted, and nothing is skipped for anybody.
    assert [entry.kind for entry in found.desk.session.kept] == ["tell", "tell"]
    assert any(note.startswith("2 rows are empty.") for note in found.notes)
    found.desk.close()
    again = begin(None, label_column="label")
    assert not any("rows are empty" in note for note in again.notes)


def test_rows_without_anything_to_see_are_no_reason_to_skip_all_of_them(begin, tmp_path):
    np.save(tmp_path / "e.npy", np.random.default_rng(0).standard_normal((12, 3)))
    frame = pd.DataFrame({"text": [" "] * 12, "more": None})
    found = begin(frame, embeddings=tmp_path / "e.npy")
    assert found.desk.session.log == ()


def test_labels_that_contradict_each_other_are_learnt_from(begin):
    frame = pd.DataFrame({"x": np.arange(10.0), "label": ["a", "b"] * 5})
    session = begin(frame, label_column="label").desk.session
    assert (session.n_answers, session.exceptions) == (10, {})


def test_many_labels_are_taken_in_with_a_word_now_and_then(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "SAY_EVERY", 0.0)
    # As with more than two answers: so many of two are taken in at once.
    monkeypatch.setattr(plain, "MANY", 1000)
    frame, said = plane(120), list[str]()
    frame.loc[80:, "side"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    wanted = Wanted(tmp_path / "t.csv", tmp_path / "s.aluma", label_column="side", hypotheses=200)
    found = opened(wanted, said.append)
    assert "16 of 80 are taken in." in said
    found.desk.answer("a", 90, "left")
    found.desk.set_aside("b", 91, "left")
    found.desk.close()
    again = opened(wanted)
    assert any(note.startswith("Going on with 82 answers") for note in again.notes)
    assert again.desk.session.n_answers == 81
    again.desk.close()


def test_the_demonstration_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    label = importlib.import_module("aluma.cli.label")

    def offered(page, desk, place, **_):
        place.listener.close()
        desk.close()

    monkeypatch.setattr(label, "offer", offered)
    result = CliRunner().invoke(app, ["label", "--demo", "--port", "0", "--no-browser"])
    assert result.exit_code == 0, result.output
    assert list(tmp_path.iterdir()) == []


def test_several_answers_in_one_name_are_refused_with_the_way_out(tmp_path):
    plane().to_csv(tmp_path / "t.csv", index=False)
    result = CliRunner().invoke(app, ["label", str(tmp_path / "t.csv"), "--yes", "a,b,c"])
    assert result.exit_code == 2
    assert "list them all with --answers" in " ".join(result.output.split())


def test_without_slack_labels_that_contradict_the_others_become_exceptions(begin):
    frame = pd.DataFrame({"x": np.arange(10.0), "label": ["a", "b"] * 5})
    found = begin(frame, label_column="label", slack=0)
    session = found.desk.session
    assert session.n_answers + len(session.exceptions) == 10
    assert session.exceptions
    assert "exceptions" in " ".join(found.notes)


def test_integer_labels_with_gaps_stay_integers(begin):
    frame = pd.DataFrame({"x": np.arange(6.0), "y": [0, None, None, None, None, 1]})
    assert begin(frame, label_column="y").desk.task.labels == ("0", "1")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"label_column": "side", "yes": "up", "no": "down"}, "neither 'down' nor 'up'"),
        ({"label_column": "nowhere"}, "there is no column 'nowhere'"),
        ({"yes": "a", "no": "a"}, "both answers are called"),
    ],
)
def test_wrong_wishes_are_explained(begin, more, says):
    with pytest.raises(BadInput, match=says):
        begin(plane(), **more)


def test_a_file_that_has_changed_is_not_taken_for_the_old_one(begin):
    frame = plane().drop(columns="side")
    begin(frame).desk.close()
    begin(None).desk.close()
    frame.loc[0, "x"] += 1
    with pytest.raises(BadInput, match=r"t.csv has changed since .* 1 row changed \(1\)"):
        begin(frame)


def test_labels_in_a_column_check_nothing(begin):
    frame = plane(200)
    frame.loc[150:, "side"] = None
    session = begin(frame, label_column="side").desk.session
    assert {entry.check for entry in session.log} == {0}
    assert session.n_answers == 150


def test_a_session_begins_with_checks_slack_and_five_percent(begin):
    session = begin(plane().drop(columns="side")).desk.session
    settings = json.loads(session.about["settings"])
    wanted = {"promise": "audited", "slack": "auto", "tolerance": 0.05}
    assert {name: settings[name] for name in wanted} == wanted
    assert session.keep_asking


def test_the_goal_that_a_session_was_begun_with_counts(begin):
    begin(plane().drop(columns="side"), tolerance=0.1).desk.close()
    again = begin(None, tolerance=0.02, slack=0.0)
    assert again.desk.task.tolerance == 0.1
    notes = " ".join(again.notes)
    assert "begun with --stop-at 0.1, and that counts" in notes
    assert "begun with --slack auto, and that counts" in notes
    again.desk.close()
    assert "counts" not in " ".join(begin(None).notes)


@pytest.mark.parametrize(("slack", "code"), [("auto", 0), ("0.5", 0), ("-1", 2), ("much", 2)])
def test_slack_on_the_command_line(tmp_path, monkeypatch, slack, code):
    seen = []
    plane().drop(columns="side").to_csv(tmp_path / "t.csv", index=False)

    def served(_page, desk, place, _show):
        place.listener.close()
        desk.close()
        seen.append(desk)

    monkeypatch.setattr("aluma.app.server.serve", served)
    command = ["label", str(tmp_path / "t.csv"), "--port", "0", "--no-browser", "--slack", slack]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == code, result.output
    for desk in seen:
        settings = json.loads(desk.session.about["settings"])
        assert str(settings["slack"]) == slack
    assert len(seen) == (code == 0)


def test_other_names_for_the_answers_are_refused(begin):
    frame = plane().drop(columns="side")
    begin(frame, **LABELS).desk.close()
    with pytest.raises(BadInput, match="'right' and 'left'"):
        begin(None, yes="up", no="down")


def test_embeddings_of_ones_own(begin, tmp_path):
    frame = plane()
    np.save(tmp_path / "e.npy", frame[["x", "y"]].to_numpy())
    found = begin(frame[["side"]], embeddings=tmp_path / "e.npy")
    assert found.features.X.shape == (60, 2)
    with pytest.raises(BadInput, match="60 rows"):
        begin(
            frame.head(5), name="u.csv", embeddings=tmp_path / "e.npy", session=tmp_path / "u.aluma"
        )


def test_the_command_explains_wrong_usage(tmp_path):
    runner = CliRunner()
    nothing = runner.invoke(app, ["label"])
    assert nothing.exit_code == 2
    assert "Name what to label" in nothing.output
    gone = runner.invoke(app, ["label", str(tmp_path / "gone.csv"), "--port", "0"])
    assert gone.exit_code == 2
    assert "there is no file or folder" in gone.output


def test_a_port_that_is_taken_is_named():
    place = take(port=0)
    with pytest.raises(BadInput, match="cannot be used"):
        take(port=place.listener.getsockname()[1])
    place.listener.close()


def test_only_loopback_counts_as_private():
    place = take(port=0)
    assert place.is_private
    assert place.link.startswith("http://127.0.0.1:")
    place.listener.close()


@pytest.mark.parametrize("given", [{"yes": "right"}, {"no": "left"}])
def test_one_name_and_a_column_give_the_other_name(begin, given):
    found = begin(plane(), label_column="side", **given)
    assert found.desk.task.labels == ("left", "right")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"embeddings": "e.npy", "embed": "a:b"}, "exclude each other"),
        ({"embeddings": "e.npy", "columns": ["x"]}, "--columns has no effect"),
        ({"table": "t.csv"}, "label the table itself"),
        ({"session": "nowhere/s.aluma"}, "there is no folder .*nowhere"),
    ],
)
def test_options_without_effect_or_place_are_refused(begin, tmp_path, more, says):
    paths = {
        name: tmp_path / value
        for name, value in more.items()
        if name in ("embeddings", "table", "session")
    }
    with pytest.raises(BadInput, match=says):
        begin(plane(), **more | paths)


def test_a_format_is_one_reader_and_one_line(begin, tmp_path, monkeypatch):
    plane().to_csv(tmp_path / "t.toy", sep="~", index=False)
    monkeypatch.setitem(TABLES, ".toy", lambda path: pd.read_csv(path, sep="~"))
    found = begin(None, name="t.toy", label_column="side")
    assert found.desk.session.n_answers == len(plane())
    assert found.features.X.shape == (len(plane()), 2)


def test_a_readers_own_trouble_is_explained(begin, tmp_path, monkeypatch):
    def broken(path):
        raise ValueError("line 3 is upside down")

    (tmp_path / "t.toy").write_text("x")
    monkeypatch.setitem(TABLES, ".toy", broken)
    with pytest.raises(BadInput, match=r"t\.toy cannot be read as toy: line 3 is upside down"):
        begin(None, name="t.toy")


def test_a_table_of_long_tails_is_no_reason_to_warn(begin):
    # One row far away leaves all others together: narrow, and nothing that a user could centre.
    numbers = np.random.default_rng(0).integers(0, 9, (200, 4000))
    numbers[0] = 1e6
    frame = pd.DataFrame(numbers).add_prefix("c")
    with pytest.warns(NarrowPool):
        ALuMA(features.of_table(frame).X, bias=True)
    found = begin(frame, yes="a", no="b")
    found.desk.close()
    assert begin(None, yes="a", no="b").desk.session.n_answers == 0
