"""Names for the arrays that travel through the package, and their checks at its border."""

from __future__ import annotations

import tokenize
from collections.abc import Hashable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Singles: TypeAlias = npt.NDArray[np.float32]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
#: Codes of labels, in whatever holds them.
Signs: TypeAlias = npt.NDArray[np.signedinteger[Any]]
#: Shares of votes; of large pools in half of the memory.
Shares: TypeAlias = npt.NDArray[np.floating[Any]]


#: What numpy.load raises on a file that is broken; headers are read by Python's own parser.
BROKEN_FILE = (ValueError, OSError, EOFError, SyntaxError, tokenize.TokenError)


def finite_rows(X: Any, dimension: int, what: str = "X") -> Floats:
    """Return ``X`` as finite float64 rows of the given dimension; one vector is one row."""
    try:
        given = np.asarray(X)
        if np.iscomplexobj(given):
            raise TypeError("it holds complex numbers")
        rows = np.atleast_2d(given.astype(np.float64))
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what} must be an array of real numbers: {error}") from error
    if rows.ndim != 2 or rows.shape[1] != dimension:
        raise ValueError(
            f"{what} has shape {np.shape(X)}, but this space has dimension {dimension}: "
            f"pass rows of {dimension} numbers."
        )
    wrong = ~np.isfinite(rows)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"{what} holds {rows[row, column]} at row {row}, column {column}: every entry must "
            "be a finite number. Drop or impute it first."
        )
    return rows


def positive_integer(value: Any, name: str) -> int:
    """Return ``value`` as an int of at least 1, or say what is wrong with it."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an integer, got {value!r}.")
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {value}.")
    return int(value)


def yes_or_no(value: Any, name: str) -> bool:
    """Return True or False as such, or say what is wrong with what was given instead."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def bias_of(value: Any) -> float:
    """Return the constant that a bias is, 0 for none, or say what is wrong with it."""
    if not isinstance(value, bool | np.bool_) and not is_number(value):
        raise TypeError(f"bias must be True, False or a number, got {value!r}.")
    if not np.isfinite(float(value)):
        raise ValueError(f"bias must be a finite number, got {value}.")
    return float(value)


def is_number(value: Any) -> bool:
    """Say whether a value is a real number; True and False are not."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def probability(value: Any, name: str) -> float:
    """Return ``value`` as a float strictly between 0 and 1, or say what is wrong with it."""
    if not is_number(value):
        raise TypeError(f"{name} must be a number between 0 and 1, got {value!r}.")
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, got {value}.")
    return float(value)


def checked_tolerance(tolerance: Any) -> float:
    """Return the share of labels that may be wrong as a float, or say what is wrong with it."""
    if not is_number(tolerance):
        raise TypeError(f"tolerance must be a number, got {tolerance!r}.")
    if not 0 <= tolerance < 1:
        raise ValueError(f"tolerance must be at least 0 and below 1, got {tolerance}.")
    return float(tolerance)


def plain(label: Any) -> Hashable:
    """Return a label as a plain Python value that compares by equality, or say why not."""
    value = label.item() if isinstance(label, np.generic) else label
    if isinstance(value, float) and np.isnan(value):
        raise ValueError("a label is NaN: leave examples without an answer untold.")
    if not isinstance(value, Hashable) or isinstance(value, tuple | frozenset):
        raise TypeError(f"a label must be a simple value such as 'spam', True or 1, got {label!r}.")
    if value is None:
        raise ValueError("a label is None: leave examples without an answer untold, or skip them.")
    return value
