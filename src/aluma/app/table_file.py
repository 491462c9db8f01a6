"""A table as a file of one of the kinds that can be exported."""

from __future__ import annotations

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
        return frame.to_csv(index=False).encode("utf-8", "replace")
    if kind == "jsonl":
        return str(frame.to_json(orient="records", lines=True, force_ascii=False)).encode(
            "utf-8", "replace"
        )
    file = io.BytesIO()
    try:
        frame.to_parquet(file, index=False)
    except ImportError as error:
        raise BadInput(
            "Parquet files need pyarrow: pip install 'aluma[parquet]', or export CSV."
        ) from error
    return file.getvalue()
