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

    _limit: _Limit | None = None

    def __enter__(self) -> one_thread:
        self._limit = _LIMIT
        _LIMIT.enter(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _LIMIT.leave(self)

    def __del__(self) -> None:
        # After Ctrl-C between entering and the block nobody else would ever leave.
        if self._limit is not None:
            self._limit.leave(self)

    def _recreate_cm(self) -> one_thread:
        """Return another for every call of a decorated function: each is one visit."""
        return one_thread()


class _Limit:
    """Who is inside, and how to undo what the first of them did.

    Ctrl-C at any point leaves nobody inside for good; at worst the limit stays when it is lifted.
    """

    def __init__(self) -> None:
        # Collecting garbage may end a visit while another begins, in the same thread.
        self._lock = threading.RLock()
        self._inside: set[int] = set()
        self._before: Any = None

    @cached_property
    def _blas(self) -> ThreadpoolController:
        """The loaded libraries: looking them up takes longer than a small block of chains does."""
        return ThreadpoolController().select(user_api="blas")

    def enter(self, visit: one_thread) -> None:
        with self._lock:
            self._inside.add(id(visit))
            if len(self._inside) == 1:
                limited = self._blas.limit(limits=1)
                self._before = self._before or limited
                # Since threadpoolctl 3.8 a thread that has set a limit is the only one that can,
                # until it leaves a context; but whoever leaves last has to lift this one.
                with self._blas.limit(limits=1):
                    pass

    def leave(self, visit: one_thread) -> None:
        if id(visit) not in self._inside:
            return
        with self._lock:
            self._inside.discard(id(visit))
            if not self._inside and self._before is not None:
                # Leaving this context brings back what was allowed before.
                with self._before:
                    pass
                self._before = None


#: One for all, because BLAS has one limit for the whole process.
_LIMIT = _Limit()
