"""Checks on the page: they come when the model has settled, and only they make a figure better."""

import io
import re
from time import monotonic, sleep

import numpy as np
import pandas as pd
import pytest

from aluma.app.curve import Curve
from aluma.app.evidence import evidence
from aluma.app.judge import Judge
from aluma.app.opening import Wanted, demo_answers
from aluma.learners.aluma import ALuMA
from aluma.session import Session
from aluma.spaces.history import audited_from
from running_page import LABELS, plane, settle


def figures(state):
    return state["progress"]["figures"] or {}


def drive(page, answer, until, most=400):
    """Answer question after question until something holds of a state; return all states."""
    states = []
    for number in range(most):
        state = page.question()
        states.append(state)
        if until(state) or state["question"] is None:
            break
        example = state["question"]["example"]
        assert page.answer(example, answer(example, number)).status_code == 200
    return states


def exported(page):
    return pd.read_csv(io.BytesIO(page.client.get("/api/export/labels.csv").content)).fillna("")


@pytest.fixture
def many(tmp_path):
    """Return a table of points, and their labels."""
    frame = plane(300, seed=3)
    path = tmp_path / "many.csv"
    frame.drop(columns="side").to_csv(path, index=False)
    return path, frame["side"].tolist()


def test_labels_pass_by_checks_and_the_sentence_goes_with_them(run, many):
    path, truth = many
    page = run(path, **LABELS)
    states = drive(page, lambda i, _: truth[i], lambda s: s["progress"]["finished"])
    last = states[-1]
    # Figures come with the question: none is behind the answers that are there.
    assert all(figures(s)["answers"] == s["progress"]["answered"] for s in states)
    learning = [s for s in states if s["progress"]["phase"] == "learning"]
    assert all(figures(s)["checks"] == 0 for s in learning)
    assert not any(s["question"]["check"] for s in learning)
    checking = [s for s in states if s["progress"]["phase"] == "checking"]
    assert all(s["question"]["check"] and not s["spare"] for s in checking)
    assert figures(checking[0])["remaining"] == len(checking)
    bounds = [figures(s)["error_bound"] for s in checking]
    assert bounds == sorted(bounds, reverse=True)
    assert all(bound > 0.05 for bound in bounds)
    assert last["progress"]["phase"] == "finished"
    assert figures(last)["error_bound"] <= 0.05
    frame = exported(page)
    assert (frame["checked"] == "right").sum() == figures(last)["checks"] == len(checking)
    sentence = page.client.get("/api/export/promise.txt").text
    pattern = rf"20\d\d-\d\d-\d\d, many: {len(checking)} of 300 labels were checked at random, "
    assert re.match(
        pattern + r"0 found wrong: at most \d(\.\d+)?% of the labels are wrong now", sentence
    )
    assert page.client.get("/api/export/model.json").json()["promise"] == sentence.strip()
    assert f"<h1>{sentence.strip()}</h1>" in page.client.get("/api/export/summary.html").text
    # Going on is possible, and checks more.
    example = last["question"]["example"]
    page.answer(example, truth[example])
    assert figures(page.question())["checks"] == len(checking) + 1


def test_a_wrong_label_that_a_check_finds_is_put_right(checking):
    page, truth = checking
    other = {"left": "right", "right": "left"}
    example = page.question()["question"]["example"]
    page.answer(example, other[truth[example]])
    state = page.question()
    if figures(state)["checks"]:
        assert (figures(state)["wrong_found"], figures(state)["checks"]) == (1, 1)
        assert exported(page).loc[example, "checked"] == "wrong, put right"
    else:
        assert state["progress"]["failed"]["wrong"] == 1
    assert exported(page).loc[example, "label"] == other[truth[example]]


def test_a_skipped_check_counts_as_wrong_and_is_said_to_be_skipped(checking):
    page, truth = checking
    drive(page, lambda i, _: truth[i], lambda s: figures(s)["checks"] == 5)
    example = page.question()["question"]["example"]
    before = figures(page.question())["error_bound"]
    assert page.post("skip", example=example).status_code == 200
    now = figures(page.question())
    assert (now["checks"], now["wrong_found"], now["skipped_checks"]) == (6, 1, 1)
    assert now["error_bound"] >= before
    assert exported(page).loc[example, "checked"] == "skipped"
    sentence = page.client.get("/api/export/promise.txt").text
    assert (
        "6 of 300 labels were checked at random, 0 found wrong, 1 skipped and counted" in sentence
    )
    assert "put right" not in sentence


