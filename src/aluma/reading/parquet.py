"""Parquet, which needs pyarrow."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from aluma.errors import BadInput
from aluma.reading.checks import MOST_BYTES

#: Bytes that a cell takes in memory, at least.
CELL = 8


def read(path: Path) -> pd.DataFrame:
    """Read a Parquet file."""
    try:
        _check_unpacked(path)
        return pd.read_parquet(path)
    except ImportError as error:
        raise BadInput(
            f"{path} is a Parquet file, and those need pyarrow: pip install 'aluma[parquet]'."
        ) from error


def _check_unpacked(path: Path) -> None:
    """Refuse a small file that would not fit into memory once it is unpacked."""
    from pyarrow import ArrowException
    from pyarrow.parquet import read_metadata

    try:
        about = read_metadata(path)
    except ArrowException as error:
        raise ValueError(str(error)) from error
    groups = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
    size = max(groups, CELL * about.num_rows * about.num_columns)
    if size > MOST_BYTES:
        raise BadInput(
            f"{path} holds {size / 2**30:.1f} GB once it is unpacked, {MOST_BYTES // 2**30} are "
            "the most: pass a part of it, or embeddings of it as a .npy file with --embeddings."
        )
