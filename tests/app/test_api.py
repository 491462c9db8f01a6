"""The interface: answers, questions ahead, contradictions and exports."""

import io
import json
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pandas as pd
import pytest

from aluma.app.routes import LONGEST_WAIT
from running_page import LABELS


def told(state):
    return {one["card"]["example"]: one["label"] for one in state["last"]}


def test_with_a_goal_of_nothing_wrong_every_example_is_asked(run, points):
    path, truth = points
    page = run(path, **LABELS, tolerance=0.0)
    for _ in range(len(truth)):
        state = page.question()
        progress = state["progress"]
        assert (progress["finished"], progress["every"]) == (False, True)
        example = state["question"]["example"]
        assert page.answer(example, truth[example]).status_code == 200
    state = page.question()
    assert state["progress"]["exhausted"]
    assert state["progress"]["answered"] == len(truth)
    frame = pd.read_csv(io.BytesIO(page.client.get("/api/export/labels.csv").content))
    assert frame["label"].tolist() == truth
    assert (frame["label_by"] == "person").all()
    assert frame["follows_if_separable"].all()


def test_what_follows_each_answer_is_what_comes(run, points):
    path, truth = points
    page = run(path, **LABELS)
    for _ in range(6):
        page.question()
        page.desk._ahead.idle.wait(10)
        state = page.until(lambda s: len(s["ahead"]) > 0)
        example = state["question"]["example"]
        if truth[example] not in state["ahead"]:
            break
        following = state["ahead"][truth[example]]["question"]["example"]
        page.answer(example, truth[example])
        assert page.question()["question"]["example"] == following


def test_the_next_question_is_the_learners_own(run, points):
    path, truth = points
    page = run(path, **LABELS)
    learner = page.desk.session.fork()
    for _ in range(6):
        example = page.question()["question"]["example"]
        assert learner.ask() == example
        learner.tell(example, truth[example])
        page.answer(example, truth[example])


def test_a_substitute_that_the_page_shows_becomes_the_question(run, points):
    path, truth = points
    page = run(path, **LABELS)
    state = page.until(lambda s: s["spare"])
    example, spare = state["question"]["example"], state["spare"][0]["example"]
    page.answer(example, truth[example], showing=spare)
    assert page.question()["question"]["example"] == spare


def test_a_repeated_request_changes_nothing(run, points):
    path, truth = points
    page = run(path, **LABELS)
    example = page.question()["question"]["example"]
    body = {"request": "once", "example": example, "label": truth[example]}
    first = page.client.post("/api/answer", json=body).json()
    again = page.client.post("/api/answer", json=body).json()
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert again["version"] == first["version"] == 1
    page.client.post("/api/undo", json={"request": "back"})
    assert page.client.post("/api/undo", json={"request": "back"}).json()["repeated"]
    assert page.client.post("/api/answer", json=body).json()["repeated"]
    assert page.state()["progress"]["answered"] == 0


def test_undo_asks_again_and_change_counts(run, points):
    path, truth = points
    page = run(path, **LABELS)
    for _ in range(5):
        example = page.question()["question"]["example"]
        page.answer(example, truth[example])
    assert page.post("undo").json()["example"] == example
    assert page.question()["question"]["example"] == example
    assert page.state()["progress"]["answered"] == 4
    page.answer(example, truth[example])
    wrong = next(label for label in LABELS.values() if label != truth[example])
    assert page.post("change", example=example, label=wrong).status_code == 200
    assert told(page.state())[example] == wrong
    assert page.post("change", example=example, label=truth[example]).status_code == 200


def test_skipped_examples_are_not_asked_but_may_be_answered(run, points):
    path, truth = points
    page = run(path, **LABELS)
    example = page.question()["question"]["example"]
    assert page.post("skip", example=example).status_code == 200
    state = page.question()
    assert state["question"]["example"] != example
    assert state["progress"]["skipped"] == 1
    assert page.answer(example, truth[example]).status_code == 200
    assert page.state()["progress"]["skipped"] == 0


@pytest.fixture
def line(tmp_path):
    """Return a table of one number, in which a contradiction needs three answers."""
    path = tmp_path / "line.csv"
    pd.DataFrame({"x": np.arange(12.0)}).to_csv(path, index=False)
    return path


