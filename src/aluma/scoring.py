"""Which example splits the population of hypotheses best, at the cost of a few dozen of them.

A hypothesis ``w`` votes + on ``x`` when ``<w, x> >= 0``; the split of an example is the product of
its vote shares, ``v+ v-``, and greedy learners ask about the largest (Section 3 of the paper).
Scoring m examples on k hypotheses takes m k inner products. Here

- a random pilot of the pool is looked at first. No split exceeds 1/4, so examples of the pilot
  that are even up to a factor alpha are within alpha of the best, whatever the rest holds;
- otherwise every example is scored on a few hypotheses, and those that a bound rules out are
  dropped; the rest go on to twice as many (successive elimination);
- among the examples within alpha of the best, the one that leaves the least expected disagreement
  over the pool is chosen (approximate greediness put to work).

All hypotheses are exchangeable here: their order is drawn anew from the generator passed in.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from aluma.arrays import Bools, Floats, Ints, Singles
from aluma.pool import Pool

#: Probability with which elimination may lose the best example, or any given candidate.
DELTA = 2e-3

# Sizes below were chosen by measurement on MNIST 4 vs 7 (12,107 x 784, 1,000 hypotheses), where a
# full scoring is 12 million products; they weigh quality of the choice against a pass of the pool.
SMALL = 1024  # rows up to which elimination costs more than it saves
PILOT = 4096  # random rows looked at before the whole pool is
FIRST = 32  # hypotheses of the pilot, and the fewest of a pass
LEADERS = 96  # most even examples of a round, scored in full to raise the bar
ENOUGH = 32  # even candidates that make looking at the whole pool pointless
FINALISTS = 384  # most even examples of the pilot, scored in full where even ones abound
CANDIDATES = 384  # candidates compared by the disagreement they leave
WITNESSES = 1024  # contested examples that disagreement is measured on
JURY = 512  # hypotheses that it is measured with


@dataclass(frozen=True)
class Choice:
    """An example to ask about, and what is known of it.

    Attributes
    ----------
    index : row of the pool
    positive : share of all hypotheses that vote + on it
    best : a bound on the split of every eligible example: the largest found, or what an even
        vote would give (except with probability ``delta``)
    candidates : rows it was compared with, all within alpha of ``best``, itself among them
    products : inner products spent
    """

    index: int
    positive: float
    best: float
    candidates: Ints
    products: int


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
    """

    indices: Ints
    positives: Ints
    best: float
    surveyed: Ints
    minority: Floats
    hypotheses: Singles
    products: int

    @property
    def splits(self) -> Floats:
        """``v+ v-`` of each candidate on all hypotheses."""
        k = len(self.hypotheses)
        return _separated(self.positives, k) / k**2


def vote_shares(pool: Pool, W: npt.ArrayLike, indices: Ints | None = None) -> Floats:
    """Return the share of hypotheses that vote + on each example: a full scoring."""
    hypotheses = _directions(W)
    rows = np.arange(len(pool)) if indices is None else indices
    return _positives(pool, hypotheses, rows) / len(hypotheses)


def choose(
    pool: Pool,
    W: npt.ArrayLike,
    eligible: Bools,
    rng: np.random.Generator,
    *,
    alpha: float = 1.05,
    delta: float = DELTA,
) -> Choice:
    """Return the example to ask about next.

    Its split is within a factor ``alpha`` of the best eligible example's on the population ``W``,
    except with probability ``delta`` over the order of the hypotheses. With ``alpha=1`` it is the
    paper's greedy choice, ties going to the lowest row among those scored in full.

    Parameters
    ----------
    pool : Pool
    W : (k, dimension) hypotheses; only directions matter
    eligible : (m,) mask of examples that may be asked; all-zero examples never are
    rng : source of all randomness: the same state gives the same choice
    alpha : float, at least 1
    delta : float in (0, 1)
    """
    found = shortlist(pool, W, eligible, rng, alpha=alpha, delta=delta)
    return _decide(pool, found, rng, greedy=alpha == 1.0)


