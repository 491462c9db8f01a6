"""Slack when it is needed: a plain version space until answers contradict each other."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints
from aluma.errors import Conflict, Undecided
from aluma.pool import Pool
from aluma.representation.lift import largest_norm
from aluma.representation.slack import smallest_slack
from aluma.sampling.population import Population
from aluma.scoring import Choice
from aluma.scoring.disputes import Disputes
from aluma.spaces.history import Event, learnt
from aluma.spaces.lifted import LiftedSpace
from aluma.spaces.plain import ADVICE, PlainSpace
from aluma.spaces.space import Hypotheses, Standing

logger = logging.getLogger(__name__)

#: The margin gamma that slack is measured at, where the user states none.
MARGIN = 0.02
#: More slack is allowed for when the answers need more than this many times what is allowed.
SLACK_GROWTH = 2.0
#: Answers in a row that must be as nearly every hypothesis expected before a pool without slack may
#: count as settled. If a tenth of a pool contradicts the rest, ten random questions meet some of it
#: two times in three; the questions asked are about less clear examples than random ones.
TESTS = 10


class LooseningSpace(Hypotheses):
    """No slack until answers contradict each other, then the smallest that they need.

    When answers contradict each other, or leave a version space too thin to explore, all of them
    are taken in again by a lifted space; and again when they need twice the slack.

    Parameters
    ----------
    pool, size, seed, sampler
        As for :class:`aluma.spaces.plain.PlainSpace`.
    margin : gamma, for examples divided by the length of the longest, or None for the default
    """

    def __init__(
        self,
        pool: Pool,
        size: int,
        seed: int,
        sampler: str = "reflection",
        *,
        margin: float | None = None,
    ) -> None:
        self.pool, self.size, self.seed, self.sampler = pool, size, seed, sampler
        self.margin = margin or MARGIN
        self._longest: float | None = None
        self._begin()

    def _begin(self) -> None:
        self._inner = self._with_slack(0.0)
        self._told: list[tuple[int, int]] = []
        self._conflict: Conflict | None = None

    # -- taking answers ------------------------------------------------------------------------

    def add(self, index: int, sign: int) -> None:
        """Take an answer in, with more slack if it needs that."""
        told = [*self._told, (index, sign)]
        inner = self._inner.fork()
        try:
            inner.add(index, sign)
        except (Conflict, Undecided) as found:
            looser = self._loosened(told)
            if looser is None:
                raise
            logger.warning(
                "%s A slack of %.2g is allowed for from now on", found, looser.allowed_slack
            )
            self._inner, self._told = looser, told
            self._conflict = found if isinstance(found, Conflict) else None
            return
        if inner.allowed_slack > 0:
            inner = self._loosened(told) or inner
        self._inner, self._told = inner, told

    def back_to(self, kept: Sequence[Event]) -> None:
        """Step back, or start again without slack and take in those answers that stay."""
        if self.can_step_back(kept):
            self._inner.back_to(kept)
            self._told = self._answers(kept)
            return
        self._begin()
        self.take_in(learnt(kept, self.pool.is_zero))

    def can_step_back(self, kept: Sequence[Event]) -> bool:
        """Say whether the space that is used now remembers that far back."""
        return self._inner.can_step_back(kept)

    def fork(self) -> Self:
        """Return an independent copy."""
        twin = super().fork()
        twin._inner = self._inner.fork()
        return twin

    def _loosened(self, told: Sequence[tuple[int, int]]) -> PlainSpace | None:
        """Return a space that has taken all answers with the slack they need; None if enough."""
        indices, signs = np.array(told).T
        rows = self.pool.rows(indices) * (signs / self._length())[:, None]
        needed = smallest_slack(rows, self.margin).slack
        if needed <= SLACK_GROWTH * self.allowed_slack:
            return None
        looser = self._with_slack(needed)
        for index, sign in told:
            looser.add(index, sign)
        # Steps back from here would lead to answers that needed no slack, or less.
        looser.forget_steps()
        return looser

    def _with_slack(self, slack: float) -> PlainSpace:
        settings = (self.pool, self.size, self.seed, self.sampler)
        if slack == 0:
            return PlainSpace(*settings, advice=ADVICE)
        return LiftedSpace(*settings, slack=slack, longest=self._length())

    def _answers(self, events: Sequence[Event]) -> list[tuple[int, int]]:
        """Return the answers that were learnt from, in order."""
        groups = learnt(events, self.pool.is_zero)
        return [answer for group in groups for answer in group.answers]

    def _length(self) -> float:
        """Return the length of the longest example, which takes a pass through the pool."""
        if self._longest is None:
            self._longest = largest_norm(self.pool)
        return self._longest

    # -- what the space that is used now says --------------------------------------------------

    @property
    def settles(self) -> bool:  # type: ignore[override]
        """Whether answers can settle other labels: until there is slack."""
        return self._inner.settles

    @property
    def population(self) -> Population:
        """The hypotheses of the space that is used now."""
        return self._inner.population

    @property
    def allowed_slack(self) -> float:
        """The slack that is allowed for now."""
        return self._inner.allowed_slack

    @property
    def conflict(self) -> Conflict | None:
        """The first contradiction that slack had to be allowed for."""
        return self._conflict

    @property
    def untested(self) -> bool:
        """Whether too few answers were put to the test to say that a halfspace separates them.

        If none does, answers that nearly every hypothesis expects are where that shows.
        """
        return self.allowed_slack == 0 and self.population.state.expected < TESTS

    def doubts(self, history: Sequence[Event]) -> Floats:
        """Return the share of halfspaces that dispute each answer, in order of telling."""
        return self._inner.doubts(history)

    def voters(self, most_times: int = 1) -> npt.NDArray[Any]:
        """Return the halfspaces that vote on examples."""
        return self._inner.voters(most_times)

    def shares(self, pool: Pool, most_times: int = 1) -> Floats:
        """Return the share of + votes for each example of a pool."""
        return self._inner.shares(pool, most_times)

    def split(
        self,
        voters: npt.NDArray[Any],
        eligible: Bools,
        *,
        alpha: float,
        effort: int = 1,
        settled: float = 0.0,
    ) -> Choice:
        """Return the example that splits the voters best."""
        return self._inner.split(voters, eligible, alpha=alpha, effort=effort, settled=settled)

    def disputes(self, positive: Bools, answered: Ints) -> Disputes:
        """Count how hypotheses that no question was chosen by dispute a labelling."""
        return self._inner.disputes(positive, answered)

    # -- standing in a file --------------------------------------------------------------------

    @property
    def standing(self) -> Standing | None:
        """Where the answers have led, and what made slack necessary."""
        state, examples = self.population.state, self._inner.wall_examples
        conflict = None if self._conflict is None else self._conflict.indices
        return Standing(state, examples, self.allowed_slack, conflict)

    def restore(self, standing: Standing, history: Sequence[Event]) -> None:
        """Go on where another stood; what was undoable is forgotten."""
        self._inner = self._with_slack(standing.slack)
        self._inner.restore(standing, history)
        self._told = self._answers(history)
        conflict = standing.conflict
        self._conflict = None if conflict is None else Conflict(conflict, ADVICE)
