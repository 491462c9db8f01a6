"""The stopping rule of learners with an audited promise: when a check was passed."""

from __future__ import annotations

from typing import Any, ClassVar

from aluma.promises.promise import Promise
from aluma.promises.stopping import Limits, Stopping
from aluma.spaces.situation import Situation


class Passed(Stopping):
    """When at most ``tolerance`` of the labels is wrong, as far as is promised, and was checked.

    Before checks begin, the promised share is all that nobody has answered.
    """

    judges_labels: ClassVar[bool] = True

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    def finished(self, at: Situation[Any], promise: Promise[Any]) -> bool:
        """Say whether the promised bound has come down to tolerance."""
        return promise.error_bound(at) <= self.limits.tolerance
