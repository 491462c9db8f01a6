"""JSON Lines: one example a line, each an object."""

from __future__ import annotations

import json
from typing import Any, TextIO

import pandas as pd

from aluma.reading.texts import How


def read(file: TextIO, how: How) -> pd.DataFrame:
    """Read a file of JSON objects; empty lines are passed over."""
    del how
    rows = []
    for number, line in enumerate(file, start=1):
        if line.strip():
            rows.append(_row(number, line))
    return pd.DataFrame(rows)


def _row(number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {number} is no JSON: {error.msg}") from error
    except RecursionError as error:
        raise ValueError(f"line {number} is nested too deeply") from error
    if not isinstance(row, dict):
        raise ValueError(f"line {number} holds no object but {line.strip()[:40]!r}")
    return made_sound(row)


def made_sound(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose texts can be sent."""
    return {_sound(key): _sound(value) for key, value in row.items()}


def _sound(value: Any) -> Any:
    """Return text that can be sent: JSON can name half characters, which are replaced."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
