"""The version space itself: all halfspaces that agree with every answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from aluma.arrays import Floats
from aluma.errors import Conflict
from aluma.geometry.feasibility import Infeasible
from aluma.geometry.walls import signed_units
from aluma.pool import Pool
from aluma.sampling.bulk import GROUP
from aluma.sampling.population import MANY, UNDO_BYTES, Population
from aluma.spaces.history import Event
from aluma.spaces.space import Retraceable, Standing, Watch, unwatched

#: What to do about a contradiction, for learners that allow for slack.
ADVICE = "Check them and change() the wrong one, undo() the last, or allow for noise with slack."
#: And for those that do not.
STRICT_ADVICE = (
    "Check them and change() the wrong one, or undo() the last; to allow for noise, use ALuMA or "
    "ActiveClassifier with slack."
)


class PlainSpace(Retraceable):
    """Hypotheses uniform on the version space; every answer is absorbed when it comes.

    Parameters
    ----------
    pool : the points that halfspaces divide
    size, seed, sampler : of the population
    slack : what the points themselves allow for, if they were lifted and projected (Algorithm 3)
    advice : what a Conflict says about going on
    """

    def __init__(
        self,
        pool: Pool,
        size: int,
        seed: int,
        sampler: str = "reflection",
        *,
        slack: float = 0.0,
        advice: str = STRICT_ADVICE,
    ) -> None:
        self.pool, self.size, self.seed, self.sampler = pool, size, seed, sampler
        self._slack, self._advice = slack, advice
        self._begin()

    def _begin(self) -> None:
        self._population = Population(self.pool.dimension, self.size, self.seed, self.sampler)
        #: Where the walls of the cone come from: their bits when they were added, and the example.
        self._walls: dict[bytes, int] = {}

    @property
    def population(self) -> Population:
        """The hypotheses that agree with all answers so far."""
        return self._population

    @property
    def allowed_slack(self) -> float:
        """What the points themselves allow for."""
        return self._slack

    def add(self, index: int, sign: int) -> None:
        """Take an answer in; one that makes no new wall changes nothing."""
        normal = self._wall(index, sign)
        if normal.tobytes() in self._walls:
            return
        try:
            self._population.add(normal)
        except Infeasible as found:
            told = [*self._walls.values(), index]
            raise Conflict(tuple(told[i] for i in found.support), self._advice) from None
        self._population.forget_steps(UNDO_BYTES)
        self._walls[normal.tobytes()] = index

    def add_many(self, answers: Sequence[tuple[int, int]], watch: Watch = unwatched) -> None:
        """Take answers in, some of them at a time; there are no steps back from there.

        Many of them, more than there were, are taken in at once.
        """
        together = max(MANY, len(self._walls)) <= len(answers)
        size = len(answers) if together else GROUP
        for start in range(0, len(answers), size):
            fresh: list[Floats] = []
            for index, sign in answers[start : start + size]:
                normal = self._wall(index, sign)
                if normal.tobytes() not in self._walls:
                    self._walls[normal.tobytes()] = index
                    fresh.append(normal)
            try:
                if fresh:
                    self._population.add_many(fresh)
            except Infeasible as found:
                told = list(self._walls.values())
                raise Conflict(tuple(told[i] for i in found.support), self._advice) from None
            self.forget_steps()
            watch(min(start + size, len(answers)))

    def _step_back(self) -> None:
        self._population.undo()
        self._walls.popitem()

    def fork(self) -> Self:
        """Return an independent copy; the populations share their arrays."""
        twin = super().fork()
        twin._population = self._population.fork()
        twin._walls = dict(self._walls)
        return twin

    @property
    def wall_examples(self) -> tuple[int, ...]:
        """The examples that the walls of the cone come from, in order."""
        return tuple(self._walls.values())

    @property
    def standing(self) -> Standing | None:
        """Where the answers have led."""
        return Standing(self._population.state, self.wall_examples, self.allowed_slack, None)

    def restore(self, standing: Standing, history: Sequence[Event]) -> None:
        """Go on where another stood; what was undoable is forgotten."""
        del history
        self._population.restore(standing.state)
        names = self._wall_names(standing.state.cone.walls)
        self._walls = dict(zip(names, standing.examples, strict=True))

    def forget_steps(self) -> None:
        """Keep nothing to step back to: from here on, going back absorbs answers anew."""
        self._population.restore(self._population.state)

    def _wall(self, index: int, sign: int) -> Floats:
        """Return an answer as the unit normal that consistent hypotheses are in front of."""
        return np.asarray(signed_units(self.pool.rows([index]), sign)[0])

    def _wall_names(self, walls: Floats) -> list[bytes]:
        """Return what the walls of a population are known by: their bits when they were added."""
        return [wall.tobytes() for wall in walls]
