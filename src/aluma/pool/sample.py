"""Samples of large pools: what is true of most examples is seen in some of them.

Questions, and what is promised about the labels, need not be looked for in every example of a large
pool. A sample for each purpose is drawn once and held in memory. It depends on nothing but the
number of rows and the purpose: wherever the same numbers are, the same rows are in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from aluma.arrays import Ints
from aluma.pool.store import Store
from aluma.streams import OfSeed, stream

if TYPE_CHECKING:
    from aluma.pool.pool import Pool

#: Bytes of a sample in float32, and its rows, at most and at least.
SAMPLE_BYTES, MOST_ROWS, FEWEST_ROWS = 2**26, 2**16, 2**12
#: The sample for promises is smaller by this factor: all hypotheses vote on all of it.
PROMISES_SHARE = 4
#: A pool is large if it has more than so many times the rows of a sample; what takes less than one
#: second for all of them is not worth an estimate.
TIMES = 4


class Purpose(Enum):
    """What a sample is for; the number names its draws."""

    QUESTIONS = 0
    PROMISES = 1


@dataclass(frozen=True, eq=False)
class Sample:
    """Some examples of a pool: their rows there, ascending, and a pool of them."""

    rows: Ints
    pool: Pool


def sample_size(store: Store) -> int:
    """Return how many rows a sample has, if the pool is large."""
    width = 4 * store.shape[1] if store.kind.endswith("dense") else store.bytes_per_row
    return int(np.clip(SAMPLE_BYTES // max(width, 1), FEWEST_ROWS, MOST_ROWS))


def is_large(store: Store) -> bool:
    """Say whether a sample stands for the rows where that will do."""
    return store.shape[0] > TIMES * sample_size(store)


def sampled_rows(store: Store, purpose: Purpose) -> Ints:
    """Return the rows of a sample, ascending."""
    rng = stream(0, OfSeed.POOL_SAMPLE, purpose.value)
    size = sample_size(store) // (PROMISES_SHARE if purpose is Purpose.PROMISES else 1)
    return np.sort(rng.choice(store.shape[0], size, replace=False))
