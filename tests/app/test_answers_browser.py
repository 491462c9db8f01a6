"""Any number of answers in a real browser: keys, touch, answers that are added, hostile names."""

import re

import numpy as np
import pandas as pd
import pytest

from browsing import needs_browser, sync_api
from four_kinds import FOUR, in_file

expect = sync_api.expect
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
TWENTY = [f"answer number {i}" for i in range(20)]


@pytest.fixture
def four(run, tmp_path):
    """Return a page with four answers, and what is true."""
    truth = in_file(tmp_path / "points.csv")
    return run(tmp_path / "points.csv", answers=FOUR), truth


def shown(tab) -> int:
    """Return which example is on the screen."""
    expect(tab.locator("#choices .answer").first).to_be_enabled()
    return int(re.sub(r"\D", "", tab.locator("#title").inner_text())) - 1


def answered(tab, n: int) -> None:
    """Wait until n answers are there, all of them with a tick."""
    expect(tab.locator("#answered")).to_have_text(f"{n}")
    expect(tab.locator(".tick.pending")).to_have_count(0)


def words(tab) -> str:
    """Return all that can be read on the page."""
    return tab.locator("body").inner_text().lower()


@needs_browser
def test_four_answers_by_number_keys(four, visit):
    page, truth = four
    tab = visit(page.link)
    given = {}
    for n in range(12):
        example = shown(tab)
        given[example] = truth[example]
        tab.keyboard.press(str(1 + FOUR.index(truth[example])))
        answered(tab, n + 1)
    session = page.desk.session
    assert dict(zip(session.answered.tolist(), session.answers.tolist(), strict=True)) == given
    counts = [str(list(given.values()).count(label)) for label in FOUR]
    expect(tab.locator("#counts b")).to_have_text(counts)
    for key in ("ArrowLeft", "ArrowRight", "5"):
        tab.keyboard.press(key)
    answered(tab, 12)
    tab.keyboard.press("u")
    answered(tab, 11)
    tab.keyboard.press("l")
    row = tab.locator("#list-items li").first
    expect(row.locator(".choice")).to_have_count(4)
    row.locator(".choice[aria-pressed=false]").first.click()
    expect(row.locator(".choice").first).to_have_attribute("aria-pressed", "true")
    tab.keyboard.press("Escape")
    tab.keyboard.press("?")
    expect(tab.locator("#help-answers")).to_have_text("the answers, as the buttons say")
    said = words(tab)
    assert "the two answers" not in said
    assert "both answers" not in said
    assert not re.search(r"\byes\b", said)


@needs_browser
def test_four_answers_by_touch_on_a_phone(four, visit):
    page, truth = four
    tab = visit(page.link, **PHONE)
    for n in range(4):
        button = tab.get_by_role("button", name=truth[shown(tab)], exact=True)
        box = button.bounding_box()
        assert box["height"] >= 44
        assert box["y"] + box["height"] <= 844
        button.tap()
        answered(tab, n + 1)
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


@needs_browser
@pytest.mark.parametrize("screen", [{"viewport": {"width": 1280, "height": 800}}, PHONE])
def test_twenty_answers_are_in_reach_and_have_keys(run, visit, tmp_path, screen):
    in_file(tmp_path / "p.csv")
    page = run(tmp_path / "p.csv", answers=TWENTY)
    tab = visit(page.link, **screen)
    boxes = [one.bounding_box() for one in tab.locator("#choices .answer").all()]
    high = screen["viewport"]["height"]
    assert len(boxes) == 20
    assert all(box["height"] >= 44 and box["y"] + box["height"] <= high for box in boxes)
    for place, one in enumerate(boxes):
        for other in boxes[:place]:
            apart_x = (
                one["x"] >= other["x"] + other["width"] or other["x"] >= one["x"] + one["width"]
            )
            assert apart_x or one["y"] >= other["y"] + other["height"]
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    keys = [one.text_content() for one in tab.locator("#choices kbd").all()]
    assert len(set(keys)) == 20
    assert not set(keys) & set("EFGLNPRSUTX")
    # An answer that is called by a digit has it as its key, wherever it stands.
    named = "import('/choices.js').then((one) => one.keysOf(['0', '1', '9', 'other', 'more']))"
    assert tab.evaluate(named) == ["0", "1", "9", "2", "3"]
    shown(tab)
    tab.keyboard.press(keys[19].lower())
    answered(tab, 1)
    assert page.desk.session.answers.tolist() == [TWENTY[19]]
    tab.keyboard.press("l")
    tab.get_by_role("button", name="Change: ").click()
    expect(tab.locator("#list-items .choice")).to_have_count(20)
    # All of them leave the example its room.
    assert tab.locator("#list-items .what").bounding_box()["width"] > 250
    tab.get_by_role("button", name=f"{TWENTY[3]}: ").click()
    chosen = tab.locator("#list-items .choice[aria-pressed=true]")
    expect(chosen).to_have_text(TWENTY[3])


