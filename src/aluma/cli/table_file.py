"""A table in a file: read, checked, and explained to whoever passed it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from aluma.arrays import Floats
from aluma.cli.terminal import fail
from aluma.errors import BadInput
from aluma.lab.comparison import known_labels, standardise
from aluma.pool import LARGEST_ENTRY, Pool
from aluma.reading import read_table
from aluma.reading.texts import How


class Labelled(NamedTuple):
    """Examples whose labels are known, the rows they come from, and what the user should know."""

    X: Floats | Pool
    y: Sequence[Any]
    names: Sequence[int]
    notes: list[str]


def read_labelled(path: Path, label_column: str, text: str | None = None) -> Labelled:
    """Read a table, or say what is wrong with it and leave.

    With ``text``, the texts of that column are learnt from in place of the numeric columns.
    """
    how = How()
    frame = _table(path, how)
    if label_column not in frame.columns:
        columns = _listed(frame.columns)
        fail(f"{path} has no column {label_column!r}. Its columns are {columns}.")
    known = frame[frame[label_column].notna()]
    if known.empty:
        fail(f"{path} has no row with a label in {label_column!r}.")
    used = _numbers(known, path, label_column) if text is None else _texts(known, path, text)
    labels = known[label_column]
    if labels.dtype.kind == "f" and (labels % 1 == 0).all():
        # A column of integers with missing cells is read as floats.
        labels = labels.astype(int)
    try:
        known_labels(labels, len(labels))
    except ValueError as error:
        fail(f"Column {label_column!r} of {path}: {error}")
    notes = [*how.notes, *used.notes]
    if len(frame) > len(known):
        notes.append(f"Left out: {len(frame) - len(known):,} rows without a label.")
    return Labelled(used.X, labels.tolist(), known.index.tolist(), notes)


class Used(NamedTuple):
    """What is learnt from, and what the user should know about it."""

    X: Floats
    notes: list[str]


def _numbers(known: pd.DataFrame, path: Path, label_column: str) -> Used:
    """Return the numeric columns, standardised."""
    features = known.drop(columns=label_column)
    numeric = features.select_dtypes(["number", "bool"])
    if numeric.columns.empty:
        fail(
            f"{path} has no numeric column beside {label_column!r}. Its columns are "
            f"{_listed(known.columns)}. For texts, name their column with --text."
        )
    notes = [
        f"{path.name}: {len(known):,} rows, {numeric.shape[1]:,} numeric columns "
        f"({_listed(numeric.columns)}). They are standardised to mean 0 and standard deviation 1, "
        "and a constant column is added as bias.",
    ]
    if features.shape[1] > numeric.shape[1]:
        dropped = _listed(features.columns.difference(numeric.columns, sort=False))
        notes.append(f"Left out because they are not numeric: {dropped}.")
    return Used(standardise(_checked(numeric, path)), notes)


def _texts(known: pd.DataFrame, path: Path, text: str) -> Used:
    """Return features of the texts of a column, as the labelling page makes them."""
    from aluma.app.features import of_texts

    if text not in known.columns:
        fail(f"{path} has no column {text!r}. Its columns are {_listed(known.columns)}.")
    try:
        made = of_texts(known[text])
    except BadInput as error:
        fail(f"{path}: {error}")
    note = f"{path.name}: {len(known):,} texts in {text!r}, as {made.X.shape[1]:,} features."
    return Used(np.asarray(made.X, dtype=np.float64), [note, *made.notes])


def _table(path: Path, how: How) -> pd.DataFrame:
    if not path.is_file():
        fail(f"There is no file {path}.")
    try:
        return read_table(path, how)
    except BadInput as error:
        fail(str(error))


def _checked(frame: pd.DataFrame, path: Path) -> Floats:
    """Return the numbers of a frame, or name the first cell that is none."""
    values = frame.to_numpy(dtype=np.float64)
    wrong = np.argwhere(~(np.abs(values) <= LARGEST_ENTRY))
    if len(wrong):
        row, column = wrong[0]
        value = values[row, column]
        what = "no number" if np.isnan(value) else f"{value:g}"
        fail(
            f"{path} holds {what} in row {frame.index[row]} (counted from 0 below the names), "
            f"column {frame.columns[column]!r}; {len(wrong):,} such cells in all. Every cell must "
            "be a finite number: drop those rows or columns, or fill the cells in."
        )
    return values


def _listed(names: Any, most: int = 8) -> str:
    shown = ", ".join(repr(str(name)) for name in names[:most])
    return shown + (f" and {len(names) - most:,} more" if len(names) > most else "")
