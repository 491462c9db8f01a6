"""Query by committee: ask where two random hypotheses disagree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints
from aluma.blas import one_thread
from aluma.learners.aluma import VersionSpaceLearner, check_rule
from aluma.learners.stream import StreamLearner
from aluma.pool import Pool
from aluma.sampling.blocks import streams

#: How many times the examples of one draw of hypotheses may outnumber its pairs, once the first
#: draw has found nothing: more would be cheaper, and further from a fresh pair for every example.
REUSE = 8
#: Draws that one place in the order may need; their numbers must differ from another place's.
MOST_DRAWS = 2**16


class QueryByCommittee(StreamLearner, VersionSpaceLearner):
    """Query by committee [1]_ [2]_ as in kernel query by committee [3]_: QBC in the paper.

    Examples come in random order. For each, two hypotheses are drawn uniformly from the version
    space, and its label is asked for if they disagree.

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.base.Learner`.
    order : sequence of int, optional
        The examples as they come, repeated ones included; by default all, in random order. It is
        read again and again until a whole pass asks for nothing.
    predict_with : {"vote", "random"}
        Label by majority vote of ``n_hypotheses`` drawn from the version space, the paper's choice
        for all learners, or by one random hypothesis, which is what the theory of QBC speaks of.
    n_hypotheses : int
        Size of the population.

    Notes
    -----
    Where the sources leave a choice:

    - The sources stop after many examples in a row on which the two agreed. Here that is one pass,
      or as many as make k / 2 examples if the order is shorter than that.
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
    >>> for _ in range(30):
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
        budget: int | None = None,
        order: npt.ArrayLike | None = None,
        predict_with: str = "vote",
        n_hypotheses: int = 1000,
        random_state: Any = 0,
    ) -> None:
        check_rule(predict_with, self.RULES)
        super().__init__(
            X,
            classes=classes,
            bias=bias,
            budget=budget,
            n_hypotheses=max(2, n_hypotheses),
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
        for start, examples in self._contested():
            for place, example in enumerate(examples.tolist(), start):
                if example >= 0 and eligible[example]:
                    found.setdefault(example, place)
            if len(found) >= n:
                break
        self._reached = 1 + next(iter(found.values()), self.place)
        return np.array(list(found)[:n], dtype=np.int64)

    def _contested(self) -> Iterator[tuple[int, Ints]]:
        """Yield places and the examples there, a pass in all; -1 where two hypotheses agree.

        A short order is read several times, until every pair of the population has been used.
        """
        passes = -(-(self.n_hypotheses // 2) // len(self.order))
        coming = np.tile(np.roll(self.order, -(self.place % len(self.order))), passes)
        start, draw = 0, 0
        while start < len(coming):
            hypotheses = self._drawn(draw)
            size = len(hypotheses) // 2 * min(2**draw, REUSE)
            part = coming[start : start + size]
            rng = streams((*self._population.state.key, 102, self.place, draw), 1)[0]
            differ = disagreement(self.pool, part, hypotheses, rng)
            yield self.place + start, np.where(differ, part, -1)
            start, draw = start + size, draw + 1

    def _drawn(self, draw: int) -> Floats:
        """Return hypotheses that nothing was decided by: the population, then draws from it.

        The population itself is used up where it was read with, also if a skip has led on.
        """
        told = next((event for event in reversed(self._history) if event.sign), None)
        if draw == 0 and self.place == (told.mark if told else 0):
            return self._population.hypotheses()
        return self._population.independent(1 + draw + MOST_DRAWS * self.place)

    def _positive_shares(self, pool: Pool) -> Floats:
        return self._votes(pool, self.predict_with)


@one_thread()
def disagreement(pool: Pool, examples: Ints, hypotheses: Floats, rng: np.random.Generator) -> Bools:
    """Say, for each example, whether two random hypotheses disagree about it.

    Hypotheses are matched at random into pairs, each pair for one example; with more examples than
    pairs they are matched again, as often as it takes.
    """
    k = len(hypotheses) // 2 * 2
    rounds = -(-2 * len(examples) // k)
    matched = np.stack([rng.permutation(len(hypotheses))[:k].reshape(-1, 2) for _ in range(rounds)])
    pairs = matched.reshape(-1, 2)[: len(examples)]
    out = np.empty(len(examples), dtype=bool)
    for start in range(0, len(examples), len(hypotheses)):
        part = slice(start, start + len(hypotheses))
        rows = pool.rows(examples[part])
        first = np.einsum("ij,ij->i", rows, hypotheses[pairs[part, 0]])
        second = np.einsum("ij,ij->i", rows, hypotheses[pairs[part, 1]])
        out[part] = (first >= 0) != (second >= 0)
    return out
