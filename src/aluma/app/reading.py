"""From a file or a folder to examples as a person sees them; :mod:`aluma.reading` has the files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy.typing as npt
import pandas as pd

from aluma.app.examples import ArrayImages, Examples, FolderImages, sound
from aluma.errors import BadInput
from aluma.reading import is_array, read_array, read_table
from aluma.reading.texts import How

#: Endings of image files that are looked at.
PICTURES = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"}
#: A column of strings is text, not a set of categories, when values are longer or more than this.
CATEGORY_WORDS, MOST_CATEGORIES = 3.0, 20


def read(
    source: Path,
    table: Path | None = None,
    label_column: str | None = None,
    how: How | None = None,
) -> Examples:
    """Read what is to be labelled.

    Parameters
    ----------
    source : a table, a folder of images, or an array
    table : rows to be shown beside an array
    label_column : a column that is not to be shown
    how : encoding and header of a text file, if they are known; it hears what was noticed
    """
    if source.is_dir():
        found = read_folder(source)
    elif is_array(source):
        found = _beside(read_array(source), source, table, label_column, how)
    else:
        found = as_examples(read_table(source, how), label_column)
    if len(found) < 2:
        raise BadInput(f"{source} holds one example: pass two or more, so that one can be asked.")
    return found


def as_examples(frame: pd.DataFrame, label_column: str | None = None) -> Examples:
    """Return the rows of a table as examples; the column with the longest texts is shown large."""
    lengths = {
        name: float(frame[name].map(len, na_action="ignore").mean())
        for name in text_columns(frame)
        if name != label_column
    }
    text = tuple(sorted(lengths, key=lambda name: -lengths[name]))
    return Examples(frame, text=text, hidden=label_column)


def with_images(frame: pd.DataFrame, images: Path) -> Examples:
    """Return the rows of a table with an image for each: of an array, or of a folder by name."""
    if is_array(images):
        array = read_array(images)
        if len(array) != len(frame) or array.ndim < 3:
            raise BadInput(
                f"{images} has shape {array.shape}, and there are {len(frame):,} rows: it must "
                "hold one image for each, row by row."
            )
        return Examples(frame, images=_stacked(array, images))
    if not images.is_dir():
        raise BadInput(f"{images} is no folder of images and no array (.npy, .npz): correct it.")
    return Examples(frame, images=FolderImages(images, _pictures_in(frame, images)))


def text_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns that hold text."""
    return [str(name) for name in frame.columns if is_text(frame[name])]


def is_words(column: pd.Series[Any]) -> bool:
    """Say whether a column holds strings, be they texts or categories."""
    numeric = pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column)
    return not numeric


def is_text(column: pd.Series[Any]) -> bool:
    """Say whether a column holds text: strings that are long, or many different ones."""
    if not is_words(column):
        return False
    known = column.dropna().astype(str)
    if known.empty:
        return False
    words = float(known.head(2000).str.split().map(len).mean())
    return words > CATEGORY_WORDS or known.nunique() > MOST_CATEGORIES


def read_folder(folder: Path) -> Examples:
    """Return the images in a folder and the folders below it; links that lead out are left out."""
    root = folder.resolve()
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in PICTURES
        and path.is_file()
        and path.resolve().is_relative_to(root)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    if not found:
        raise BadInput(f"{folder} holds no image: they end in {', '.join(sorted(PICTURES))}.")
    names = [str(path.relative_to(folder)) for path in found]
    shown = [sound(name) for name in names]
    return Examples(pd.DataFrame({"file": shown}), images=FolderImages(folder, names))


def _beside(
    array: npt.NDArray[Any],
    source: Path,
    table: Path | None,
    label_column: str | None,
    how: How | None,
) -> Examples:
    """Return what is shown for the rows of an array: a table, the images, or the numbers."""
    if table is not None:
        frame = read_table(table, how)
        if len(frame) != len(array):
            raise BadInput(
                f"{table} has {len(frame):,} rows, {source} has {len(array):,}: they must belong "
                "together, row by row."
            )
        return as_examples(frame, label_column)
    if array.ndim > 2:
        return Examples(pd.DataFrame(index=range(len(array))), images=_stacked(array, source))
    few = array[:, :25]
    return Examples(pd.DataFrame(few, columns=[str(j) for j in range(few.shape[1])]))


def _stacked(array: npt.NDArray[Any], source: Path) -> ArrayImages:
    if array.ndim == 4 and array.shape[3] != 3:
        raise BadInput(f"{source} has {array.shape[3]} channels: images have 3, or none.")
    return ArrayImages(array)


def picture_column(frame: pd.DataFrame) -> str | None:
    """Return the first column that names an image in every row, if there is one."""
    for name in frame.columns:
        endings = frame[name].map(lambda value: Path(str(value)).suffix.lower())
        if endings.isin(PICTURES).all():
            return str(name)
    return None


def _pictures_in(frame: pd.DataFrame, folder: Path) -> list[str]:
    """Return the images that a column names, which must all be in the folder."""
    column, root = picture_column(frame), folder.resolve()
    if column is None:
        raise BadInput(
            f"no column names an image in every row ({', '.join(sorted(PICTURES))}), so those in "
            f"{folder} cannot be shown: correct the table, or leave them out."
        )
    names = frame[column].tolist()
    for name in names:
        path = (root / name).resolve()
        if not path.is_file() or not path.is_relative_to(root):
            raise BadInput(
                f"column {column!r} names {name!r}, and there is no such file in {folder}: put it "
                "there, or name the folder that it is in."
            )
    return names


def digest(paths: list[Path]) -> str:
    """Return a digest of files: by content, and of folders by the names and sizes in them."""
    found = hashlib.blake2b(digest_size=16)
    for path in paths:
        if path.is_dir():
            for one in sorted(path.rglob("*")):
                if one.is_file():
                    found.update(f"{one.relative_to(path)} {one.stat().st_size}\n".encode())
        else:
            with path.open("rb") as file:
                while part := file.read(2**20):
                    found.update(part)
    return found.hexdigest()
