"""Labels that follow from the answers for every halfspace that agrees with them."""

from __future__ import annotations

import time

from aluma.arrays import Bools, Floats, Ints
from aluma.geometry.cone import Cone
from aluma.geometry.feasibility import is_settled
from aluma.pool import Pool

#: Seconds that one certificate may spend on proving labels.
PROOF_SECONDS = 1.0


class Proofs:
    """Labels proven to be settled; they stay so while answers are only added."""

    def __init__(self) -> None:
        self.signs: dict[int, int] = {}

    def copy(self) -> Proofs:
        """Return an independent copy."""
        twin = Proofs()
        twin.signs = dict(self.signs)
        return twin

    def extend(
        self,
        pool: Pool,
        cone: Cone,
        inside: Floats,
        rows: Ints,
        positive: Bools,
        seconds: float = PROOF_SECONDS,
        names: Ints | None = None,
    ) -> None:
        """Try to prove the labels of unanimous examples, until the time is over.

        Parameters
        ----------
        rows : examples on which all hypotheses seen agree
        positive : the label they agree on, for the whole pool
        inside : a direction inside the cone
        names : what the rows are called, if the pool is a sample of another
        """
        stop = time.monotonic() + seconds
        for row in rows:
            name = int(row if names is None else names[row])
            if name in self.signs:
                continue
            if time.monotonic() > stop:
                return
            sign = 1 if positive[row] else -1
            if is_settled(cone, sign * pool.rows([row])[0], inside):
                self.signs[name] = sign
