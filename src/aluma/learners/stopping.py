"""Learners that stop when what they can promise is enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aluma.arrays import Bools, is_number
from aluma.learners.certified import CertifiedLearner
from aluma.learners.lifted import LiftedLearner, Standing
from aluma.promises.certificate import Disputes, Proofs, disputes, soft_disputes
from aluma.spaces.history import Event

#: Answers in a row, each expected by nearly every hypothesis, that must agree with the vote before
#: a learner with slack="auto" has finished. A pool of which a tenth contradicts is found out by two
#: thirds of such runs even if they were random; they are the least clear examples that are left.
TESTS = 10


class StoppingLearner(CertifiedLearner, LiftedLearner):
    """A learner that has finished when its certificate says so, with slack or without.

    Parameters
    ----------
    X, classes, bias, kernel, slack, margin, dimension, budget, n_hypotheses, random_state
        See :class:`aluma.learners.lifted.LiftedLearner`.
    delta
        See :class:`aluma.learners.certified.CertifiedLearner`.
    tolerance : float
        The learner has finished when the certificate's ``error_bound`` is at most this.
    """

    def __init__(self, X: Any, *, tolerance: float = 0.0, **settings: Any) -> None:
        if not is_number(tolerance):
            raise TypeError(f"tolerance must be a number, got {tolerance!r}.")
        if not 0 <= tolerance < 1:
            raise ValueError(f"tolerance must be at least 0 and below 1, got {tolerance}.")
        super().__init__(X, **settings)
        self.tolerance = float(tolerance)

    @property
    def finished(self) -> bool:
        """Whether the rest of the pool is settled: ``error_bound <= tolerance``.

        Nothing needs to be proven for it. With ``slack="auto"`` a pool that seems settled is put to
        the test first: if no halfspace separates it, answers that nearly every hypothesis expects
        are where that shows, so the last :data:`TESTS` must have been such answers.
        """
        if not self._eligible().any():
            return True
        if self.n_answers == 0 or self._untested():
            return False
        return not self._clearly_contested() and self._error_bound() <= self.tolerance

    def take_proofs(self, earlier: CertifiedLearner) -> None:
        """Take over what another proved with some of the same answers: more cannot refute it.

        Slack can, so there is nothing to take over when there is some.
        """
        lifted = isinstance(earlier, LiftedLearner) and earlier._own is not None
        if self._own is None and not lifted:
            super().take_proofs(earlier)

    def restore(self, standing: Standing, history: Sequence[Event]) -> None:
        """Go on where a learner with the same settings stood; proofs begin anew."""
        super().restore(standing, history)
        self._proofs = Proofs()

    def _clearly_contested(self) -> bool:
        """Say whether it takes no counting of disputes to see that the pool is not settled yet."""
        return False

    def _untested(self) -> bool:
        """Say whether it is open if a halfspace separates the pool at all."""
        asked = self.slack == "auto" and self._own is None
        return asked and self._population.state.expected < TESTS

    def _count_disputes(self, positive: Bools) -> Disputes:
        drawn = self._halfspaces(self._population.independent(0))
        if self._own is None:
            return disputes(self.pool, positive, drawn)
        return soft_disputes(self.pool, positive, drawn, self.answered, self._rng(3))

    def _prove(self, seconds: float) -> None:
        if self._own is None:
            super()._prove(seconds)
            return
        # Slack gives every unanswered example a coordinate of its own: nothing is settled.
        self._proofs = Proofs()
        self._proofs.signs.update((e.index, e.sign) for e in self._history if e.sign)
