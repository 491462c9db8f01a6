"""Blocks of rows in this process: one after another, or by several threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Any, Protocol, Self, TypeVar

from aluma.blas import one_thread
from aluma.pool.store import Selection, T, parts
from aluma.threads import threads_allowed

U = TypeVar("U")


class Divisible(Protocol):
    """Rows of which some can be had as a store of their own."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    def part(self, selection: Selection) -> Self:
        """Return some rows as a store of their own."""


D = TypeVar("D", bound=Divisible)


def parts_of(store: D, step: int) -> Iterator[tuple[int, D]]:
    """Yield all rows of a store in order, with the number of the first."""
    for part in parts(store.shape[0], step):
        yield part.start, store.part(part)


def each_part(
    store: Divisible, work: Callable[..., T], step: int, shared: tuple[Any, ...]
) -> Iterator[T]:
    """Yield ``work(start, rows, *shared)`` for the blocks of a store that is in memory.

    Up to four threads share the room of a block, so that they need no more than one would.
    """
    step = max(1, step // min(4, threads_allowed()))

    def one(part: slice) -> T:
        return work(part.start, store.part(part), *shared)

    return in_threads(one, parts(store.shape[0], step))


def in_threads(work: Callable[[U], T], given: Iterable[U]) -> Iterator[T]:
    """Yield what some work makes of each thing given, in order, by several threads.

    As many as ``numba.get_num_threads()``, with linear algebra on one thread each. Few more are
    begun than are needed, so that results and blocks do not pile up; an error stops the rest.
    """
    threads = threads_allowed()
    things = iter(given)
    with one_thread():
        if threads == 1:
            yield from map(work, things)
            return
        with ThreadPoolExecutor(threads) as pool:
            coming: list[Future[T]] = [
                pool.submit(work, one) for one in islice(things, 2 * threads)
            ]
            try:
                while coming:
                    found = coming.pop(0).result()
                    coming += [pool.submit(work, one) for one in islice(things, 1)]
                    yield found
            finally:
                for future in coming:
                    future.cancel()
