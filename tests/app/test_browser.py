"""The page in a real browser: keyboard, ticks, contradictions, tabs, hostile content, a crash."""

import os
import re
import sys

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from aluma.app.opening import Wanted
from browsing import CHROMIUM, begun, end, needs_browser, sync_api, wait_until
from running_page import LABELS, TOKEN, plane, settle

expect = sync_api.expect


def test_ci_has_a_browser():
    if os.environ.get("CI") == "true":
        assert CHROMIUM, "these tests must run in CI: install Debian's package chromium"


def shown(tab) -> int:
    """Return which example is on the screen."""
    tab.locator("#title:not(:empty)").wait_for()
    return int(re.sub(r"\D", "", tab.locator("#title").inner_text())) - 1


def press(tab, truth) -> int:
    """Answer what is on the screen by keyboard, and wait for another example."""
    # The page takes no key while a dialog is open or the next example is on its way; a dialog that
    # was closed by Escape may be there a little longer, and the old title until the new one is.
    expect(tab.locator("dialog[open]")).to_have_count(0)
    expect(tab.locator("#yes")).to_be_enabled()
    example = shown(tab)
    before = tab.locator("#title").inner_text()
    tab.keyboard.press("ArrowRight" if truth[example] == LABELS["yes"] else "ArrowLeft")
    expect(tab.locator("#title")).not_to_have_text(before)
    return example


def answered(tab, n: int) -> None:
    """Wait until n answers are there, all of them with a tick, and nothing is on its way."""
    try:
        expect(tab.locator("#answered")).to_have_text(f"{n}")
        expect(tab.locator(".tick.pending")).to_have_count(0)
        wait_until(tab, "Object.values(sessionStorage).every((one) => one === '[]')")
    except AssertionError as error:
        # What the page said, and what it still had to send, tell where an answer went.
        kept = tab.evaluate("JSON.stringify(Object.values(sessionStorage))")
        raise AssertionError(f"{error}\n{tab.locator('body').inner_text()}\n{kept}") from None


@needs_browser
def test_thirty_answers_by_keyboard_undo_change_reload_and_export(run, points, visit):
    path, truth = points
    page = run(path, **LABELS, tolerance=0.0)
    tab = visit(page.link)
    assert tab.url == f"{page.url}/"  # the token is not left in the address
    given = [press(tab, truth)]
    answered(tab, 1)

    tab.keyboard.press("l")
    expect(tab.locator("#list-items li")).to_have_count(1)
    other = next(label for label in LABELS.values() if label != truth[given[-1]])
    for label in (other, truth[given[-1]]):
        name = f"{label}: row {given[-1] + 1}"
        tab.get_by_role("button", name=name, exact=True).focus()
        tab.keyboard.press("Enter")
        chosen = tab.locator(f".choice[aria-label='{name}']")
        expect(chosen).to_have_attribute("aria-pressed", "true")
        expect(chosen).to_be_focused()
    tab.keyboard.press("Escape")

    given += [press(tab, truth) for _ in range(29)]
    answered(tab, 30)
    assert set(page.desk.session.answered.tolist()) == set(given)

    tab.keyboard.press("u")
    answered(tab, 29)
    expect(tab.locator("#title")).to_have_text(f"row {given[-1] + 1}")
    press(tab, truth)
    answered(tab, 30)

    # There is nothing to skip while the next example is on its way.
    expect(tab.locator("#skip")).to_be_enabled()
    skipped = tab.locator("#title").inner_text()
    tab.keyboard.press("s")
    expect(tab.locator("#split")).to_contain_text("1 skipped")
    expect(tab.locator("#title")).not_to_have_text(skipped)

    # The page asks before it is left while something is on its way.
    wait_until(tab, "Object.values(sessionStorage).every((one) => one === '[]')")
    before = tab.locator("#title").inner_text()
    tab.reload()
    expect(tab.locator("#title")).to_have_text(before)
    answered(tab, 30)

    tab.keyboard.press("e")
    with tab.expect_download() as download:
        tab.get_by_role("link", name="CSV", exact=True).click()
    frame = pd.read_csv(download.value.path())
    assert (frame["label_by"] == "person").sum() == 30
    assert frame["label"].tolist() == truth


