"""A population of hypotheses, kept uniform on the version space while answers arrive.

After an answer, the hypotheses that agree with it are (nearly) uniform on what is left. The others
are replaced by copies of those, and everybody flies until the starts are forgotten. When an answer
contradicts only a few, most of the rest stay where they are: the copies fly, and with them those
that have not flown for longest. When an answer surprises everybody, its wall is brought in
gradually: with g the sum of the walls so far, ``(a + c g) w > 0`` is implied by all of them for
large c and is the new wall at c = 0, so a falling sequence of c is a nested sequence of cones in
which some hypotheses always survive.

Randomness is keyed by the seed and the answers, so the same answers in the same order give the same
population, whether they were absorbed at once, undone and given again, or replayed elsewhere.

Memory is ``8 k (r + t)`` bytes for k hypotheses with t answers and ``r = min(t, d)``, as much again
for each step that can be undone, and ``8 (t d + d r + t r + t^2)`` for the cone itself.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b

import numpy as np

from aluma.arrays import Bools, Floats, Ints, Singles, positive_integer
from aluma.blas import one_thread
from aluma.cone import Cone, clearly_inside
from aluma.feasibility import Undecided, interior_point
from aluma.sampling.ball import to_ball, to_votes
from aluma.sampling.blocks import BLOCK, blocks_for, each_block, entropy, streams
from aluma.sampling.diagnostics import correlation, split_rhat
from aluma.sampling.pace import FORGOTTEN, QUARTER, climb, cost, directions, functions
from aluma.sampling.reflection import Chains, Walls, fly, place

#: Answers that can be undone one by one.
UNDO_DEPTH = 32
#: With fewer survivors than this an answer is brought in gradually.
FEW = 32
#: Share of the population that each gradual step keeps.
KEPT = 0.25
#: Gradual steps before the cone counts as too thin: each leaves a quarter of the volume.
MOST_STEPS = 64
#: Up to this share of contradicted hypotheses, as many again fly besides their copies and not
#: everybody: nobody then stays for more than eight answers.
RARE = 1 / 8
#: Nearly every hypothesis expected an answer if at most this share did not.
SURPRISED = 0.05
#: Flights after each answer: at least this many, at most that many.
LEAST_FLIGHTS, MOST_FLIGHTS = 1, 64
#: Chains of a block where not everybody flies: small, so that two threads have work.
PART = BLOCK // 2
#: Nominal nanoseconds (see :func:`aluma.sampling.pace.cost`) that settling may take, and flights
#: with a bounce for every wall on top: in a wedge between two examples that are nearly the same but
#: answered differently, flights would never end.
MOST_WORK, ORDINARY_FLIGHTS = 1e9, 16
#: From here on a population says that it cannot speak for its version space.
UNSOUND_CORRELATION, UNSOUND_RHAT, UNSOUND_REFUSED = 0.5, 1.5, 0.5
#: Times the flights that forgot the last start that an independent draw takes.
AFRESH = 3
#: The trajectory length is looked for again when the number of walls has grown by this factor, and
#: by this number: a search costs about as much as an answer.
REPACE, REPACE_LEAST = 1.25, 3


@dataclass(frozen=True)
class Mixing:
    """What the population can say about its own quality after the last answer.

    Attributes
    ----------
    effective : hypotheses that are worth as much if they were independent. With families of c_i
        copies and correlation rho of now with their starts, k / (1 + rho^2 (sum c_i^2 / k - 1)).
    rhat : split R-hat over the flights since the answer, the worst over functions; NaN if fewer
        than four flights sufficed
    ancestors : hypotheses from before the answer that the present ones descend from
    flights : trajectories flown since the answer
    correlation : largest correlation of a function of a hypothesis with its start
    length : trajectory length
    refused : share of trajectories that rounding or the limit on bounces sent back
    gradual : steps in which the answer was brought in; 0 when enough hypotheses expected it
    """

    effective: float
    rhat: float
    ancestors: int
    flights: int
    correlation: float
    length: float
    refused: float
    gradual: int

    @property
    def sound(self) -> bool:
        """Whether the hypotheses can speak for the version space: they moved, and forgot."""
        forgot = self.correlation < UNSOUND_CORRELATION and not self.rhat > UNSOUND_RHAT
        return forgot and self.refused < UNSOUND_REFUSED


@dataclass(frozen=True)
class State:
    """All that a population is after some answers; never changed, only replaced.

    The rows of ``points`` that have not flown for longest come first. ``expected`` is how many of
    the last answers, in a row, were of the kind that nearly every hypothesis expected.
    """

    cone: Cone
    points: Floats
    key: tuple[int, ...]
    length: float
    paced_at: int
    log_volume: float
    mixing: Mixing
    expected: int = 0


class Population:
    """k hypotheses kept uniform on a version space.

    Parameters
    ----------
    dimension : of the space of hypotheses
    size : number k of hypotheses
    seed : non-negative integer

    Examples
    --------
    >>> population = Population(3, size=500, seed=1)
    >>> population.add(np.array([1.0, 0.0, 0.0]))
    >>> bool((population.hypotheses()[:, 0] > 0).all())
    True
    """

    def __init__(self, dimension: int, size: int = 1000, seed: int = 0) -> None:
        self.size = positive_integer(size, "size")
        self.seed = entropy(seed)
        start = Mixing(float(size), np.nan, size, 0, 0.0, QUARTER, 0.0, 0)
        chains = blocks_for(size) * BLOCK
        key = _digest((self.seed,), np.array([dimension, size], dtype=np.float64))
        self._state = State(
            Cone.whole(dimension), np.empty((chains, 0)), key, QUARTER, 0, 0.0, start
        )
        self._past: deque[State] = deque(maxlen=UNDO_DEPTH)

    @property
    def state(self) -> State:
        """The present state, to be kept or given to :meth:`restore`."""
        return self._state

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
        looking at this very population bias it; :mod:`aluma.volume` has one with a promise.
        """
        return self._state.log_volume

    def add(self, normal: Floats) -> None:
        """Absorb an answer, given as the unit normal that consistent hypotheses are in front of.

        A normal with more coordinates than the space so far widens it by those: no earlier answer
        constrained them.

        Raises :class:`aluma.feasibility.Infeasible` if no halfspace is left, and stays as it was.
        """
        with one_thread():
            state = absorb(self._state, normal)
        self._past.append(self._state)
        self._state = state

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
        return twin

    def hypotheses(self, fresh: int = 0) -> Floats:
        """Return the hypotheses, (k, d), uniform in the cone within the unit ball.

        Directions that no answer constrains are drawn anew, by a stream keyed with ``fresh``: the
        same number gives the same draw.
        """
        return to_ball(self._state.cone, self._state.points, (*self._state.key, 1, fresh))[
            : self.size
        ]

    def voters(self, times: int = 1) -> Singles:
        """Return the hypotheses, (k, d) in float32, as directions that vote on examples.

        With ``times``, that many times as many: the population itself, and then as it is after
        each further stretch of flights that forgets its start.
        """
        state = self._state
        flights = max(LEAST_FLIGHTS, state.mixing.flights)
        points = [state.points, *self._flown(flights, times - 1, (*state.key, 8))]
        drawn = [
            to_votes(state.cone, one, (*state.key, 1, number))[: self.size]
            for number, one in enumerate(points)
        ]
        return np.concatenate(drawn) if times > 1 else drawn[0]

    def independent(self, number: int) -> Floats:
        """Return k hypotheses that no question was chosen by.

        Survivors of a greedy choice are not an independent sample of what is left: the split that
        was chosen for looking even on them is less even in truth. These are the population flown on
        until its start is forgotten several times over; different numbers give different draws.
        """
        if len(self._state.cone) == 0:
            return self.hypotheses(1 + number)
        points = self.independent_points(number)
        return to_ball(self._state.cone, points, (*self._state.key, 7, number))[: self.size]

    def independent_points(self, number: int) -> Floats:
        """Return what :meth:`independent` turns into hypotheses, in the cone's coordinates."""
        state = self._state
        flights = AFRESH * max(LEAST_FLIGHTS, state.mixing.flights)
        return self._flown(flights, 1, (*state.key, 6, number))[0]

    def _flown(self, flights: int, times: int, key: tuple[int, ...]) -> list[Floats]:
        """Return the points after each of some stretches of flights; the population stays."""
        state = self._state
        if times == 0 or len(state.cone) == 0:
            return [state.points] * times
        walls = Walls.of(state.cone.coordinates, state.cone.dimension)
        count = len(state.points) // BLOCK
        rngs = streams(key, count)

        def fly_on(block: int) -> list[Floats]:
            chains, seen = place(state.points[block * BLOCK : (block + 1) * BLOCK], walls), []
            for _ in range(times):
                for _ in range(flights):
                    chains, _flight = fly(chains, walls, state.length, rngs[block])
                seen.append(chains.points)
            return seen

        return [np.concatenate(parts) for parts in zip(*each_block(fly_on, count), strict=True)]


