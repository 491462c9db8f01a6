"""Learners that say what can be promised about the labels they give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from aluma.arrays import Bools, probability
from aluma.learners.hypotheses import VersionSpaceLearner
from aluma.promises.certificate import (
    PROOF_SECONDS,
    Certificate,
    Disputes,
    Proofs,
    disputes,
    quantile_bound,
)
from aluma.spaces.history import Event


class CertifiedLearner(VersionSpaceLearner):
    """A learner with a certificate, worked out once for each set of answers.

    Disputes are counted by hypotheses drawn for that alone: those that questions were chosen by
    are no independent sample of what the answers left.

    Parameters
    ----------
    X, classes, bias, kernel, budget, n_hypotheses, random_state
        See :class:`aluma.learners.hypotheses.VersionSpaceLearner`.
    delta : float
        What the certificate's promises may fail with.
    """

    def __init__(self, X: Any, *, delta: float = 0.05, **settings: Any) -> None:
        self.delta = probability(delta, "delta")
        super().__init__(X, **settings)
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
        """Take over what another proved with some of the same answers: more cannot refute it."""
        answers = {(event.index, event.sign) for event in self._history if event.sign}
        if {(event.index, event.sign) for event in earlier._history if event.sign} <= answers:
            self._proofs.signs.update(earlier._proofs.signs)

    # -- for subclasses ------------------------------------------------------------------------

    def _count_disputes(self, positive: Bools) -> Disputes:
        """Return how independent hypotheses dispute a labelling of the pool."""
        return disputes(self.pool, positive, self.population.independent(0))

    def _greedy_factor(self) -> float | None:
        """Return the factor that every question so far was within of the best, if verified."""
        return None

    # -- inside --------------------------------------------------------------------------------

    def _release(self, kept: Sequence[Event]) -> None:
        super()._release(kept)
        self._proofs = Proofs()

    def _key(self) -> tuple[int, ...]:
        """Return what names the answers so far."""
        return (*self.population.state.key, self.n_answers)

    def _disputes(self) -> Disputes:
        """Return how the labels given now are disputed; counted once for these answers."""
        if self._disputed is None or self._disputed[0] != self._key():
            positive = self._positive_shares(self.pool) >= 0.5
            self._disputed = self._key(), self._count_disputes(positive)
        return self._disputed[1]

    def _error_bound(self) -> float:
        if not self.population.mixing.sound:
            return 1.0
        return quantile_bound(self._disputes().by_hypothesis, self.delta) / len(self.pool)

    def _certify(self, proof_seconds: float) -> Certificate:
        state, by_hypothesis = self.population.state, self._disputes().by_hypothesis
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
        self._proofs.signs.update((e.index, e.sign) for e in self._history if e.sign)
        cone = self.population.cone
        if len(cone):
            positive, _, by_example = self._disputes()
            inside = self.population.hypotheses().mean(axis=0)
            unanimous = np.flatnonzero((by_example == 0) & ~self.pool.is_zero)
            axis = inside / np.linalg.norm(inside)
            self._proofs.extend(self.pool, cone, axis, unanimous, positive, seconds)
