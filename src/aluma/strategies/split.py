"""ALuMA's strategies: ask where the version space splits most evenly (Algorithms 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aluma import bounds
from aluma.arrays import Ints
from aluma.sampling.population import VERIFY
from aluma.scoring import vote_shares
from aluma.spaces.history import Event
from aluma.spaces.situation import Question, Situation
from aluma.spaces.space import Hypotheses
from aluma.strategies.strategy import Strategy
from aluma.strategies.volume_greedy import choose_by_volume

#: Where hypotheses cost next to nothing, up to this many times as many vote as the population has:
#: noise in the splits costs labels (3 of 34 on the octahedron in 10 dimensions, with 1,000 voters
#: instead of 4,000).
MOST_TIMES = 4
#: The first 32 questions are chosen with four times the usual effort: on MNIST 4 vs 7 it
#: takes a tenth off the error after 10 and 25 answers, and nothing later.
EARLY_QUESTIONS, EARLY_EFFORT = 32, 4
#: In a settled pool every fourth question is still for the best split: by splits alone labels
#: become certain (two circles, 1/epsilon = 190: 13 answers, and 71 without them).
SPLIT_EVERY = 4
#: Late, when questions go by weights that allow for noise, one in so many is for the best split.
#: With every second one next to nothing was gained on MNIST 3 and 5 (-0.02 instead of -0.16 points
#: after 200 answers, ten tuning seeds).
LATE_SPLIT_EVERY = 8
#: Accuracy of vote shares that "verified" draws for; its theorem needs less than 1/64, and what is
#: verified instead (bounds.verified_factor) holds at it.
LAMBDA = 1 / 64


class Split(Strategy[Hypotheses]):
    """The example that splits the hypotheses best, as in the paper's experiments.

    Parameters
    ----------
    alpha : of all examples whose split is within this factor of the best, the one is asked that
        leaves the least expected disagreement over the pool
    delta : the pool is settled when a hypothesis disputes fewer labels than this; most questions
        then go to the example nearest to the centre of the version space
    """

    def __init__(self, alpha: float, delta: float) -> None:
        self.alpha, self.delta = alpha, delta

    def ask(self, at: Situation[Hypotheses]) -> Question:
        """Return the best split, or one that is about as good."""
        # Counted as `settled` counts, so that whatever is asked late, one in eight is a split.
        may_be_late = self.alpha > 1 and at.n_answers % LATE_SPLIT_EVERY
        choice = at.space.nearest(at.eligible) if may_be_late else None
        if choice is None:
            choice = at.space.split(
                at.space.voters(MOST_TIMES),
                at.eligible,
                alpha=self.alpha,
                effort=effort(self.alpha, at.n_answers),
                settled=self.settled(at.n_answers),
            )
        others = choice.candidates[choice.candidates != choice.index]
        return Question(choice.index, others=others, positive=choice.positive)

    def ask_batch(self, at: Situation[Hypotheses], n: int) -> Ints:
        """Return n examples that split the hypotheses jointly."""
        return joint_batch(at, at.space.voters(MOST_TIMES), n, self.alpha)

    def settled(self, n_answers: int) -> float:
        """Return how many labels a hypothesis may be expected to dispute in a settled pool.

        Below delta the promise is kept, and most questions can go to where mistakes are that nearly
        all hypotheses make. Asking nearest to the centre any sooner puts off the end (pairs of
        digits: from 128 to 156 answers, from 0.15 on).
        """
        return self.delta if self.alpha > 1 and n_answers % SPLIT_EVERY else 0.0


class VolumeSplit(Strategy[Hypotheses]):
    """The best split by volumes: Algorithm 1, a 4-approximately greedy choice (Lemma 13).

    Parameters
    ----------
    alpha : for batches only
    delta : what all volume estimates of a run may fail with, together with the vote
    """

    def __init__(self, alpha: float, delta: float) -> None:
        self.alpha, self.delta = alpha, delta

    def ask(self, at: Situation[Hypotheses]) -> Question:
        """Return the example whose two sides have the largest product of volumes."""
        return by_volume(at, self.delta, 4)

    def ask_batch(self, at: Situation[Hypotheses], n: int) -> Ints:
        """Return n examples that split the hypotheses jointly."""
        return joint_batch(at, at.space.voters(), n, self.alpha)

    def mark(
        self, at: Situation[Hypotheses], question: Question | None, index: int, sign: int
    ) -> Any:
        """Return the factor that was verified for asking this, if it is the question."""
        asked = question is not None and question.example == index and sign
        return question.factor if question is not None and asked else None

    def verified_factors(self, history: Sequence[Event]) -> dict[int, float]:
        """Return the factors in the marks."""
        return {e.index: e.mark for e in history if e.sign and e.mark is not None}


class VerifiedSplit(VolumeSplit):
    """The best split by votes where its factor can be verified: Algorithm 2 (Theorem 16).

    Votes are those of hypotheses drawn for this round, as Hoeffding's inequality needs them. Where
    they are too few to verify a factor of 2, volumes are estimated instead.
    """

    def ask(self, at: Situation[Hypotheses]) -> Question:
        """Return the choice by votes, the largest minority, or the choice by volumes."""
        voters = at.space.jury(VERIFY)
        early = effort(self.alpha, at.n_answers)
        choice = at.space.split(voters, at.eligible, alpha=self.alpha, effort=early)
        rows = np.flatnonzero(at.eligible)
        shares = vote_shares(at.pool, voters, rows)
        minority = np.minimum(shares, 1 - shares)
        best = int(minority.argmax())
        own = float(minority[np.searchsorted(rows, choice.index)])
        if bounds.verified_factor(own, LAMBDA, best=float(minority[best])):
            others = choice.candidates[choice.candidates != choice.index]
            return Question(choice.index, others=others, positive=choice.positive, factor=2.0)
        if bounds.verified_factor(float(minority[best]), LAMBDA):
            return Question(int(rows[best]), factor=2.0)
        return by_volume(at, self.delta, 8)


def effort(alpha: float, n_answers: int) -> int:
    """Return how carefully the choice among good splits is made: more so as long as it pays.

    The first answers matter most, and after few of them hypotheses cost next to nothing.
    """
    return EARLY_EFFORT if alpha > 1 and n_answers < EARLY_QUESTIONS else 1


def by_volume(at: Situation[Hypotheses], delta: float, share: int) -> Question:
    """Choose as Algorithm 1 does; one VolEst may fail with delta / (share m T)."""
    m = len(at.pool)
    each = delta / (share * m * min(at.budget or m, m))
    rows = np.flatnonzero(at.eligible)
    index = choose_by_volume(at.pool, at.space.population, rows, each).example
    if index is None:
        # Every label is proven: no question can split anything, and any is as good.
        index = int(rows[0])
    return Question(index, factor=4.0)


def joint_batch(at: Situation[Hypotheses], voters: Any, n: int, alpha: float) -> Ints:
    """Return n examples that split the voters jointly, the next question first."""
    first = at.next_question()
    assert first is not None
    return at.space.batch(voters, at.eligible, n, alpha=alpha, first=first.example)


def hypotheses_needed(estimate: str, delta: float, budget: int | None, m: int) -> int:
    """Return the least population with which splits of m examples are estimated as promised."""
    if estimate == "verified":
        return bounds.sample_size(delta, LAMBDA, min(budget or m, m), m)
    return bounds.vote_size(delta) if estimate == "volume" else 1
