"""Votes among any number of classes, and which question settles most of them.

A hypothesis is a matrix of K weight vectors, and votes for the class with the largest product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt
from numba import njit

from aluma.arrays import Bools, Floats, Ints, Singles
from aluma.pool import Pool
from aluma.scoring.choice import Choice
from aluma.scoring.votes import askable

#: Rows that are looked at for a question, drawn at random if there are more.
SURVEYED = 2048
#: They are looked at with one hypothesis in so many ...
SURVEY_SHARE = 8
#: ... and the most even of them with one in so many.
SHORTLIST, SHORTLIST_SHARE = 512, 2
#: The most even of those are scored by all, and those within alpha of the best compared by what
#: they leave ...
CANDIDATES = 96
#: ... on so many of the rows, by the hypotheses that the shortlist was made by: with all of them,
#: on 32 seeds of the digits, errors were the same to 0.1 points on average of 25 to 100 answers.
WITNESSES = 384
#: Rows nearest to a tie, or contradicted by neighbours, that are named.
NEAR = 32
#: Rows with at most so many columns are taken out of the pool to be looked at again: where a prior
#: stretches them, that is cheaper than to stretch the hypotheses.
FEW_COLUMNS = 2048


@runtime_checkable
class NotWritten(Protocol):
    """Hypotheses that are not written down, and know their products with the rows of a pool."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Return k, K and d."""

    def __len__(self) -> int: ...

    def __getitem__(self, which: slice) -> NotWritten: ...

    def margin_blocks(self, pool: Pool, rows: Ints | None) -> Iterator[tuple[slice, Singles]]:
        """Yield slices of the rows, and products with all vectors, (rows, k K)."""


#: Numbers of classes.
Votes: TypeAlias = npt.NDArray[np.int16]
#: Hypotheses, (k, K, d).
Matrices: TypeAlias = Singles | NotWritten


def class_votes(
    pool: Pool,
    matrices: Matrices,
    rows: Ints | None = None,
    noise: np.random.Generator | None = None,
) -> Iterator[tuple[slice, Votes]]:
    """Yield slices of the rows with the class that each hypothesis votes for, (rows, hypotheses).

    Parameters
    ----------
    matrices : (k, K, d) hypotheses
    noise : with slack, what draws the numbers that examples have to themselves
    """
    k, classes, d = matrices.shape
    if isinstance(matrices, NotWritten):
        blocks = matrices.margin_blocks(pool, rows)
    else:
        blocks = pool.margin_blocks(matrices.reshape(k * classes, d), rows)
    for part, margins in blocks:
        if noise is not None:
            margins = margins + noise.standard_normal(margins.shape, dtype=np.float32)
        yield part, _leading(np.ascontiguousarray(margins), classes)


def class_counts(
    pool: Pool,
    matrices: Matrices,
    rows: Ints | None = None,
    noise: np.random.Generator | None = None,
) -> Ints:
    """Return how many hypotheses vote for each class, (rows, K)."""
    if rows is None and noise is None and pool.is_large:
        found = pool.mapped(_block_counts, matrices, room=4 * matrices.shape[0] * matrices.shape[1])
        return np.concatenate(list(found))
    n = len(pool) if rows is None else len(rows)
    counts = np.zeros((n, matrices.shape[1]), dtype=np.int64)
    for part, votes in class_votes(pool, matrices, rows, noise):
        counts[part] = _counted(votes, matrices.shape[1])
    return counts


def _block_counts(start: int, block: Pool, matrices: Matrices) -> Ints:
    """Count the votes on a block."""
    del start
    return class_counts(block, matrices, np.arange(len(block)))


