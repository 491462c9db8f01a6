"""IWAL: ask with a probability, and let the answers count inversely to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints
from aluma.blas import one_thread
from aluma.geometry.logistic_ball import Loss
from aluma.learners.stream import StreamLearner
from aluma.pool import Pool
from aluma.representation.view import View
from aluma.scoring.hyperplane import lengths, sides
from aluma.spaces.history import Event
from aluma.streams import entropy, streams

#: A probability is known up to this share of it.
ACCURACY = 1e-2
#: Bounds on it that are looked at; about a dozen suffice.
STAGES = 100


@dataclass(frozen=True)
class Reading:
    """Where a reading of the order has come to; a function of the history.

    Attributes
    ----------
    place : examples of the order that have been read, over all passes
    rounds : how many of them, and of those told out of turn, count: t in the source
    weights : importance weight of each answer times its sign, by example
    early : examples told out of turn, whose next turn is used up
    best : the minimiser of the weighted loss, of these weights or (``stale``) earlier ones
    """

    place: int
    rounds: int
    weights: Mapping[int, float] = field(repr=False)
    early: frozenset[int]
    best: Floats = field(repr=False)
    stale: bool = False

    def read(self) -> Reading:
        """Return the reading behind an example that counts."""
        return replace(self, place=self.place + 1, rounds=self.rounds + 1)

    def left_out(self, example: int) -> Reading:
        """Return the reading behind an example that does not count in its turn."""
        return replace(self, place=self.place + 1, early=self.early - {example})

    def weighed(self, example: int, weight: float) -> Reading:
        """Return the reading with a signed weight more."""
        weights = {**self.weights, example: self.weights.get(example, 0.0) + weight}
        return replace(self, weights=weights, stale=True)


class IWAL(StreamLearner):
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
        See :class:`aluma.learners.hypotheses.VersionSpaceLearner`.
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
        bias: bool = False,
        kernel: Any = None,
        budget: int | None = None,
        order: npt.ArrayLike | None = None,
        norm: float = 1000**0.5,
        deviation: float = 1.0,
        random_state: Any = 0,
    ) -> None:
        self.seed = entropy(random_state)
        view = View.of(X, bias=bias, kernel=kernel, seed=self.seed)
        super().__init__(view, classes=classes, budget=budget)
        for name, value in (("norm", norm), ("deviation", deviation)):
            if not 0 < value < np.inf:
                raise ValueError(f"{name} must be positive and finite, got {value}.")
        self.norm, self.deviation = float(norm), float(deviation)
        self._read_in(order, self.seed)
        self._longest = float(lengths(self.pool).max()) or 1.0
        self._start = Reading(0, 0, {}, frozenset(), np.zeros(self.pool.dimension))
        self._asking: tuple[Reading, float] | None = None
        self._fitted = self._start
        self._last_loss: tuple[Mapping[int, float], Loss] | None = None

    @property
    def reading(self) -> Reading:
        """Where the reading of the order has come to."""
        return self._history[-1].mark if self._history else self._start

    @property
    def weights(self) -> Floats:
        """The importance weight of each answer, in the order of the answers."""
        return np.abs([self.reading.weights[i] for i in self.answered.tolist()])

    def threshold(self, i: int) -> float:
        """Return the probability with which example i would be asked about if it came now."""
        return self._probability(self._checked_index(i), self._fit(self.reading))

    # -- reading -------------------------------------------------------------------------------

    def _wanted(self, eligible: Bools, n: int) -> Ints:
        found: dict[int, tuple[Reading, float]] = {}
        for example, reading, probability in self._questions(eligible):
            found.setdefault(example, (reading, probability))
            if len(found) == n:
                break
        self._asking = next(iter(found.values()), None)
        return np.array(list(found), dtype=np.int64)

    def _questions(self, eligible: Bools) -> Iterator[tuple[int, Reading, float]]:
        """Yield the questions of a pass: the example, the reading before it, its probability."""
        signs = {event.index: event.sign for event in self._history if event.sign}
        reading, n = self.reading, len(self.order)
        coins = np.concatenate([self._coins(reading.place // n + more) for more in (0, 1)])
        first = reading.place // n * n
        for _ in range(n):
            example = int(self.order[reading.place % n])
            known = signs.get(example, 0)
            if example in reading.early or not (known or eligible[example]):
                reading = reading.left_out(example)
                continue
            if known:
                reading = reading.weighed(example, known)
            else:
                reading = self._fit(reading)
                coin = float(coins[reading.place - first])
                probability = self._probability(example, reading, coin)
                if coin < probability:
                    yield example, reading, probability
            reading = reading.read()

    def _coins(self, passes: int) -> Floats:
        """Return a uniform number for every place of a pass."""
        return streams((self.seed, 103, passes), 1)[0].uniform(size=len(self.order))

    def _mark(self, index: int, sign: int) -> Reading:
        if index != self._next() or self._asking is None:
            reading = self.reading
            if sign == 0:
                return reading
            early = reading.early | {index} if self._listed[index] else reading.early
            told = replace(reading, rounds=reading.rounds + 1, early=early)
            return told.weighed(index, sign)
        reading, probability = self._asking
        return (
            reading.weighed(index, sign / probability).read() if sign else reading.left_out(index)
        )

    def _absorb(self, index: int, sign: int) -> None:
        """Take any answer: the weights are in the mark of its event."""

    def _release(self, kept: Sequence[Event]) -> None:
        """Do nothing: the history is all there is."""

    # -- the convex programs -------------------------------------------------------------------

    def _loss(self, reading: Reading) -> Loss:
        """Return the weighted loss of the answers that have been counted."""
        if self._last_loss is None or self._last_loss[0] is not reading.weights:
            signed = np.array(list(reading.weights.values()), dtype=np.float64)
            rows = self.pool.rows(np.array(list(reading.weights), dtype=np.int64)) / self._longest
            loss = Loss(rows * np.sign(signed)[:, None], np.abs(signed), self.norm)
            self._last_loss = reading.weights, loss
        return self._last_loss[1]

    def _fit(self, reading: Reading) -> Reading:
        """Return a reading with the minimiser of its own weights."""
        if not reading.stale:
            return reading
        return replace(reading, best=self._loss(reading).minimiser(reading.best), stale=False)

    @one_thread()
    def _probability(self, example: int, reading: Reading, coin: float = -1.0) -> float:
        """Return the probability of asking about an example; less than the coin says no sooner."""
        x = self.pool.rows([example])[0] / self._longest
        most = self.norm * float(np.linalg.norm(x))
        if not reading.weights:
            return _spread(-most, most) / self.norm
        loss = self._loss(reading)
        level = loss.value(reading.best) + self.deviation * self.norm * reading.rounds**0.5
        ahead, behind = (loss.furthest(way, level, reading.best) for way in (x, -x))
        up = down = (0.0, most)
        for _ in range(STAGES):
            up, down = next(ahead, up), next(behind, down)
            lower = _spread(-down[0], up[0]) / self.norm
            upper = _spread(-min(down[1], most), min(up[1], most)) / self.norm
            if upper <= coin or upper - lower <= ACCURACY * lower:
                break
        return lower

    def _positive_shares(self, pool: Pool) -> Floats:
        if self._fitted.weights is not self.reading.weights:
            self._fitted = self._fit(self.reading)
        return sides(pool, self._fitted.best)


def _spread(low: float, high: float) -> float:
    """Return by how much the loss of a label can differ for products between two values."""
    positive = np.logaddexp(0.0, -low) - np.logaddexp(0.0, -high)
    negative = np.logaddexp(0.0, high) - np.logaddexp(0.0, low)
    return float(max(positive, negative))
