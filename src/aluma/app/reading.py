"""From a file or a folder to examples: CSV, TSV, Parquet, JSON Lines, images, arrays."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from aluma.app.examples import ArrayImages, Examples, FolderImages, sound
from aluma.errors import BadInput

#: A table or an array may be this large.
MOST_BYTES = 4 * 2**30
#: Endings of image files that are looked at.
PICTURES = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"}
ARRAYS = {".npy", ".npz"}
TABLES = {".csv", ".tsv", ".parquet", ".pq", ".jsonl", ".ndjson"}
#: Names that an array in an .npz file may have when it is not the only one.
KNOWN = ("X", "embeddings", "features", "data")
#: A column of strings is text, not a set of categories, when values are longer or more than this.
WORDS, CATEGORIES = 3.0, 20


def read(source: Path, table: Path | None = None, label_column: str | None = None) -> Examples:
    """Read what is to be labelled.

    Parameters
    ----------
    source : a table, a folder of images, or an array
    table : rows to be shown beside an array
    label_column : a column that is not to be shown
    """
    if source.is_dir():
        found = read_folder(source)
    elif source.suffix.lower() in ARRAYS:
        found = _beside(read_array(source), source, table, label_column)
    else:
        found = as_examples(read_table(source), label_column)
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


def read_table(path: Path) -> pd.DataFrame:
    """Read a table by the ending of its name; nested values become JSON."""
    _check_size(path)
    suffix = path.suffix.lower()
    if suffix not in TABLES:
        raise BadInput(
            f"{path} ends in {suffix or 'nothing'!r}: it must be a folder of images or a file that "
            f"ends in one of {', '.join(sorted(TABLES | ARRAYS))}."
        )
    try:
        frame = _parsed(path, suffix)
    except ImportError as error:
        raise BadInput(
            f"{path} is a Parquet file, and those need pyarrow: pip install 'aluma[parquet]'."
        ) from error
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{path} cannot be read as {suffix[1:]}: byte {error.start:,} is no UTF-8. Save it as "
            "UTF-8."
        ) from error
    except pd.errors.EmptyDataError as error:
        raise BadInput(f"{path} is empty: there is nothing to label.") from error
    except (ValueError, OSError) as error:
        raise BadInput(f"{path} cannot be read as {suffix[1:]}: {error}") from error
    if frame.empty:
        raise BadInput(f"{path} has no rows: there is nothing to label.")
    frame = frame.reset_index(drop=True)
    frame.columns = [str(name) for name in frame.columns]
    if frame.columns.has_duplicates:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise BadInput(f"{path} has two columns called {twice!r}: rename one.")
    return frame.apply(_plain)


def _parsed(path: Path, suffix: str) -> pd.DataFrame:
    if suffix in (".parquet", ".pq"):
        return pd.read_parquet(path)
    if suffix in (".jsonl", ".ndjson"):
        return _json_lines(path)
    separator = "\t" if suffix == ".tsv" else _separator(path)
    return pd.read_csv(path, sep=separator, index_col=False, low_memory=False)


def _separator(path: Path) -> str:
    """Return what separates the names of the columns: spreadsheets also write semicolons."""
    with path.open(encoding="utf-8", errors="replace") as file:
        names = file.readline(10_000)
    return ";" if ";" in names and "," not in names else ","


def _json_lines(path: Path) -> pd.DataFrame:
    rows = []
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                try:
                    row = json.loads(line)
                except json.JSONDecodeError as error:
                    raise ValueError(f"line {number} is no JSON: {error.msg}") from error
                if not isinstance(row, dict):
                    raise ValueError(f"line {number} holds no object but {line.strip()[:40]!r}")
                rows.append({sound(key): _sound(value) for key, value in row.items()})
    return pd.DataFrame(rows)


def _sound(value: Any) -> Any:
    return sound(value) if isinstance(value, str) else value


def _plain(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column whose lists and objects are JSON text, and whose dates are ISO text."""
    if pd.api.types.is_datetime64_any_dtype(column):
        return column.astype(str)
    if column.dtype != object:
        return column
    return column.map(
        lambda value: (
            json.dumps(value, ensure_ascii=False, default=str)
            if isinstance(value, list | dict | np.ndarray)
            else value
        )
    )


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
    return words > WORDS or known.nunique() > CATEGORIES


def read_array(path: Path) -> npt.NDArray[Any]:
    """Read an array of numbers, of embeddings or images; never a pickle."""
    _check_size(path)
    try:
        loaded = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise _no_array(path) from error
    if isinstance(loaded, np.ndarray):
        array = loaded
    else:
        names = list(loaded.files)
        chosen = names if len(names) == 1 else [name for name in KNOWN if name in names]
        if not chosen:
            raise BadInput(f"{path} holds {', '.join(names)}: call the one to use {KNOWN[0]!r}.")
        try:
            array = loaded[chosen[0]]
        except ValueError as error:
            raise _no_array(path) from error
    if array.dtype.kind not in "biuf" or array.ndim not in (2, 3, 4) or 0 in array.shape:
        raise BadInput(
            f"{path} holds {array.dtype} of shape {array.shape}: pass numbers, one row an example "
            "(or images of shape (n, height, width) or (n, height, width, 3))."
        )
    return array


def _no_array(path: Path) -> BadInput:
    """Say so in words of our own: NumPy's advise to load a pickle."""
    return BadInput(
        f"{path} cannot be read as an array of numbers: it is broken, no NumPy file, or holds "
        "Python objects, which are never loaded. Save numbers with numpy.save or numpy.savez."
    )


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
    array: npt.NDArray[Any], source: Path, table: Path | None, label_column: str | None
) -> Examples:
    """Return what is shown for the rows of an array: a table, the images, or the numbers."""
    if table is not None:
        frame = read_table(table)
        if len(frame) != len(array):
            raise BadInput(
                f"{table} has {len(frame):,} rows, {source} has {len(array):,}: they must belong "
                "together, row by row."
            )
        return as_examples(frame, label_column)
    if array.ndim > 2:
        if array.ndim == 4 and array.shape[3] != 3:
            raise BadInput(f"{source} has {array.shape[3]} channels: images have 3, or none.")
        return Examples(pd.DataFrame(index=range(len(array))), images=ArrayImages(array))
    few = array[:, :25]
    return Examples(pd.DataFrame(few, columns=[str(j) for j in range(few.shape[1])]))


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


def _check_size(path: Path) -> None:
    if not path.exists():
        raise BadInput(f"there is no file or folder {path}: check the name.")
    if path.is_dir():
        raise BadInput(f"{path} is a folder: name a file.")
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise BadInput(
            f"{path} has {size / 2**30:.1f} GB, {MOST_BYTES // 2**30} are the most: pass a part of "
            "it, or embeddings of it as a .npy file with --embeddings."
        )
