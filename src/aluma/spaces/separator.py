"""A version space known by its max-margin separator; hypotheses only when somebody looks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from aluma.arrays import Floats
from aluma.errors import Conflict
from aluma.geometry.feasibility import Infeasible
from aluma.geometry.max_margin import Separator
from aluma.geometry.walls import signed_units
from aluma.pool import Pool
from aluma.sampling.bulk import Latecomer
from aluma.sampling.population import VOTE, Population, Task
from aluma.scoring.hyperplane import lengths
from aluma.spaces.history import Event, learnt
from aluma.spaces.plain import STRICT_ADVICE
from aluma.spaces.space import Hypotheses


class SeparatorSpace(Hypotheses):
    """Answers kept consistent by their max-margin separator.

    The population of hypotheses is brought up to date only when it is looked at, so that a learner
    that neither asks nor predicts by it does not pay for it.
    """

    def __init__(self, pool: Pool, size: int, seed: int, sampler: str = "reflection") -> None:
        self.pool, self.size, self.seed, self.sampler = pool, size, seed, sampler
        self._walls: dict[bytes, int] = {}
        self._separator = Separator.without_walls(pool.dimension)
        self._population = self._fresh()
        self._late = Latecomer(self._population.state)

    def _fresh(self) -> Population:
        return Population(self.pool.dimension, self.size, self.seed, self.sampler)

    def __len__(self) -> int:
        """Return the number of walls: answers that are not implied by being equal to another."""
        return len(self._walls)

    @property
    def separator(self) -> Separator:
        """The max-margin separator of the answers so far."""
        return self._separator

    @cached_property
    def lengths(self) -> Floats:
        """The length of every example of the pool."""
        return lengths(self.pool)

    @property
    def is_current(self) -> bool:
        """Whether the population has taken all answers in already, so that looking is free."""
        return len(self._population.cone) == len(self._walls)

    @property
    def population(self) -> Population:
        """The hypotheses that agree with all answers so far."""
        if not self.is_current:
            normals = [np.frombuffer(name) for name in self._walls]
            self._population.restore(self._late.after(normals))
        return self._population

    def jury(self, task: Task = VOTE, most_times: int = 1) -> npt.NDArray[Any]:
        """Return the voters themselves: no question was chosen by them.

        The separator decides who is asked, and whether a label is settled is decided exactly,
        whoever is a witness to its being open.
        """
        del task
        return self.voters(most_times)

    def add(self, index: int, sign: int) -> None:
        """Take an answer in; one that makes no new wall changes nothing."""
        normal = signed_units(self.pool.rows([index]), sign)[0]
        if normal.tobytes() in self._walls:
            return
        try:
            self._separator = self._separator.with_wall(normal)
        except Infeasible as found:
            told = [*self._walls.values(), index]
            raise Conflict(tuple(told[i] for i in found.support), STRICT_ADVICE) from None
        self._walls[normal.tobytes()] = index

    def back_to(self, kept: Sequence[Event]) -> None:
        """Go back; the population catches up when somebody looks."""
        staying = {
            index for group in learnt(kept, self.pool.zero_mask) for index, _ in group.answers
        }
        self._walls = {name: i for name, i in self._walls.items() if i in staying}
        self._separator = self._separator.first(len(self._walls))
        self._late.forget(len(self._walls))
        self._population = self._fresh()

    def fork(self) -> Self:
        """Return an independent copy."""
        twin = super().fork()
        twin._population = self._population.fork()
        twin._walls = dict(self._walls)
        twin._late = self._late.fork()
        return twin