def choose_batch(
    pool: Pool,
    W: npt.ArrayLike,
    eligible: Bools,
    n: int,
    rng: np.random.Generator,
    *,
    alpha: float = 1.05,
    delta: float = DELTA,
) -> Ints:
    """Return ``n`` different examples that split the population jointly, best first.

    The first is `choose`'s. The votes on the examples taken so far cut the population into cells;
    the next example is the one that separates most pairs of hypotheses that still share a cell,
    ``sum over cells of N+ N-``. For one example that is the split itself; for a batch it is what
    minimises the expected share of the population left after all answers. Separated pairs are a
    coverage function, so greedy steps separate at least 1 - 1/e of the pairs that the best batch
    would, here up to a sample of the contested examples and of the hypotheses. When every pair is
    separated, pairs separated only once count, and so on; a copy of an example already taken
    separates nothing new and comes last.
    """
    rows = askable(pool, eligible)
    if not 1 <= n <= len(rows):
        raise ValueError(f"A batch of {n} was asked for: {len(rows)} examples can be asked about.")
    found = shortlist(pool, W, eligible, rng, alpha=alpha, delta=delta)
    first = _decide(pool, found, rng, greedy=alpha == 1.0).index
    surveyed, minority = found.surveyed, found.minority
    if len(surveyed) < 4 * n and len(surveyed) < len(rows):
        few = found.hypotheses[:FIRST]
        surveyed, minority = rows, _minority(_positives(pool, few, rows), len(few)) / len(few)
    drawn = _contested_sample(surveyed, minority, max(WITNESSES, 4 * n), rng)
    drawn = np.concatenate([[first], drawn[drawn != first]])
    return drawn[_joint_splits(_votes(pool, found.hypotheses[:JURY], drawn), n)]


