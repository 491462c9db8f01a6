"""Linear algebra on one thread, so that the same input gives the same bits on any machine size.

A threaded BLAS splits sums differently for different numbers of threads. What decides about walls
and chains runs on one thread instead; the parallel parts are blocks of chains, each of them whole.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, ContextDecorator
from functools import lru_cache
from types import TracebackType
from typing import Any

from threadpoolctl import ThreadpoolController


class one_thread(ContextDecorator):
    """Limit BLAS to one thread: ``with one_thread(): ...``, or ``@one_thread()`` on a function."""

    def __init__(self) -> None:
        self._limits: list[AbstractContextManager[Any]] = []

    def _recreate_cm(self) -> one_thread:
        return one_thread()

    def __enter__(self) -> one_thread:
        limit = _controller().limit(limits=1, user_api="blas")
        limit.__enter__()
        self._limits.append(limit)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._limits.pop().__exit__(kind, error, trace)


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    """Look up the loaded BLAS libraries once: it takes longer than a small block of chains does."""
    return ThreadpoolController()
