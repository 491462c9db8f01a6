"""Who comes first on a busy machine: the browser, then the next questions, then figures."""

from __future__ import annotations

import os
import sys
import threading

#: What is added to the niceness of the thread that looks ahead, and of the one for figures.
LOOKING_AHEAD, FIGURES = 5, 10


def give_way(by: int) -> None:
    """Make the calling thread less urgent, where threads have a priority of their own.

    Less than it is, not than others are: only a privileged process may become more urgent.
    """
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + by)
