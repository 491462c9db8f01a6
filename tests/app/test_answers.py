"""Any number of answers: their names, sessions to which more are added, lists and exports."""

import io
import json
import runpy
import sys
from pathlib import Path

import httpx
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from aluma.app import answers
from aluma.app.export import labelled
from aluma.app.opening import Wanted, opened
from aluma.app.slack import learn
from aluma.cli import app
from aluma.errors import BadInput
from aluma.session import Session
from browsing import begun, end
from four_kinds import FOUR, in_file, quarters
from running_page import LABELS, TOKEN, plane

USE_MODEL = Path(__file__).parents[2] / "examples" / "use_model.py"
HOSTILE = ("<img src=x onerror=alert(1)>", 'a "quoted", name', "\u202eevil\u202c", "x" * 100)


@pytest.fixture
def four(run, tmp_path):
    """Return a page with four answers, and what is true."""
    truth = in_file(tmp_path / "points.csv")
    return run(tmp_path / "points.csv", answers=FOUR), truth


def told(page, truth, n: int) -> None:
    """Let the first n examples be answered, taken in together: a fraction of the work."""
    learn(page.desk.session, {example: truth[example] for example in range(n)})


def give(page, truth, n: int) -> None:
    """Answer n questions."""
    for _ in range(n):
        example = page.question()["question"]["example"]
        assert page.answer(example, truth[example]).status_code == 200


def test_names_are_listed_with_commas_and_quotes():
    assert answers.listed('sport, politics ,"arts, music"') == ("sport", "politics", "arts, music")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has 0 answers: there must be at least 2"),
        ("one", "has 1 answer: there must be at least 2"),
        ("a,b,a", "has the answer 'a' twice"),
        ("a,,b", "an answer without a name"),
        ("a,\u200e\u202e,b", "an answer without a name"),
        ("a,b\x07c", "has a control character"),
        ("a," + "x" * 101, "has 101 characters: a name may have up to 100"),
        (",".join(f"n{i}" for i in range(21)), "more than 20 answers"),
    ],
)
def test_wrong_names_are_explained(text, says):
    with pytest.raises(BadInput, match=says):
        answers.listed(text)


def test_the_command_takes_answers_and_explains_wrong_ones(tmp_path, monkeypatch):
    seen = []

    def served(_page, desk, place, _show):
        place.listener.close()
        desk.close()
        seen.append(desk.task)

    monkeypatch.setattr("aluma.app.server.serve", served)
    in_file(tmp_path / "t.csv")
    command = ["label", str(tmp_path / "t.csv"), "--port", "0", "--no-browser"]
    found = CliRunner().invoke(app, [*command, "--answers", ",".join(FOUR)])
    assert found.exit_code == 0, found.output
    assert (seen[0].labels, seen[0].grows) == (FOUR, True)
    assert seen[0].question == "sport, politics, science or other?"
    for wrong, says in (("a,a", "twice"), ("a", "at least 2")):
        refused = CliRunner().invoke(app, [*command, "--answers", wrong])
        assert refused.exit_code == 2
        assert says in refused.output


def test_four_answers_are_learnt_and_counted(four):
    page, truth = four
    state = page.question()
    assert (state["labels"], state["grows"]) == (list(FOUR), True)
    give(page, truth, 30)
    state = page.question()
    assert sum(state["progress"]["counts"]) == 30
    assert min(state["progress"]["counts"]) > 0
    said = [truth[example] for example in page.desk.session.answered.tolist()]
    assert state["progress"]["counts"] == [said.count(label) for label in FOUR]
    found = page.client.get("/api/search", params={"q": "row", "limit": 100}).json()["items"]
    assert {one["by"] for one in found} == {"person", "vote"}
    # Labels of examples that are about to be checked are not shown.
    said = [one for one in found if one["label"]]
    guessed = [one["label"] == truth[one["card"]["example"]] for one in said]
    assert np.mean(guessed) > 0.8


def test_before_the_first_answer_there_are_no_guesses_and_no_labels(four):
    page, _ = four
    found = page.client.get("/api/search", params={"q": "row"}).json()["items"]
    assert {one["label"] for one in found} == {""}
    refused = page.client.get("/api/export/labels.csv")
    assert refused.status_code == 409
    assert "answer one first" in refused.json()["detail"]


