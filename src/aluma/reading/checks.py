"""What is wrong with a file, in plain words; and tables made plain."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from aluma.errors import BadInput

#: A table or an array may be this large.
MOST_BYTES = 4 * 2**30


def check_size(path: Path) -> None:
    """Refuse what is not there, is a folder or is too large to be held in memory."""
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


def checked_table(path: Path, reader: Callable[[Path], pd.DataFrame]) -> pd.DataFrame:
    """Return what a reader found, made plain, or say what is wrong with the file."""
    frame = _read(path, reader)
    if frame.empty:
        names = ", ".join(repr(str(name)) for name in frame.columns)
        below = f" below the names of its columns ({names})" if names else ""
        raise BadInput(f"{path} has no rows{below}: there is nothing to label.")
    frame = frame.reset_index(drop=True)
    frame.columns = [str(name) for name in frame.columns]
    if frame.columns.has_duplicates:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise BadInput(f"{path} has two columns called {twice!r}: rename one.")
    return frame.apply(_plain)


def _read(path: Path, reader: Callable[[Path], pd.DataFrame]) -> pd.DataFrame:
    kind = path.suffix.lower()[1:]
    try:
        return reader(path)
    except BadInput:
        raise
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{path} cannot be read as {kind}: byte {error.start:,} is no {error.encoding}. Name "
            "the right encoding with --encoding, or save it as UTF-8."
        ) from error
    except pd.errors.EmptyDataError as error:
        raise BadInput(
            f"{path} is empty: there is nothing to label, and the first line must name the columns."
        ) from error
    except (ValueError, OSError) as error:
        raise BadInput(f"{path} cannot be read as {kind}: {error}") from error


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