def absorb(state: State, normal: Floats) -> State:
    """Return the state after one more answer."""
    cone = state.cone.widened(len(normal)).with_walls(normal[None, :])
    key = _digest(state.key, normal)
    rng = streams((*key, 2), 1)[0]
    points = state.points
    if cone.rank > state.cone.rank:
        # What no earlier answer constrained is still a free Gaussian coordinate.
        points = np.hstack([points, rng.standard_normal((len(points), 1))])
    inside = _in_front(points, cone, cone.coordinates[-1])
    length, lost, steps = state.length, 0.0, 0
    if inside.sum() < FEW:
        if not inside.any():
            interior_point(cone)
        points, length, lost, steps = _bring_in(cone, points, length, (*key, 5))
        inside = _in_front(points, cone, cone.coordinates[-1])
    family = refill(inside, rng)
    walls = Walls.of(cone.coordinates, cone.dimension)
    points, paced_at = points[family], state.paced_at
    if steps or len(cone) >= REPACE * paced_at + REPACE_LEAST:
        points, length = _repaced(points, walls, length, (*key, 3))
        paced_at = len(cone)
        points, mixing = settle(points, walls, length, family, (*key, 4))
    elif np.mean(~inside) <= RARE:
        flown, stay = _shift(inside)
        moved, mixing = settle_some(points[flown], walls, state.mixing, family, (*key, 4))
        points = np.vstack([points[stay], moved])
    else:
        points, mixing = settle(points, walls, length, family, (*key, 4))
    mixing = replace(mixing, ancestors=int(inside.sum()), gradual=steps)
    log_volume = state.log_volume + lost + float(np.log(inside.mean()))
    expected = state.expected + 1 if np.mean(inside) >= 1 - SURPRISED and not steps else 0
    return State(cone, points, key, length, paced_at, log_volume, mixing, expected)


