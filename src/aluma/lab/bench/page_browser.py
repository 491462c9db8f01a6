"""From a key to the next example on the screen, in Chromium, at the pace of a person."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from aluma.lab.bench.page_client import Served

#: Milliseconds between keys: a person who is quick, and never slower.
FASTEST, SLOWEST = 500, 800
#: Keys before measuring: the browser and the server compile what they run.
WARM_UP = 5
LABELS = ("no", "yes")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@dataclass(frozen=True)
class Pace:
    """Milliseconds from key to next example, and where these came from.

    ``sources`` counts examples that had been looked ahead to ("ahead"), that were shown in place of
    a question that was late ("spare"), and that had to be waited for ("wait").
    """

    median: float
    p95: float
    slowest: float
    keys: int
    sources: dict[str, int]


def browser() -> str | None:
    """Return where Chromium is, if it is there and can be driven."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return None
    return shutil.which("chromium") or shutil.which("chromium-browser")


def pace(folder: Path, rows: int, columns: int, keys: int) -> Pace:
    """Answer questions about a random pool, one key after the other."""
    rng = np.random.default_rng([rows, columns])
    X = rng.standard_normal((rows, columns), dtype=np.float32)
    side = X @ rng.standard_normal(columns) > 0
    source = folder / f"pool-{rows}x{columns}.npy"
    np.save(source, X)
    served = Served(source, LABELS)
    try:
        measured = pressed(served.link, side.tolist(), keys, rng)
    finally:
        served.kill()
    return pace_of(measured)


def pace_of(measured: Sequence[tuple[float, str]]) -> Pace:
    """Sum up what a page measured."""
    times = np.array([duration for duration, _ in measured])
    return Pace(
        median=float(np.median(times)),
        p95=float(np.quantile(times, 0.95)),
        slowest=float(times.max()),
        keys=len(times),
        sources=dict(Counter(source for _, source in measured)),
    )


def pressed(
    link: str,
    side: Sequence[bool],
    keys: int,
    rng: np.random.Generator,
    pause: tuple[float, float] = (FASTEST, SLOWEST),
    watch: Callable[[int], None] = lambda _: None,
) -> list[tuple[float, str]]:
    """Press keys, and return what the page itself measured: a time and a source for each.

    Parameters
    ----------
    link : of the page
    side : the truth, by example
    keys : how many are measured
    pause : milliseconds between keys, at least and at most
    watch : is told the number of each key
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser(), args=list(FLAGS))
        tab = chromium.new_page()
        tab.set_default_timeout(180_000)
        tab.goto(link)
        for number in range(keys + WARM_UP):
            # In one step: a title that is there may be gone before it is read.
            title = tab.locator("#title:not(:empty)").inner_text()
            example = int(re.sub(r"\D", "", title)) - 1
            tab.wait_for_timeout(float(rng.uniform(*pause)))
            tab.keyboard.press("ArrowRight" if side[example] else "ArrowLeft")
            watch(number)
            tab.wait_for_timeout(60)
        tab.wait_for_timeout(1000)
        found: list[Any] = tab.evaluate(
            "performance.getEntriesByName('key-to-next').map(one => [one.duration, one.detail])"
        )
        chromium.close()
    return [(float(duration), str(source)) for duration, source in found[WARM_UP:]]
