"""How many threads may work: numba's own number, asked for without its lock between processes.

``numba.get_num_threads()`` takes a lock that a process shares with those it forks. One that is
killed in that moment, as by a system that runs out of memory, leaves it locked for all the others,
for ever: that befell two of about 600 processes that were forked and killed at work. What the
function calls with the lock taken needs none once threads are there, so it is taken once in a
process and those forked from it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numba
from numba.np.ufunc import parallel


def threads_allowed() -> int:
    """Return ``numba.get_num_threads()``, which ``numba.set_num_threads`` sets for a thread."""
    return int(_asked()())


@cache
def _asked() -> Any:
    """Return what is asked for the number, once numba has made it."""
    numba.get_num_threads()
    # A numba without it, or of another make, is asked in public.
    return getattr(parallel, "_get_num_threads", numba.get_num_threads)
