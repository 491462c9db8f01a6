"""Importance weighted active learning: ask with a probability."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from aluma.arrays import Floats, Ints
from aluma.scoring.weighted_loss import Reading, WeightedLoss
from aluma.spaces.situation import Question, Situation
from aluma.spaces.space import Space
from aluma.strategies.stream import Stream
from aluma.streams import OfSeed, stream


class ImportanceWeighted(Stream[Space]):
    """Each example is asked about with the probability by which near-optimal losses may differ.

    The mark of an event is the :class:`~aluma.scoring.weighted_loss.Reading` that it leaves.
    """

    def __init__(self, order: Ints, m: int, losses: WeightedLoss, seed: int) -> None:
        super().__init__(order, m)
        self.losses, self.seed = losses, seed

    def reading(self, at: Situation[Space]) -> Reading:
        """Return where the reading of the order has come to."""
        return at.history[-1].mark if at.history else self.losses.start()

    def wanted(self, at: Situation[Space], n: int) -> list[Question]:
        """Return the next n examples that their coins ask about."""
        found: dict[int, Question] = {}
        for example, reading, probability in self._questions(at):
            found.setdefault(example, Question(example, found=(reading, probability)))
            if len(found) == n:
                break
        return list(found.values())

    def mark(
        self, at: Situation[Space], question: Question | None, index: int, sign: int
    ) -> Reading:
        """Return the reading behind an event: in its turn, or out of turn with weight 1."""
        if question is None or question.example != index:
            reading = self.reading(at)
            if sign == 0:
                return reading
            early = reading.early | {index} if self._listed[index] else reading.early
            told = replace(reading, rounds=reading.rounds + 1, early=early)
            return told.weighed(index, sign)
        before: tuple[Reading, float] = question.found
        reading, probability = before
        if sign == 0:
            return reading.left_out(index)
        return reading.weighed(index, sign / probability).read()

    def _questions(self, at: Situation[Space]) -> Iterator[tuple[int, Reading, float]]:
        """Yield the questions of a pass: the example, the reading before it, its probability."""
        signs = {event.index: event.sign for event in at.history if event.sign}
        reading, n = self.reading(at), len(self.order)
        coins = np.concatenate([self._coins(reading.place // n + more) for more in (0, 1)])
        first = reading.place // n * n
        for _ in range(n):
            example = int(self.order[reading.place % n])
            known = signs.get(example, 0)
            if example in reading.early or not (known or at.eligible[example]):
                reading = reading.left_out(example)
                continue
            if known:
                reading = reading.weighed(example, known)
            else:
                reading = self.losses.fit(reading)
                coin = float(coins[reading.place - first])
                probability = self.losses.probability(example, reading, coin)
                if coin < probability:
                    yield example, reading, probability
            reading = reading.read()

    def _coins(self, passes: int) -> Floats:
        """Return a uniform number for every place of a pass."""
        return stream(self.seed, OfSeed.COINS, passes).uniform(size=len(self.order))
