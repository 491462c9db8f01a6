"""Learners that say what can be promised about their vote, and stop when that is enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from aluma.certificate import (
    PROOF_SECONDS,
    Certificate,
    Disputes,
    Proofs,
    disputes,
    quantile_bound,
    soft_disputes,
)
from aluma.learners.history import Event
from aluma.learners.lifted import LiftedLearner, Standing

#: Answers in a row, each expected by nearly every hypothesis, that must agree with the vote before
#: a learner with slack="auto" has finished. A pool of which a tenth contradicts is found out by two
#: thirds of such runs even if they were random; they are the least clear examples that are left.
TESTS = 10


class CertifiedLearner(LiftedLearner):
    """A learner with a certificate, worked out once for each set of answers.

    Parameters
    ----------
    X, classes, bias, kernel, slack, margin, dimension, budget, n_hypotheses, random_state
        See :class:`aluma.learners.lifted.LiftedLearner`.
    delta : float
        What the certificate's promises may fail with.
    tolerance : float
        The learner has finished when the certificate's ``error_bound`` is at most this.
    """

    def __init__(
        self, X: Any, *, delta: float = 0.05, tolerance: float = 0.0, **settings: Any
    ) -> None:
        if not 0 < delta < 1:
            raise ValueError(f"delta must lie strictly between 0 and 1, got {delta}.")
        if not 0 <= tolerance < 1:
            raise ValueError(f"tolerance must be at least 0 and below 1, got {tolerance}.")
        super().__init__(X, **settings)
        self.delta, self.tolerance = float(delta), float(tolerance)
        self._certified: tuple[tuple[int, ...], Certificate] | None = None
        self._disputed: tuple[tuple[int, ...], Disputes] | None = None
        self._proofs = Proofs()

    def fork(self) -> Self:
        """Return an independent copy."""
        twin = super().fork()
        twin._proofs = self._proofs.copy()
        return twin

    def certificate(self, *, proof_seconds: float | None = None) -> Certificate:
        """Return what can be promised now; computed once for each set of answers.

        Parameters
        ----------
        proof_seconds : float, optional
            Time for proving labels. When it is given, time is taken for more proofs even if
            these answers have been certified before.
        """
        known = self._certified is not None and self._certified[0] == self._key()
        if not known or proof_seconds is not None:
            seconds = PROOF_SECONDS if proof_seconds is None else proof_seconds
            self._certified = self._key(), self._certify(seconds)
        assert self._certified is not None
        return self._certified[1]

    @property
    def proven(self) -> dict[int, Any]:
        """Labels, by example, that a certificate has proven: no halfspace disputes them."""
        examples = np.array(sorted(self._proofs.signs), dtype=np.int64)
        signs = np.array([self._proofs.signs[int(i)] for i in examples], dtype=np.int64)
        labels = self._labels.of_signs(signs).tolist()
        return dict(zip(examples.tolist(), labels, strict=True))

    def take_proofs(self, earlier: CertifiedLearner) -> None:
        """Take over what another proved with some of the same answers: more cannot refute it.

        Slack can, so there is nothing to take over when there is some.
        """
        if self._own is not None or earlier._own is not None:
            return
        answers = {(event.index, event.sign) for event in self._history if event.sign}
        if {(event.index, event.sign) for event in earlier._history if event.sign} <= answers:
            self._proofs.signs.update(earlier._proofs.signs)

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

    def restore(self, standing: Standing, history: Sequence[Event]) -> None:
        """Go on where a learner with the same settings stood; proofs begin anew."""
        super().restore(standing, history)
        self._proofs = Proofs()

    # -- for subclasses ------------------------------------------------------------------------

    def _clearly_contested(self) -> bool:
        """Say whether it takes no counting of disputes to see that the pool is not settled yet."""
        return False

    def _greedy_factor(self) -> float | None:
        """Return the factor that every question so far was within of the best, if verified."""
        return None

    # -- inside --------------------------------------------------------------------------------

    def _release(self, kept: Sequence[Event]) -> None:
        super()._release(kept)
        self._proofs = Proofs()

    def _key(self) -> tuple[int, ...]:
        """Return what names the answers so far."""
        return (*self._population.state.key, self.n_answers)

    def _disputes(self) -> Disputes:
        """Return how independent hypotheses dispute the vote; counted once for these answers."""
        if self._disputed is None or self._disputed[0] != self._key():
            positive = self._positive_shares(self.pool) >= 0.5
            drawn = self._halfspaces(self._population.independent(0))
            if self._own is None:
                found = disputes(self.pool, positive, drawn)
            else:
                found = soft_disputes(self.pool, positive, drawn, self.answered, self._rng(3))
            self._disputed = self._key(), found
        return self._disputed[1]

    def _untested(self) -> bool:
        """Say whether it is open if a halfspace separates the pool at all."""
        asked = self.slack == "auto" and self._own is None
        return asked and self._population.state.expected < TESTS

    def _error_bound(self) -> float:
        if not self._population.mixing.sound:
            return 1.0
        return quantile_bound(self._disputes().by_hypothesis, self.delta) / len(self.pool)

    def _certify(self, proof_seconds: float) -> Certificate:
        state, by_hypothesis = self._population.state, self._disputes().by_hypothesis
        self._prove(proof_seconds)
        return Certificate(
            asked=self.n_answers,
            log_volume=state.log_volume,
            purity=float(np.mean(by_hypothesis == 0)),
            determined=len(self._proofs.signs),
            undecidable=int(self.pool.is_zero.sum()),
            expected_error=float(by_hypothesis.mean() / len(self.pool)),
            error_bound=self._error_bound(),
            delta=self.delta,
            greedy_factor=self._greedy_factor(),
            mixing=state.mixing,
        )

    def _prove(self, seconds: float) -> None:
        """Try to prove the labels that no hypothesis seen disputes."""
        if self._own is not None:
            # Slack gives every unanswered example a coordinate of its own: nothing is settled.
            self._proofs = Proofs()
        self._proofs.signs.update((e.index, e.sign) for e in self._history if e.sign)
        cone = self._population.cone
        if len(cone) and self._own is None:
            positive, _, by_example = self._disputes()
            inside = self._population.hypotheses().mean(axis=0)
            unanimous = np.flatnonzero((by_example == 0) & ~self.pool.is_zero)
            axis = inside / np.linalg.norm(inside)
            self._proofs.extend(self.pool, cone, axis, unanimous, positive, seconds)
