"""How many of a finite set of labels may be wrong, given checks drawn at random: anytime bounds.

There are n labels of which an unknown number W is wrong; checks are drawn without replacement, and
one may look after every check and stop when one likes. Both bounds below are tests by betting
(Waudby-Smith and Ramdas 2020; Shekhar et al. 2023): for each count w that W might have there is a
wealth that nobody can expect to increase if W = w, and w is ruled out when that wealth has grown by
a factor of 1 / delta. By Ville's inequality the true count is ever ruled out with probability at
most delta, however often one looks, whatever the labels are and however they were made.

- :class:`UniformChecks`, for uniform draws: the wealth is the prior-posterior ratio, a mixture of
  the chances of what was seen, over all counts, divided by its chance under w. Half of the prior is
  on "nothing is wrong", so looking at any time costs at most 1 + ln 2 / ln(1 / delta) times the
  checks of a single look, 1.23 at delta = 5%.
- :class:`WeightedChecks`, for draws with weights: bets on the importance-weighted outcomes.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from math import perm
from typing import Any

import numpy as np
from scipy.special import gammaln

from aluma.arrays import Floats, Ints

#: Share of the prior on "nothing is wrong", and of the rest on counts beyond the goal.
NOTHING, BEYOND = 0.5, 0.2
#: Counts up to here are all in the prior; further on they grow by this factor.
EVERY, GROWTH = 256, 1.02
#: Sets up to this size are judged in exact arithmetic, with weights in units of 1 / UNIT.
EXACT, UNIT = 200, 2**52
#: Shares of the largest possible bet, and what is kept on each: half on the boldest, which wins
#: fastest and loses everything with the first label found wrong where that was least expected.
BETS = np.array([1.0, 0.8, 0.6, 0.4, 0.25, 0.15, 0.1, 0.05])
STAKES = np.array([0.5, *([0.5 / 7] * 7)])


class UniformChecks:
    """Bounds on the count of wrong labels when checks are drawn uniformly.

    Parameters
    ----------
    n : labels that checks are drawn from
    goal : the count that one hopes to stay at or below; it shapes the prior and nothing else
    delta : what each bound may fail with
    """

    def __init__(self, n: int, goal: int, delta: float) -> None:
        self.n, self.goal, self.delta = n, goal, delta

    def most(self, checked: int, wrong: int) -> int:
        """Return a count that W is at most, after some checks of which some found a wrong label."""
        low, high = self._range(checked, wrong)
        mode = min(max(wrong * (self.n + 1) // max(checked, 1), low), high)
        ruled_out = self._ruled_out(checked, wrong, self._hopeful)
        return _first(lambda w: w > high or ruled_out(w), mode, high + 1) - 1

    def least(self, checked: int, wrong: int) -> int:
        """Return a count that W is at least."""
        low, high = self._range(checked, wrong)
        mode = min(max(wrong * (self.n + 1) // max(checked, 1), low), high)
        ruled_out = self._ruled_out(checked, wrong, self._open)
        return _first(lambda w: w >= mode or not ruled_out(w), low, mode)

    def _range(self, checked: int, wrong: int) -> tuple[int, int]:
        """Return the counts that are possible at all."""
        return wrong, self.n - (checked - wrong)

    def _ruled_out(
        self, checked: int, wrong: int, prior: tuple[Ints, Floats]
    ) -> Callable[[int], bool]:
        """Return a function that says whether a count is ruled out."""
        counts, weights = prior
        right = checked - wrong
        possible = (counts >= wrong) & (counts <= self.n - right)
        counts, weights = counts[possible], weights[possible]
        if self.n <= EXACT:
            return self._exactly(wrong, right, counts, weights)
        if len(counts) == 0:
            return lambda _: False
        logs = np.log(weights) + self._log_chance(counts, wrong, right)
        top = float(logs.max())
        limit = top + float(np.log(np.exp(logs - top).sum() * self.delta))
        return lambda w: self._log_chance(w, wrong, right) <= limit

    def _log_chance(self, counts: Any, wrong: int, right: int) -> Any:
        """Return ln of the chance of what was seen, up to a constant, for some counts."""
        fine = self.n - counts
        chosen_wrong = gammaln(counts + 1.0) - gammaln(counts - wrong + 1.0)
        return chosen_wrong + gammaln(fine + 1.0) - gammaln(fine - right + 1.0)

    def _exactly(
        self, wrong: int, right: int, counts: Ints, weights: Floats
    ) -> Callable[[int], bool]:
        """Return the same as :meth:`_ruled_out`, in integers.

        The weights are cut off to multiples of 1 / UNIT, which can only make the mixture smaller.
        """

        def chance(w: int) -> int:
            return perm(w, wrong) * perm(self.n - w, right)

        parts = (weights * UNIT).astype(np.int64).tolist()
        mixture = sum(part * chance(w) for w, part in zip(counts.tolist(), parts, strict=True))
        delta = Fraction(self.delta)
        limit = mixture * delta.numerator // (UNIT * delta.denominator)
        return lambda w: chance(w) <= limit

    @cached_property
    def _hopeful(self) -> tuple[Ints, Floats]:
        """The prior of the upper bound: nothing is wrong, or little, or perhaps more."""
        counts, spread = _spread(self.n)
        if len(counts) == 0:
            return np.zeros(1, dtype=np.int64), np.ones(1)
        below = counts <= self.goal
        rest = np.where(below, spread, 0.0) * (1 - BEYOND) / max(spread[below].sum(), 1e-300)
        rest += np.where(below, 0.0, spread) * BEYOND / max(spread[~below].sum(), 1e-300)
        rest *= (1 - NOTHING) / rest.sum()
        return np.concatenate([[0], counts]), np.concatenate([[NOTHING], rest])

    @cached_property
    def _open(self) -> tuple[Ints, Floats]:
        """The prior of the lower bound: any share of the labels is wrong."""
        counts, _ = _spread(self.n)
        if len(counts) == 0:
            return np.zeros(1, dtype=np.int64), np.ones(1)
        gaps = np.diff(np.concatenate([[0], counts])).astype(np.float64)
        return counts, gaps / gaps.sum()


class WeightedChecks:
    """Bounds on the count of wrong labels when checks are drawn with weights.

    A check is drawn with probability proportional to its weight among those left. If w labels are
    wrong in all and s were found so far, then ``X = 1 / probability`` where the label is wrong and
    0 where it is right has mean w - s. The upper bound bets that X will be smaller, the lower that
    it will be larger. How a bet may be scaled follows from the least weight left.

    Parameters
    ----------
    weights : (n,) positive weights, in the order of drawing
    delta : what each bound may fail with
    """

    def __init__(self, weights: Floats, delta: float) -> None:
        self.n, self.delta = len(weights), delta
        left = np.cumsum(weights[::-1])[::-1]
        #: Chance of each draw among those left.
        self.probabilities = weights / left
        least = np.minimum.accumulate(weights[::-1])[::-1]
        #: The largest that X can be at each draw.
        self._largest = left / least

    def most(self, outcomes: Floats) -> int:
        """Return a count that W is at most, given 1 for each check that found a wrong label."""
        found = int(outcomes.sum())
        high = self.n - (len(outcomes) - found)
        first = _first(lambda w: w > high or self._above(outcomes, w), found, high + 1)
        return max(first - 1, found)

    def least(self, outcomes: Floats) -> int:
        """Return a count that W is at least."""
        found = int(outcomes.sum())
        high = self.n - (len(outcomes) - found)
        return _first(lambda w: w >= high or not self._below(outcomes, w), found, high)

    def _differences(self, outcomes: Floats, w: int) -> tuple[Floats, Floats, Floats]:
        """Return what is left to be found before each check, X, and the largest that X can be."""
        t = len(outcomes)
        left = w - np.concatenate([[0.0], np.cumsum(outcomes)[:-1]]) if t else np.zeros(0)
        return left, outcomes / self.probabilities[:t], self._largest[:t]

    def _above(self, outcomes: Floats, w: int) -> bool:
        """Say whether w, and with it everything above, is ruled out."""
        left, seen, largest = self._differences(outcomes, w)
        room = largest - left
        # Where all labels left must be wrong there is nothing to bet on but rounding.
        open_to_bets = room > 1e-9 * largest
        gains = (left - seen) / np.where(open_to_bets, room, 1.0)
        return self._won(np.where(open_to_bets, gains, 0.0))

    def _below(self, outcomes: Floats, w: int) -> bool:
        """Say whether w, and with it everything below, is ruled out."""
        left, seen, _ = self._differences(outcomes, w)
        return self._won((seen - left) / np.maximum(left, 1e-12))

    def _won(self, gains: Floats) -> bool:
        """Say whether a bettor with all the stakes has 1 / delta times the start."""
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(1 + np.outer(gains, BETS), 0.0)).sum(axis=0)
        # Shares of a wealth that may be beyond what a float64 can hold.
        return bool(STAKES @ np.exp(np.minimum(logs, 700.0)) >= 1 / self.delta)


def _first(holds: Callable[[int], Any], low: int, high: int) -> int:
    """Return the first number from low to high for which something holds; it does for high."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _spread(n: int) -> tuple[Ints, Floats]:
    """Return counts from 1 to n, ever fewer of the large ones, and weights that are even in log."""
    counts = list(range(1, min(n, EVERY) + 1))
    while counts and counts[-1] < n:
        counts.append(min(n, max(counts[-1] + 1, int(counts[-1] * GROWTH))))
    found = np.array(counts, dtype=np.int64)
    if len(found) == 0:
        return found, np.zeros(0)
    weights = np.log((found + 0.5) / np.concatenate([[0.5], found[:-1] + 0.5]))
    return found, weights / weights.sum()
