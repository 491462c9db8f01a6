"""The documentation holds together, without Sphinx: links, the table of contents, every name.

``make docs`` builds the site with warnings as errors and looks at every link of what came out; what
is here runs with the rest of the suite.
"""

import inspect
import re
import runpy
import tomllib
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import aluma
from aluma import bounds
from light import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
#: Markdown that a code host shows.
SHOWN = [*PAGES, *sorted(ROOT.glob("*.md")), *sorted((ROOT / ".github").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*/plot_*.py"))
#: Modules whose ``__all__`` is for users; `aluma.scoring` is for those who build strategies.
PUBLIC = ("aluma.session", "aluma.pool", "aluma.representation", "aluma.lab.datasets")

CODE = re.compile(r"^ *(```|~~~).*?^ *\1 *$", re.DOTALL | re.MULTILINE)
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")


def prose(text: str) -> str:
    """Return Markdown without its blocks of code and what is set as code."""
    return re.sub(r"`[^`\n]+`", "`code`", CODE.sub("", text))


def slug(heading: str) -> str:
    """Return the anchor that a code host makes of a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def places(text: str) -> set[str]:
    """Return the anchors of a page."""
    found: set[str] = set(re.findall(r'<a id="([\w-]+)">', text))
    for heading in re.findall(r"^#{1,6} (.+)$", CODE.sub("", text), re.MULTILINE):
        name, n = slug(heading), 0
        while (anchor := f"{name}-{n}" if n else name) in found:
            n += 1
        found.add(anchor)
    return found


def dead(page: Path, text: str) -> list[str]:
    """Return the links of a page that lead nowhere, those to other hosts left out."""
    wrong = []
    for link in LINK.findall(prose(text)):
        parts = urlsplit(link)
        if parts.scheme:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        whole = target.read_text("utf-8") if target.suffix == ".md" and target.is_file() else None
        if not target.exists() or (
            parts.fragment and whole and parts.fragment not in places(whole)
        ):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_and_anchor_leads_somewhere(page: Path) -> None:
    assert dead(page, page.read_text("utf-8")) == []


def test_a_dead_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Here it is\n\n```\n[not](one.md)\n```\n")
    text = "[a](#here-it-is) [b](#elsewhere) [c](page.md#here-it-is) [d](gone.md)\n[e](https://x.y)"
    page.write_text(page.read_text() + text)
    assert dead(page, page.read_text()) == ["#elsewhere", "gone.md"]


def test_the_built_site_is_searched_for_dead_links(tmp_path: Path) -> None:
    troubles = runpy.run_path(str(DOCS / "check_links.py"))["troubles"]
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "page.html").write_text('<h1 id="top"></h1><a href="../index.html#here">')
    good = '<p id="here"><a href="a/page.html#top"><a href="#here"><a href="https://x.y/z">'
    (tmp_path / "index.html").write_text(good)
    assert troubles(tmp_path) == []
    (tmp_path / "index.html").write_text(
        good + '<a href="a/page.html#no"><img src="no.png"><script src="https://x.y/z.js">'
    )
    assert troubles(tmp_path) == [
        "index.html loads https://x.y/z.js from another host",
        "index.html: a/page.html#no has no such place",
        "index.html: there is no no.png",
    ]


def listed(page: Path) -> list[str]:
    """Return what the tables of contents of a page list."""
    blocks = TOCTREE.findall(page.read_text("utf-8"))
    lines = (line.strip() for block in blocks for line in block.splitlines())
    return [line for line in lines if line and not line.startswith(":")]


def test_every_page_is_in_the_table_of_contents() -> None:
    found, waiting = {"index"}, ["index"]
    while waiting:
        for name in listed(DOCS / f"{waiting.pop()}.md"):
            if (DOCS / f"{name}.md").is_file():
                assert name not in found, f"{name} is listed twice"
                found.add(name)
                waiting.append(name)
            else:  # made by sphinx-gallery of a folder of examples
                assert (ROOT / "examples" / name.partition("/")[0] / "README.rst").is_file(), name
    missing = {page.stem for page in PAGES} - found
    assert not missing, f"list them in docs/guides.md, understanding.md or project.md: {missing}"


def documented() -> set[str]:
    """Return the names that the reference lists."""
    text = (DOCS / "api.md").read_text("utf-8")
    return set(re.findall(r"^   ([A-Za-z][\w.]*)$", text, re.MULTILINE))


def public() -> set[str]:
    """Return the names that the reference must list, as seen from `aluma`."""
    names = {name for name in aluma.__all__ if name not in ("__version__", "bounds", "errors")}
    functions = inspect.getmembers(bounds, inspect.isfunction)
    names |= {f"bounds.{name}" for name, one in functions if one.__module__ == "aluma.bounds"}
    for module in PUBLIC:
        place = import_module(module)
        for name in set(place.__all__) - set(aluma.__all__):
            if callable(getattr(place, name)):  # no constants
                names.add(f"{module.removeprefix('aluma.')}.{name}")
    return {name for name in names if not name.rpartition(".")[2].startswith("_")}


def test_every_public_name_is_in_the_reference() -> None:
    assert public() - documented() == set()
    assert "`aluma.__version__`" in (DOCS / "api.md").read_text("utf-8")


def test_everything_in_the_reference_is_there_and_says_what_it_is() -> None:
    for name in documented():
        place, _, last = name.rpartition(".")
        try:
            module = import_module(f"aluma.{place}" if place else "aluma")
        except aluma.MissingExtra:  # an adapter, whose peer is not here
            continue
        assert inspect.getdoc(getattr(module, last)), f"{name} has no docstring"


# -- examples ----------------------------------------------------------------------------------


def test_there_are_examples_with_a_title_and_a_picture() -> None:
    assert len([one for one in EXAMPLES if one.parent.name == "gallery"]) >= 8
    for example in EXAMPLES:
        text = example.read_text("utf-8")
        assert re.match(r'"""\n(.+)\n(=+)\n\n[\w:]', text), f"{example.name} has no title"
        assert "plt.subplots" in text, f"{example.name} draws nothing"
        compile(text, example.name, "exec")


def test_an_example_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    mpl = pytest.importorskip("matplotlib")
    mpl.use("agg")
    example = ROOT / "examples" / "gallery" / "plot_3_audit.py"
    monkeypatch.setattr("sys.argv", [str(example)])
    made = runpy.run_path(str(example))
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 4
    assert "0 wrong: at most" in said[0]
    assert len(made["axes"].lines) >= 8
    mpl.pyplot.close(made["figure"])


# -- one version -------------------------------------------------------------------------------


def test_the_version_is_the_same_everywhere() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert version in (ROOT / "CHANGELOG.md").read_text("utf-8")
    series = ".".join(version.split(".")[:2])
    assert (DOCS / "migration.md").read_text("utf-8").startswith(f"# From 0.1 to {series}\n")