@needs_browser
def test_while_an_answer_is_taken_back_nothing_else_is_asked(run, points, visit):
    path, truth = points
    tab = visit(run(path, **LABELS, tolerance=0.0).link)
    given = [press(tab, truth) for _ in range(3)]
    answered(tab, 3)
    held = []
    tab.route("**/api/undo", lambda route: held.append((route, route.fetch())))
    tab.keyboard.press("u")
    # The server has taken it back and says so; the page has no receipt yet.
    expect(tab.locator("#answered")).to_have_text("2")
    expect(tab.locator("#yes")).to_be_disabled()
    ((route, response),) = held
    route.fulfill(response=response)
    expect(tab.locator("#title")).to_have_text(f"row {given[-1] + 1}")
    assert press(tab, truth) == given[-1]
    answered(tab, 3)


@needs_browser
def test_a_contradiction_is_explained_and_resolved(run, visit, tmp_path):
    path = tmp_path / "line.csv"
    pd.DataFrame({"x": np.arange(12.0)}).to_csv(path, index=False)
    page = run(path, slack=0)
    page.answer(2, "no")
    page.answer(8, "yes", showing=10)
    page.until(lambda s: s["ahead"])
    tab = visit(page.link)
    expect(tab.locator("#title")).to_have_text("row 11")
    tab.keyboard.press("ArrowLeft")
    expect(tab.locator("#clash-why")).to_contain_text("cannot all be right")
    expect(tab.locator("#clash-list li")).to_have_count(2)
    ways = tab.locator("#clash-ways button").all_inner_texts()
    assert ways[0].startswith("My data is messy: allow for that")
    assert ways[1].startswith("Keep my answer, do not learn from it")
    tab.keyboard.press("Escape")
    expect(tab.locator("#clash")).to_be_hidden()
    expect(tab.locator("#title")).to_have_text("row 11")
    tab.keyboard.press("ArrowLeft")
    tab.get_by_role("button", name="Change row 9 to no").click()
    answered(tab, 3)
    answers = dict(zip(page.desk.session.answered.tolist(), page.desk.session.answers, strict=True))
    assert answers == {2: "no", 8: "no", 10: "no"}


@needs_browser
@pytest.mark.parametrize(
    ("key", "kept"),
    [("x", ({2, 8}, {10: "no"})), ("s", ({2, 8}, {})), ("ArrowRight", ({2, 8, 10}, {}))],
)
def test_a_contradiction_is_resolved_by_a_key(run, visit, tmp_path, key, kept):
    path = tmp_path / "line.csv"
    pd.DataFrame({"x": np.arange(12.0)}).to_csv(path, index=False)
    page = run(path, slack=0)
    page.answer(2, "no")
    page.answer(8, "yes", showing=10)
    page.until(lambda s: s["ahead"])
    tab = visit(page.link)
    expect(tab.locator("#title")).to_have_text("row 11")
    tab.keyboard.press("ArrowLeft")
    expect(tab.locator("#clash-why")).to_contain_text("cannot all be right")
    tab.keyboard.press(key)
    expect(tab.locator("#clash")).to_be_hidden()
    page.until(lambda s: s["version"] == 3)
    session = page.desk.session
    assert (set(session.answered.tolist()), session.exceptions) == kept


@needs_browser
def test_when_the_last_example_is_skipped_nothing_is_left_to_ask(run, visit, tmp_path):
    path = tmp_path / "line.csv"
    pd.DataFrame({"x": np.arange(3.0)}).to_csv(path, index=False)
    page = run(path)
    page.answer(0, "no")
    page.answer(2, "yes")
    tab = visit(page.link)
    tab.keyboard.press("s")
    expect(tab.locator("#example")).to_have_text("There is nothing left to ask.")
    # The words for a next example that is late would come a quarter of a second after the key.
    tab.wait_for_timeout(600)
    expect(tab.locator("#example")).to_have_text("There is nothing left to ask.")
    tab.keyboard.press("r")
    tab.locator("#review-what").select_option("skipped")
    expect(tab.locator("#review-items li")).to_have_count(1)
    tab.locator("#review-items li").press("2")
    expect(tab.locator("#answered")).to_have_text("3")