def contradict(page):
    page.answer(2, "no")
    page.answer(8, "yes")
    return page.answer(10, "no")


def test_a_contradiction_names_the_answers_and_changes_nothing(run, line):
    page = run(line, slack=0)
    response = contradict(page)
    assert response.status_code == 409
    clash = response.json()["clash"]
    assert (clash["example"], clash["label"]) == (10, "no")
    assert {one["card"]["example"] for one in clash["with"]} == {2, 8}
    assert "cannot all be right" in clash["message"]
    assert page.state()["progress"]["answered"] == 2


def test_a_contradiction_is_resolved_by_changing_an_answer(run, line):
    page = run(line, slack=0)
    contradict(page)
    assert page.post("change", example=8, label="no").status_code == 200
    assert page.answer(10, "no").status_code == 200


def test_a_contradiction_is_kept_and_not_learnt_from(run, line, tmp_path):
    page = run(line, slack=0)
    contradict(page)
    assert page.post("exception", example=10, label="no").status_code == 200
    state = page.state()
    assert (state["progress"]["answered"], state["progress"]["exceptions"]) == (3, 1)
    rows = page.client.get("/api/export/labels.jsonl").text.splitlines()
    row = json.loads(rows[10])
    found = row["label"], row["label_by"], row["follows_if_separable"]
    assert found == ("no", "exception", False)
    assert json.loads(rows[9])["label"] == "yes"
    assert page.post("undo").json()["example"] == 10
    assert page.state()["progress"]["exceptions"] == 0


def test_contradictions_are_allowed_for_from_the_first(run, line):
    page = run(line)
    assert contradict(page).status_code == 200
    assert page.state()["progress"]["answered"] == 3


def test_messy_data_are_allowed_for_when_a_person_says_so(run, line, stack, tmp_path):
    page = run(line, slack=0)
    assert contradict(page).json()["clash"]["slack"]
    page.post("skip", example=5)
    page.post("exception", example=10, label="no")
    once = {"request": "loosen"}
    assert not page.client.post("/api/slack", json=once).json()["repeated"]
    assert page.client.post("/api/slack", json=once).json()["repeated"]
    assert page.client.post("/api/undo", json={"request": "t0"}).json()["repeated"]
    assert page.answer(9, "no").status_code == 200
    state = page.until(lambda s: (s["progress"]["figures"] or {}).get("judged") == 4)
    assert told(state) == {2: "no", 8: "yes", 10: "no", 9: "no"}
    assert (state["progress"]["exceptions"], state["progress"]["skipped"]) == (0, 1)
    assert state["progress"]["figures"]["determined"] == 4
    assert (tmp_path / "s.aluma.before-slack").exists()
    assert not (tmp_path / "s.aluma.part").exists()
    stack.close()
    assert told(run(line).question()) == told(state)


def test_nobody_waits_for_what_hardly_anybody_expects(run, line):
    page = run(line, slack=0)
    page.answer(2, "no")
    page.answer(8, "yes", showing=10)
    state = page.until(lambda s: s["ahead"])
    assert state["question"]["example"] == 10
    assert page.desk._ahead.idle.wait(10)
    assert list(page.state()["ahead"]) == ["yes"]
    assert page.answer(10, "no").json()["clash"]["label"] == "no"
    assert page.state()["busy"] is None


def test_an_answer_given_elsewhere_is_not_overwritten(run, line):
    page = run(line)
    page.answer(2, "no")
    refused = page.answer(2, "yes")
    assert refused.status_code == 409
    assert refused.json()["clash"] is None
    assert "change that answer" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("answer", {"example": 99, "label": "yes"}),
        ("answer", {"example": 0, "label": "perhaps"}),
        ("change", {"example": 0, "label": "yes"}),
        ("undo", {}),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(run, line, what, body):
    page = run(line)
    response = page.post(what, **body)
    assert response.status_code == 409
    assert len(response.json()["detail"]) > 10


def test_everything_is_there_after_opening_again(run, points, stack):
    path, truth = points
    page = run(path, **LABELS)
    for _ in range(8):
        example = page.question()["question"]["example"]
        page.answer(example, truth[example])
    before = page.until(lambda s: s["question"] and s["curve"])
    stack.close()
    after = run(path, **LABELS).question()
    assert told(after) == told(before)
    assert after["question"] == before["question"]
    assert after["session"] == before["session"]
    assert len(after["curve"]) >= len(before["curve"])


