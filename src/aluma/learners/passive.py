"""Passive learning: random examples, and any hypothesis that agrees with their labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints
from aluma.learners.separator import SeparatorLearner
from aluma.pool import Pool
from aluma.prediction.soft_svm import soft_svm
from aluma.promises.certificate import Certificate
from aluma.scoring.hyperplane import sides
from aluma.strategies.order import first_occurrences, given_order


class Passive(SeparatorLearner):
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
        See :class:`aluma.learners.hypotheses.VersionSpaceLearner`.
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
    regularization : float
        Weight of ``|w|^2 / 2`` against the mean hinge loss, for "soft_svm". The default is what
        the paper's model selection came to for 25 principal components of MNIST.

    Examples
    --------
    >>> learner = Passive(np.eye(3), order=[2, 0, 2])
    >>> learner.ask(2).tolist()
    [2, 0]
    """

    RULES: ClassVar[tuple[str, ...]] = ("vote", "svm", "random", "soft_svm")

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        bias: bool = False,
        kernel: Any = None,
        budget: int | None = None,
        order: npt.ArrayLike | None = None,
        predict_with: str = "vote",
        n_hypotheses: int = 1000,
        delta: float = 0.05,
        regularization: float = 1e-3,
        random_state: Any = 0,
    ) -> None:
        super().__init__(
            X,
            classes=classes,
            bias=bias,
            kernel=kernel,
            budget=budget,
            predict_with=predict_with,
            n_hypotheses=n_hypotheses,
            delta=delta,
            random_state=random_state,
        )
        if not 0 < regularization < np.inf:
            raise ValueError(f"regularization must be positive and finite, got {regularization}.")
        self.regularization = float(regularization)
        self.order = first_occurrences(given_order(order, self.seed, len(self.pool)))

    def certificate(self, *, proof_seconds: float | None = None) -> Certificate:
        """Return what can be promised now; nothing by "soft_svm", which has no version space."""
        if self.predict_with == "soft_svm":
            raise NotImplementedError(
                "predict_with='soft_svm' takes answers that no halfspace agrees with, so there is "
                "no version space and nothing can be promised: use predict_with='vote' or 'svm'."
            )
        return super().certificate(proof_seconds=proof_seconds)

    def _eligible(self) -> Bools:
        listed = np.zeros(len(self.pool), dtype=bool)
        listed[self.order] = True
        return np.asarray(super()._eligible() & listed)

    def _choose(self, eligible: Bools) -> int:
        return int(self.order[eligible[self.order].argmax()])

    def _choose_batch(self, eligible: Bools, n: int) -> Ints:
        return np.asarray(self.order[eligible[self.order]][:n])

    def _absorb(self, index: int, sign: int) -> None:
        if self.predict_with != "soft_svm":
            super()._absorb(index, sign)

    def _positive_shares(self, pool: Pool) -> Floats:
        if self.predict_with != "soft_svm":
            return super()._positive_shares(pool)
        signs = np.array([event.sign for event in self._history if event.sign], dtype=np.float64)
        direction = soft_svm(self.pool.rows(self.answered), signs, self.regularization)
        return sides(pool, direction)
