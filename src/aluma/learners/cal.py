"""CAL: ask about every example whose label the answers so far do not settle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints
from aluma.errors import Undecided
from aluma.geometry.cone import guard
from aluma.learners.separator import SeparatorLearner
from aluma.learners.stream import StreamLearner
from aluma.pool import Pool
from aluma.spaces.history import Event
from aluma.strategies.order import first_occurrences

#: Examples that are looked at together: few at first, since the next one is often the question.
FEWEST, MOST = 4, 1024
#: Hypotheses kept for having differed from the separator about an example.
WITNESSES = 64


class CAL(StreamLearner, SeparatorLearner):
    """The mellow learner of Cohn, Atlas and Ladner [1]_, called CAL in the paper.

    Examples come in random order, and a label is asked for exactly when both labels are still
    possible: when consistent halfspaces differ about it. All others are inferred.

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.learner.Learner`.
    kernel : str, callable, dict or None
        See :class:`aluma.learners.hypotheses.VersionSpaceLearner`.
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

    RULES: ClassVar[tuple[str, ...]] = ("vote", "svm", "random")

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
        self._read_in(order, self.seed)
        self.order = first_occurrences(self.order)
        self._inferred: dict[int, tuple[int, int]] = {}
        self._witnesses = np.empty((0, self.pool.dimension))

    @property
    def determined(self) -> Bools:
        """Which labels were inferred, as far as the order has been read: proven, and not asked."""
        mask = np.zeros(len(self.pool), dtype=bool)
        mask[list(self._inferred)] = True
        mask[self.answered] = False
        return mask

    def fork(self) -> Self:
        """Return an independent copy."""
        twin = super().fork()
        twin._inferred = dict(self._inferred)
        return twin

    def _wanted(self, eligible: Bools, n: int) -> Ints:
        found: list[int] = []
        for example, row, contested in self._reading(eligible):
            if contested or self._is_open(example, row):
                found.append(example)
            if len(found) == n:
                break
        return np.array(found, dtype=np.int64)

    def _reading(self, eligible: Bools) -> Iterator[tuple[int, Floats, bool]]:
        """Yield what is neither answered nor inferred, and whether known hypotheses differ."""
        coming = self.order[eligible[self.order]]
        coming = coming[~np.isin(coming, list(self._inferred))]
        start, size = 0, FEWEST
        while start < len(coming):
            part = coming[start : start + size]
            rows = self.pool.rows(part)
            contested = self._contested(rows)
            yield from zip(part.tolist(), rows, contested.tolist(), strict=True)
            start, size = start + size, min(2 * size, MOST)

    def _contested(self, rows: Floats) -> Bools:
        """Say of which rows the hypotheses at hand clearly give both labels."""
        known = [self._separator.direction[None, :], self._witnesses]
        if self._walls and len(self._population.cone) == len(self._walls):
            known.append(self._population.hypotheses())
        hypotheses = np.vstack(known)
        products = rows @ hypotheses.T
        room = guard(self.pool.dimension) * np.outer(
            np.linalg.norm(rows, axis=1), np.linalg.norm(hypotheses, axis=1)
        )
        return np.asarray((products > room).any(axis=1) & (products < -room).any(axis=1))

    def _is_open(self, example: int, row: Floats) -> bool:
        """Settle whether both labels of an example are possible, and keep what is found."""
        sign = 1 if self._separator.direction @ row >= 0 else -1
        try:
            other = self._separator.other_side(sign * row)
        except Undecided:
            return True
        if other is None:
            self._inferred[example] = sign, len(self._walls)
            return False
        self._witnesses = np.vstack([self._witnesses, other])[-WITNESSES:]
        return True

    def _absorb(self, index: int, sign: int) -> None:
        super()._absorb(index, sign)
        walls = self._separator.walls
        inside = self._witnesses @ walls[-1:].T > guard(self.pool.dimension)
        self._witnesses = self._witnesses[inside.all(axis=1)]

    def _release(self, kept: Sequence[Event]) -> None:
        super()._release(kept)
        # What was inferred from fewer answers still holds, and so do hypotheses for more of them.
        left = len(self._walls)
        self._inferred = {i: known for i, known in self._inferred.items() if known[1] <= left}

    def _prove(self, seconds: float) -> None:
        self._proofs.signs.update((i, sign) for i, (sign, _) in self._inferred.items())
        super()._prove(seconds)

    def _positive_shares(self, pool: Pool) -> Floats:
        shares = super()._positive_shares(pool)
        if pool is self.pool:
            for example, (sign, _) in self._inferred.items():
                shares[example] = (sign + 1) / 2
        return shares
