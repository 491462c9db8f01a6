"""Make the pictures of the pages anew, in light and in dark, when the pages have changed.

``.venv/bin/python docs/pictures.py`` writes ``label.png``, ``check.png`` and ``people.png`` into
``docs/images``, and each as ``-dark.png`` for readers whose system is dark. It runs the pages on
the demonstration's messages, answers them as they are, and looks with Chromium; half a minute.
Needs ``aluma[test]``. Names of pictures, as ``label``, make those only.
"""

import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect, sync_playwright

from aluma.app.demo import NO, QUESTION, YES, messages

IMAGES = Path(__file__).parent / "images"
#: A client of the page's interface, which is an example by itself.
Client = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "drive_page.py"))["Page"]
SIZE = {"width": 1200, "height": 750}
#: Three people, of whom the last is in a hurry; one answer in five of theirs is wrong.
PEOPLE = ("anna", "ben", "ولاء")
HURRIED = 5


@contextmanager
def served(*arguments: str | Path, links: int = 1) -> Iterator[list[str]]:
    """Run a command that serves a page; yield its links, and stop it at the end."""
    command = [sys.executable, "-m", "aluma", *map(str, arguments), "--no-browser", "--port", "0"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | {"COLUMNS": "300"}
    )
    try:
        found: list[str] = []
        for line in server.stdout or ():
            found += [word for word in line.split() if word.startswith("http://")]
            if len(found) == links:
                break
        yield found
    finally:
        server.terminate()
        server.wait()


def asked(client: Any) -> dict:
    """Return a state of the page that has a question."""
    state = client.state()
    while state["question"] is None:
        state = client.state(after=state["tick"])
    return state


def looked_at(link: str, name: str, prepare: Callable[[Tab], None]) -> None:
    """Save what a link shows, in light and in dark."""
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for scheme, ending in (("light", ""), ("dark", "-dark")):
            tab = browser.new_page(viewport=SIZE, color_scheme=scheme)
            tab.goto(link)
            prepare(tab)
            tab.wait_for_timeout(500)  # for what fades in
            seen = Image.open(BytesIO(tab.screenshot()))
            seen.convert("RGB").quantize(256).save(IMAGES / f"{name}{ending}.png", optimize=True)
            tab.close()
        browser.close()


def label(_folder: Path) -> None:
    """Answer until 40 labels have been checked at random."""
    truth = messages()[1]
    with served("label", "--demo") as (link,):
        client, checks = Client(link), 0
        while checks < 40:
            state = asked(client)
            example = state["question"]["example"]
            client.post("/api/answer", example=example, label=truth[example])
            checks = (asked(client)["progress"]["figures"] or {}).get("checks", 0)
        looked_at(link, "label", lambda tab: expect(tab.locator("#headline")).to_contain_text("40"))


def check(folder: Path) -> None:
    """Check 40 labels of which some are wrong."""
    frame, truth = messages()
    said = [YES if k % 23 == 3 else one for k, one in enumerate(truth)]
    frame.assign(label=said).to_csv(folder / "messages-labelled.csv", index=False)
    with served("check", folder / "messages-labelled.csv", "--browser") as (link,):
        client = Client(link)
        for _ in range(40):
            example = asked(client)["question"]["example"]
            client.post("/api/answer", example=example, label=truth[example])
        looked_at(link, "check", lambda tab: expect(tab.get_by_text("of 40").first).to_be_visible())


def people(folder: Path) -> None:
    """Let three people answer, and look at where they disagree."""
    frame, truth = messages()
    frame.to_csv(folder / "messages.csv", index=False)
    names = ["--question", QUESTION, "--yes", YES, "--no", NO, "--people", ",".join(PEOPLE)]
    with served("label", folder / "messages.csv", *names, "--overlap", "0.5", links=3) as links:
        for turn in range(15):
            for who, link in enumerate(links):
                client = Client(link)
                example = asked(client)["question"]["example"]
                right = truth[example]
                wrong = who == len(PEOPLE) - 1 and turn % HURRIED == HURRIED - 1
                said = right if not wrong else NO if right == YES else YES
                client.post("/api/answer", example=example, label=said)
        looked_at(links[0], "people", _open_people)


def _open_people(tab: Tab) -> None:
    expect(tab.locator("#ask")).not_to_be_empty()
    tab.keyboard.press("p")
    expect(tab.get_by_text("Which answer is right?")).to_be_visible()


PICTURES = {"label": label, "check": check, "people": people}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or PICTURES:
        with TemporaryDirectory() as place:
            PICTURES[wanted](Path(place))
