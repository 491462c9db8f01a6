"""JSON: a list of objects or of texts, one an example."""

from __future__ import annotations

import json
from typing import Any, TextIO

import pandas as pd

from aluma.reading.json_lines import made_sound
from aluma.reading.texts import How

#: What texts that stand in the list as they are are called.
TEXT = "text"


def read(file: TextIO, how: How) -> pd.DataFrame:
    """Read a list, or the only list in an object."""
    del how
    try:
        found = json.load(file)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno} is no JSON: {error.msg}") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return pd.DataFrame([_row(place, one) for place, one in enumerate(_listed(found), start=1)])


def _listed(found: Any) -> list[Any]:
    if isinstance(found, list):
        return found
    lists = [one for one in found.values() if isinstance(one, list)] if _is_object(found) else []
    if len(lists) != 1:
        raise ValueError(
            "it holds no list of examples: write a list of objects, or an object a line (.jsonl)"
        )
    return list(lists[0])


def _row(place: int, one: Any) -> dict[str, Any]:
    if isinstance(one, str):
        return made_sound({TEXT: one})
    if not _is_object(one):
        raise ValueError(f"example {place} is neither an object nor a text but {str(one)[:40]!r}")
    return made_sound(one)


def _is_object(found: Any) -> bool:
    return isinstance(found, dict)
