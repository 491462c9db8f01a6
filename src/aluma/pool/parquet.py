"""Examples in Parquet files: numeric columns, or one column of lists of the same length."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from aluma.errors import BadInput, Unreadable
from aluma.extras import needed
from aluma.pool.chunked import Chunked

#: Bytes of lists, and of columns, that are decoded at a time. Lists are decoded fastest where they
#: stay in a processor's cache; columns where each is long, and there are many of them.
LIST_BYTES, COLUMN_BYTES = 3 * 2**19, 2**24
#: Rows and columns that are put side by side at a time, few enough for a processor's cache.
TILE = 64


def open_parquet(path: Path, columns: Sequence[str] | None = None) -> Chunked:
    """Open a file, or all files of a folder in the order of their names."""
    needed("pyarrow", "scale", "a Parquet file")
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    if not files:
        raise BadInput(f"{path} is a folder without any file that ends in .parquet.")
    return Chunked(ParquetSource(files, columns))


@dataclass(frozen=True)
class Group:
    """A row group: its file, its number there, and the rows of the pool that it holds.

    With what the file says about itself, which is long where there are many columns.
    """

    file: Path
    number: int
    rows: slice
    about: Any


class ParquetSource:
    """The row groups of some files.

    Row groups are often large (a million rows by default), so they are read in batches: memory is
    bounded by those, and a single row costs what comes before it in its group.

    Parameters
    ----------
    files : with the same columns
    columns : those to use; by default the only one that holds lists, else all that hold numbers
    """

    def __init__(self, files: Sequence[Path], columns: Sequence[str] | None) -> None:
        first = _opened(files[0])
        schema = first.schema_arrow
        self._names = _chosen(files[0], schema, columns)
        self._lists = _is_list(schema.field(self._names[0]).type)
        self._groups = list(_groups(files, schema, self._names))
        self.dtype = _dtype(schema, self._names)
        width = _width(first, self._names[0]) if self._lists else len(self._names)
        rows = self._groups[-1].rows.stop if self._groups else 0
        self.shape: tuple[int, ...] = (rows, width)
        self.columns: tuple[Hashable, ...] | None = None if self._lists else tuple(self._names)
        self.pieces: Sequence[slice] = [group.rows for group in self._groups]

    def read(self, piece: int, step: int) -> Iterator[npt.NDArray[Any]]:
        """Yield the rows of a group in batches."""
        group = self._groups[piece]
        room = LIST_BYTES if self._lists else COLUMN_BYTES
        rows = max(1, room // (self.dtype.itemsize * self.shape[1]))
        try:
            batches = _opened(group.file, group.about).iter_batches(
                batch_size=min(step, rows) if self._lists else rows,
                row_groups=[group.number],
                columns=self._names,
                use_threads=False,
            )
            for batch in batches:
                yield self._listed(batch, piece) if self._lists else self._numbers(batch)
        except (_arrow().ArrowException, OSError) as error:
            if isinstance(error, Unreadable):
                raise
            raise Unreadable(
                f"{self.where(piece)} cannot be read ({error}): restore it, or leave its rows out."
            ) from error

    def where(self, piece: int) -> str:
        """Return the file and the row group."""
        group = self._groups[piece]
        rows = f"rows {group.rows.start} to {group.rows.stop - 1}"
        return f"row group {group.number} ({rows}) of {group.file}"

    def _numbers(self, batch: Any) -> npt.NDArray[Any]:
        """Return columns side by side; a missing value is NaN, which the pool refuses."""
        columns = np.empty((len(self._names), batch.num_rows), self.dtype)
        for place, column in enumerate(batch.columns):
            columns[place] = column.to_numpy(zero_copy_only=False)
        out = np.empty(columns.shape[::-1], self.dtype)
        _put_side_by_side(columns, out)
        return out

    def _listed(self, batch: Any, piece: int) -> npt.NDArray[Any]:
        """Return the lists of a column as rows."""
        column = batch.column(0)
        numbers = column.flatten()
        if column.null_count or len(numbers) != batch.num_rows * self.shape[1]:
            raise Unreadable(
                f"{self.where(piece)} holds lists of another length than {self.shape[1]} in column "
                f"{self._names[0]!r}, or none at all: every row needs as many numbers as the first."
            )
        if hasattr(column, "value_lengths"):
            _check_lengths(column.value_lengths(), self.shape[1], self.where(piece))
        values = numbers.to_numpy(zero_copy_only=False)
        return np.asarray(values, self.dtype).reshape(-1, self.shape[1])


@numba.njit(cache=True, nogil=True)
def _put_side_by_side(columns, out):  # type: ignore[no-untyped-def]
    """Write columns as such into an array of rows."""
    d, n = columns.shape
    for row in range(0, n, TILE):
        for column in range(0, d, TILE):
            for i in range(row, min(row + TILE, n)):
                for j in range(column, min(column + TILE, d)):
                    out[i, j] = columns[j, i]


def _check_lengths(lengths: Any, width: int, where: str) -> None:
    wrong = np.flatnonzero(np.asarray(lengths) != width)
    if len(wrong):
        raise Unreadable(
            f"{where} holds a list of length {int(np.asarray(lengths)[wrong[0]])}, the first has "
            f"{width}: every row needs as many numbers."
        )


def _arrow() -> Any:
    return needed("pyarrow", "scale", "a Parquet file")


def _opened(file: Path, about: Any = None) -> Any:
    """Open a file, with what it says about itself if that is known."""
    parquet = needed("pyarrow.parquet", "scale", "a Parquet file")
    try:
        return parquet.ParquetFile(file, metadata=about, memory_map=True, pre_buffer=False)
    except (_arrow().ArrowException, OSError) as error:
        raise BadInput(f"{file} cannot be read as Parquet: {error}") from error


def _is_list(kind: Any) -> bool:
    types = _arrow().types
    return bool(types.is_fixed_size_list(kind) or types.is_list(kind) or types.is_large_list(kind))


def _is_number(kind: Any) -> bool:
    types = _arrow().types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


def _chosen(file: Path, schema: Any, columns: Sequence[str] | None) -> list[str]:
    """Return the columns to use, or say why there are none."""
    kinds = {name: schema.field(name).type for name in schema.names}
    lists = [name for name in kinds if _is_list(kinds[name])]
    if columns is None:
        columns = lists if len(lists) == 1 else list(kinds)
    missing = [name for name in columns if name not in kinds]
    if missing or not len(columns):
        raise BadInput(
            f"{file} has no column {', '.join(map(repr, missing))}: it has {_shown(kinds)}."
        )
    if (
        len(columns) == 1
        and _is_list(kinds[columns[0]])
        and _is_number(kinds[columns[0]].value_type)
    ):
        return list(columns)
    wrong = [name for name in columns if not _is_number(kinds[name])]
    if wrong:
        raise BadInput(
            f"{file} has columns that hold no numbers: {_shown(wrong)}. Name those to use, as in "
            "Pool.open(path, columns=[...]): numeric ones, or one that holds lists of numbers."
        )
    return list(columns)


def _shown(names: Any) -> str:
    found = [repr(name) for name in names]
    return ", ".join(found[:5]) + (", ..." if len(found) > 5 else "")


def _dtype(schema: Any, names: Sequence[str]) -> np.dtype[Any]:
    """Return float32 if that holds all numbers, else float64."""
    kinds = [schema.field(name).type for name in names]
    plain = [np.dtype((k.value_type if _is_list(k) else k).to_pandas_dtype()) for k in kinds]
    exact = all(np.can_cast(kind, np.float32) for kind in plain)
    return np.dtype(np.float32 if exact else np.float64)


def _width(file: Any, name: str) -> int:
    """Return how many numbers the first list of a column has."""
    for batch in file.iter_batches(batch_size=1, columns=[name], use_threads=False):
        return len(batch.column(0).flatten())
    return 0


def _groups(files: Sequence[Path], schema: Any, names: Sequence[str]) -> Iterator[Group]:
    """Yield the row groups of all files, after a look at their columns."""
    start = 0
    for file in files:
        opened = _opened(file)
        for name in names:
            found = (
                opened.schema_arrow.field(name).type if name in opened.schema_arrow.names else None
            )
            if found != schema.field(name).type:
                raise BadInput(
                    f"{file} has {'no' if found is None else found} column {name!r}, which "
                    f"{files[0]} has as {schema.field(name).type}: all files of a pool need the "
                    "same columns."
                )
        for number in range(opened.num_row_groups):
            rows = opened.metadata.row_group(number).num_rows
            if rows:
                yield Group(file, number, slice(start, start + rows), opened.metadata)
                start += rows
