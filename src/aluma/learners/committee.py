"""Query by committee: ask where two random hypotheses disagree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy.typing as npt

from aluma.arrays import Ints, positive_integer, probability
from aluma.learners.assembly import RULES, checked_rule
from aluma.learners.learner import Learner, Parts
from aluma.promises.credible import Credible
from aluma.promises.nothing_left import NothingWanted
from aluma.representation.view import View
from aluma.sampling.kernels import checked_sampler
from aluma.spaces.plain import PlainSpace
from aluma.strategies.committee import Committee, place_after
from aluma.strategies.order import given_order
from aluma.streams import entropy


class QueryByCommittee(Learner):
    """Query by committee [1]_ [2]_ as in kernel query by committee [3]_: QBC in the paper.

    Examples come in random order. For each, two hypotheses are drawn uniformly from the version
    space, and its label is asked for if they disagree.

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.learner.Learner`.
    kernel : str, callable, dict or None
        See :class:`aluma.learners.aluma.ALuMA`.
    order : sequence of int, optional
        The examples as they come, repeated ones included; by default all, in random order. It is
        read again and again until a whole pass asks for nothing.
    predict_with : {"vote", "random"}
        Label by majority vote of ``n_hypotheses`` drawn from the version space, the paper's choice
        for all learners, or by one random hypothesis, which is what the theory of QBC speaks of.
    n_hypotheses : int
        Size of the population.
    delta : float
        What the certificate's promises may fail with.
    sampler : str
        See :class:`aluma.learners.aluma.ALuMA`.

    Notes
    -----
    Where the sources leave a choice:

    - The sources stop after many examples in a row on which the two agreed. Here, after a pass
      without a question (if that is fewer than k / 2 examples, after several), k hypotheses
      are drawn afresh. If they agree about every example of the order, the learner has finished;
      else their vote shares decide what 16 further passes would ask, and so on.
    - The paper draws the two hypotheses for every example anew, and reports that this becomes
      slow when the error is small. Here a population of k hypotheses is matched at random into
      k / 2 pairs, a pair for each of the next k / 2 examples: every example has a pair of its
      own, as in the source. If no pair disagrees, the population is flown on to an independent
      draw for the next k examples, then 2 k, and so on up to 4 k. Within a draw, a hypothesis
      may meet up to 8 examples, each with another partner. Given the version space, an
      example is still asked with probability ``2 p (1 - p)``, p its share of + votes; decisions
      about two examples of one draw are dependent only if their pairs share a hypothesis. The
      probability that a stretch of n examples has no question is that of fresh pairs up to a
      relative error of about ``n q / k``, where a hypothesis disputes a share q of them, and a
      stretch ends with the first question, when n q is about 1.
    - Draws are keyed by the seed, the answers and the place in the order.

    References
    ----------
    .. [1] H. S. Seung, M. Opper and H. Sompolinsky, "Query by committee", COLT 1992.
    .. [2] Y. Freund, H. S. Seung, E. Shamir and N. Tishby, "Selective sampling using the query by
       committee algorithm", Machine Learning 28, 1997.
    .. [3] R. Gilad-Bachrach, A. Navot and N. Tishby, "Query by committee made real", NIPS 2005.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> learner = QueryByCommittee(X, classes=("no", "yes"))
    >>> while not learner.finished:
    ...     i = learner.ask()
    ...     learner.tell(i, "yes" if X[i, 0] > 0.3 * X[i, 1] else "no")
    >>> truth = np.where(X[:, 0] > 0.3 * X[:, 1], "yes", "no")
    >>> bool((learner.predict() == truth).mean() > 0.95)
    True
    """

    #: How labels can be predicted.
    RULES: ClassVar[tuple[str, ...]] = ("vote", "random")

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        bias: bool | float = False,
        kernel: Any = None,
        budget: int | None = None,
        order: npt.ArrayLike | None = None,
        predict_with: str = "vote",
        n_hypotheses: int = 1000,
        delta: float = 0.05,
        sampler: str = "reflection",
        random_state: Any = 0,
    ) -> None:
        self.predict_with = checked_rule(predict_with, self.RULES)
        self.n_hypotheses = positive_integer(n_hypotheses, "n_hypotheses")
        if self.n_hypotheses < 2:
            raise ValueError("n_hypotheses must be at least 2: a committee has two members.")
        self.delta, self.seed = probability(delta, "delta"), entropy(random_state)
        view = View.of(X, bias=bias, kernel=kernel, seed=self.seed)
        self.order: Ints = given_order(order, self.seed, len(view))
        settings = (view.pool, self.n_hypotheses, self.seed, checked_sampler(sampler))
        parts = Parts(
            space=PlainSpace(*settings),
            strategy=Committee(self.order, len(view)),
            prediction=RULES[predict_with](),
            stopping=NothingWanted(),
            promise=Credible(self.delta),
        )
        super().__init__(view, parts, classes=classes, budget=budget)

    @property
    def place(self) -> int:
        """How many examples of the order have been read, over all passes."""
        return place_after(self.history)
