"""What may be expected now, worked out in the background after every answer, or nearly.

A certificate of a large pool takes longer than a question, so it has a thread of its own, waits
until the next questions are known, and skips states that have passed meanwhile. While labels are
checked nothing is learnt, so what is expected stays what it was.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

from aluma.app.priority import FIGURES, give_way
from aluma.errors import Undecided
from aluma.learners.learner import Learner
from aluma.promises.certificate import Certificate
from aluma.spaces.history import Event, audited_from

logger = logging.getLogger(__name__)

#: Seconds for proofs in a certificate, and in each extra round while nobody answers.
PROOF_SECONDS = 0.2
#: Rounds of proofs for one set of answers, at most.
MOST_ROUNDS = 30
#: Seconds that figures may be late in favour of the next questions ...
LATEST_SECONDS = 1.5
#: ... or so many times as long as the last certificate took: after a thousand answers that is
#: seconds, and nobody should wait for the next question because of figures. For the same reason
#: the next one begins so much later, unless nobody has answered for some seconds.
TIMES_LATER, QUIET_SECONDS = 4.0, 2.0


class Judge:
    """A thread that certifies the latest state it was shown.

    Parameters
    ----------
    idle : set while the next questions are known
    changed : called with every new certificate, from the thread
    """

    def __init__(self, idle: threading.Event, changed: Callable[[], None]) -> None:
        self._idle, self._changed = idle, changed
        self._wake = threading.Condition()
        self._next: Learner | None = None
        self._stopped = False
        self._judged: Learner | None = None
        self._all_tried = False
        #: Seconds that the last certificate took, and when it ended.
        self._took, self._ended = 0.0, 0.0
        #: The latest certificate; it may be some answers behind.
        self.certificate: Certificate | None = None
        self._thread = threading.Thread(target=self._run, name="judge", daemon=True)
        self._thread.start()

    def look(self, learner: Learner) -> None:
        """Judge a fork of the session when there is time, unless a later one comes before."""
        # Nobody goes back from here, and what is judged may be many answers old.
        learner.parts.space.forget_steps()
        with self._wake:
            self._next = learner
            self._wake.notify()

    @property
    def proven(self) -> dict[int, Any]:
        """Labels, by example, that are proven for the answers judged last."""
        return {} if self._judged is None else self._judged.proven

    def close(self) -> None:
        """Stop after the certificate at hand."""
        with self._wake:
            self._stopped = True
            self._wake.notify()
        self._thread.join()

    def _run(self) -> None:
        give_way(FIGURES)
        while (learner := self._latest()) is not None:
            try:
                self._judge(learner)
            except Undecided as error:
                logger.warning("these answers cannot be judged: %s", error)

    def _latest(self) -> Learner | None:
        with self._wake:
            self._wake.wait_for(lambda: self._stopped or self._next is not None)
            self._rest()
        self._idle.wait(max(LATEST_SECONDS, TIMES_LATER * self._took))
        with self._wake:
            learner, self._next = self._next, None
            return None if self._stopped else learner

    def _rest(self) -> None:
        """Let the next questions have the machine, as long as somebody answers."""
        until = self._ended + TIMES_LATER * self._took
        while not self._stopped and (left := until - monotonic()) > 0:
            if not self._wake.wait(min(left, QUIET_SECONDS)):
                return

    def _judge(self, learner: Learner) -> None:
        if not learner.parts.promise.certifies or learner.n_answers == 0:
            self.certificate = self._judged = None
            self._changed()
            return
        before = self._judged
        if before is not None and _learnt(learner) == _learnt(before):
            if self._all_tried:
                return
            # The answers since were checks: what was begun about the others goes on.
            learner = before
        elif before is not None:
            learner.take_proofs(before)
        self._certify(learner)

    def _certify(self, learner: Learner) -> None:
        """Certify, then go on with proofs while nobody answers and there are more."""
        proven, self._all_tried = -1, False
        for _ in range(MOST_ROUNDS):
            begun = monotonic()
            found = learner.certificate(proof_seconds=PROOF_SECONDS)
            self._ended = monotonic()
            self._took = self._ended - begun
            self._judged, self.certificate = learner, found
            self._changed()
            self._all_tried = found.determined == proven
            if self._next is not None or self._stopped or self._all_tried:
                return
            proven = found.determined
        self._all_tried = True


def _learnt(learner: Learner) -> tuple[Event, ...]:
    """Return what a learner has learnt from: all but the checks that go on."""
    return learner.history[: audited_from(learner.history)]
