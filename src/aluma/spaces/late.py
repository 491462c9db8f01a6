"""Late questions: nearest to a tie by the likeliest weights, with some noise allowed for.

Splits pin the version space down before it is found out that no halfspace is right about all of a
pool. What is wrong then is wrong although nearly all hypotheses agree on it, and splits do not find
that. Weights that allow for noise are not bound to every answer, and what is nearest to a tie by
them is where both sides meet.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aluma.arrays import Bools, Floats, Ints
from aluma.pool import Pool
from aluma.representation.softmax import likeliest
from aluma.spaces.frame import Frame

#: The noise of the weights that tell what is near a tie, in lengths of a typical row. On six seeds
#: of the digits 0.2 and 0.3 had 1.3% wrong after 200 answers, 0.1 and 0.45 1.4 and 1.5%. For two
#: classes 0.15 gained less than 0.3 (two pools, ten seeds), and 1 was worse than splits.
LITTLE_NOISE = 0.3
#: On how many examples some hypotheses look, to see whether votes are divided on little.
GLANCED_AT = 384
#: A late batch is chosen among so many times as many as it has. Ten at a time on nine tuning seeds,
#: wrong after 100 / 200 answers more than by splits of the whole pool: MNIST 4 and 7 -1.3 (0.6) /
#: -0.4 (0.7) of 18.6 / 5.3, 3 and 5 -3.2 (5.1) / -0.6 (1.9) of 118 / 64, messages by TF-IDF -1.0
#: (1.6) / -2.3 (0.7) of 50 / 21; of ten digits, four seeds, -24.8 (6.3) / -16.0 (3.1) of 163 / 43.
NEAR_FOR_EACH = 2


class Near(NamedTuple):
    """Examples that late questions go to.

    Attributes
    ----------
    pool, names : what was looked at, and what its rows are called, if it is a sample
    rows : those that questions go to first, in order
    seen : how many were looked at
    """

    pool: Pool
    names: Ints | None
    rows: Ints
    seen: int

    def after(self, first: int) -> Ints:
        """Return what they are called in the whole pool, behind an example that comes first."""
        named = self.rows if self.names is None else self.names[self.rows]
        return np.concatenate([[first], named[named != first]])


@dataclass(frozen=True)
class Answered:
    """The answered examples by coordinates in their own span, one more with every answer.

    ``digests`` are those of the examples themselves, which their copies have too.
    """

    told: tuple[tuple[int, int], ...]
    frame: Frame
    coordinates: tuple[Floats, ...] = ()
    digests: tuple[bytes, ...] = ()

    def after(self, told: Sequence[tuple[int, int]], pool: Pool) -> Answered:
        """Return the same after these answers, going on from those that are known already."""
        known = common(self.told, told)
        # A frame grows with some examples, and one that was inside has as many coordinates.
        frame = self.frame.begun_with(len(self.coordinates[known - 1]) if known else 0)
        coordinates, digests = list(self.coordinates[:known]), list(self.digests[:known])
        new = [index for index, _ in told[known:]]
        for index, x in zip(new, pool.rows(new), strict=True):
            frame, within = frame.with_example(x, index)
            coordinates.append(within)
            digests.append(_digest(x))
        return Answered(tuple(told), frame, tuple(coordinates), tuple(digests))

    def news(self) -> Callable[[Floats], Bools]:
        """Return what says which rows are copies of no answered example, and of no row before.

        To ask about a copy would tell nothing. As near to a tie as the one they are copies of, they
        would be asked about one by one, or fill a batch.
        """
        known = set(self.digests)
        return lambda rows: first_of_their_kind(map(_digest, rows), known)

    def boundary(self, noise: float) -> Floats:
        """Return the direction, in some length, at right angles to the likeliest boundary."""
        rows = np.zeros((len(self.told), len(self.frame)))
        for row, within in zip(rows, self.coordinates, strict=True):
            row[: len(within)] = within
        positive = np.array([sign > 0 for _, sign in self.told], dtype=np.int64)
        negative_weights, positive_weights = likeliest(rows, positive, 2, noise)
        direction = self.frame.combined(positive_weights - negative_weights)
        # Its length is one over the noise: for tiny rows more than float32 can hold.
        return np.asarray(direction / (np.abs(direction).max() or 1.0))


def common(one: Sequence[tuple[int, int]], other: Sequence[tuple[int, int]]) -> int:
    """Return with how many of the same answers two histories begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def first_of_their_kind(kinds: Iterable[bytes], known: set[bytes]) -> Bools:
    """Say which of some kinds are not known yet; then they are."""
    found = []
    for kind in kinds:
        found.append(kind not in known)
        known.add(kind)
    return np.array(found, dtype=bool)


def _digest(x: Floats) -> bytes:
    # 0 and -0 are the same number.
    return hashlib.blake2b((x + 0.0).tobytes(), digest_size=16).digest()


def margins(pool: Pool, direction: Floats, rows: Ints) -> Floats:
    """Return the products of some rows of a pool with a direction."""
    found = np.empty(len(rows))
    for part, products in pool.margin_blocks(direction[None], rows):
        found[part] = products[:, 0]
    return found
