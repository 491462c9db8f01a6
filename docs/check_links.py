"""Check the built site: every link within it leads somewhere, and nothing is loaded from elsewhere.

``python docs/check_links.py docs/_build/html`` after a build. Sphinx reports references that it
cannot resolve; this looks at what came out, as a browser would: files, and places in them.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: What a page loads by itself, as against what it links to.
LOADED = {"script", "img", "link", "source", "iframe"}
#: Links of a page that load nothing.
SAID = {"canonical", "alternate", "author", "license"}


class Page(HTMLParser):
    """The places of a page that can be linked to, and its links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[tuple[str, str]] = []
        self.feed(text)

    def has(self, place: str) -> bool:
        """Say whether a place can be linked to; its top always can."""
        return not place or place in self.places

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note ids and links."""
        has = dict(attrs)
        self.places.update(value for key in ("id", "name") if (value := has.get(key)))
        if tag == "link" and has.get("rel") in SAID:
            return
        self.links += [(tag, value) for key in ("href", "src") if (value := has.get(key))]


def files(root: Path) -> list[Path]:
    """Return the pages of a site; what lies in _static are parts of its theme."""
    return sorted(file for file in root.rglob("*.html") if "_static" not in file.parts)


def troubles(root: Path) -> list[str]:
    """Return what is wrong with the links of a site, a line each."""
    pages = {file: Page(file.read_text("utf-8")) for file in files(root)}
    found = []
    for file, page in pages.items():
        name = file.relative_to(root)
        for tag, link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("data", "mailto"):
                continue
            if parts.scheme or parts.netloc:
                if tag in LOADED:
                    found.append(f"{name} loads {link} from another host")
                continue
            target = file if not parts.path else (file.parent / unquote(parts.path)).resolve()
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                found.append(f"{name}: there is no {link}")
            elif target in pages and not pages[target].has(unquote(parts.fragment)):
                found.append(f"{name}: {link} has no such place")
    return sorted(set(found))


def main(folder: str) -> int:
    """Say what is wrong, and return how a shell should take it."""
    root = Path(folder).resolve()
    if not (root / "index.html").is_file():
        sys.stderr.write(f"{folder} holds no site: build it first (make docs).\n")
        return 2
    wrong = troubles(root)
    sys.stderr.write("".join(f"{line}\n" for line in wrong))
    sys.stdout.write(f"{len(files(root))} pages, {len(wrong)} dead links\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
