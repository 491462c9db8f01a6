"""Pages that run for a test."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from aluma.app.opening import Wanted, opened
from running_page import LABELS, Running, plane, settle, start


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


@pytest.fixture(scope="session")
def settled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return a folder with points and a session about them that comes to its first check."""
    folder, frame = tmp_path_factory.mktemp("settled"), plane(300)
    frame.drop(columns="side").to_csv(folder / "many.csv", index=False)
    truth = frame["side"].tolist()
    wanted = Wanted(folder / "many.csv", folder / "s.aluma", hypotheses=200, **LABELS)
    settle(wanted, truth.__getitem__)
    return folder, truth


@pytest.fixture
def checking(
    settled: tuple[Path, list[str]], run: Callable[..., Running], tmp_path: Path
) -> tuple[Running, list[str]]:
    """Return a page whose next question is its first check, and what is true."""
    folder, truth = settled
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return run(tmp_path / "many.csv", **LABELS), truth


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
