"""Content: texts, names and files that mean to do something to whoever looks at them.

Texts come back as they were or are shown as text; nothing that steers a terminal is printed; files
that unpack to more than memory holds, or hold objects, scripts or links out of their folder, are
refused.
"""

from __future__ import annotations

import io
import json
import struct
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from aluma.app import export, guidelines
from aluma.app.opening import Wanted, opened
from aluma.app.people import current, names
from aluma.app.people import export as people_export
from aluma.app.people.begin import Wish
from aluma.app.reading import read_folder
from aluma.app.table_file import as_file
from aluma.errors import BadInput
from aluma.lab.bench.attack_tally import Tally
from aluma.lab.bench.attack_terminal import terminal
from aluma.pool import Pool
from aluma.reading import read_array, read_table

TEXTS = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>",
    "</title><script>alert(1)</script>", "javascript:alert(1)", "{{7*7}}", "${7*7}", "<!--", "]]>",
    "&lt;b&gt;", "\u202egnp.exe", "\u2066\u2069\u200f", "\x1b[2J\x1b]0;owned\x07", "\x1b[8mhidden",
    "\x9b31m", "a\rb", "a\x08\x08b", "\u2028\u2029", "\ufeffbom", "[bold red]markup[/]",
    "=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1)", "\t=1+1", "'; DROP TABLE event; --",
    "../../etc/passwd", "%s%n%x", "\U0001d56c\U0010ffff", "e\u0301" * 200, "a" * 20_000,
    "[" * 20_000, "**a" * 9_000, "> " * 9_000, "- " * 9_000, "[a](" * 5_000,
)  # fmt: skip
#: Tags that a summary is made of; one more would have come from a text.
TAGS = {"html", "meta", "title", "style", "h1", "h2", "p", "table", "tr", "td", "th"}

#: Seconds that guidelines may take to read.
SLOW = 5.0
#: Of a Parquet file that is too large, at four million rows each.
COLUMNS = 160


def content(folder: Path) -> list[Tally]:
    """Try all of them."""
    return [
        _texts(folder),
        _guidelines(),
        _people(folder),
        terminal(folder / "terminal", TEXTS),
        _files(folder),
    ]


def _texts(folder: Path) -> Tally:
    """Let a page show and export hostile texts, names of columns and answers."""
    tally = Tally("hostile texts on the page and in exports")
    for number, text in enumerate(TEXTS):
        here = folder / f"texts-{number}"
        here.mkdir()
        source = here / "things.jsonl"
        rows = [{f"c{text}": text, "n": i, "word": f"w{i % 5} {text}"} for i in range(12)]
        source.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
        yes = text[:60]
        found = opened(Wanted(source, here / "s.aluma", question=text, yes=yes, no="no",
                              hypotheses=200))  # fmt: skip
        try:
            found.desk.answer("a", 0, yes)
            found.desk.answer("b", 1, "no")
            found.desk.note("c", 0, f"n {text}")
            for what, wrong in _wrong(found.desk, text, yes):
                if wrong:
                    tally.fail(f"{what}: {text[:30]!r}")
                else:
                    tally.count("shown as text, kept as it was")
        finally:
            found.desk.close()
    return tally


def _wrong(desk: Any, text: str, yes: str) -> list[tuple[str, bool]]:
    """Return what may be wrong with what is shown and exported, and whether it is."""
    page, table = export.summary(desk), export.table(desk)
    parser = _Tags()
    parser.feed(page)
    state = json.loads(desk.encoded)
    lines = as_file(table, "jsonl").decode().split("\n")
    read = [json.loads(line) for line in lines if line]
    csv = pd.read_csv(io.BytesIO(as_file(table, "csv")), dtype=str, keep_default_na=False)
    return [
        ("the summary has other tags", not parser.tags <= TAGS),
        ("the state names another answer", state["labels"][1] != yes),
        ("JSON Lines hold another text", read[0][f"c{text}"] != text),
        ("CSV holds another text", (csv.columns[0], csv.iloc[0, 0]) != (f"c{text}", text)),
        ("CSV holds another note", csv["label_note"][0] != f"n {text}".strip()),
        ("CSV holds another label", csv.shape[0] != len(table) or csv["label"][0] != yes),
    ]


