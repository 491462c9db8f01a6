"""The prior: which halfspaces are likely before the first answer.

"ball" is the paper's: hypotheses are uniform in the unit ball, so all directions are alike. "pool"
draws them with the pool's covariance S, ``w ~ N(0, S)``: directions in which examples differ much
are expected to tell the classes apart. Embeddings have a few such directions and many weak ones.

Since ``<S^(1/2) v, x> = <v, S^(1/2) x>``, this is the paper's prior for the stretched examples
``S^(1/2) x``: halfspaces of the one are halfspaces of the other, and all that is proven about
uniform hypotheses holds. S is shrunk towards a multiple of the identity as in O. Ledoit and M.
Wolf, "A well-conditioned estimator for large-dimensional covariance matrices", Journal of
Multivariate Analysis 88, 2004: where all directions are alike but for chance, nothing is stretched.

Where few directions are strong already, as in pixels and in tables, expecting yet more of them is a
mistake: there the classes differ in weaker ones too. Where many are, as in vectors of words, S says
too little. So it is a power of S, the largest up to MOST_POWER that leaves EFFECTIVE directions; a
pool that has fewer to begin with is left as it is.

Of a pool with many columns the leading directions are found by random projections (N. Halko, P.
Martinsson and J. Tropp, "Finding structure with randomness", SIAM Review 53, 2011), and the others
share one factor; a sparse pool stays sparse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aluma.arrays import Floats, Ints
from aluma.blas import one_thread
from aluma.pool import Pool
from aluma.pool.shaped import Shape
from aluma.pool.store import parts, rows_per_block
from aluma.streams import OfSeed, stream

#: The priors by name.
PRIORS = ("ball", "pool")
#: Up to this many columns their covariance is decomposed whole.
EXACT_UP_TO = 1024
#: Leading directions of wider pools, what is drawn beyond them, and passes that sharpen them.
LEADING, BEYOND, PASSES = 128, 16, 2
#: Rows that are looked at: at most so many, and so many numbers (entries of a sparse pool).
MOST_ROWS, ENTRIES = 20_000, 2**24
#: A column whose deviation is a smaller share of its mean is a constant, such as a bias.
CONSTANT = 1e-6
#: Stretched examples vary in so many directions at least, counted as ``(sum v)^2 / sum v^2`` for
#: variances v. Sentence embeddings have 14 and 15 with the whole covariance, which took a tenth to
#: a fifth off the error after 10 to 50 answers; components of digits have 5, and lost as much.
EFFECTIVE = 14.0
#: The largest power. Vectors and counts of words have 31 to 60 directions left by the covariance
#: itself; by an approximation of the learner, two instead of one took a tenth to a fifth off the
#: error after 10 and 25 answers on messages by them, and three brought nothing more.
MOST_POWER = 2.0
#: Directions in which nothing is seen get this share of the mean variance at least.
LEAST = 1e-6


def checked_prior(prior: Any) -> str:
    """Return the name of a prior, or say what is wrong with it."""
    if prior not in PRIORS:
        raise ValueError(f"prior must be one of {', '.join(PRIORS)}, got {prior!r}.")
    return str(prior)


@dataclass(frozen=True)
class Spread:
    """How the rows of a pool differ.

    Attributes
    ----------
    directions : (k, d) orthonormal, the leading ones
    variances : (k,) along them
    rest : the mean variance along what is left
    shrinkage : of the covariance towards a multiple of the identity, from 0 to 1
    """

    directions: Floats
    variances: Floats
    rest: float
    shrinkage: float


@one_thread()
def shape_of(pool: Pool, seed: int = 0) -> Shape | None:
    """Return what the pool's covariance makes of examples; None if it makes nothing of them.

    Columns that are constant are stretched as a typical row is: they are a bias, and the covariance
    says nothing about them.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((900, 60))
    >>> X[:, :20] *= 3
    >>> strong, weak = np.linalg.norm(shape_of(Pool(X)).applied(np.eye(60)[[0, 59]]), axis=1)
    >>> bool(6 < strong / weak < 12)
    True
    """
    rows = _some(pool)
    mean = np.asarray(rows.mean(axis=0)).ravel()
    squares = np.asarray((rows.multiply(rows) if _is_sparse(rows) else rows**2).mean(axis=0))
    deviation = np.sqrt(np.maximum(squares.ravel() - mean**2, 0.0))
    varies = deviation > CONSTANT * np.abs(mean)
    if varies.sum() < 2:
        return None
    columns = np.flatnonzero(varies)
    spread = spread_of(rows[:, columns], mean[columns], stream(seed, OfSeed.SKETCH))
    factors = _factors(spread, len(columns))
    if factors is None:
        return None
    directions = np.zeros((len(spread.directions), len(varies)))
    directions[:, columns] = spread.directions
    shape = Shape(directions, factors[:-1], float(factors[-1]))
    return _with_constants(shape, rows, np.flatnonzero(~varies & (mean != 0)))


def _factors(spread: Spread, width: int) -> Floats | None:
    """Return what lengths along the directions, and last the rest, are multiplied by, if at all."""
    if spread.shrinkage >= 1:
        return None
    times = np.append(np.ones(len(spread.variances)), width - len(spread.variances))
    variances = np.append(spread.variances, spread.rest)
    shrunk = (1 - spread.shrinkage) * variances * (width / (times @ variances)) + spread.shrinkage
    shrunk = np.maximum(shrunk, LEAST)
    power = power_for(shrunk, times)
    return None if power == 0 else np.asarray(shrunk ** (power / 2))


def power_for(variances: Floats, times: Floats) -> float:
    """Return the largest power up to MOST_POWER that leaves EFFECTIVE directions, or 0.

    Parameters
    ----------
    variances, times : the variances, and how many directions have each

    Examples
    --------
    >>> power_for(np.ones(5), np.ones(5)), power_for(np.ones(50), np.ones(50))
    (0.0, 2.0)
    """

    def enough(power: float) -> bool:
        stretched = variances ** (1 + power)
        return bool((times @ stretched) ** 2 >= EFFECTIVE * (times @ stretched**2))

    if enough(MOST_POWER):
        return MOST_POWER
    low, high = 0.0, MOST_POWER
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if enough(middle) else (low, middle)
    return low


def spread_of(rows: Any, mean: Floats, rng: np.random.Generator) -> Spread:
    """Return the leading directions of rows, seen from their mean, and how far to shrink."""
    n, width = rows.shape
    if width <= EXACT_UP_TO:
        values, vectors = np.linalg.eigh(_covariance(rows, mean))
        directions, variances, rest = vectors.T[::-1], np.maximum(values[::-1], 0.0), 0.0
    else:
        directions, variances = _sketched(rows, mean, rng)
        rest = 0.0
    lengths = _squares_about(rows, mean)
    total = float(lengths.mean())
    left = width - len(variances)
    if left:
        rest = max(0.0, total - float(variances.sum())) / left
    squared = float((variances**2).sum()) + left * rest**2
    apart = squared - total**2 / width
    by_chance = (float((lengths**2).mean()) - squared) / n
    shrinkage = 1.0 if apart <= by_chance else float(np.clip(by_chance / apart, 0.0, 1.0))
    return Spread(np.asarray(directions), variances, rest, shrinkage)


def _some(pool: Pool) -> Any:
    """Return rows that are evenly spread over a pool, as they are held: an array or CSR matrix."""
    width = pool.dimension - pool.bias
    first = pool.held(slice(0, 1))
    wanted = MOST_ROWS if _is_sparse(first) else min(MOST_ROWS, max(2, ENTRIES // width))
    chosen = np.arange(len(pool)) if len(pool) <= wanted else pool.spread_rows(wanted)
    rows = pool.held(chosen)
    return rows.astype(np.float64) if _is_sparse(rows) else np.asarray(rows, np.float64)


def _is_sparse(rows: Any) -> bool:
    return not isinstance(rows, np.ndarray)


def _covariance(rows: Any, mean: Floats) -> Floats:
    """Return the covariance matrix, a block of rows at a time."""
    width = rows.shape[1]
    out = np.zeros((width, width))
    for part in parts(rows.shape[0], rows_per_block(8 * width)):
        block = rows[part].toarray() if _is_sparse(rows) else rows[part]
        apart = block - mean
        out += apart.T @ apart
    return np.asarray(out / rows.shape[0])


def _sketched(rows: Any, mean: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return leading directions and variances by random projections, nothing made dense."""
    n, width = rows.shape
    drawn = min(LEADING + BEYOND, n, width)
    basis = np.linalg.qr(rng.standard_normal((width, drawn)))[0]
    for _ in range(PASSES):
        basis = np.linalg.qr(_back(rows, mean, _along(rows, mean, basis)))[0]
    _, sizes, turned = np.linalg.svd(_along(rows, mean, basis), full_matrices=False)
    kept = min(LEADING, drawn)
    return np.asarray(turned[:kept] @ basis.T), np.asarray(sizes[:kept] ** 2 / n)