def refill(inside: Bools, rng: np.random.Generator) -> Ints:
    """Return who each chain continues: survivors themselves, the dead as copies of survivors.

    Every survivor gets as many copies as every other, up to one.
    """
    alive = np.flatnonzero(inside)
    family = np.arange(len(inside))
    dead = np.flatnonzero(~inside)
    order = rng.permutation(alive)
    family[dead] = np.resize(order, len(dead))
    return family


def settle(
    points: Floats, walls: Walls, length: float, family: Ints, key: tuple[int, ...]
) -> tuple[Floats, Mixing]:
    """Fly everybody until no function is correlated with its start; say how that went.

    ``family[i]`` names whom chain i is a copy of; copies of one are correlated until they forget.
    """
    return _fly_until(points, walls, length, LEAST_FLIGHTS, FORGOTTEN, BLOCK, family, key)[:2]


def settle_some(
    points: Floats, walls: Walls, last: Mixing, family: Ints, key: tuple[int, ...]
) -> tuple[Floats, Mixing]:
    """Fly a part of a population as often as the last answer took.

    So few chains cannot tell a forgotten start from one that is nearly so: more flights follow only
    when the correlation is above what is allowed by more than the noise.
    """
    allowed = FORGOTTEN + 3 / np.sqrt(len(points))
    flights = max(LEAST_FLIGHTS, last.flights)
    return _fly_until(points, walls, last.length, flights, allowed, PART, family, key)[:2]


def _shift(inside: Bools) -> tuple[Ints, Ints]:
    """Return who flies after an answer that few contradict, and who stays.

    The dead fly, as copies, and the survivors that have stayed longest, in whole parts.
    """
    dead, alive = np.flatnonzero(~inside), np.flatnonzero(inside)
    wanted = len(dead) + RARE * len(inside)
    rested = PART * int(np.ceil(wanted / PART)) - len(dead)
    return np.concatenate([dead, alive[:rested]]), alive[rested:]


def _fly_until(
    points: Floats,
    walls: Walls,
    length: float,
    flights: int,
    allowed: float,
    size: int,
    family: Ints,
    key: tuple[int, ...],
) -> tuple[Floats, Mixing, float]:
    """Fly chains in blocks of ``size``, then as often again, until correlations are allowed.

    Returns the points, how it went, and the work spent, which has a limit.
    """
    count = len(points) // size
    rngs = streams(key, count)
    chains = [place(points[block * size : (block + 1) * size], walls) for block in range(count)]
    judged = functions(walls, points, streams((*key, 0), 1)[0])
    start = directions(points) @ judged
    history: list[Floats] = []
    refused, work = 0, 0.0
    while len(history) < MOST_FLIGHTS:
        more = max(flights, len(history))
        several = partial(_several, chains, walls, length, more, judged, rngs)
        parts = each_block(several, count)
        chains = [part[0] for part in parts]
        history += [np.concatenate(values) for values in zip(*(p[1] for p in parts), strict=True)]
        refused += sum(part[2] for part in parts)
        bounces = sum(part[3] for part in parts) / (len(points) * more)
        work += cost(bounces, walls) * len(points) * more
        kept = float(correlation(start, history[-1]).max())
        if kept < allowed or work > _most_work(walls, len(points)):
            break
    copies = (np.bincount(family) ** 2).sum() / len(family)
    effective = len(family) / (1 + kept**2 * (copies - 1))
    flown = len(history)
    rhat = float(split_rhat(np.stack(history, axis=1)).max()) if flown >= 4 else np.nan
    share = refused / (len(points) * flown)
    ended = np.concatenate([chain.points for chain in chains])
    mixing = Mixing(float(effective), rhat, 0, flown, kept, length, share, 0)
    return ended, mixing, work


