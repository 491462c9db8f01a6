"""What answered neighbours say of examples: another view than that of halfspaces.

Late, what is wrong is wrong although nearly all hypotheses agree on it: no split finds it, nor does
what is nearest to a tie. Distances are another view. Where the answered example that is nearest to
a new one has mostly foretold its answer, those examples are worth a question whose neighbours
contradict their label. In two runs of the digits 14 to 20 of the 20 most contradicted labels were
wrong after 100 to 200 answers, and 6 to 13 of the 20 that most hypotheses disagree about; of
messages by sentence embeddings 0 to 4, where neighbours foretell little, and are not heard.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from aluma.arrays import Bools, Ints, Singles
from aluma.pool import Pool
from aluma.scoring.many import NEAR, first_of

#: So many answers, the last ones, tell whether neighbours foretell answers ...
RECORD = 50
#: ... and they do if they agree with them by this much beyond chance (Cohen's kappa). From 0.4 on,
#: five more of 2,000 digits 4 and 7 were wrong after 75 answers (standard error of the pairs 2).
FORETOLD = 0.6
#: States before this one that are kept, for answers that are taken back.
STEPS = 8


@dataclass(frozen=True, eq=False)
class Neighbours:
    """How far examples are from answered ones, and what those foretold.

    Attributes
    ----------
    pool : the examples: a pool, or the sample of a large one
    names : their numbers in the pool, if it is a sample
    unit : length that distances are divided by, so that float32 holds their squares
    squares : of the lengths of the examples
    told : the answers, as pairs of an example and a class
    nearest : by class, the squared distance of each example to the nearest one of that class
    foretold : for each answer, what the nearest one before it said, and what the answer was
    before : the same after fewer answers
    """

    pool: Pool
    names: Ints | None
    unit: float
    squares: Singles
    told: tuple[tuple[int, int], ...] = ()
    nearest: Mapping[int, Singles] = field(default_factory=dict)
    foretold: tuple[tuple[int, int], ...] = ()
    before: tuple[Neighbours, ...] = ()

    @classmethod
    def about(
        cls, known: Neighbours | None, pool: Pool, names: Ints | None, unit: float
    ) -> Neighbours:
        """Return what is known already about a pool or a sample, or the same without answers."""
        if known is not None and known.names is names and (names is not None or known.pool is pool):
            return known
        return cls(pool, names, unit, ((pool.lengths() / unit) ** 2).astype(np.float32))

    def after(self, told: Sequence[tuple[int, int]], whole: Pool) -> Neighbours:
        """Return the same after these answers about a whole pool, going on from what is known."""
        states = (self, *reversed(self.before))
        known = (one for one in states if tuple(told[: len(one.told)]) == one.told)
        start = next(known, None) or Neighbours(self.pool, self.names, self.unit, self.squares)
        if len(told) == len(start.told):
            return start
        nearest, foretold = dict(start.nearest), list(start.foretold)
        for index, code in told[len(start.told) :]:
            place = self._place(index)
            if nearest and place is not None:
                said = min(nearest, key=lambda other: nearest[other][place])
                foretold.append((said, code))
            away = self._squared_distances(whole, index)
            nearest[code] = np.minimum(nearest[code], away) if code in nearest else away
        before = (*start.before, replace(start, before=()))[-STEPS:]
        return replace(
            start, told=tuple(told), nearest=nearest, foretold=tuple(foretold), before=before
        )

    @property
    def agreement(self) -> float:
        """How far neighbours foretold the last answers beyond chance: Cohen's kappa, 1 at most."""
        if len(self.foretold) < RECORD:
            return 0.0
        said, was = np.array(self.foretold[-RECORD:]).T
        by_chance = sum(float((said == one).mean() * (was == one).mean()) for one in set(was))
        observed = float((said == was).mean())
        return (observed - by_chance) / (1.0 - by_chance) if by_chance < 1.0 else 0.0

    @property
    def to_be_heard(self) -> bool:
        """Whether late questions go by them now."""
        return self.agreement >= FORETOLD

    def contradicted(
        self,
        labels: Ints,
        rows: Ints,
        worth_asking: Callable[[Ints], Bools] | None = None,
        n: int = NEAR,
    ) -> Ints:
        """Return the n rows whose label their neighbours contradict most, or support least.

        That is where the nearest answered example of the label's class is farthest, as a multiple
        of how far the nearest one of another class is: contradicted from 1 on.

        Parameters
        ----------
        labels : the classes of the rows
        rows : those that may be returned
        worth_asking : says which of some rows may be; it is asked about few
        """
        classes = np.array(list(self.nearest))
        squares = np.stack([self.nearest[one][rows] for one in classes])
        own = classes[:, None] == labels
        same = np.where(own, squares, np.inf).min(axis=0)
        other = np.where(own, np.inf, squares).min(axis=0)
        ratio = same / np.maximum(other, np.finfo(np.float32).tiny)
        return first_of(rows[np.argsort(-ratio, kind="stable")], worth_asking, n)

    def _place(self, index: int) -> int | None:
        """Return where an example of the whole pool is among these, or None."""
        if self.names is None:
            return index
        place = int(np.searchsorted(self.names, index))
        return place if self.names[place : place + 1] == [index] else None

    def _squared_distances(self, whole: Pool, index: int) -> Singles:
        """Return the squared distances of all examples to one."""
        x = whole.rows([index])[0]
        length = float(np.linalg.norm(x))
        along = np.empty(len(self.squares))
        # Divided by its length, so that products are no longer than rows.
        for part, products in self.pool.margin_blocks((x / (length or 1.0))[None]):
            along[part] = products[:, 0]
        size = length / self.unit
        away = self.squares + size**2 - 2.0 * size * (along / self.unit)
        return np.maximum(away, 0.0).astype(np.float32)
