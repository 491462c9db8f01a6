"""Labels where classes overlap: examples that halfspaces disagree about, with noise allowed for.

All halfspaces that agree with every answer follow every answer, also those that are wrong or owed
to chance. Questions that split halfspaces evenly do not tell that classes overlap (see
:mod:`aluma.representation.noise`), but what is left to disagree about does. Where classes separate,
the share of the pool that is in dispute falls at least as fast as one over the answers, and times
the answers it stays below about six; where they overlap it grows.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from aluma.arrays import Floats, Shares, Singles
from aluma.blas import one_thread
from aluma.pool import Pool
from aluma.pool.sample import Purpose
from aluma.prediction.vote import Vote
from aluma.representation.bias import typical_length
from aluma.representation.probit import posterior
from aluma.scoring.soft import soft_shares
from aluma.scoring.votes import minority_shares
from aluma.spaces.situation import Situation
from aluma.spaces.space import Hypotheses
from aluma.streams import OfState

#: The share in dispute times the answers from which on noise is allowed for, and from which on as
#: much as there may be. It was at most 5.3 after 25 to 200 answers on six pools whose classes
#: separate and 6.9 on a seventh; on four where they do not 5 to 7 after 25, 12 to 21 after 100.
BEGINS, FULL = 6.0, 14.0
#: The noise there may be, in lengths of a typical row. Of 0.3, 0.6 and 1, the last two were level
#: on reviews, and the last lost most on posts about PCs or Macs.
MOST_NOISE = 0.6
#: Examples on which the vote is clearer than this keep their label.
CLEAR = 0.05
#: Halfspaces that vote with noise, in pairs about their mean.
PAIRS = 500


class OverlapVote(Vote):
    """The majority vote, with noise allowed for where classes turn out to overlap.

    Then examples that between 5% and 95% vote + on are labelled by a Bayesian probit model of the
    answers, with the same prior: a machine with slack, as Algorithm 4 has one, averaged over what
    the answers leave. Nothing is changed about labels that all halfspaces agree on.
    """

    def __init__(self, most_times: int = 1) -> None:
        super().__init__(most_times)
        #: Halfspaces in units of the noise, or None for no noise, and the state they belong to.
        self._kept: tuple[tuple[int, ...], Singles | None] | None = None

    def shares(self, at: Situation[Hypotheses], pool: Pool) -> Floats:
        """Return the share of + votes, or the chance of + where votes are divided."""
        votes = super().shares(at, pool)
        halfspaces = self._halfspaces(at, votes if pool is at.pool else None)
        return votes if halfspaces is None else _softened(votes, pool, halfspaces)

    def leaning(self, at: Situation[Hypotheses], pool: Pool) -> Shares:
        """Return the share of + votes among as many as decide each example, unless there is noise.

        Whether votes are divided takes all of them.
        """
        if not pool.is_large or self._halfspaces(at, None) is not None:
            return self.shares(at, pool)
        return super().leaning(at, pool)

    def _halfspaces(self, at: Situation[Hypotheses], votes: Floats | None) -> Singles | None:
        """Return what votes with noise, worked out once after every answer; None for no noise."""
        if at.space.allowed_slack > 0 or not at.n_answers:
            return None
        if self._kept is None or self._kept[0] != at.space.key:
            if at.pool.is_large:
                votes = at.space.shares(at.pool.sample(Purpose.QUESTIONS).pool)
            elif votes is None:
                votes = super().shares(at, at.pool)
            noise = noise_for(at.n_answers, float(minority_shares(votes).mean()))
            found = drawn(at, noise * typical_length(at.pool)) if noise > 0 else None
            self._kept = at.space.key, found
        return self._kept[1]


def noise_for(answers: int, disputed: float) -> float:
    """Return the noise to allow for in labels, in lengths of a typical row.

    Parameters
    ----------
    answers : how many there are
    disputed : the share of the votes that is in the minority, over the pool

    Examples
    --------
    >>> noise_for(100, 0.04), noise_for(100, 0.1), round(noise_for(100, 0.16), 1)
    (0.0, 0.3, 0.6)
    """
    return MOST_NOISE * float(np.clip((answers * disputed - BEGINS) / (FULL - BEGINS), 0.0, 1.0))


@one_thread()
def drawn(at: Situation[Hypotheses], noise: float) -> Singles:
    """Return halfspaces of which Phi(<w, x>) are chances of +, given the answers and some noise.

    They come in pairs that are opposite each other as seen from their mean, so that their mean is
    the model's.
    """
    across, rows = np.linalg.qr(at.pool.rows(at.answered).T)
    model = posterior(rows.T, at.signs.astype(np.float64), noise)
    free = at.space.rng(OfState.NOISY_VOTE).standard_normal((PAIRS, at.pool.dimension))
    within = free @ across
    spread = solve_triangular(model.root, within.T, lower=True, trans="T", check_finite=False).T
    free += (spread - within) @ across.T
    centre = across @ model.mean
    return np.concatenate([centre + free, centre - free]).astype(np.float32) / np.float32(noise)


def _softened(votes: Floats, pool: Pool, halfspaces: Singles) -> Floats:
    """Return the chances of + where votes are divided, and the votes elsewhere."""
    divided = np.flatnonzero((votes > CLEAR) & (votes < 1.0 - CLEAR))
    if pool.is_large:
        votes[divided] = soft_shares(pool, halfspaces)[divided]
    elif len(divided):
        votes[divided] = soft_shares(pool, halfspaces, divided)
    return votes
