"""Checking labels in a real browser: keyboard, undo, reload, export, kill -9, a phone."""

import json
import re
import sys
from contextlib import ExitStack
from pathlib import Path

import pandas as pd

from browsing import begun, end, needs_browser, sync_api
from check_server import command, desk
from checking import checking, messages
from running_page import TOKEN

expect = sync_api.expect
pytestmark = needs_browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def checked(tab, n: int, wrong: int | None = None) -> None:
    """Wait until the page shows n checks; it does so when they are on the disk."""
    found = r"\d+" if wrong is None else wrong
    expect(tab.locator("#headline")).to_have_text(re.compile(f"random: {found} of {n} wrong, so"))


def shown(tab) -> int:
    """Return which example is on the screen."""
    return int(re.sub(r"\D", "", tab.locator("#title").inner_text())) - 1


def keys(tab) -> dict[str, str]:
    """Return the key of each label."""
    labels = tab.locator("#labels button").evaluate_all("all => all.map(one => one.dataset.label)")
    return {label: str(place) for place, label in enumerate(labels, start=1)}


def test_twenty_checks_by_keyboard_undo_reload_and_export(stack: ExitStack, visit, tmp_path: Path):
    path, truth = messages(tmp_path / "m.csv", wrong=0.2)
    labels = pd.read_csv(path)["label"]
    page = checking(stack, path, tolerance=0.01)
    tab = visit(page.link)
    assert tab.url == f"{page.url}/"  # the token is not left in the address
    expect(tab.locator("#headline")).to_contain_text("Nothing checked yet")
    key, given = keys(tab), []
    for n in range(20):
        example = shown(tab)
        expect(tab.locator("#ask b")).to_have_text(labels[example])
        right = labels[example] == truth[example]
        tab.keyboard.press(["Enter", "y"][n % 2] if right else key[truth[example]])
        given.append(example)
        checked(tab, n + 1)
    wrong = [i for i in given if labels[i] != truth[i]]
    assert 0 < len(wrong) < 20
    checked(tab, 20, len(wrong))
    assert page.desk.audit.checked.tolist() == given

    tab.keyboard.press("u")
    checked(tab, 19)
    assert shown(tab) == given[-1]
    tab.keyboard.press(key[truth[given[-1]]])
    checked(tab, 20, len(wrong))
    expect(tab.locator("#latest li")).to_have_count(12)

    following = shown(tab)
    tab.reload()
    checked(tab, 20, len(wrong))
    assert shown(tab) == following

    tab.keyboard.press("e")
    expect(tab.locator("#statement")).to_contain_text(
        f"20 of 300 labels checked at random, {len(wrong)}"
    )
    with tab.expect_download() as download:
        tab.get_by_role("link", name="Labels (CSV)").click()
    frame = pd.read_csv(download.value.path())
    assert frame["label_check"].value_counts()["put right"] == len(wrong)
    assert (frame.loc[given, "label"] == [truth[i] for i in given]).all()
    tab.keyboard.press("Escape")
    tab.keyboard.press("?")
    expect(tab.locator("#help")).to_contain_text("A check cannot be skipped")


def test_after_kill_9_the_open_page_goes_on_with_the_same_check(visit, tmp_path: Path):
    path, _ = messages(tmp_path / "m.csv")
    started = [sys.executable, "-c", "from aluma.cli import app; app()", "check", str(path)]
    server, link = begun([*started, "--no-browser", "--port", "0", "--token", TOKEN])
    port = link.partition("?")[0].rstrip("/").rpartition(":")[2]
    try:
        tab = visit(link)
        for n in range(3):
            tab.keyboard.press("Enter")
            checked(tab, n + 1)
        end(server)
        # Given while nobody is there: it waits in the browser, and nothing is shown ahead of it.
        expect(tab.locator("#notice")).to_contain_text("cannot be reached")
        waiting = shown(tab)
        tab.keyboard.press("2")
        expect(tab.locator("#right")).to_be_disabled()
        expect(tab.locator("#notice")).to_contain_text("1 answer is kept here")
        assert shown(tab) == waiting
        server, _ = begun(command(path, TOKEN, port))
        checked(tab, 4)
        expect(tab.locator("#notice")).to_be_hidden()
        following = shown(tab)
        end(server)
        server, _ = begun(command(path, TOKEN, port))
        expect(tab.locator("#notice")).to_be_hidden()
        assert shown(tab) == following
        tab.keyboard.press("Enter")
        checked(tab, 5)
    finally:
        end(server)
    found = desk(path)
    assert found.audit.asked == 5
    assert found.audit.checked[3:].tolist() == [waiting, following]
    found.close()


