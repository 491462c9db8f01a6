"""The widget for notebooks: driven as its page drives it, and its page in Chromium.

``test_notebook_peer.py`` has it in JupyterLab.
"""

import json

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("anywidget", reason="needs anywidget: aluma[notebook]")

from aluma import ALuMA, Passive, Session
from aluma.adapters.notebook import FILES, Labeller
from aluma.app.opening import Wanted, opened
from aluma.errors import BadInput
from browsing import CHROMIUM, FLAGS, needs_browser, sync_api
from evidence import generator
from running_page import plane

SIZE = 40


def points():
    X = generator(9).standard_normal((SIZE, 2))
    return X, np.where(X @ [1.0, 0.4] > 0.1, "right", "left")


def say(widget, **message) -> dict:
    """Send what the page sends, and return what it is shown then."""
    widget._received(widget, message, [])
    return widget.state


def press(widget, truth) -> dict:
    example = widget.state["card"]["example"]
    return say(widget, do="answer", example=example,
               label=widget.state["labels"].index(truth[example]))  # fmt: skip


def test_a_learner_is_driven_to_the_stop_sign():
    X, truth = points()
    learner = ALuMA(X, classes=("left", "right"), bias=True, n_hypotheses=200)
    widget = Labeller(learner, [f"<b>point {i}</b>" for i in range(SIZE)], question="Where?")
    assert widget.state["labels"] == ["left", "right"]
    assert widget.state["card"]["text"] == f"<b>point {learner.ask()}</b>"
    assert not widget.state["can_undo"]
    seen = {"learning"}
    while widget.state["phase"] != "finished":
        seen.add(press(widget, truth)["phase"])
    assert seen == {"learning", "checking", "finished"}
    assert widget.state["card"] is None
    assert widget.state["headline"].startswith("You can stop here: at most")
    assert widget.state["headline"].endswith("whatever the data.")
    answers = [answers for answers, _ in widget.state["curve"]]
    assert answers == sorted(set(answers))
    assert json.dumps(widget.state)  # it can travel


def test_undo_skip_stale_and_wrong_messages():
    X, truth = points()
    learner = ALuMA(X, classes=("left", "right"), bias=True, n_hypotheses=200)
    widget = Labeller(learner)
    assert len(widget.state["card"]["fields"]) == 3  # the bias is seen too
    first = widget.state["card"]["example"]
    press(widget, truth)
    second = widget.state["card"]["example"]
    assert say(widget, do="answer", example=first, label=0)["answers"] == 1  # asked long ago
    assert say(widget, do="answer", example=second, label=7)["answers"] == 1
    assert say(widget, do="undo")["card"]["example"] == first
    refused = say(widget, do="undo")
    assert refused["trouble"] == "there is no answer to take back."
    assert say(widget, do="undo") != refused  # or it would not travel, and the page wait for it
    assert say(widget, do="skip", example=first)["card"]["example"] != first
    assert widget.state["trouble"] == ""
    widget._received(widget, "what?", [])
    with pytest.raises(BadInput, match="none of the answers 'left', 'right'"):
        widget.answer("up")


def test_it_shares_the_file_of_the_page(tmp_path):
    path = tmp_path / "plane.csv"
    frame = plane(SIZE)
    truth = frame.pop("side").tolist()
    frame.to_csv(path, index=False)
    page = opened(Wanted(source=path, session=tmp_path / "plane.aluma", yes="right", no="left"),
                  lambda _: None)  # fmt: skip
    page.desk.answer("one", 3, truth[3])
    page.desk.close()
    widget = Labeller.of_file(path, yes="right", no="left")
    assert widget.learner.answered.tolist() == [3]
    example = widget.state["card"]["example"]
    press(widget, truth)
    widget.learner.close()
    page = opened(Wanted(source=path, session=tmp_path / "plane.aluma", yes="right", no="left"),
                  lambda _: None)  # fmt: skip
    assert page.desk.session.answered.tolist() == [3, example]
    page.desk.close()


def test_learners_without_promises_images_and_wrong_settings(tmp_path):
    X, truth = points()
    pictures = generator(1).integers(0, 255, (SIZE, 4, 4), dtype=np.uint8)
    widget = Labeller(Passive(X, classes=("left", "right")), pictures)
    assert widget.state["card"]["image"].startswith("data:image/png;base64,")
    assert press(widget, truth)["answers"] == 1
    with pytest.raises(BadInput, match="3 examples to show, and 40 in the pool"):
        Labeller(ALuMA(X, classes=("a", "b")), pd.DataFrame({"x": range(3)}))
    with pytest.raises(BadInput, match="name all of them"):
        Labeller(ALuMA(X))
    with Session.create(tmp_path / "s.aluma", X, classes=("a", "b"), n_hypotheses=200) as session:
        widget = Labeller(session)
        widget.answer("a")
        assert session.n_answers == 1


PAGE = """<!doctype html><meta charset="utf-8"><style>%s</style><div id="cell"></div>
<script type="module">
const text = %s;
const { default: widget } = await import(URL.createObjectURL(
  new Blob([text], { type: "text/javascript" })));
let state = await window.exchange(null);
const heard = [];
const model = {
  get: () => state,
  on: (_, call) => heard.push(call),
  off: () => {},
  send: async (message) => { state = await window.exchange(message); heard.forEach((f) => f()); },
};
widget.render({ model, el: document.getElementById("cell") });
</script>"""


@needs_browser
def test_keys_undo_and_the_stop_sign_in_chromium():
    X, truth = points()
    learner = ALuMA(X, classes=("left", "right"), bias=True, n_hypotheses=200)
    widget = Labeller(learner, [f"<img src=x> point {i}" for i in range(SIZE)])

    def exchange(message):
        return say(widget, **message) if message else widget.state

    script, style = ((FILES / f"notebook.{kind}").read_text() for kind in ("js", "css"))
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        tab = browser.new_page()
        tab.expose_function("exchange", exchange)
        tab.set_content(PAGE % (style, json.dumps(script)))
        expect = sync_api.expect
        expect(tab.locator(".aluma-text")).to_contain_text("<img src=x> point")
        assert tab.locator(".aluma-text img").count() == 0
        tab.locator(".aluma").focus()
        for given in range(6):
            right = truth[widget.state["card"]["example"]] == "right"
            tab.keyboard.press("ArrowRight" if right else "ArrowLeft")
            expect(tab.locator(".aluma-foot span")).to_have_text(f"{given + 1} of 40 answered")
        tab.keyboard.press("u")
        expect(tab.locator(".aluma-foot span")).to_have_text("5 of 40 answered")
        expect(tab.locator(".aluma-curve polyline")).to_have_count(1)
        while widget.state["card"] is not None:
            press(widget, truth)
        tab.locator(".aluma-answer").first.click()  # an answer that comes too late
        expect(tab.locator(".aluma-finished")).to_contain_text("You can stop here")
        browser.close()
