"""Room that is written to again and again, by each thread for itself.

The workers of a Dask cluster give memory back as soon as it is free. Every large array that is made
there anew then costs more than the votes it is for: the system has to find it page by page.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import numpy as np

from aluma.arrays import Singles

_KEPT = threading.local()


def room_for(turn: int) -> Callable[[int, int], Singles]:
    """Return who gives room for rows that are picked out of those of the turn before."""
    return partial(scratch, "even" if turn % 2 == 0 else "odd")


def scratch(name: str, rows: int, columns: int) -> Singles:
    """Return an array with anything in it; the next of this name in this thread overlaps it."""
    kept: Singles | None = getattr(_KEPT, name, None)
    if kept is None or kept.size < rows * columns:
        kept = np.empty(rows * columns, dtype=np.float32)
        setattr(_KEPT, name, kept)
    return kept[: rows * columns].reshape(rows, columns)
