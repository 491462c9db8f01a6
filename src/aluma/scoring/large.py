"""Questions in large pools: a sample is looked at first, and all of the pool only if need be.

No split exceeds 1/4. So if the sample has examples that are even up to a factor alpha, they are
within alpha of the best, whatever the rest of the pool holds, and the cost of a question does not
grow with the pool. Otherwise the best split of the sample is a bar, and every block of the pool is
asked, where it is, for examples that are above it: a block returns a few of them, and never rows.

Whether an example is found depends on the votes on it alone, and ties go to the lowest row: the
same numbers give the same question, however they are cut into blocks and wherever those are.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, Singles
from aluma.pool import Pool
from aluma.pool.sample import Purpose, Sample
from aluma.pool.scratch import room_for
from aluma.scoring.elimination import DELTA, Shortlist, shortlist
from aluma.scoring.exact import count_exactly
from aluma.scoring.tails import first_round, too_few
from aluma.scoring.votes import askable, minority_votes, separated_pairs

#: Fewer examples of the sample that can be asked about do not stand for the pool; others are drawn.
FEWEST = 1024
#: Examples that a block, and then the pool, has to offer at most: those that split best. With as
#: many as 1,024 no fewer labels were wrong, and what travels grew with the pool for longer.
OFFERED = 64
#: Rows more than are wanted that rounding may leave among the nearest.
MORE_NEAR = 1024
#: Hypotheses that all examples are looked at with when the sample is unanimous.
GLANCE = 64


def looked_at(pool: Pool, eligible: Bools, rng: np.random.Generator) -> tuple[Sample, Bools]:
    """Return examples that stand for a large pool, and which of them may be asked about.

    They are the pool's own sample, unless hardly any of that is left: then others are drawn.
    """
    sample = pool.sample(Purpose.QUESTIONS)
    open_ = eligible[sample.rows] & ~pool.zero_mask[sample.rows]
    if np.count_nonzero(open_) >= FEWEST:
        return sample, open_
    rows = askable(pool, eligible)
    rows = np.sort(rng.choice(rows, min(len(sample.rows), len(rows)), replace=False))
    return Sample(rows, pool.picked(rows)), np.ones(len(rows), dtype=bool)


def shortlist_large(
    pool: Pool,
    W: npt.ArrayLike,
    eligible: Bools,
    rng: np.random.Generator,
    *,
    alpha: float = 1.05,
    delta: float = DELTA,
    effort: int = 1,
) -> Shortlist:
    """Return examples of a large pool whose split is within ``alpha`` of the best.

    As :func:`aluma.scoring.elimination.shortlist`, with two differences. At most ``OFFERED`` are
    listed, those that split best; and if the sample is unanimous, examples of the others are missed
    on which ``GLANCE`` of the hypotheses are: they are looked for by no more than those.
    """
    sample, open_ = looked_at(pool, eligible, rng)
    found = shortlist(sample.pool, W, open_, rng, alpha=alpha, delta=delta, effort=effort)
    whole = np.count_nonzero(eligible)
    found = replace(
        found,
        indices=sample.rows[found.indices],
        surveyed=sample.rows[found.surveyed],
        disputed=whole * float(found.minority.mean()),
    )
    k = len(found.hypotheses)
    even = (k // 2) * (k - k // 2)
    if round(found.best * k**2) >= even or whole == len(sample.rows):
        return found
    return _with_others(found, _others(pool, found, eligible, alpha, delta), alpha)


class Offer(NamedTuple):
    """What a block has: rows with their votes, and the votes against the majority on all its rows.

    The latter are of the ``heard`` hypotheses that looked at all rows; ``products`` were spent.
    """

    rows: Ints
    positives: Ints
    disputed: int
    heard: int
    products: int


def _others(pool: Pool, found: Shortlist, eligible: Bools, alpha: float, delta: float) -> Offer:
    """Return what all blocks have that could be within alpha of the best."""
    k, gone = len(found.hypotheses), np.flatnonzero(~eligible | pool.zero_mask)
    votes = np.arange(k // 2 + 1)
    bar = found.best * k**2
    fewest = int(np.argmax(alpha * separated_pairs(votes, k) >= bar)) if bar > 0 else 0
    total: Offer = pool.merged(
        _offered, partial(_together, k), found.hypotheses, gone, fewest, delta, room=4 * GLANCE
    )
    best = _best(total.rows, total.positives, k)
    return total._replace(rows=total.rows[best], positives=total.positives[best])


def _together(k: int, one: Offer, other: Offer) -> Offer:
    """Return what two sets of blocks have."""
    rows = np.concatenate([one.rows, other.rows])
    positives = np.concatenate([one.positives, other.positives])
    best = np.sort(_best(rows, positives, k))
    disputed, products = one.disputed + other.disputed, one.products + other.products
    return Offer(rows[best], positives[best], disputed, one.heard, products)


def _offered(
    start: int, block: Pool, hypotheses: Singles, gone: Ints, fewest: int, delta: float
) -> Offer:
    """Return the rows of a block that may have ``fewest`` votes on their rarer side.

    Every row is scored on a few hypotheses, and those that a bound rules out are dropped; the rest
    go on to twice as many. With ``fewest`` 0, rows on which the first few agree are dropped.
    """
    k, share = len(hypotheses), delta / 2
    block, hypotheses = block.unstretched(hypotheses)
    rows = _remaining(start, len(block), gone)
    n = first_round(k, fewest, share) if fewest else min(GLANCE, k)
    if not len(rows):
        return Offer(rows, rows, 0, n, 0)
    if len(rows) < len(block):
        block = block.picked(rows, room_for(0))
    positives = count_exactly(block, hypotheses[:n])
    disputed, heard, picks = int(minority_votes(positives, n).sum()), n, 0
    products = n * len(rows)
    while n < k:
        bar = too_few(k, fewest, n, share) if fewest else 0
        alive = np.flatnonzero(minority_votes(positives, n) > bar)
        if not len(alive):
            return Offer(alive, alive, disputed, heard, products)
        rows, positives, picks = rows[alive], positives[alive], picks + 1
        block = block.picked(alive, room_for(picks))
        more = 2 * n if fewest and 4 * n <= k else k
        positives = positives + count_exactly(block, hypotheses[n:more])
        products += (more - n) * len(rows)
        n, share = more, share / 2
    enough = minority_votes(positives, k) >= max(fewest, 1)
    rows, positives = rows[enough], positives[enough]
    best = _best(rows, positives, k)
    return Offer(start + rows[best], positives[best], disputed, heard, products)


def _with_others(found: Shortlist, others: Offer, alpha: float) -> Shortlist:
    """Return what a sample and the whole pool have within alpha of the best of both."""
    k = len(found.hypotheses)
    rows, first = np.unique(np.concatenate([found.indices, others.rows]), return_index=True)
    positives = np.concatenate([found.positives, others.positives])[first]
    pairs = separated_pairs(positives, k)
    best = int(pairs.max(initial=0))
    within = alpha * pairs >= best
    return replace(
        found,
        indices=rows[within],
        positives=positives[within],
        best=best / k**2,
        surveyed=np.concatenate([found.surveyed, others.rows]),
        minority=np.concatenate([found.minority, minority_votes(others.positives, k) / k]),
        disputed=others.disputed / others.heard,
        products=found.products + others.products,
    )


def nearest_large(
    pool: Pool, direction: Floats, eligible: Bools, n: int, *, by_length: bool
) -> tuple[Ints, Floats]:
    """Return rows that are nearest to a hyperplane, ascending, and how far they are off.

    All that may be among the n nearest are returned, since float32 cannot tell which those are;
    their distances are exact. With ``by_length`` they are divided by the lengths of the rows.
    """
    gone = np.flatnonzero(~eligible | pool.zero_mask)
    found = pool.merged(_near, partial(_nearer, n), direction, gone, n, by_length, room=16)
    rows = np.sort(found.rows)
    exact = pool.rows(rows)
    off = np.abs((exact * direction).sum(axis=1))
    return rows, off / np.linalg.norm(exact, axis=1) if by_length else off


class Near(NamedTuple):
    """Rows that may be among the nearest, their distances, and what rounding may change there."""

    rows: Ints
    distances: Floats
    limits: Floats


def _near(start: int, block: Pool, direction: Floats, gone: Ints, n: int, by_length: bool) -> Near:
    """Return the rows of a block that may be among the n nearest."""
    rows = _remaining(start, len(block), gone)
    if not by_length:
        block, (direction,) = block.unstretched(direction[None])
    distances, limits = np.empty(len(block)), np.empty(len(block))
    for part, margins in block.margin_blocks(direction[None]):
        distances[part] = np.abs(margins[:, 0])
    sizes = block.lengths()
    limits = rounding(block.dimension) * float(np.linalg.norm(direction)) * sizes
    if by_length:
        whole = np.where(sizes > 0, sizes, 1.0)
        distances, limits = distances / whole, limits / whole
    return _nearest(Near(start + rows, distances[rows], limits[rows]), n)


def _nearer(n: int, one: Near, other: Near) -> Near:
    """Return what may be among the n nearest of two sets of blocks."""
    both = (np.concatenate(parts) for parts in zip(one, other, strict=True))
    return _nearest(Near(*both), n)


def _nearest(near: Near, n: int) -> Near:
    """Leave out what is farther off than the n-th could be, whatever rounding did."""
    if not len(near.rows):
        return near
    place = min(n, len(near.rows)) - 1
    most = np.partition(near.distances + near.limits, place)[place]
    kept = np.flatnonzero(near.distances - near.limits <= most)
    kept = kept[np.lexsort((near.rows[kept], near.distances[kept]))][: n + MORE_NEAR]
    return Near(near.rows[kept], near.distances[kept], near.limits[kept])


def rounding(dimension: int) -> float:
    """Return how far float32 may move a product of vectors of length 1."""
    return (dimension + 2) * float(np.finfo(np.float32).eps)


def _remaining(start: int, length: int, gone: Ints) -> Ints:
    """Return the rows of a block that are not gone, counted from its first."""
    here = gone[np.searchsorted(gone, start) : np.searchsorted(gone, start + length)]
    mask = np.ones(length, dtype=bool)
    mask[here - start] = False
    return np.flatnonzero(mask)


def _best(rows: Ints, positives: Ints, k: int) -> Ints:
    """Return positions of the rows that split best, ties by row; no more than are offered."""
    return np.lexsort((rows, -separated_pairs(positives, k)))[:OFFERED]


def in_sample(
    pool: Pool, eligible: Bools, rng: np.random.Generator
) -> tuple[Pool, Bools, Ints | None]:
    """Return what a choice is made of: a pool, who may be asked, and what the rows are called.

    Of a large pool, that is its sample; of any other, all of it, and rows have their own names.
    """
    if not pool.is_large:
        return pool, eligible, None
    sample, open_ = looked_at(pool, eligible, rng)
    return sample.pool, open_, sample.rows
