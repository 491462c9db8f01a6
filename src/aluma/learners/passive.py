"""Passive learning: random examples, and any hypothesis that agrees with their labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy.typing as npt

from aluma.arrays import Ints, positive_integer, probability
from aluma.learners.assembly import RULES, checked_positive, checked_rule, competitor_promise
from aluma.learners.learner import Learner, Parts
from aluma.prediction.svm import SoftMargin
from aluma.promises.nothing_left import NothingLeft
from aluma.promises.promise import NoPromise
from aluma.representation.view import View
from aluma.sampling.kernels import checked_sampler
from aluma.spaces.separator import SeparatorSpace
from aluma.spaces.unconstrained import Unconstrained
from aluma.strategies.in_order import InOrder
from aluma.strategies.order import given_order
from aluma.streams import entropy

NO_SPACE = (
    "predict_with='soft_svm' takes answers that no halfspace agrees with, so there is no version "
    "space and nothing can be promised: use predict_with='vote' or 'svm'."
)


class Passive(Learner):
    """Empirical risk minimisation on a random sample, called ERM in the paper.

    Examples are asked about in random order, whatever the answers are. Any halfspace that agrees
    with them minimises the empirical risk; by default the majority of them decides, as for all
    learners in the paper's experiments. With ``predict_with="soft_svm"`` it is the passive
    soft-SVM of Section 6.3, which needs no halfspace to agree with all answers: there is no
    Conflict then, but for two labels of one example.

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.learner.Learner`.
    kernel : str, callable, dict or None
        See :class:`aluma.learners.aluma.ALuMA`.
    order : sequence of int, optional
        The positions to ask about, in this order: by default all, in the random order of the seed.
        A position that comes again is asked about once; what is not in it is never asked about.
    predict_with : {"vote", "svm", "random", "soft_svm"}
        Label by majority vote of ``n_hypotheses`` drawn from the version space, by the side of
        the max-margin separator (see :class:`aluma.learners.simple_margin.SimpleMargin`), by one
        random hypothesis, or by the soft-margin support vector machine of the answers.
    n_hypotheses : int
        Size of the population for the vote and the certificate; not paid for with the machines
        until a certificate is asked for.
    delta : float
        What the certificate's promises may fail with.
    promise : {"credible", "audited"}
        With "audited" labels are checked at random and it has finished when at most ``tolerance``
        is wrong, see :class:`aluma.learners.aluma.ALuMA`. By default it asks about everything.
    tolerance : float
        Share of the labels that may be wrong, with "audited".
    sampler, client
        See :class:`aluma.learners.aluma.ALuMA`.
    regularization : float
        Weight of ``|w|^2 / 2`` against the mean hinge loss, for "soft_svm". The default is what
        the paper's model selection came to for 25 principal components of MNIST.

    Examples
    --------
    >>> learner = Passive(np.eye(3), order=[2, 0, 2])
    >>> learner.ask(2).tolist()
    [2, 0]
    """

    #: How labels can be predicted.
    RULES: ClassVar[tuple[str, ...]] = ("vote", "svm", "random", "soft_svm")

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
        promise: str = "credible",
        tolerance: float = 0.05,
        regularization: float = 1e-3,
        sampler: str = "reflection",
        random_state: Any = 0,
        client: Any = None,
    ) -> None:
        self.predict_with = checked_rule(predict_with, self.RULES)
        self.n_hypotheses = positive_integer(n_hypotheses, "n_hypotheses")
        self.regularization = checked_positive(regularization, "regularization")
        self.delta, self.seed = probability(delta, "delta"), entropy(random_state)
        view = View.of(X, bias=bias, kernel=kernel, seed=self.seed, client=client)
        strategy = InOrder(given_order(order, self.seed, len(view)))
        self.order: Ints = strategy.order
        settings = (view.pool, self.n_hypotheses, self.seed, checked_sampler(sampler))
        if predict_with == "soft_svm":
            soft = SoftMargin(self.regularization)
            if promise != "credible":
                raise ValueError(f"promise={promise!r} needs a version space. {NO_SPACE}")
            space, nothing = Unconstrained(view.pool), NoPromise(NO_SPACE)
            parts = Parts(space, strategy, soft, NothingLeft(), nothing)
        else:
            promised, rule = competitor_promise(promise, tolerance, self.delta, self.seed)
            vote = RULES[predict_with]()
            parts = Parts(SeparatorSpace(*settings), strategy, vote, rule, promised)
        super().__init__(view, parts, classes=classes, budget=budget)
