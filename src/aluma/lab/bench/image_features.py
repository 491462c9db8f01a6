"""Features of images: the learner's errors by pixels alone, and by edges and pixels.

python -m aluma.lab.bench.image_features [--results FILE] [--runs N] [--pools NAME ...]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from sklearn.datasets import load_digits

from aluma.app.examples import ArrayImages
from aluma.app.image_features import of_pictures
from aluma.arrays import Bools, Floats
from aluma.lab import datasets
from aluma.lab.bench import one_core
from aluma.lab.bench.kept_runs import KeptRuns
from aluma.lab.bench.text_features import FIRST_SEED, curve, shown

#: Images of a pool, and labels after which errors are noted.
ROWS, MARKS = 1000, (25, 50, 100)
#: Purpose of the draws of images.
CHOOSING_IMAGES = 13
#: Pairs of digits: of MNIST (28 x 28) and scikit-learn (8 x 8).
PAIRS = {"MNIST 3 and 5": (3, 5), "MNIST 4 and 9": (4, 9), "digits 1 and 8": (1, 8)}
KINDS = ("pixels", "edges and pixels")


@lru_cache(maxsize=1)
def _whole(name: str) -> tuple[npt.NDArray[np.uint8], Bools]:
    """Return images as bytes, and which of them are positive."""
    negative, positive = PAIRS[name]
    if name.startswith("MNIST"):
        data = datasets.mnist(negative, positive)
        X: Any = np.asarray(data.X)
        return (X.reshape(-1, 28, 28) / X.max() * 255).astype(np.uint8), data.y > 0
    X, digits = load_digits(return_X_y=True)
    kept = (digits == negative) | (digits == positive)
    return (X[kept].reshape(-1, 8, 8) / 16 * 255).astype(np.uint8), digits[kept] == positive


def features_of(images: npt.NDArray[np.uint8]) -> dict[str, Floats]:
    """Return features by their kind."""
    made = of_pictures(ArrayImages(images), len(images))
    by_kind = {block.kind: np.asarray(X, dtype=np.float64) for X, block in made}
    return {"pixels": by_kind["pixels"], "edges and pixels": np.hstack(list(by_kind.values()))}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Features of images.")
    parser.add_argument("--results", type=Path, help="JSON lines; finished runs are not redone")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--pools", nargs="+", choices=tuple(PAIRS), default=list(PAIRS))
    given = parser.parse_args(arguments)
    kept, seeds = KeptRuns(given.results), range(FIRST_SEED, FIRST_SEED + given.runs)
    with one_core():
        for name in given.pools:
            for seed in seeds:
                if all((name, seed, kind) in kept for kind in KINDS):
                    continue
                images, positive = _whole(name)
                rng = np.random.default_rng((seed, CHOOSING_IMAGES))
                chosen = np.sort(rng.permutation(len(positive))[:ROWS])
                for kind, X in features_of(images[chosen]).items():
                    kept.add((name, seed, kind), curve(X, positive[chosen], seed, MARKS))
    Console(width=160).print(shown(kept, given.pools, KINDS, seeds, MARKS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
