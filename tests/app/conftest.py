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
