"""What the rows of a table were when its session began: digests, kept beside the features.

They tell what has changed in a table that was edited since, and which row of the new one was which
of the old, by a column that names rows.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from aluma.app.examples import shown
from aluma.app.reading import is_words
from aluma.arrays import BROKEN_FILE

Digests = npt.NDArray[np.uint64]
#: Columns that are kept as names of rows, at most.
MOST_KEYS = 8
#: Rows that are named in a message.
LISTED = 5
#: Mixes the digests of a row's cells (Fibonacci hashing: 2**64 divided by the golden ratio).
MIXER = np.uint64(0x9E3779B97F4A7C15)
#: What np.load raises on a file that is damaged, whatever is.
UNREADABLE = (*BROKEN_FILE, KeyError, TypeError, MemoryError, OverflowError,
              NotImplementedError, RuntimeError,
              zipfile.BadZipFile, zipfile.LargeZipFile,
              zipfile.zlib.error)  # type: ignore[attr-defined]  # fmt: skip


@dataclass(frozen=True)
class Rows:
    """The rows of a table.

    Attributes
    ----------
    columns : their names
    whole : a digest of every row
    keys : digests of the cells of columns in which no two are the same
    """

    columns: tuple[str, ...]
    whole: Digests
    keys: Mapping[str, Digests]

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Rows:
        """Return the rows of a table as it is now."""
        whole, keys = np.zeros(len(frame), dtype=np.uint64), dict[str, Digests]()
        for name in frame.columns:
            digests = _digests(frame[name])
            whole = (whole ^ digests) * MIXER
            if len(keys) < MOST_KEYS and _names_rows(frame[name], digests):
                keys[str(name)] = digests
        return cls(tuple(map(str, frame.columns)), whole, keys)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return what is to be stored."""
        text = json.dumps({"columns": self.columns, "keys": list(self.keys)})
        stored: dict[str, npt.NDArray[Any]] = {
            "rows": self.whole, "rows_about": np.frombuffer(text.encode(), dtype=np.uint8)
        }  # fmt: skip
        return stored | {f"rows_key{n}": key for n, key in enumerate(self.keys.values())}

    @classmethod
    def load(cls, path: Path) -> Rows | None:
        """Return what was stored; None if nothing was, or it cannot be read."""
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                about = json.loads(stored["rows_about"].tobytes())
                keys = {name: stored[f"rows_key{n}"] for n, name in enumerate(about["keys"])}
                return cls(tuple(about["columns"]), stored["rows"], keys)
        except UNREADABLE:
            return None

    def key_with(self, other: Rows) -> str | None:
        """Return a column that names the rows of both."""
        return next((name for name in self.keys if name in other.keys), None)

    def places_in(self, other: Rows, key: str | None) -> dict[int, int]:
        """Return which row of another table is which of these, by a key or as a whole."""
        mine = self.whole if key is None else self.keys[key]
        theirs = other.whole if key is None else other.keys[key]
        once, places = _once(theirs)
        own, _ = _once(mine)
        there = dict(zip(once.tolist(), places.tolist(), strict=True))
        single = set(own.tolist())
        return {
            place: there[digest]
            for place, digest in enumerate(mine.tolist())
            if digest in single and digest in there
        }


def change(old: Rows, new: Rows) -> str | None:
    """Say in words what has changed from one table to another; None if nothing has."""
    said = _columns("columns added", new.columns, old.columns)
    said += _columns("columns gone", old.columns, new.columns)
    key = old.key_with(new)
    before, after = (old.whole, new.whole) if key is None else (old.keys[key], new.keys[key])
    added, gone = np.flatnonzero(~np.isin(after, before)), np.flatnonzero(~np.isin(before, after))
    if key is None:
        # Nothing names the rows: what is new in the place of what is gone has been changed.
        changed = np.intersect1d(added, gone)
    else:
        pairs = old.places_in(new, key)
        differ = [j for i, j in pairs.items() if old.whole[i] != new.whole[j]]
        changed = np.array(sorted(differ) if old.columns == new.columns else [], dtype=np.int64)
    said += _listed("added", np.setdiff1d(added, changed) if key is None else added)
    said += _listed("gone", np.setdiff1d(gone, changed) if key is None else gone)
    said += _listed("changed", changed)
    if not np.array_equal(before[np.isin(before, after)], after[np.isin(after, before)]):
        said.append("rows in another order")
    return ", ".join(said) or None


def _columns(what: str, some: tuple[str, ...], others: tuple[str, ...]) -> list[str]:
    names = [repr(name) for name in some if name not in others]
    return [f"{what}: {', '.join(names[:LISTED])}"] if names else []


def _listed(what: str, places: npt.NDArray[np.int64]) -> list[str]:
    """Return how many rows there are, and the first of them, counted from 1 below the names."""
    if not len(places):
        return []
    rows = ", ".join(f"{place + 1:,}" for place in places[:LISTED])
    more = ", ..." if len(places) > LISTED else ""
    return [f"{len(places):,} {'row' if len(places) == 1 else 'rows'} {what} ({rows}{more})"]


def _names_rows(column: pd.Series[Any], digests: Digests) -> bool:
    """Say whether a column names rows: texts or whole numbers, no two the same."""
    if len(np.unique(digests)) < len(column):
        return False
    return is_words(column) or bool((column % 1 == 0).all())


def _once(digests: Digests) -> tuple[Digests, npt.NDArray[np.int64]]:
    """Return the digests that occur once, and where."""
    found, places, counts = np.unique(digests, return_index=True, return_counts=True)
    return found[counts == 1], places[counts == 1]


def _digests(column: pd.Series[Any]) -> Digests:
    """Return a digest of every cell; a number has the same be it written 1 or 1.0."""
    if is_words(column):
        return np.asarray(pd.util.hash_array(column.map(shown).to_numpy(dtype=object)))
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.asarray(pd.util.hash_array(numbers + 0.0))
