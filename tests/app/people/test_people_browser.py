"""Several people in a real browser: their own questions, names as text, one key to resolve."""

import json
import re

from aluma.app.people.begin import Wish, wish
from browsing import begun, end, needs_browser, sync_api
from running_page import LABELS

expect = sync_api.expect
#: HTML, a script of the other direction, and one of the longest.
NAMES = ("anna", "<img src=x onerror=alert(1)>", "عمر", "w" * 60)
OTHER = {"left": "right", "right": "left"}


def shown(tab) -> int:
    expect(tab.locator("#yes")).to_be_enabled()
    return int(re.sub(r"\D", "", tab.locator("#title").inner_text())) - 1


def press(tab, label) -> int:
    example = shown(tab)
    before = tab.locator("#title").inner_text()
    tab.keyboard.press("ArrowRight" if label(example) == "right" else "ArrowLeft")
    expect(tab.locator("#title")).not_to_have_text(before)
    return example


def link(page, name) -> str:
    return f"{page.url}/?token={page.desk.admission.token(name)}"


@needs_browser
def test_people_at_once_by_keyboard_with_hostile_names_and_one_resolves(run, points, visit):
    path, truth = points
    page = run(path, **LABELS, tolerance=0.0, people=Wish(NAMES, asks=False, overlap=1.0))
    phone = {"viewport": {"width": 390, "height": 844}}
    tabs = {name: visit(link(page, name), **(phone if i else {})) for i, name in enumerate(NAMES)}
    assert len({shown(tab) for tab in tabs.values()}) == len(NAMES)
    given = {}
    for _ in range(3):
        for name, tab in tabs.items():
            wrong = name == "عمر"
            example = press(tab, lambda i, wrong=wrong: OTHER[truth[i]] if wrong else truth[i])
            given[name, example] = OTHER[truth[example]] if wrong else truth[example]
    for tab in tabs.values():
        expect(tab.locator(".tick.pending")).to_have_count(0)
    assert {(v.who, v.example): v.label for v in page.desk.voices} == given

    anna, second = tabs["anna"], tabs[NAMES[1]]
    mine = [i for name, i in given if name == "anna"]
    press(second, truth.__getitem__)
    anna.keyboard.press("u")
    expect(anna.locator("#title")).to_have_text(f"row {mine[-1] + 1}")
    assert ("anna", mine[-1]) not in {(v.who, v.example) for v in page.desk.voices}

    for i in mine[:2]:
        token = page.desk.admission.token("w" * 60)
        body = {"request": f"r{i}", "example": i, "label": OTHER[truth[i]]}
        headers = {"authorization": f"Bearer {token}"}
        page.client.post("/api/answer", json=body, headers=headers)
    assert page.desk.settled(60)
    page.desk.judged()
    labels: dict[int, set[str]] = {}
    for voice in page.desk.voices:
        labels.setdefault(voice.example, set()).add(voice.label)
    # All of them: the page may be some answers behind.
    open_ones = sum(len(different) > 1 for different in labels.values())
    assert open_ones >= 2
    expect(anna.locator("#open-disputes")).to_have_text(f"{open_ones}")
    anna.keyboard.press("p")
    expect(anna.locator("#people-table tbody tr")).to_have_count(len(NAMES))
    for name in NAMES[1:]:
        expect(anna.locator("#people-table")).to_contain_text(name)
    assert anna.locator("#people-table img").count() == 0
    row = anna.locator("#people-dispute .quiet[dir=auto]").inner_text()
    example = int(re.sub(r"\D", "", row)) - 1
    anna.keyboard.press("1" if truth[example] == "left" else "2")
    expect(anna.locator("#people-dispute .quiet[dir=auto]")).not_to_have_text(row)
    expect(anna.locator("#open-disputes")).to_have_text(f"{open_ones - 1}")
    assert page.desk.settled(20)
    told = dict(zip(page.desk.session.answered, page.desk.session.answers, strict=True))
    assert told[example] == truth[example]
    # A long name does not widen the page of a phone.
    tab = tabs["w" * 60]
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.locator("#open-people").click()
    expect(tab.locator("#people-table tbody tr")).to_have_count(len(NAMES))
    assert tab.evaluate("document.querySelector('#people').scrollWidth") <= 390


@needs_browser
def test_the_name_is_asked_for_once(run, points, chromium):
    page = run(points[0], **LABELS, people=wish("ask", None, None))
    context = chromium.new_context()
    tab = context.new_page()
    tab.goto(f"{page.url}/?token={page.desk.admission.token()}")
    expect(tab.locator("#join-go")).to_be_enabled()
    tab.locator("#join-name").fill("\u202egnp.exe")
    tab.keyboard.press("Enter")
    expect(tab.locator("#join-why")).to_contain_text("turns the direction of text")
    tab.locator("#join-name").fill("Dora")
    tab.keyboard.press("Enter")
    expect(tab.locator("#me")).to_have_text("Dora")
    again = context.new_page()
    again.goto(f"{page.url}/?token={page.desk.admission.token()}")
    expect(again.locator("#me")).to_have_text("Dora")
    context.close()


def test_links_stay_and_nothing_is_lost_when_the_command_is_killed(points, tmp_path):
    import sys

    import httpx

    path, truth = points
    command = [
        sys.executable, "-c", "from aluma.cli import app; app()", "label", str(path),
        "--no-browser", "--port", "0", "--yes", "right", "--no", "left",
    ]  # fmt: skip
    server, first = begun([*command, "--people", "anna,ben"])
    assert server.stdout is not None
    name, second = server.stdout.readline(), server.stdout.readline().strip()
    assert name.startswith("ben")

    def send(whole: str, **body: object) -> httpx.Response:
        base, _, token = whole.partition("?token=")
        headers = {"authorization": f"Bearer {token}"}
        return httpx.post(
            f"{base}api/answer", json=body, headers=headers, trust_env=False, timeout=60
        )

    try:
        assert send(first, request="a", example=3, label=truth[3]).status_code == 200
        assert send(second, request="b", example=4, label=truth[4]).status_code == 200
    finally:
        end(server)
    server, again = begun(command)
    try:
        assert again.partition("?")[2] == first.partition("?")[2]
        reply = send(again, request="a", example=3, label=truth[3])
        assert reply.json()["repeated"]
        base, _, token = again.partition("?token=")
        rows = httpx.get(
            f"{base}api/export/answers.jsonl", params={"token": token}, trust_env=False, timeout=60
        ).text
        assert [json.loads(row)["person"] for row in rows.splitlines()] == [
            "anna",
            "ben",
        ]
    finally:
        end(server)
