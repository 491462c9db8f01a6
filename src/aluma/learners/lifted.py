"""Learners that allow for slack: answers that no halfspace agrees with cost margin, not the run."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from aluma.arrays import Floats, is_number, positive_integer
from aluma.errors import Conflict, Undecided
from aluma.learners.hypotheses import ADVICE, VersionSpaceLearner
from aluma.pool import Pool
from aluma.representation.lift import checked_slack, largest_norm
from aluma.representation.own import OwnCoordinates, soft_shares
from aluma.representation.slack import smallest_slack
from aluma.representation.view import View
from aluma.sampling.absorption import State
from aluma.sampling.population import Population
from aluma.spaces.history import Event
from aluma.streams import entropy

logger = logging.getLogger(__name__)

#: gamma where none is stated.
MARGIN = 0.02
#: With slack="auto", slack is measured again when the answers need this many times as much.
GROWN = 2.0


@dataclass(frozen=True)
class Strain:
    """An answer that strains the fit: ``doubt`` is the share of halfspaces that dispute it."""

    index: int
    label: Any
    doubt: float


@dataclass(frozen=True)
class Standing:
    """What answers have made of a learner, apart from the history of them.

    Attributes
    ----------
    state : of the population
    examples : where the walls of its cone come from, in order
    slack : the slack that is allowed for
    conflict : the first contradiction that slack had to be allowed for, as examples
    """

    state: State
    examples: tuple[int, ...]
    slack: float
    conflict: tuple[int, ...] | None


class LiftedLearner(VersionSpaceLearner):
    """A learner whose version space may be that of the lifted examples of Algorithm 3.

    Without slack it is an ordinary version space. With slack H a hypothesis is a halfspace and one
    number for every answer, see :mod:`aluma.representation.own`: no answers contradict each other
    any more, and those that a halfspace disputes count against it.

    Parameters
    ----------
    X, classes, bias, kernel, budget, n_hypotheses, random_state
        See :class:`aluma.learners.hypotheses.VersionSpaceLearner`.
    slack : float or "auto"
        H. "auto" is 0 until answers contradict each other, or leave a version space too thin to
        explore, and from then on the smallest slack that they need at ``margin``; see
        :func:`aluma.representation.smallest_slack`.
    margin : float, optional
        gamma for "auto", for examples divided by the length of the longest.
    dimension : int, optional
        Project the lifted pool to that many dimensions (Algorithm 3) instead of using the exact
        lifted version space. Contradictions are then possible again.
    """

    advice: ClassVar[str] = ADVICE

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        bias: bool = False,
        kernel: Any = None,
        slack: float | str = 0.0,
        margin: float | None = None,
        dimension: int | None = None,
        budget: int | None = None,
        n_hypotheses: int = 1000,
        random_state: Any = 0,
    ) -> None:
        self.slack = slack if slack == "auto" else checked_slack(slack)
        self.margin = checked_margin(margin)
        self.dimension = dimension
        seed = entropy(random_state)
        view = View.of(X, bias=bias, kernel=kernel, seed=seed, **self._projection())
        super().__init__(
            view, classes=classes, budget=budget, n_hypotheses=n_hypotheses, random_state=seed
        )
        self._longest: float | None = None
        #: The first contradiction that slack had to be allowed for.
        self.conflict: Conflict | None = None
        self._begin()

    @property
    def allowed_slack(self) -> float:
        """The slack H that is allowed for now: 0 while halfspaces agree with every answer."""
        if self.dimension is not None:
            return float(self.slack)
        return 0.0 if self._own is None else self._own.slack

    def doubts(self) -> Floats:
        """Return the share of halfspaces that dispute each answer, in order of telling.

        Without slack every halfspace left agrees with every answer.
        """
        if self._own is None or self.n_answers == 0:
            return np.zeros(self.n_answers)
        signs = np.array([event.sign for event in self._history if event.sign])
        margins = self.pool.margins(self._halfspaces(), self.answered)
        return np.asarray((margins * signs[:, None] < 0).mean(axis=1))

    def strained(self, n: int = 10) -> list[Strain]:
        """Return the n answers that most halfspaces dispute, the worst first: check these."""
        most = positive_integer(n, "n")
        doubts, labels = self.doubts(), self.answers.tolist()
        worst = np.argsort(-doubts, kind="stable")[:most]
        return [
            Strain(int(self.answered[i]), labels[i], float(doubts[i]))
            for i in worst
            if doubts[i] > 0
        ]

    @property
    def standing(self) -> Standing:
        """Where the answers have led, to be kept or given to :meth:`restore`."""
        conflict = None if self.conflict is None else self.conflict.indices
        examples = tuple(self._walls.values())
        return Standing(self._population.state, examples, self.allowed_slack, conflict)

    def restore(self, standing: Standing, history: Sequence[Event]) -> None:
        """Go on where a learner with the same settings stood after ``history``.

        What was undoable is forgotten.
        """
        self._population.restore(standing.state)
        if self.dimension is None:
            self._allow(standing.slack)
        names = self._wall_names(standing.state.cone.walls)
        self._walls = dict(zip(names, standing.examples, strict=True))
        self.conflict = None if standing.conflict is None else Conflict(standing.conflict, ADVICE)
        self._history = list(history)
        self._forget()

    def can_step_back(self, kept: Sequence[Event]) -> bool:
        """Say whether a beginning of the history is reached without absorbing it anew."""
        staying = {event.index for event in kept if event.sign}
        leaving = sum(1 for index in self._walls.values() if index not in staying)
        return leaving <= self._population.n_undoable

    def _wall_names(self, walls: Floats) -> list[bytes]:
        """Return what the walls of a population are known by: their numbers when they were added.

        With slack a wall has since been padded by the coordinates of later answers.
        """
        if self._own is None:
            return [wall.tobytes() for wall in walls]
        first = self.pool.dimension + 1
        return [wall[: first + place].tobytes() for place, wall in enumerate(walls)]

    def _projection(self) -> dict[str, Any]:
        if self.dimension is None:
            return {}
        if self.slack == "auto":
            raise ValueError(
                "slack='auto' is found from the answers, but a projection needs it beforehand: "
                "give a number, or leave dimension out."
            )
        return {"slack": self.slack, "dimension": self.dimension}

    def _begin(self) -> None:
        """Go back to before the first answer."""
        self._population = Population(self.pool.dimension, self.n_hypotheses, self.seed)
        self._walls = {}
        self.conflict = None
        self._own: OwnCoordinates | None = None
        if self.slack != "auto" and self.dimension is None:
            self._allow(float(self.slack))

    def _allow(self, slack: float) -> None:
        """Lift examples from now on, if there is slack."""
        if self._longest is None:
            self._longest = largest_norm(self.pool)
        self._own = OwnCoordinates(slack, self._longest) if slack > 0 else None

    def _absorb(self, index: int, sign: int) -> None:
        told = [(e.index, e.sign) for e in self._history if e.sign] + [(index, sign)]
        try:
            self._add(index, sign)
        except (Conflict, Undecided) as found:
            if self.slack != "auto":
                raise
            self._loosen(told)
            if self._own is None:
                raise
            self.conflict = found if isinstance(found, Conflict) else None
            logger.warning(
                "%s A slack of %.2g is allowed for from now on", found, self.allowed_slack
            )
        else:
            if self.slack == "auto" and self._own is not None:
                self._loosen(told)

    def _add(self, index: int, sign: int) -> None:
        """Add a wall, lifted if there is slack."""
        if self._own is None:
            super()._absorb(index, sign)
            return
        wall = sign * self._own.wall(self.pool.rows([index])[0], len(self._walls))
        wall /= np.linalg.norm(wall)
        self._population.add(wall)
        self._walls[wall.tobytes()] = index

    def _loosen(self, told: Sequence[tuple[int, int]]) -> None:
        """Start again from all answers with the slack they need, unless there is enough."""
        indices, signs = np.array(told).T
        self._longest = self._longest or largest_norm(self.pool)
        rows = self.pool.rows(indices) * (signs / self._longest)[:, None]
        needed = smallest_slack(rows, self.margin or MARGIN).slack
        if needed <= GROWN * self.allowed_slack:
            return
        before = self.fork()
        try:
            self._population = Population(self.pool.dimension, self.n_hypotheses, self.seed)
            self._walls = {}
            self._allow(needed)
            for index, sign in told:
                self._add(index, sign)
        except Exception:
            self.__dict__ = before.__dict__
            raise
        # Steps back from here would lead to answers that needed no slack, or less.
        self._population.restore(self._population.state)

    def _release(self, kept: Sequence[Event]) -> None:
        if self.can_step_back(kept):
            super()._release(kept)
            return
        self._begin()
        self._history = []
        for event in kept:
            if event.sign:
                self._absorb(event.index, event.sign)
            self._history.append(event)

    def _halfspaces(self, hypotheses: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """Return hypotheses as halfspaces of the pool's space; with slack in units of the noise."""
        drawn = self._population.voters() if hypotheses is None else hypotheses
        if self._own is None:
            return drawn
        return self._own.halfspaces(drawn, self.pool.dimension, self._rng(2))

    def _positive_shares(self, pool: Pool) -> Floats:
        if self._own is None:
            return super()._positive_shares(pool)
        return soft_shares(pool, self._halfspaces())


def checked_margin(margin: Any) -> float | None:
    """Return a margin gamma as a float, or None where none is stated."""
    if margin is None:
        return None
    if is_number(margin) and 0 < float(margin) < np.inf:
        return float(margin)
    raise ValueError(f"margin must be a positive number, or None, got {margin!r}.")
