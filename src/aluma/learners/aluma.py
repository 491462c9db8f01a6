"""ALuMA: ask where the version space splits most evenly, label by majority vote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from aluma.arrays import checked_tolerance, positive_integer, probability
from aluma.learners.assembly import (
    checked_alpha,
    checked_margin,
    projection,
    promise_and_stopping,
    slack_or_auto,
    space_with_slack,
)
from aluma.learners.learner import Learner, Parts
from aluma.prediction.class_overlap import ClassOverlapVote
from aluma.prediction.overlap import OverlapVote
from aluma.prediction.vote import Vote
from aluma.promises.stopping import Limits
from aluma.representation.bias import bias_share
from aluma.representation.view import View
from aluma.spaces.space import Hypotheses
from aluma.strategies.split import MOST_TIMES, Split, VerifiedSplit, VolumeSplit, hypotheses_needed
from aluma.strategies.strategy import Strategy
from aluma.streams import entropy

#: How splits are estimated.
ESTIMATES: dict[str, Callable[[float, float], Strategy[Hypotheses]]] = {
    "sampling": Split,
    "verified": VerifiedSplit,
    "volume": VolumeSplit,
}


class ALuMA(Learner):
    """The aggressive learner of the paper.

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.learner.Learner`.
    prior : {"pool", "ball"}
        Which halfspaces are likely before the first answer. "ball": all directions alike, as in the
        paper. "pool": directions in which the examples of the pool differ much are expected to tell
        the classes apart, as they do in embeddings; see docs/embeddings.md.
    kernel : str, callable, dict or None
        Consider halfspaces of a Mercer kernel's features instead of the columns: "rbf", "poly",
        "cosine", "linear", "precomputed" (X is then the kernel matrix), a function, or a dict such
        as ``{"name": "rbf", "gamma": 0.5}``; see :class:`aluma.representation.Kernel`.
    slack : float or "auto"
        For labels that no halfspace separates: H, what contradicting answers may cost. "auto" is 0
        until answers contradict each other, or leave a version space too thin to explore, and from
        then on the smallest slack that they need at ``margin`` (see
        :func:`aluma.representation.smallest_slack`), or that checks at random speak for. Until
        then, labels that halfspaces dispute allow for noise where much stays in dispute
        (:mod:`aluma.prediction.overlap`). 0 is the paper's, and what "auto" is where ``estimate``
        promises something about splits.
    margin : float, optional
        gamma for "auto", for examples divided by the length of the longest.
    dimension : int, optional
        Project the lifted pool to that many dimensions (Algorithm 3) instead of using the exact
        lifted version space. Contradictions are then possible again.
    delta : float
        What the certificate's promises may fail with.
    tolerance : float
        The learner has finished when the certificate's ``error_bound`` is at most this.
    promise : {"audited", "credible"}
        What that bound rests on. "audited": labels are checked at random when the learner expects
        to pass (:attr:`phase`), and the bound holds whatever the data are. "credible": it holds for
        targets drawn from the paper's prior, and no labels are spent on checks.
    stopping : str, optional
        When it has finished: by default "passed" or "settled", which is as above; "nothing_left"
        when everything is answered, or another name in :data:`aluma.promises.rules.STOPPING`.
    estimate : {"sampling", "verified", "volume"}
        How splits are estimated. "sampling": by the votes of ``n_hypotheses``, as in the paper's
        experiments. "verified": Algorithm 2, with as many hypotheses as its theorem needs, its
        factor verified every round, and volumes estimated where that fails. "volume": Algorithm 1.
        The last two state a greedy factor in the certificate; see docs/estimate.md.
    n_hypotheses : int
        Size of the population that splits are estimated and labels voted with; more are used where
        ``estimate`` needs them.
    sampler : str
        The Markov chain that moves the hypotheses: "reflection", or another name in
        :data:`aluma.sampling.kernels.KERNELS`.
    alpha : float
        Of all examples whose split is within this factor of the best, the one is asked that leaves
        the least expected disagreement over the pool; if you go on when it is settled, three in
        four questions are the one nearest to the centre of the version space. Late, seven in eight
        are the one nearest to a tie by weights that allow for noise, or, where neighbours foretell
        answers, one whose neighbours contradict its label (with two classes, three in eight). With
        more than two classes that is from 100 answers on (ten for each class, if that is more) or
        when votes are divided on little; with two, ``slack="auto"`` and 25 features or more (a bias
        counts as one) from 40 answers on (20 to 39 if there are fewer than 800 examples) and when
        they are, unless four answers for each feature have contradicted each other nowhere. 1 is
        the paper's algorithm.
    client : dask.distributed.Client, optional
        Of the cluster that keeps the examples (a Dask or zarr array, or a path that its workers
        can read), if it is not the active one; see docs/scale.md.

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

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        bias: bool | float = False,
        prior: str = "pool",
        kernel: Any = None,
        slack: float | str = "auto",
        margin: float | None = None,
        dimension: int | None = None,
        budget: int | None = None,
        delta: float = 0.05,
        tolerance: float = 0.05,
        promise: str = "audited",
        stopping: str | None = None,
        estimate: str = "sampling",
        n_hypotheses: int = 1000,
        sampler: str = "reflection",
        alpha: float = 1.05,
        random_state: Any = 0,
        client: Any = None,
    ) -> None:
        if slack == "auto" and estimate != "sampling":
            slack = 0.0
        _check_estimate(estimate, slack, dimension)
        self.estimate, self.alpha = estimate, checked_alpha(alpha)
        self.delta, self.tolerance = probability(delta, "delta"), checked_tolerance(tolerance)
        self.slack, self.margin = slack_or_auto(slack), checked_margin(margin)
        self.dimension, self.seed = dimension, entropy(random_state)
        lifted = projection(self.slack, dimension)
        seen: dict[str, Any] = {"kernel": kernel, "prior": prior, "client": client, **lifted}
        view = View.of(X, bias=bias, seed=self.seed, **seen)
        needed = hypotheses_needed(estimate, self.delta, budget, len(view))
        self.n_hypotheses = max(positive_integer(n_hypotheses, "n_hypotheses"), needed)
        limits = Limits(self.tolerance, self.delta, estimate == "sampling")
        parts_for = _Assembly(self, view, dimension, limits, sampler, promise, stopping)
        super().__init__(view, parts_for, classes=classes, budget=budget)


class _Assembly:
    """Makes the parts for a number of classes.

    Not a function within ``__init__``: those can neither be pickled nor copied with a learner.
    """

    def __init__(
        self,
        learner: ALuMA,
        view: View,
        dimension: int | None,
        limits: Limits,
        sampler: str,
        promise: str,
        stopping: str | None,
    ) -> None:
        self._pool, self._size, self._seed = view.pool, learner.n_hypotheses, learner.seed
        self._estimate, self._alpha = learner.estimate, learner.alpha
        self._slack, self._margin = learner.slack, learner.margin
        self._dimension, self._limits, self._sampler = dimension, limits, sampler
        self._promise, self._stopping = promise, stopping

    def __call__(self, count: int) -> Parts:
        """Return the parts."""
        if count > 2:
            _check_many(count, self._estimate, self._dimension)
        promised, rule = promise_and_stopping(
            self._promise, self._stopping, self._limits, self._seed
        )
        return Parts(
            space=space_with_slack(
                self._pool,
                self._size,
                self._seed,
                self._sampler,
                slack=self._slack,
                margin=self._margin,
                dimension=self._dimension,
                classes=count,
                share=self._share if count > 2 else None,
            ),
            strategy=ESTIMATES[self._estimate](self._alpha, self._limits.delta),
            prediction=self._prediction(count),
            stopping=rule,
            promise=promised,
        )

    @cached_property
    def _share(self) -> float:
        """What weights of the bias are multiplied by, however many classes are met one by one."""
        return bias_share(self._pool)

    def _prediction(self, count: int) -> Vote:
        """Return the vote, with noise allowed for if there may be slack."""
        if self._estimate != "sampling":
            return Vote()
        if self._slack != "auto":
            return Vote(MOST_TIMES)
        return OverlapVote(MOST_TIMES) if count == 2 else ClassOverlapVote(MOST_TIMES)


def _check_many(count: int, estimate: str, dimension: int | None) -> None:
    if estimate != "sampling" or dimension is not None:
        raise ValueError(
            f"estimate={estimate!r} and dimension={dimension!r} are for two classes, and there are "
            f"{count}: use estimate='sampling' and leave dimension out."
        )


def _check_estimate(estimate: str, slack: float | str, dimension: int | None) -> None:
    if estimate not in ESTIMATES:
        raise ValueError(f"estimate must be one of {', '.join(ESTIMATES)}, got {estimate!r}.")
    if estimate != "sampling" and slack != 0 and dimension is None:
        raise ValueError(
            f"estimate={estimate!r} promises something about splits of the points that are "
            "there, but with slack unanswered examples have coordinates of their own: use "
            "estimate='sampling', or project the lifted points with dimension=."
        )
