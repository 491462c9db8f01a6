"""CAL: ask about every example whose label the answers so far do not settle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Ints, positive_integer, probability
from aluma.learners.assembly import RULES, checked_rule
from aluma.learners.learner import Learner, Parts
from aluma.promises.credible import Credible
from aluma.promises.nothing_left import NothingWanted
from aluma.representation.view import View
from aluma.sampling.kernels import checked_sampler
from aluma.spaces.separator import SeparatorSpace
from aluma.strategies.cal import BothPossible
from aluma.strategies.order import given_order
from aluma.streams import entropy


class CAL(Learner):
    """The mellow learner of Cohn, Atlas and Ladner [1]_, called CAL in the paper.

    Examples come in random order, and a label is asked for exactly when both labels are still
    possible: when consistent halfspaces differ about it. All others are inferred.

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.learner.Learner`.
    kernel : str, callable, dict or None
        See :class:`aluma.learners.aluma.ALuMA`.
    order : sequence of int, optional
        The examples as they come; by default all, in random order. One that comes again has been
        answered or is settled.
    predict_with : {"vote", "svm", "random"}
        Label what is neither answered nor inferred by majority vote of ``n_hypotheses`` drawn from
        the version space, by the max-margin separator, or by one random hypothesis: the theory
        of CAL allows any consistent one.
    n_hypotheses : int
        Size of the population for the vote and the certificate; not paid for with "svm" until a
        certificate is asked for.
    delta : float
        What the certificate's promises may fail with.
    sampler : str
        See :class:`aluma.learners.aluma.ALuMA`.

    Notes
    -----
    The source trains networks that stand for the most specific and the most general concept; for
    halfspaces the test can be exact. Two hypotheses that differ are looked for first among those
    at hand: the population, if a vote has brought it up to date, the max-margin separator, and
    hypotheses that differed from it about earlier examples. Where they agree, the largest margin
    with the label turned round is computed, or shown not to exist by a non-negative combination of
    the answers that vanishes; linear programs are the second opinion
    (:mod:`aluma.geometry.feasibility`). An example that float64 cannot settle either way is asked
    about.

    References
    ----------
    .. [1] D. Cohn, L. Atlas and R. Ladner, "Improving generalization with active learning",
       Machine Learning 15, 1994.

    Examples
    --------
    >>> angle = np.deg2rad([0.0, 90.0, 45.0, 100.0])
    >>> learner = CAL(np.c_[np.cos(angle), np.sin(angle)], order=[0, 1, 2, 3])
    >>> learner.tell([0, 1], ["yes", "yes"])
    >>> learner.ask(), learner.determined.tolist()
    (3, [False, False, True, False])
    """

    #: How labels can be predicted.
    RULES: ClassVar[tuple[str, ...]] = ("vote", "svm", "random")

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
        self.delta, self.seed = probability(delta, "delta"), entropy(random_state)
        view = View.of(X, bias=bias, kernel=kernel, seed=self.seed)
        settings = (view.pool, self.n_hypotheses, self.seed, checked_sampler(sampler))
        strategy = BothPossible(
            given_order(order, self.seed, len(view)), len(view), view.pool.dimension
        )
        self.order: Ints = strategy.order
        parts = Parts(
            space=SeparatorSpace(*settings),
            strategy=strategy,
            prediction=RULES[predict_with](),
            stopping=NothingWanted(),
            promise=Credible(self.delta),
        )
        super().__init__(view, parts, classes=classes, budget=budget)

    @property
    def determined(self) -> Bools:
        """Which labels were inferred, as far as the order has been read: proven, and not asked."""
        mask = np.zeros(len(self.pool), dtype=bool)
        mask[list(self.parts.strategy.inferred())] = True
        mask[self.answered] = False
        return mask