def shortlist(
    pool: Pool,
    W: npt.ArrayLike,
    eligible: Bools,
    rng: np.random.Generator,
    *,
    alpha: float = 1.05,
    delta: float = DELTA,
) -> Shortlist:
    """Return examples whose split on all of ``W`` is within ``alpha`` of the best.

    Where even examples abound, they are some of those within ``alpha`` of 1/4. Otherwise they are
    all that are within ``alpha`` of the best, each of them missing with probability at most
    ``delta``; what is listed is exact in any case.

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
    hypotheses = _directions(W)
    race = _Race(pool, hypotheses[rng.permutation(len(hypotheses))], alpha)
    if len(rows) <= SMALL:
        shares = _minority(race.settle(rows), race.k) / race.k
        return race.result(rows, shares, race.best)
    pilot = np.sort(rng.choice(rows, min(PILOT, len(rows)), replace=False))
    few = race.hypotheses[rng.choice(race.k, min(FIRST, race.k), replace=False)]
    minority = _minority(race.count(few, pilot), len(few))
    race.settle(pilot[_largest(minority, LEADERS, rng)])
    if race.is_enough():
        if alpha > 1.0:
            more = pilot[_largest(minority, FINALISTS, rng)]
            race.settle(more[~race.settled[more]])
        return race.result(pilot, minority / len(few), race.even)
    return _eliminate(race, rows, rng, delta)


def expected_disagreement(candidates: Bools | Singles, witnesses: Bools | Singles) -> Floats:
    """Return the disagreement that asking about each candidate is expected to leave.

    An answer keeps the hypotheses that voted for it. What is left on a witness is the minority's
    share among those, weighted by the answer's probability: with ``N`` of ``k`` hypotheses voting
    y on the candidate, ``M`` of them + on the witness, ``min(M, N - M) / k`` summed over both y.

    Parameters
    ----------
    candidates, witnesses : (c, k) and (r, k) votes of the same hypotheses, or probabilities with
        which they vote +

    Returns
    -------
    (c,) means over the witnesses
    """
    asked, seen = candidates.astype(np.float32), witnesses.astype(np.float32)
    k = asked.shape[1]
    yes = asked.sum(axis=1)[:, None]
    both = asked @ seen.T
    neither_asked = seen.sum(axis=1) - both
    left = np.minimum(both, yes - both)
    left += np.minimum(neither_asked, (k - yes) - neither_asked)
    return left.mean(axis=1, dtype=np.float64) / k if len(seen) else np.zeros(len(asked))


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
        return _positives(self.pool, hypotheses, rows)

    def settle(self, rows: Ints, known: Ints | int = 0, n: int = 0) -> Ints:
        """Score rows on all hypotheses, given the votes of the first ``n``; raise the bar."""
        positives = known + self.count(self.hypotheses[n:], rows)
        self.settled[rows] = True
        self.positives[rows] = positives
        self.best = max(self.best, int(_separated(positives, self.k).max(initial=0)))
        return positives

    def is_enough(self) -> bool:
        """Whether as many even examples are settled as there is use for."""
        positives = self.positives[self.settled]
        even = self.alpha * _separated(positives, self.k) >= self.even
        return int(np.count_nonzero(even)) >= (1 if self.alpha == 1.0 else ENOUGH)

    def fewest(self) -> int:
        """Return the fewest minority votes that an example within alpha of the best can have."""
        votes = np.arange(self.k // 2 + 1)
        return int(np.argmax(self.alpha * _separated(votes, self.k) >= self.best))

    def result(self, surveyed: Ints, minority: Floats, best: int) -> Shortlist:
        """Return what is settled within alpha of ``best``."""
        within = self.settled & (self.alpha * _separated(self.positives, self.k) >= best)
        rows = np.flatnonzero(within)
        found = rows, self.positives[rows], best / self.k**2
        return Shortlist(*found, surveyed, minority, self.hypotheses, self.products)


def _eliminate(race: _Race, rows: Ints, rng: np.random.Generator, delta: float) -> Shortlist:
    """Score on ever more hypotheses, dropping what cannot be within alpha of the best."""
    share = delta / 2
    n = _first_round(race.k, race.fewest(), share)
    positives = race.count(race.hypotheses[:n], rows)
    surveyed = _minority(positives, n) / n
    alive = np.flatnonzero(~race.settled[rows])
    while len(alive):
        lead = alive[_largest(_minority(positives[alive], n), LEADERS, rng)]
        race.settle(rows[lead], positives[lead], n)
        if race.is_enough():
            return race.result(rows, surveyed, race.even)
        bar = _too_few(race.k, race.fewest(), n, share)
        alive = alive[(_minority(positives[alive], n) > bar) & ~race.settled[rows[alive]]]
        if len(alive) <= 2 * LEADERS or 2 * n >= race.k:
            race.settle(rows[alive], positives[alive], n)
            break
        positives[alive] += race.count(race.hypotheses[n : 2 * n], rows[alive])
        n, share = 2 * n, share / 2
    return race.result(rows, surveyed, race.best)


def _log_ways(n: npt.ArrayLike, j: npt.ArrayLike) -> Floats:
    """Return the logarithm of n choose j, -inf where there is no way."""
    n, j = np.asarray(n, dtype=np.float64), np.asarray(j, dtype=np.float64)
    possible = (j >= 0) & (j <= n)
    chosen = np.where(possible, j, 0.0)
    ways = gammaln(n + 1) - gammaln(chosen + 1) - gammaln(n - chosen + 1)
    return np.where(possible, ways, -np.inf)


def _first_round(k: int, fewest: int, delta: float) -> int:
    """Return how many hypotheses it takes to drop an example on which they are unanimous."""
    n = np.arange(1, k + 1)
    unseen = sum(np.exp(_log_ways(k - K, n) - _log_ways(k, n)) for K in (fewest, k // 2))
    enough = np.flatnonzero(unseen <= delta)
    needed = max(FIRST, int(n[enough[0]])) if enough.size else k
    return needed if 2 * needed <= k else k


def _too_few(k: int, fewest: int, n: int, delta: float) -> int:
    """Return the largest number of minority votes among n that rules an example out, or -1.

    With at least ``fewest`` votes of k on its rarer side, and at least k // 2 on the other, an
    example shows that few on one side or the other with probability at most ``delta``.
    """
    seen = np.arange(n // 2 + 1)
    tails = [
        np.cumsum(np.exp(_log_ways(K, seen) + _log_ways(k - K, n - seen) - _log_ways(k, n)))
        for K in (fewest, k // 2)
    ]
    return int(np.count_nonzero(tails[0] + tails[1] <= delta)) - 1


def _decide(pool: Pool, found: Shortlist, rng: np.random.Generator, *, greedy: bool) -> Choice:
    """Return the best split, or the candidate that leaves the least expected disagreement."""
    chosen = np.arange(len(found.indices))
    products = found.products
    if greedy or len(chosen) == 1 or found.best == 0.0:
        winner = int(np.argmax(found.splits))
    else:
        chosen = np.sort(rng.permutation(chosen)[:CANDIDATES])
        witnesses = _witnesses(found, chosen, rng)
        jury = found.hypotheses[:JURY]
        left = expected_disagreement(
            _votes(pool, jury, found.indices[chosen]), _votes(pool, jury, witnesses)
        )
        products += len(jury) * (len(chosen) + len(witnesses))
        winner = int(chosen[np.lexsort((-found.splits[chosen], left))[0]])
    return Choice(
        index=int(found.indices[winner]),
        positive=float(found.positives[winner] / len(found.hypotheses)),
        best=found.best,
        candidates=found.indices[chosen],
        products=products,
    )


def _witnesses(found: Shortlist, chosen: Ints, rng: np.random.Generator) -> Ints:
    """Return surveyed rows on which the candidates can differ.

    An answer that N hypotheses give overturns the vote on a row only if its minority has more
    than N / 2 of them. Rows with a smaller minority leave the same disagreement whatever is
    asked. The tenth off is for the survey, which saw only a part of the votes.
    """
    k = len(found.hypotheses)
    floor = 0.9 * float(_minority(found.positives[chosen], k).min()) / (2 * k)
    rows = found.surveyed[found.minority >= floor]
    return np.sort(rng.permutation(rows)[:WITNESSES])


def _contested_sample(rows: Ints, minority: Floats, n: int, rng: np.random.Generator) -> Ints:
    """Draw n rows without replacement, with weights that grow with the minority's share."""
    # The n largest of log weight plus Gumbel noise are such a draw; unanimous rows come last.
    keys = np.log(minority + 1e-6) + rng.gumbel(size=len(rows))
    return np.sort(rows[np.argsort(-keys)[:n]])


