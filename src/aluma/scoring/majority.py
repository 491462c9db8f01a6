"""The label that most hypotheses vote for, by as few votes as that takes.

Each example is voted on by a few hypotheses first, in a random order. It is decided when so few of
those are in the minority that, were all asked, they would hardly be the majority; the others go on
to twice as many. What is left at the end has been voted on by all.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aluma.arrays import Singles
from aluma.pool import Pool
from aluma.pool.scratch import room_for
from aluma.scoring.exact import count_exactly
from aluma.scoring.tails import too_few
from aluma.scoring.votes import directions, minority_votes

#: With this probability, over the order of the hypotheses, any label of a pool is not the one that
#: all of them give: for all labels together.
DIFFERS = 1e-3
#: Hypotheses that vote on every example.
FIRST_VOTES = 64


def leaning(pool: Pool, W: npt.ArrayLike, rng: np.random.Generator) -> Singles:
    """Return the share of + votes for each example, of those that it took to decide it.

    It is on the same side of 1/2 as the share of all hypotheses, except with probability
    ``DIFFERS`` for the whole pool: by the tails of the hypergeometric law, an example is decided
    wrongly with probability ``DIFFERS / m`` at most, shared out among the rounds.
    """
    pool, hypotheses = pool.unstretched(directions(W))
    hypotheses = hypotheses[rng.permutation(len(hypotheses))]
    bars = _bars(len(hypotheses), DIFFERS / len(pool))
    shares, start = np.empty(len(pool), dtype=np.float32), 0
    for found in pool.mapped(_decided, hypotheses, bars, room=4 * FIRST_VOTES):
        shares[start : start + len(found)] = found
        start += len(found)
    return shares


def _bars(k: int, delta: float) -> list[tuple[int, int]]:
    """Return how many votes each round comes to, and the largest minority that decides there."""
    rounds, n = [], FIRST_VOTES
    while n < k:
        rounds.append(n)
        n *= 2
    each = delta / max(len(rounds), 1)
    return [(n, too_few(k, k // 2, n, each)) for n in rounds]


def _decided(start: int, block: Pool, hypotheses: Singles, bars: list[tuple[int, int]]) -> Singles:
    """Return the shares of + votes that decide the rows of a block."""
    del start
    shares = np.empty(len(block), dtype=np.float32)
    rows, positives, heard = np.arange(len(block)), np.zeros(len(block), dtype=np.int64), 0
    for turn, (n, bar) in enumerate([*bars, (len(hypotheses), len(hypotheses))]):
        positives = positives + count_exactly(block, hypotheses[heard:n])
        shares[rows] = positives / n
        open_ = np.flatnonzero(minority_votes(positives, n) > bar)
        if not len(open_):
            break
        rows, positives, heard = rows[open_], positives[open_], n
        block = block.picked(open_, room_for(turn))
    return shares
