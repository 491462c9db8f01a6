"""Pages that run for a test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from aluma.app.opening import Wanted, opened
from running_page import Running, plane, start


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as one:
        yield one


@pytest.fixture
def run(stack: ExitStack, tmp_path: Path) -> Callable[..., Running]:
    """Return a function that opens something and serves it."""

    def running(source: Path | None = None, **more: Any) -> Running:
        settings = {"session": tmp_path / "s.aluma", "hypotheses": 200} | more
        return start(stack, opened(Wanted(source=source, **settings)))

    return running


@pytest.fixture
def points(tmp_path: Path) -> tuple[Path, list[str]]:
    """Return a table of points in a file, and their labels."""
    frame = plane()
    path = tmp_path / "points.csv"
    frame.drop(columns="side").to_csv(path, index=False)
    return path, frame["side"].tolist()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Return a browser."""
    from browsing import CHROMIUM, FLAGS, sync_api

    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Return a function that opens a link in a tab and fails on any error in it."""
    from browsing import WAIT_MILLISECONDS

    contexts: list[Any] = []
    errors: list[str] = []

    def visiting(link: str, *, context: Any = None, **settings: Any) -> Any:
        if context is None:
            context = chromium.new_context(**settings)
            contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(WAIT_MILLISECONDS)
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.on("dialog", lambda dialog: errors.append(dialog.message) or dialog.dismiss())
        tab.goto(link)
        tab.locator("#title:not(:empty)").wait_for()
        return tab

    yield visiting
    for context in contexts:
        context.close()
    assert errors == []
