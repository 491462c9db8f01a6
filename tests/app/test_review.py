"""Labels to look through: what comes first, what is left out, and what a vote rests on."""

import numpy as np
import pandas as pd
import pytest

from aluma.app import demo
from aluma.app.slack import learn
from aluma.app.why import MOST_WORDS, pieces
from aluma.app.withheld import withheld
from four_kinds import FOUR, in_file
from running_page import LABELS


def reviewed(page, **wish):
    return page.client.get("/api/review", params=wish).json()


def ids(found):
    return [one["card"]["example"] for one in found["items"]]


@pytest.fixture
def taught(run, points):
    """Return a page that has learnt from eight answers, and what is true."""
    path, truth = points
    page = run(path, **LABELS, tolerance=0.0)
    for _ in range(8):
        example = page.question()["question"]["example"]
        page.answer(example, truth[example])
    return page, truth


def test_what_nobody_answered_comes_most_doubtful_first_in_an_order_that_stays(taught):
    page, truth = taught
    first = reviewed(page, limit=20)
    assert first["total"] == 60 - 8
    shares = [one["share"] for one in first["items"]]
    assert shares == sorted(shares)
    assert all(one["by"] == "vote" and one["label"] in LABELS.values() for one in first["items"])
    example = ids(first)[0]
    page.answer(example, truth[example])
    again = reviewed(page, limit=20, of=first["of"])
    assert ids(again) == ids(first)
    assert again["items"][0]["by"] == "person"
    assert ids(reviewed(page, offset=5, limit=3, of=first["of"])) == ids(first)[5:8]
    assert example not in ids(reviewed(page, limit=100))


def test_filters_by_answer_and_certainty(taught):
    page, _ = taught
    every = reviewed(page, limit=100)
    parts = [reviewed(page, limit=100, certainty=how)["total"] for how in ("unsure", "sure")]
    assert sum(parts) == every["total"]
    for label in LABELS.values():
        wanted = [one["card"]["example"] for one in every["items"] if one["label"] == label]
        assert ids(reviewed(page, limit=100, label=label)) == wanted
        given = reviewed(page, what="answered", label=label)["items"]
        assert {one["label"] for one in given} == {label}
    assert page.client.get("/api/review", params={"label": "none"}).status_code == 409
    assert page.client.get("/api/review", params={"what": "all"}).status_code == 422


def test_skipped_examples_and_answers_that_strain_have_lists(run, tmp_path):
    path = tmp_path / "line.csv"
    pd.DataFrame({"x": np.arange(16.0)}).to_csv(path, index=False)
    page = run(path)
    for example, label in [(1, "no"), (14, "yes"), (13, "no"), (2, "yes"), (3, "no"), (12, "yes")]:
        assert page.answer(example, label).status_code == 200
    page.post("skip", example=8)
    assert ids(reviewed(page, what="skipped")) == [8]
    page.post("exception", example=0, label="yes")
    strained = reviewed(page, what="strained")["items"]
    assert strained[0]["card"]["example"] == 0
    assert strained[0]["by"] == "exception"
    worst = [one["card"]["example"] for one in strained[1:3]]
    assert set(worst) == {2, 13}
    assert [one["doubt"] for one in strained] == sorted(
        (o["doubt"] for o in strained), reverse=True
    )


def checking(run, path, truth):
    """Return a page that checks labels."""
    page = run(path, **LABELS, tolerance=0.1)
    while not page.question()["question"]["check"]:
        example = page.question()["question"]["example"]
        page.answer(example, truth[example])
    return page


def test_a_review_leaves_the_checks_blind_and_the_labels_that_are_checked_alone(run, points):
    path, truth = points
    page = checking(run, path, truth)
    example = page.question()["question"]["example"]
    page.answer(example, truth[example])
    learner = page.desk.session.fork()
    hidden, labels = withheld(learner), learner.audit.labels
    assert learner.audit.ask() in hidden
    found = reviewed(page, limit=100)
    assert not hidden & set(ids(found))
    assert found["withheld"] == len(hidden)
    drawn = learner.audit.ask()
    assert page.client.get(f"/api/why/{drawn}").json()["label"] == ""
    listed = page.client.get("/api/search", params={"limit": 100}).json()["items"]
    assert next(one for one in listed if one["card"]["example"] == drawn)["label"] == ""

    before = learner.audit
    for one in ids(found)[:6]:
        other = next(label for label in LABELS.values() if label != truth[one])
        page.answer(one, other)
    after = page.desk.session.fork()
    assert after.audit.ask() == drawn
    assert (after.audit.asked, after.audit.bound) == (before.asked, before.bound)
    assert np.array_equal(after.audit.labels, labels)
    assert after.parts.space.key == learner.parts.space.key


def test_words_that_speak_for_a_vote_are_those_that_the_answers_turn_on(run):
    page = run(None)
    truth = demo.messages()[1]
    learn(page.desk.session, dict(enumerate(truth[:40])))
    found = reviewed(page, limit=100)["items"]
    complaint = next(one["card"] for one in found if one["label"] == "complaint")
    why = page.client.get(f"/api/why/{complaint['example']}").json()
    assert (why["label"], why["against"]) == ("complaint", "other")
    whole = page.client.get(f"/api/examples/{complaint['example']}").json()["text"]
    assert "".join(one["text"] for one in why["pieces"]) == whole
    weights = [one["weight"] for one in why["pieces"]]
    assert max(weights) > 0
    assert max(map(abs, weights)) == 1
    assert why["columns"][0]["name"] == "message"


def test_columns_that_speak_for_a_vote_have_the_sign_of_the_truth(run, tmp_path):
    truth = in_file(tmp_path / "p.csv")
    page = run(tmp_path / "p.csv", answers=FOUR)
    assert page.client.get("/api/why/0").json()["note"].startswith("There is no vote")
    learn(page.desk.session, dict(enumerate(truth[:24])))
    right = 0
    for example in range(40, 60):
        why = page.client.get(f"/api/why/{example}").json()
        right += why["label"] == truth[example] and why["columns"][0]["weight"] > 0
    assert right > 10
    assert page.client.get("/api/why/80").status_code == 404


def test_words_are_cut_out_of_a_text_as_they_are():
    text = "Große İstanbul 😀 film, film"
    made = pieces(text, {"film": 1.0, "große i̇stanbul": -4.0, "große": 1.0})
    assert "".join(one.text for one in made) == text
    assert [(one.text, one.weight) for one in made if one.weight] == [
        ("Große", -0.5), ("İstanbul", -1.0), ("film", 0.5), ("film", 0.5)
    ]  # fmt: skip
    assert [one.weight for one in pieces("nothing", {})] == [0.0]
    # Where every word weighs something, only the heaviest are marked, wherever they stand.
    many = [f"w{i}" for i in range(3 * MOST_WORDS)]
    marked = pieces(" ".join([*many, "w2", many[-1]]), {w: 2.0 + i for i, w in enumerate(many)})
    assert [one.text for one in marked if one.weight] == [*many[-MOST_WORDS:], many[-1]]


def test_the_similar_are_the_nearest(run, tmp_path):
    path = tmp_path / "line.csv"
    pd.DataFrame({"x": [0.0, 10.0, 1.0, 9.0, 2.0, 50.0]}).to_csv(path, index=False)
    page = run(path)
    page.answer(2, "no")
    found = page.client.get("/api/similar/0").json()
    assert ids(found) == [2, 4, 3, 1, 5]
    assert found["items"][0]["by"] == "person"
    assert page.client.get("/api/similar/6").status_code == 404
