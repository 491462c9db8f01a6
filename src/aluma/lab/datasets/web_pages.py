"""W1A: web pages by the words in them, rarely of the wanted category (Section 6.3 of the paper)."""

from __future__ import annotations

import gzip
import io
from typing import Any

import numpy as np
from scipy import sparse

from aluma.arrays import Ints
from aluma.lab.datasets.dataset import Dataset
from aluma.lab.datasets.files import DataFile, locate

_SITE = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"
FEATURES = 300

TRAIN = (
    DataFile("w1a/w1a.gz", "c56b5359b9a71f485f0e64d6ebf5e575d3d5c744e9126851da7d49dd8862d1f6"),
    DataFile(
        "w1a/w1a",
        "0ae2b1c40f6a99061d1c6f4a1f3b50eea58a2f3b8bf851a337c25c2a65a49d32",
        (_SITE + "w1a",),
    ),
)
TEST = (
    DataFile("w1a/w1a.t.gz", "40d9edb9088f882c6b724af360272fabbdea22ec7e377126c9fadae6f21ec344"),
    DataFile(
        "w1a/w1a.t",
        "c5e489a499286d69c8c2035cb04bc48e2ea1f73e56153c72cc50b29732a9316a",
        (_SITE + "w1a.t",),
    ),
)


def w1a() -> Dataset:
    """Return W1A as sparse matrices of 300 binary features.

    One example of the pool in twelve has no feature at all, so learners need a bias to decide
    about those. No halfspace separates the pool.
    """
    X, y = _read(TRAIN)
    X_test, y_test = _read(TEST)
    return Dataset("W1A", X, y, X_test=X_test, y_test=y_test)


def _read(files: tuple[DataFile, ...]) -> tuple[Any, Ints]:
    from sklearn.datasets import load_svmlight_file

    path = locate(*files)
    content = path.read_bytes()
    text = io.BytesIO(gzip.decompress(content) if path.suffix == ".gz" else content)
    X, y = load_svmlight_file(text, n_features=FEATURES)
    # scikit-learn's machines do not take the 64-bit indices that its reader returns.
    indices, starts = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    X = sparse.csr_matrix((X.data, indices, starts), X.shape)
    return X, np.where(y > 0, 1, -1).astype(np.int64)
