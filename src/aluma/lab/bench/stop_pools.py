"""The pools that stopping is judged on: real ones, and such that no halfspace separates.

What a pool's labels say counts as right, also where they were flipped or are coin tosses: a person
who checks them would say the same. Large ones are sampled by the seed, so that a run costs seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from aluma.app import features
from aluma.arrays import Floats, Ints
from aluma.errors import MissingData
from aluma.lab import datasets
from aluma.lab.bench.cones import sphere_pool
from aluma.lab.comparison import standardise
from aluma.lab.problem import Source

#: Rows that are kept of a large pool.
MOST_ROWS = 4000
#: What a draw is for, beside the seed: each purpose has a stream of its own.
SAMPLING, FLIPPING, TOSSING = 71, 72, 73


@dataclass(frozen=True)
class StopPool:
    """A pool by name.

    Attributes
    ----------
    name, source : what tables call it, and what makes it of a seed
    rare : whether its second class is, so that one would screen for it
    followed : answers that a learner without checks is followed for at most, where they are dear
    """

    name: str
    source: Source
    rare: bool = False
    followed: int | None = None


def pools() -> list[StopPool]:
    """Return all pools."""
    return [
        *small_pools(),
        StopPool("SMS, TF-IDF", partial(text_pool, "sms_spam"), rare=True),
        StopPool("SMS, MiniLM", partial(embedded_pool, "sms_spam"), rare=True),
        StopPool("reviews, TF-IDF", partial(text_pool, "rt_polarity")),
        StopPool("reviews, MiniLM", partial(embedded_pool, "rt_polarity")),
        StopPool("MNIST 4 vs 7", partial(mnist_sample, 4, 7)),
        StopPool("MNIST 3 vs 5", partial(mnist_sample, 3, 5)),
        StopPool("w1a", web_pages, rare=True),
        *(
            StopPool(f"sphere, {share:.0%} flipped", partial(flipped_sphere, share))
            for share in (0.0, 0.02, 0.05, 0.1)
        ),
        StopPool("coin tosses", coin_tosses, followed=200),
    ]


def small_pools() -> list[StopPool]:
    """Return the pools that come with scikit-learn."""
    pairs = ((3, 5), (4, 7), (3, 8), (1, 8))
    return [
        StopPool("breast cancer", breast_cancer),
        StopPool("wine 0 vs 1, raw", partial(wine, False)),
        StopPool("wine 0 vs 1", partial(wine, True)),
        *(StopPool(f"digits {a} vs {b}", partial(two_digits, a, b)) for a, b in pairs),
        StopPool("digits, 8 or not", partial(one_digit, 8), rare=True),
    ]


def named(names: Sequence[str]) -> list[StopPool]:
    """Return some pools by their names."""
    known = {pool.name: pool for pool in pools()}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"there is no pool {unknown[0]!r}: the pools are {', '.join(known)}.")
    return [known[name] for name in names]


def available(console: Console, wanted: Sequence[StopPool]) -> list[StopPool]:
    """Return the pools whose data are there, and say which are left out."""
    there = []
    for pool in wanted:
        try:
            pool.source(0)
        except MissingData as reason:
            console.print(f"{pool.name} is left out: {reason}")
        else:
            there.append(pool)
    return there


def breast_cancer(_seed: int) -> tuple[Floats, Floats]:
    """Return breast cancer, standardised; no halfspace separates it quite."""
    rows, benign = load_breast_cancer(return_X_y=True)
    return standardise(rows), _signs(benign == 1)


def wine(standardised: bool, _seed: int) -> tuple[Floats, Floats]:
    """Return two sorts of wine, raw (one column is a thousand times the others) or standardised."""
    rows, sort = load_wine(return_X_y=True)
    kept = sort < 2
    X = np.asarray(rows[kept], dtype=np.float64)
    return standardise(X) if standardised else X, _signs(sort[kept] == 1)


def two_digits(negative: int, positive: int, _seed: int) -> tuple[Floats, Floats]:
    """Return two of scikit-learn's digits, centred."""
    images, digits = load_digits(return_X_y=True)
    kept = np.isin(digits, (negative, positive))
    return _centred(images[kept]), _signs(digits[kept] == positive)


def one_digit(positive: int, _seed: int) -> tuple[Floats, Floats]:
    """Return all of scikit-learn's digits, centred; one of them is positive."""
    images, digits = load_digits(return_X_y=True)
    return _centred(images), _signs(digits == positive)


def text_pool(name: str, seed: int) -> tuple[Floats, Floats]:
    """Return texts with the features that the labelling page makes of them without vectors."""
    data = _texts(name)
    kept = some(len(data), seed)
    frame = pd.DataFrame({"text": [data.texts[i] for i in kept]})
    made = features.of_table(frame, columns=["text"], words=False)
    return np.asarray(made.X, dtype=np.float64), data.y[kept].astype(np.float64)


def embedded_pool(name: str, seed: int, most: int = MOST_ROWS) -> tuple[Floats, Floats]:
    """Return texts with sentence embeddings as they come: rows of length 1."""
    data = _embedded(name)
    kept = some(len(data), seed, most)
    return np.asarray(data.X[kept], dtype=np.float64), data.y[kept].astype(np.float64)


def mnist_sample(
    negative: int, positive: int, seed: int, most: int = MOST_ROWS
) -> tuple[Floats, Floats]:
    """Return two digits of MNIST, pixels from 0 to 1, centred."""
    data = _mnist(negative, positive)
    kept = some(len(data), seed, most)
    return _centred(data.X[kept]), data.y[kept].astype(np.float64)


def web_pages(_seed: int) -> tuple[Floats, Floats]:
    """Return w1a; 72 of its 2,477 pages are of the wanted category."""
    data = _web_pages()
    return np.asarray(data.X.toarray(), dtype=np.float64), data.y.astype(np.float64)


def flipped_sphere(
    share: float, seed: int, size: int = 2000, dimension: int = 10
) -> tuple[Floats, Floats]:
    """Return uniform directions, so many of whose labels by a halfspace are flipped."""
    X, y = sphere_pool(dimension, size, seed)
    flipped = np.random.default_rng((seed, FLIPPING)).permutation(size)[: round(share * size)]
    y[flipped] *= -1
    return X, y


def coin_tosses(seed: int, size: int = 1000, dimension: int = 50) -> tuple[Floats, Floats]:
    """Return Gaussian rows whose labels have nothing to do with them."""
    rng = np.random.default_rng((seed, TOSSING))
    return rng.standard_normal((size, dimension)), rng.choice([-1.0, 1.0], size)


def some(m: int, seed: int, most: int = MOST_ROWS) -> Ints:
    """Return the rows that are kept of m, in order."""
    drawn = np.random.default_rng((seed, SAMPLING)).permutation(m)[:most]
    return np.sort(drawn).astype(np.int64)


@lru_cache(maxsize=2)
def _texts(name: str) -> datasets.Texts:
    return datasets.texts(name)


@lru_cache(maxsize=2)
def _embedded(name: str) -> datasets.Dataset:
    return datasets.embedded(name)


@lru_cache(maxsize=2)
def _mnist(negative: int, positive: int) -> datasets.Dataset:
    return datasets.mnist(negative, positive)


@lru_cache(maxsize=1)
def _web_pages() -> datasets.Dataset:
    return datasets.w1a()


def _centred(rows: Any) -> Floats:
    return np.asarray(rows - rows.mean(axis=0), dtype=np.float64)


def _signs(positive: Any) -> Floats:
    return np.where(positive, 1.0, -1.0)