def choose_among_classes(
    pool: Pool,
    matrices: Matrices,
    eligible: Bools,
    rng: np.random.Generator,
    *,
    alpha: float,
    noise: np.random.Generator | None = None,
) -> Choice:
    """Return the example whose answer is expected to leave the least disagreement.

    Among those of the rows looked at whose split is within ``alpha`` of the best. With alpha 1 it
    is the best split itself.
    """
    rows = askable(pool, eligible)
    if len(rows) > SURVEYED:
        rows = np.sort(rng.choice(rows, SURVEYED, replace=False))
    k, classes = matrices.shape[:2]
    few, some = max(1, k // SURVEY_SHARE), max(1, k // SHORTLIST_SHARE)
    seen = _all_votes(pool, matrices[:few], rows, noise)
    listed = _most_even(seen, classes, SHORTLIST, rng)
    witnesses = np.sort(rng.permutation(len(rows))[:WITNESSES])
    near = _Near(pool, rows, np.union1d(listed, witnesses))
    votes = np.hstack([seen[listed], near.votes(matrices[few:some], listed, noise)])
    kept = _most_even(votes, classes, CANDIDATES, rng)
    order, votes = listed[kept], votes[kept]
    votes = np.hstack([votes, near.votes(matrices[some:], order, noise)])
    witnessed = np.hstack([seen[witnesses], near.votes(matrices[few:some], witnesses, noise)])
    shares = _counted(votes, classes) / k
    splits = split_of(shares)
    best = float(splits.max())
    close = np.flatnonzero(alpha * splits >= best)
    if alpha > 1.0:
        left = expected_disagreement(votes[close, :some], witnessed, classes)
        winner = int(close[np.lexsort((-splits[close], left))[0]])
    else:
        winner = int(splits.argmax())
    products = classes * (
        few * len(rows)
        + (some - few) * len(listed)
        + (k - some) * len(order)
        + (some - few) * len(witnesses)
    )
    chosen, others = rows[order[winner]], np.sort(rows[order[close]])
    return Choice(int(chosen), float(shares[winner].max()), best, others, products)


def disputed_share(shares: Floats) -> float:
    """Return the share of all votes that are not for the class that leads on their example."""
    return float(1.0 - shares.max(axis=1).mean()) if len(shares) else 0.0


def nearest_to_a_tie(
    products: Singles,
    rows: Ints,
    worth_asking: Callable[[Ints], Bools] | None = None,
    n: int = NEAR,
) -> Ints:
    """Return the n rows whose two largest products differ least, the nearest first.

    Parameters
    ----------
    products : (n, K) of all rows of a pool with the weights of a class each
    rows : those that count
    worth_asking : says which of some rows may be returned; it is asked about few
    """
    two = np.partition(products[rows], -2, axis=1)[:, -2:]
    return first_of(rows[np.argsort(two[:, 1] - two[:, 0], kind="stable")], worth_asking, n)


def doubt(products: Singles) -> float:
    """Return the mean chance that the leading class is not the right one, by softmax regression.

    Examples
    --------
    >>> round(doubt(np.array([[0.0, 0.0], [9.0, -9.0]])), 3)
    0.25
    """
    if not len(products):
        return 0.0
    chances = np.exp(products - products.max(axis=1, keepdims=True))
    return float(1.0 - (1.0 / chances.sum(axis=1)).mean())


def first_of(order: Ints, worth_asking: Callable[[Ints], Bools] | None, n: int = NEAR) -> Ints:
    """Return the first rows that are worth asking about, at most n."""
    if worth_asking is None:
        return np.asarray(order[:n])
    found: list[int] = []
    for start in range(0, len(order), NEAR):
        part = order[start : start + NEAR]
        found += part[worth_asking(part)].tolist()
        if len(found) >= n:
            break
    return np.array(found[:n], dtype=np.int64)


def class_products(pool: Pool, weights: Singles) -> Singles:
    """Return the products of all rows with the weights of each class, (n, K)."""
    if pool.is_large:
        found = pool.mapped(_block_products, weights, room=4 * len(weights))
        return np.concatenate(list(found))
    return pool.margins(weights)


def _block_products(start: int, block: Pool, weights: Singles) -> Singles:
    """Return the products of a block."""
    del start
    return block.margins(weights)


def split_of(shares: Floats) -> Floats:
    """Return how evenly votes are split between the two classes that lead, (n,).

    ``(1 - lead^2) / 4`` where one class leads by that share of all votes: with two classes, the
    paper's ``p (1 - p)``. (Ranked by the chance that two hypotheses differ, digits had 12.1, 7.3
    and 4.1% wrong after 50, 100 and 150 answers, and by the lead 9.6, 5.3 and 3.4%; three seeds.)
    """
    two = np.partition(shares, -2, axis=1)[:, -2:]
    return np.asarray((1.0 - (two[:, 1] - two[:, 0]) ** 2) / 4.0)


def expected_disagreement(candidates: Votes, witnesses: Votes, classes: int) -> Floats:
    """Return the disagreement that asking about each candidate is expected to leave.

    An answer y keeps the hypotheses that voted for it, N_y of k. What is left on a witness is the
    chance that two different ones of them vote differently on it; the mean is over answers, by
    their shares, and witnesses. Pairs are counted without the hypothesis itself, or an answer that
    few gave would seem to leave less than it does.
    """
    k, w = candidates.shape[1], len(witnesses)
    seen = np.concatenate([witnesses == c for c in range(classes)]).astype(np.float32)
    # How many witnesses two hypotheses agree on: whole numbers, exact in float32.
    agreed = (seen.T @ seen).astype(np.float64)
    left = np.zeros(len(candidates))
    for answer in range(classes):
        kept = (candidates == answer).astype(np.float64)
        n = kept.sum(axis=1)
        # Less the hypotheses themselves, which agree on every witness.
        alike = np.einsum("ij,ij->i", kept @ agreed, kept) / w - n
        left += n / k * (1.0 - alike / np.maximum(n * (n - 1.0), 1.0))
    return left


def choose_classes_batch(
    pool: Pool,
    matrices: Matrices,
    eligible: Bools,
    n: int,
    rng: np.random.Generator,
    *,
    first: int,
    noise: np.random.Generator | None = None,
) -> Ints:
    """Return n different examples that split the hypotheses jointly, the given one first.

    The votes on the examples taken so far cut the population into cells; the next is the one that
    separates most pairs that still share one, see :func:`aluma.scoring.choose_batch`. When all
    are separated, it starts again.
    """
    rows = askable(pool, eligible)
    if not 1 <= n <= len(rows):
        raise ValueError(f"A batch of {n} was asked for: {len(rows)} examples can be asked about.")
    most = max(SURVEYED // 2, 4 * n)
    if len(rows) > most:
        rows = np.sort(rng.choice(rows, most, replace=False))
    rows = np.concatenate([[first], rows[rows != first]])
    votes = _all_votes(pool, matrices, rows, noise)
    k, classes = matrices.shape[:2]
    taken = [0]
    together = np.ones((k, k), dtype=np.float32)
    onehot = [(votes == c).astype(np.float32) for c in range(classes)]
    free = np.ones(len(rows), dtype=bool)
    while len(taken) < n:
        last = votes[taken[-1]]
        free[taken[-1]] = False
        together *= last[:, None] == last[None, :]
        if together.sum() <= k:
            together[:] = 1.0
        alike = np.zeros(len(rows))
        for one in onehot:
            alike += np.einsum("rk,rk->r", one @ together, one)
        alike[~free] = np.inf
        taken.append(int(alike.argmin()))
    return np.asarray(rows[taken], dtype=np.int64)


class _Near:
    """Rows of a pool that are looked at several times, named by their places among all looked at.

    Parameters
    ----------
    pool, rows : where they are, and the rows of it that are looked at
    places : those of them that may be wanted again, sorted
    """

    def __init__(self, pool: Pool, rows: Ints, places: Ints) -> None:
        self.pool, self.rows, self.places = pool, rows, None
        if pool.dimension <= FEW_COLUMNS:
            self.pool, self.places = Pool(pool.singles(rows[places])), places

    def votes(self, matrices: Matrices, places: Ints, noise: np.random.Generator | None) -> Votes:
        """Return the class that each hypothesis votes for at some places."""
        if self.places is None:
            return _all_votes(self.pool, matrices, self.rows[places], noise)
        return _all_votes(self.pool, matrices, np.searchsorted(self.places, places), noise)


@njit(cache=True, nogil=True, error_model="numpy")
def _leading(products, classes):  # type: ignore[no-untyped-def]
    """Return the class with the largest product, the first of several, (rows, k) in few bytes."""
    found = np.empty((products.shape[0], products.shape[1] // classes), np.int16)
    for row in range(found.shape[0]):
        here = products[row]
        for k in range(found.shape[1]):
            best, most = 0, here[k * classes]
            for c in range(1, classes):
                if here[k * classes + c] > most:
                    best, most = c, here[k * classes + c]
            found[row, k] = best
    return found


def _most_even(votes: Votes, classes: int, n: int, rng: np.random.Generator) -> Ints:
    """Return the places of the n most even rows, ties in random order."""
    splits = split_of(_counted(votes, classes) / votes.shape[1])
    # Few hypotheses leave many ties.
    return np.asarray(np.lexsort((rng.random(len(votes)), -splits))[:n])


def _all_votes(
    pool: Pool, matrices: Matrices, rows: Ints, noise: np.random.Generator | None
) -> Votes:
    """Return the class that each hypothesis votes for, (rows, hypotheses)."""
    parts = [votes for _, votes in class_votes(pool, matrices, rows, noise)]
    return np.concatenate(parts) if len(matrices) else np.empty((len(rows), 0), dtype=np.int16)


def _counted(votes: Votes, classes: int) -> Ints:
    return np.stack([(votes == c).sum(axis=1) for c in range(classes)], axis=1)