@needs_browser
def test_a_long_text_is_scrolled_by_keys(run, visit, tmp_path):
    path = tmp_path / "long.csv"
    texts = [" ".join(f"line {i} of text {n}" for i in range(400)) for n in range(3)]
    pd.DataFrame({"text": texts}).to_csv(path, index=False)
    tab = visit(run(path).link, viewport={"width": 1280, "height": 700})
    top = "document.getElementById('card').scrollTop"
    for key, grows in (("ArrowDown", 1), ("PageDown", 1), ("ArrowUp", -1), ("Space", 1)):
        before = tab.evaluate(top)
        tab.keyboard.press(key)
        wait_until(tab, f"({top} - {before}) * {grows} > 0")
    tab.keyboard.press("ArrowRight")
    wait_until(tab, f"{top} === 0")


@needs_browser
def test_a_wide_row_is_shown_whole_on_request_and_no_number_is_broken(run, visit, tmp_path):
    path = tmp_path / "wide.csv"
    rng = np.random.default_rng(0)
    names = [f"a measurement with a long name, {j}" for j in range(30)]
    pd.DataFrame(rng.normal(size=(20, 30)), columns=names).to_csv(path, index=False)
    tab = visit(run(path).link)
    heights = tab.evaluate(
        "[...document.querySelectorAll('.grid dd')].map(one => one.clientHeight)"
    )
    assert len(heights) < 30
    assert len(set(heights)) == 1
    tab.get_by_role("button", name=re.compile("^Show the other .* columns$")).click()
    expect(tab.locator(".grid dd")).to_have_count(30)


@needs_browser
def test_one_escape_leads_from_the_search_back_to_the_question(run, points, visit):
    path, truth = points
    tab = visit(run(path, **LABELS).link)
    tab.keyboard.press("/")
    tab.keyboard.type("nowhere to be found")
    expect(tab.locator("#list-count")).to_have_text("No example has all of these words.")
    tab.keyboard.press("Escape")
    expect(tab.locator("#list")).to_be_hidden()
    press(tab, truth)
    answered(tab, 1)


#: Answers after which learning goes on a little.
FEW = 8


@pytest.fixture
def many(tmp_path):
    """Return a table of points, and their labels."""
    frame = plane(200, seed=3)
    path = tmp_path / "many.csv"
    frame.drop(columns="side").to_csv(path, index=False)
    return path, frame["side"].tolist()


def size(tab, what) -> float:
    """Return how large some words are."""
    return float(tab.locator(what).evaluate("one => parseFloat(getComputedStyle(one).fontSize)"))


