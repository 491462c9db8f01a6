"""What the answers leave, in the abstract: a space takes answers in and can go back.

A learner keeps one space. :class:`Hypotheses` is a space that can be looked at: it has a population
of halfspaces drawn uniformly from what is left, which vote on examples, show how evenly an example
would split them and how far they dispute a labelling. With slack the same questions have other
answers, so slack is a space of its own (:mod:`aluma.spaces.lifted`).
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, Shares, Singles
from aluma.errors import Conflict
from aluma.pool import Pool
from aluma.sampling.absorption import State
from aluma.sampling.population import VOTE, Population, Task
from aluma.scoring import Choice, choose, choose_batch, vote_shares
from aluma.scoring.disputes import Disputes, disputes
from aluma.scoring.majority import leaning
from aluma.spaces.history import Event, Group, learnt
from aluma.streams import OfState, stream

#: Answers times dimension up to which a flight of the whole population takes about a millisecond.
CHEAP_WALL_NUMBERS = 4096


@dataclass(frozen=True)
class Standing:
    """Where the answers have led a space, as plain data, to be kept in a file.

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


#: Is told how many answers have been taken in.
Watch: TypeAlias = Callable[[int], None]


def unwatched(_: int) -> None:
    """Let nobody know."""


class Space(ABC):
    """What the answers leave.

    Attributes
    ----------
    pool : the examples as the points that halfspaces divide
    settles : whether answers can settle the labels of examples that were not asked about
    """

    pool: Pool
    settles: ClassVar[bool] = False

    @abstractmethod
    def add(self, index: int, sign: int) -> None:
        """Take an answer in, or raise Conflict or Undecided and stay the same."""

    def add_many(self, answers: Sequence[tuple[int, int]], watch: Watch = unwatched) -> None:
        """Take in answers that nobody was asked for, as (index, sign): all of them, or raise.

        A space may take them in together, faster than one by one. What they leave is the same, but
        not the draws from it; and there may be no steps back from there. When it raises, it may
        have taken in some of them. ``watch`` is told how many it has, now and then.
        """
        for number, (index, sign) in enumerate(answers, start=1):
            self.add(index, sign)
            watch(number)

    def learn_from_checks(self, answers: Sequence[tuple[int, int]]) -> None:
        """Take in what an audit was told, as (index, sign): all of it, or raise and stay the same.

        Its examples were drawn at random, so they say more than where a boundary is: a space may
        learn from them how much noise to allow for. By default they are answers like others.
        """
        before = self.fork()
        try:
            for index, sign in answers:
                self.add(index, sign)
        except Exception:
            self.__dict__ = before.__dict__
            raise

    def take_in(self, groups: Iterable[Group]) -> None:
        """Learn from single answers and whole groups of checks, in order."""
        for group in groups:
            if group.are_checks:
                self.learn_from_checks(group.answers)
            else:
                self.add(*group.answers[0])

    @abstractmethod
    def back_to(self, kept: Sequence[Event]) -> None:
        """Go back to the state after the events in ``kept``, a beginning of the history.

        What counts is what was learnt from them (:func:`aluma.spaces.history.learnt`): checks of an
        audit that has not ended do not.
        """

    def can_step_back(self, kept: Sequence[Event]) -> bool:
        """Say whether a beginning of the history is reached without absorbing it anew."""
        del kept
        return True

    def forget_steps(self) -> None:  # noqa: B027 - most spaces keep none
        """Keep nothing to step back to: from here on, going back absorbs answers anew.

        For forks that only look at where the answers have led: steps take memory.
        """

    def fork(self) -> Self:
        """Return an independent copy; what is never written to is shared."""
        return copy.copy(self)

    # -- slack: none, unless a space says otherwise --------------------------------------------

    @property
    def allowed_slack(self) -> float:
        """The slack H that is allowed for now: 0 while halfspaces agree with every answer."""
        return 0.0

    @property
    def conflict(self) -> Conflict | None:
        """The first contradiction that slack had to be allowed for."""
        return None

    @property
    def untested(self) -> bool:
        """Whether it is open if a halfspace separates the pool at all."""
        return False

    def doubts(self, history: Sequence[Event]) -> Floats:
        """Return the share of halfspaces that dispute each answer, in order of telling.

        Without slack every halfspace left agrees with every answer.
        """
        return np.zeros(sum(1 for event in history if event.sign))

    # -- standing in a file --------------------------------------------------------------------

    @property
    def standing(self) -> Standing | None:
        """Where the answers have led, or None if that can only be replayed."""
        return None

    def restore(self, standing: Standing, history: Sequence[Event]) -> None:
        """Go on where a space with the same settings stood after ``history``."""
        raise NotImplementedError(f"{type(self).__name__} can only replay its answers.")


