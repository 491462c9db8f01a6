"""CAL: ask about every example whose label the answers so far do not settle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Self

import numpy as np

from aluma.arrays import Bools, Floats, Ints
from aluma.errors import Undecided
from aluma.geometry.cone import guard
from aluma.spaces.separator import SeparatorSpace
from aluma.spaces.situation import Question, Situation
from aluma.strategies.order import first_occurrences
from aluma.strategies.stream import Stream

#: Examples that are looked at together: few at first, since the next one is often the question.
FIRST_TOGETHER, MOST_TOGETHER = 4, 1024
#: Hypotheses kept for having differed from the separator about an example.
MOST_WITNESSES = 64


class BothPossible(Stream[SeparatorSpace]):
    """Every example about which consistent halfspaces differ, as it comes.

    Labels that turn out to be settled are kept with the number of walls that settled them, and
    hypotheses that differ from the separator are kept as witnesses for other examples.
    """

    def __init__(self, order: Ints, m: int, dimension: int) -> None:
        super().__init__(first_occurrences(order), m)
        self._settled: dict[int, tuple[int, int]] = {}
        self._witnesses = np.empty((0, dimension))

    def wanted(self, at: Situation[SeparatorSpace], n: int) -> list[Question]:
        """Return the next n examples whose label is open."""
        self._keep_consistent(at.space)
        found: list[Question] = []
        for example, row, contested in self._reading(at):
            if contested or self._is_open(at.space, example, row):
                found.append(Question(example))
            if len(found) == n:
                break
        return found

    def inferred(self) -> Mapping[int, int]:
        """Return the signs that are settled, as far as the order has been read."""
        return {example: sign for example, (sign, _) in self._settled.items()}

    def went_back(self, at: Situation[SeparatorSpace]) -> None:
        """Keep what was inferred from fewer answers; witnesses for more of them still hold."""
        self._settled = {
            example: known for example, known in self._settled.items() if known[1] <= len(at.space)
        }

    def fork(self) -> Self:
        """Return an independent copy."""
        twin = super().fork()
        twin._settled = dict(self._settled)
        return twin

    def _keep_consistent(self, space: SeparatorSpace) -> None:
        """Drop the witnesses that an answer has contradicted."""
        walls = space.separator.walls
        if len(walls) and len(self._witnesses):
            inside = self._witnesses @ walls.T > guard(space.pool.dimension)
            self._witnesses = self._witnesses[inside.all(axis=1)]

    def _reading(self, at: Situation[SeparatorSpace]) -> Iterator[tuple[int, Floats, bool]]:
        """Yield what is neither answered nor inferred, and whether known hypotheses differ."""
        coming = self.order[at.eligible[self.order]]
        coming = coming[~np.isin(coming, list(self._settled))]
        start, size = 0, FIRST_TOGETHER
        while start < len(coming):
            part = coming[start : start + size]
            rows = at.pool.rows(part)
            contested = self._contested(at.space, rows)
            yield from zip(part.tolist(), rows, contested.tolist(), strict=True)
            start, size = start + size, min(2 * size, MOST_TOGETHER)

    def _contested(self, space: SeparatorSpace, rows: Floats) -> Bools:
        """Say of which rows the hypotheses at hand clearly give both labels."""
        known = [space.separator.direction[None, :], self._witnesses]
        if len(space) and space.is_current:
            known.append(space.population.hypotheses())
        hypotheses = np.vstack(known)
        products = rows @ hypotheses.T
        room = guard(space.pool.dimension) * np.outer(
            np.linalg.norm(rows, axis=1), np.linalg.norm(hypotheses, axis=1)
        )
        return np.asarray((products > room).any(axis=1) & (products < -room).any(axis=1))

    def _is_open(self, space: SeparatorSpace, example: int, row: Floats) -> bool:
        """Settle whether both labels of an example are possible, and keep what is found."""
        sign = 1 if space.separator.direction @ row >= 0 else -1
        try:
            other = space.separator.other_side(sign * row)
        except Undecided:
            return True
        if other is None:
            self._settled[example] = sign, len(space)
            return False
        self._witnesses = np.vstack([self._witnesses, other])[-MOST_WITNESSES:]
        return True
