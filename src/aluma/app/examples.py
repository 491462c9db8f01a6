"""The examples as a person sees them: texts, images and rows of a table."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
from PIL import Image, ImageOps, UnidentifiedImageError

from aluma.app.shapes import Card, Value
from aluma.errors import BadInput

#: Characters that are shown, before somebody asks for more, of a text and of any other field.
TEXT_CHARACTERS, FIELD_CHARACTERS = 5_000, 400
#: Fields that are shown of a row, beside a text or alone.
MOST_FIELDS = 24
#: Characters of a text in a list.
EXCERPT_CHARACTERS = 240
#: Whole numbers below this are exact as floats.
EXACT_INTEGERS = 2.0**53
#: An image file may be this large, and have this many pixels.
MOST_BYTES, MOST_PIXELS = 32 * 2**20, 64_000_000
#: Kinds of images that a browser shows and that cannot carry a script.
MEDIA = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp",
         "BMP": "image/bmp"}  # fmt: skip
#: What Pillow raises on files that are no images, broken ones, or far too large when unpacked.
BROKEN = (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError)


class Images(Protocol):
    """Images, one for each example."""

    def title(self, i: int) -> str:
        """Return what the image is called."""

    def picture(self, i: int) -> Image.Image:
        """Return the decoded image."""

    def content(self, i: int) -> tuple[str, bytes]:
        """Return a media type and a file that a browser can show."""


@dataclass(frozen=True)
class FolderImages:
    """Files in a folder, and nothing outside it."""

    root: Path
    names: Sequence[str]

    def title(self, i: int) -> str:
        """Return the path below the folder."""
        return self.names[i]

    def path(self, i: int) -> Path:
        """Return where a file is, or refuse it if it has become a way out of the folder."""
        path = (self.root / self.names[i]).resolve()
        if not path.is_relative_to(self.root.resolve()) or not path.is_file():
            raise BadInput(f"{self.names[i]!r} is no longer a file in {self.root}: put it back.")
        if path.stat().st_size > MOST_BYTES:
            raise BadInput(
                f"{self.names[i]!r} has {path.stat().st_size / 2**20:.0f} MB; images may have up "
                f"to {MOST_BYTES // 2**20}: make it smaller."
            )
        return path

    def picture(self, i: int) -> Image.Image:
        """Return the decoded image."""
        return decoded(self.path(i), self.names[i])

    def content(self, i: int) -> tuple[str, bytes]:
        """Return the file as it is, with the media type of what is in it."""
        path = self.path(i)
        try:
            with Image.open(path, formats=tuple(MEDIA)) as picture:
                return MEDIA[str(picture.format)], path.read_bytes()
        except BROKEN as error:
            raise _no_image(self.names[i]) from error


def decoded(file: Path | io.BytesIO, name: str) -> Image.Image:
    """Return the image in a file of somebody else's, or refuse it."""
    try:
        with Image.open(file, formats=tuple(MEDIA)) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise BadInput(
                    f"{name!r} has {picture.width} x {picture.height} pixels; {MOST_PIXELS:,} are "
                    "the most: make it smaller."
                )
            # Browsers turn a photo as its camera was held, so what is learnt from is turned too.
            return ImageOps.exif_transpose(picture)
    except BROKEN as error:
        if isinstance(error, BadInput):
            raise
        raise _no_image(name) from error


def _no_image(name: str) -> BadInput:
    return BadInput(f"{name!r} cannot be read as an image: repair it, or move it elsewhere.")


@dataclass(frozen=True)
class ArrayImages:
    """Images in an array, (n, height, width) or (n, height, width, 3)."""

    data: npt.NDArray[Any]

    def title(self, i: int) -> str:
        """Return the number of the image."""
        return f"image {i + 1:,}"

    def picture(self, i: int) -> Image.Image:
        """Return an image; numbers other than bytes are stretched to the range of the array."""
        one = np.asarray(self.data[i])
        if one.dtype != np.uint8:
            low, high = self._range
            one = ((one - low) / ((high - low) or 1) * 255).astype(np.uint8)
        return Image.fromarray(one)

    def content(self, i: int) -> tuple[str, bytes]:
        """Return the image as a PNG file."""
        file = io.BytesIO()
        self.picture(i).save(file, format="PNG")
        return "image/png", file.getvalue()

    @cached_property
    def _range(self) -> tuple[float, float]:
        return float(self.data.min()), float(self.data.max())


