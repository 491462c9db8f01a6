"""The credible promise: what most of the halfspaces agree on that agree with all answers.

It holds for targets drawn from the paper's prior P, uniform on the ball, given the answers; for
other targets only what is proven does.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from aluma.promises.certificate import Certificate, quantile_bound
from aluma.promises.promise import Promise
from aluma.promises.proofs import PROOF_SECONDS, Proofs
from aluma.scoring.disputes import Disputes
from aluma.spaces.situation import Situation
from aluma.spaces.space import Hypotheses


class Credible(Promise[Hypotheses]):
    """A certificate by the disputes of hypotheses, worked out once for each set of answers.

    Disputes are counted by hypotheses drawn for that alone: those that questions were chosen by
    are no independent sample of what the answers left.

    Parameters
    ----------
    delta : what the promise may fail with
    """

    def __init__(self, delta: float) -> None:
        self.delta = delta
        self._certified: tuple[tuple[int, ...], Certificate] | None = None
        self._disputed: tuple[tuple[int, ...], Disputes] | None = None
        self._proofs = Proofs()

    def certificate(
        self,
        at: Situation[Hypotheses],
        inferred: Mapping[int, int],
        factor: float | None,
        proof_seconds: float | None,
    ) -> Certificate:
        """Return what can be promised now; computed once for each set of answers.

        When ``proof_seconds`` are given, time is taken for more proofs even if these answers have
        been certified before.
        """
        known = self._certified is not None and self._certified[0] == _key(at)
        if not known or proof_seconds is not None:
            seconds = PROOF_SECONDS if proof_seconds is None else proof_seconds
            self._certified = _key(at), self._certify(at, inferred, factor, seconds)
        assert self._certified is not None
        return self._certified[1]

    def error_bound(self, at: Situation[Hypotheses]) -> float:
        """Return the share of the pool that a hypothesis disputes, except with delta."""
        if not at.space.population.mixing.sound:
            return 1.0
        return quantile_bound(self._disputes(at).by_hypothesis, self.delta) / len(at.pool)

    @property
    def proven(self) -> Mapping[int, int]:
        """Signs, by example, that a certificate has proven: no halfspace disputes them."""
        return self._proofs.signs

    def take_proofs(self, earlier: Promise[Any]) -> None:
        """Take over proofs: more answers cannot refute them."""
        self._proofs.signs.update(earlier.proven)

    def went_back(self) -> None:
        """Forget the proofs, which may need answers that are gone."""
        self._proofs = Proofs()

    def fork(self) -> Self:
        """Return an independent copy."""
        twin = copy.copy(self)
        twin._proofs = self._proofs.copy()
        return twin

    def _disputes(self, at: Situation[Hypotheses]) -> Disputes:
        """Return how the labels given now are disputed; counted once for these answers."""
        if self._disputed is None or self._disputed[0] != _key(at):
            labels = at.space.labelled(at.vote(at.pool))
            self._disputed = _key(at), at.space.disputes(labels, at.answered)
        return self._disputed[1]

    def _certify(
        self,
        at: Situation[Hypotheses],
        inferred: Mapping[int, int],
        factor: float | None,
        seconds: float,
    ) -> Certificate:
        state, by_hypothesis = at.space.population.state, self._disputes(at).by_hypothesis
        self._prove(at, inferred, seconds)
        bound, expected = self.error_bound(at), float(by_hypothesis.mean() / len(at.pool))
        return Certificate(
            size=len(at.pool),
            asked=len(at.told),
            error_bound=bound,
            basis="prior",
            checks=0,
            wrong_found=0,
            estimate=expected,
            log_volume=state.log_volume,
            purity=float(np.mean(by_hypothesis == 0)),
            determined=len(self._proofs.signs),
            undecidable=int(at.pool.is_zero.sum()),
            expected_error=expected,
            credible_bound=bound,
            delta=self.delta,
            greedy_factor=factor,
            mixing=state.mixing,
        )

    def _prove(
        self, at: Situation[Hypotheses], inferred: Mapping[int, int], seconds: float
    ) -> None:
        """Try to prove the labels that no hypothesis seen disputes."""
        if not at.space.settles:
            self._proofs = Proofs()
        self._proofs.signs.update(inferred)
        self._proofs.signs.update((e.index, e.sign) for e in at.history if e.sign)
        cone = at.space.population.cone
        if len(cone) == 0 or not at.space.settles:
            return
        positive, _, by_example = self._disputes(at)
        inside = at.space.population.hypotheses().mean(axis=0)
        unanimous = np.flatnonzero((by_example == 0) & ~at.pool.is_zero)
        axis = inside / np.linalg.norm(inside)
        self._proofs.extend(at.pool, cone, axis, unanimous, positive, seconds)


def _key(at: Situation[Hypotheses]) -> tuple[int, ...]:
    """Return what names the answers so far."""
    return (*at.space.key, at.n_answers)
