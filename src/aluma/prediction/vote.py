"""Labels by the hypotheses that agree with all answers: their majority, or one of them."""

from __future__ import annotations

from aluma.arrays import Floats, Shares
from aluma.pool import Pool
from aluma.prediction.prediction import Prediction
from aluma.scoring import vote_shares
from aluma.spaces.situation import Situation
from aluma.spaces.space import Hypotheses


class Vote(Prediction[Hypotheses]):
    """The majority vote, the paper's choice for all learners (Section 3).

    It is taken among hypotheses that no question was chosen by, as Lemma 15 has it. (In the paper's
    experiments those that chose the question vote.)

    Parameters
    ----------
    most_times : how many times the population may vote where hypotheses cost next to nothing
    """

    words = "vote"

    def __init__(self, most_times: int = 1) -> None:
        self.most_times = most_times

    def shares(self, at: Situation[Hypotheses], pool: Pool) -> Floats:
        """Return the share of + votes."""
        return at.space.vote(pool, self.most_times)

    def leaning(self, at: Situation[Hypotheses], pool: Pool) -> Shares:
        """Return the share of + votes among as many as decide each example of a large pool."""
        return at.space.leaning(pool, self.most_times)


class OneHypothesis(Prediction[Hypotheses]):
    """One hypothesis drawn at random; it stays until the next answer.

    Hypotheses are exchangeable, so the first is as random as any.
    """

    words = "one random hypothesis"

    def shares(self, at: Situation[Hypotheses], pool: Pool) -> Floats:
        """Return 1 where it votes + and 0 elsewhere."""
        return vote_shares(pool, at.space.voters()[:1])
