"""Posts of newsgroups: PCMAC (Section 6.2 of the paper), and any two of the 20 newsgroups."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from aluma.arrays import Ints
from aluma.errors import MissingData
from aluma.lab.datasets.dataset import Dataset
from aluma.lab.datasets.files import VARIABLE, DataFile, cache_folder, locate

PC, MAC = "comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"

#: The shape is that of the paper's file, which is no longer at the address the paper gives; that
#: it is the same file is inferred from the shape only.
AS_IN_THE_PAPER = DataFile(
    "pcmac/text1_1946x7511.mat", "2254d508519ae589afd132a3d00cd6b6de0d29caacc00168daa9fa1984618c09"
)
FROM_ASU = DataFile(
    "pcmac/asu_1943x3289.mat",
    "9999dfccf97ab88f87127dd3457da436acb75cda9f0af4750e7cae5fe1a31b25",
    ("https://jundongl.github.io/scikit-feature/files/datasets/PCMAC.mat",),
)
#: scikit-learn's own cache, a pickle: it is never read before its digest is checked.
NEWSGROUPS = DataFile(
    "20news/20news-bydate_py3.pkz",
    "7c5c6881771cf54cfa24dbf12e572c6ea70f93a3fbec4d5b8e518a7e05dfe0e8",
)


def pcmac(source: str = "paper") -> Dataset:
    """Return posts about PCs and Macs, as sparse bags of words of unit length.

    Parameters
    ----------
    source : {"paper", "asu"}
        "paper": 1,946 posts and 7,511 words, the paper's shape; it has no public address, so it
        needs a local copy. "asu": 1,943 posts and 3,289 words, from the feature selection
        repository of Arizona State University; it can be downloaded.
    """
    files = {"paper": (AS_IN_THE_PAPER, "y"), "asu": (FROM_ASU, "Y")}
    if source not in files:
        raise ValueError(f"source must be one of {', '.join(files)}, got {source!r}.")
    from scipy.io import loadmat

    file, labels = files[source]
    content = loadmat(locate(file))
    X = sparse.csr_matrix(content["X"], dtype=np.float64)
    y = content[labels].ravel()
    return Dataset("PCMAC", _unit_rows(X), np.where(y == y.max(), 1, -1).astype(np.int64))


def newsgroups(negative: str = MAC, positive: str = PC) -> Dataset:
    """Return two of the 20 newsgroups as sparse tf-idf vectors of unit length.

    Headers, footers and quotes are left out, so that a name in a signature does not decide. The
    pool is the published training set, in time before the test set.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts, y = pair("train", negative, positive)
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2, stop_words="english")
    X = vectorizer.fit_transform(texts)
    texts_test, y_test = pair("test", negative, positive)
    X_test = vectorizer.transform(texts_test)
    name = f"20 newsgroups, {negative} vs {positive}"
    return Dataset(name, X, y, (negative, positive), X_test=X_test, y_test=y_test)


def topics(names: Sequence[str] | None) -> tuple[Any, Ints]:
    """Return newsgroups as sparse tf-idf vectors of unit length, and a number for each of them.

    As :func:`newsgroups` has them, without posts that have nothing left; all 20 if no names are
    given.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    found = _posts("train", names)
    X = TfidfVectorizer(sublinear_tf=True, min_df=3, stop_words="english").fit_transform(found.data)
    kept = np.flatnonzero(np.diff(X.indptr))
    return X[kept], np.asarray(found.target[kept], dtype=np.int64)


def pair(subset: str, negative: str, positive: str) -> tuple[list[str], Ints]:
    """Return the posts of two newsgroups, "train" or "test", and their labels, -1 or +1."""
    found = _posts(subset, [negative, positive])
    wanted = found.target_names.index(positive)
    return found.data, np.where(found.target == wanted, 1, -1).astype(np.int64)


def _posts(subset: str, names: Sequence[str] | None) -> Any:
    from sklearn.datasets import fetch_20newsgroups

    local = bool(os.environ.get(VARIABLE))
    folder = locate(NEWSGROUPS).parent if local else cache_folder() / "20news"
    try:
        return fetch_20newsgroups(
            data_home=folder,
            subset=subset,
            categories=None if names is None else list(names),
            remove=("headers", "footers", "quotes"),
            download_if_missing=not local,
        )
    except OSError as error:
        raise MissingData(
            f"the 20 newsgroups could not be downloaded ({error}): try again with a connection, or "
            f"set {VARIABLE} to a folder that has {NEWSGROUPS.path}."
        ) from error


def _unit_rows(X: Any) -> Any:
    lengths: npt.NDArray[Any] = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags(1.0 / np.where(lengths > 0, lengths, 1.0)) @ X)
