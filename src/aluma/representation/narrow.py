"""Whether a pool is narrow: whether its examples, seen from the origin, lie in one direction.

Write an example as ``x = m + z``, with m the mean of the pool. A halfspace ``<w, x> + b`` divides
the z by w and by the number ``<w, m> + b``, which has to be small, or all examples are on one side.
Before any answer, w is a Gaussian and so is b; given that the number is small, the part of w along
m is about 1 / |m| of what it is in other directions. So where m is long, nobody expects that the
direction of m tells examples apart. Without a bias it cannot do so at all. Answers that say
otherwise surprise nearly every halfspace.

What is measured is the mean of ``x / sqrt(|x|^2 + 1)``, without the 1 if there is no bias. Its
length is near 1 where all examples point the same way and are long beside the bias, or beside a
constant column, which is a bias as well. Short examples beside a large bias look alike too, but
only until the answers have told what the bias is: they are no problem.

A learner's bias is in proportion to a typical row, and then b is free to make up for ``<w, m>``:
clouds at 0.995 had 1% wrong after 50 answers with one as long as a row, as centred ones, and 9%
with a bias of 1. But before the first answers nearly all halfspaces still have all examples on one
side, so labels look settled, and columns of other scales stay drowned. So any bias counts as 1
here.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

from aluma.errors import NarrowPool
from aluma.pool import Pool
from aluma.pool.store import parts, rows_per_block

#: A pool is narrow from here on. Gaussian clouds of ten features were moved from the origin: at
#: 0.89 ALuMA labelled them as well as centred, from 0.93 to 0.96 it had up to twice as much wrong
#: after 50 answers, at 0.995 thirty times as much. Raw tables that suffer (wine, breast cancer)
#: have 0.99 and more; pixels, texts and embeddings, which do not, have up to 0.89.
NARROW = 0.95
#: Constant columns that are so many times as long as all others together are warned about. To find
#: a boundary of d numbers at a scale c times smaller takes about d log2(c) answers, and here nearly
#: seven for each feature.
DROWNED = 100.0
#: Fewer examples may lie in one direction by chance.
FEW = 10
#: Rows that are looked at: at most, and at least if there are as many. Their mean is off by about
#: ``sqrt((1 - length^2) / rows)``.
MOST_ROWS, FEWEST_ROWS = 2000, 100
#: Numbers that are looked at, unless that were too few rows.
ENTRIES = 2**22


def narrowness(pool: Pool) -> float:
    """Return the length of the mean of the unit rows, the bias and constant columns left out.

    They count for the lengths of rows only. Of a large pool, the rows are some that are evenly
    spread over it; rows of zeros do not count.

    Examples
    --------
    >>> round(narrowness(Pool([[3.0, 4.0], [3.1, -4.0]])), 2)
    0.61
    """
    return _looked_at(pool)[0]


def constancy(pool: Pool) -> float:
    """Return how many times as long constant columns are as all others, typically; no bias counts.

    Examples
    --------
    >>> constancy(Pool([[3.0, 4.0, 50.0], [4.0, -3.0, 50.0]]))
    10.0
    """
    return _looked_at(pool)[1]


def _looked_at(pool: Pool) -> tuple[float, float]:
    """Return how narrow a pool is, and how long its constant columns are beside the others."""
    wanted = int(np.clip(ENTRIES // pool.dimension, FEWEST_ROWS, MOST_ROWS))
    chosen = pool.spread_rows(wanted)
    width = pool.dimension - pool.bias
    first = pool.rows(chosen[:1])
    first[:, width:] = 1.0
    varies, total, count = np.zeros(pool.dimension, dtype=bool), np.zeros(pool.dimension), 0
    squares = np.zeros(pool.dimension)
    for part in parts(len(chosen), rows_per_block(8 * pool.dimension)):
        rows = pool.rows(chosen[part])
        rows[:, width:] = 1.0
        varies |= (rows != first).any(axis=0)
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        rows, lengths = rows[lengths > 0], lengths[lengths > 0]
        total += (1 / lengths) @ rows
        squares += np.einsum("ij,ij->j", rows, rows)
        count += len(rows)
    told, constant = squares[varies].sum(), squares[:width][~varies[:width]].sum()
    beside = float(np.sqrt(constant / told)) if told > 0 else 0.0
    return float(np.linalg.norm(total[varies])) / max(count, 1), beside


def warn_if_narrow(pool: Pool) -> None:
    """Warn about a pool whose examples halfspaces hardly tell apart."""
    if pool.prepared or len(pool) < FEW:
        return
    length, beside = _looked_at(pool)
    if length > NARROW:
        warnings.warn(NarrowPool(_message(pool, length)), stacklevel=_levels_out())
    elif beside > DROWNED:
        warnings.warn(NarrowPool(_drowned(beside)), stacklevel=_levels_out())


def _message(pool: Pool, length: float) -> str:
    """Say what was found, what it means, and what to do about it."""
    return (
        f"seen from the origin, the examples all lie in one direction: the mean of their unit rows "
        f"has length {length:.3f} (it is 1 if they are all alike; up to {NARROW:g} does little "
        "harm). Halfspaces hardly tell them apart, so labels look settled that are not. "
        + (_STILL if pool.preparation else _WAY_OUT)
    )


def _drowned(beside: float) -> str:
    """Say that constant columns drown the others, and what to do about it."""
    return (
        f"columns that are the same in every row are {beside:,.0f} times as long as all others "
        f"together (up to {DROWNED:g} does little harm). Halfspaces hardly tell the examples "
        "apart: leave such columns out, which say nothing. " + _WAY_OUT
    )


_WAY_OUT = (
    "Use ALuMA(Pool.centred(X), bias=True), which sees them from their middle; ActiveClassifier "
    "does so by itself (unless standardize=False) if X is not sparse."
)
#: For pools that are centred.
_STILL = (
    "The columns are centred already, so a few huge numbers keep all others close together: take "
    "logarithms of such columns, or cut them off."
)


def _levels_out() -> int:
    """Return how many calls up the first is that is not aluma's own: a line that can be changed."""
    frame, levels = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("aluma."):
        frame, levels = frame.f_back, levels + 1
    return levels
