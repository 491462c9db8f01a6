"""A population of hypotheses, kept uniform on the version space while answers arrive.

Randomness is keyed by the seed and the answers, so the same answers in the same order give the same
population, whether they were absorbed at once, undone and given again, or replayed elsewhere.

Memory is ``8 k (r + t)`` bytes for k hypotheses with t answers and ``r = min(t, d)``, as much again
for each step that can be undone, and ``8 (t d + d r + t r + t^2)`` for the cone itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from aluma.arrays import Floats, Singles, positive_integer
from aluma.blas import one_thread
from aluma.errors import Undecided
from aluma.geometry.cone import Cone
from aluma.geometry.kesler import Factors
from aluma.sampling.absorption import State, absorb, digest, widened
from aluma.sampling.afresh import drawn_afresh
from aluma.sampling.ball import to_ball, to_votes
from aluma.sampling.blocks import BLOCK, blocks_for, each_block
from aluma.sampling.bulk import absorb_all, family_of
from aluma.sampling.chains import Walls
from aluma.sampling.kernels import Moving, checked_sampler
from aluma.sampling.pace import QUARTER
from aluma.sampling.settling import LEAST_FLIGHTS, Mixing, flown_between, settle
from aluma.streams import OfState, entropy, named, streams

#: Answers that can be undone one by one.
UNDO_DEPTH = 32
#: Bytes of populations that are kept for that: with slack and a thousand answers, one takes 40 MB.
UNDO_BYTES = 2**27
#: So many answers at once, and at least as many as there were, begin the chains anew.
MANY = 64
#: An independent draw flies this many times as often as it took to forget the last start.
TIMES_TO_FORGET = 3


class Task(NamedTuple):
    """What a jury is drawn for: names of streams that nothing else reads."""

    flights: OfState
    free: OfState


#: Labels by majority (Lemma 15), and the estimates of Algorithm 2 (Theorem 16).
VOTE = Task(OfState.VOTE, OfState.VOTE_FREE)
VERIFY = Task(OfState.VERIFY, OfState.VERIFY_FREE)


class Population:
    """k hypotheses kept uniform on a version space.

    Parameters
    ----------
    dimension : of the space of hypotheses
    size : number k of hypotheses
    seed : non-negative integer
    sampler : name of the kernel that moves them, see :mod:`aluma.sampling.kernels`

    Examples
    --------
    >>> population = Population(3, size=500, seed=1)
    >>> population.add(np.array([1.0, 0.0, 0.0]))
    >>> bool((population.hypotheses()[:, 0] > 0).all())
    True
    """

    def __init__(
        self, dimension: int, size: int = 1000, seed: int = 0, sampler: str = "reflection"
    ) -> None:
        self.size = positive_integer(size, "size")
        self.seed = entropy(seed)
        start = Mixing(float(size), np.nan, size, 0, 0.0, QUARTER, 0.0, 0)
        chains = blocks_for(size) * BLOCK
        key = digest((self.seed,), np.array([dimension, size], dtype=np.float64))
        self._state = State(
            cone=Cone.whole(dimension),
            points=np.empty((chains, 0)),
            key=key,
            length=QUARTER,
            paced_at=0,
            log_volume=0.0,
            mixing=start,
            sampler=checked_sampler(sampler),
        )
        self._past: deque[State] = deque(maxlen=UNDO_DEPTH)
        #: The last jury, and the state that it was drawn in.
        self._jury: tuple[State, Task, list[Floats]] | None = None
        #: Where copies flew to that had not flown yet, and the state that they stood still in.
        self._rested: tuple[State, Floats] | None = None

    @property
    def state(self) -> State:
        """The present state, to be kept or given to :meth:`restore`."""
        return self._state

    @property
    def points(self) -> Floats:
        """Where the chains are, in the coordinates of the cone; as many as fill their blocks."""
        return self._state.points

    @property
    def cone(self) -> Cone:
        """The cone of the answers so far."""
        return self._state.cone

    @property
    def mixing(self) -> Mixing:
        """What the population says about its own quality."""
        return self._state.mixing

    @property
    def log_volume(self) -> float:
        """Running estimate of ln of the share of the ball that is left.

        A by-product: the logarithms of the surviving shares, summed. Answers that were chosen by
        looking at this very population bias it; :mod:`aluma.sampling.volume` has one with a
        promise. NaN after many answers that came together.
        """
        return self._state.log_volume

    def add(self, normal: Floats) -> None:
        """Absorb an answer, given as the unit normal that consistent hypotheses are in front of.

        A normal with more coordinates than the space so far widens it by those: no earlier answer
        constrained them.

        Raises :class:`aluma.geometry.feasibility.Infeasible` if no halfspace is left, and stays
        as it was.
        """
        with one_thread():
            state = absorb(self._state, normal)
        self._past.append(self._state)
        self._state = state

    def add_many(self, normals: Sequence[Floats]) -> None:
        """Absorb several answers at once: one round of flights serves for all that go together.

        They are undone together. Each may have more coordinates than those before, as for
        :meth:`add`. Many of them, more than there were, begin the chains anew.
        """
        dimension = max(self.cone.dimension, *map(len, normals))
        padded = np.array([np.pad(one, (0, dimension - len(one))) for one in normals])
        with one_thread():
            wide = replace(self._state, cone=self._state.cone.widened(dimension))
            state = _begun_anew(wide, padded) or absorb_all(wide, padded)
        self._past.append(self._state)
        self._state = state

    def add_all(self, factors: Factors, *, tires: bool = False) -> None:
        """Absorb the walls that more answers about several classes add to those there are.

        They are undone together. If the answers have more coordinates than the space so far, chains
        take all of those in. With ``tires``, chains need not fly as long as nobody looks at them.
        """
        contrast = factors.ahead.shape[1]
        with one_thread():
            state = widened(self._state, factors.points.shape[1] * contrast)
            cone = state.cone.factored(factors)
            more = cone.after(len(state.cone))
            state = replace(absorb_all(state, more, cone, rests=True, tires=tires), cone=cone)
        self._past.append(self._state)
        self._state = state

    def forget_steps(self, bytes_kept: int) -> None:
        """Keep at most so many bytes of populations to step back to; with 0, none at all."""
        sizes = [_bytes(state) for state in self._past]
        # A population that no answer has constrained has no bytes, and yet is one.
        while self._past and (sum(sizes) > bytes_kept or not bytes_kept):
            self._past.popleft()
            sizes.pop(0)

    def undo(self) -> None:
        """Take back the last answer, exactly."""
        if not self._past:
            raise LookupError(
                f"nothing to undo: at most {UNDO_DEPTH} answers can be taken back one by one. "
                "Replay the answers up to the one you want instead."
            )
        self._state = self._past.pop()

    @property
    def n_undoable(self) -> int:
        """How many answers can be taken back one by one."""
        return len(self._past)

    def restore(self, state: State) -> None:
        """Go on from a state taken earlier; what was undoable is forgotten."""
        self._state = state
        self._past.clear()

    def fork(self) -> Population:
        """Return an independent copy; it shares arrays, which are never written to."""
        twin = Population.__new__(Population)
        twin.size, twin.seed = self.size, self.seed
        twin._state, twin._past = self._state, deque(self._past, maxlen=UNDO_DEPTH)
        twin._jury, twin._rested = self._jury, self._rested
        return twin

    def hypotheses(self, fresh: int = 0) -> Floats:
        """Return the hypotheses, (k, d), uniform in the cone within the unit ball.

        Directions that no answer constrains are drawn anew, by a stream keyed with ``fresh``: the
        same number gives the same draw.
        """
        return to_ball(
            self._state.cone, self._state.points, named(self._state.key, OfState.FREE, fresh)
        )[: self.size]

    def voters(self, times: int = 1) -> Singles:
        """Return the hypotheses, (k, d) in float32, as directions that vote on examples.

        With ``times``, that many times as many: the population itself, and then as it is after
        each further stretch of flights that forgets its start.
        """
        state = self._state
        drawn = [
            to_votes(state.cone, one, named(state.key, OfState.FREE, number))[: self.size]
            for number, one in enumerate(self.stretches(times))
        ]
        return np.concatenate(drawn) if times > 1 else drawn[0]

    def some_voters(self) -> Singles:
        """Return the hypotheses of one block, as directions that vote: less work than all."""
        state = self._state
        return to_votes(state.cone, state.points[:BLOCK], named(state.key, OfState.GLANCE))

    def stretches(self, times: int) -> list[Floats]:
        """Return the points of the chains, and as they are after further stretches of flights."""
        state = self._state
        flights = max(LEAST_FLIGHTS, state.mixing.flights)
        more = self._flown([flights] * (times - 1), named(state.key, OfState.MORE_VOTERS))
        return [self.rested(), *more]

    def rested(self) -> Floats:
        """Return the points of the chains; where there are copies, all have flown before.

        Answers about several classes may leave copies that did not, see :meth:`add_all`. That
        somebody looks changes nothing: what follows goes on from where the chains are.
        """
        state = self._state
        if state.cone.factors is None or not len(state.cone):
            return state.points
        family = family_of(state.points)
        if family.max() + 1 == len(family):
            return state.points
        if self._rested is None or self._rested[0] is not state:
            walls, key = Walls.of_cone(state.cone, state.sampler), named(state.key, OfState.REST)
            with one_thread():
                flown, _ = settle(state.points, walls, state.length, family, key)
            self._rested = state, flown
        return self._rested[1]

    def jury(self, task: Task = VOTE, times: int = 1) -> Singles:
        """Return k hypotheses, or ``times`` as many, that no question was chosen by.

        As :meth:`independent`, but as directions that vote, in float32, and drawn for one task
        alone: what is voted on by one jury can be judged by another.
        """
        state = self._state
        drawn = [
            to_votes(state.cone, one, named(state.key, task.free, number))[: self.size]
            for number, one in enumerate(self.jury_points(task, times))
        ]
        return np.concatenate(drawn)

    def jury_points(self, task: Task = VOTE, times: int = 1) -> list[Floats]:
        """Return what :meth:`jury` turns into hypotheses, in the cone's coordinates."""
        state = self._state
        if self._jury is not None:
            then, whose, points = self._jury
            if then is state and whose == task and len(points) >= times:
                return points[:times]
        least = max(LEAST_FLIGHTS, state.mixing.flights)
        flights = [TIMES_TO_FORGET * least] + [least] * (times - 1)
        points = self._flown(flights, named(state.key, task.flights))
        self._jury = state, task, points
        return points

    def independent(self, number: int) -> Floats:
        """Return k hypotheses that no question was chosen by.

        Survivors of a greedy choice are not an independent sample of what is left: the split that
        was chosen for looking even on them is less even in truth. These are the population flown on
        until its start is forgotten several times over; different numbers give different draws.
        """
        if len(self._state.cone) == 0:
            return self.hypotheses(1 + number)
        points = self.independent_points(number)
        return to_ball(
            self._state.cone, points, named(self._state.key, OfState.INDEPENDENT_FREE, number)
        )[: self.size]

    def independent_points(self, number: int) -> Floats:
        """Return what :meth:`independent` turns into hypotheses, in the cone's coordinates."""
        state = self._state
        flights = TIMES_TO_FORGET * max(LEAST_FLIGHTS, state.mixing.flights)
        return self._flown([flights], named(state.key, OfState.INDEPENDENT, number))[0]

    def _flown(self, stretches: Sequence[int], key: tuple[int, ...]) -> list[Floats]:
        """Return the points after each of some stretches of flights; the population stays."""
        state = self._state
        if not stretches or len(state.cone) == 0:
            return [state.points] * len(stretches)
        walls = flown_between(Walls.of_cone(state.cone, state.sampler))
        count = len(state.points) // BLOCK
        rngs = streams(key, count)

        def fly_on(block: int) -> list[Floats]:
            moving, seen = Moving.of(state.points[block * BLOCK : (block + 1) * BLOCK], walls), []
            for flights in stretches:
                for _ in range(flights):
                    moving, _flight = moving.flown(state.length, rngs[block])
                seen.append(moving.chains.points)
            return seen

        return [np.concatenate(parts) for parts in zip(*each_block(fly_on, count), strict=True)]


def _begun_anew(state: State, normals: Floats) -> State | None:
    """Return the state with chains begun anew, or None where answers are better absorbed."""
    if len(normals) < max(MANY, len(state.cone)):
        return None
    try:
        return drawn_afresh(state, normals)
    except Undecided:
        # Too thin to spread out in from one point: a population that shrinks with it can do more.
        return None


def _bytes(state: State) -> int:
    """Return what a population that is stepped back to takes: its points and its cone."""
    return state.points.nbytes + state.cone.nbytes