@needs_browser
def test_it_learns_checks_says_what_was_checked_and_lets_one_go_on(run, many, visit, tmp_path):
    path, truth = many
    # Most of the questions are answered without a page, and few checks come to a goal of 20%.
    wanted = Wanted(path, tmp_path / "s.aluma", hypotheses=200, tolerance=0.2, **LABELS)
    settle(wanted, truth.__getitem__, lambda session: session.n_answers == FEW)
    page = run(path, **LABELS)
    tab = visit(page.link)
    expect(tab.locator("#headline")).to_have_text("Nothing checked yet")
    expect(tab.locator("#note")).to_contain_text("not known before some are checked at random")
    expect(tab.locator("#drawn")).to_be_hidden()
    given = FEW
    while tab.locator("#drawn").is_hidden():
        press(tab, truth)
        # What a question is for is known when the server has the answer before it.
        given += 1
        answered(tab, given)
    expect(tab.locator("#drawn")).to_have_text("This one was drawn at random to check the labels.")
    expect(tab.locator("#news-text")).to_contain_text(re.compile(r"check about \d+ at random"))
    press(tab, truth)
    expect(tab.locator("#headline")).to_contain_text(
        re.compile(r"Checked at random: 0 of \d wrong, so at most")
    )
    for smaller in ("#note", "#outlook", "#expected", "#follows", "#answered", "#news-title"):
        assert size(tab, smaller) < size(tab, "#headline")
    expect(tab.locator("#expected")).to_contain_text("if a straight boundary fits")
    expect(tab.locator("#outlook")).to_contain_text("more checks to the goal of 20%")
    while tab.locator("#news-title").inner_text() != "Goal reached":
        press(tab, truth)
    expect(tab.locator("#news-text")).to_contain_text(
        re.compile(
            r"^Passed: at most \d.* of the 200 labels are wrong \(95% sure, whatever the data"
        )
    )
    tab.get_by_role("button", name="Go on checking").click()
    expect(tab.locator("#news")).to_be_hidden()
    press(tab, truth)
    expect(tab.locator("#drawn")).to_be_visible()


@needs_browser
def test_without_a_tolerance_it_says_that_everything_must_be_answered(run, points, visit):
    path, _ = points
    tab = visit(run(path, **LABELS, tolerance=0.0).link)
    expect(tab.locator("#outlook")).to_have_text(
        "For a goal of 0%, every one of the 60 must be answered."
    )


@needs_browser
def test_guesses_are_words_and_no_percentages(run, many, visit):
    path, truth = many
    page = run(path, **LABELS)
    for example in range(12):
        page.answer(example, truth[example])
    tab = visit(page.link)
    tab.keyboard.press("/")
    expect(tab.locator("#list-items li").first).to_be_visible()
    texts = tab.locator("#list-items .meta").all_inner_texts()
    assert any("the model's guess" in text for text in texts)
    assert not any("%" in text for text in texts)


@needs_browser
def test_a_skipped_check_is_not_said_to_be_found_wrong(checking, visit):
    page, truth = checking
    while (state := page.question())["progress"]["figures"]["checks"] < 5:
        example = state["question"]["example"]
        page.answer(example, truth[example])
    page.post("skip", example=state["question"]["example"])
    tab = visit(page.link)
    expect(tab.locator("#headline")).to_contain_text("1 of 6 wrong or skipped, so at most")
    expect(tab.locator("#note")).to_contain_text(
        "None found wrong, 1 skipped and counted as wrong."
    )


@needs_browser
def test_a_check_that_fails_is_told_and_learning_goes_on(checking, visit):
    page, truth = checking
    tab = visit(page.link)
    other = dict(zip(LABELS.values(), reversed(LABELS.values()), strict=True))
    while not (state := page.question())["progress"]["failed"]:
        example = state["question"]["example"]
        page.answer(example, other[truth[example]])
    failed = state["progress"]["failed"]
    expect(tab.locator("#news-title")).to_have_text(
        f"The check found too many wrong ({failed['wrong']} of {failed['checks']})"
    )
    expect(tab.locator("#news-text")).to_have_text(
        "All answers have been learnt from; learning goes on."
    )
    expect(tab.locator("#headline")).to_have_text("Not checked again yet")
    expect(tab.locator("#drawn")).to_be_hidden()


@needs_browser
def test_two_tabs_agree(run, points, visit, chromium):
    path, truth = points
    page = run(path, **LABELS)
    one = visit(page.link)
    two = visit(page.link, context=one.context)
    for tab in (one, two, one, two, two):
        press(tab, truth)
        other = two if tab is one else one
        expect(other.locator("#title")).to_have_text(tab.locator("#title").inner_text())
    for tab in (one, two):
        answered(tab, 5)


