"""The bias: a constant feature half as long as a typical example.

A halfspace ``<w, x> + b c`` has a weight b for the constant c. Weights are drawn alike, so beside
long rows a constant of 1 hardly moves the boundary away from the origin, and beside short ones it
is all that counts. With c in proportion to a typical row, the rows' unit does not matter: what is
asked about rows multiplied by a number is what is asked about the rows.

Half of it, because a longer constant expects one class to be rare: as long as a row, half of all
halfspaces have more than three quarters of the examples on one side, and the first answers go into
finding out that this is not so.

Among several classes it is another share. What an answer tells about another example is their
product, the bias's part ``c^2`` included. Rows with many features are nearly at right angles, so
that part would be nearly all of it: the class that was told most often gets the votes of the whole
pool. There weights of the constant are drawn shorter or longer, so that its part is as large as
what two rows typically have in common (:func:`bias_share`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aluma.arrays import is_number
from aluma.pool import Pool
from aluma.pool.store import parts, rows_per_block

#: The constant, in lengths of a typical row. By an approximation of the learner on eleven pools, 7
#: or 8 seeds: 0.5 had fewer wrong labels than 1 after 10 and 25 answers on nine (a point or more on
#: five of them), and 0.1 to 0.6 points more on two where one class in eight is rare; 0.35 was worse
#: there, 0.7 on one that was looked at where classes are balanced.
SHARE = 0.5
#: Rows that are looked at, at most: their median length is off by about 2%, which is nothing.
MOST_ROWS = 2000
#: Rows whose products with each other are looked at: at most so many, and so many numbers in all.
MOST_PAIRED, MOST_NUMBERS = 500, 2**22
#: Among several classes it is no shorter than that, for the sake of rows of zeros.
LEAST_SHARE = 0.05
#: Lengths that differ by no more are the same but for rounding.
SAME = 1e-3


def checked_bias(bias: Any) -> bool | float:
    """Return a bias as a learner takes it: a truth value or a positive length; else say why."""
    if isinstance(bias, bool | np.bool_):
        return bool(bias)
    if is_number(bias) and 0 < float(bias) < np.inf:
        return float(bias)
    raise ValueError(
        f"bias must be True (a constant half as long as a typical row), False, or the constant "
        f"itself, a positive number, got {bias!r}."
    )


def typical_length(pool: Pool) -> float:
    """Return the median length of rows that are not all zeros; 1 if there are none.

    Of a large pool, the rows are some that are evenly spread over it. The last digits are rounded
    away, since they depend on the machine.

    Examples
    --------
    >>> typical_length(Pool([[3.0, 4.0], [0.0, 0.0], [0.0, 5.0], [60.0, 80.0]]))
    5.0
    """
    chosen = pool.spread_rows(MOST_ROWS)
    width = pool.dimension - pool.bias
    lengths = [
        np.linalg.norm(pool.rows(chosen[part])[:, :width], axis=1)
        for part in parts(len(chosen), rows_per_block(8 * pool.dimension))
    ]
    told = np.concatenate(lengths)
    told = told[told > 0]
    return float(np.float32(np.median(told))) if len(told) else 1.0


def usual_bias(pool: Pool) -> float:
    """Return the constant that ``bias=True`` stands for."""
    return SHARE * typical_length(pool)


def bias_share(pool: Pool) -> float:
    """Return by what weights of a pool's constant are multiplied among several classes.

    With that share s, ``(s c)^2`` is the root mean square of products of two different rows, and
    ``s c`` between LEAST_SHARE of a typical row and all of it. A constant of another length than
    the usual one was chosen by somebody, and is taken as it is. The last digits are rounded away,
    since they depend on the machine.

    Examples
    --------
    >>> rows = np.random.default_rng(0).standard_normal((400, 16))
    >>> bias_share(with_bias(rows, True)), bias_share(with_bias(np.eye(400), True))
    (1.016, 0.1)
    >>> bias_share(with_bias(rows, 0.5))
    1.0
    """
    width, longest = pool.dimension - pool.bias, typical_length(pool)
    if len(pool) < 2 or not np.isclose(pool.constant, SHARE * longest, rtol=SAME):
        return 1.0
    chosen = pool.spread_rows(min(MOST_PAIRED, max(2, MOST_NUMBERS // max(width, 1))))
    rows = pool.rows(chosen)[:, :width]
    products = rows @ rows.T
    np.fill_diagonal(products, 0.0)
    typical = np.sqrt((products**2).sum() / (len(rows) * (len(rows) - 1)))
    wanted = np.clip(np.sqrt(typical), LEAST_SHARE * longest, longest)
    return round(float(wanted / pool.constant), 3)


def with_bias(X: Any, bias: bool | float) -> Pool:
    """Return examples as a pool with a bias; one that a pool has already stays as it is."""
    pool = Pool(X)
    if pool.bias or not bias:
        return pool
    return Pool(pool, bias=usual_bias(pool) if bias is True else bias)
