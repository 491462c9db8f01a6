"""The credible promise: what most of the halfspaces agree on that agree with all answers.

It holds for targets drawn from the paper's prior P, uniform on the ball, given the answers; for
other targets only what is proven does.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from aluma.arrays import Ints
from aluma.pool import Pool
from aluma.pool.sample import Purpose, Sample
from aluma.promises.certificate import Certificate, quantile_bound
from aluma.promises.promise import Promise
from aluma.promises.proofs import PROOF_SECONDS, Proofs
from aluma.promises.sampled import share_bound, standard_error
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
            look = _look(at, at.pool.sample(Purpose.PROMISES) if at.pool.is_large else None)
            if look.rows is not None and look.is_blind(self.delta, self.tolerance):
                look = _look(at, None)
            self._disputed = _key(at), look
        return self._disputed[1]

    def _certify(
        self,
        at: Situation[Hypotheses],
        inferred: Mapping[int, int],
        factor: float | None,
        seconds: float,
    ) -> Certificate:
        state, look = at.space.population.state, self._looked(at)
        by_hypothesis = look.disputes.by_hypothesis
        self._prove(at, inferred, seconds)
        bound, expected = self.error_bound(at), float(by_hypothesis.mean() / len(look.pool))
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
            sampled=0 if look.rows is None else len(look.pool),
            sampling_error=look.error,
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
        look = self._looked(at)
        positive, _, by_example = look.disputes
        inside = at.space.population.hypotheses().mean(axis=0)
        unanimous = np.flatnonzero((by_example == 0) & ~look.pool.zero_mask)
        axis = inside / np.linalg.norm(inside)
        self._proofs.extend(look.pool, cone, axis, unanimous, positive, seconds, look.rows)


@dataclass(frozen=True, eq=False)
class Look:
    """How labels are disputed: of all examples, or of a sample whose rows are given."""

    pool: Pool
    rows: Ints | None
    disputes: Disputes

    def bound(self, delta: float) -> float:
        """Return the share of all examples that a hypothesis disputes, except with delta."""
        by_hypothesis = self.disputes.by_hypothesis
        if self.rows is None:
            return quantile_bound(by_hypothesis, delta) / len(self.pool)
        return share_bound(by_hypothesis, len(self.rows), delta)

    def is_blind(self, delta: float, tolerance: float) -> bool:
        """Say whether too few examples were looked at to say that hardly any is disputed."""
        none_seen = quantile_bound(self.disputes.by_hypothesis, delta / 2) == 0
        return none_seen and self.bound(delta) > tolerance

    @property
    def error(self) -> float:
        """The standard error of the mean share because only a sample was looked at, at most."""
        found = self.disputes.by_hypothesis
        return 0.0 if self.rows is None else standard_error(found, len(self.rows))


def _look(at: Situation[Hypotheses], sample: Sample | None) -> Look:
    """Count how the labels given now are disputed, of all examples or of a sample."""
    if sample is None:
        labels = at.space.labelled(at.vote(at.pool))
        return Look(at.pool, None, at.space.disputes(at.pool, labels, at.answered))
    labels = at.space.labelled(at.vote(sample.pool))
    answered = np.flatnonzero(np.isin(sample.rows, at.answered))
    return Look(sample.pool, sample.rows, at.space.disputes(sample.pool, labels, answered))


def _key(at: Situation[Hypotheses]) -> tuple[int, ...]:
    """Return what names the answers so far."""
    return (*at.space.key, at.n_answers)
