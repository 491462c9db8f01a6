"""Simple margin: ask about the example closest to the max-margin separator of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aluma.arrays import Bools, Floats, Ints
from aluma.feasibility import Infeasible
from aluma.learners.history import Event
from aluma.learners.hyperplane import ascending, closest, on_sides
from aluma.learners.hypotheses import ADVICE
from aluma.learners.kernel_columns import Kernel, KernelColumns
from aluma.learners.order import random_order
from aluma.learners.separator import SeparatorLearner
from aluma.max_margin import KernelSeparator
from aluma.pool import Pool
from aluma.version_space import Conflict


class SimpleMargin(SeparatorLearner):
    """The first heuristic of Tong and Koller [1]_, called TK in the paper.

    The max-margin separator is the centre of the largest ball in the version space, if examples
    have unit length; an example close to it is hoped to cut the version space in halves.

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.base.Learner`.
    kernel : str or callable, optional
        A Mercer kernel: a name that scikit-learn knows ("rbf", "polynomial", ...), a function of
        two examples, or "precomputed", where X is the kernel matrix of the pool and new examples
        are given by their products with it. Halfspaces are then those of its feature space.
    kernel_params : dict, optional
        Its keyword arguments, for instance ``{"gamma": 0.1}``.
    predict_with : {"svm", "vote", "random"}
        Label by the side of the separator (shares are then 0 or 1), by the majority vote of
        ``n_hypotheses`` drawn from the version space, as in the paper's experiments, or by one
        random hypothesis. With a kernel, only "svm".
    n_hypotheses : int
        Size of the population for the vote; not used, and not paid for, with "svm".

    Notes
    -----
    Where the sources leave a choice:

    - The source assumes examples of one length. Here every example is scaled to length 1, for the
      separator and for the distance ``|<w, x>| / |x|``, which is the distance of w to the
      hyperplane in the version space that the example stands for. So row scale does not matter.
    - The margin is hard and the halfspaces are homogeneous. ``bias=True`` is the constant feature
      that it is for every learner, so the intercept counts towards the norm that is minimised.
    - With answers of one class only, the separator is still defined by them: no halfspace through
      the origin of largest margin needs the other class.
    - The first question is random, by the seed (the source's experiments start from one labelled
      example of each class, the paper does not say). It is the same as that of
      :class:`aluma.learners.passive.Passive`.
    - Ties go to the lowest index; ``ask(n)`` gives the n closest.
    - With a kernel, lengths and distances are those of the feature space, and ``bias=True`` adds 1
      to the kernel. An all-zero row is left out as elsewhere, whatever the kernel makes of it,
      unless there is a bias.

    References
    ----------
    .. [1] S. Tong and D. Koller, "Support vector machine active learning with applications to text
       classification", Journal of Machine Learning Research 2, 2001.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [0.1, 1.0], [-2.0, 3.0]])
    >>> learner = SimpleMargin(X, classes=("no", "yes"))
    >>> learner.tell(0, "yes")
    >>> learner.ask()
    2
    """

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        bias: bool = False,
        budget: int | None = None,
        kernel: Kernel | None = None,
        kernel_params: Mapping[str, Any] | None = None,
        predict_with: str = "svm",
        n_hypotheses: int = 1000,
        random_state: Any = 0,
    ) -> None:
        super().__init__(
            X,
            classes=classes,
            bias=bias,
            budget=budget,
            predict_with=predict_with,
            n_hypotheses=n_hypotheses,
            random_state=random_state,
        )
        if kernel is not None and predict_with != "svm":
            raise ValueError(
                f"predict_with={predict_with!r} needs hypotheses, which are not drawn in the "
                "feature space of a kernel: use predict_with='svm'."
            )
        if kernel is None and kernel_params:
            raise ValueError(f"kernel_params={kernel_params!r} without a kernel: name it too.")
        self.kernel, self.kernel_params = kernel, kernel_params
        self._columns = (
            None if kernel is None else KernelColumns(self.pool, kernel, kernel_params or {})
        )
        self._in_features = KernelSeparator.without_walls()
        self._told: tuple[Event, ...] = ()

    def _choose(self, eligible: Bools) -> int:
        return int(self._choose_batch(eligible, 1)[0])

    def _choose_batch(self, eligible: Bools, n: int) -> Ints:
        if self.n_answers == 0:
            order = random_order(self.seed, len(self.pool))
            return np.asarray(order[eligible[order]][:n])
        rows = np.flatnonzero(eligible)
        if self._columns is None:
            return closest(self.pool, self._separator.direction, rows, self._sizes[rows], n)
        distances = np.abs(self._feature_distances(self._columns)[rows])
        return np.asarray(rows[ascending(distances)][:n])

    def _absorb(self, index: int, sign: int) -> None:
        if self._columns is None:
            super()._absorb(index, sign)
            return
        earlier = np.array([event.index for event in self._told], dtype=np.int64)
        signs = np.array([event.sign for event in self._told], dtype=np.float64)
        products = sign * signs * self._columns.column(index)[earlier]
        try:
            self._in_features = self._in_features.with_wall(products)
        except Infeasible as found:
            told = [*earlier.tolist(), index]
            raise Conflict(tuple(told[i] for i in found.support), ADVICE) from None
        self._told = (*self._told, Event(index, sign))

    def _release(self, kept: Sequence[Event]) -> None:
        super()._release(kept)
        self._told = self._told[: sum(1 for event in kept if event.sign)]
        self._in_features = self._in_features.first(len(self._told))

    def _positive_shares(self, pool: Pool) -> Floats:
        if self._columns is None:
            return super()._positive_shares(pool)
        if pool is self.pool:
            return on_sides(self._feature_distances(self._columns))
        indices, weights = self._expansion()
        if len(indices) == 0:
            return np.full(len(pool), 0.5)
        return on_sides(self._columns.products(pool, indices) @ weights)

    def _expansion(self) -> tuple[Ints, Floats]:
        """Return examples and the weights with which they add up to the unit normal."""
        coefficients = self._in_features.coefficients
        used = np.flatnonzero(coefficients)
        indices = np.array([self._told[i].index for i in used], dtype=np.int64)
        signs = np.array([self._told[i].sign for i in used], dtype=np.float64)
        return indices, signs * coefficients[used]

    def _feature_distances(self, columns: KernelColumns) -> Floats:
        """Return the signed distances of the pool's hyperplanes from the separator."""
        indices, weights = self._expansion()
        distances = np.zeros(len(self.pool))
        for index, weight in zip(indices.tolist(), weights, strict=True):
            distances += weight * columns.column(index)
        return distances
