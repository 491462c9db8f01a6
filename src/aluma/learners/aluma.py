"""ALuMA: ask where the version space splits most evenly, label by majority vote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from aluma import bounds, scoring
from aluma.arrays import Bools, Floats, Ints, Singles, is_number, positive_integer
from aluma.learners.stopping import StoppingLearner
from aluma.pool import Pool
from aluma.representation.view import View
from aluma.scoring import Choice
from aluma.scoring.soft import choose_soft
from aluma.strategies.volume_greedy import choose_by_volume

ESTIMATES = ("sampling", "verified", "volume")

#: Numbers in the walls up to which a flight of the whole population takes about a millisecond, and
#: how many times the population votes there.
CHEAP, MOST_TIMES = 4096, 4
#: The first so many questions are chosen with that many times the usual effort: on MNIST 4 vs 7 it
#: takes a tenth off the error after 10 and 25 answers, and nothing later.
EARLY, EARLY_EFFORT = 32, 4
#: In a settled pool every fourth question is still for the best split: by splits alone labels
#: become certain (two circles, 1/epsilon = 190: 13 answers, and 71 without them).
SPLITTING = 4


class ALuMA(StoppingLearner):
    """The aggressive learner of the paper.

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.learner.Learner`.
    kernel : str, callable, dict or None
        See :class:`aluma.learners.hypotheses.VersionSpaceLearner`.
    slack, margin, dimension
        For labels that no halfspace separates: see :class:`aluma.learners.lifted.LiftedLearner`.
    delta : float
        What the certificate's promises may fail with.
    tolerance : float
        The learner has finished when the certificate's ``error_bound`` is at most this.
    estimate : {"sampling", "verified", "volume"}
        How splits are estimated. "sampling": by the votes of ``n_hypotheses``, as in the paper's
        experiments. "verified": Algorithm 2, with as many hypotheses as its theorem needs, its
        factor verified every round, and volumes estimated where that fails. "volume": Algorithm 1.
        The last two state a greedy factor in the certificate; see docs/estimate.md.
    n_hypotheses : int
        Size of the population that splits are estimated and labels voted with; more are used where
        ``estimate`` needs them.
    alpha : float
        Of all examples whose split is within this factor of the best, the one is asked that leaves
        the least expected disagreement over the pool; if you go on when it is settled, three in
        four questions are the one nearest to the centre of the version space. 1 is the paper's
        algorithm.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> learner = ALuMA(X, classes=("no", "yes"))
    >>> while not learner.finished:
    ...     i = learner.ask()
    ...     learner.tell(i, "yes" if X[i, 0] > 0.3 * X[i, 1] else "no")
    >>> truth = np.where(X[:, 0] > 0.3 * X[:, 1], "yes", "no")
    >>> bool((learner.predict() == truth).mean() > 0.98)
    True
    """

    #: Accuracy of vote shares that "verified" draws for; its theorem needs less than 1/64, and what
    #: is verified instead (bounds.verified_factor) holds at it.
    LAMBDA = 1 / 64

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
        delta: float = 0.05,
        tolerance: float = 0.0,
        estimate: str = "sampling",
        n_hypotheses: int = 1000,
        alpha: float = 1.05,
        random_state: Any = 0,
    ) -> None:
        if estimate not in ESTIMATES:
            raise ValueError(f"estimate must be one of {', '.join(ESTIMATES)}, got {estimate!r}.")
        if not is_number(alpha) or not alpha >= 1:
            raise ValueError(f"alpha must be at least 1, got {alpha!r}.")
        if estimate != "sampling" and slack != 0 and dimension is None:
            raise ValueError(
                f"estimate={estimate!r} promises something about splits of the points that are "
                "there, but with slack unanswered examples have coordinates of their own: use "
                "estimate='sampling', or project the lifted points with dimension=."
            )
        examples = X if isinstance(X, View) else Pool(X, bias=bias)
        needed = self._hypotheses_needed(estimate, delta, budget, len(examples))
        super().__init__(
            examples,
            classes=classes,
            kernel=kernel,
            slack=slack,
            margin=margin,
            dimension=dimension,
            budget=budget,
            delta=delta,
            tolerance=tolerance,
            n_hypotheses=max(positive_integer(n_hypotheses, "n_hypotheses"), needed),
            random_state=random_state,
        )
        self.estimate, self.alpha = estimate, float(alpha)
        self._chosen: Choice | None = None
        self._factors: dict[int, float] = {}

    def fork(self) -> Self:
        """Return an independent copy."""
        twin = super().fork()
        twin._factors = dict(self._factors)
        return twin

    def alternatives(self, n: int) -> Ints:
        """Return up to n other examples that are about as good to ask about, if any."""
        question, found = self.ask(), self._chosen
        if found is None or found.index != question:
            return super().alternatives(n)
        others = found.candidates[found.candidates != question]
        places = np.linspace(0, len(others) - 1, min(n, len(others))).astype(int)
        return np.asarray(others[places], dtype=np.int64)

    def change(self, i: int, label: Any) -> None:
        """Give another answer for an example told before; the others stay, in their order."""
        super().change(i, label)
        # What was asked afterwards was chosen in another version space.
        told = self.answered.tolist()
        for index in told[told.index(i) :]:
            self._factors.pop(index, None)

    @property
    def verified_factors(self) -> dict[int, float]:
        """Greedy factors, by example, that were verified when it was chosen: a copy.

        They belong to the moment of choosing and cannot be had from the answers later; assign them
        to a learner that goes on from the same answers.
        """
        return dict(self._factors)

    @verified_factors.setter
    def verified_factors(self, factors: Mapping[int, float]) -> None:
        self._factors = dict(factors)

    def _tell_one(self, index: int, label: Any) -> None:
        asked, before = index == self._question, self.n_answers
        super()._tell_one(index, label)
        if not asked and self.n_answers > before:
            # Chosen in an earlier round, if ever: nothing was verified about asking it in this one.
            self._factors.pop(index, None)

    def _clearly_contested(self) -> bool:
        """Say whether the next question alone shows that the pool is not settled yet.

        A single example on which more than delta of the hypotheses are in the minority does, so
        disputes are counted only near the end.
        """
        spent = self.budget is not None and self.n_answers >= self.budget
        if spent or self.estimate != "sampling" or self.tolerance * len(self.pool) >= 1:
            return False
        self.ask()
        share = self._chosen.positive if self._chosen else 0.0
        doubt = 3 * np.sqrt(self.delta / self.n_hypotheses)
        return bool(min(share, 1 - share) > self.delta + doubt)

    def _greedy_factor(self) -> float | None:
        factors = [self._factors.get(int(i)) for i in self.answered]
        known = [factor for factor in factors if factor is not None]
        return max(known) if known and len(known) == len(factors) else None

    def _hypotheses_needed(self, estimate: str, delta: float, budget: int | None, m: int) -> int:
        """Return the least population with which splits of m examples are estimated as promised."""
        if estimate == "verified":
            return bounds.sample_size(delta, self.LAMBDA, min(budget or m, m), m)
        return bounds.vote_size(delta) if estimate == "volume" else 1

    def _choose(self, eligible: Bools) -> int:
        if self.estimate == "volume":
            return self._by_volume(eligible, 4)
        hypotheses = self._halfspaces(self._jury())
        asked = self.pool, hypotheses, eligible, self._rng(0)
        if self._own is None:
            choice = scoring.choose(
                *asked, alpha=self.alpha, effort=self._effort(), settled=self._settled()
            )
        else:
            choice = choose_soft(*asked, alpha=self.alpha)
        self._chosen = choice
        if self.estimate == "sampling":
            return choice.index
        rows = np.flatnonzero(eligible)
        shares = scoring.vote_shares(self.pool, hypotheses, rows)
        minority = np.minimum(shares, 1 - shares)
        best = int(minority.argmax())
        own = float(minority[np.searchsorted(rows, choice.index)])
        if bounds.verified_factor(own, self.LAMBDA, best=float(minority[best])):
            self._factors[choice.index] = 2.0
            return choice.index
        if bounds.verified_factor(float(minority[best]), self.LAMBDA):
            self._factors[int(rows[best])] = 2.0
            return int(rows[best])
        return self._by_volume(eligible, 8)

    def _positive_shares(self, pool: Pool) -> Floats:
        if self._own is None:
            return scoring.vote_shares(pool, self._jury())
        return super()._positive_shares(pool)

    def _jury(self) -> Singles:
        """Return the hypotheses that questions are chosen and examples labelled by.

        Where they cost next to nothing there are more of them than the population has: the noise
        of the splits costs labels (3 of 34 on the octahedron in 10 dimensions, from 1,000 to 4,000
        hypotheses).
        """
        if self.estimate != "sampling":
            return self._population.voters()
        size = len(self._population.cone) * self._population.cone.dimension
        return self._population.voters(min(MOST_TIMES, max(1, CHEAP // max(size, 1))))

    def _effort(self) -> int:
        """Return how carefully the choice among good splits is made: more so as long as it pays.

        The first answers matter most, and after few of them hypotheses cost next to nothing.
        """
        return EARLY_EFFORT if self.alpha > 1 and self.n_answers < EARLY else 1

    def _settled(self) -> float:
        """Return how many labels a hypothesis may be expected to dispute in a settled pool.

        Below delta the promise is kept, and most questions can go to where mistakes are that nearly
        all hypotheses make. Asking nearest to the centre any sooner puts off the end (pairs of
        digits: from 128 to 156 answers, from 0.15 on).
        """
        free = self.alpha > 1 and self.estimate == "sampling" and self.n_answers % SPLITTING
        return self.delta if free else 0.0

    def _by_volume(self, eligible: Bools, share: int) -> int:
        """Choose as Algorithm 1 does; one VolEst may fail with delta / (share m T)."""
        m = len(self.pool)
        delta = self.delta / (share * m * min(self.budget or m, m))
        rows = np.flatnonzero(eligible)
        index = choose_by_volume(self.pool, self._population, rows, delta).example
        if index is None:
            # Every label is proven: no question can split anything, and any is as good.
            index = int(rows[0])
        self._factors[index] = 4.0
        return index

    def _choose_batch(self, eligible: Bools, n: int) -> Ints:
        first, rng = self.ask(), self._rng(1)
        hypotheses = self._halfspaces(self._jury())
        return scoring.choose_batch(
            self.pool, hypotheses, eligible, n, rng, alpha=self.alpha, first=first
        )
