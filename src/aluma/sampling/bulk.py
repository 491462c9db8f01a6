"""Many answers at once, for learners that look at their hypotheses only now and then.

Absorbing answers one by one lets everybody fly after each. Of several at once, the hypotheses that
agree with all are (nearly) uniform on what is left just as well: as long as enough of them do, one
round of flights serves for all. Answers are absorbed in groups whose ends do not depend on when
somebody looked, so that looking changes nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from aluma.arrays import Floats, Ints
from aluma.blas import one_thread
from aluma.geometry.cone import Cone, clearly_inside
from aluma.sampling.absorption import (
    REPACE,
    REPACE_LEAST,
    SURPRISED_SHARE,
    State,
    absorb,
    digest,
    refill,
    repaced,
    shifted,
    stays,
)
from aluma.sampling.chains import Walls
from aluma.sampling.settling import settle
from aluma.streams import OfState, named, stream

#: Answers that are absorbed together: the first 16, the next 16, and so on.
GROUP = 16
#: Share of the population that has to agree with all of a group, else it is halved.
LEAST_AGREEING = 1 / 16
#: Copies that nobody looks at need not fly before fewer than this share of a population differ.
LEAST_DIFFERING = 1 / 4
#: Populations at the ends of groups that are kept, to go back to.
KEPT_GROUP_ENDS = 2


class Latecomer:
    """A population that absorbs answers in groups, when somebody asks for votes.

    The state is determined by the start and the answers, not by what was asked for before.
    """

    def __init__(self, start: State) -> None:
        self._start = start
        self._ends: deque[State] = deque(maxlen=KEPT_GROUP_ENDS)

    def fork(self) -> Latecomer:
        """Return an independent copy; states are never changed, and shared."""
        twin = Latecomer(self._start)
        twin._ends.extend(self._ends)
        return twin

    def forget(self, answers: int) -> None:
        """Forget what came after the first so many answers."""
        while self._ends and len(self._ends[-1].cone) > answers:
            self._ends.pop()

    def after(self, normals: Sequence[Floats]) -> State:
        """Return the state after some answers, of which those not forgotten are as they were."""
        self.forget(len(normals))
        state = self._ends[-1] if self._ends else self._start
        with one_thread():
            for begin in range(len(state.cone), len(normals), GROUP):
                state = absorb_all(state, np.array(normals[begin : begin + GROUP]))
                if len(state.cone) % GROUP == 0:
                    self._ends.append(state)
        return state


def absorb_all(
    state: State,
    normals: Floats,
    cone: Cone | None = None,
    *,
    rests: bool = False,
    tires: bool = False,
) -> State:
    """Return the state after several answers, given as unit normals (n, d).

    ``cone`` is what they lead to, if it is known already. With ``rests``, survivors may stay where
    they are, as after a single answer; with ``tires`` their copies may, too, as long as enough of
    the population differ. They fly later, see :meth:`aluma.sampling.population.Population.rested`.
    """
    if len(normals) == 1:
        return absorb(state, normals[0], cone)
    cone = state.cone.with_walls(normals) if cone is None else cone
    key = digest(state.key, normals)
    rng = stream(key, OfState.REFILL)
    # What no earlier answer constrained is still a free Gaussian coordinate.
    free = rng.standard_normal((len(state.points), cone.rank - state.cone.rank))
    points = np.hstack([state.points, free])
    products = points @ cone.after(len(state.cone)).T
    inside = clearly_inside(products, np.linalg.norm(points, axis=1), cone.dimension)
    if inside.mean() < LEAST_AGREEING:
        half = len(normals) // 2
        # The walls of several classes are cheap as products, so they are kept as such.
        factored = cone.factors is not None
        part, whole = (cone.first(len(state.cone) + half), cone) if factored else (None, None)
        before = absorb_all(state, normals[:half], part, rests=rests, tires=tires)
        return absorb_all(before, normals[half:], whole, rests=rests, tires=tires)
    family = refill(inside, rng)
    walls = Walls.of_cone(cone, state.sampler)
    points, length, paced_at = points[family], state.length, state.paced_at
    if len(cone) >= REPACE * paced_at + REPACE_LEAST:
        points, length = repaced(points, walls, length, named(key, OfState.PACE))
        paced_at, rests, tires = len(cone), False, False
    flights = named(key, OfState.SETTLE)
    if rests:
        # Copies of earlier answers may not have flown yet.
        family = family_of(points)
    copies = np.bincount(family)
    differing = np.count_nonzero(copies)
    if tires and differing >= LEAST_DIFFERING * len(points):
        mixing = replace(state.mixing, effective=float(len(points) ** 2 / (copies**2).sum()))
    elif rests and differing == inside.sum() and stays(inside, walls):
        points, mixing = shifted(points, walls, state.mixing, family, inside, flights)
    else:
        points, mixing = settle(points, walls, length, family, flights)
    log_volume = state.log_volume + float(np.log(inside.mean()))
    mixing = replace(mixing, ancestors=int(inside.sum()))
    surprised = inside.mean() < 1 - SURPRISED_SHARE
    expected = 0 if surprised else state.expected + 1
    return State(cone, points, key, length, paced_at, log_volume, mixing, expected, state.sampler)


def family_of(points: Floats) -> Ints:
    """Return whom each chain is a copy of: those that stand at the same place, by number."""
    return np.asarray(np.unique(points[:, 0], return_inverse=True)[1], dtype=np.int64)