def test_a_check_that_failed_by_skips_says_so(checking):
    page, _ = checking
    while not (failed := page.question()["progress"]["failed"]):
        page.post("skip", example=page.question()["question"]["example"])
    assert failed["skipped"] == failed["wrong"] == failed["checks"] > 0
    said = page.client.get("/api/export/summary.html").text
    assert f"{failed['wrong']} counted as wrong, {failed['skipped']} of them skipped" in said


def _again(session):
    """Say whether labels are being checked that came of a check that failed."""
    return session.phase == "checking" and len(evidence(session.fork()).past) > 0


def test_coin_tosses_never_get_a_stop(run, tmp_path):
    rng = np.random.default_rng(5)

    def tossed(_example, _number=0):
        return ["other", "complaint"][int(rng.integers(2))]

    # The page shows how it ends; how it came to that is the learner's.
    settle(Wanted(None, tmp_path / "s.aluma", hypotheses=200), tossed, _again)
    page = run()
    states = drive(page, tossed, lambda s: s["progress"]["out_of_reach"], most=120)
    assert not any(s["progress"]["finished"] for s in states)
    failed = [s["progress"]["failed"] for s in states if s["progress"]["failed"]]
    assert failed[0]["wrong"] > 0
    # What checks have found does not go away because the answers since fit a boundary.
    after = [figures(s) for s in states if figures(s)["expected_error"] is not None]
    assert all(one["expected_error"] > 0.05 for one in after)
    assert {one["expected_by"] for one in after} >= {"checks"}
    assert not failed[0]["answer_changed"]
    # The verdict is said, and the page goes on asking for whoever wants to.
    assert "checked at random were wrong, so about" in states[-1]["progress"]["out_of_reach"]
    assert states[-1]["question"] is not None
    # There is one estimate on the page, not two.
    about = int(re.search(r"so about (\d+)% of all", states[-1]["progress"]["out_of_reach"])[1])
    assert figures(states[-1])["expected_error"] == pytest.approx(about / 100, abs=0.006)
    assert figures(states[-1])["expected_by"] == "checks"
    assert "cannot separate your answers" in page.client.get("/api/export/summary.html").text


def test_answers_that_are_all_the_same_get_a_stop_only_by_checks(run, many):
    page = run(many[0], no="other", yes="complaint")
    states = drive(page, lambda i, _: "other", lambda s: s["progress"]["finished"], most=137)
    early = [s for s in states if figures(s)["checks"] == 0]
    assert len(early) >= 30
    for state in states:
        assert not state["progress"]["both_seen"]
        assert figures(state)["expected_error"] is None
        assert state["progress"]["finished"] == (figures(state)["error_bound"] <= 0.05)
    assert not any(s["progress"]["finished"] for s in early)
    assert figures(states[-1])["checks"] > 40


def test_an_exception_never_makes_a_figure_better(run, tmp_path):
    path = tmp_path / "line.csv"
    pd.DataFrame({"x": np.arange(40.0)}).to_csv(path, index=False)
    page = run(path, slack=0)
    page.answer(2, "no")
    page.answer(38, "yes")
    page.answer(20, "no")
    before = figures(page.until(lambda s: figures(s).get("judged") == 3))
    for example in (39, 37, 36):
        assert page.answer(39, "no").status_code in (200, 409)
        page.post("exception", example=example, label="no")
        state = page.question()
        assert figures(state)["expected_error"] > before["expected_error"]
        assert figures(state)["error_bound"] >= before["error_bound"]
        before = figures(state)
    assert state["progress"]["exceptions"] == 3


def test_changing_an_answer_begins_the_checks_anew(checking):
    page, truth = checking
    first = int(page.desk.session.answered[0])
    drive(page, lambda i, _: truth[i], lambda s: figures(s)["checks"] == 5)
    other = {"left": "right", "right": "left"}[truth[first]]
    assert page.post("change", example=first, label=other).status_code == 200
    state = page.until(lambda s: figures(s).get("checks") == 0)
    assert state["progress"]["failed"]["answer_changed"]


def test_undo_takes_a_check_back_and_asks_it_again(checking):
    page, truth = checking
    drive(page, lambda i, _: truth[i], lambda s: figures(s)["checks"] == 5)
    last = page.state()["last"][0]["card"]["example"]
    assert page.post("undo").json()["example"] == last
    state = page.until(lambda s: figures(s).get("checks") == 4 and s["question"])
    assert (state["question"]["example"], state["question"]["check"]) == (last, True)


