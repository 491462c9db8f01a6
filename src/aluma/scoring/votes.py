"""Votes: what hypotheses say about examples, and how evenly they split on them.

A hypothesis ``w`` votes + on ``x`` when ``<w, x> >= 0``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, Singles
from aluma.pool import Pool


def vote_shares(pool: Pool, W: npt.ArrayLike, indices: Ints | None = None) -> Floats:
    """Return the share of hypotheses that vote + on each example: a full scoring."""
    hypotheses = directions(W)
    if indices is None and pool.is_large:
        found = pool.mapped(_counted, hypotheses, room=4 * len(hypotheses))
        return np.concatenate(list(found)) / len(hypotheses)
    rows = np.arange(len(pool)) if indices is None else indices
    return count_positive(pool, hypotheses, rows) / len(hypotheses)


def askable(pool: Pool, eligible: Bools) -> Ints:
    """Return the rows that may be asked about and that a halfspace can decide."""
    mask = np.asarray(eligible)
    if mask.shape != (len(pool),) or mask.dtype != bool:
        raise ValueError(
            f"eligible has shape {mask.shape} and dtype {mask.dtype}: pass a mask of "
            f"{len(pool)} booleans, one for each example."
        )
    rows = np.flatnonzero(mask & ~pool.zero_mask)
    if rows.size == 0:
        raise ValueError("No example can be asked about: none is eligible and other than zero.")
    return rows


def directions(W: npt.ArrayLike) -> Singles:
    """Return hypotheses in float32, checked."""
    hypotheses = np.asarray(W, dtype=np.float32)
    if hypotheses.ndim != 2 or len(hypotheses) == 0:
        raise ValueError(f"Hypotheses have shape {hypotheses.shape}: pass at least one row.")
    if not np.isfinite(hypotheses).all():
        raise ValueError("A hypothesis is not finite in float32: scale hypotheses to unit norm.")
    return hypotheses


def count_positive(pool: Pool, hypotheses: Singles, rows: Ints) -> Ints:
    """Return how many hypotheses vote + on each row, without holding all products at once."""
    if 5 * len(rows) > 4 * len(pool) and len(rows) < len(pool):
        # Picking rows costs a copy of each: passing over all of them is then faster.
        return count_positive(pool, hypotheses, np.arange(len(pool)))[rows]
    out = np.empty(len(rows), dtype=np.int64)
    ones = np.ones(len(hypotheses), dtype=np.float32)
    blocks = pool.margin_blocks(hypotheses, None if len(rows) == len(pool) else rows)
    for part, margins in blocks:
        # Several times faster than counting booleans, and exact below 2^24 hypotheses.
        out[part] = (margins >= 0).astype(np.float32) @ ones
    return out


def _counted(start: int, block: Pool, hypotheses: Singles) -> Ints:
    """Count the votes on a block."""
    del start
    return count_positive(block, hypotheses, np.arange(len(block)))


def vote_matrix(pool: Pool, hypotheses: Singles, rows: Ints) -> Bools:
    """Return who votes + on each row, (rows, hypotheses)."""
    return np.asarray(pool.margins(hypotheses, rows) >= 0)


def minority_votes(positives: Ints, k: int) -> Ints:
    """Return the votes on the rarer side, of k."""
    return np.minimum(positives, k - positives)


def minority_shares(shares: Floats) -> Floats:
    """Return the share of the votes that the majority does not have.

    ``shares`` are (n,), of + votes, or (n, K), of the votes for each class.
    """
    if shares.ndim == 1:
        return np.minimum(shares, 1.0 - shares)
    return np.asarray(1.0 - shares.max(axis=1))


def separated_pairs(positives: Ints, k: int) -> Ints:
    """Return the pairs of hypotheses that vote differently, ``k^2 v+ v-``."""
    return positives * (k - positives)
