"""CSV and TSV: one example a line, the names of the columns on top."""

from __future__ import annotations

import warnings
from typing import TextIO

import pandas as pd

from aluma.reading.texts import How

#: Characters of the first line that are looked at.
MOST_OF_A_LINE = 10_000
#: Lines by which it is decided whether the first one names the columns.
LOOKED_AT = 200
#: A cell with more words than this is no name if the column below holds texts: cells with more
#: words than that, on average.
NAME_WORDS, TEXT_WORDS = 8, 4.0


def read_csv(file: TextIO, how: How) -> pd.DataFrame:
    """Read a CSV file, with commas or with the semicolons of spreadsheets."""
    return _read(file, _separator(file), how)


def read_tsv(file: TextIO, how: How) -> pd.DataFrame:
    """Read a file whose columns are separated by tabs."""
    return _read(file, "\t", how)


def _read(file: TextIO, separator: str, how: How) -> pd.DataFrame:
    """Read a table; lines with more cells than there are names are an error, not cut off."""
    named = _names_columns(file, separator) if how.header is None else how.header
    header = 0 if named else None
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            frame = pd.read_csv(
                file, sep=separator, index_col=False, low_memory=False, header=header
            )
        except pd.errors.ParserWarning as cut:
            raise ValueError(str(cut)) from cut
    if not named:
        frame.columns = pd.Index([f"column {number}" for number in range(1, frame.shape[1] + 1)])
        if how.header is None:
            how.note(
                "The first line looks like an example and not like the names of the columns, so it "
                f"counts as one, and they are called {frame.columns[0]!r} and so on. If it names "
                "them, say --header."
            )
    return frame


def _separator(file: TextIO) -> str:
    """Return what separates the names of the columns: spreadsheets also write semicolons."""
    names = file.readline(MOST_OF_A_LINE)
    file.seek(0)
    return ";" if ";" in names and "," not in names else ","


def _names_columns(file: TextIO, separator: str) -> bool:
    """Say whether the first line names the columns, as far as the lines below it tell."""
    try:
        rows = pd.read_csv(
            file,
            sep=separator,
            header=None,
            dtype=str,
            keep_default_na=False,
            nrows=LOOKED_AT,
            index_col=False,
        )
    except (ValueError, pd.errors.ParserWarning):
        # Whoever reads the whole of it says what is wrong.
        return True
    finally:
        file.seek(0)
    if len(rows) < 2:
        return True
    first, below = [str(cell) for cell in rows.iloc[0]], rows.iloc[1:]
    return not _has_numbers(first) and not any(
        _is_value(cell, below[place]) for place, cell in enumerate(first)
    )


def _has_numbers(cells: list[str]) -> bool:
    """Say whether there are numbers among the cells; years or places that count up are names."""
    numbers = [cell for cell in cells if _is_number(cell)]
    if len(numbers) > 1 and all(cell.strip().isdecimal() for cell in numbers):
        values = [int(cell) for cell in numbers]
        return values != list(range(values[0], values[0] + len(values)))
    return bool(numbers)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return cell.strip().lower() not in ("nan", "inf", "infinity")


def _is_value(cell: str, column: pd.Series[str]) -> bool:
    """Say whether a cell is of the kind that the column below it holds, and no name of it."""
    if cell.strip() and not _is_number(cell) and (column == cell).any():
        return True
    words = column.str.split().map(len).mean()
    return len(cell.split()) > NAME_WORDS and words > TEXT_WORDS
