"""Ask where the answer determines most labels: the greedy rule that Section 2 leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from aluma.arrays import Floats, Ints, positive_integer, probability
from aluma.learners.assembly import competitor_promise
from aluma.learners.learner import Learner, Parts
from aluma.pool import Pool
from aluma.prediction.vote import Vote
from aluma.representation.view import View
from aluma.sampling.kernels import checked_sampler
from aluma.scoring import vote_shares
from aluma.scoring.votes import vote_matrix
from aluma.spaces.plain import PlainSpace
from aluma.spaces.situation import Question, Situation
from aluma.spaces.space import Hypotheses
from aluma.strategies.strategy import Strategy
from aluma.streams import OfState, entropy

#: Examples that are considered for a question, and examples whose labels are counted, at most: all
#: pairs of them are looked at. Larger pools are represented by random ones.
CANDIDATES, JUDGED = 512, 2048


class MostDetermined(Strategy[Hypotheses]):
    """The example after whose answer, whichever it is, most labels are determined.

    A label counts as determined when all hypotheses that are left agree on it: an estimate, which
    sees no dispute that is rarer than one in as many as there are.

    Parameters
    ----------
    ties : where several determine as many, the mean over both answers decides, and then "order",
        the random order of the seed, or "split", the most even split
    """

    def __init__(self, ties: str) -> None:
        self.ties = ties

    def ask(self, at: Situation[Hypotheses]) -> Question:
        """Return the best of the candidates."""
        return Question(int(self._ranked(at)[0]))

    def ask_batch(self, at: Situation[Hypotheses], n: int) -> Ints:
        """Return the n best candidates, and others if there are fewer."""
        ranked = self._ranked(at)
        rest = np.setdiff1d(np.flatnonzero(at.eligible), ranked)
        return np.concatenate([ranked, rest])[:n]

    def _ranked(self, at: Situation[Hypotheses]) -> Ints:
        """Return the candidates, the best first."""
        voters, rows = at.space.voters(), np.flatnonzero(at.eligible)
        shares = vote_shares(at.pool, voters, rows)
        is_open = (shares > 0) & (shares < 1)
        rng = at.space.rng(OfState.SPLIT)
        shuffled = rng.permutation(rows[is_open])
        if len(shuffled) == 0:
            # All voters agree about everything: any question is as good.
            return np.asarray(rng.permutation(rows))
        candidates = shuffled[:CANDIDATES]
        plus, minus = determined(at.pool, voters, candidates, rng.permutation(shuffled)[:JUDGED])
        share = shares[np.searchsorted(rows, candidates)]
        mean = share * plus + (1 - share) * minus
        even = np.minimum(share, 1 - share) if self.ties == "split" else np.zeros(len(candidates))
        order = np.lexsort((np.arange(len(candidates)), -even, -mean, -np.minimum(plus, minus)))
        return np.asarray(candidates[order])


def determined(pool: Pool, voters: Any, candidates: Ints, judged: Ints) -> tuple[Ints, Ints]:
    """Return, for each candidate, how many labels a + and a - for it would determine."""
    asked, seen = (_votes(pool, voters, rows) for rows in (candidates, judged))
    k, both = asked.shape[1], asked @ seen.T
    positive, others = asked.sum(axis=1)[:, None], seen.sum(axis=1)[None, :] - both
    plus = ((both == 0) | (both == positive)).sum(axis=1)
    minus = ((others == 0) | (others == k - positive)).sum(axis=1)
    return plus, minus


def _votes(pool: Pool, voters: Any, rows: Ints) -> Floats:
    # Products of float32 are fast, and counts below 2^24 exact.
    return np.asarray(vote_matrix(pool, voters, rows), dtype=np.float32)


class Determined(Learner):
    """The learner that greedily determines labels, instead of shrinking the version space.

    The paper's Section 2 asks whether such a rule can be competitive, and leaves it open. On the
    line it is binary search. Where one answer determines no label but its own, as long as a pool
    has more dimensions than answers, it has nothing to go by but ``ties``.

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.learner.Learner`.
    kernel : str, callable, dict or None
        See :class:`aluma.learners.aluma.ALuMA`.
    ties : {"order", "split"}
        What decides where nothing else does: random order, or the most even split.
    n_hypotheses : int
        Size of the population that says which labels are determined, and votes.
    delta, promise, tolerance, sampler
        See :class:`aluma.learners.passive.Passive`.

    Examples
    --------
    >>> angles = np.pi * np.array([0.0, 0.02, 0.04, 0.06, 0.9])
    >>> learner = Determined(np.stack([np.cos(angles), np.sin(angles)], axis=1), classes=(-1, 1))
    >>> learner.tell(0, -1)
    >>> learner.ask()
    2
    """

    #: What may decide ties.
    TIES: ClassVar[tuple[str, ...]] = ("order", "split")

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        bias: bool = False,
        kernel: Any = None,
        budget: int | None = None,
        ties: str = "order",
        n_hypotheses: int = 1000,
        delta: float = 0.05,
        promise: str = "credible",
        tolerance: float = 0.05,
        sampler: str = "reflection",
        random_state: Any = 0,
    ) -> None:
        if ties not in self.TIES:
            raise ValueError(f"ties must be one of {', '.join(self.TIES)}, got {ties!r}.")
        self.ties, self.seed = ties, entropy(random_state)
        self.n_hypotheses = positive_integer(n_hypotheses, "n_hypotheses")
        self.delta = probability(delta, "delta")
        view = View.of(X, bias=bias, kernel=kernel, seed=self.seed)
        space = PlainSpace(view.pool, self.n_hypotheses, self.seed, checked_sampler(sampler))
        promised, rule = competitor_promise(promise, tolerance, self.delta, self.seed)
        parts = Parts(space, MostDetermined(ties), Vote(), rule, promised)
        super().__init__(view, parts, classes=classes, budget=budget)
