"""Pools as people have them today: texts and images by embeddings, words and components."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from aluma.app.word_vectors import word_vectors
from aluma.arrays import Bools, Floats
from aluma.lab import datasets
from aluma.lab.datasets import posts

#: Rows of a pool: a part of a larger one is drawn for every seed.
ROWS = 2000
#: Principal components of images, and leading directions of words.
COMPONENTS, DIRECTIONS = 50, 100
#: Newsgroups about computers.
MAC, PC = "comp.sys.mac.hardware", "comp.sys.ibm.pc.hardware"
#: Purpose of the draws of rows.
CHOOSING_ROWS = 11


@dataclass(frozen=True)
class EmbeddingPool:
    """Rows and which of them are positive; ``whole`` returns all there are."""

    name: str
    whole: Callable[[], tuple[Any, Bools]]

    def drawn(self, seed: int, rows: int = ROWS) -> tuple[Floats, Bools]:
        """Return some of the rows, centred and 1 long on average, and which are positive.

        The unit is nothing to ALuMA; regularised regressions mind it.
        """
        X, positive = self.whole()
        rng = np.random.default_rng((seed, CHOOSING_ROWS))
        chosen = np.sort(rng.permutation(len(positive))[:rows])
        part = np.asarray(X[chosen], dtype=np.float64)
        part -= part.mean(axis=0)
        return part / np.linalg.norm(part, axis=1).mean(), positive[chosen]


def embedding_pools(quick: bool = False) -> list[EmbeddingPool]:
    """Return what is measured."""
    digits = EmbeddingPool("digits 3 and 8, pixels", _digits)
    if quick:
        return [digits]
    return [
        EmbeddingPool("SMS, MiniLM", partial(_sentences, "sms_spam")),
        EmbeddingPool("reviews, MiniLM", partial(_sentences, "rt_polarity")),
        EmbeddingPool("SMS, wordllama", partial(_words, "sms_spam")),
        EmbeddingPool("reviews, wordllama", partial(_words, "rt_polarity")),
        EmbeddingPool("SMS, TF-IDF", partial(_counts, "sms_spam")),
        EmbeddingPool("reviews, TF-IDF", partial(_counts, "rt_polarity")),
        EmbeddingPool("PC or Mac, wordllama", partial(_posts, MAC, PC)),
        EmbeddingPool("medicine or space, wordllama", partial(_posts, "sci.med", "sci.space")),
        digits,
        EmbeddingPool("MNIST 3 and 5, components", partial(_components, 3, 5)),
        EmbeddingPool("MNIST 4 and 7, components", partial(_components, 4, 7)),
    ]


@lru_cache(maxsize=2)
def _sentences(name: str) -> tuple[Any, Bools]:
    data = datasets.embedded(name)
    return data.X, data.y > 0


@lru_cache(maxsize=2)
def _words(name: str) -> tuple[Any, Bools]:
    data = datasets.texts(name)
    return word_vectors(data.texts), np.asarray(data.y > 0)


@lru_cache(maxsize=2)
def _counts(name: str) -> tuple[Any, Bools]:
    """Return texts by the leading directions of TF-IDF, as the page makes them."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.utils.extmath import randomized_svd

    data = datasets.texts(name)
    counted = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True).fit_transform(
        data.texts
    )
    _, _, directions = randomized_svd(counted, DIRECTIONS, n_iter=4, random_state=0)
    return np.asarray(counted @ directions.T), np.asarray(data.y > 0)


@lru_cache(maxsize=2)
def _posts(negative: str, positive: str) -> tuple[Any, Bools]:
    texts, y = posts.pair("train", negative, positive)
    return word_vectors(texts), y > 0


@lru_cache(maxsize=1)
def _digits() -> tuple[Any, Bools]:
    X, y = load_digits(return_X_y=True)
    kept = (y == 3) | (y == 8)
    return X[kept] / 16.0, y[kept] == 8


@lru_cache(maxsize=2)
def _components(negative: int, positive: int) -> tuple[Any, Bools]:
    from sklearn.decomposition import PCA

    data = datasets.mnist(negative, positive)
    found = PCA(COMPONENTS, svd_solver="covariance_eigh").fit_transform(data.X)
    return found, data.y > 0
