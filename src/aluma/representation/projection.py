"""Random signs: the Johnson-Lindenstrauss projection of Algorithm 3, without the points.

The lifted example i is ``(a x_i; b e_i)`` with d + m coordinates, of which all but d + 1 are zero.
Its projection by a matrix of random signs over sqrt(k) is therefore ``(a S x_i + b s_i) / sqrt(k)``
with a d-column matrix S and one sign vector s_i of its own: neither the point nor the m columns
that other examples would use are ever made. (The paper's raw +-1 matrix lacks the factor
1 / sqrt(k), without which norms grow by it.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aluma.arrays import Floats
from aluma.blas import one_thread
from aluma.pool.store import parts, rows_per_block
from aluma.streams import OfSeed, named, streams

#: Rows whose own signs come from one stream, so that any block of them can be made alone.
CHUNK = 256


def signs(key: tuple[int, ...], rows: int, k: int) -> Floats:
    """Return a (rows, k) matrix of random signs; the first rows of more are the same."""
    count = -(-rows // CHUNK)
    chunks = [rng.integers(0, 2, (CHUNK, k), dtype=np.int8) * 2 - 1 for rng in streams(key, count)]
    return np.concatenate(chunks)[:rows].astype(np.float64)


class SignProjection:
    """Projects examples of d features, and the coordinates that are their own, to k dimensions.

    Parameters
    ----------
    d, k : dimensions before and after
    seed : the same gives the same signs
    """

    def __init__(self, d: int, k: int, seed: int) -> None:
        self.k, self.seed = k, seed
        self._matrix = signs(named(seed, OfSeed.PROJECTION), d, k) / np.sqrt(k)

    @one_thread()
    def features(self, rows: Any) -> Floats:
        """Return the projection of rows, dense or sparse, without coordinates of their own."""
        out = np.empty((rows.shape[0], self.k))
        for part in parts(len(out), rows_per_block(8 * max(self.k, rows.shape[1]))):
            out[part] = rows[part] @ self._matrix
        return out

    def own(self, m: int) -> Floats:
        """Return the projections of the coordinates that the examples of a pool have to themselves.

        Row i is that of the unit vector e_i.
        """
        return np.asarray(
            signs(named(self.seed, OfSeed.OWN_PROJECTION), m, self.k) / np.sqrt(self.k)
        )
