"""Pools of more than two classes, in the form that people have them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, load_wine

from aluma.arrays import Ints
from aluma.lab.comparison import standardise
from aluma.lab.datasets import posts
from aluma.lab.datasets.files import locate
from aluma.lab.datasets.mnist import TRAIN, read_idx

#: Four topics that have little in common.
TOPICS = ("comp.graphics", "rec.sport.hockey", "sci.space", "talk.politics.mideast")
#: Principal components of MNIST.
COMPONENTS = 50


@dataclass(frozen=True)
class ClassPool:
    """A pool of several classes.

    Attributes
    ----------
    name : what tables call it
    source : returns rows and class numbers
    last : labels that are given at most
    """

    name: str
    source: Callable[[], tuple[Any, Ints]]
    last: int = 200


@lru_cache(maxsize=1)
def digits() -> tuple[Any, Ints]:
    """Return scikit-learn's 1,797 digits, 64 pixels from 0 to 1, centred."""
    X, y = load_digits(return_X_y=True)
    return X / 16.0 - (X / 16.0).mean(axis=0), y


@lru_cache(maxsize=1)
def wine() -> tuple[Any, Ints]:
    """Return 178 wines of three kinds, standardised."""
    X, y = load_wine(return_X_y=True)
    return standardise(X), y


@lru_cache(maxsize=1)
def mnist_components() -> tuple[Any, Ints]:
    """Return all 60,000 digits of MNIST by their principal components."""
    from sklearn.decomposition import PCA

    images, y = (read_idx(locate(file)) for file in TRAIN)
    flat = images.reshape(len(images), -1) / 255.0
    found = PCA(COMPONENTS, svd_solver="covariance_eigh", random_state=0).fit_transform(flat)
    return found, y.astype(np.int64)


@lru_cache(maxsize=1)
def four_topics() -> tuple[Any, Ints]:
    """Return posts of four newsgroups by TF-IDF."""
    return posts.topics(TOPICS)


@lru_cache(maxsize=1)
def twenty_topics() -> tuple[Any, Ints]:
    """Return posts of all 20 newsgroups by TF-IDF."""
    return posts.topics(None)


def class_pools(quick: bool = False) -> list[ClassPool]:
    """Return what is measured."""
    if quick:
        return [ClassPool("wine", wine, last=50)]
    return [
        ClassPool("wine", wine, last=175),
        ClassPool("digits", digits, last=500),
        ClassPool("4 topics", four_topics, last=500),
        ClassPool("MNIST, 50 components", mnist_components, last=500),
        ClassPool("20 topics", twenty_topics, last=500),
    ]
