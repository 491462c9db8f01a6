"""The credible promise: what most of the halfspaces agree on that agree with all answers.

It holds for targets drawn from the paper's prior P, uniform on the ball, given the answers; for
other targets only what is proven does.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from aluma.pool.sample import Purpose
from aluma.promises.certificate import Certificate
from aluma.promises.looking import Look, look
from aluma.promises.promise import Promise
from aluma.promises.proofs import PROOF_SECONDS, Proofs
from aluma.spaces.situation import Situation
from aluma.spaces.space import Hypotheses


class Credible(Promise[Hypotheses]):
    """A certificate by the disputes of hypotheses, worked out once for each set of answers.

    Disputes are counted by hypotheses drawn for that alone: those that questions were chosen by
    are no independent sample of what the answers left.

    Parameters
    ----------
    delta : what the promise may fail with
    tolerance : bounds down to this are wanted. Of a large pool a sample is looked at; all of it
        only where the sample shows no dispute and still is too small to tell
    """

    def __init__(self, delta: float, tolerance: float = 0.0) -> None:
        self.delta, self.tolerance = delta, tolerance
        self._certified: tuple[tuple[int, ...], Certificate] | None = None
        self._disputed: tuple[tuple[int, ...], Look] | None = None
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
        return self._looked(at).bound(self.delta)

    def exceeds(self, at: Situation[Hypotheses], tolerance: float) -> bool:
        """Say whether that is more than ``tolerance``, by what was disputed before if it can."""
        before = self._disputed
        if before is None or before[0] == _key(at) or not at.space.population.mixing.sound:
            return self.error_bound(at) > tolerance
        still = before[1].still_exceeds(at, self.delta, tolerance)
        return still or self.error_bound(at) > tolerance

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

    def _looked(self, at: Situation[Hypotheses]) -> Look:
        """Return how the labels given now are disputed; counted once for these answers."""
        if self._disputed is None or self._disputed[0] != _key(at):
            sample = at.pool.sample(Purpose.PROMISES) if at.pool.is_large else None
            seen = look(at, sample, self._proofs.signs)
            if seen.rows is not None and seen.is_blind(self.delta, self.tolerance):
                seen = look(at, None)
            self._disputed = _key(at), seen
        return self._disputed[1]

    def _certify(
        self,
        at: Situation[Hypotheses],
        inferred: Mapping[int, int],
        factor: float | None,
        seconds: float,
    ) -> Certificate:
        state, seen = at.space.population.state, self._looked(at)
        by_hypothesis = seen.disputes.by_hypothesis
        self._prove(at, inferred, seconds)
        bound, expected = self.error_bound(at), float(by_hypothesis.mean() / len(seen.pool))
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
            undecidable=int(at.pool.zero_mask.sum()),
            expected_error=expected,
            credible_bound=bound,
            delta=self.delta,
            greedy_factor=factor,
            mixing=state.mixing,
            sampled=0 if seen.rows is None else len(seen.pool),
            sampling_error=seen.error,
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
        seen = self._looked(at)
        positive, _, by_example = seen.disputes
        inside = at.space.population.hypotheses().mean(axis=0)
        unanimous = np.flatnonzero((by_example == 0) & ~seen.pool.zero_mask)
        axis = inside / np.linalg.norm(inside)
        self._proofs.extend(seen.pool, cone, axis, unanimous, positive, seconds, seen.rows)


def _key(at: Situation[Hypotheses]) -> tuple[int, ...]:
    """Return what names the answers so far."""
    return (*at.space.key, at.n_answers)