def test_one_answer_alone_gets_all_votes(four):
    page, truth = four
    page.answer(0, "science")
    frame = pd.read_csv(io.BytesIO(page.client.get("/api/export/labels.csv").content))
    assert set(frame["label"]) == {"science"}
    refused = page.client.get("/api/export/model.json")
    assert refused.status_code == 409
    assert "no boundary" in refused.json()["detail"]
    assert "science" in page.client.get("/api/export/summary.html").text
    give(page, truth, 1)


def test_what_follows_each_answer_is_what_comes(four):
    page, truth = four
    for _ in range(8):
        page.question()
        page.desk._ahead.idle.wait(10)
        state = page.until(lambda s: len(s["ahead"]) > 0)
        example = state["question"]["example"]
        if truth[example] in state["ahead"]:
            following = state["ahead"][truth[example]]["question"]["example"]
            page.answer(example, truth[example])
            assert page.question()["question"]["example"] == following
        else:
            page.answer(example, truth[example])


def test_undo_skip_change_and_exceptions_are_as_with_two(four):
    page, truth = four
    give(page, truth, 5)
    last = page.desk.session.answered[-1]
    assert page.post("undo").json()["example"] == last
    page.answer(int(last), truth[last])
    for label in (*FOUR, truth[last]):
        assert page.post("change", example=int(last), label=label).status_code == 200
    example = page.question()["question"]["example"]
    assert page.post("skip", example=example).status_code == 200
    assert page.post("exception", example=example, label="other").status_code == 200
    state = page.question()
    assert state["progress"]["exceptions"] == 1
    assert sum(state["progress"]["counts"]) == 6
    refused = page.answer(0, "weather")
    assert refused.status_code == 409
    assert "none of the answers 'sport', 'politics'" in refused.json()["detail"]


def test_a_contradiction_among_many_is_named_and_can_be_allowed_for(run, tmp_path):
    path = tmp_path / "line.csv"
    pd.DataFrame({"x": np.arange(12.0)}).to_csv(path, index=False)
    page = run(path, answers=("a", "b", "c"), slack=0)
    for example, label in ((0, "a"), (4, "b"), (8, "c")):
        assert page.answer(example, label).status_code == 200
    page.post("add", label="d")
    clash = page.answer(11, "a").json()["clash"]
    assert {one["card"]["example"] for one in clash["with"]} <= {0, 4, 8}
    assert "the two answers" not in clash["message"]
    assert page.post("slack").status_code == 200
    assert page.state()["labels"] == ["a", "b", "c", "d"]
    assert page.answer(11, "a").status_code == 200
    assert page.state()["progress"]["counts"] == [2, 1, 1, 0]


def test_an_answer_is_added_given_and_still_there_after_opening_again(four, run, stack, tmp_path):
    page, truth = four
    give(page, truth, 6)
    once = {"request": "add", "label": " weather "}
    assert not page.client.post("/api/add", json=once).json()["repeated"]
    assert page.client.post("/api/add", json=once).json()["repeated"]
    assert page.state()["labels"] == [*FOUR, "weather"]
    example = page.question()["question"]["example"]
    assert page.answer(example, "weather").status_code == 200
    assert page.question()["progress"]["counts"][4] == 1
    stack.close()
    again = run(tmp_path / "points.csv")
    state = again.question()
    assert state["labels"] == [*FOUR, "weather"]
    assert sum(state["progress"]["counts"]) == 7


@pytest.mark.parametrize(
    ("label", "says"), [("sport", "twice"), (" ", "without a name"), ("a\nb", "control")]
)
def test_what_cannot_be_added_is_refused(four, label, says):
    page, _ = four
    refused = page.post("add", label=label)
    assert refused.status_code == 409
    assert says in refused.json()["detail"]
    assert page.state()["labels"] == list(FOUR)


