"""Files of examples: who reads them, by the ending of their names.

A format is one file with a function and one line below. Whatever reads files (`aluma run`,
`aluma label`) then takes it: a reader returns what it found, and :func:`read_table` checks it and
says in plain words what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO, TypeAlias

import numpy.typing as npt
import pandas as pd

from aluma.errors import BadInput
from aluma.reading import checks, delimited, json_lines, json_list, lines, numpy_files, parquet
from aluma.reading.texts import How, opened

#: Takes a path and returns a table, one row an example. A ValueError or an OSError says why not.
TableReader: TypeAlias = Callable[[Path], pd.DataFrame]
#: Takes an open text file, and how it is to be read, and returns a table; it raises likewise.
TextReader: TypeAlias = Callable[[TextIO, How], pd.DataFrame]
#: Takes a path and returns an array, its first axis the examples; it raises BadInput itself.
ArrayReader: TypeAlias = Callable[[Path], npt.NDArray[Any]]

#: Readers of tables, by ending: add a line for another format.
TABLES: dict[str, TableReader] = {
    ".parquet": parquet.read,
    ".pq": parquet.read,
}

#: Readers of tables that are text, in any encoding, by ending.
TEXTS: dict[str, TextReader] = {
    ".csv": delimited.read_csv,
    ".tsv": delimited.read_tsv,
    ".jsonl": json_lines.read,
    ".ndjson": json_lines.read,
    ".json": json_list.read,
    ".txt": lines.read,
}

#: Readers of arrays, by ending.
ARRAYS: dict[str, ArrayReader] = {
    ".npy": numpy_files.read,
    ".npz": numpy_files.read,
}


def is_array(path: Path) -> bool:
    """Say whether a file holds an array, by the ending of its name."""
    return path.suffix.lower() in ARRAYS


def read_table(path: Path, how: How | None = None) -> pd.DataFrame:
    """Read a table: rows from 0 on, different names for its columns, no nested values.

    ``how`` says how, and hears what was noticed.
    """
    checks.check_size(path)
    suffix = path.suffix.lower()
    if suffix in TEXTS:
        return checks.checked_table(path, lambda one: _read_text(one, how or How()))
    if suffix not in TABLES:
        raise BadInput(
            f"{path} ends in {suffix or 'nothing'!r}: it must be a folder of images or a file that "
            f"ends in one of {', '.join(sorted({*TABLES, *TEXTS, *ARRAYS}))}."
        )
    return checks.checked_table(path, TABLES[suffix])


def _read_text(path: Path, how: How) -> pd.DataFrame:
    with opened(path, how) as file:
        return TEXTS[path.suffix.lower()](file, how)


def read_array(path: Path) -> npt.NDArray[Any]:
    """Read an array of numbers, of embeddings or images; never a pickle."""
    checks.check_size(path)
    return ARRAYS.get(path.suffix.lower(), numpy_files.read)(path)
