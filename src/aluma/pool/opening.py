"""Pools in files: who opens them, by the ending of their names."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import numpy as np

from aluma.arrays import BROKEN_FILE
from aluma.errors import BadInput
from aluma.pool.dense import Dense
from aluma.pool.parquet import open_parquet
from aluma.pool.store import Store
from aluma.pool.zarr_arrays import open_zarr

#: Takes a path and the names of columns to use, or None; returns a store that reads when asked.
Opener: TypeAlias = Callable[[Path, Sequence[str] | None], Store]


def open_npy(path: Path, columns: Sequence[str] | None = None) -> Dense:
    """Map an array that NumPy saved into memory."""
    if columns is not None:
        raise BadInput(f"{path}: the columns of an array have no names, so none can be chosen.")
    try:
        return Dense(np.load(path, mmap_mode="r", allow_pickle=False))
    except BROKEN_FILE as error:
        raise BadInput(
            f"{path} cannot be read as an array of numbers, one example a row: {error}"
        ) from error


#: By ending: add a line for another format.
OPENERS: dict[str, Opener] = {
    ".npy": open_npy,
    ".zarr": open_zarr,
    ".parquet": open_parquet,
    ".pq": open_parquet,
}


def opened(path: str | PathLike[str], columns: Sequence[str] | None) -> Store:
    """Return the store of a file or folder, by the ending of its name or what is in it."""
    place = Path(path)
    # Not Path.exists: of names that are too long, or hold a null character, it raises.
    if not os.path.exists(place):  # noqa: PTH110
        raise BadInput(f"there is no file or folder {place}: check the name.")
    opener = OPENERS.get(place.suffix.lower())
    if opener is None and place.is_dir():
        opener = _of_folder(place)
    if opener is None:
        raise BadInput(
            f"{place} ends in {place.suffix or 'nothing'!r}: a pool is opened from a file or a "
            f"folder that ends in one of {', '.join(OPENERS)}, from a folder of Parquet files, or "
            "from an array of a zarr group."
        )
    return opener(place, columns)


def _of_folder(place: Path) -> Opener | None:
    """Return who opens a folder, by what is in it."""
    if any((place / name).exists() for name in ("zarr.json", ".zarray", ".zgroup")):
        return open_zarr
    return open_parquet if next(place.rglob("*.parquet"), None) is not None else None
