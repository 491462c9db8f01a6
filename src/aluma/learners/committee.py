"""Query by committee: ask where two random hypotheses disagree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, positive_integer
from aluma.blas import one_thread
from aluma.geometry.cone import Cone
from aluma.learners.certified import CertifiedLearner
from aluma.learners.hypotheses import check_rule
from aluma.learners.stream import StreamLearner
from aluma.pool import Pool
from aluma.scoring import vote_shares
from aluma.streams import streams

#: How many times the examples of one draw of hypotheses may outnumber its pairs, once the first
#: draw has found nothing: more would be cheaper, and further from a fresh pair for every example.
REUSE = 8
#: Draws that one place in the order may need; their numbers must differ from another place's.
MOST_DRAWS = 2**16
#: Passes that are read with the vote shares of one draw, once a whole pass has found nothing.
AHEAD = 16
#: Examples that are looked at together at first: the next question is often among them.
FEWEST = 64
#: Share of a squared length that rounding can be.
ROUNDING, TINY = 1e-12, 1e-300


class QueryByCommittee(StreamLearner, CertifiedLearner):
    """Query by committee [1]_ [2]_ as in kernel query by committee [3]_: QBC in the paper.

    Examples come in random order. For each, two hypotheses are drawn uniformly from the version
    space, and its label is asked for if they disagree.

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.learner.Learner`.
    kernel : str, callable, dict or None
        See :class:`aluma.learners.hypotheses.VersionSpaceLearner`.
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

    RULES: ClassVar[tuple[str, ...]] = ("vote", "random")

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
        random_state: Any = 0,
    ) -> None:
        check_rule(predict_with, self.RULES)
        if positive_integer(n_hypotheses, "n_hypotheses") < 2:
            raise ValueError("n_hypotheses must be at least 2: a committee has two members.")
        super().__init__(
            X,
            classes=classes,
            bias=bias,
            kernel=kernel,
            budget=budget,
            n_hypotheses=n_hypotheses,
            delta=delta,
            random_state=random_state,
        )
        self.predict_with = predict_with
        self._reached = 0
        self._read_in(order, self.seed)

    @property
    def place(self) -> int:
        """How many examples of the order have been read, over all passes."""
        return self._history[-1].mark if self._history else 0

    def _mark(self, index: int, sign: int) -> int:
        """Return the place after an event: behind the question, if it is about that."""
        return self._reached if index == self._next() else self.place

    def _wanted(self, eligible: Bools, n: int) -> Ints:
        found: dict[int, int] = {}
        for place, example in self._pass():
            if eligible[example]:
                found.setdefault(example, place)
            if len(found) == n:
                break
        if not found:
            found = dict(islice(self._further(eligible), 1))
        self._reached = 1 + next(iter(found.values()), self.place)
        return np.array(list(found), dtype=np.int64)

    def _pass(self) -> Iterator[tuple[int, int]]:
        """Yield the places of a pass whose two hypotheses disagree, and the examples there.

        A short order is read several times, until every pair of the population has been used.
        """
        coming = np.tile(self._coming(), self._passes)
        start, draw = 0, 0
        while start < len(coming):
            size = self.n_hypotheses // 2 * min(2**draw, REUSE)
            part = coming[start : start + size]
            points = self._drawn(draw)[: self.n_hypotheses]
            cone, rng = self._population.cone, self._stream(draw)
            for at in disagreements(self.pool, part, cone, points, rng):
                yield self.place + start + at, int(part[at])
            start, draw = start + size, draw + 1

    def _further(self, eligible: Bools) -> Iterator[tuple[int, int]]:
        """Yield the next questions and their places after a pass without one.

        Ends when the hypotheses of a draw agree about everything.
        """
        coming, draw = self._coming(), MOST_DRAWS // 2
        listed = np.flatnonzero(eligible)
        start = self.place + self._passes * len(coming)
        while True:
            hypotheses = self._population.independent(self._number(draw))
            k = len(hypotheses)
            positive = np.rint(k * vote_shares(self.pool, hypotheses, listed))
            chance = np.zeros(len(self.pool))
            chance[listed] = 2 * positive * (k - positive) / (k * (k - 1))
            contested = np.flatnonzero(chance[coming])
            if len(contested) == 0:
                return
            rng = self._stream(draw)
            for _ in range(AHEAD):
                asked = contested[rng.uniform(size=len(contested)) < chance[coming[contested]]]
                yield from ((int(coming[at]), start + at) for at in asked.tolist())
                start += len(coming)
            draw += 1

    @property
    def _passes(self) -> int:
        """How often the order is read before a pass counts as empty."""
        return -(-(self.n_hypotheses // 2) // len(self.order))

    def _coming(self) -> Ints:
        """Return the examples that come next, for one pass."""
        return np.roll(self.order, -(self.place % len(self.order)))

    def _stream(self, draw: int) -> np.random.Generator:
        return streams((*self._population.state.key, 102, self.place, draw), 1)[0]

    def _number(self, draw: int) -> int:
        """Return a name for a draw of hypotheses at this place."""
        return 1 + draw + MOST_DRAWS * self.place

    def _drawn(self, draw: int) -> Floats:
        """Return points that nothing was decided by: the population, then draws from it.

        The population itself is used up where it was read with, also if a skip has led on.
        """
        told = next((event for event in reversed(self._history) if event.sign), None)
        if draw == 0 and self.place == (told.mark if told else 0):
            return self._population.state.points
        return self._population.independent_points(self._number(draw))

    def _positive_shares(self, pool: Pool) -> Floats:
        return self._votes(pool, self.predict_with)


def disagreements(
    pool: Pool, examples: Ints, cone: Cone, points: Floats, rng: np.random.Generator
) -> Iterator[int]:
    """Yield the positions of examples about which two random hypotheses disagree.

    Points of the chains are matched at random into pairs, each pair for one example; with more
    examples than pairs they are matched again, as often as it takes.
    """
    n, k = len(examples), len(points) // 2 * 2
    rounds = [rng.permutation(len(points))[:k].reshape(-1, 2) for _ in range(-(-2 * n // k))]
    pairs = np.concatenate(rounds)[:n]
    scales = np.sqrt(rng.chisquare(max(cone.rank, 1), size=(n, 2)))
    free = rng.standard_normal((n, 2))
    start, size = 0, FEWEST
    while start < n:
        part = slice(start, start + size)
        chosen = points[pairs[part]]
        products = gaussian_products(
            pool.rows(examples[part]), cone, chosen, scales[part], free[part]
        )
        yield from (start + np.flatnonzero((products[:, 0] >= 0) != (products[:, 1] >= 0))).tolist()
        start, size = start + size, 2 * size


@one_thread()
def gaussian_products(
    rows: Floats, cone: Cone, points: Floats, scales: Floats, free: Floats
) -> Floats:
    """Return products of rows with hypotheses of their own, (n, 2), given (n, 2, r) points.

    A hypothesis is ``scale * direction(point)`` in the span of the walls, with a chi-squared of r
    degrees of freedom for scale^2, and a free Gaussian orthogonal to it. Only one number is needed
    of the latter, its product with the row, which is Gaussian with the length of what the span
    misses of the row. Hypotheses in the whole space would take longer than all the rest.
    """
    within = rows @ cone.basis
    squares = np.einsum("ij,ij->i", rows, rows)
    missed = squares - np.einsum("ij,ij->i", within, within)
    # A row in the span of the walls must not be decided by what rounding leaves of it.
    missed[missed <= ROUNDING * squares] = 0.0
    directions = points / np.maximum(np.linalg.norm(points, axis=2, keepdims=True), TINY)
    spanned = scales * np.einsum("ij,ihj->ih", within, directions)
    return np.asarray(spanned + np.sqrt(missed)[:, None] * free)
