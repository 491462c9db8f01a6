"""IWAL: ask with a probability, and let the answers count inversely to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import Floats, Ints
from aluma.learners.assembly import checked_positive
from aluma.learners.learner import Learner, Parts
from aluma.prediction.least_loss import LeastLoss
from aluma.promises.nothing_left import NothingWanted
from aluma.promises.promise import no_version_space
from aluma.representation.view import View
from aluma.scoring.weighted_loss import Reading, WeightedLoss
from aluma.spaces.unconstrained import Unconstrained
from aluma.strategies.iwal import ImportanceWeighted
from aluma.strategies.order import given_order
from aluma.streams import entropy


class IWAL(Learner):
    """Importance weighted active learning with loss-weighting [1]_, for noisy labels.

    Examples come in random order. An example is asked about with the probability by which the
    losses of near-optimal halfspaces may differ on it, and its answer then weighs the inverse of
    that, so that the weighted loss estimates that of all examples without bias. Labels are
    predicted by the halfspace of least weighted loss. No set of answers is a Conflict, but for two
    labels of one example. It keeps no version space, so there is no certificate.

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.learner.Learner`.
    kernel : str, callable, dict or None
        See :class:`aluma.learners.aluma.ALuMA`.
    order : sequence of int, optional
        The examples as they come, repeated ones included; by default all, in random order. It is
        read again and again until a whole pass asks for nothing.
    norm : float
        Bound on the norm of u in ``x -> <u, x>``, where x is scaled so that the longest example
        has length 1. By default the square root of 1000 of the paper's experiments.
    deviation : float
        The constant c of the deviation bound ``c / sqrt(t)`` after t examples.

    Attributes
    ----------
    weights : importance weights of the answers

    Notes
    -----
    What was chosen where the source leaves a choice:

    - The loss is logistic, divided by ``norm``, its range on the ball: losses then differ by at
      most 1.
    - Near-optimal are the u in the ball with ``L(u) <= min L + c / sqrt(t)``, L the weighted loss
      over t. The source's theorem is for finite classes, with a bound that falls like
      ``sqrt(ln(t |H|) / t)``; for halfspaces that is far too loose to leave anything unasked, so
      the practical form keeps the rate and leaves the constant to the user.
      The source intersects these sets over all t so far; here the last one is taken alone.
    - With z the smallest and Z the largest ``<u, x>`` over that set, found by two convex programs
      (:mod:`aluma.geometry.logistic_ball`), the probability is the larger of ``l(z) - l(Z)`` and
      ``l(-Z) - l(-z)``, to 1%. Whether an example is asked is often clear earlier.
    - When an example comes again whose label is known, it counts with weight 1: nothing has to be
      asked, so the probability may be 1. What was told out of turn counts with weight 1, and its
      next turn is left out. A skipped example does not count.
    - In ``ask(n)``, only the first is asked with a probability that its weight will reflect; the
      others are told out of turn.

    References
    ----------
    .. [1] A. Beygelzimer, S. Dasgupta and J. Langford, "Importance weighted active learning", ICML
       2009.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((200, 2))
    >>> learner = IWAL(X, classes=(-1, 1), budget=50)
    >>> for _ in range(50):
    ...     i = learner.ask()
    ...     learner.tell(i, 1 if X[i, 0] > 0 else -1)
    >>> bool(np.mean(learner.predict() == np.where(X[:, 0] > 0, 1, -1)) > 0.95)
    True
    """

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        bias: bool | float = False,
        kernel: Any = None,
        budget: int | None = None,
        order: npt.ArrayLike | None = None,
        norm: float = 1000**0.5,
        deviation: float = 1.0,
        random_state: Any = 0,
    ) -> None:
        self.norm = checked_positive(norm, "norm")
        self.deviation = checked_positive(deviation, "deviation")
        self.seed = entropy(random_state)
        view = View.of(X, bias=bias, kernel=kernel, seed=self.seed)
        self.order: Ints = given_order(order, self.seed, len(view))
        self._losses = WeightedLoss(view.pool, self.norm, self.deviation)
        parts = Parts(
            space=Unconstrained(view.pool),
            strategy=ImportanceWeighted(self.order, len(view), self._losses, self.seed),
            prediction=LeastLoss(self._losses),
            stopping=NothingWanted(),
            promise=no_version_space(type(self).__name__),
        )
        super().__init__(view, parts, classes=classes, budget=budget)

    @property
    def reading(self) -> Reading:
        """Where the reading of the order has come to."""
        return self.history[-1].mark if self.history else self._losses.start()

    @property
    def weights(self) -> Floats:
        """The importance weight of each answer, in the order of the answers."""
        return np.abs([self.reading.weights[i] for i in self.answered.tolist()])

    def threshold(self, i: int) -> float:
        """Return the probability with which example i would be asked about if it came now."""
        return self._losses.probability(self._checked_index(i), self._losses.fit(self.reading))
