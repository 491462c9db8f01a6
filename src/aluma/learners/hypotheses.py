"""Learners that keep hypotheses drawn uniformly from the version space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from aluma import scoring
from aluma.arrays import Floats, positive_integer
from aluma.errors import Conflict
from aluma.geometry.feasibility import Infeasible
from aluma.learners.learner import Learner
from aluma.pool import Pool
from aluma.representation.view import View
from aluma.sampling.population import Population
from aluma.spaces.history import Event
from aluma.spaces.version_space import signed_units
from aluma.streams import entropy, streams

#: What to do about a contradiction, for learners that allow for slack.
ADVICE = "Check them and change() the wrong one, undo() the last, or allow for noise with slack."
#: And for those that do not.
STRICT_ADVICE = (
    "Check them and change() the wrong one, or undo() the last; to allow for noise, use ALuMA or "
    "ActiveClassifier with slack."
)


def check_rule(rule: str, rules: Sequence[str]) -> None:
    """Refuse a way of predicting that a learner does not have."""
    if rule not in rules:
        raise ValueError(f"predict_with must be one of {', '.join(rules)}, got {rule!r}.")


class VersionSpaceLearner(Learner):
    """A learner that keeps a population of hypotheses uniform on the version space.

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.learner.Learner`.
    kernel : str, callable, dict or None
        Consider halfspaces of a Mercer kernel's features instead of the columns: "rbf", "poly",
        "cosine", "linear", "precomputed" (X is then the kernel matrix), a function, or a dict such
        as ``{"name": "rbf", "gamma": 0.5}``; see :class:`aluma.representation.Kernel`.
    n_hypotheses : int
        Size of the population.
    """

    #: What a Conflict says about going on.
    advice: ClassVar[str] = STRICT_ADVICE

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        bias: bool = False,
        kernel: Any = None,
        budget: int | None = None,
        n_hypotheses: int = 1000,
        random_state: Any = 0,
    ) -> None:
        size = positive_integer(n_hypotheses, "n_hypotheses")
        self.n_hypotheses, self.seed = size, entropy(random_state)
        view = View.of(X, bias=bias, kernel=kernel, seed=self.seed)
        super().__init__(view, classes=classes, budget=budget)
        self._population = Population(self.pool.dimension, size, self.seed)
        self._walls: dict[bytes, int] = {}

    @property
    def population(self) -> Population:
        """The hypotheses that agree with all answers so far."""
        return self._population

    def fork(self) -> Self:
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
            raise Conflict(tuple(told[i] for i in found.support), self.advice) from None
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
        return self._votes(pool, "vote")

    def _votes(self, pool: Pool, rule: str) -> Floats:
        """Return shares of + votes: of all hypotheses or, by the rule "random", of one of them.

        Hypotheses are exchangeable, so the first is as random as any; it stays until the next
        answer.
        """
        hypotheses = self.population.voters()
        return scoring.vote_shares(pool, hypotheses[:1] if rule == "random" else hypotheses)

    def _rng(self, purpose: int) -> np.random.Generator:
        """Return a generator keyed by the seed and the answers, for one purpose."""
        return streams((*self._population.state.key, 100, purpose), 1)[0]
