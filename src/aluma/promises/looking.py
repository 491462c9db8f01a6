"""How the labels of a pool are disputed; what earlier answers have shown is not worked out again.

Answers only take hypotheses away, which has two consequences. A label that all halfspaces were
proven to give stays as it is: nobody needs to vote on it. And what was disputed before the last
answer mostly still is. To see that too much is disputed for a learner to have finished, it is
enough to look at that again: whatever the other examples hold could only add to it. Neither changes
a figure, or when a learner has finished.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from aluma.arrays import Ints
from aluma.pool import Pool
from aluma.pool.sample import Sample
from aluma.promises.certificate import quantile_bound
from aluma.promises.sampled import share_bound, standard_error
from aluma.scoring.disputes import Disputes
from aluma.spaces.situation import Situation
from aluma.spaces.space import Hypotheses

#: Examples that were disputed are looked at again, those disputed most first, until the disputes of
#: them were so many times what would be too many. An answer settles some.
TIMES_TOO_MANY = 1.25
#: They are at most this share of what was looked at, and so many: more are hardly worth it.
MOST_AGAIN, MOST_ROWS_AGAIN = 0.5, 2**14
#: Proven examples are left out if they are this share at least: to pick the others costs a copy.
WORTH_LEAVING_OUT = 0.25


@dataclass(frozen=True, eq=False)
class Look:
    """How labels are disputed: of all examples, or of a sample whose rows are given."""

    pool: Pool
    rows: Ints | None
    disputes: Disputes

    def bound(self, delta: float) -> float:
        """Return the share of all examples that a hypothesis disputes, except with delta."""
        return self._bound(self.disputes.by_hypothesis, delta)

    def is_blind(self, delta: float, tolerance: float) -> bool:
        """Say whether too few examples were looked at to say that hardly any is disputed."""
        none_seen = quantile_bound(self.disputes.by_hypothesis, delta / 2) == 0
        return none_seen and self.bound(delta) > tolerance

    @property
    def error(self) -> float:
        """The standard error of the mean share because only a sample was looked at, at most."""
        found = self.disputes.by_hypothesis
        return 0.0 if self.rows is None else standard_error(found, len(self.rows))

    def still_exceeds(self, at: Situation[Hypotheses], delta: float, tolerance: float) -> bool:
        """Say whether what was disputed here is, after more answers, disputed by too many.

        If it is, a look at everything would show more than ``tolerance`` to be disputed; if not, it
        may.
        """
        again = self._disputed_most(tolerance)
        if again is None or not at.space.settles:
            return False
        names = again if self.rows is None else self.rows[again]
        found = _counted(at, self.pool.picked(again), names).by_hypothesis
        # Of a sample without any dispute nothing follows: all examples would be looked at.
        seen = self.rows is None or quantile_bound(found, delta / 2) > 0
        return seen and self._bound(found, delta) > tolerance

    def _bound(self, by_hypothesis: Ints, delta: float) -> float:
        if self.rows is None:
            return quantile_bound(by_hypothesis, delta) / len(self.pool)
        return share_bound(by_hypothesis, len(self.rows), delta)

    def _disputed_most(self, tolerance: float) -> Ints | None:
        """Return the positions of examples that were disputed enough together; None if too many."""
        by_example, k = self.disputes.by_example, len(self.disputes.by_hypothesis)
        disputed = np.flatnonzero(by_example)
        disputed = disputed[np.argsort(-by_example[disputed], kind="stable")]
        too_many = TIMES_TOO_MANY * max(tolerance * len(self.pool), 1) * k
        enough = 1 + int(np.searchsorted(np.cumsum(by_example[disputed]), too_many))
        most = min(len(disputed), MOST_AGAIN * len(self.pool), MOST_ROWS_AGAIN)
        return np.sort(disputed[:enough]) if enough <= most else None


def look(
    at: Situation[Hypotheses], sample: Sample | None, proven: Mapping[int, int] | None = None
) -> Look:
    """Count how the labels given now are disputed, of all examples or of a sample.

    ``proven`` has signs, by example, that no hypothesis disputes.
    """
    if sample is None:
        return Look(at.pool, None, _counted(at, at.pool, None))
    left = np.flatnonzero(~np.isin(sample.rows, list(proven or ())))
    if len(left) > (1 - WORTH_LEAVING_OUT) * len(sample.rows) or not at.space.settles:
        return Look(sample.pool, sample.rows, _counted(at, sample.pool, sample.rows))
    found = _counted(at, sample.pool.picked(left), sample.rows[left])
    signs = proven or {}
    positive = np.array([signs.get(row, 0) > 0 for row in sample.rows.tolist()])
    positive[left] = found.positive
    by_example = np.zeros(len(sample.rows), dtype=np.int64)
    by_example[left] = found.by_example
    return Look(sample.pool, sample.rows, Disputes(positive, found.by_hypothesis, by_example))


def _counted(at: Situation[Hypotheses], pool: Pool, names: Ints | None) -> Disputes:
    """Count how the labels given to a pool are disputed; ``names`` has its rows in all of it."""
    labels = at.space.labelled(at.vote(pool))
    answered = at.answered if names is None else np.flatnonzero(np.isin(names, at.answered))
    return at.space.disputes(pool, labels, answered)
