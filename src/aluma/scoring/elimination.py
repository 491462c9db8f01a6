"""The examples that split best, found by successive elimination.

- A random pilot of the pool is looked at first. No split exceeds 1/4, so examples of the pilot
  that are even up to a factor alpha are within alpha of the best, whatever the rest holds;
- otherwise every example is scored on a few hypotheses, and those that a bound rules out are
  dropped; the rest go on to twice as many.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, Singles
from aluma.pool import Pool
from aluma.scoring.tails import FIRST, first_round, too_few
from aluma.scoring.votes import (
    askable,
    count_positive,
    directions,
    minority_votes,
    separated_pairs,
)

#: Probability with which elimination may lose the best example, or any given candidate.
DELTA = 2e-3

# Sizes below were chosen by measurement on MNIST 4 vs 7 (12,107 x 784, 1,000 hypotheses), where a
# full scoring is 12 million products; they weigh quality of the choice against a pass of the pool.
SMALL = 1024  # rows up to which elimination costs more than it saves
PILOT = 2048  # random rows looked at before the whole pool is
LEADERS = 96  # most even examples of a round, scored in full to raise the bar
ENOUGH = 32  # even candidates that make looking at the whole pool pointless
FINALISTS = 160  # most even examples of the pilot, scored in full where even ones abound


@dataclass(frozen=True)
class Shortlist:
    """Examples whose split is within a factor alpha of the best.

    Attributes
    ----------
    indices : their rows, ascending
    positives : hypotheses that vote + on each, of all ``k``
    best : a bound on the split of every eligible example
    surveyed, minority : rows that were scored on a few hypotheses, with the minority's share there
    hypotheses : the directions in the random order they were used in, float32
    products : inner products spent
    disputed : on how many eligible examples a hypothesis is expected to be in the minority
    """

    indices: Ints
    positives: Ints
    best: float
    surveyed: Ints
    minority: Floats
    hypotheses: Singles
    products: int
    disputed: float

    @property
    def splits(self) -> Floats:
        """``v+ v-`` of each candidate on all hypotheses."""
        k = len(self.hypotheses)
        return separated_pairs(self.positives, k) / k**2


def shortlist(
    pool: Pool,
    W: npt.ArrayLike,
    eligible: Bools,
    rng: np.random.Generator,
    *,
    alpha: float = 1.05,
    delta: float = DELTA,
    effort: int = 1,
) -> Shortlist:
    """Return examples whose split on all of ``W`` is within ``alpha`` of the best.

    Where even examples abound, they are some of those within ``alpha`` of 1/4. Otherwise they are
    all that are within ``alpha`` of the best, each of them missing with probability at most
    ``delta``; what is listed is exact in any case. With more ``effort``, that many times as many
    are looked at where even examples abound.

    Notes
    -----
    The bar is the split of an example scored on all hypotheses, so it never exceeds the best, and
    whether a given example x is lost depends on the votes on x alone: no union over the pool is
    needed. If x has at least K minority votes among k, those found among n drawn without
    replacement are stochastically above a hypergeometric variable; x is dropped when so few are
    found that this has probability at most delta / 2^r in round r. The sizes of the rounds depend
    on the pilot only, whose hypotheses are drawn independently of the order used afterwards.
    """
    if not alpha >= 1.0 or not 0.0 < delta < 1.0:
        raise ValueError(f"alpha={alpha} must be at least 1, and delta={delta} in (0, 1).")
    rows = askable(pool, eligible)
    hypotheses = directions(W)
    race = _Race(pool, hypotheses[rng.permutation(len(hypotheses))], alpha)
    if len(rows) <= SMALL:
        shares = minority_votes(race.settle(rows), race.k) / race.k
        return race.result(rows, shares, race.best, len(rows))
    pilot = np.sort(rng.choice(rows, min(effort * PILOT, len(rows)), replace=False))
    few = race.hypotheses[rng.choice(race.k, min(FIRST, race.k), replace=False)]
    minority = minority_votes(race.count(few, pilot), len(few))
    race.settle(pilot[_largest(minority, LEADERS, rng)])
    if race.is_enough():
        if alpha > 1.0:
            more = pilot[_largest(minority, effort * FINALISTS, rng)]
            race.settle(more[~race.settled[more]])
        return race.result(pilot, minority / len(few), race.even, len(rows))
    return _eliminate(race, rows, rng, delta)


@dataclass
class _Race:
    """Examples scored in full so far, and the bar that they set for the others.

    Splits are kept as pairs of hypotheses separated, ``N+ N-``: whole numbers compare exactly.
    """

    pool: Pool
    hypotheses: Singles
    alpha: float
    best: int = 0
    products: int = 0
    settled: Bools = field(init=False)
    positives: Ints = field(init=False)

    def __post_init__(self) -> None:
        self.settled = np.zeros(len(self.pool), dtype=bool)
        self.positives = np.zeros(len(self.pool), dtype=np.int64)

    @property
    def k(self) -> int:
        """Number of hypotheses."""
        return len(self.hypotheses)

    @property
    def even(self) -> int:
        """Pairs that the most even vote separates."""
        return (self.k // 2) * (self.k - self.k // 2)

    def count(self, hypotheses: Singles, rows: Ints) -> Ints:
        """Return the positive votes of some hypotheses."""
        self.products += len(hypotheses) * len(rows)
        return count_positive(self.pool, hypotheses, rows)

    def settle(self, rows: Ints, known: Ints | int = 0, n: int = 0) -> Ints:
        """Score rows on all hypotheses, given the votes of the first ``n``; raise the bar."""
        positives = known + self.count(self.hypotheses[n:], rows)
        self.settled[rows] = True
        self.positives[rows] = positives
        self.best = max(self.best, int(separated_pairs(positives, self.k).max(initial=0)))
        return positives

    def is_enough(self) -> bool:
        """Whether as many even examples are settled as there is use for."""
        positives = self.positives[self.settled]
        even = self.alpha * separated_pairs(positives, self.k) >= self.even
        return int(np.count_nonzero(even)) >= (1 if self.alpha == 1.0 else ENOUGH)

    def fewest(self) -> int:
        """Return the fewest minority votes that an example within alpha of the best can have."""
        votes = np.arange(self.k // 2 + 1)
        return int(np.argmax(self.alpha * separated_pairs(votes, self.k) >= self.best))

    def result(self, surveyed: Ints, minority: Floats, best: int, eligible: int) -> Shortlist:
        """Return what is settled within alpha of ``best``, of so many eligible examples."""
        within = self.settled & (self.alpha * separated_pairs(self.positives, self.k) >= best)
        rows = np.flatnonzero(within)
        found = rows, self.positives[rows], best / self.k**2
        disputed = eligible * float(minority.mean())
        return Shortlist(*found, surveyed, minority, self.hypotheses, self.products, disputed)


def _eliminate(race: _Race, rows: Ints, rng: np.random.Generator, delta: float) -> Shortlist:
    """Score on ever more hypotheses, dropping what cannot be within alpha of the best."""
    share = delta / 2
    n = first_round(race.k, race.fewest(), share)
    positives = race.count(race.hypotheses[:n], rows)
    surveyed = minority_votes(positives, n) / n
    alive = np.flatnonzero(~race.settled[rows])
    while len(alive):
        lead = alive[_largest(minority_votes(positives[alive], n), LEADERS, rng)]
        race.settle(rows[lead], positives[lead], n)
        if race.is_enough():
            return race.result(rows, surveyed, race.even, len(rows))
        bar = too_few(race.k, race.fewest(), n, share)
        alive = alive[(minority_votes(positives[alive], n) > bar) & ~race.settled[rows[alive]]]
        if len(alive) <= 2 * LEADERS or 2 * n >= race.k:
            race.settle(rows[alive], positives[alive], n)
            break
        positives[alive] += race.count(race.hypotheses[n : 2 * n], rows[alive])
        n, share = 2 * n, share / 2
    return race.result(rows, surveyed, race.best, len(rows))


def _largest(values: Ints, n: int, rng: np.random.Generator) -> Ints:
    """Return positions of the n largest values, ties at random."""
    keys = values + rng.random(len(values))
    return np.argpartition(keys, -n)[-n:] if n < len(keys) else np.arange(len(keys))
