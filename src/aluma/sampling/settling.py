"""Flying chains until they have forgotten where they started, and saying how that went."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from aluma.arrays import Floats, Ints
from aluma.sampling.blocks import BLOCK, each_block
from aluma.sampling.chains import Walls
from aluma.sampling.diagnostics import correlation, split_rhat
from aluma.sampling.kernels import Moving, in_single
from aluma.sampling.pace import FORGOTTEN, cost, directions, functions
from aluma.streams import judging, streams

#: Flights after each answer: at least this many, at most that many.
LEAST_FLIGHTS, MAX_FLIGHTS = 1, 64
#: Chains of a block where not everybody flies: small, so that two threads have work, and so that
#: few fly only because blocks are whole.
PART = BLOCK // 4
#: Nominal nanoseconds (see :func:`aluma.sampling.pace.cost`) that a chain may take, and flights
#: with a bounce for every wall on top: in a wedge between two examples that are nearly the same but
#: answered differently, flights would never end.
MOST_NANOSECONDS, ORDINARY_FLIGHTS = 2e6, 128
#: Between more walls than this a population's trajectories are followed in float32, where bounces
#: take two fifths of the time (MNIST 4 and 7, 500 answers); between fewer there is little to gain.
MANY_WALLS = 128
#: From these on a population counts as unsound: nothing is promised by it.
UNSOUND_CORRELATION, UNSOUND_RHAT, UNSOUND_REFUSED = 0.5, 1.5, 0.5


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


def settle(
    points: Floats, walls: Walls, length: float, family: Ints, key: tuple[int, ...]
) -> tuple[Floats, Mixing]:
    """Fly everybody until no function is correlated with its start; say how that went.

    ``family[i]`` names whom chain i is a copy of; copies of one are correlated until they forget.
    """
    return fly_until(points, walls, length, LEAST_FLIGHTS, FORGOTTEN, BLOCK, family, key)[:2]


def settle_some(
    points: Floats, walls: Walls, last: Mixing, family: Ints, key: tuple[int, ...]
) -> tuple[Floats, Mixing]:
    """Fly a part of a population as often as the last answer took.

    So few chains cannot tell a forgotten start from one that is nearly so: more flights follow only
    when the correlation is above what is allowed by more than the noise.
    """
    allowed = FORGOTTEN + 3 / np.sqrt(len(points))
    flights = max(LEAST_FLIGHTS, last.flights)
    return fly_until(points, walls, last.length, flights, allowed, PART, family, key)[:2]


def fly_until(
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
    between = flown_between(walls)
    blocks = [
        Moving.of(points[block * size : (block + 1) * size], between) for block in range(count)
    ]
    judged = functions(walls, points, streams(judging(key), 1)[0])
    start = directions(points) @ judged
    history: list[Floats] = []
    refused, work = 0, 0.0
    while len(history) < MAX_FLIGHTS:
        more = max(flights, len(history))
        several = partial(_several, blocks, length, more, judged, rngs)
        parts = each_block(several, count)
        blocks = [part[0] for part in parts]
        history += [np.concatenate(values) for values in zip(*(p[1] for p in parts), strict=True)]
        refused += sum(part[2] for part in parts)
        bounces = sum(part[3] for part in parts) / (len(points) * more)
        work += cost(bounces, walls) * len(points) * more
        kept = float(correlation(start, history[-1]).max())
        if kept < allowed or work > most_work(walls, len(points)):
            break
    copies = (np.bincount(family) ** 2).sum() / len(family)
    effective = len(family) / (1 + kept**2 * (copies - 1))
    flown = len(history)
    rhat = float(split_rhat(np.stack(history, axis=1)).max()) if flown >= 4 else np.nan
    share = refused / (len(points) * flown)
    ended = np.concatenate([block.chains.points for block in blocks])
    mixing = Mixing(float(effective), rhat, 0, flown, kept, length, share, 0)
    return ended, mixing, work


def flown_between(walls: Walls) -> Walls:
    """Return the walls of a population as its chains move between them: many are in float32.

    Which side of a wall a chain is on is decided in float64 in any case.
    """
    return in_single(walls) if len(walls) > MANY_WALLS else walls


def most_work(walls: Walls, chains: int) -> float:
    """Return the nominal nanoseconds after which chains are left where they are."""
    return chains * (MOST_NANOSECONDS + ORDINARY_FLIGHTS * cost(len(walls), walls))


def _several(
    blocks: list[Moving],
    length: float,
    flights: int,
    judged: Floats,
    rngs: list[np.random.Generator],
    block: int,
) -> tuple[Moving, list[Floats], int, int]:
    """Fly one block several times.

    Returns it, the judged values after each flight, the refusals and the bounces.
    """
    moving, values, refused, bounces = blocks[block], [], 0, 0
    for _ in range(flights):
        moving, flight = moving.flown(length, rngs[block])
        values.append(directions(moving.chains.points) @ judged)
        refused += int(flight.refused.sum())
        bounces += int(flight.bounces.sum())
    return moving, values, refused, bounces