def _joint_splits(votes: Bools, n: int) -> Ints:
    """Return positions of n rows, starting with 0, each separating most pairs in the cells."""
    ayes = votes.astype(np.float64)
    together = 1.0 - np.eye(ayes.shape[1])
    gain = np.full(len(ayes), np.inf)
    taken = [0]
    while len(taken) < n:
        gain[taken[-1]] = -1.0
        apart = votes[taken[-1]][:, None] != votes[taken[-1]]
        # Of k <= JURY hypotheses fewer than 1e6 pairs exist: separated ones break ties only.
        together[apart] *= 1e-6
        taken.append(_largest_gain(gain, ayes, together))
    return np.array(taken)


def _largest_gain(gain: Floats, ayes: Floats, together: Floats) -> int:
    """Return who separates most weight of pairs; bring ``gain`` up to date where needed.

    Coverage has diminishing returns, so earlier gains are upper bounds: only rows whose bound
    beats the best known gain are looked at again (Minoux's accelerated greedy algorithm).
    """
    stale = gain >= 0.0
    while stale[top := int(np.argmax(gain))]:
        bounds = np.where(stale, gain, -1.0)
        again = np.argsort(-bounds, kind="stable")[: min(64, np.count_nonzero(stale))]
        if np.isinf(gain[top]):
            again = np.flatnonzero(stale)
        gain[again] = np.einsum("ij,ij->i", ayes[again] @ together, 1.0 - ayes[again])
        stale[again] = False
    return top


def askable(pool: Pool, eligible: Bools) -> Ints:
    """Return the rows that may be asked about and that a halfspace can decide."""
    mask = np.asarray(eligible)
    if mask.shape != (len(pool),) or mask.dtype != bool:
        raise ValueError(
            f"eligible has shape {mask.shape} and dtype {mask.dtype}: pass a mask of "
            f"{len(pool)} booleans, one for each example."
        )
    rows = np.flatnonzero(mask & ~pool.is_zero)
    if rows.size == 0:
        raise ValueError("No example can be asked about: none is eligible and other than zero.")
    return rows


def _directions(W: npt.ArrayLike) -> Singles:
    """Return hypotheses in float32, checked."""
    hypotheses = np.asarray(W, dtype=np.float32)
    if hypotheses.ndim != 2 or len(hypotheses) == 0:
        raise ValueError(f"Hypotheses have shape {hypotheses.shape}: pass at least one row.")
    if not np.isfinite(hypotheses).all():
        raise ValueError("A hypothesis is not finite in float32: scale hypotheses to unit norm.")
    return hypotheses


def _positives(pool: Pool, hypotheses: Singles, rows: Ints) -> Ints:
    """Return how many hypotheses vote + on each row, without holding all products at once."""
    if 5 * len(rows) > 4 * len(pool) and len(rows) < len(pool):
        # Picking rows costs a copy of each: passing over all of them is then faster.
        return _positives(pool, hypotheses, np.arange(len(pool)))[rows]
    out = np.empty(len(rows), dtype=np.int64)
    ones = np.ones(len(hypotheses), dtype=np.float32)
    blocks = pool.margin_blocks(hypotheses, None if len(rows) == len(pool) else rows)
    for part, margins in blocks:
        # Several times faster than counting booleans, and exact below 2^24 hypotheses.
        out[part] = (margins >= 0).astype(np.float32) @ ones
    return out


def _votes(pool: Pool, hypotheses: Singles, rows: Ints) -> Bools:
    return np.asarray(pool.margins(hypotheses, rows) >= 0)


def _minority(positives: Ints, k: int) -> Ints:
    return np.minimum(positives, k - positives)


def _separated(positives: Ints, k: int) -> Ints:
    """Return the pairs of hypotheses that vote differently, ``k^2 v+ v-``."""
    return positives * (k - positives)


def _largest(values: Ints, n: int, rng: np.random.Generator) -> Ints:
    """Return positions of the n largest values, ties at random."""
    keys = values + rng.random(len(values))
    return np.argpartition(keys, -n)[-n:] if n < len(keys) else np.arange(len(keys))
