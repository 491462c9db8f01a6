"""Arrays that NumPy saved: embeddings, a row an example, or images."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import BROKEN_FILE
from aluma.errors import BadInput
from aluma.reading.checks import MOST_BYTES

#: Names that an array in an .npz file may have when it is not the only one.
KNOWN_NAMES = ("X", "embeddings", "features", "data")


def read(path: Path) -> npt.NDArray[Any]:
    """Read an array of numbers, never a pickle."""
    try:
        if zipfile.is_zipfile(path):
            _check_unpacked(path)
        loaded = np.load(path, mmap_mode="r", allow_pickle=False)
        array = loaded if isinstance(loaded, np.ndarray) else loaded[_chosen(path, loaded.files)]
    except BadInput:
        raise
    except (*BROKEN_FILE, zipfile.BadZipFile) as error:
        raise BadInput(
            # In words of our own: NumPy's advise to load a pickle.
            f"{path} cannot be read as an array of numbers: it is broken, no NumPy file, or holds "
            "Python objects, which are never loaded. Save numbers with numpy.save or numpy.savez."
        ) from error
    if array.dtype.kind not in "biuf" or array.ndim not in (2, 3, 4) or 0 in array.shape:
        raise BadInput(
            f"{path} holds {array.dtype} of shape {array.shape}: pass numbers, one row an example "
            "(or images of shape (n, height, width) or (n, height, width, 3))."
        )
    return array


def _check_unpacked(path: Path) -> None:
    """Refuse a small file that would not fit into memory once it is unpacked."""
    with zipfile.ZipFile(path) as archive:
        size = max((member.file_size for member in archive.infolist()), default=0)
    if size > MOST_BYTES:
        raise BadInput(
            f"{path} holds an array of {size / 2**30:.1f} GB once it is unpacked, "
            f"{MOST_BYTES // 2**30} are the most: pass a part of it, or save it as .npy."
        )


def _chosen(path: Path, names: list[str]) -> str:
    """Return the name of the array to use: the only one, or the first with a known name."""
    chosen = names if len(names) == 1 else [name for name in KNOWN_NAMES if name in names]
    if not chosen:
        raise BadInput(f"{path} holds {', '.join(names)}: call the one to use {KNOWN_NAMES[0]!r}.")
    return chosen[0]
