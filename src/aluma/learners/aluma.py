"""ALuMA: ask about the example that splits the version space most evenly, label by majority vote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aluma import scoring
from aluma.arrays import Bools, Floats, Ints, positive_integer
from aluma.feasibility import Infeasible
from aluma.learners.base import Event, Learner
from aluma.pool import Pool
from aluma.sampling.blocks import entropy, streams
from aluma.sampling.population import Population
from aluma.version_space import Conflict, signed_units

ADVICE = "Check them and change() the wrong one, undo() the last, or allow for noise with slack."


class VersionSpaceLearner(Learner):
    """A learner that keeps a population of hypotheses uniform on the version space."""

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        bias: bool = False,
        budget: int | None = None,
        n_hypotheses: int = 1000,
        random_state: Any = 0,
    ) -> None:
        super().__init__(X, classes=classes, bias=bias, budget=budget)
        size = positive_integer(n_hypotheses, "n_hypotheses")
        self.n_hypotheses, self.seed = size, entropy(random_state)
        self._population = Population(self.pool.dimension, size, self.seed)
        self._walls: dict[bytes, int] = {}

    @property
    def population(self) -> Population:
        """The hypotheses that agree with all answers so far."""
        return self._population

    def fork(self):  # type: ignore[no-untyped-def]
        """Return an independent copy; the populations share their arrays."""
        twin = super().fork()
        twin._population = self._population.fork()
        twin._walls = dict(self._walls)
        return twin

    def _absorb(self, index: int, sign: int) -> None:
        normal = signed_units(self.pool.rows([index]), sign)[0]
        if normal.tobytes() in self._walls:
            return
        try:
            self._population.add(normal)
        except Infeasible as found:
            told = [*self._walls.values(), index]
            raise Conflict(tuple(told[i] for i in found.support), ADVICE) from None
        self._walls[normal.tobytes()] = index

    def _release(self, kept: Sequence[Event]) -> None:
        staying = {event.index for event in kept if event.sign}
        names = [name for name, index in self._walls.items() if index in staying]
        for _ in range(len(self._walls) - len(names)):
            try:
                self._population.undo()
            except LookupError:
                self._population = Population(self.pool.dimension, self.n_hypotheses, self.seed)
                for name in names:
                    self._population.add(np.frombuffer(name))
                break
        self._walls = {name: self._walls[name] for name in names}

    def _positive_shares(self, pool: Pool) -> Floats:
        return scoring.vote_shares(pool, self._population.hypotheses())

    def _rng(self, purpose: int) -> np.random.Generator:
        """Return a generator keyed by the seed and the answers, for one purpose."""
        return streams((*self._population.state.key, 100, purpose), 1)[0]


class ALuMA(VersionSpaceLearner):
    """The aggressive learner of the paper (Algorithms 1 and 2).

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.base.Learner`.
    n_hypotheses : int
        Size of the population that splits are estimated and labels voted with.
    alpha : float
        Of all examples whose split is within this factor of the best, the one is asked that leaves
        the least expected disagreement over the pool. 1 is the paper's algorithm.
    """

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        bias: bool = False,
        budget: int | None = None,
        n_hypotheses: int = 1000,
        alpha: float = 1.05,
        random_state: Any = 0,
    ) -> None:
        super().__init__(
            X,
            classes=classes,
            bias=bias,
            budget=budget,
            n_hypotheses=n_hypotheses,
            random_state=random_state,
        )
        if not alpha >= 1:
            raise ValueError(f"alpha must be at least 1, got {alpha}.")
        self.alpha = float(alpha)

    def _choose(self, eligible: Bools) -> int:
        hypotheses = self._population.hypotheses()
        choice = scoring.choose(self.pool, hypotheses, eligible, self._rng(0), alpha=self.alpha)
        return choice.index

    def _choose_batch(self, eligible: Bools, n: int) -> Ints:
        hypotheses = self._population.hypotheses()
        return scoring.choose_batch(
            self.pool, hypotheses, eligible, n, self._rng(1), alpha=self.alpha
        )
