"""Pools and hypotheses with votes of one's choosing."""

import numpy as np
from scipy import sparse

from aluma.pool import Pool


def with_votes(votes: np.ndarray) -> tuple[Pool, np.ndarray]:
    """Return a pool and hypotheses whose vote on row i is ``votes[i]``, for any (m, k) booleans."""
    return Pool(sparse.eye_array(len(votes), format="csr")), np.where(votes.T, 1.0, -1.0)


def with_counts(counts: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Return (m, k) votes with the given number of positives in random places."""
    ranks = rng.random((len(counts), k)).argsort(axis=1)
    return ranks < np.asarray(counts)[:, None]


def everyone(pool: Pool) -> np.ndarray:
    return np.ones(len(pool), dtype=bool)


def splits(votes: np.ndarray) -> np.ndarray:
    """Return N+ N- of every row, as whole numbers."""
    positives = votes.sum(axis=1)
    return positives * (votes.shape[1] - positives)
