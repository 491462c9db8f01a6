"""Look at every page of the built site in Chromium: desktop and phone, light and dark.

``python docs/look.py docs/_build/html`` after ``make docs`` says which pages are wider than the
screen, and what they fail to load; ``python docs/look.py docs/_build/html PICTURES index audit``
looks at those pages, and leaves a picture of each in a folder. Needs ``aluma[test]``.
"""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from playwright.sync_api import Page, sync_playwright

#: Width and height of a screen, and what the reader's system prefers.
SCREENS = [((w, h), scheme) for w, h in ((1280, 900), (390, 844)) for scheme in ("light", "dark")]
#: The theme's own column may be wider than the page shows.
WIDTH = """Math.max(document.documentElement.scrollWidth,
  document.querySelector(".bd-article-container")?.scrollWidth || 0)"""
#: Pictures end here, however long a page is.
TALLEST = 3000


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that says nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine alone."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def keep(tab: Page, file: Path) -> None:
    """Save a picture of a page from its top."""
    size = tab.viewport_size or {}
    tall = tab.evaluate("document.documentElement.scrollHeight")
    tab.set_viewport_size({**size, "height": min(tall, TALLEST)})
    tab.screenshot(path=file)
    tab.set_viewport_size(size)


def look(root: Path, names: list[str], pictures: Path | None) -> list[str]:
    """Open pages on every screen; return what is wrong with them, a line each."""
    wrong: list[str] = []
    with served(root) as address, sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for (width, height), scheme in SCREENS:
            screen = f"{width}-{scheme}"
            tab = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            tab.on("console", lambda said: said.type == "error" and wrong.append(said.text))
            for name in names:
                tab.goto(f"{address}/{name}.html")
                if (wide := tab.evaluate(WIDTH)) > width + 2:
                    wrong.append(f"{name} is {wide} wide on a screen of {screen}")
                if pictures:
                    keep(tab, pictures / f"{name.replace('/', '-')}-{screen}.png")
            tab.close()
        browser.close()
    return sorted(set(wrong))


def main(folder: str, pictures: str | None = None, *names: str) -> int:
    """Say what is wrong, and return how a shell should take it."""
    root = Path(folder).resolve()
    every = [file for file in sorted(root.rglob("*.html")) if "_static" not in file.parts]
    chosen = list(names) or [str(file.relative_to(root).with_suffix("")) for file in every]
    if pictures:
        Path(pictures).mkdir(parents=True, exist_ok=True)
    wrong = look(root, chosen, Path(pictures) if pictures else None)
    sys.stderr.write("".join(f"{line}\n" for line in wrong))
    sys.stdout.write(f"{len(chosen)} pages on {len(SCREENS)} screens, {len(wrong)} troubles\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
