"""The best worst case of any learner, exactly, and how far greedy is from it.

A version space is a set of labelings, here the bits of an integer.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from aluma.arrays import Floats, Ints
from aluma.lab.experiments.theory.labelings import Labelings


@dataclass
class Optimum:
    """OPT_max by dynamic programming over version spaces.

    ``OPT(S) = 0`` if S is one labeling, else ``1 + min over x of max(OPT(S+), OPT(S-))``, where x
    splits S into S+ and S-. Depths are tried in turn; halves must not hold more labelings than the
    questions left can tell apart.
    """

    labelings: Labelings
    _masks: list[int] = field(init=False)
    _possible: dict[int, int] = field(init=False, default_factory=dict)
    _impossible: dict[int, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        columns = {column.tobytes(): column for column in self.labelings.signs.T}
        self._masks = [_bits(column) for column in columns.values()]

    def depth(self) -> int:
        """Return OPT_max."""
        everything = (1 << len(self.labelings.signs)) - 1
        depth = (everything.bit_count() - 1).bit_length()
        while not self._within(everything, depth):
            depth += 1
        return depth

    def _within(self, space: int, depth: int) -> bool:
        """Say whether ``depth`` questions always suffice to single out a labeling."""
        size = space.bit_count()
        if size == 1:
            return True
        if size > 1 << depth or self._impossible.get(space, -1) >= depth:
            return False
        if self._possible.get(space, depth + 1) <= depth:
            return True
        found = any(
            self._within(larger, depth - 1) and self._within(smaller, depth - 1)
            for larger, smaller in self._splits(space, size, 1 << (depth - 1))
        )
        (self._possible if found else self._impossible)[space] = depth
        return found

    def _splits(self, space: int, size: int, most: int) -> list[tuple[int, int]]:
        """Return the different splits whose larger part is small enough, the most even first."""
        halves = {}
        for mask in self._masks:
            part = space & mask
            count = part.bit_count()
            if 0 < count < size and max(count, size - count) <= most:
                larger = part if 2 * count >= size else space ^ part
                halves[larger] = max(count, size - count)
        return [(one, space ^ one) for one in sorted(halves, key=halves.__getitem__)]


@dataclass
class AverageOptimum:
    """OPT_avg by dynamic programming over version spaces.

    ``cost(S) = 0`` if S is one labeling, else ``P(S) + min over x of cost(S+) + cost(S-)``.
    """

    labelings: Labelings
    _masks: list[int] = field(init=False)
    _weights: list[float] = field(init=False)
    _known: dict[int, float] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        columns = {column.tobytes(): column for column in self.labelings.signs.T}
        self._masks = [_bits(column) for column in columns.values()]
        self._weights = self.labelings.probability.tolist()

    def cost(self) -> float:
        """Return the expected number of labels that the best learner needs."""
        return self._cost((1 << len(self._weights)) - 1)

    def _cost(self, space: int) -> float:
        if space.bit_count() == 1:
            return 0.0
        if space not in self._known:
            halves = {min(space & mask, space & ~mask) for mask in self._masks} - {0}
            best = min(self._cost(half) + self._cost(space ^ half) for half in halves)
            self._known[space] = best + self._weight(space)
        return self._known[space]

    def _weight(self, space: int) -> float:
        return sum(w for i, w in enumerate(self._weights) if space >> i & 1)


@dataclass(frozen=True)
class Greedy:
    """What the exact greedy learner needs, labeling by labeling.

    Attributes
    ----------
    certain : labels until one labeling is left
    vote : labels after which the majority vote is right for good
    """

    certain: Ints
    vote: Ints


def follow_greedy(labelings: Labelings, every: int = 1) -> Greedy:
    """Ask where the probability splits most evenly, for every labeling as the target.

    With ``every``, only the first question is greedy and then every so many-th; those between are
    the worst there are, about what is known already if possible.
    """
    signs = labelings.signs
    certain = np.zeros(len(signs), dtype=np.int64)
    vote = np.zeros(len(signs), dtype=np.int64)
    waiting: list[tuple[Ints, int]] = [(np.arange(len(signs)), 0)]
    while waiting:
        space, asked = waiting.pop()
        shares = positive_shares(labelings, space)
        wrong = ((shares >= 0.5) != signs[space]).any(axis=1)
        vote[space[wrong]] = asked + 1
        if len(space) == 1:
            certain[space] = asked
            continue
        side = signs[space, asked_about(shares, greedy=asked % every == 0)]
        waiting += [(part, asked + 1) for part in (space[side], space[~side]) if len(part)]
    return Greedy(certain, vote)


def reductions(labelings: Labelings, questions: int, every: int = 1) -> Floats:
    """Return f_avg after 0, 1, ... questions: 1 - E[P(V_t)], the target drawn from P.

    The same learner as :func:`follow_greedy`.
    """
    spaces, found = [np.arange(len(labelings.signs))], []
    for asked in range(questions + 1):
        found.append(1 - sum(float(labelings.probability[space].sum()) ** 2 for space in spaces))
        parts = []
        for space in spaces:
            shares = positive_shares(labelings, space)
            side = labelings.signs[space, asked_about(shares, greedy=asked % every == 0)]
            parts += [part for part in (space[side], space[~side]) if len(part)]
        spaces = parts
    return np.array(found)


def asked_about(shares: Floats, *, greedy: bool) -> int:
    """Return the example with the most even split, or with the least even one."""
    splits = shares * (1 - shares)
    return int(splits.argmax() if greedy else splits.argmin())


def positive_shares(labelings: Labelings, space: Ints) -> Floats:
    """Return the probability of a positive label for each example, given a version space."""
    weight = labelings.probability[space]
    return np.asarray(weight @ labelings.signs[space] / weight.sum())


def _bits(column: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    return sum(1 << int(i) for i in np.flatnonzero(column))
