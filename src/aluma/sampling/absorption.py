"""What becomes of a population when an answer arrives.

After an answer, the hypotheses that agree with it are (nearly) uniform on what is left. The others
are replaced by copies of those, and everybody flies until the starts are forgotten. When an answer
contradicts only a few, most of the rest stay where they are: the copies fly, and with them those
that have not flown for longest. When an answer surprises everybody, its wall is brought in
gradually: with g the sum of the walls so far, ``(a + c g) w > 0`` is implied by all of them for
large c and is the new wall at c = 0, so a falling sequence of c is a nested sequence of cones in
which some hypotheses always survive.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np

from aluma.arrays import Bools, Floats, Ints
from aluma.errors import Undecided
from aluma.geometry.cone import Cone, clearly_inside
from aluma.geometry.feasibility import interior_point
from aluma.sampling.blocks import BLOCK, each_block
from aluma.sampling.chains import Chains, Walls, place
from aluma.sampling.pace import FORGOTTEN, climb, cost
from aluma.sampling.settling import (
    LEAST_FLIGHTS,
    PART,
    UNSOUND_REFUSED,
    Mixing,
    fly_until,
    most_work,
    settle,
    settle_some,
)
from aluma.streams import OfState, named, stream, streams

#: With fewer survivors than this an answer is brought in gradually.
FEW = 32
#: Share of the population that each gradual step keeps.
KEPT_PER_STEP = 0.25
#: Gradual steps before the cone counts as too thin: each leaves a quarter of the volume.
MOST_STEPS = 64
#: Bounces per wall, on average, from which on another trajectory length is looked for.
TOO_MANY_BOUNCES = 10
TOO_THIN = (
    "the answer surprises every hypothesis and leaves a version space too thin to explore. Is "
    "there an example that is nearly the same, with the opposite answer? Change one of the two, or "
    "allow for slack."
)
#: When an answer contradicts at most this share of the hypotheses, not everybody flies: the copies
#: do, and of the others this share, those that have not flown for longest. So nobody stays where it
#: is for more than eight answers.
RARE_SHARE = 1 / 8
#: Between more walls than this flights are dear: then survivors stay whatever the share of those
#: that contradict an answer, and a question takes a quarter less (MNIST, 200 answers). The more
#: contradict it, the sooner everybody has flown.
DEAR_WALLS = 128
#: An answer counts as expected if at most this share of the hypotheses contradicts it.
SURPRISED_SHARE = 0.05
#: The trajectory length is looked for again when the number of walls has grown by this factor, and
#: by this number: a search costs about as much as an answer.
REPACE, REPACE_LEAST = 1.25, 3


@dataclass(frozen=True)
class State:
    """All that a population is after some answers; never changed, only replaced.

    The rows of ``points`` that have not flown for longest come first. ``expected`` is how many of
    the last answers, in a row, were of the kind that nearly every hypothesis expected. ``sampler``
    is the name of the kernel that moves the points.
    """

    cone: Cone
    points: Floats
    key: tuple[int, ...]
    length: float
    paced_at: int
    log_volume: float
    mixing: Mixing
    expected: int = 0
    sampler: str = "reflection"


def absorb(state: State, normal: Floats, cone: Cone | None = None) -> State:
    """Return the state after one more answer; ``cone`` is what it leads to, if that is known."""
    if cone is None:
        cone = state.cone.widened(len(normal)).with_walls(normal[None, :])
    key = digest(state.key, normal)
    rng = stream(key, OfState.REFILL)
    points = state.points
    if cone.rank > state.cone.rank:
        # What no earlier answer constrained is still a free Gaussian coordinate.
        points = np.hstack([points, rng.standard_normal((len(points), 1))])
    wall = cone.after(len(cone) - 1)[0]
    inside = _in_front(points, cone, wall)
    length, lost, steps = state.length, 0.0, 0
    if inside.sum() < FEW:
        if not inside.any():
            interior_point(cone)
        points, length, lost, steps = _bring_in(cone, points, state, key)
        inside = _in_front(points, cone, wall)
    family = refill(inside, rng)
    walls = Walls.of_cone(cone, state.sampler)
    points, paced_at = points[family], state.paced_at
    flights = named(key, OfState.SETTLE)
    if steps or len(cone) >= REPACE * paced_at + REPACE_LEAST:
        points, length = repaced(points, walls, length, named(key, OfState.PACE))
        paced_at = len(cone)
        points, mixing = settle(points, walls, length, family, flights)
    elif stays(inside, walls):
        points, mixing = shifted(points, walls, state.mixing, family, inside, flights)
    else:
        points, mixing = settle(points, walls, length, family, flights)
    if steps and not mixing.sound:
        raise Undecided(TOO_THIN)
    mixing = replace(mixing, ancestors=int(inside.sum()), gradual=steps)
    log_volume = state.log_volume + lost + float(np.log(inside.mean()))
    expected = state.expected + 1 if np.mean(inside) >= 1 - SURPRISED_SHARE and not steps else 0
    return State(cone, points, key, length, paced_at, log_volume, mixing, expected, state.sampler)


def widened(state: State, dimension: int) -> State:
    """Return the state in a space with more coordinates, in all of which its chains move.

    What no answer constrained is a free Gaussian coordinate. Only for states whose chains move in
    all coordinates there are, as those of an empty cone in no dimension at all.
    """
    more = dimension - state.cone.dimension
    if more == 0:
        return state
    key = digest(state.key, np.array([dimension], dtype=np.float64))
    free = stream(key, OfState.REFILL).standard_normal((len(state.points), more))
    points = np.hstack([state.points, free])
    return replace(state, cone=state.cone.completed(dimension), points=points, key=key)


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


def stays(inside: Bools, walls: Walls) -> bool:
    """Say whether survivors of an answer stay where they are, most of them."""
    return bool(np.mean(~inside) <= RARE_SHARE) or len(walls) > DEAR_WALLS


def shifted(
    points: Floats, walls: Walls, last: Mixing, family: Ints, inside: Bools, key: tuple[int, ...]
) -> tuple[Floats, Mixing]:
    """Let those fly that have to; those that flew come last."""
    flown, stay = _shift(inside)
    moved, mixing = settle_some(points[flown], walls, last, family, key)
    return np.vstack([points[stay], moved]), mixing


def _shift(inside: Bools) -> tuple[Ints, Ints]:
    """Return who flies after an answer that few contradict, and who stays.

    The dead fly, as copies, and the survivors that have stayed longest, in whole parts.
    """
    dead, alive = np.flatnonzero(~inside), np.flatnonzero(inside)
    wanted = len(dead) + RARE_SHARE * len(inside)
    rested = PART * int(np.ceil(wanted / PART)) - len(dead)
    return np.concatenate([dead, alive[:rested]]), alive[rested:]


def _bring_in(
    cone: Cone, points: Floats, state: State, key: tuple[int, ...]
) -> tuple[Floats, float, float, int]:
    """Bring the last wall of ``cone`` in gradually.

    Returns points inside the others of which enough are in front of it, the trajectory length that
    suits them, the logarithm of the share of volume lost so far, and the number of steps.
    """
    wall, others = cone.coordinates[-1], cone.coordinates[:-1]
    opener = others.sum(axis=0)
    opener /= np.linalg.norm(opener)
    length, lost, spent = state.length, 0.0, 0.0
    most = np.inf
    for step in range(MOST_STEPS):
        behind = -(points @ wall) / (points @ opener)
        if _in_front(points, cone, wall).mean() >= KEPT_PER_STEP:
            return points, length, lost, step
        if spent > most:
            break
        opened = wall + np.quantile(behind, KEPT_PER_STEP) * opener
        opened /= np.linalg.norm(opened)
        inside = _in_front(points, cone, opened)
        points = points[refill(inside, stream(key, OfState.STEP_REFILL, step))]
        walls = Walls.of(np.vstack([others, opened]), cone.dimension, state.sampler)
        points, length, work = _step(points, walls, length, key, step)
        spent, most = spent + work, most_work(walls, len(points))
        lost += float(np.log(inside.mean()))
    raise Undecided(TOO_THIN)


def _step(
    points: Floats, walls: Walls, length: float, key: tuple[int, ...], step: int
) -> tuple[Floats, float, float]:
    """Fly once, with another length if this one does not fit; return the work, too.

    What is not forgotten here is forgotten when the wall is where it belongs.
    """
    everybody = np.arange(len(points))
    first = named(key, OfState.STEP_FLIGHT, step)
    moved, mixing, work = fly_until(
        points, walls, length, LEAST_FLIGHTS, np.inf, BLOCK, everybody, first
    )
    long = len(points) * cost(TOO_MANY_BOUNCES * len(walls), walls)
    if mixing.refused < UNSOUND_REFUSED / 2 and work < long:
        return moved, length, work
    points, length = repaced(moved, walls, length, named(key, OfState.STEP_PACE, step))
    again = named(key, OfState.STEP_AGAIN, step)
    moved, _, more = fly_until(
        points, walls, length, LEAST_FLIGHTS, FORGOTTEN, BLOCK, everybody, again
    )
    # The search for a length takes about as much as the flight that showed it was needed.
    return moved, length, 2 * work + more


def repaced(
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


def digest(key: tuple[int, ...], array: Floats) -> tuple[int, ...]:
    """Return a key that depends on an earlier key and an array, bit by bit."""
    told = blake2b(repr(key).encode() + np.ascontiguousarray(array).tobytes(), digest_size=16)
    return tuple(int(word) for word in np.frombuffer(told.digest(), dtype=np.uint32))
