"""Content: texts, names and files that mean to do something to whoever looks at them.

Texts come back as they were or are shown as text; nothing that steers a terminal is printed; files
that unpack to more than memory holds, or hold objects, scripts or links out of their folder, are
refused.
"""

from __future__ import annotations

import io
import json
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from aluma.app import export
from aluma.app.opening import Wanted, opened
from aluma.app.reading import read_folder
from aluma.app.table_file import as_file
from aluma.errors import BadInput
from aluma.lab.bench.attack_tally import Tally
from aluma.reading import read_array, read_table
from aluma.visible import STEERING, visible

TEXTS = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>",
    "</title><script>alert(1)</script>", "javascript:alert(1)", "{{7*7}}", "${7*7}", "<!--", "]]>",
    "&lt;b&gt;", "\u202egnp.exe", "\u2066\u2069\u200f", "\x1b[2J\x1b]0;owned\x07", "\x1b[8mhidden",
    "\x9b31m", "a\rb", "a\x08\x08b", "\u2028\u2029", "\ufeffbom", "[bold red]markup[/]",
    "=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1)", "\t=1+1", "'; DROP TABLE event; --",
    "../../etc/passwd", "%s%n%x", "\U0001d56c\U0010ffff", "e\u0301" * 200, "a" * 20_000,
)  # fmt: skip
#: Tags that a summary is made of; one more would have come from a text.
TAGS = {"html", "meta", "title", "style", "h1", "h2", "p", "table", "tr", "td", "th"}

#: Of a Parquet file that is too large, at four million rows each.
COLUMNS = 160


def content(folder: Path) -> list[Tally]:
    """Try all of them."""
    return [_texts(folder), _terminal(), _files(folder)]


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


def _terminal() -> Tally:
    """See that nothing is printed that steers a terminal."""
    tally = Tally("hostile texts in the terminal")
    for text in TEXTS:
        if any(
            unicodedata.category(one) in STEERING and one not in "\n\t" for one in visible(text)
        ):
            tally.fail(f"printed as it is: {text[:30]!r}")
        else:
            tally.count("made visible")
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


def _parquet_bomb(path: Path) -> Path:
    """Write a small file with more empty cells than memory holds."""
    import pyarrow as pa
    from pyarrow import parquet

    empty = pa.nulls(2**22, pa.int8())
    parquet.write_table(pa.table({f"c{number}": empty for number in range(COLUMNS)}), path)
    return path
