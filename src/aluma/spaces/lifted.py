"""The version space with slack: answers that no halfspace agrees with cost margin, not the run.

Algorithm 3 of the paper lifts every example into a space where it has a coordinate of its own. A
hypothesis is then a halfspace and one number for every answer (:mod:`aluma.representation.own`): no
answers contradict each other any more, and those that a halfspace disputes count against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints
from aluma.pool import Pool
from aluma.representation.lift import largest_norm
from aluma.representation.own import OwnCoordinates
from aluma.sampling.population import VOTE, Task
from aluma.scoring import Choice
from aluma.scoring.disputes import Disputes, soft_disputes
from aluma.scoring.large import in_sample
from aluma.scoring.soft import choose_soft, soft_shares
from aluma.spaces.history import Event
from aluma.spaces.plain import PlainSpace
from aluma.streams import OfState


class LiftedSpace(PlainSpace):
    """The exact version space of the lifted examples, for one slack H.

    It is a plain version space whose walls have one coordinate more with every answer. What is seen
    of it are halfspaces of the pool's space in units of the noise, so votes are probabilities.

    Parameters
    ----------
    pool, size, seed, sampler
        As for :class:`aluma.spaces.plain.PlainSpace`.
    slack : H, above 0
    longest : length of the longest example, if it is known already
    """

    #: Every unanswered example has a coordinate of its own: nothing about it is ever settled.
    settles: ClassVar[bool] = False

    def __init__(
        self,
        pool: Pool,
        size: int,
        seed: int,
        sampler: str = "reflection",
        *,
        slack: float,
        longest: float | None = None,
    ) -> None:
        self._own = OwnCoordinates(slack, largest_norm(pool) if longest is None else longest)
        super().__init__(pool, size, seed, sampler, slack=slack)

    def voters(self, most_times: int = 1) -> npt.NDArray[Any]:
        """Return halfspaces in units of the noise: Phi(<w, x>) is the chance of a + vote."""
        return self._halfspaces(super().voters(most_times))

    def glance(self, pool: Pool, rows: Ints) -> Floats:
        """Return the mean chance of a + vote for some rows, among some of the hypotheses."""
        return soft_shares(pool, self._halfspaces(self.population.some_voters()), rows)

    def shares(self, pool: Pool, most_times: int = 1) -> Floats:
        """Return the mean chance of a + vote; as chances vary less than votes, nobody is added."""
        del most_times
        return soft_shares(pool, self.voters())

    def jury(self, task: Task = VOTE, most_times: int = 1) -> npt.NDArray[Any]:
        """Return such halfspaces that no question was chosen by."""
        return self._halfspaces(super().jury(task, most_times))

    def vote(self, pool: Pool, most_times: int = 1) -> Floats:
        """Return the mean chance of a + vote among a jury."""
        del most_times
        return soft_shares(pool, self.jury())

    def split(
        self,
        voters: npt.NDArray[Any],
        eligible: Bools,
        *,
        alpha: float,
        effort: int = 1,
        settled: float = 0.0,
    ) -> Choice:
        """Return the example that splits the lifted hypotheses best.

        See :func:`aluma.scoring.soft.choose_soft`. It has no ``effort`` to spare, and with slack no
        pool is ever ``settled``. Of a large pool, its sample is looked at.
        """
        del effort, settled
        rng = self.rng(OfState.SPLIT)
        seen, open_, rows = in_sample(self.pool, eligible, rng)
        return choose_soft(seen, voters, open_, rng, alpha=alpha).named(rows)

    def leaning(self, pool: Pool, most_times: int = 1) -> Floats:
        """Return the mean chance of a + vote."""
        return self.vote(pool, most_times)

    def disputes(self, pool: Pool, positive: npt.NDArray[Any], answered: Ints) -> Disputes:
        """Count how lifted hypotheses that no question was chosen by dispute a labelling."""
        drawn = self._halfspaces(self.population.independent(0))
        rng = self.rng(OfState.OWN_NUMBERS)
        return soft_disputes(pool, positive, drawn, answered, rng)

    def doubts(self, history: Sequence[Event]) -> Floats:
        """Return the share of halfspaces that dispute each answer, in order of telling."""
        told = [event for event in history if event.sign]
        if not told:
            return np.zeros(0)
        signs = np.array([event.sign for event in told])
        margins = self.pool.margins(self.voters(), np.array([event.index for event in told]))
        return np.asarray((margins * signs[:, None] < 0).mean(axis=1))

    def _halfspaces(self, hypotheses: npt.NDArray[Any]) -> Floats:
        rng = self.rng(OfState.LENGTHS)
        return self._own.halfspaces(hypotheses, self.pool.dimension, rng)

    def _wall(self, index: int, sign: int) -> Floats:
        wall = sign * self._own.wall(self.pool.rows([index])[0], len(self._walls))
        return np.asarray(wall / np.linalg.norm(wall))

    def _wall_names(self, walls: Floats) -> list[bytes]:
        # A wall has since been padded by the coordinates of later answers.
        first = self.pool.dimension + 1
        return [wall[: first + place].tobytes() for place, wall in enumerate(walls)]
