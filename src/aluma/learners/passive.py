"""Passive learning: random examples, and any hypothesis that agrees with their labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Ints
from aluma.learners.simple_margin import SeparatorLearner, random_order


class Passive(SeparatorLearner):
    """Empirical risk minimisation on a random sample, called ERM in the paper.

    Examples are asked about in random order, whatever the answers are. Any halfspace that agrees
    with them minimises the empirical risk; by default the majority of them decides, as for all
    learners in the paper's experiments.

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.base.Learner`.
    kernel : str, callable, dict or None
        See :class:`aluma.learners.hypotheses.VersionSpaceLearner`.
    order : sequence of int, optional
        The positions to ask about, in this order: by default all, in the random order of the seed.
        A position that comes again is asked about once; what is not in it is never asked about.
    predict_with : {"vote", "svm"}
        Label by majority vote of ``n_hypotheses`` drawn from the version space, or by the side of
        the max-margin separator (see :class:`aluma.learners.simple_margin.SimpleMargin`).
    n_hypotheses : int
        Size of the population for the vote; not used, and not paid for, with "svm".

    Examples
    --------
    >>> learner = Passive(np.eye(3), order=[2, 0, 2])
    >>> learner.ask(2).tolist()
    [2, 0]
    """

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
            random_state=random_state,
        )
        m = len(self.pool)
        self.order = random_order(self.seed, m) if order is None else _checked_order(order, m)

    def _eligible(self) -> Bools:
        listed = np.zeros(len(self.pool), dtype=bool)
        listed[self.order] = True
        return np.asarray(super()._eligible() & listed)

    def _choose(self, eligible: Bools) -> int:
        return int(self.order[eligible[self.order].argmax()])

    def _choose_batch(self, eligible: Bools, n: int) -> Ints:
        return np.asarray(self.order[eligible[self.order]][:n])


def _checked_order(order: npt.ArrayLike, m: int) -> Ints:
    """Return positions in a pool of m examples without repetitions, or say what is wrong."""
    positions = np.asarray(order)
    if positions.ndim != 1 or positions.size == 0 or positions.dtype.kind not in "iu":
        raise TypeError(
            f"order must be a list of positions in the pool, got {positions.dtype} of shape "
            f"{positions.shape}."
        )
    outside = (positions < 0) | (positions >= m)
    if outside.any():
        raise IndexError(f"order names example {positions[outside][0]}: the pool has {m}, from 0.")
    _, first = np.unique(positions, return_index=True)
    return np.asarray(positions[np.sort(first)], dtype=np.int64)
