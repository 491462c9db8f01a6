"""CSV and TSV: one example a line, the names of the columns on top."""

from __future__ import annotations

import warnings
from pathlib import Path

import pandas as pd

#: Characters of the first line that are looked at.
MOST_OF_A_LINE = 10_000


def read_csv(path: Path) -> pd.DataFrame:
    """Read a CSV file, with commas or with the semicolons of spreadsheets."""
    return _read(path, _separator(path))


def read_tsv(path: Path) -> pd.DataFrame:
    """Read a file whose columns are separated by tabs."""
    return _read(path, "\t")


def _read(path: Path, separator: str) -> pd.DataFrame:
    """Read a table; lines with more cells than there are names are an error, not cut off."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            return pd.read_csv(path, sep=separator, index_col=False, low_memory=False)
        except pd.errors.ParserWarning as cut:
            raise ValueError(str(cut)) from cut


def _separator(path: Path) -> str:
    """Return what separates the names of the columns: spreadsheets also write semicolons."""
    with path.open(encoding="utf-8", errors="replace") as file:
        names = file.readline(MOST_OF_A_LINE)
    return ";" if ";" in names and "," not in names else ","
