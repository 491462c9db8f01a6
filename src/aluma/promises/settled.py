"""The stopping rule of ALuMA: when what is promised is enough."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from aluma.promises.promise import Promise
from aluma.promises.stopping import Limits, Stopping
from aluma.spaces.situation import Situation


class Settled(Stopping):
    """When the promised share of wrong labels is at most ``tolerance``.

    Nothing needs to be proven for it. With ``slack="auto"`` a pool that seems settled is put to the
    test first, see :class:`aluma.spaces.loosening.LooseningSpace`.
    """

    judges_labels: ClassVar[bool] = True

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    def finished(self, at: Situation[Any], promise: Promise[Any]) -> bool:
        """Say whether the rest of the pool is settled."""
        if not at.eligible.any():
            return True
        if len(set(at.signs.tolist())) < 2 or at.space.untested:
            # Answers of one class say nothing of where the other begins: a pool in a narrow cone
            # looks settled after two of them.
            return False
        return not (self._clearly_contested(at) or promise.exceeds(at, self.limits.tolerance))

    def _clearly_contested(self, at: Situation[Any]) -> bool:
        """Say whether the next question alone shows that the pool is not settled yet.

        A single example on which more than delta of the hypotheses are in the minority does, so
        disputes are counted only near the end.
        """
        limits = self.limits
        if at.spent or not limits.questions_are_cheap or limits.tolerance * len(at.pool) >= 1:
            return False
        question = at.next_question()
        share = question.positive if question is not None and question.positive else 0.0
        doubt = 3 * np.sqrt(limits.delta / at.space.size)
        return bool(min(share, 1 - share) > limits.delta + doubt)