@needs_browser
def test_hostile_texts_stay_texts(run, visit, tmp_path):
    attack = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    texts = [f"{attack} \u202egnp.exe\u202c שלום עולם {'word ' * 40_000}{i}" for i in range(6)]
    path = tmp_path / "bad.jsonl"
    pd.DataFrame({"text": texts, "<b>name": attack}).to_json(path, orient="records", lines=True)
    page = run(path, yes=f"{attack}yes", no="no")
    tab = visit(page.link)
    expect(tab.locator(".text")).to_contain_text("<script>alert(1)</script>")
    assert tab.locator("#example script, #example img").count() == 0
    tab.get_by_role("button", name=re.compile("^Show the other")).click()
    expect(tab.locator("#example .link")).to_have_count(0)
    assert len(tab.locator(".text").inner_text()) > 180_000
    tab.keyboard.press("ArrowRight")
    answered(tab, 1)
    tab.keyboard.press("l")
    expect(tab.locator("#list-items li")).to_have_count(1)
    assert tab.locator("main img, main script, aside img").count() == 0
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


@needs_browser
def test_images_with_hostile_names_are_shown(run, visit, tmp_path):
    folder = tmp_path / "pictures"
    (folder / "deep").mkdir(parents=True)
    names = ["<img src=x onerror=alert(1)>.png", "a b&c=d?e#f.png", "deep/%2e%2e.png", "ünï✓.png"]
    names += [f"{i}.png" for i in range(8)]
    for number, name in enumerate(names):
        Image.new("RGB", (40, 30), (20 * number, 80, 255 - 20 * number)).save(folder / name)
    secret = tmp_path / "secret.png"
    Image.new("RGB", (8, 8)).save(secret)
    (folder / "link.png").symlink_to(secret)
    page = run(folder)
    assert len(page.desk.examples) == len(names)
    tab = visit(page.link)
    for _ in range(4):
        picture = tab.locator("#example img.picture")
        picture.wait_for()
        tab.wait_for_timeout(100)
        assert picture.evaluate("one => one.naturalWidth") == 40
        before = tab.locator("#title").inner_text()
        tab.keyboard.press("ArrowRight")
        expect(tab.locator("#title")).not_to_have_text(before)


@needs_browser
def test_on_a_phone_both_answers_are_in_reach_and_named(run, points, visit):
    path, _ = points
    page = run(path, **LABELS)
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    tab = visit(page.link, **phone)
    for name in LABELS.values():
        button = tab.get_by_role("button", name=name, exact=True)
        box = button.bounding_box()
        assert box["y"] + box["height"] <= 844
        assert box["height"] >= 44
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for name in ("Answers", "Search", "Export", "Help"):
        expect(tab.get_by_role("button", name=name, exact=True)).to_be_visible()
    expect(tab.locator("#mini")).to_contain_text("0 answered")
    unnamed = tab.evaluate(
        "[...document.querySelectorAll('button, a, input')].filter(one => one.offsetParent && "
        "!(one.ariaLabel || one.textContent.trim() || one.labels?.length)).length"
    )
    assert unnamed == 0
    tab.get_by_role("button", name=LABELS["yes"], exact=True).tap()
    answered(tab, 1)


@needs_browser
def test_after_a_crash_the_open_page_goes_on(points, visit, tmp_path):
    path, truth = points
    command = [
        sys.executable, "-c", "from aluma.cli import app; app()", "label", str(path),
        "--no-browser", "--yes", LABELS["yes"], "--no", LABELS["no"], "--token", TOKEN,
    ]  # fmt: skip
    server, link = begun([*command, "--port", "0"])
    try:
        tab = visit(link)
        for _ in range(6):
            press(tab, truth)
        end(server)
        expect(tab.locator("#notice")).to_contain_text("cannot be reached")
        tab.keyboard.press("ArrowRight" if truth[shown(tab)] == LABELS["yes"] else "ArrowLeft")
        expect(tab.locator(".tick.pending")).not_to_have_count(0)
        port = link.partition("?")[0].rstrip("/").rpartition(":")[2]
        server, _ = begun([*command, "--port", port])
        answered(tab, 7)
        expect(tab.locator("#notice")).to_be_hidden()
        press(tab, truth)
        answered(tab, 8)
    finally:
        end(server)