class _Tags(HTMLParser):
    """Collects the names of tags, and of attributes that run scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember a tag."""
        self.tags.add(tag)
        self.tags.update(name for name, _ in attrs if name.startswith("on"))


def _guidelines() -> Tally:
    """Read guidelines that hold hostile texts, also in every place that Markdown has."""
    tally = Tally("hostile texts in guidelines")
    forms = ("{}", "# {}", "- {}", "> {}", "[x]({})", "![x]({})", "`{}`", "**{}**", "```\n{}\n```")
    for text, form in product(TEXTS, forms):
        begun = time.process_time()
        wrong = [node for node in _nodes(guidelines.parsed(form.format(text))) if _harms(node)]
        if wrong:
            tally.fail(f"{form.format(text)[:40]!r} became {wrong[0]}")
        elif time.process_time() - begun > SLOW:
            tally.fail(f"{form.format(text)[:40]!r} took {time.process_time() - begun:.0f} seconds")
        else:
            tally.count("text, and nothing else")
    return tally


def _nodes(nodes: list[guidelines.Node]) -> Iterator[guidelines.Node]:
    for node in nodes:
        yield node
        yield from _nodes(node.children)


def _harms(node: guidelines.Node) -> bool:
    """Say whether a link leads elsewhere than to the web or to mail, or a text steers."""
    steers = any(ord(one) < 32 and one not in "\n\t" for one in node.text)
    wanted = ("http://", "https://", "mailto:")
    return steers or (node.href is not None and not node.href.lower().startswith(wanted))


def _people(folder: Path) -> Tally:
    """Let people go by hostile names: refused, or exported as they are."""
    tally = Tally("hostile names of people")
    for number, text in enumerate(TEXTS):
        try:
            name = names.added((), text)[0]
        except BadInput:
            tally.count("refused")
            continue
        here = folder / f"people-{number}"
        here.mkdir()
        rows = "\n".join(f"{i},{i % 7}" for i in range(12))
        (here / "t.csv").write_text(f"a,b\n{rows}\n")
        wish = Wish((name, "ben"), asks=False)
        found = opened(Wanted(here / "t.csv", here / "s.aluma", hypotheses=64, people=wish))
        try:
            current.enter(name)
            found.desk.answer("a", 0, "yes")
            written = people_export.answers(found.desk)
            raw = io.BytesIO(as_file(written, "csv"))
            csv = pd.read_csv(raw, dtype=str, keep_default_na=False)
            if name in csv.iloc[0].tolist():
                tally.count("shown as text, kept as it was")
            else:
                tally.fail(f"{name!r} became {csv.iloc[0].tolist()}")
        finally:
            current.enter("")
            found.desk.close()
    return tally


