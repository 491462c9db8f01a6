"""VolEst: the volume of a version space, with the promise of Lemma 12 of the paper.

``log_volume(cone, epsilon, delta)`` is within ``ln(1 + epsilon)`` of the true logarithm of the
share of the unit ball with probability at least 1 - delta. (The lemma and its use in the proof
have the inequality in opposite directions; this form satisfies both.)

*Nested cones.* Let g be the normalised sum of the walls. ``K_c = {w : (a_i + c g) w > 0 for all
i}`` shrinks from the halfspace ``g w > 0``, of volume 1/2, to the cone itself as c falls from
infinity to 0, since ``g w > 0`` on all of it. A pilot run picks levels c_1 > c_2 > ... > 0 such
that a fifth of each cone lies in the next. The levels are then fixed, and an independent run of N
chains counts how many of them lie in the next cone at each level; the volume is half the product
of the shares.

*How many.* With independent draws the n counts are binomial, Bin(N, p_j), with p_j >= LEAST_SHARE
(the pilot aims at 1/5 with 2,048 chains; a share below 0.15 is more than five standard deviations
away). By Chernoff's method, for every s > 0,

    P[sum_j ln(X_j / N p_j) >= x] <= exp(-s x) * E[(X / N p)^s]^n

and likewise for the lower tail with -s. The expectations are sums over the binomial law,
evaluated exactly at p = LEAST_SHARE, where relative fluctuations are largest; N is the smallest
number found for which both tails at x = ln(1 + epsilon), minimised over s, add up to at most
delta. No normal approximation is involved. For many levels N is close to ``2 n (1-p)/p
ln(2/delta) / x^2``, so the whole costs O(n^2) draws for ``n ~ ln(1/volume) / 1.6``; everything is
in logarithms, and 1e-300 is as good as any other volume.

*What is assumed.* That each chain's draw is independent of the others and uniform on its cone:
chains fly until no function of them is correlated more than 0.2 with its start, plus one flight.
That is lambda-uniformity, which no diagnostic can prove for one run. The reported standard
deviation is computed from independent blocks, so that it would show what correlation is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import bdtr, bdtrc, gammaln, logsumexp, xlog1py, xlogy

from aluma.arrays import Floats, Ints
from aluma.errors import Undecided
from aluma.geometry.cone import Cone
from aluma.sampling.absorption import refill
from aluma.sampling.blocks import BLOCK, blocks_for, each_block
from aluma.sampling.chains import Chains, Walls, place
from aluma.sampling.kernels import fly
from aluma.sampling.pace import QUARTER, climb, forget
from aluma.streams import OfSeed, entropy, named, streams

#: Share of a cone that the pilot puts into the next: 1/5 minimises (1-p) / (p ln(p)^2), the number
#: of draws for a given accuracy.
SHARE = 0.2
#: Share below which no level is expected to be; the promise is computed for it.
LEAST_SHARE = 0.15
#: Blocks of chains in the pilot run.
PILOT_BLOCKS = 8
#: Levels after which a cone counts as too thin for float64.
MOST_LEVELS = 5000

#: The least epsilon and delta, and why there are such.
FINEST = 1e-4, "chains become more with its inverse square"
SUREST = 1e-30, "what the bound leaves out may be likelier than that"


class Level(NamedTuple):
    """A nested cone: how far it is ``opened`` (c), and how chains move in it."""

    opened: float
    length: float
    flights: int


@dataclass(frozen=True)
class VolumeEstimate:
    """ln of the share of the unit ball, its standard deviation, and what was spent on it."""

    log_volume: float
    standard_deviation: float
    levels: int
    chains: int


def log_volume(
    cone: Cone, epsilon: float = 1 / 3, delta: float = 0.05, random_state: Any = 0
) -> VolumeEstimate:
    """VolEst(K, epsilon, delta) for the cone within the unit ball."""
    for name, value, least, why in (("epsilon", epsilon, *FINEST), ("delta", delta, *SUREST)):
        if not 0 < value < 1:
            raise ValueError(f"{name} must lie strictly between 0 and 1, got {value}.")
        if value < least:
            raise ValueError(f"{name} must be at least {least}, got {value}: {why}.")
    if len(cone) == 0:
        return VolumeEstimate(0.0, 0.0, 0, 0)
    seed = entropy(random_state)
    levels = _pilot(cone, named(seed, OfSeed.VOLUME_PILOT))
    if not levels:
        return VolumeEstimate(float(-np.log(2)), 0.0, 0, 0)
    count = blocks_for(draws_needed(len(levels), epsilon, delta))
    rngs = streams(named(seed, OfSeed.VOLUME_DESCENT), count)
    survivors = np.array(each_block(lambda b: _descend(cone, levels, rngs[b]), count))
    shares = survivors.mean(axis=0) / BLOCK
    variance = max(
        float(((1 - shares) / (shares * count * BLOCK)).sum()), _block_variance(survivors)
    )
    # The mean of a logarithm is below the logarithm of the mean, by half the variance.
    estimate = float(-np.log(2) + np.log(shares).sum() + variance / 2)
    return VolumeEstimate(estimate, float(np.sqrt(variance)), len(levels), count * BLOCK)


@cache
def draws_needed(levels: int, epsilon: float, delta: float) -> int:
    """Return the number of chains N for which the promise holds with this many levels."""
    p, x = LEAST_SHARE, float(np.log1p(epsilon))
    n = int(levels * (1 - p) / p * np.log(2 / delta) / x**2) + 16
    while failure_bound(n, levels, x) > delta:
        n = int(n * 1.1)
    return n


def failure_bound(n: int, levels: int, x: float) -> float:
    """Bound the probability that the sum of n-draw log shares is off by more than x."""
    p = LEAST_SHARE
    spread = np.sqrt(n * p * (1 - p))
    counts = np.arange(max(1, int(n * p - 15 * spread)), min(n, int(n * p + 15 * spread)) + 1)
    weights = _log_binomial(counts, n, p)
    deviation = np.log(counts / (n * p))
    best = x * n * p / (levels * (1 - p))
    tails = []
    for sign in (1, -1):
        powers = best * np.linspace(0.3, 1.7, 29)
        logs = [levels * logsumexp(weights + sign * s * deviation) - s * x for s in powers]
        tails.append(np.exp(min(logs)))
    # What the window leaves out: fifteen standard deviations, at every level.
    outside = levels * (bdtr(counts[0] - 1, n, p) + bdtrc(counts[-1], n, p))
    return float(sum(tails) + outside)


def _log_binomial(counts: Ints, n: int, p: float) -> Floats:
    """Return ln P[Bin(n, p) = k] for each count k."""
    ways = gammaln(n + 1) - (gammaln(counts + 1) + gammaln(n - counts + 1))
    return np.asarray(ways + xlogy(counts, p) + xlog1py(n - counts, -p))


def _opener(cone: Cone) -> Floats:
    """Return g, the normalised sum of the walls, in the coordinates of the chains."""
    total = cone.coordinates.sum(axis=0)
    return np.asarray(total / np.linalg.norm(total))


def _walls(cone: Cone, opener: Floats, opened: float) -> Walls:
    """Return the walls of K_c."""
    normals = cone.coordinates + opened * opener
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Walls.of(normals, cone.dimension)


def _needs(points: Floats, cone: Cone, opener: Floats) -> Floats:
    """Return, for each point, the c below which it is outside K_c."""
    return np.asarray(-(points @ cone.coordinates.T).min(axis=1) / (points @ opener))


def _halfspace(n: int, opener: Floats, rng: np.random.Generator) -> Floats:
    """Draw from the halfspace that all K_c lie in, exactly."""
    points = rng.standard_normal((n, len(opener)))
    return np.asarray(points * np.sign(points @ opener)[:, None])


def _pilot(cone: Cone, key: tuple[int, ...]) -> list[Level]:
    """Choose the levels, and for each a trajectory length and the flights that forget."""
    rng, opener = streams(key, 1)[0], _opener(cone)
    points = _halfspace(PILOT_BLOCKS * BLOCK, opener, rng)
    levels: list[Level] = []
    length = QUARTER
    while len(levels) < MOST_LEVELS:
        needs = _needs(points, cone, opener)
        inside = np.mean(needs < 0)
        if inside == 1:
            return levels
        opened = 0.0 if inside >= SHARE else float(np.quantile(needs, SHARE))
        family = refill(needs < opened, rng)
        walls = _walls(cone, opener, opened)
        explore = partial(_explore, points[family], walls, length, rng)
        points, length, flights = each_block(explore, 1)[0]
        levels.append(Level(opened, length, flights + 1))
        if opened == 0.0:
            return levels
    raise Undecided(f"after {MOST_LEVELS} levels the cone is not reached: too thin for float64.")


def _explore(
    points: Floats, walls: Walls, length: float, rng: np.random.Generator, _block: int
) -> tuple[Floats, float, int]:
    """Find a trajectory length on the first chains, then let all of them forget their starts."""
    first, length = climb(place(points[:BLOCK], walls), walls, rng, length)
    points = np.vstack([first.points, points[BLOCK:]])
    chains, flights = forget(place(points, walls), walls, rng, length)
    return chains.points, length, flights


def _descend(cone: Cone, levels: list[Level], rng: np.random.Generator) -> Ints:
    """Take one block of chains through all levels; return how many survive into each."""
    opener = _opener(cone)
    points = _halfspace(BLOCK, opener, rng)
    survivors = np.empty(len(levels), dtype=np.int64)
    for position, level in enumerate(levels):
        inside = _needs(points, cone, opener) < level.opened
        survivors[position] = inside.sum()
        if position + 1 < len(levels):
            walls = _walls(cone, opener, level.opened)
            chains: Chains = place(points[refill(inside, rng)], walls)
            for _ in range(level.flights):
                chains, _flight = fly(chains, walls, level.length, rng)
            points = chains.points
    return survivors


def _block_variance(survivors: Ints) -> float:
    """Return the variance of the sum of log shares, from blocks that know nothing of each other."""
    count = len(survivors)
    if count < 2:
        return 0.0
    influence = (survivors / survivors.mean(axis=0) - 1).sum(axis=1)
    return float(influence.var(ddof=1) / count)