def _most_work(walls: Walls, chains: int) -> float:
    """Return the nominal nanoseconds after which chains are left where they are."""
    return MOST_WORK + ORDINARY_FLIGHTS * cost(len(walls.normals), walls) * chains


def _several(
    blocks: list[Chains],
    walls: Walls,
    length: float,
    flights: int,
    judged: Floats,
    rngs: list[np.random.Generator],
    block: int,
) -> tuple[Chains, list[Floats], int, int]:
    """Fly one block several times.

    Returns it, the judged values after each flight, the refusals and the bounces.
    """
    chains, values, refused, bounces = blocks[block], [], 0, 0
    for _ in range(flights):
        chains, flight = fly(chains, walls, length, rngs[block])
        values.append(directions(chains.points) @ judged)
        refused += int(flight.refused.sum())
        bounces += int(flight.bounces.sum())
    return chains, values, refused, bounces


def _bring_in(
    cone: Cone, points: Floats, length: float, key: tuple[int, ...]
) -> tuple[Floats, float, float, int]:
    """Bring the last wall of ``cone`` in gradually.

    Returns points inside the others of which enough are in front of it, the trajectory length that
    suits them, the logarithm of the share of volume lost so far, and the number of steps.
    """
    wall, others = cone.coordinates[-1], cone.coordinates[:-1]
    opener = others.sum(axis=0)
    opener /= np.linalg.norm(opener)
    walls = Walls.of(others, cone.dimension)
    lost = spent = 0.0
    for step in range(MOST_STEPS):
        behind = -(points @ wall) / (points @ opener)
        if _in_front(points, cone, wall).mean() >= KEPT:
            return points, length, lost, step
        if spent > _most_work(walls, len(points)):
            break
        opened = wall + np.quantile(behind, KEPT) * opener
        opened /= np.linalg.norm(opened)
        inside = _in_front(points, cone, opened)
        points = points[refill(inside, streams((*key, step, 0), 1)[0])]
        walls = Walls.of(np.vstack([others, opened]), cone.dimension)
        points, length, work = _step(points, walls, length, (*key, step))
        spent += work
        lost += float(np.log(inside.mean()))
    raise Undecided(
        f"after {step + 1} gradual steps no hypothesis agrees with the answer: it leaves a version "
        "space too thin to explore. Is there an example that is nearly the same, with the opposite "
        "answer? Change one of the two, or allow for slack."
    )


def _step(
    points: Floats, walls: Walls, length: float, key: tuple[int, ...]
) -> tuple[Floats, float, float]:
    """Fly once, with another length if this one does not fit; return the work, too.

    What is not forgotten here is forgotten when the wall is where it belongs.
    """
    everybody = np.arange(len(points))
    moved, mixing, work = _fly_until(
        points, walls, length, LEAST_FLIGHTS, np.inf, BLOCK, everybody, (*key, 2)
    )
    if mixing.refused < UNSOUND_REFUSED / 2:
        return moved, length, work
    points, length = _repaced(moved, walls, length, (*key, 1))
    moved, _, more = _fly_until(
        points, walls, length, LEAST_FLIGHTS, FORGOTTEN, BLOCK, everybody, (*key, 3)
    )
    return moved, length, work + more


def _repaced(
    points: Floats, walls: Walls, length: float, key: tuple[int, ...]
) -> tuple[Floats, float]:
    """Look for the trajectory length again, with the first block of chains."""
    rng = streams(key, 1)[0]

    def first(_: int) -> tuple[Chains, float]:
        return climb(place(points[:BLOCK], walls), walls, rng, length)

    chains, length = each_block(first, 1)[0]
    return np.vstack([chains.points, points[BLOCK:]]), length


def _in_front(points: Floats, cone: Cone, wall: Floats) -> Bools:
    """Say which points are clearly in front of one wall."""
    return clearly_inside(points @ wall, np.linalg.norm(points, axis=1), cone.dimension)


def _digest(key: tuple[int, ...], array: Floats) -> tuple[int, ...]:
    """Return a key that depends on an earlier key and an array, bit by bit."""
    told = blake2b(repr(key).encode() + np.ascontiguousarray(array).tobytes(), digest_size=16)
    return tuple(int(word) for word in np.frombuffer(told.digest(), dtype=np.uint32))