def test_after_opening_again_the_same_checks_go_on(checking, run, stack):
    page, truth = checking
    drive(page, lambda i, _: truth[i], lambda s: figures(s)["checks"] == 7)
    before = page.question()
    coming = page.desk.session.audit.coming(20).tolist()
    stack.close()
    again = run(page.desk.session.path.with_name("many.csv"), **LABELS)
    after = again.question()
    assert after["question"] == before["question"]
    for name in ("checks", "wrong_found", "error_bound", "remaining"):
        assert figures(after)[name] == figures(before)[name]
    assert again.desk.session.audit.coming(20).tolist() == coming


def test_messy_data_start_the_checks_anew_and_learn_from_all(run, many):
    path, truth = many
    page = run(path, **LABELS, slack=0)
    drive(page, lambda i, _: truth[i], lambda s: figures(s)["checks"] == 5)
    told = page.desk.session.n_answers
    assert page.post("slack").status_code == 200
    session = page.desk.session
    assert session.keep_asking
    assert session.n_answers == told
    assert audited_from(session.fork().history) == told
    assert figures(page.until(lambda s: s["question"]))["checks"] == 0


def test_checks_do_not_cost_a_certificate_each(checking, monkeypatch):
    page, truth = checking
    drive(page, lambda i, _: truth[i], lambda s: figures(s)["checks"] == 1)
    page.until(lambda s: figures(s)["expected_error"] is not None)
    # It goes on with proofs while nobody answers, until there are no more.
    waited = monotonic()
    while not page.desk._judge._all_tried:
        assert monotonic() < waited + 60
        sleep(0.05)
    certified = []
    monkeypatch.setattr(Judge, "_certify", lambda self, learner: certified.append(learner))
    drive(page, lambda i, _: truth[i], lambda s: figures(s)["checks"] == 12)
    page.desk._judge._idle.wait(10)
    assert certified == []


def test_a_session_from_before_checks_shows_an_estimate_and_never_a_stop(run, many, tmp_path):
    path, truth = many
    page = run(path, **LABELS)
    features, session = page.opened.features.X, tmp_path / "s.aluma"
    page.desk.close()
    session.unlink()
    settings = {"classes": ("left", "right"), "bias": True, "n_hypotheses": 200}
    old = Session.create(
        session, features, tolerance=0.01, promise="credible", slack=0.0, **settings
    )
    for _ in range(40):
        example = old.ask()
        old.tell(example, truth[example])
    assert old.certificate().error_bound <= 0.01
    old.close()
    again = run(path, **LABELS)
    state = again.until(lambda s: s["question"] and figures(s).get("judged") == 40)
    assert (figures(state)["basis"], state["progress"]["tolerance"]) == ("prior", 0.01)
    assert not state["progress"]["finished"]
    assert figures(state)["expected_error"] is not None
    assert any("aluma check" in note for note in again.opened.notes)
    assert "No label has been checked" in again.client.get("/api/export/promise.txt").text
    example = state["question"]["example"]
    assert again.answer(example, truth[example]).status_code == 200


def test_curves_from_before_checks_are_read(tmp_path):
    file = tmp_path / "s.curve.jsonl"
    old = '{"answers":%d,"determined":5,"expected_error":0.2,"error_bound":0.3,"delta":0.05}\n'
    file.write_text("".join(old % n for n in range(1, 5)) + "broken\n")
    points = Curve(file).points
    assert [one.answers for one in points] == [1, 2, 3, 4]
    assert {(one.basis, one.checks) for one in points} == {("prior", 0)}


def test_nothing_checked_promises_nothing():
    learner = ALuMA(plane(100)[["x", "y"]].to_numpy(), classes=("no", "yes"), n_hypotheses=100)
    known = evidence(learner)
    assert (known.phase, known.checks, known.bound, known.estimate) == ("learning", 0, 1.0, None)


def test_the_demonstration_passes_with_true_answers(run, tmp_path):
    truth = demo_answers()
    settle(Wanted(None, tmp_path / "s.aluma", hypotheses=200), truth.__getitem__)
    page = run()
    states = drive(page, lambda i, _: truth[i], lambda s: s["progress"]["finished"])
    assert figures(states[-1])["checks"] > 0
    frame = exported(page)
    wrong = (frame["label"] != pd.Series(truth)).mean()
    assert wrong <= figures(states[-1])["error_bound"]
