"""Answers that must not get a stop from the page, or only by checks; and what is said of them.

A person who answers the truth about data that these features cannot separate, one who tosses coins,
and one who always says the same. The page is driven as a browser drives it; whatever it shows, a
stop must rest on checks, and nothing about the labels may be written larger than what was checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from aluma.app import demo
from aluma.lab.bench.page_browser import FLAGS, browser
from aluma.lab.bench.page_client import Client, Served, ready
from aluma.lab.datasets.texts import embedded, texts

#: Seed of coin tosses, and of which reviews are taken.
COINS_SEED, REVIEWS_SEED = 5, 3
#: Answers that somebody gives who always says the same.
ALL_THE_SAME = 137
#: Answers after which a person gives up who is never told anything.
MOST_REVIEWS = 500
#: Answers that a person goes on for who has been told that it is no use.
GOING_ON = 60
#: Windows that the page is looked at in: of a desk, dark, and of a phone.
WINDOWS = {
    "wide": {"viewport": {"width": 1280, "height": 800}},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}
#: Finds what is written larger about the labels than what was checked, and what sticks out.
LOOK = """() => {
  const size = (one) => parseFloat(getComputedStyle(one).fontSize);
  const most = size(document.getElementById("headline"));
  const text = (part) => part.nodeType === 3 && part.data.trim();
  const written = [...document.querySelectorAll("aside *, #news *")].filter(
    (one) => one.offsetParent && [...one.childNodes].some(text));
  const larger = written.filter((one) => size(one) > most).map((one) => one.textContent.trim());
  const wide = document.documentElement.scrollWidth > innerWidth;
  return wide ? [...larger, "wider than the window"] : larger;
}"""

#: (example, number of the question from 0) -> label.
Person = Callable[[int, int], str]


@dataclass(frozen=True)
class Course:
    """How it went with a person.

    Attributes
    ----------
    answers, checks : given in all, and how many of them checked a label
    stopped_after, checks_then : answers when the page first said that the goal is reached, and
        checks that were passed; None and 0 if it never did
    unfounded : states that said so with nothing checked, or with a bound above the goal
    verdict_after, verdict : answers when the page said that the goal is out of reach, and how
    headline : the largest words on the page at the end; None without a browser
    larger : what was written larger about the labels than that, or stuck out of the window
    """

    answers: int
    checks: int
    stopped_after: int | None
    checks_then: int
    unfounded: int
    verdict_after: int | None
    verdict: str
    headline: str | None
    larger: tuple[str, ...]

    @property
    def honest(self) -> bool:
        """Whether nothing was said that was not shown."""
        return not self.unfounded and not self.larger


def messages(to: Path) -> list[str]:
    """Write the demonstration's messages as a table, and return what they are."""
    frame, kinds = demo.messages()
    frame.to_csv(to, index=False)
    return kinds


def reviews(to: Path, most: int | None) -> tuple[list[str], Path]:
    """Write movie reviews as a table and their embeddings; return what they are, and where."""
    found, vectors = texts("rt_polarity"), np.asarray(embedded("rt_polarity").X)
    rng = np.random.default_rng(REVIEWS_SEED)
    order = rng.permutation(len(found))[:most]
    pd.DataFrame({"review": [found.texts[i] for i in order]}).to_csv(to, index=False)
    beside = to.with_suffix(".npy")
    np.save(beside, vectors[order].astype(np.float32))
    return [found.classes[int(found.y[i] > 0)] for i in order], beside


def course(
    source: Path,
    labels: Sequence[str],
    person: Person,
    most: int,
    *options: str,
    going_on: int | None = None,
    pictures: str | None = None,
) -> Course:
    """Let a person answer until there is a stop, or ``most`` answers, and look at the page then.

    Parameters
    ----------
    source, labels, options : of ``aluma label``
    person : what is answered
    most : answers at most
    going_on : answers after the page has said that the goal is out of reach; None: up to ``most``
    pictures : path, without its ending, of pictures of the page at the end
    """
    served = Served(source, labels, *options)
    client = Client(served.port)
    stopped: tuple[int, int] | None = None
    verdict: tuple[int, str] | None = None
    checks = unfounded = number = 0
    try:
        state = ready(client)
        while True:
            now, figures = state["progress"], state["progress"]["figures"]
            if now["finished"]:
                stopped = stopped or (number, figures["checks"])
                unfounded += not figures["checks"] or figures["error_bound"] > now["tolerance"]
            if now["out_of_reach"] and verdict is None:
                verdict = number, now["out_of_reach"]
                most = most if going_on is None else min(most, number + going_on)
            if stopped or number >= most or state["question"] is None:
                break
            question = state["question"]
            checks += question["check"]
            label = person(question["example"], number)
            number += 1
            body = {"request": f"a{number}", "example": question["example"], "label": label}
            status, reply = client.post("/api/answer", **body)
            if status != 200:
                raise RuntimeError(f"answer {number} was refused: {reply}")
            state = ready(client)
        headline, larger = looked_at(served.link, pictures)
    finally:
        client.close()
        served.kill()
    return Course(
        answers=number,
        checks=checks,
        stopped_after=stopped[0] if stopped else None,
        checks_then=stopped[1] if stopped else 0,
        unfounded=unfounded,
        verdict_after=verdict[0] if verdict else None,
        verdict=verdict[1] if verdict else "",
        headline=headline,
        larger=larger,
    )


def looked_at(link: str, pictures: str | None) -> tuple[str | None, tuple[str, ...]]:
    """Return the headline, and what is written larger in any window than it; keep pictures."""
    if browser() is None:
        return None, ()
    from playwright.sync_api import sync_playwright

    larger: list[str] = []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser(), args=list(FLAGS))
        for name, window in WINDOWS.items():
            tab = chromium.new_context(**window).new_page()  # type: ignore[arg-type]
            tab.set_default_timeout(60_000)
            tab.goto(link)
            tab.locator("#title:not(:empty)").wait_for()
            headline = tab.locator("#headline").inner_text()
            larger += tab.evaluate(LOOK)
            if pictures is not None:
                tab.screenshot(path=f"{pictures}-{name}.png", full_page=name == "phone")
        chromium.close()
    return headline, tuple(larger)
