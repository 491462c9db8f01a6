"""Learners whose answers are kept consistent by their max-margin separator."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from aluma.arrays import Floats
from aluma.errors import Conflict
from aluma.geometry.feasibility import Infeasible
from aluma.geometry.max_margin import Separator
from aluma.learners.certified import CertifiedLearner
from aluma.learners.hypotheses import check_rule
from aluma.pool import Pool
from aluma.promises.certificate import Proofs
from aluma.sampling.bulk import Latecomer
from aluma.sampling.population import Population
from aluma.scoring.hyperplane import lengths, sides
from aluma.spaces.history import Event
from aluma.spaces.version_space import signed_units


class SeparatorLearner(CertifiedLearner):
    """A learner whose answers are kept consistent by their max-margin separator.

    The population of hypotheses is brought up to date only when it is looked at, so that a learner
    that neither asks nor predicts by it does not pay for it.
    """

    #: How labels can be predicted.
    RULES: ClassVar[tuple[str, ...]] = ("svm", "vote", "random")

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        bias: bool = False,
        kernel: Any = None,
        budget: int | None = None,
        predict_with: str,
        n_hypotheses: int = 1000,
        delta: float = 0.05,
        random_state: Any = 0,
    ) -> None:
        check_rule(predict_with, self.RULES)
        super().__init__(
            X,
            classes=classes,
            bias=bias,
            kernel=kernel,
            budget=budget,
            n_hypotheses=n_hypotheses,
            delta=delta,
            random_state=random_state,
        )
        self.predict_with = predict_with
        self._separator = Separator.without_walls(self.pool.dimension)
        self._late = Latecomer(self._population.state)

    @property
    def separator(self) -> Separator:
        """The max-margin separator of the answers so far."""
        return self._separator

    @property
    def population(self) -> Population:
        """The hypotheses that agree with all answers so far."""
        if len(self._population.cone) != len(self._walls):
            normals = [np.frombuffer(name) for name in self._walls]
            self._population.restore(self._late.after(normals))
        return self._population

    def fork(self) -> Self:
        """Return an independent copy."""
        twin = super().fork()
        twin._late = self._late.fork()
        return twin

    @cached_property
    def _sizes(self) -> Floats:
        return lengths(self.pool)

    def _absorb(self, index: int, sign: int) -> None:
        # Adding 0 turns -0.0 into 0.0: x with + and -x with - are one wall.
        normal = signed_units(self.pool.rows([index]), sign)[0] + 0.0
        if normal.tobytes() in self._walls:
            return
        try:
            self._separator = self._separator.with_wall(normal)
        except Infeasible as found:
            told = [*self._walls.values(), index]
            raise Conflict(tuple(told[i] for i in found.support), self.advice) from None
        self._walls[normal.tobytes()] = index

    def _release(self, kept: Sequence[Event]) -> None:
        self._proofs = Proofs()
        staying = {event.index for event in kept if event.sign}
        self._walls = {name: i for name, i in self._walls.items() if i in staying}
        self._separator = self._separator.first(len(self._walls))
        self._late.forget(len(self._walls))
        self._population = Population(self.pool.dimension, self.n_hypotheses, self.seed)

    def _positive_shares(self, pool: Pool) -> Floats:
        if self.predict_with != "svm":
            return self._votes(pool, self.predict_with)
        sizes = self._sizes if pool is self.pool else lengths(pool)
        return sides(pool, self._separator.direction, sizes)