def _along(rows: Any, mean: Floats, basis: Floats) -> Floats:
    """Return the centred rows in a basis, (n, k)."""
    return np.asarray(rows @ basis) - mean @ basis


def _back(rows: Any, mean: Floats, coordinates: Floats) -> Floats:
    """Return the transposed centred rows times something, (d, k)."""
    return np.asarray(rows.T @ coordinates) - np.outer(mean, coordinates.sum(axis=0))


def _squares_about(rows: Any, mean: Floats) -> Floats:
    """Return the squared lengths of rows, seen from their mean."""
    if _is_sparse(rows):
        own = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
        return np.asarray(np.maximum(own - 2 * (rows @ mean) + mean @ mean, 0.0))
    apart = rows - mean
    return np.asarray(np.einsum("ij,ij->i", apart, apart))


def _with_constants(shape: Shape, rows: Any, constant: Ints) -> Shape:
    """Let columns that are constant keep their length beside a typical row."""
    if not len(constant):
        return shape
    some = rows[: min(rows.shape[0], 2000)]
    some = np.array(some.toarray() if _is_sparse(some) else some)
    some[:, constant] = 0.0
    before, after = (np.linalg.norm(one, axis=1) for one in (some, shape.applied(some)))
    factor = float(np.median(after)) / (float(np.median(before)) or 1.0)
    units = np.zeros((len(constant), rows.shape[1]))
    units[np.arange(len(constant)), constant] = 1.0
    factors = np.append(shape.factors, np.full(len(constant), factor))
    return Shape(np.vstack([shape.directions, units]), factors, shape.rest)
