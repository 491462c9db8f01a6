"""What pandas knows besides numbers: the names of columns and of rows."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import numpy.typing as npt

from aluma.pool.dense import Dense

if TYPE_CHECKING:
    import pandas as pd


def is_frame(X: Any) -> TypeGuard[pd.DataFrame]:
    """Tell a DataFrame without importing pandas: whoever has one has imported it."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def of_frame(X: Any) -> Dense | None:
    """Return a store for a DataFrame, which keeps the names of its rows and columns."""
    return Dense(frame_values(X), X.index, tuple(X.columns)) if is_frame(X) else None


def frame_values(frame: pd.DataFrame) -> npt.NDArray[Any]:
    """Return a frame's numbers: in place if its columns share one NumPy type."""
    types = list(frame.dtypes)
    wrong = [name for name, dtype in zip(frame.columns, types, strict=True) if not _is_real(dtype)]
    if wrong:
        names = ", ".join(repr(name) for name in wrong[:5]) + (", ..." if len(wrong) > 5 else "")
        raise TypeError(
            f"{len(wrong)} of {len(types)} columns hold no real numbers: {names}. "
            "Drop or encode them first."
        )
    if len(set(types)) == 1 and isinstance(types[0], np.dtype):
        return np.asarray(frame.to_numpy(copy=False))
    exact = all(isinstance(t, np.dtype) and np.can_cast(t, np.float32) for t in types)
    target = np.float32 if exact else np.float64
    return np.asarray(frame.to_numpy(dtype=target, na_value=np.nan))


def _is_real(dtype: Any) -> bool:
    from pandas.api.types import is_complex_dtype, is_numeric_dtype

    return bool(is_numeric_dtype(dtype)) and not is_complex_dtype(dtype)


def with_columns(X: Any, columns: Sequence[Hashable]) -> Any:
    """Return X, its columns in this order if they have names, or say which names differ.

    What has no names, an array for instance, is taken by position.
    """
    given = getattr(X, "columns", None)
    if given is None or tuple(given) == tuple(columns):
        return X
    missing, other = _without(columns, given), _without(given, columns)
    if missing or other or len(given) != len(columns) or not is_frame(X):
        raise ValueError(
            f"the columns are not those of the pool: missing {_shown(missing)}, not in the pool "
            f"{_shown(other)}. Give a DataFrame with the pool's columns, in any order, or an "
            "array with the columns in the pool's order."
        )
    return X[list(columns)]


def in_order(labels: Any, index: Any) -> Any:
    """Return labels in the order of a pool with this index: a Series is matched by its own.

    A Series with a plain RangeIndex whose numbers are not the pool's names is taken by position,
    like an array; so is any Series if the pool has no index (a ``range``).
    """
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(labels, pandas.Series) or isinstance(index, range):
        return labels
    own = labels.index
    if len(own) != len(index) or own.equals(index):
        return labels
    if own.is_unique and index.is_unique and own.isin(index).all():
        return labels.reindex(index)
    if isinstance(own, pandas.RangeIndex) and (own.start, own.step) == (0, 1):
        return labels
    raise ValueError(
        f"the index of the labels is not that of the pool: it lacks {_shown(_without(index, own))} "
        f"and has {_shown(_without(own, index))} instead. Give a Series with the pool's index, in "
        "any order, or labels.to_numpy() if they are in the pool's order."
    )


def _without(names: Iterable[Hashable], others: Iterable[Hashable]) -> list[Hashable]:
    """Return the names that others lack."""
    known = set(others)
    return [name for name in names if name not in known]


def _shown(names: Sequence[Hashable]) -> str:
    """Return up to five names as text."""
    if not names:
        return "nothing"
    return ", ".join(repr(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")