@dataclass(frozen=True)
class Examples:
    """A table of what there is to see, with an image for each row or without.

    Attributes
    ----------
    frame : one row an example, numbered from 0
    text : names of the columns that hold text; the first is shown large
    images : one for each row, or None
    hidden : a column that is not shown: the labels
    notes : what a person noted, by example
    """

    frame: pd.DataFrame
    text: tuple[str, ...] = ()
    images: Images | None = None
    hidden: str | None = None
    notes: dict[int, str] = field(default_factory=dict)
    _searched: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.frame)

    def title(self, i: int) -> str:
        """Return what an example is called."""
        return sound(self.images.title(i)) if self.images else f"row {i + 1:,}"

    def card(self, i: int, *, full: bool = False) -> Card:
        """Return an example as it is shown, long texts only in part."""
        if not 0 <= i < len(self):
            raise IndexError(f"there is no example {i}: the pool has {len(self)}, from 0.")
        row = self.frame.iloc[i]
        names = [name for name in self.frame.columns if name != self.hidden]
        if self.images:
            kind, text = "image", ""
        elif self.text:
            kind, text = "text", shown(row[self.text[0]])
            names.remove(self.text[0])
        else:
            kind, text = "row", ""
        long = FIELD_CHARACTERS if not full else TEXT_CHARACTERS
        most = len(names) if full else MOST_FIELDS
        fields = [
            Value(name=sound(name), value=_cut(shown(row[name]), long)) for name in names[:most]
        ]
        beginning = text if full else text[:TEXT_CHARACTERS]
        return Card(
            example=i,
            title=self.title(i),
            kind=kind,  # type: ignore[arg-type]
            text=beginning,
            more=len(text) - len(beginning),
            image=f"/api/images/{i}" if self.images else None,
            fields=fields,
            more_fields=max(0, len(names) - most),
            note=self.notes.get(i, ""),
        )

    def excerpt(self, i: int) -> Card:
        """Return an example as it is shown in a list."""
        card = self.card(i)
        text = card.text
        if not text and not self.images:
            text = " · ".join(f"{one.name} {one.value}" for one in card.fields[:6])
        return card.model_copy(
            update={
                "text": _cut(text, EXCERPT_CHARACTERS),
                "fields": [],
                "more_fields": 0,
                "more": max(0, len(text) - EXCERPT_CHARACTERS),
            }
        )

    def blank(self) -> list[int]:
        """Return the examples in which there is nothing to see: all cells that are shown are empty.

        Rows of an array that come without a table have their number only, and are not among them.
        """
        columns = [name for name in self.frame.columns if name != self.hidden]
        if self.images or not columns:
            return []
        empty = np.ones(len(self), dtype=bool)
        for name in columns:
            here = np.flatnonzero(empty)
            if not len(here):
                break
            cells = self.frame[name].iloc[here]
            empty[here] = [not shown(cell).strip() for cell in cells]
        return np.flatnonzero(empty).tolist()

    def find(self, words: str) -> list[int]:
        """Return the examples in which all the words occur, in any case."""
        wanted = words.casefold().split()
        if not self._searched:
            self._searched.extend(self._texts())
        return [i for i, text in enumerate(self._searched) if all(word in text for word in wanted)]

    def _texts(self) -> list[str]:
        texts = [self.title(i) for i in range(len(self))]
        for name in self.frame.columns[:64]:
            if name != self.hidden:
                column = self.frame[name].map(shown)
                texts = [f"{a}\n{b}" for a, b in zip(texts, column, strict=True)]
        return [text.casefold() for text in texts]


def shown(value: Any) -> str:
    """Return a cell as text; a missing one is empty."""
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return ""
    if isinstance(value, float | np.floating):
        number = float(value)
        if number.is_integer() and abs(number) < EXACT_INTEGERS:
            # A column of integers with missing cells is read as floats.
            return str(int(number))
        return f"{number:.6g}"
    return sound(str(value))


def sound(text: str) -> str:
    """Return text that can be sent: half characters, as in broken file names, are replaced."""
    return text.encode("utf-8", "replace").decode()


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "…"
