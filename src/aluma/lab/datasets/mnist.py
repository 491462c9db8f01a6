"""MNIST: images of handwritten digits, two of which make a pool (Section 6.2 of the paper)."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import Ints
from aluma.errors import CorruptData
from aluma.lab.datasets.dataset import Dataset
from aluma.lab.datasets.files import DataFile, locate

MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
)


def _file(name: str, sha256: str) -> DataFile:
    return DataFile(f"mnist/{name}", sha256, tuple(mirror + name for mirror in MIRRORS))


TRAIN = (
    _file(
        "train-images-idx3-ubyte.gz",
        "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    ),
    _file(
        "train-labels-idx1-ubyte.gz",
        "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    ),
)
TEST = (
    _file(
        "t10k-images-idx3-ubyte.gz",
        "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    ),
    _file(
        "t10k-labels-idx1-ubyte.gz",
        "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
    ),
)


def mnist(negative: int, positive: int) -> Dataset:
    """Return two digits of MNIST, pixels from 0 to 1.

    Parameters
    ----------
    negative, positive : the digits that are labelled -1 and +1

    Notes
    -----
    4 vs 7 can be separated by a halfspace; 3 vs 5 cannot, not even with a bias, though the paper
    says that ALuMA reaches training error zero there.
    """
    for digit in (negative, positive):
        if digit not in range(10):
            raise ValueError(f"MNIST has the digits 0 to 9, not {digit!r}.")
    if negative == positive:
        raise ValueError(f"two different digits make a pool, got {negative} twice.")
    X, y = _pair(TRAIN, negative, positive)
    X_test, y_test = _pair(TEST, negative, positive)
    return Dataset(
        f"MNIST {negative} vs {positive}", X, y, (negative, positive), X_test=X_test, y_test=y_test
    )


def read_idx(file: Path) -> npt.NDArray[np.uint8]:
    """Return the array in a gzipped idx file of bytes, as MNIST is published."""
    try:
        content = gzip.decompress(file.read_bytes())
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CorruptData(f"{file} is not a whole gzip file: {error}. Replace it.") from error
    zeros, kind, axes = content[:2], *content[2:4]
    if zeros != b"\0\0" or kind != 8:
        raise CorruptData(f"{file} is not an idx file of bytes: it starts with {content[:4]!r}.")
    shape = np.frombuffer(content, ">i4", axes, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(shape)


def _pair(files: tuple[DataFile, DataFile], negative: int, positive: int) -> tuple[Any, Ints]:
    images, digits = (read_idx(locate(file)) for file in files)
    kept = (digits == negative) | (digits == positive)
    pixels = images[kept].reshape(int(kept.sum()), -1) / 255.0
    return pixels, np.where(digits[kept] == positive, 1, -1).astype(np.int64)
