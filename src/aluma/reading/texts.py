"""Text files of any encoding: which one it is, found out and said."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from aluma.errors import BadInput

#: Bytes that are looked at for the marks and zeros of UTF-16, and read at once to try UTF-8.
BEGINNING, CHUNK = 4096, 2**20
#: Marks at the beginning of a file, and what they say.
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
#: Share of zeros among every second byte that UTF-16 without a mark has in most of the world's
#: tables, whose separators and digits are ASCII; and the most that the others have.
ZEROS, OTHERS = 0.4, 0.05
#: What is not UTF-8 is most often Western European: Windows-1252, and Latin-1 takes every byte.
WESTERN = ("cp1252", "latin-1")
#: Encodings that are not worth a word.
USUAL = ("utf-8", "utf-8-sig")


@dataclass(frozen=True)
class How:
    """How a file is to be read, and what was noticed on the way.

    Attributes
    ----------
    encoding : name of the encoding of a text file; None to find out
    header : whether the first line of a CSV or TSV file names the columns; None to find out
    notes : what a user should know
    """

    encoding: str | None = None
    header: bool | None = None
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Say something once."""
        if text not in self.notes:
            self.notes.append(text)


def opened(path: Path, how: How) -> TextIO:
    """Open a text file in the encoding that was named, or that it seems to have."""
    if how.encoding is None:
        found = encoding_of(path)
        if found not in USUAL:
            how.note(
                f"{path} is no UTF-8, and is read as {found}: if letters are wrong, name the right "
                "one with --encoding."
            )
    else:
        found = _known(how.encoding)
    return path.open(encoding=found, newline="")


def encoding_of(path: Path) -> str:
    """Return the encoding that a file seems to have."""
    with path.open("rb") as file:
        beginning = file.read(BEGINNING)
    for mark, name in MARKS.items():
        if beginning.startswith(mark):
            return name
    even, odd = (beginning[start::2].count(0) / max(len(beginning) // 2, 1) for start in (0, 1))
    if odd >= ZEROS and even <= OTHERS:
        return "utf-16-le"
    if even >= ZEROS and odd <= OTHERS:
        return "utf-16-be"
    return next(name for name in ("utf-8", *WESTERN) if _decodes(path, name))


def _decodes(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with path.open("rb") as file:
            while part := file.read(CHUNK):
                decoder.decode(part)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _known(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError as error:
        raise BadInput(
            f"--encoding {name!r} is none that Python knows: utf-8, utf-16, latin-1, cp1252 and "
            "shift_jis are some."
        ) from error
