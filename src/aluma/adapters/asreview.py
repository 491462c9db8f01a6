"""ASReview: stop screening when a share of the relevant records has provably been found.

ASReview asks about likely relevant records first, and its stoppers count irrelevant ones in a row,
which proves nothing: the relevant ones may be elsewhere. Here a second cycle draws unread records
uniformly at random, and :class:`RecallBound` stops when these checks show that few relevant ones
can be left. It is the bound of :meth:`aluma.Audit.missed`, for the labelling "all that is unread is
irrelevant". Nothing of ASReview is imported: it takes any object with these methods.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from aluma.arrays import Bools, Ints, probability
from aluma.promises.wrong_counts import UniformChecks


class Checks(BaseEstimator):  # type: ignore[misc]
    """A querier that draws unread records uniformly, as :class:`RecallBound` needs them.

    ASReview's own ``Random`` does not do if it has a seed: it begins anew with every query, so its
    draws go together.

    Parameters
    ----------
    random_state : int or None
        With an int, the same records are drawn in the same order.
    """

    name = "aluma_checks"
    label = "Random checks (aluma)"

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def query(self, p: Any) -> Ints:
        """Return the positions of the unread records in a random order."""
        unread = np.shape(p)[0]
        # A stream for each number of unread records: every query has one of its own, also when
        # this object was made anew in between.
        seed = None if self.random_state is None else (self.random_state, unread)
        return np.random.default_rng(seed).permutation(unread)


@dataclass(frozen=True)
class Screened:
    """What the checks show: with probability 1 - delta, ``missed`` is not exceeded at any time.

    Attributes
    ----------
    found : relevant records that were read
    missed : relevant records that are unread, at most
    checks : unread records that were drawn in the cycle that goes on
    """

    found: int
    missed: int
    checks: int

    @property
    def recall(self) -> float:
        """Share of the relevant records that was found, at least; 1 if there is none."""
        return self.found / (self.found + self.missed) if self.found + self.missed else 1.0


class RecallBound(BaseEstimator):  # type: ignore[misc]
    """A stopper: at least ``recall`` of the relevant records have been found, proven by checks.

    Parameters
    ----------
    recall : float
        Share of the relevant records to find.
    delta : float
        Probability, over the draws of the checks, with which that may be wrong. It holds however
        often one looks, and if screening goes on and is checked again: the j-th time has a share
        ``6 / (pi j)^2`` of it.

    Notes
    -----
    Only rows of the results whose ``querier`` is ``"aluma_checks"`` count as drawn at random. While
    there are none it does not stop, unless everything is read.
    """

    name = "aluma_recall"
    label = "Recall, proven by random checks (aluma)"

    def __init__(self, recall: float = 0.95, delta: float = 0.05) -> None:
        self.recall = recall
        self.delta = delta

    def stop(self, results: Any, data: Any) -> bool:
        """Say whether enough has been found.

        Parameters
        ----------
        results : DataFrame with a row for each record read, in order: "label" and "querier"
        data : all records, or their labels; only their number is used
        """
        wanted = probability(self.recall, "recall")
        return len(results) >= len(data) or self.screened(results, data).recall >= wanted

    def screened(self, results: Any, data: Any) -> Screened:
        """Return what was found, and how many relevant records are unread at most."""
        delta = probability(self.delta, "delta")
        relevant = np.asarray(results["label"]).astype(np.float64) == 1
        start, times = _last_run(np.asarray(results["querier"]) == Checks.name)
        unread, drawn = len(data) - start, relevant[start:]
        if not times:
            return Screened(int(relevant.sum()), unread, 0)
        bounds = UniformChecks(unread, 0, delta * 6 / (pi * times) ** 2)
        most = bounds.most(len(drawn), int(drawn.sum())) - int(drawn.sum())
        return Screened(int(relevant.sum()), most, len(drawn))


def _last_run(drawn: Bools) -> tuple[int, int]:
    """Return where the run of checks at the end begins, and which run of checks it is from 1.

    If there is none at the end, that is the end of the rows, and 0.
    """
    before = np.concatenate([[False], drawn])
    starts = np.flatnonzero(~before[:-1] & before[1:])
    if not len(drawn) or not drawn[-1]:
        return len(drawn), 0
    return int(starts[-1]), len(starts)
