"""Query by committee: ask where two random hypotheses disagree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from aluma.arrays import Floats, Ints
from aluma.blas import one_thread
from aluma.geometry.cone import Cone
from aluma.pool import Pool
from aluma.scoring import vote_shares
from aluma.spaces.history import Event
from aluma.spaces.situation import Question, Situation
from aluma.spaces.space import Hypotheses
from aluma.strategies.stream import Stream
from aluma.streams import OfState, stream

#: How many times the examples of one draw of hypotheses may outnumber its pairs, once the first
#: draw has found nothing: more would be cheaper, and further from a fresh pair for every example.
MOST_EXAMPLES_PER_PAIR = 8
#: Draws that one place in the order may need; their numbers must differ from another place's.
MOST_DRAWS = 2**16
#: Passes that are read with the vote shares of one draw, once a whole pass has found nothing.
PASSES_AHEAD = 16
#: Examples that are looked at together at first: the next question is often among them.
FIRST_TOGETHER = 64
#: Share of a squared length that rounding can be, and the least length that is divided by.
ROUNDING, TINY = 1e-12, 1e-300


class Committee(Stream[Hypotheses]):
    """For each example that comes, two hypotheses are drawn; it is asked if they disagree.

    The mark of an event is the place in the order, over all passes, that it leaves the reading at.
    How pairs are drawn cheaply, and when a pass counts as empty, is told with
    :class:`aluma.learners.committee.QueryByCommittee`.
    """

    def wanted(self, at: Situation[Hypotheses], n: int) -> list[Question]:
        """Return the next n examples about which the two disagree."""
        reading = _Reading(self.order, at)
        found: dict[int, int] = {}
        for place, example in reading.one_pass():
            if at.eligible[example]:
                found.setdefault(example, place)
            if len(found) == n:
                break
        if not found:
            found = dict(islice(reading.further(), 1))
        return [Question(example, found=place + 1) for example, place in found.items()]

    def mark(
        self, at: Situation[Hypotheses], question: Question | None, index: int, sign: int
    ) -> int:
        """Return the place after an event: behind the question, if it is about that."""
        del sign
        asked = question is not None and question.example == index
        return int(question.found) if question is not None and asked else place_after(at.history)


def place_after(history: Sequence[Event]) -> int:
    """Return how many examples of the order have been read, over all passes."""
    return int(history[-1].mark) if history else 0


class _Reading:
    """A reading of the order from where the history has left it."""

    def __init__(self, order: Ints, at: Situation[Hypotheses]) -> None:
        self.at, self.space, self.size = at, at.space, at.space.size
        self.place = place_after(at.history)
        #: The examples that come next, for one pass.
        self.coming = np.roll(order, -(self.place % len(order)))
        #: How often the order is read before a pass counts as empty.
        self.passes = -(-(self.size // 2) // len(order))

    def one_pass(self) -> Iterator[tuple[int, int]]:
        """Yield the places of a pass whose two hypotheses disagree, and the examples there.

        A short order is read several times, until every pair of the population has been used.
        """
        coming = np.tile(self.coming, self.passes)
        start, draw = 0, 0
        while start < len(coming):
            size = self.size // 2 * min(2**draw, MOST_EXAMPLES_PER_PAIR)
            part = coming[start : start + size]
            points = self._drawn(draw)[: self.size]
            cone, rng = self.space.population.cone, self._stream(draw)
            for found in disagreements(self.at.pool, part, cone, points, rng):
                yield self.place + start + found, int(part[found])
            start, draw = start + size, draw + 1

    def further(self) -> Iterator[tuple[int, int]]:
        """Yield the next questions and their places after a pass without one.

        Ends when the hypotheses of a draw agree about everything.
        """
        draw, listed = MOST_DRAWS // 2, np.flatnonzero(self.at.eligible)
        start = self.place + self.passes * len(self.coming)
        while True:
            hypotheses = self.space.population.independent(self._number(draw))
            k = len(hypotheses)
            positive = np.rint(k * vote_shares(self.at.pool, hypotheses, listed))
            chance = np.zeros(len(self.at.pool))
            chance[listed] = 2 * positive * (k - positive) / (k * (k - 1))
            contested = np.flatnonzero(chance[self.coming])
            if len(contested) == 0:
                return
            rng = self._stream(draw)
            for _ in range(PASSES_AHEAD):
                coins = rng.uniform(size=len(contested))
                asked = contested[coins < chance[self.coming[contested]]]
                yield from ((int(self.coming[found]), start + found) for found in asked.tolist())
                start += len(self.coming)
            draw += 1

    def _stream(self, draw: int) -> np.random.Generator:
        return stream(self.space.key, OfState.COMMITTEE, self.place, draw)

    def _number(self, draw: int) -> int:
        """Return a name for a draw of hypotheses at this place."""
        return 1 + draw + MOST_DRAWS * self.place

    def _drawn(self, draw: int) -> Floats:
        """Return points that nothing was decided by: the population, then draws from it.

        The population itself is used up where it was read with, also if a skip has led on.
        """
        told = next((event for event in reversed(self.at.history) if event.sign), None)
        if draw == 0 and self.place == (told.mark if told else 0):
            return self.space.population.state.points
        return self.space.population.independent_points(self._number(draw))


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
    start, size = 0, FIRST_TOGETHER
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
