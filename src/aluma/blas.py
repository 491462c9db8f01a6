"""Linear algebra on one thread, so that the same input gives the same bits on any machine size.

A threaded BLAS splits sums differently for different numbers of threads. What decides about walls
and chains runs on one thread instead; the parallel parts are blocks of chains, each of them whole.
"""

from __future__ import annotations

import threading
from contextlib import ContextDecorator
from functools import cached_property
from types import TracebackType
from typing import Any

from threadpoolctl import ThreadpoolController


class one_thread(ContextDecorator):
    """Limit BLAS to one thread: ``with one_thread(): ...``, or ``@one_thread()`` on a function.

    The limit is the whole process's. Threads may be inside side by side, and a thread more than
    once: the first to enter sets the limit, the last to leave lifts it.
    """

    def __enter__(self) -> one_thread:
        _LIMIT.enter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _LIMIT.leave()


class _Limit:
    """How many are inside, and how to undo what the first of them did."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before: Any = None

    @cached_property
    def _blas(self) -> ThreadpoolController:
        """The loaded libraries: looking them up takes longer than a small block of chains does."""
        return ThreadpoolController().select(user_api="blas")

    def enter(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._before = self._blas.limit(limits=1)
                # Since threadpoolctl 3.8 a thread that has set a limit is the only one that can,
                # until it leaves a context; but whoever leaves last has to lift this one.
                with self._blas.limit(limits=1):
                    pass
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                # Leaving this context brings back what was allowed before.
                with self._before:
                    pass


#: One for all, because BLAS has one limit for the whole process.
_LIMIT = _Limit()
