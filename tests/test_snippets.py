"""What the documentation prints can be copied: its Python runs, and its commands are understood.

Blocks of a page run in one namespace, in a folder that holds the files they name. A reader has
``X``, ``y`` and ``truth``, as the pages say, and answers what `input` asks. Examples with results
(``>>>``) are doctests of the module that they are about.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from light import ROOT

pd = pytest.importorskip("pandas")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
#: What is shown for how it reads only, by the page and something that it alone has.
ELSEWHERE = {
    "scale.md": "tcp://scheduler:8786",  # a cluster; tests/pool/test_dask.py has one
    "adapters.md": "asreview",  # tests/adapters/test_asreview_peer.py has it
}
#: The same in small, so that the suite stays quick; `make docs` runs examples in full size.
SMALLER = {"(500, ": "(60, ", "size=10_000": "size=300", "budget=100": "budget=8",
           "budget=50": "budget=4", "budget=40": "budget=8", "repeats=3": "repeats=1",
           "range(50)": "range(5)"}  # fmt: skip
FENCE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"^    ((?:.*\\\n)*.*)$", re.MULTILINE)
INLINE = re.compile(r"`(aluma [^`]+)`")
SIZE = 60


def blocks(page: Path) -> list[str]:
    """Return the programs of a page, doctests and those for elsewhere left out."""
    text = page.read_text("utf-8")
    apart = ELSEWHERE.get(page.name)
    return [b for b in FENCE.findall(text) if ">>>" not in b and not (apart and apart in b)]


def reader() -> tuple[dict[str, object], np.ndarray]:
    """Return what a reader has, and the right labels."""
    X = np.random.default_rng(0).standard_normal((SIZE, 4)).astype(np.float32)
    y = (X[:, 0] > 0.1).astype(int)
    said = {"input": lambda prompt: str(y[int(prompt.rstrip("? "))])}
    return {"X": X, "y": y, "truth": y, **said}, y


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder that has what the pages speak of."""
    has, y = reader()
    np.save(tmp_path / "embeddings.npy", has["X"])
    (tmp_path / "texts.txt").write_text("\n".join(f"text {i}" for i in range(SIZE)))
    pd.DataFrame({"label": y}).to_csv(tmp_path / "labelled.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def prepared_zarr(folder: Path) -> None:
    zarr = pytest.importorskip("zarr")
    zarr.save(str(folder / "embeddings.zarr"), np.load(folder / "embeddings.npy"))


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda page: page.stem)
@pytest.mark.filterwarnings("ignore::aluma.NarrowPool")
def test_programs_run_as_they_are_printed(page: Path, folder: Path) -> None:
    names, _ = reader()
    for block in blocks(page):
        if ".zarr" in block:
            prepared_zarr(folder)
        if "skactiveml" in block:
            pytest.importorskip("skactiveml")
        for large, small in SMALLER.items():
            block = block.replace(large, small)
        exec(compile(block, page.name, "exec"), names)
    if session := names.get("session"):
        session.close()


# -- commands ----------------------------------------------------------------------------------


def printed(page: Path) -> Iterator[list[str]]:
    """Yield the words of every command that stands on lines of its own."""
    text = CODE.sub("", page.read_text("utf-8"))
    for line in INDENTED.findall(text):
        line = re.sub(r"\s+", " ", line.replace("\\\n", " ").partition("  #")[0])
        line = re.sub(r"\[(--\S+)\]", r"\1", line)  # what may be left out
        if line.startswith("aluma "):
            yield shlex.split(line)[1:]


def mentioned(page: Path) -> list[list[str]]:
    """Return the words of every command that stands in a sentence; it may be a part of one."""
    text = CODE.sub("", page.read_text("utf-8"))
    return [words.split()[1:] for words in INLINE.findall(text)]


def command(name: str) -> Any:
    """Return a command of aluma."""
    pytest.importorskip("typer")
    from typer.main import get_command

    from aluma.cli import app

    return get_command(app).commands[name]


@pytest.mark.parametrize("page", [p for p in PAGES if [*printed(p)]], ids=lambda page: page.stem)
def test_commands_on_their_own_lines_are_understood(page: Path, folder: Path) -> None:
    for name, *rest in printed(page):
        for word in rest:
            if re.fullmatch(r"[\w-]+\.(csv|npy|zarr|aluma)", word):
                Path(word).touch()
        command(name).make_context(name, rest)  # reads the arguments, and runs nothing


@pytest.mark.parametrize("page", [p for p in PAGES if mentioned(p)], ids=lambda page: page.stem)
def test_commands_in_sentences_have_options_that_exist(page: Path) -> None:
    for name, *rest in mentioned(page):
        if name.startswith("-"):
            continue
        known = {option for one in command(name).params for option in [*one.opts, "--help"]}
        assert {word for word in rest if word.startswith("--")} <= known, f"aluma {name} {rest}"


def test_a_wrong_option_is_seen(folder: Path) -> None:
    assert sum(len([*printed(page)]) + len(mentioned(page)) for page in PAGES) > 60
    with pytest.raises(Exception, match="No such option"):
        command("label").make_context("label", ["messages.csv", "--anwsers", "a,b"])