class Hypotheses(Space):
    """A space that keeps hypotheses drawn uniformly from what the answers leave.

    Attributes
    ----------
    size : how many hypotheses
    seed : of everything that is random about them
    """

    size: int
    seed: int
    settles: ClassVar[bool] = True

    @property
    @abstractmethod
    def population(self) -> Population:
        """The hypotheses that agree with all answers so far."""

    @property
    def key(self) -> tuple[int, ...]:
        """What names the seed and the answers so far."""
        return self.population.state.key

    def rng(self, purpose: OfState) -> np.random.Generator:
        """Return a generator keyed by the seed and the answers, for one purpose."""
        return stream(self.key, purpose)

    def voters(self, most_times: int = 1) -> npt.NDArray[Any]:
        """Return the halfspaces that vote on examples, one a row.

        With ``most_times``, up to that many times as many as the population has where they cost
        next to nothing, which is while there are few answers.
        """
        return self.population.voters(self._times(most_times))

    def jury(self, task: Task = VOTE, most_times: int = 1) -> npt.NDArray[Any]:
        """Return as many halfspaces that no question was chosen by.

        The proofs of the vote (Lemma 15) and of Algorithm 2 (Theorem 16) need those: the voters
        that a question was chosen by are survivors of that choice.
        """
        return self.population.jury(task, self._times(most_times))

    def _times(self, most: int) -> int:
        """Return how many times the population can vote at next to no cost, at most so many."""
        cone = self.population.cone
        return min(most, max(1, CHEAP_WALL_NUMBERS // max(len(cone) * cone.dimension, 1)))

    def glance(self, pool: Pool, rows: Ints) -> Floats:
        """Return the share of + votes for some rows of a pool, among some of the hypotheses."""
        return vote_shares(pool, self.population.some_voters(), rows)

    def shares(self, pool: Pool, most_times: int = 1) -> Floats:
        """Return the share of + votes for each example of a pool, among the voters."""
        return vote_shares(pool, self.voters(most_times))

    def vote(self, pool: Pool, most_times: int = 1) -> Floats:
        """Return the same among a jury: this is what labels are given by."""
        return vote_shares(pool, self.jury(most_times=most_times))

    def leaning(self, pool: Pool, most_times: int = 1) -> Shares:
        """Return shares on the same side of 1/2 as those of all votes; of a large pool, of fewer.

        See :func:`aluma.scoring.majority.leaning` for the probability that one is not.
        """
        if not pool.is_large:
            return self.vote(pool, most_times)
        jury = self.jury(most_times=most_times)
        return leaning(pool, jury, self.rng(OfState.VOTE_ORDER))

    def labelled(self, shares: Shares) -> npt.NDArray[Any]:
        """Return the labels that shares of votes stand for: with two classes, who is positive."""
        return np.asarray(shares >= 0.5)

    def split(
        self,
        voters: npt.NDArray[Any],
        eligible: Bools,
        *,
        alpha: float,
        effort: int = 1,
        settled: float = 0.0,
    ) -> Choice:
        """Return the example that splits the voters best; see :func:`aluma.scoring.choose`."""
        rng = self.rng(OfState.SPLIT)
        return choose(self.pool, voters, eligible, rng, alpha=alpha, effort=effort, settled=settled)

    def nearest(self, eligible: Bools) -> Choice | None:
        """Return an example to ask about that needs no voters, or None where it takes a split.

        For two classes there is none without noise: :meth:`split` itself goes by the centre when it
        is late.
        """
        del eligible
        return None

    def fitted(self, pool: Pool, noise: float) -> Singles:
        """Return products of a pool with the likeliest weights of several classes, (n, K)."""
        raise NotImplementedError(f"{type(self).__name__} has two classes.")

    def batch(
        self, voters: npt.NDArray[Any], eligible: Bools, n: int, *, alpha: float, first: int
    ) -> Ints:
        """Return n examples that split the voters jointly, the given one first."""
        rng = self.rng(OfState.BATCH)
        return choose_batch(self.pool, voters, eligible, n, rng, alpha=alpha, first=first)

    def disputes(self, pool: Pool, positive: npt.NDArray[Any], answered: Ints) -> Disputes:
        """Count how hypotheses that no question was chosen by dispute a labelling of a pool.

        It is this space's own, or a sample of it; ``answered`` are positions there.
        """
        del answered
        return disputes(pool, positive, self.population.independent(0))


class Retraceable(Hypotheses):
    """A space that knows which answers made its walls, and can forget how to step back."""

    @property
    @abstractmethod
    def wall_examples(self) -> tuple[int, ...]:
        """The examples that the walls of the cone come from, in order."""

    @abstractmethod
    def forget_steps(self) -> None:
        """Keep nothing to step back to."""

    @abstractmethod
    def _begin(self) -> None:
        """Start without any answers."""

    @abstractmethod
    def _step_back(self) -> None:
        """Undo the last answer that made walls."""

    def back_to(self, kept: Sequence[Event]) -> None:
        """Undo answers one by one, or absorb those that stay anew."""
        if not self.can_step_back(kept):
            self._begin()
            self.take_in(learnt(kept, self.pool.zero_mask))
            return
        for _ in range(self._leaving(kept)):
            self._step_back()

    def can_step_back(self, kept: Sequence[Event]) -> bool:
        """Say whether the population remembers that far back."""
        return self._leaving(kept) <= self.population.n_undoable

    def _leaving(self, kept: Sequence[Event]) -> int:
        """Return how many answers that made walls go when only some answers stay."""
        staying = {
            index for group in learnt(kept, self.pool.zero_mask) for index, _ in group.answers
        }
        return sum(1 for index in self.wall_examples if index not in staying)
