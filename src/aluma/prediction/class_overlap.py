"""Labels of several classes: the vote, put right by what is likeliest with some noise allowed for.

Votes of a few hundred hypotheses about many classes are noisy, and follow every answer, also those
that are owed to chance (see :mod:`aluma.prediction.overlap` for two classes). The likeliest weights
with a little noise (:mod:`aluma.representation.softmax`) are near the middle of the version space
and have neither fault. How much noise is seen from what stays in dispute: where classes separate,
the share of votes against the leading class falls at least as fast as one over the answers.
"""

from __future__ import annotations

import numpy as np

from aluma.arrays import Floats, Ints
from aluma.pool import Pool
from aluma.pool.sample import Purpose
from aluma.prediction.vote import Vote
from aluma.scoring.many import disputed_share
from aluma.spaces.situation import Situation
from aluma.spaces.space import Hypotheses

#: The share in dispute times the answers from which on more noise is allowed for, and from which on
#: as much as there may be. It was at most 20 on the digits, 29 to 36 after 100 to 300 answers on
#: 6,000 of MNIST, and more among four newsgroups, where 0.1 to 0.6 are level.
BEGINS, FULL = 20.0, 35.0
#: The noise that is always allowed for, and the most, in lengths of a typical row. With 0.1, 0.2,
#: 0.3 and 0.45, the same 500 answers about MNIST left 10.8, 10.1, 9.9 and 10.0% wrong, and 200
#: about the digits 2.2, 2.3, 2.6 and 2.7% (one run each).
LEAST_NOISE, MOST_NOISE = 0.15, 0.3
#: Examples on which the vote is clearer than this keep their label.
CLEAR = 0.95


class ClassOverlapVote(Vote):
    """The vote of several classes, led by the class that is likeliest with some noise.

    Shares are those of the votes. Where these are divided and the likeliest weights say another
    class than most hypotheses, the two classes change places.
    """

    def __init__(self, most_times: int = 1) -> None:
        super().__init__(most_times)
        #: The noise to allow for, and the answers that it belongs to.
        self._kept: tuple[bytes, float] | None = None

    def shares(self, at: Situation[Hypotheses], pool: Pool) -> Floats:
        """Return the share of votes that each class has, with the likeliest class in the lead."""
        votes = super().shares(at, pool)
        if not at.n_answers:
            return votes
        noise = self._noise(at, votes if pool is at.pool else None)
        return led_by(at.space.fitted(pool, noise).argmax(axis=1), votes)

    def leaning(self, at: Situation[Hypotheses], pool: Pool) -> Floats:
        """Return the same: whether votes are divided takes all of them."""
        return self.shares(at, pool)

    def _noise(self, at: Situation[Hypotheses], votes: Floats | None) -> float:
        """Return the noise to allow for, worked out once after every answer."""
        answers = at.answered.tobytes() + at.signs.tobytes()
        if self._kept is None or self._kept[0] != answers:
            if at.pool.is_large:
                votes = at.space.shares(at.pool.sample(Purpose.QUESTIONS).pool)
            elif votes is None:
                votes = super().shares(at, at.pool)
            self._kept = answers, noise_for(at.n_answers, disputed_share(votes))
        return self._kept[1]


def noise_for(answers: int, disputed: float) -> float:
    """Return the noise to allow for in labels of several classes, in lengths of a typical row.

    Parameters
    ----------
    answers : how many there are
    disputed : the share of votes against the class that leads, over the pool

    Examples
    --------
    >>> noise_for(100, 0.1), round(noise_for(100, 0.3), 2), noise_for(100, 0.4)
    (0.15, 0.25, 0.3)
    """
    more = float(np.clip((answers * disputed - BEGINS) / (FULL - BEGINS), 0.0, 1.0))
    return LEAST_NOISE + (MOST_NOISE - LEAST_NOISE) * more


def led_by(likeliest: Ints, votes: Floats) -> Floats:
    """Return shares of votes with given classes in the lead, except where the vote is clear."""
    rows, leaders = np.arange(len(votes)), votes.argmax(axis=1)
    rows = rows[(votes[rows, leaders] <= CLEAR) & (likeliest != leaders)]
    found = votes.copy()
    found[rows, likeliest[rows]] = votes[rows, leaders[rows]]
    found[rows, leaders[rows]] = votes[rows, likeliest[rows]]
    return found
