"""Means and standard deviations of columns, in one pass over the blocks of a pool.

Sums are taken of differences from the first row, and blocks are put together by the update of Chan,
Golub and LeVeque ("Algorithms for computing the sample variance", The American Statistician 37,
1983): a column that is far from 0 loses no digits, and one that is constant has exactly its own
value as mean and exactly 0 as deviation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from aluma.arrays import Floats
from aluma.pool.sparse import Sparse
from aluma.pool.store import Store, parts, rows_per_block

#: How many rows, their mean, and the sum of squares about it, each by columns.
Summary: TypeAlias = tuple[int, Floats, Floats]


def moments(store: Store) -> tuple[Floats, Floats]:
    """Return the mean and the standard deviation of every column, in float64."""
    rows, width = store.shape
    first = store.dense(slice(0, 1))[0].astype(np.float64)
    seen: Summary = (0, np.zeros(width), np.zeros(width))
    step = rows_per_block(_bytes_per_row(store))
    summaries: Iterator[Summary]
    if store.is_resident:
        summaries = (_summary(store, part, first) for part in parts(rows, step))
    else:
        summaries = store.each(_summarised, step, (first,))
    for summary in summaries:
        seen = _together(seen, summary)
    _, mean, squares = seen
    return first + mean, np.sqrt(squares / rows)


def _bytes_per_row(store: Store) -> int:
    return store.bytes_per_row if isinstance(store, Sparse) else 8 * store.shape[1]


def _summarised(start: int, rows: Store, first: Floats) -> Summary:
    """Summarise a block where it is."""
    del start
    return _summary(rows, slice(0, rows.shape[0]), first)


def _summary(store: Store, part: slice, first: Floats) -> Summary:
    """Summarise the differences of some rows from the first."""
    if isinstance(store, Sparse):
        return _of_entries(store.held(part), first)
    apart = store.dense(part) - first
    mean = apart.mean(axis=0)
    apart -= mean
    return len(apart), mean, np.einsum("ij,ij->j", apart, apart)


def _of_entries(block: Any, first: Floats) -> Summary:
    """Summarise sparse rows: what is not stored is 0, and counted instead of looked at."""
    rows, width = block.shape
    columns, apart = block.indices, block.data - first[block.indices]
    absent = rows - np.bincount(columns, minlength=width)
    mean = (np.bincount(columns, apart, width) - absent * first) / rows
    apart -= mean[columns]
    squares = np.bincount(columns, apart**2, width) + absent * (first + mean) ** 2
    return rows, mean, squares


def _together(one: Summary, other: Summary) -> Summary:
    """Return the summary of two sets of rows from those of each."""
    count = one[0] + other[0]
    apart = other[1] - one[1]
    mean = one[1] + apart * (other[0] / count)
    return count, mean, one[2] + other[2] + apart**2 * (one[0] * other[0] / count)
