"""A real browser for tests of pages, and servers in processes of their own that can be killed."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: aluma[test]")
#: Milliseconds for anything to appear: much more than it takes, because machines may be busy.
WAIT_MILLISECONDS = 20_000
sync_api.expect.set_options(timeout=WAIT_MILLISECONDS)

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip

needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="needs Chromium: install Debian's package chromium"
)


def begun(command: list[str]) -> tuple[subprocess.Popen[str], str]:
    """Start the command and return it with the link that it prints."""
    tests = Path(__file__).parent
    paths = os.pathsep.join([str(tests.parent / "src"), str(tests)])
    environment = os.environ | {"PYTHONPATH": paths, "COLUMNS": "300"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert server.stdout is not None
    for line in server.stdout:
        if line.startswith("http://"):
            return server, line.strip()
    raise AssertionError("the command printed no link")


def wait_until(tab: Any, condition: str) -> None:
    """Wait until an expression is true on a page.

    Playwright's own way evaluates a string within the page, which pages of ours do not allow.
    """
    deadline = time.monotonic() + WAIT_MILLISECONDS / 1000
    while not tab.evaluate(condition):
        assert time.monotonic() < deadline, f"{condition} did not become true"
        tab.wait_for_timeout(50)


def end(server: subprocess.Popen[str]) -> None:
    """Kill a server without a warning."""
    server.send_signal(signal.SIGKILL)
    server.wait()
    server.stdout.close()
