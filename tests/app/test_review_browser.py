"""Review and similar examples in a real browser: by key, by touch, as a grid of pictures."""

import re

import numpy as np
import pytest

from aluma.app.opening import demo_answers
from aluma.app.slack import learn
from browsing import needs_browser, sync_api, wait_until

expect = sync_api.expect
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def taught(run):
    """Return the demonstration after some answers."""
    page, truth = run(None), demo_answers()
    learn(page.desk.session, {i: truth[i] for i in range(30)})
    return page


def looked_at(tab) -> int:
    return int(tab.locator("#review-items [aria-current=true]").get_attribute("data-example"))


@needs_browser
def test_labels_are_confirmed_and_corrected_by_key(taught, visit):
    page = taught
    tab = visit(page.link)
    tab.keyboard.press("r")
    expect(tab.locator("#review-count")).to_contain_text("370 labels that nobody gave")
    expect(tab.locator("#review-items [aria-current] mark.for").first).to_be_visible()
    said = tab.locator("#review-items [aria-current] .why")
    expect(said).to_contain_text("This explains the model, not the world.")
    first = looked_at(tab)
    guess = tab.locator("#review-items [aria-current] .meta .tag").inner_text()
    tab.keyboard.press("Enter")
    row = tab.locator(f"#review-items [data-example='{first}']")
    expect(row).to_contain_text("· saved")
    second = looked_at(tab)
    assert second != first
    tab.keyboard.press("1")
    expect(tab.locator(f"#review-items [data-example='{second}']")).to_contain_text("· saved")
    tab.keyboard.press("u")
    page.until(lambda s: s["version"] == 33)
    tab.keyboard.press("ArrowDown")
    skipped = looked_at(tab)
    tab.keyboard.press("s")
    page.until(lambda s: s["version"] == 34)
    session = page.desk.session
    answers = dict(zip(session.answered.tolist(), session.answers.tolist(), strict=True))
    assert answers[first] == guess
    assert second not in answers
    tab.locator("#review-what").select_option("skipped")
    expect(tab.locator("#review-items li")).to_have_count(1)
    assert looked_at(tab) == skipped
    tab.keyboard.press("Escape")
    expect(tab.locator("#review")).to_be_hidden()
    expect(tab.locator("#answered")).to_have_text("31")


@needs_browser
def test_pictures_are_a_grid_in_review_and_among_the_similar_on_a_phone(run, visit, tmp_path):
    rng = np.random.default_rng(0)
    bright = rng.integers(0, 2, 40)
    images = rng.integers(0, 60, (40, 8, 8)) + 120 * bright[:, None, None]
    np.save(tmp_path / "p.npy", images.astype(np.uint8))
    page = run(tmp_path / "p.npy")
    learn(page.desk.session, {i: "yes" if bright[i] else "no" for i in range(8)})
    tab = visit(page.link, **PHONE)
    tab.locator("#open-review").tap()
    rows = tab.locator("#review-items.gallery li")
    expect(rows).to_have_count(32)
    left, right = rows.nth(0).bounding_box(), rows.nth(1).bounding_box()
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] <= right["x"]
    rows.first.get_by_role("button", name=re.compile("^Confirm")).tap()
    expect(rows.first).to_contain_text("· saved")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.locator("#review [data-close]").tap()
    tab.locator("#open-similar").tap()
    expect(tab.locator("#list-items.gallery li")).to_have_count(39)
    expect(tab.locator("#list-title")).to_contain_text("Similar to image")


@needs_browser
def test_twenty_answers_cover_nothing_of_a_long_text_on_a_phone(run, visit, tmp_path):
    texts = "\n".join(" ".join(f"word{i} of line {n}" for i in range(150)) for n in range(4))
    (tmp_path / "t.txt").write_text(texts)
    page = run(tmp_path / "t.txt", answers=[f"answer number {i}" for i in range(20)])
    tab = visit(page.link, **PHONE)
    for lines in (0, 60):
        # More tools, or a notice, above it: a line more, and still nothing is covered.
        tab.evaluate(f"document.querySelector('.bar').style.paddingBottom = '{lines}px'")
        wait_until(tab, f"document.getElementById('main').offsetTop > {lines} + 60")
        tab.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
        card, answers = (tab.locator(one).bounding_box() for one in ("#card", "#answers"))
        assert card["y"] + card["height"] <= answers["y"]
        assert answers["y"] + answers["height"] <= 844
    assert tab.evaluate("document.getElementById('card').scrollHeight") > card["height"] + 100
