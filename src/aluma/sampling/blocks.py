"""Chains in blocks of fixed shape, worked on by threads.

Reflections are chaotic: one different bit and a trajectory ends elsewhere. So that the same seed
gives the same hypotheses on any number of threads, every block has a fixed shape, its own stream
and single-threaded linear algebra; threads only decide which block is worked on when.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from aluma.blas import one_thread
from aluma.threads import threads_allowed

#: Chains per block: enough that Python's share of a step vanishes, few enough that a population of
#: a thousand keeps several threads busy.
BLOCK = 256

T = TypeVar("T")


def blocks_for(n: int) -> int:
    """Return how many whole blocks hold n chains."""
    return -(-n // BLOCK)


def each_block(work: Callable[[int], T], count: int) -> list[T]:
    """Return ``[work(0), ..., work(count - 1)]``, computed by numba.get_num_threads() threads."""
    threads = min(count, threads_allowed())
    with one_thread():
        if threads == 1:
            return [work(block) for block in range(count)]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(work, range(count)))
