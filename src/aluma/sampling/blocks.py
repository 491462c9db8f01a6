"""Chains in blocks of fixed shape, each with a random stream of its own.

Reflections are chaotic: one different bit and a trajectory ends elsewhere. So that the same seed
gives the same hypotheses on any number of threads, every block has a fixed shape, its own stream
and single-threaded linear algebra; threads only decide which block is worked on when.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numba
import numpy as np

from aluma.blas import one_thread

#: Chains per block: enough that Python's share of a step vanishes, few enough that a population of
#: a thousand keeps several threads busy.
BLOCK = 256

T = TypeVar("T")


def blocks_for(n: int) -> int:
    """Return how many whole blocks hold n chains."""
    return -(-n // BLOCK)


def streams(key: tuple[int, ...], count: int) -> list[np.random.Generator]:
    """Return one generator per block; ``key`` and the block's number determine each."""
    return [
        np.random.Generator(np.random.SFC64(np.random.SeedSequence(key, spawn_key=(block,))))
        for block in range(count)
    ]


def each_block(work: Callable[[int], T], count: int) -> list[T]:
    """Return ``[work(0), ..., work(count - 1)]``, computed by numba.get_num_threads() threads."""
    threads = min(count, numba.get_num_threads())
    with one_thread():
        if threads == 1:
            return [work(block) for block in range(count)]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(work, range(count)))


def entropy(random_state: Any) -> int:
    """Return the integer that seeds the streams, from an int, a Generator or None (fresh)."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator | np.random.RandomState):
        return int.from_bytes(random_state.bytes(8), "little")
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    raise ValueError(
        f"random_state must be a non-negative integer, a numpy Generator or None, got "
        f"{random_state!r}."
    )
