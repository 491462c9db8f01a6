"""Slack when it is needed, for more than two classes.

When and how much is asked of the pairs of classes: a hypothesis of K classes that agrees with all
answers has a halfspace for every pair that agrees with those of the two, and of K numbers that an
example has to itself, those of two differ as in the paper's lifted space.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, Shares, Singles
from aluma.errors import Conflict
from aluma.geometry.cone import Cone
from aluma.geometry.feasibility import Infeasible, interior_point
from aluma.geometry.walls import signed_units
from aluma.pool import Pool
from aluma.representation.bias import bias_share
from aluma.representation.noise import CANDIDATES, chosen, slack_by_checks
from aluma.representation.slack import smallest_slack
from aluma.scoring import Choice
from aluma.spaces.loosening import SLACK_GROWTH, LooseningSpace
from aluma.spaces.many import ManySpace
from aluma.spaces.plain import ADVICE
from aluma.spaces.space import Retraceable, Watch, unwatched

#: The least slack that is allowed for, where classes contradict each other but no two of them do.
LEAST_SLACK = 4.0**-4

#: Examples and what they were told as; places among them, with the sign within a pair of classes.
Answers: TypeAlias = Sequence[tuple[int, int]]
Pair: TypeAlias = Sequence[tuple[int, int]]


class LooseningManySpace(LooseningSpace):
    """No slack until answers contradict each other, then what the pairs of classes need.

    Parameters
    ----------
    pool, classes, size, seed, sampler
        As for :class:`aluma.spaces.many.ManySpace`.
    margin : as for :class:`aluma.spaces.loosening.LooseningSpace`
    share : as for :class:`aluma.spaces.many.ManySpace`
    """

    def __init__(
        self,
        pool: Pool,
        classes: int,
        size: int,
        seed: int,
        sampler: str = "reflection",
        *,
        margin: float | None = None,
        share: float | None = None,
    ) -> None:
        self.classes, self._share = classes, bias_share(pool) if share is None else share
        super().__init__(pool, size, seed, sampler, margin=margin)

    _inner: ManySpace

    def nearest(self, eligible: Bools) -> Choice | None:
        """Return the example nearest to a tie, if it is late."""
        return self._inner.nearest(eligible)

    def fitted(self, pool: Pool, noise: float) -> Singles:
        """Return products of a pool with the likeliest weights, (n, K) in units of the noise."""
        return self._inner.fitted(pool, noise)

    def labelled(self, shares: Shares) -> Ints:
        """Return the class with most votes."""
        return self._inner.labelled(shares)

    def batch(
        self, voters: npt.NDArray[Any], eligible: Bools, n: int, *, alpha: float, first: int
    ) -> Ints:
        """Return n examples that split the hypotheses jointly, the given one first.

        If it is late, they are some of those that a late question could be about.
        """
        return self._inner.batch(voters, eligible, n, alpha=alpha, first=first)

    def _check_together(self, told: Answers) -> None:
        """Find a contradiction between two classes beforehand; there may be others."""
        if self.allowed_slack == 0:
            for pair in _pairs(told):
                rows, signs = self._told_as(pair, told)
                normals = np.asarray(signed_units(rows, signs))
                try:
                    interior_point(Cone.whole(self.pool.dimension).with_walls(normals))
                except Infeasible as found:
                    places = [pair[i][0] for i in found.support]
                    raise Conflict(tuple(told[i][0] for i in places), ADVICE) from None

    def _loosened(self, told: Answers, watch: Watch = unwatched) -> Retraceable | None:
        needed = LEAST_SLACK if self.allowed_slack == 0 else 0.0
        for pair in _pairs(told):
            rows, signs = self._told_as(pair, told)
            fit = smallest_slack(rows * (signs / self._length())[:, None], self.margin)
            needed = max(needed, fit.slack)
        if needed <= SLACK_GROWTH * self.allowed_slack:
            return None
        return self._taken_in(told, needed, watch)

    def _called_for(self, answers: Answers) -> float:
        """Return the slack that checks call for: their likelihoods are those of all pairs."""
        now, told = self.allowed_slack, [*self._told, *answers]
        candidates = (now, *(slack for slack in CANDIDATES if slack > 0 and slack != now))
        likelihood = dict.fromkeys(candidates, 0.0)
        evidence = dict.fromkeys(candidates, 0.0)
        for pair in _pairs(told):
            checks = [place for place in pair if place[0] >= len(self._told)]
            if not checks:
                continue
            before = [place for place in pair if place[0] < len(self._told)]
            learnt_from, checked = self._told_as(before, told), self._told_as(checks, told)
            found = slack_by_checks(*learnt_from, *checked, self._length(), candidates)
            for slack in candidates:
                likelihood[slack] += found.log_likelihoods[slack]
                evidence[slack] += found.log_evidences.get(slack, 0.0)
        return chosen(now, likelihood, evidence)

    def _told_as(self, pair: Pair, told: Answers) -> tuple[Floats, Ints]:
        """Return the examples of a pair of classes, and their signs."""
        rows = self.pool.rows([told[place][0] for place, _ in pair])
        if self.pool.bias:
            rows[:, -1] *= self._share
        return rows, np.array([sign for _, sign in pair], dtype=np.int64)

    def _with_slack(self, slack: float) -> ManySpace:
        longest = self._length() if slack else None
        settings = (self.pool, self.classes, self.size, self.seed, self.sampler)
        return ManySpace(*settings, slack=slack, longest=longest, share=self._share)


def _pairs(told: Answers) -> Iterator[Pair]:
    """Yield, for every two classes, the places of their answers, with the signs -1 and +1."""
    signs = [sign for _, sign in told]
    for first, second in combinations(sorted(set(signs)), 2):
        yield [
            (place, 1 if sign == second else -1)
            for place, sign in enumerate(signs)
            if sign in (first, second)
        ]