def test_two_clients_agree(run, points):
    path, truth = points
    page = run(path, **LABELS)
    heard = page.until(lambda s: s["question"] is not None)
    example = heard["question"]["example"]

    def listen():
        """Wait for state after state, as the page does: figures may be published in between."""
        nonlocal heard
        with httpx.Client(headers=page.client.headers, trust_env=False) as other:
            for _ in range(10):
                if heard["version"]:
                    return
                after = {"after": heard["tick"], "wait": LONGEST_WAIT}
                heard = other.get(f"{page.url}/api/state", params=after, timeout=60).json()

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    page.answer(example, truth[example])
    thread.join(LONGEST_WAIT / 2)
    assert not thread.is_alive(), "an answer has to wake those who wait"
    assert heard["version"] == 1
    assert told(heard) == {example: truth[example]}


def test_many_clients_at_once_lose_and_double_nothing(run, points):
    path, truth = points
    page = run(path, **LABELS)

    def work(number):
        rng = np.random.default_rng(number)
        with httpx.Client(base_url=page.url, headers=page.client.headers, trust_env=False) as one:
            for _ in range(6):
                example = int(rng.integers(len(truth)))
                body = {"request": uuid.uuid4().hex, "example": example, "label": truth[example]}
                assert one.post("/api/answer", json=body, timeout=30).status_code == 200
                state = one.get("/api/state", timeout=30).json()
                assert state["question"] is None or state["question"]["example"] != example
            return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    given = page.client.get("/api/answers", params={"limit": 100}).json()
    answers = [(one["card"]["example"], one["label"]) for one in given["items"]]
    assert len(dict(answers)) == len(answers) == given["total"] == page.state()["version"]
    assert all(truth[example] == label for example, label in answers)


def test_search_finds_words_and_tells_answers_from_votes(run, tmp_path):
    page = run()
    found = page.client.get("/api/search", params={"q": "NORWAY kettle"}).json()
    assert 0 < found["total"] < 40
    example = found["items"][0]["card"]["example"]
    assert {one["by"] for one in found["items"]} == {"vote"}
    page.answer(example, "other")
    again = page.client.get("/api/search", params={"q": "norway kettle"}).json()
    assert (again["items"][0]["by"], again["items"][0]["share"]) == ("person", 1.0)
    assert page.client.get("/api/search", params={"q": "zzz"}).json()["total"] == 0


def test_the_exported_model_agrees_with_its_own_rule(run, points):
    path, truth = points
    page = run(path, **LABELS)
    for _ in range(25):
        example = page.question()["question"]["example"]
        page.answer(example, truth[example])
    model = page.client.get("/api/export/model.json").json()
    frame = pd.read_csv(path)
    (part,) = model["parts"]
    score = model["intercept"] + sum(w * frame[name] for name, w in part["weights"].items())
    said = np.where(score >= 0, model["labels"]["yes"], model["labels"]["no"])
    assert (said == truth).mean() > 0.95


def test_parquet_has_the_same_rows(run, points):
    pytest.importorskip("pyarrow")
    path, truth = points
    page = run(path, **LABELS)
    page.answer(0, truth[0])
    frame = pd.read_parquet(io.BytesIO(page.client.get("/api/export/labels.parquet").content))
    added = ["label", "label_by", "vote_share"]
    added += ["follows_if_separable", "checked"]
    assert list(frame.columns) == ["x", "y", *added]
    assert frame.loc[0, "label"] == truth[0]
    assert len(frame) == len(truth)


def test_the_summary_escapes_what_it_shows(run, tmp_path):
    path = tmp_path / "bad.csv"
    texts = [f"<script>alert({i})</script> a word {'b' if i % 2 else 'c'}" for i in range(30)]
    pd.DataFrame({"text": texts}).to_csv(path, index=False)
    page = run(path, yes="<b>", no="</table>")
    page.answer(0, "<b>")
    response = page.client.get("/api/export/summary.html")
    assert "<script" not in response.text
    assert "&lt;script&gt;" in response.text
    assert "script-src" not in response.headers["content-security-policy"]