def _files(folder: Path) -> Tally:
    """Read files that mean harm."""
    tally = Tally("bombs, objects, scripts and links in files")
    here = folder / "files"
    here.mkdir()
    attempts: dict[str, Callable[[], object]] = {
        "PNG of 10^10 pixels": lambda: _picture(here / "a", "x.png", _png(100_000, 100_000)),
        "PNG of 7.2 * 10^7 pixels": lambda: _picture(here / "b", "x.png", _png(9_000, 8_000)),
        "PNG cut off": lambda: _picture(here / "c", "x.png", _png(9, 9)[:40]),
        "SVG called PNG": lambda: _picture(
            here / "d", "x.png", b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>"
        ),
        "HTML called GIF": lambda: _picture(here / "e", "x.gif", b"<html><script></script>"),
        "SVG": lambda: _picture(here / "f", "x.svg", b"<svg/>"),
        "link out of the folder": lambda: _linked(here / "g"),
        "NPZ of 16 GB": lambda: read_array(_npz_bomb(here / "bomb.npz", 2**34)),
        "NPY that promises 8 TB": lambda: read_array(_npy_lie(here / "lie.npy")),
        "object array": lambda: read_array(_objects(here / "objects.npy")),
        "object array in NPZ": lambda: read_array(_objects(here / "objects.npz")),
        "Parquet of 5 GB": lambda: read_table(_parquet_bomb(here / "bomb.parquet")),
        "no Parquet": lambda: read_table(_written(here / "no.parquet", b"PAR1" * 9)),
        "JSON nested deeply": lambda: read_table(
            _written(here / "deep.jsonl", b'{"a":' * 100_000 + b"1" + b"}" * 100_000)
        ),
        "zarr that unpickles": lambda: Pool.open(_zarr(here / "p.zarr", (10, 3), "pickle")),
        "zarr of 10^12 rows": lambda: Pool.open(_zarr(here / "r.zarr", (10**12, 3))),
        "zarr in chunks of 8 TB": lambda: Pool.open(_zarr(here / "c.zarr", (10**6, 10**6))),
        "no zarr": lambda: Pool.open(_zarr(here / "n.zarr", (10, 3), about=b"{" * 10**5)),
        "CSV of null bytes": lambda: read_table(_written(here / "null.csv", b"\0" * 999)),
    }
    for name, attempt in attempts.items():
        try:
            attempt()
            tally.fail(f"{name} was read")
        except BadInput:
            tally.count("refused")
        except Exception as error:  # noqa: BLE001 - whatever it is, it is no refusal
            tally.fail(f"{name}: {type(error).__name__}: {error}")
    return tally


def _written(path: Path, raw: bytes) -> Path:
    path.write_bytes(raw)
    return path


def _picture(folder: Path, name: str, raw: bytes) -> object:
    """Read an image as features are made of it, and as the page sends it."""
    folder.mkdir()
    _written(folder / name, raw)
    images = read_folder(folder).images
    assert images is not None
    return images.picture(0)


def _linked(folder: Path) -> object:
    folder.mkdir()
    outside = _written(folder.with_name("outside.png"), _png(4, 4))
    (folder / "x.png").symlink_to(outside)
    return read_folder(folder)


def _png(width: int, height: int) -> bytes:
    """Return a PNG file that says it is so large, and holds next to nothing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def _npz_bomb(path: Path, size: int) -> Path:
    """Write a small archive whose directory, truly or not, announces an array of so many bytes."""
    head = io.BytesIO()
    shape = {"descr": "<f8", "fortran_order": False, "shape": (size // 8, 1)}
    np.lib.format.write_array_header_2_0(head, shape)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("X.npy", "w") as member:
            member.write(head.getvalue())
            member.write(bytes(2**20))
        archive.infolist()[0].file_size = size
    return path


def _npy_lie(path: Path) -> Path:
    with path.open("wb") as file:
        shape = {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6)}
        np.lib.format.write_array_header_2_0(file, shape)
        file.write(bytes(800))
    return path


def _objects(path: Path) -> Path:
    array = np.array([[{"a": 1}], [print]], dtype=object)
    if path.suffix == ".npz":
        np.savez(path, X=array)
    else:
        np.save(path, array, allow_pickle=True)
    return path


def _zarr(
    folder: Path, shape: tuple[int, int], codec: str | None = None, about: bytes | None = None
) -> Path:
    """Write a zarr array of version 2 without looking whether it makes sense."""
    folder.mkdir()
    said = {
        "zarr_format": 2, "shape": shape, "chunks": [min(shape[0], 10**6), shape[1]],
        "dtype": "<f8", "fill_value": 0, "order": "C", "filters": None,
        "compressor": None if codec is None else {"id": codec},
    }  # fmt: skip
    _written(folder / ".zarray", about or json.dumps(said).encode())
    # A pickle that calls print, should somebody unpickle it.
    _written(folder / "0.0", b"cbuiltins\nprint\n(S'unpickled'\ntR.")
    return folder


def _parquet_bomb(path: Path) -> Path:
    """Write a small file with more empty cells than memory holds."""
    import pyarrow as pa
    from pyarrow import parquet

    empty = pa.nulls(2**22, pa.int8())
    parquet.write_table(pa.table({f"c{number}": empty for number in range(COLUMNS)}), path)
    return path
