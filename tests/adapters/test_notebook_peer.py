"""The widget in JupyterLab with Chromium: ``make test-peers``."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

pytest.importorskip("jupyterlab", reason="needs JupyterLab: pip install jupyterlab")

from browsing import CHROMIUM, FLAGS, needs_browser, sync_api

pytestmark = [pytest.mark.peers, pytest.mark.timeout(900)]
CELL = """import numpy as np
from aluma import Session
from aluma.adapters.notebook import Labeller
X = np.random.default_rng(0).standard_normal((60, 2))
session = Session.create("points.aluma", X, classes=("left", "right"), bias=True)
texts = [f"x = {x:+.2f}, y = {y:+.2f}" for x, y in X]
Labeller(session, texts, question="On which side of the line is it?")"""


def notebook(path: Path) -> None:
    cell = {"cell_type": "code", "id": "one", "metadata": {}, "source": CELL, "outputs": [],
            "execution_count": None}  # fmt: skip
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    whole = {"cells": [cell], "metadata": {"kernelspec": kernel}, "nbformat": 4,
             "nbformat_minor": 5}  # fmt: skip
    path.write_text(json.dumps(whole))


def without_news(settings: Path) -> None:
    """Let it not ask whether to fetch news."""
    folder = settings / "lab/user-settings/@jupyterlab/apputils-extension"
    folder.mkdir(parents=True)
    (folder / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')


@needs_browser
def test_keys_undo_and_the_stop_sign_in_jupyterlab(tmp_path):
    import jupyterlab

    home = {name: str(tmp_path / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")}
    without_news(Path(home["JUPYTER_CONFIG_DIR"]))
    shown = tmp_path / "shown"
    shown.mkdir()
    notebook(shown / "points.ipynb")
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}",
               "--ip=127.0.0.1", "--IdentityProvider.token=", "--ServerApp.password=",
               f"--ServerApp.root_dir={shown}"]  # fmt: skip
    log = (tmp_path / "lab.log").open("wb")
    server = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | home, cwd=tmp_path)
    try:
        while True:
            assert server.poll() is None, (tmp_path / "lab.log").read_text()[-2000:]
            try:
                if httpx.get(f"{address}/api", trust_env=False, timeout=5).is_success:
                    break
            except httpx.HTTPError:
                time.sleep(0.5)
        with sync_api.sync_playwright() as play:
            browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            page = browser.new_page(viewport={"width": 960, "height": 660})
            drive(page, f"{address}/lab/tree/points.ipynb", tmp_path)
            browser.close()
        print(f"JupyterLab {jupyterlab.__version__}")  # noqa: T201
    finally:
        server.terminate()
        server.wait()
        log.close()


def drive(tab, link: str, folder: Path) -> None:
    """Run the cell, and answer by keys until the stop sign."""
    patient = {"timeout": 240_000}
    expect = sync_api.expect
    tab.goto(link, **patient)
    # Before the kernel is there, a cell that is run is not.
    expect(tab.get_by_text("(ipykernel) | Idle")).to_be_visible(**patient)
    tab.keyboard.press("Control+b")  # away with the list of files
    tab.locator(".jp-CodeCell .cm-content").first.click(**patient)
    tab.keyboard.press("Shift+Enter")
    count = tab.locator(".aluma-foot span")
    expect(count).to_have_text("0 of 60 answered", **patient)
    tab.locator(".aluma").focus()
    given, undone = 0, False
    while tab.locator(".aluma-finished").count() == 0:
        x = float(tab.locator(".aluma-text").inner_text().split("=")[1].split(",")[0])
        tab.keyboard.press("ArrowRight" if x > 0.3 else "ArrowLeft")
        given += 1
        expect(count).to_have_text(f"{given} of 60 answered", **patient)
        if given == 4 and not undone:
            tab.keyboard.press("u")
            expect(count).to_have_text("3 of 60 answered", **patient)
            given, undone = 3, True
        if given == 12:
            tab.screenshot(path=folder / "asking.png")
    assert "You can stop here" in tab.locator(".aluma-finished").inner_text()
    assert tab.locator(".jp-Cell").count() <= 2  # no key was Jupyter's
    tab.screenshot(path=folder / "stop.png")
    if kept := os.environ.get("ALUMA_SCREENSHOTS"):
        for name in ("asking.png", "stop.png"):
            Path(kept, f"jupyterlab-{name}").write_bytes((folder / name).read_bytes())
