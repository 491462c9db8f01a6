"""Who comes first on a busy machine: the browser, then the next questions, then figures."""

from __future__ import annotations

import os
import sys
import threading

#: How much less urgent than the page looking ahead is, and figures are, as `nice` counts it.
LOOKING_AHEAD, FIGURES = 5, 10


def give_way(by: int) -> None:
    """Make the calling thread less urgent, where threads have a priority of their own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), by)