@needs_browser
def test_an_answer_is_added_and_given(four, visit):
    page, _ = four
    tab = visit(page.link)
    example = shown(tab)
    tab.keyboard.press("+")
    tab.keyboard.type("sport")
    tab.keyboard.press("Enter")
    expect(tab.locator("#add-why")).to_have_text("There is an answer of this name already.")
    tab.locator("#add-name").fill("<b>weather</b>")
    tab.keyboard.press("Enter")
    answered(tab, 1)
    expect(tab.locator("#choices .answer")).to_have_count(5)
    expect(tab.locator("#answer-4")).to_contain_text("<b>weather</b>")
    assert page.desk.session.answers.tolist() == ["<b>weather</b>"]
    assert page.desk.session.answered.tolist() == [example]
    tab.reload()
    expect(tab.locator("#choices .answer")).to_have_count(5)
    tab.locator("#open-add").click()
    tab.locator("#add-name").fill("later")
    tab.locator("#add-only").click()
    expect(tab.locator("#choices .answer")).to_have_count(6)
    answered(tab, 1)


@needs_browser
def test_hostile_names_stay_names(run, visit, tmp_path):
    names = ["<img src=x onerror=alert(1)>", "\u202eevil\u202c", "שלום", "w" * 100, 'q"q']
    in_file(tmp_path / "p.csv")
    page = run(tmp_path / "p.csv", answers=names)
    tab = visit(page.link, **PHONE)
    assert [one.text_content() for one in tab.locator("#choices span").all()] == names
    for n in range(4):
        shown(tab)
        tab.keyboard.press(str(n + 1))
        answered(tab, n + 1)
    tab.keyboard.press("l")
    expect(tab.locator("#list-items li")).to_have_count(4)
    assert tab.locator("main img, aside img, #list img").count() == 0
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


@needs_browser
def test_a_contradiction_offers_every_other_answer(run, visit, tmp_path):
    path = tmp_path / "line.csv"
    pd.DataFrame({"x": np.arange(12.0)}).to_csv(path, index=False)
    page = run(path, answers=("a", "b", "c"), slack=0)
    page.answer(0, "a")
    page.answer(4, "b")
    page.answer(8, "c", showing=11)
    page.until(lambda s: s["question"] and s["question"]["example"] == 11)
    tab = visit(page.link)
    assert shown(tab) == 11
    tab.keyboard.press("1")
    expect(tab.locator("#clash-why")).to_contain_text("no straight boundaries between the answers")
    ways = [" ".join(one.split()) for one in tab.locator("#clash-ways button").all_inner_texts()]
    assert {"Answer “b” instead 2", "Answer “c” instead 3"} <= set(ways)
    expect(tab.locator("#clash-list li").first.locator("button")).to_have_count(2)
    tab.get_by_role("button", name="Answer “c” instead").click()
    answered(tab, 4)
    assert page.desk.session.answers.tolist() == ["a", "b", "c", "c"]


@needs_browser
def test_guidelines_and_notes_are_a_key_away_and_stay_text(run, visit, tmp_path):
    attack = "<img src=x onerror=alert(1)>"
    (tmp_path / "g.md").write_text(
        f"# Rules {attack}\n\n- one\n- two\n\n![p](http://127.0.0.1:9/p.png) "
        "[x](javascript:alert(2))"
    )
    truth = in_file(tmp_path / "p.csv")
    page = run(tmp_path / "p.csv", answers=FOUR, guidelines=tmp_path / "g.md")
    tab = visit(page.link)
    example = shown(tab)
    tab.keyboard.press("g")
    expect(tab.locator("#guidelines-text h3")).to_have_text(f"Rules {attack}")
    expect(tab.locator("#guidelines-text li")).to_have_count(2)
    assert tab.locator("#guidelines-text img, #guidelines-text a").count() == 0
    tab.keyboard.press("Escape")
    tab.keyboard.press("n")
    tab.keyboard.type(f"unsure 1 {attack}")
    tab.keyboard.press("Control+Enter")
    expect(tab.locator("#noted")).to_have_text(f"Note: unsure 1 {attack}")
    tab.reload()
    expect(tab.locator("#noted")).to_have_text(f"Note: unsure 1 {attack}")
    assert shown(tab) == example
    tab.keyboard.press(str(1 + FOUR.index(truth[example])))
    answered(tab, 1)
    expect(tab.locator("#noted")).to_be_hidden()
    tab.keyboard.press("l")
    expect(tab.locator("#list-items .meta").first).to_contain_text("note: unsure 1 <img")
    tab.keyboard.press("Escape")
    assert tab.locator("main img, #list img").count() == 0


@needs_browser
def test_on_a_phone_guidelines_and_notes_have_buttons(run, visit, tmp_path):
    (tmp_path / "g.md").write_text("Read *all* of it.")
    in_file(tmp_path / "p.csv")
    page = run(tmp_path / "p.csv", answers=FOUR, guidelines=tmp_path / "g.md")
    tab = visit(page.link, **PHONE)
    box = tab.get_by_role("button", name="Help", exact=True).bounding_box()
    assert box["x"] + box["width"] <= 390 - 12
    tab.get_by_role("button", name="Guidelines", exact=True).tap()
    expect(tab.locator("#guidelines-text")).to_have_text("Read all of it.")
    tab.locator("#guidelines [data-close]").tap()
    example = shown(tab)
    tab.get_by_role("button", name="Note", exact=True).tap()
    tab.locator("#note-text").fill("later")
    tab.locator("#note-keep").tap()
    expect(tab.locator("#noted")).to_have_text("Note: later")
    expect(tab.locator(".tick.pending")).to_have_count(0)
    page.until(lambda s: s["question"]["note"] == "later")
    assert page.desk.session.beside[f"note {example}"] == "later"
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
