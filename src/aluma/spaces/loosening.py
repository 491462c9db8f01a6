"""Slack when it is needed: a plain version space until answers contradict each other.

Or until random checks show that there is noise (:mod:`aluma.representation.noise`), which they can
long before answers contradict each other: with more features than answers these hardly ever do.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, Shares
from aluma.errors import Conflict, Undecided
from aluma.geometry.cone import Cone
from aluma.geometry.feasibility import Infeasible, interior_point
from aluma.geometry.walls import signed_units
from aluma.pool import Pool
from aluma.representation.bias import typical_length
from aluma.representation.lift import largest_norm
from aluma.representation.noise import CANDIDATES, slack_by_checks
from aluma.representation.slack import smallest_slack
from aluma.sampling.population import VOTE, Population, Task
from aluma.scoring import Choice, separating
from aluma.scoring.disputes import Disputes
from aluma.scoring.large import in_sample
from aluma.scoring.many import NEAR, first_of
from aluma.scoring.votes import askable, minority_shares
from aluma.spaces.frame import Frame
from aluma.spaces.history import Event, learnt
from aluma.spaces.late import GLANCED_AT, LITTLE_NOISE, NEAR_FOR_EACH, Answered, Near, margins
from aluma.spaces.lifted import LiftedSpace
from aluma.spaces.neighbours import Neighbours
from aluma.spaces.plain import ADVICE, PlainSpace
from aluma.spaces.space import Hypotheses, Retraceable, Standing, Watch, unwatched
from aluma.streams import OfState

logger = logging.getLogger(__name__)

#: The margin gamma that slack is measured at, where the user states none.
MARGIN = 0.02
#: More slack is allowed for when the answers need more than this many times what is allowed.
SLACK_GROWTH = 2.0
#: Answers in a row that must be as nearly every hypothesis expected before a pool without slack may
#: count as settled. If a tenth of a pool contradicts the rest, ten random questions meet some of it
#: two times in three; the questions asked are about less clear examples than random ones.
TESTS = 10
#: Answers taken in together by which slack is chosen before they contradict each other.
MANY = 64
#: From twice so many answers on, the least slack that they need is looked for every second answer,
#: and so on: with a thousand answers it takes longer than all else about one.
LOOKS = 32
#: From so many answers with slack on, checks are taken in together with all answers, which takes as
#: long as ten of them one by one; and there would be no room for as many steps back.
DEAR_ANSWERS = 512
#: Late questions begin after so many answers, once hypotheses are in the minority on a smaller
#: share of the pool. On 12 to 14 tuning seeds of five pools nothing was worse than with 100 and
#: 0.05 but MNIST 3 and 5 after 100 (+0.16 points, 0.09), and three errors at 100 or 200 were
#: smaller by two standard errors of the pairs.
LATE, SETTLING = 40, 0.1
#: Of a small pool, after one answer to so many examples, but so many answers. With 20 instead of
#: 40, on eight pools of 340 to 570 examples, nothing was worse by more than 0.25 (0.18) labels at
#: 16 to 80; digits 3 and 8 had 0.5 (0.4) of 2.9 fewer wrong after 25 (20 tuning seeds), breast
#: cancer 1.2 (0.6) of 9.6 after 35 (12). On 2,000 of MNIST 4 and 7, 3.1 (1.5) more of 35 were.
SMALL_SHARE, LATE_IF_SMALL = 20, 20
#: Neighbours are heard once it is a smaller share than this, by one late question in so many. Every
#: fourth was level on pairs of digits, and every one worse by 4.0 (2.7) and 1.0 (0.7) labels on
#: MNIST 3 and 5 after 175 and 200, and level on 4 and 7 (four and twelve tuning seeds).
SETTLED, EVERY = 0.01, 2
#: They end after so many answers for each feature that contradict each other nowhere: a halfspace
#: is then right about nearly everything, and splits find the rest sooner. Without an end a sphere
#: in 10 dimensions took 78 answers instead of 62.
FOR_EACH_FEATURE = 4
#: With fewer features there are none at all: splits come to an end in some dozens of answers, and
#: the octahedron in 15 dimensions took 67 instead of 55.
FEWEST_FEATURES = 25


class LooseningSpace(Hypotheses):
    """No slack until answers contradict each other, then the smallest that they need.

    When answers contradict each other, or leave a version space too thin to explore, all of them
    are taken in again by a lifted space; and again when they need twice the slack. Random checks
    decide better: the slack is kept or changed as they say, and from then on it changes only by
    further checks, or by a contradiction if they left none.

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
        #: The answered examples in their span, when a late question was last looked for.
        self._answered = Answered((), Frame(self.pool.dimension))
        #: What neighbours said then.
        self._neighbours: Neighbours | None = None
        self._conflict: Conflict | None = None
        #: Whether checks have decided about the slack.
        self._checked = False

    # -- taking answers ------------------------------------------------------------------------

    def add(self, index: int, sign: int) -> None:
        """Take an answer in, with more slack if it needs that."""
        told = [*self._told, (index, sign)]
        inner = self._inner.fork()
        try:
            inner.add(index, sign)
        except (Conflict, Undecided) as found:
            self._give_way(found, told)
            return
        if inner.allowed_slack > 0 and not self._checked and _is_time_to_look(len(told)):
            inner = self._loosened(told) or inner
        self._inner, self._told = inner, told

    def add_many(self, answers: Sequence[tuple[int, int]], watch: Watch = unwatched) -> None:
        """Take answers in together, with the slack that all of them need if they need some.

        Of many, the later half says how much noise there is, as checks do: near the number of
        answers that always have a halfspace, they leave a cone too thin to be worth exploring.
        """
        told, inner = [*self._told, *answers], self._inner.fork()
        if len(answers) >= MANY and (slack := self._spoken_for(answers)) > self.allowed_slack:
            self._inner, self._told = self._taken_in(told, slack, watch), told
            return
        try:
            self._check_together(told)
            inner.add_many(answers, watch)
        except (Conflict, Undecided) as found:
            self._give_way(found, told, watch)
            return
        if inner.allowed_slack > 0 and not self._checked:
            inner = self._loosened(told) or inner
        self._inner, self._told = inner, told

    def _give_way(
        self, found: Conflict | Undecided, told: list[tuple[int, int]], watch: Watch = unwatched
    ) -> None:
        """Allow for the slack that contradicting answers need, or raise what was found."""
        looser = self._loosened(told, watch)
        if looser is None:
            raise found
        logger.warning("%s A slack of %.2g is allowed for from now on", found, looser.allowed_slack)
        self._inner, self._told = looser, told
        self._conflict = found if isinstance(found, Conflict) else None

    def _spoken_for(self, answers: Sequence[tuple[int, int]]) -> float:
        """Return the slack that the later half of some answers calls for, after the others."""
        before, half = self._told, len(answers) // 2
        try:
            self._told = [*before, *answers[:half]]
            return self._called_for(answers[half:])
        finally:
            self._told = before

    def _check_together(self, told: Sequence[tuple[int, int]]) -> None:
        """Find a contradiction without slack before hypotheses are drawn: that takes far less."""
        if self.allowed_slack > 0 or not told:
            return
        indices, signs = _indices_and_signs(told)
        normals = np.asarray(signed_units(self.pool.rows(indices), signs))
        try:
            interior_point(Cone.whole(self.pool.dimension).with_walls(normals))
        except Infeasible as found:
            raise Conflict(tuple(told[i][0] for i in found.support), ADVICE) from None

    def learn_from_checks(self, answers: Sequence[tuple[int, int]]) -> None:
        """Take in random checks, with another slack if they call for it."""
        if not answers:
            return
        before, now = self.fork(), self.allowed_slack
        slack = self._called_for(answers)
        self._checked = True
        try:
            if slack == now and not (slack and len(self._told) >= DEAR_ANSWERS):
                super().learn_from_checks(answers)
            else:
                told = [*self._told, *answers]
                self._inner, self._told = self._taken_in(told, slack), told
        except Exception:
            self.__dict__ = before.__dict__
            raise
        if slack != now:
            logger.warning(
                "%d random checks speak for a slack of %.2g, which is allowed for from now on",
                len(answers),
                self.allowed_slack,
            )

    def _called_for(self, answers: Sequence[tuple[int, int]]) -> float:
        """Return the slack that checks call for, or that which there is."""
        now = self.allowed_slack
        # Slack that there is came because it could not be done without.
        candidates = (now, *(slack for slack in CANDIDATES if slack > 0 and slack != now))
        told, signs = _indices_and_signs(self._told)
        checked, found = _indices_and_signs(answers)
        rows = self.pool.rows
        choice = slack_by_checks(
            rows(told), signs, rows(checked), found, self._length(), candidates
        )
        return choice.slack

    def back_to(self, kept: Sequence[Event]) -> None:
        """Step back, or start again without slack and take in those answers that stay."""
        if self.can_step_back(kept):
            self._inner.back_to(kept)
            self._told, self._checked = self._answers(kept), _checked(kept)
            return
        self._begin()
        self.take_in(learnt(kept, self.pool.zero_mask))

    def can_step_back(self, kept: Sequence[Event]) -> bool:
        """Say whether the space that is used now remembers that far back."""
        return self._inner.can_step_back(kept)

    def forget_steps(self) -> None:
        """Keep nothing to step back to."""
        self._inner.forget_steps()

    def fork(self) -> Self:
        """Return an independent copy."""
        twin = super().fork()
        twin._inner = self._inner.fork()
        return twin

    def _loosened(
        self, told: Sequence[tuple[int, int]], watch: Watch = unwatched
    ) -> Retraceable | None:
        """Return a space that has taken all answers with the slack they need; None if enough."""
        indices, signs = _indices_and_signs(told)
        rows = self.pool.rows(indices) * (signs / self._length())[:, None]
        needed = smallest_slack(rows, self.margin).slack
        if needed <= SLACK_GROWTH * self.allowed_slack:
            return None
        return self._taken_in(told, needed, watch)

    def _taken_in(
        self, told: Sequence[tuple[int, int]], slack: float, watch: Watch = unwatched
    ) -> Retraceable:
        """Return a space that has taken answers with some slack, and cannot step back from it."""
        space = self._with_slack(slack)
        space.add_many(told, watch)
        # Steps back from here would lead to answers that came with other slack, or none.
        space.forget_steps()
        return space

    def _with_slack(self, slack: float) -> Retraceable:
        settings = (self.pool, self.size, self.seed, self.sampler)
        if slack == 0:
            return PlainSpace(*settings, advice=ADVICE)
        return LiftedSpace(*settings, slack=slack, longest=self._length())

    def _answers(self, events: Sequence[Event]) -> list[tuple[int, int]]:
        """Return the answers that were learnt from, in order."""
        groups = learnt(events, self.pool.zero_mask)
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

    def jury(self, task: Task = VOTE, most_times: int = 1) -> npt.NDArray[Any]:
        """Return halfspaces that no question was chosen by."""
        return self._inner.jury(task, most_times)

    def vote(self, pool: Pool, most_times: int = 1) -> Floats:
        """Return the share of + votes among a jury."""
        return self._inner.vote(pool, most_times)

    def leaning(self, pool: Pool, most_times: int = 1) -> Shares:
        """Return shares on the same side of 1/2 as those of all votes."""
        return self._inner.leaning(pool, most_times)

    def nearest(self, eligible: Bools) -> Choice | None:
        """Return the example nearest to the likeliest boundary if it is late, or None.

        It is late after many answers, once hypotheses disagree about little; no more if so many
        have not contradicted each other that a halfspace seems right about everything. Once next
        to nothing is in dispute, and where neighbours foretell answers, it is every second time one
        that they contradict.
        """
        near = self._near(eligible, NEAR, hear=len(self._told) % EVERY == 0)
        if near is None:
            return None
        positive = float(self._inner.glance(near.pool, near.rows[:1])[0])
        return Choice(int(near.rows[0]), positive, 0.25, near.rows, near.seen).named(near.names)

    def batch(
        self, voters: npt.NDArray[Any], eligible: Bools, n: int, *, alpha: float, first: int
    ) -> Ints:
        """Return n examples, the given one first, that split the voters jointly.

        If it is late, they are some of those that are nearest to a tie.
        """
        near = self._near(eligible, NEAR_FOR_EACH * n, hear=False) if alpha > 1.0 else None
        rows = None if near is None else near.after(first)
        if rows is None or len(rows) < n:
            return super().batch(voters, eligible, n, alpha=alpha, first=first)
        return separating(self.pool, voters, rows, n)

    def _near(self, eligible: Bools, n: int, *, hear: bool) -> Near | None:
        """Return the n examples that a late question goes to first, or None if it is early.

        With ``hear``, those that neighbours contradict most, where these are to be heard.
        """
        if not self._may_be_late():
            return None
        rng = self.rng(OfState.NEAREST)
        seen, open_, names = in_sample(self.pool, eligible, rng)
        rows = askable(seen, open_)
        looked = np.sort(rng.permutation(rows)[:GLANCED_AT])
        disputed = minority_shares(self._inner.glance(seen, looked)).mean()
        if disputed >= SETTLING:
            return None
        self._answered = self._answered.after(self._told, self.pool)
        boundary = self._answered.boundary(LITTLE_NOISE * self._typical)

        news = self._answered.news()

        def is_new(some: Ints) -> Bools:
            return news(self.pool.rows(some if names is None else names[some]))

        beyond = margins(seen, boundary, rows)
        near = np.empty(0, dtype=np.int64)
        if hear and disputed < SETTLED:
            known = Neighbours.about(self._neighbours, seen, names, self._typical)
            self._neighbours = known.after(self._told, self.pool)
            if self._neighbours.to_be_heard:
                labels = np.where(beyond > 0, 1, -1)
                near = self._neighbours.contradicted(labels, rows, is_new, n)
        if not len(near):
            near = first_of(rows[np.argsort(np.abs(beyond), kind="stable")], is_new, n)
        return Near(seen, names, near, len(rows)) if len(near) else None

    def _may_be_late(self) -> bool:
        """Say whether there are many answers, and not so many that no noise is to be expected."""
        features = self.pool.dimension
        late = min(LATE, max(LATE_IF_SMALL, len(self.pool) // SMALL_SHARE))
        most = np.inf if self.allowed_slack > 0 else FOR_EACH_FEATURE * features
        return features >= FEWEST_FEATURES and late <= len(self._told) <= most

    @cached_property
    def _typical(self) -> float:
        return typical_length(self.pool)

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

    def disputes(self, pool: Pool, positive: npt.NDArray[Any], answered: Ints) -> Disputes:
        """Count how hypotheses that no question was chosen by dispute a labelling of a pool."""
        return self._inner.disputes(pool, positive, answered)

    # -- standing in a file --------------------------------------------------------------------

    @property
    def standing(self) -> Standing | None:
        """Where the answers have led, and what made slack necessary."""
        standing = self._inner.standing
        conflict = None if self._conflict is None else self._conflict.indices
        return None if standing is None else replace(standing, conflict=conflict)

    def restore(self, standing: Standing, history: Sequence[Event]) -> None:
        """Go on where another stood; what was undoable is forgotten."""
        self._inner = self._with_slack(standing.slack)
        self._inner.restore(standing, history)
        self._told, self._checked = self._answers(history), _checked(history)
        conflict = standing.conflict
        self._conflict = None if conflict is None else Conflict(conflict, ADVICE)


def _is_time_to_look(answers: int) -> bool:
    """Say whether it is looked for the least slack again: ever more seldom, as it takes longer."""
    return answers % max(1, answers // LOOKS) == 0


def _checked(events: Sequence[Event]) -> bool:
    return any(group.are_checks for group in learnt(events))


def _indices_and_signs(answers: Sequence[tuple[int, int]]) -> tuple[Ints, Ints]:
    pairs = np.array(answers, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]
