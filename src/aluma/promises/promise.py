"""What is promised about the labels of a learner, in the abstract."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, Self

from aluma.errors import OutOfReach
from aluma.promises.audit import Audit
from aluma.promises.certificate import Certificate
from aluma.spaces.situation import S, Situation


class Promise(ABC, Generic[S]):
    """Says how good the labels are, and under which assumption."""

    #: Whether there is a certificate at all.
    certifies: ClassVar[bool] = True
    #: Whether labels are checked at random: what is promised then holds whatever the data are.
    audits: ClassVar[bool] = False

    @abstractmethod
    def certificate(
        self,
        at: Situation[S],
        inferred: Mapping[int, int],
        factor: float | None,
        proof_seconds: float | None,
    ) -> Certificate:
        """Return what can be promised now.

        Parameters
        ----------
        at : the learner
        inferred : signs, by example, that the strategy has proven on its way
        factor : greedy factor that holds for every question so far, or None
        proof_seconds : time for proving labels, or None for the usual
        """

    @abstractmethod
    def error_bound(self, at: Situation[S]) -> float:
        """Return the share of the pool that is wrong at most, as far as is promised."""

    def exceeds(self, at: Situation[S], tolerance: float) -> bool:
        """Say whether that is more than ``tolerance``; it may take less to tell."""
        return self.error_bound(at) > tolerance

    # -- checks at random: none, unless a promise says otherwise -------------------------------

    def audit(self, at: Situation[S]) -> Audit | None:
        """Return the audit of the labels that goes on or was passed, or None."""
        del at
        return None

    def gives_up(self, at: Situation[S]) -> bool:
        """Say whether the audit that goes on ends here: its checks are then learnt from."""
        del at
        return False

    def only_class(self, at: Situation[S]) -> int:
        """Return the sign that all labels have until another class is told, or 0."""
        del at
        return 0

    def out_of_reach(self, at: Situation[S]) -> OutOfReach | None:
        """Return why the goal cannot be reached, or None while it may."""
        del at
        return None

    @property
    def proven(self) -> Mapping[int, int]:
        """Signs, by example, that a certificate has proven."""
        return {}

    def take_proofs(self, earlier: Promise[Any]) -> None:
        """Take over what another proved with some of the same answers."""

    def went_back(self) -> None:
        """Forget what was worked out: answers have been taken back."""

    @abstractmethod
    def fork(self) -> Self:
        """Return an independent copy."""


class NoPromise(Promise[Any]):
    """For learners about whose labels nothing can be said; ``why`` says what to use instead."""

    certifies: ClassVar[bool] = False

    def __init__(self, why: str) -> None:
        self.why = why

    def certificate(
        self,
        at: Situation[Any],
        inferred: Mapping[int, int],
        factor: float | None,
        proof_seconds: float | None,
    ) -> Certificate:
        """Refuse."""
        raise NotImplementedError(self.why)

    def error_bound(self, at: Situation[Any]) -> float:
        """Return that anything may be wrong."""
        return 1.0

    def fork(self) -> Self:
        """Return itself: nothing is kept."""
        return self


def no_version_space(name: str) -> NoPromise:
    """Return the promise of a learner that keeps no version space."""
    return NoPromise(
        f"{name} keeps no version space, so nothing can be promised about its labels: use ALuMA, "
        "or another learner that votes, for a certificate."
    )
