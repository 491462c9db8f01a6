"""Parquet, which needs pyarrow."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from aluma.errors import BadInput


def read(path: Path) -> pd.DataFrame:
    """Read a Parquet file."""
    try:
        return pd.read_parquet(path)
    except ImportError as error:
        raise BadInput(
            f"{path} is a Parquet file, and those need pyarrow: pip install 'aluma[parquet]'."
        ) from error
