"""A thread that does one thing again whenever it is stirred, and once for many stirrings."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from aluma.app.priority import LOOKING_AHEAD, give_way

logger = logging.getLogger(__name__)

#: Seconds after which it looks by itself whether there is something to do.
PATROL = 10.0


class Scribe:
    """Does ``work`` after every :meth:`stir`, in a thread of its own.

    Parameters
    ----------
    work : what is done; what it raises is logged, and the next stirring tries again
    due : whether it is to be done though nothing has happened
    """

    def __init__(self, work: Callable[[], None], due: Callable[[], bool]) -> None:
        self._work, self._due, self._wake = work, due, threading.Condition()
        self._stirred = self._stopped = self._busy = False
        self._thread = threading.Thread(target=self._run, name="scribe", daemon=True)
        self._thread.start()

    def stir(self) -> None:
        """Let it be done, or done again after what is being done."""
        with self._wake:
            self._stirred = True
            self._wake.notify_all()

    def rest(self, seconds: float) -> bool:
        """Wait until there is nothing to do, and say whether it came to that."""
        with self._wake:
            return self._wake.wait_for(lambda: not (self._stirred or self._busy), seconds)

    def close(self) -> None:
        """Stop after what is being done."""
        with self._wake:
            self._stopped = True
            self._wake.notify_all()
        self._thread.join()

    def _run(self) -> None:
        give_way(LOOKING_AHEAD)
        while True:
            with self._wake:
                self._busy = False
                self._wake.notify_all()
                self._wake.wait_for(lambda: self._stirred or self._stopped, PATROL)
                if self._stopped:
                    return
                if not (self._stirred or self._due()):
                    continue
                self._stirred, self._busy = False, True
            try:
                self._work()
            except Exception:
                logger.exception("what people said could not be taken in; it is on the disk")