def test_passed_and_failed_are_said_and_one_can_go_on(stack: ExitStack, visit, tmp_path: Path):
    path, _ = messages(tmp_path / "m.csv", size=60)
    tab = visit(checking(stack, path, tolerance=0.5).link)
    for n in range(6):
        tab.keyboard.press("Enter")
        checked(tab, n + 1)
    expect(tab.locator("#verdict-what")).to_have_text(
        re.compile(
            r"Passed: at most \d+% of the labels are wrong \(95% sure\), 6 checks, none wrong."
        )
    )
    tab.keyboard.press("Enter")
    checked(tab, 7)

    other, _ = messages(tmp_path / "other.csv", size=60)
    tab = visit(checking(stack, other, tolerance=0.05).link)
    for n in range(4):
        given = tab.locator("#ask b").inner_text()
        tab.keyboard.press("1" if given != "ham" else "2")
        checked(tab, n + 1, n + 1)
    expect(tab.locator("#verdict.failed #verdict-what")).to_have_text(
        re.compile("Failed: at least")
    )
    expect(tab.locator("#verdict-way")).to_contain_text("check the new file")
    tab.get_by_role("button", name="Take the labels").click()
    expect(tab.locator("#export")).to_be_visible()


def test_on_a_phone_in_the_dark_blind_with_labels_that_are_typed(
    stack: ExitStack, visit, tmp_path: Path
):
    attack = "<img src=x onerror=alert(1)>"
    path, _ = messages(tmp_path / "m.csv")
    frame = pd.read_csv(path).assign(text=attack)
    frame["label"] = [f"kind {i % 14} {attack}" for i in range(len(frame))]
    frame.to_csv(path, index=False)
    page = checking(stack, path, blind=True)
    tab = visit(page.link, color_scheme="dark", **PHONE)
    expect(tab.locator("#right")).to_be_hidden()
    expect(tab.locator("#labels button")).to_have_count(9)
    assert "kind" not in tab.locator("#card").inner_text()
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.keyboard.press("Enter")
    tab.locator("#labels button").first.tap()
    checked(tab, 1)
    expect(tab.locator("#before")).to_contain_text("the file says kind")
    # A label that is not among those with a key, then one that does not occur: that takes twice.
    tab.locator("#typed").fill(page.desk.file.classes[12])
    tab.keyboard.press("Enter")
    checked(tab, 2)
    tab.locator("#typed").fill("new one")
    tab.keyboard.press("Enter")
    expect(tab.locator("#typed-hint")).to_contain_text("“new one” is no label so far")
    tab.keyboard.press("Enter")
    checked(tab, 3)
    assert page.desk.audit.answers[1:] == (page.desk.file.classes[12], "new one")
    assert tab.locator("#example img, #labels img, aside img, #before img").count() == 0
    sizes = tab.evaluate(
        "[...document.querySelectorAll('body *')].filter(one => one.offsetParent && "
        "one.id !== 'headline').map(one => parseFloat(getComputedStyle(one).fontSize))"
    )
    largest = tab.locator("#headline").evaluate("one => parseFloat(getComputedStyle(one).fontSize)")
    assert max(sizes) < largest
    unnamed = tab.evaluate(
        "[...document.querySelectorAll('button, a, input')].filter(one => one.offsetParent && "
        "!(one.ariaLabel || one.textContent.trim() || one.labels?.length)).length"
    )
    assert unnamed == 0


def test_two_tabs_agree_and_a_key_presses_no_button_twice(stack: ExitStack, visit, tmp_path: Path):
    path, _ = messages(tmp_path / "m.csv")
    page = checking(stack, path)
    one = visit(page.link)
    two = visit(page.link, context=one.context)
    other = one.locator("#labels button:not(.given)").first
    other.click()
    for tab in (one, two):
        checked(tab, 1, 1)
    # The button that was clicked must not be what Enter presses next.
    one.keyboard.press("Enter")
    for tab in (one, two):
        checked(tab, 2, 1)
    assert shown(one) == shown(two)
    lines = path.with_name("m.csv.checks.jsonl").read_text().splitlines()
    assert len({json.loads(line)["request"] for line in lines[1:]}) == 2
    # What cannot be written is said to be so, and does not count.
    path.with_name("m.csv.checks.jsonl").unlink()
    one.keyboard.press("Enter")
    expect(one.locator("#notice")).to_contain_text("cannot be written")
    checked(two, 2, 1)