def test_there_are_twenty_at_most(run, tmp_path):
    in_file(tmp_path / "p.csv")
    page = run(tmp_path / "p.csv", answers=[f"n{i}" for i in range(19)])
    assert page.post("add", label="last").status_code == 200
    refused = page.post("add", label="one more")
    assert "more than 20" in refused.json()["detail"]


def test_nothing_is_added_to_a_session_of_two_named_answers(run, points):
    path, _ = points
    page = run(path, **LABELS)
    assert page.state()["grows"] is False
    refused = page.post("add", label="up")
    assert refused.status_code == 409
    assert "begin another with --answers" in refused.json()["detail"]


def test_a_column_of_labels_names_the_answers_and_counts(tmp_path):
    frame, truth = quarters()
    frame["kind"] = [label if i < 20 else None for i, label in enumerate(truth)]
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = opened(Wanted(tmp_path / "t.csv", tmp_path / "s.aluma", label_column="kind"))
    try:
        assert found.desk.task.labels == tuple(sorted(FOUR))
        assert found.desk.session.answers.tolist() == truth[:20]
    finally:
        found.desk.close()
    with pytest.raises(BadInput, match="holds 'other', which is none of --answers"):
        opened(
            Wanted(tmp_path / "t.csv", tmp_path / "u.aluma", label_column="kind", answers=FOUR[:3])
        )


@pytest.mark.parametrize(
    ("begun_with", "then", "says"),
    [
        ({"answers": FOUR}, {"answers": ("sport", "weather")}, "'weather' is none of the answers"),
        ({"answers": FOUR}, {"yes": "a", "no": "b"}, "name them with --answers or not at all"),
        (LABELS, {"answers": FOUR}, "'right' and 'left'"),
        ({}, {"answers": FOUR, "yes": "a"}, "leave --yes and --no out"),
    ],
)
def test_other_answers_than_those_of_the_session_are_refused(tmp_path, begun_with, then, says):
    plane().drop(columns="side").to_csv(tmp_path / "t.csv", index=False)
    small = {"hypotheses": 200}
    opened(Wanted(tmp_path / "t.csv", tmp_path / "s.aluma", **begun_with, **small)).desk.close()
    with pytest.raises(BadInput, match=says):
        opened(Wanted(tmp_path / "t.csv", tmp_path / "s.aluma", **then, **small))
    again = opened(Wanted(tmp_path / "t.csv", tmp_path / "s.aluma", **begun_with, **small))
    again.desk.close()


def test_hostile_names_go_through_everything_as_they_are(run, tmp_path):
    truth = in_file(tmp_path / "p.csv")
    page = run(tmp_path / "p.csv", answers=HOSTILE)
    renamed = [HOSTILE[FOUR.index(label)] for label in truth]
    give(page, renamed, 14)
    for kind, read in (("csv", pd.read_csv), ("jsonl", lambda f: pd.read_json(f, lines=True))):
        content = page.client.get(f"/api/export/labels.{kind}", params={"shares": True}).content
        frame = read(io.BytesIO(content))
        assert set(frame["label"]) <= set(HOSTILE)
        assert [f"vote_share {name}" for name in HOSTILE] == list(frame.columns[-4:])
    assert "<img" not in page.client.get("/api/export/summary.html").text
    assert set(page.client.get("/api/export/model.json").json()["labels"]) <= set(HOSTILE)


READERS = {
    "csv": pd.read_csv,
    "jsonl": lambda file: pd.read_json(file, lines=True),
    "parquet": pd.read_parquet,
}


def test_exports_have_a_row_an_example_and_shares_that_add_up(four):
    pytest.importorskip("pyarrow")
    page, truth = four
    told(page, truth, 20)
    given = page.desk.session.answered
    predicted = page.desk.session.fork().predict()
    for kind, read in READERS.items():
        content = page.client.get(f"/api/export/labels.{kind}", params={"shares": True}).content
        frame = read(io.BytesIO(content))
        assert len(frame) == len(truth)
        assert frame["label"][given].tolist() == [truth[i] for i in given]
        shares = frame[[f"vote_share {label}" for label in FOUR]].to_numpy()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-3)
        chosen = shares[np.arange(len(frame)), [FOUR.index(label) for label in frame["label"]]]
        np.testing.assert_allclose(chosen, frame["vote_share"], atol=1e-9)
        assert (chosen >= shares.max(axis=1) - 1e-9).all()
        votes = frame["label_by"] == "vote"
        assert frame["label"][votes].tolist() == predicted[votes].tolist()


