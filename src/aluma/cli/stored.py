"""Pools in files that are read where they are, with labels beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from aluma.cli.table_file import Labelled
from aluma.cli.terminal import fail
from aluma.errors import AlumaError
from aluma.extras import needed
from aluma.lab.comparison import known_labels
from aluma.pool import Pool
from aluma.pool.dask_arrays import connected
from aluma.reading import read_table

#: Endings of Parquet files, which may be a table or hold lists of numbers.
PARQUET = (".parquet", ".pq")
#: A Parquet file with more bytes is read where it is.
MOST_BYTES = 2**28


def is_stored(path: Path, labels: Path | None, scheduler: str | None) -> bool:
    """Say whether a pool is read where it is, instead of as a table."""
    if labels is not None or scheduler is not None or path.is_dir():
        return True
    suffix = path.suffix.lower()
    if suffix not in PARQUET or not path.is_file():
        return suffix in (".zarr", ".npy")
    if path.stat().st_size > MOST_BYTES:
        return True
    return bool(_lists(path))


def read_stored(
    path: Path, label_column: str, labels: Path | None, scheduler: str | None
) -> Labelled:
    """Open a pool and read its labels, or say what is wrong and leave."""
    try:
        columns = _features(path, label_column)
        client = connected(scheduler)
        opened = Pool.open(path, columns=columns, client=client)
        # Columns with names have units of their own; the numbers of an embedding have one.
        pool = Pool.centred(opened, scale=True if opened.columns is not None else "whole")
        y = _labels(path, label_column, labels)
        known_labels(y, len(pool))
    except (AlumaError, ValueError, OSError) as error:
        fail(f"{path}: {error}")
    how = f"read by the workers of {scheduler}" if scheduler else "read where they are"
    note = (
        f"{path.name}: {len(pool):,} rows of {pool.dimension:,} numbers, {how}; they are "
        f"{pool.preparation}, and a constant column is added as bias."
    )
    return Labelled(pool, y, range(len(pool)), [note])


def _features(path: Path, label_column: str) -> list[str] | None:
    """Return the columns of Parquet files that are numbers and no labels; None for the usual."""
    file = _first(path)
    if file is None or _lists(file):
        return None
    arrow = needed("pyarrow", "scale", "a Parquet file")
    schema = needed("pyarrow.parquet", "scale", "a Parquet file").read_schema(file)
    return [
        field.name
        for field in schema
        if field.name != label_column
        and (arrow.types.is_integer(field.type) or arrow.types.is_floating(field.type))
    ]


def _labels(path: Path, label_column: str, labels: Path | None) -> list[Any]:
    """Return the labels: a column of a table, or of the Parquet files themselves."""
    if labels is not None and labels.suffix.lower() == ".npy":
        found: list[Any] = np.load(labels, allow_pickle=False).tolist()
        return found
    if labels is not None:
        frame = read_table(labels)
        if label_column not in frame.columns:
            raise ValueError(f"{labels} has no column {label_column!r}.")
        column = frame[label_column]
        if column.isna().any():
            raise ValueError(f"column {label_column!r} of {labels} has rows without a label.")
        return list(column)
    if _first(path) is None:
        raise ValueError(
            "it has no names, so no column of labels: pass a table that has it with --labels."
        )
    parquet = needed("pyarrow.parquet", "scale", "a Parquet file")
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    tables = [parquet.read_table(file, columns=[label_column])[label_column] for file in files]
    return [label for column in tables for label in column.to_pylist()]


def _first(path: Path) -> Path | None:
    """Return the first Parquet file of a pool, if it is made of those."""
    if path.is_dir():
        return min(path.rglob("*.parquet"), default=None)
    return path if path.suffix.lower() in PARQUET else None


def _lists(path: Path) -> list[str]:
    """Return the columns of a Parquet file that hold lists."""
    arrow = needed("pyarrow", "scale", "a Parquet file")
    try:
        schema = needed("pyarrow.parquet", "scale", "a Parquet file").read_schema(path)
    except (arrow.ArrowException, OSError):
        return []
    kinds = arrow.types
    return [
        field.name
        for field in schema
        if kinds.is_list(field.type) or kinds.is_fixed_size_list(field.type)
    ]
