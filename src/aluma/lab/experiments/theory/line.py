"""Thresholds on the line, exactly: the version space is an interval and nothing is sampled.

A hypothesis is a threshold c, uniform on an interval; it labels x positive iff x >= c. Positions
are offsets from where points crowd, so that float64 resolves distances far below 1e-16.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aluma import bounds
from aluma.arrays import Floats

#: Power that makes uniform numbers crowd at 0.
CROWDING = 6


class Interval(NamedTuple):
    """The version space: thresholds that agree with the answers."""

    low: float
    high: float


@dataclass(frozen=True)
class Line:
    """A pool on the line.

    Attributes
    ----------
    points : ascending positions
    space : the interval that thresholds are drawn from
    threshold : the target
    """

    points: Floats
    space: Interval
    threshold: float

    @property
    def probability(self) -> float:
        """P(h): the share of thresholds that label the pool as the target does."""
        below = self.points[self.points < self.threshold]
        above = self.points[self.points >= self.threshold]
        low = max(self.space.low, *below[-1:]) if below.size else self.space.low
        high = min(self.space.high, *above[:1]) if above.size else self.space.high
        return float((high - low) / (self.space.high - self.space.low))


#: Chooses one of the points strictly inside the version space.
Rule: TypeAlias = Callable[[Floats, Interval], float]


def binary_search(inside: Floats, space: Interval) -> float:
    """Ask about the middle one of the unknown points: the number of known labels grows most."""
    return float(inside[(len(inside) - 1) // 2])


def greedy(inside: Floats, space: Interval) -> float:
    """Ask where the interval splits most evenly: the volume of the version space falls most."""
    return float(inside[np.abs(inside - space.low / 2 - space.high / 2).argmin()])


def adversary(alpha: float) -> Rule:
    """Return the rule of Theorem 6: the leftmost point that alpha-greediness allows."""

    def leftmost(inside: Floats, space: Interval) -> float:
        products = _products(inside, space)
        # The pool of the theorem has its points exactly at this limit.
        allowed = products >= products.max() / alpha * (1 - 1e-9)
        return float(inside[allowed.argmax()])

    return leftmost


class Needed(NamedTuple):
    """Labels after which the output is right for good, for three ways to label what is unknown.

    Attributes
    ----------
    certain : all labels follow from the answers
    vote : the majority of the version space decides
    careless : every point above the version space's lower end is called positive
    """

    certain: int
    vote: int
    careless: int


def follow(line: Line, rule: Rule) -> Needed:
    """Ask by a rule until every label is known."""
    truth = line.points >= line.threshold
    space, asked = line.space, 0
    vote = careless = 0
    while True:
        middle = space.low / 2 + space.high / 2
        if ((line.points >= middle) != truth).any():
            vote = asked + 1
        if ((line.points > space.low) != truth).any():
            careless = asked + 1
        first, last = np.searchsorted(line.points, space, side="right")
        inside = line.points[first:last]
        inside = inside[inside < space.high]
        if inside.size == 0:
            return Needed(asked, vote, careless)
        x = rule(inside, space)
        space = Interval(space.low, x) if x >= line.threshold else Interval(x, space.high)
        asked += 1


def wide(m: int) -> Line:
    """Return points at both ends and a target in the wide gap between them."""
    half = np.linspace(0.02, 0.25, m // 2)
    return Line(np.concatenate([half, 1 - half[::-1]]), Interval(0.0, 1.0), 0.5)


def halving(m: int) -> Line:
    """Return points at 1/2, 1/4, 1/8, ... and a target below them all: the smallest margin."""
    return Line(2.0 ** -np.arange(m, 0.0, -1), Interval(0.0, 1.0), 0.0)


def scattered(m: int, seed: int) -> Line:
    """Return uniform points and a uniform target."""
    rng = np.random.default_rng((seed, m))
    return Line(np.sort(rng.uniform(size=m)), Interval(0.0, 1.0), float(rng.uniform()))


def crowded(m: int, alpha: float) -> Line:
    """Return the pool of Theorem 6 as offsets from 1/2, where its points crowd.

    With e_i = 1/2 - x_i, the recursion of the proof is ``(e - e')(1/2 + e') = e / (2 alpha)``.
    """
    left = [0.5]
    while len(left) < m:
        e = left[-1]
        b = 0.5 - e
        left.append(e * (1 - 1 / alpha) / (b + np.sqrt(b * b + 2 * e * (1 - 1 / alpha))))
    # The first of them, x = 0, only starts the recursion; 1/2 itself has the offset 0.
    points = np.array([-e for e in left[1:]] + [0.0])
    return Line(points, Interval(-0.5, 0.5), 0.25)


def compare_rules(value: str, seed: int) -> dict[str, Any]:
    """Return the labels that each rule needs on a pool, ``value`` being "family-size"."""
    family, _, size = value.rpartition("-")
    m = int(size)
    line = {"wide": wide, "halving": halving}[family](m) if family != "scattered" else None
    line = scattered(m, seed) if line is None else line
    by_greed = follow(line, greedy)
    return {
        "m": m,
        "probability": line.probability,
        "binary": follow(line, binary_search).certain,
        "greedy": by_greed.certain,
        "greedy_vote": by_greed.vote,
        "adversary": follow(line, adversary(2.0)).certain,
        "adversary_vote": follow(line, adversary(2.0)).vote,
    }


def margins(m: int, seed: int) -> dict[str, Any]:
    """Return, for targets all over one pool, P(h) and the labels that greedy and binary need.

    The points are powers of uniform numbers, so that they crowd at 0 and gaps have every width.
    """
    points = np.sort(np.random.default_rng((seed, m)).uniform(size=m)) ** CROWDING
    ends = np.concatenate([[0.0], points, [1.0]])
    order = np.argsort(np.diff(ends))
    chosen = order[np.unique(np.linspace(0, m, min(m + 1, 150)).astype(int))]
    whole = Interval(0.0, 1.0)
    lines = [Line(points, whole, float(ends[i : i + 2].mean())) for i in chosen]
    return {
        "m": m,
        "probability": [line.probability for line in lines],
        "greedy": [follow(line, greedy).certain for line in lines],
        "binary": [follow(line, binary_search).certain for line in lines],
    }


def with_and_without_vote(value: str, seed: int) -> dict[str, Any]:
    """Return what the adversary needs with each output, ``value`` being "alpha-size"."""
    alpha, m = float(value.partition("-")[0]), int(value.partition("-")[2])
    line = crowded(m, alpha)
    by_adversary = follow(line, adversary(alpha))
    best = int(np.ceil(np.log2(m + 1)))
    return {
        "alpha": alpha,
        "m": m,
        "probability": line.probability,
        "opt_max": best,
        "careless": by_adversary.careless,
        "vote": by_adversary.vote,
        "greedy": follow(line, greedy).careless,
        "bound": bounds.budget(best, probability=line.probability, alpha=alpha),
    }


def _products(inside: Floats, space: Interval) -> Floats:
    return np.asarray((inside - space.low) * (space.high - inside))
