"""A table as a file of one of the kinds that can be exported."""

from __future__ import annotations

import csv
import io

import pandas as pd

from aluma.errors import BadInput

MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}


def as_file(frame: pd.DataFrame, kind: str) -> bytes:
    """Return a table as a CSV, Parquet or JSON Lines file."""
    if kind == "csv":
        return _csv(frame).encode("utf-8", "replace")
    if kind == "jsonl":
        return str(frame.to_json(orient="records", lines=True, force_ascii=False)).encode(
            "utf-8", "replace"
        )
    file = io.BytesIO()
    try:
        _of_one_kind(frame).to_parquet(file, index=False)
    except ImportError as error:
        raise BadInput(
            "Parquet files need pyarrow: pip install 'aluma[parquet]', or export CSV."
        ) from error
    return file.getvalue()


def _csv(frame: pd.DataFrame) -> str:
    """Return a table as CSV that is read back as it is.

    Before Python 3.13 a carriage return alone is not put in quotes, and a reader takes it for the
    end of a line: all texts are then put in quotes.
    """
    text = str(frame.to_csv(index=False))
    return str(frame.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC)) if "\r" in text else text


def _of_one_kind(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose columns hold one kind of value each, as Parquet has it.

    Cells of several kinds, or with lists in them, become text: so any reader takes the file.
    """
    mixed = {
        name: frame[name].map(lambda cell: cell if cell is None else str(cell), na_action="ignore")
        for name in frame.columns
        if frame[name].dtype == object
        and not frame[name].map(lambda cell: isinstance(cell, str) or cell is None).all()
    }
    return frame.assign(**mixed)