def test_parquet_has_plain_columns_whatever_the_cells_are(run, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "mixed.jsonl"
    rows = [{"x": i, "cell": [i, "two", [1, 2], None][i % 4]} for i in range(24)]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    page = run(path, answers=FOUR)
    page.answer(0, "sport")
    content = page.client.get("/api/export/labels.parquet").content
    table = parquet.read_table(io.BytesIO(content))
    assert table.num_rows == 24
    kinds = {str(field.type) for field in table.schema}
    assert kinds <= {"string", "large_string", "double", "int64", "bool"}


def test_the_model_of_four_agrees_with_what_it_claims(four, tmp_path, monkeypatch, capsys):
    page, truth = four
    told(page, truth, 40)
    monkeypatch.chdir(tmp_path)
    Path("model.json").write_bytes(page.client.get("/api/export/model.json").content)
    model = json.loads(Path("model.json").read_text())
    assert model["format"] == "aluma-linear-model-2"
    assert model["labels"] == list(FOUR)
    runpy.run_path(str(USE_MODEL))["main"]("model.json", "points.csv")
    said = capsys.readouterr().out.splitlines()
    exported = [FOUR[place] for place in labelled(page.desk).place]
    agrees = np.mean([a == b for a, b in zip(said, exported, strict=True)])
    assert agrees == pytest.approx(model["agrees_with_exported_labels"])
    assert agrees > 0.95


def test_a_class_between_two_others_is_told_by_the_model(run, tmp_path, monkeypatch, capsys):
    path = tmp_path / "line.csv"
    pd.DataFrame({"x": np.arange(30.0)}).to_csv(path, index=False)
    page = run(path, answers=("low", "middle", "high"))
    truth = ["low"] * 10 + ["middle"] * 10 + ["high"] * 10
    told(page, truth, 30)
    monkeypatch.chdir(tmp_path)
    Path("model.json").write_bytes(page.client.get("/api/export/model.json").content)
    runpy.run_path(str(USE_MODEL))["main"]("model.json", "line.csv")
    assert capsys.readouterr().out.splitlines() == truth


def test_of_four_answers_two_that_occur_make_a_model_of_two(four):
    page, _ = four
    page.answer(0, "science")
    page.answer(1, "sport")
    model = page.client.get("/api/export/model.json").json()
    assert model["format"] == "aluma-linear-model-1"
    assert model["labels"] == {"no": "sport", "yes": "science"}


def test_a_killed_server_has_kept_the_answers_that_were_added(tmp_path):
    in_file(tmp_path / "p.csv")
    command = [
        sys.executable, "-c", "from aluma.cli import app; app()", "label", str(tmp_path / "p.csv"),
        "--no-browser", "--answers", ",".join(FOUR), "--token", TOKEN, "--port", "0",
    ]  # fmt: skip
    server, link = begun(command)
    try:
        url = link.partition("/?")[0]
        headers = {"authorization": f"Bearer {TOKEN}"}
        with httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False) as client:
            for n in range(3):
                body = {"request": f"add{n}", "label": f"new {n}"}
                assert client.post("/api/add", json=body).status_code == 200
            told = {"request": "tell", "example": 3, "label": "new 2"}
            assert client.post("/api/answer", json=told).status_code == 200
    finally:
        end(server)
    found = opened(Wanted(tmp_path / "p.csv", tmp_path / "p.aluma"))
    try:
        assert found.desk.task.labels == (*FOUR, "new 0", "new 1", "new 2")
        assert found.desk.session.answers.tolist() == ["new 2"]
    finally:
        found.desk.close()


def test_a_list_that_was_lost_is_made_of_the_answers_given(tmp_path):
    X = quarters()[0].to_numpy()
    with Session.create(tmp_path / "s.aluma", X, n_hypotheses=200) as session:
        session.tell([0, 1], ["b", "a"])
        assert answers.of_session(session) == ("b", "a")
