"""Plain text: one example a line."""

from __future__ import annotations

from typing import TextIO

import pandas as pd

from aluma.reading.texts import How

#: What the only column is called.
TEXT = "text"


def read(file: TextIO, how: How) -> pd.DataFrame:
    """Read the lines of a file; empty ones are passed over."""
    lines = [line.rstrip("\r\n") for line in file]
    kept = [line for line in lines if line.strip()]
    how.note(f"Every line is an example: {len(kept):,} of them.")
    return pd.DataFrame({TEXT: kept})
