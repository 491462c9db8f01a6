"""A file of labels that is checked: which column holds them, who gave them, what is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from aluma.app import reading
from aluma.app.examples import Examples, sound
from aluma.app.export import ADDED, NOTE, PREFIX, SHARE_OF
from aluma.arrays import Floats, Ints
from aluma.errors import BadInput
from aluma.promises.audit import Audit
from aluma.reading import read_table
from aluma.reading.texts import How

#: Columns that `aluma label` and `aluma run` write beside a column of labels: who gave each, and
#: the share of votes for it.
BESIDE = {
    "label": (("label_by", "given_by"), "vote_share"),
    "aluma_label": (("aluma_label_by",), "aluma_vote_share"),
}
#: Columns that are about a label, and not shown with an example: what `aluma label` adds now, what
#: it added before, and what `aluma run` does.
HIDDEN = {*ADDED[1:], NOTE, "determined", "given_by"}
HIDDEN |= {f"{PREFIX}{name}" for name in HIDDEN}


@dataclass(frozen=True)
class CheckFile:
    """A table of labelled examples. Make one with :func:`read`.

    Attributes
    ----------
    path : where it is
    column : the name of the column that holds the labels
    frame : the whole table
    digest : of what is in the file
    answers : labels that the file does not hold; if there are any, no others are taken
    notes : what was noticed when it was read
    """

    path: Path
    column: str
    frame: pd.DataFrame
    digest: str
    answers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @cached_property
    def labels(self) -> list[str]:
        """The labels as texts."""
        return self.texts(self.column)

    @cached_property
    def classes(self) -> list[str]:
        """The labels that occur, the most frequent first."""
        counts = Counter(self.labels)
        return sorted(counts, key=lambda label: (-counts[label], label))

    @property
    def closed(self) -> bool:
        """Whether an answer must be one of the labels that are known beforehand."""
        return bool(self.answers)

    def vocabulary(self, audit: Audit) -> list[str]:
        """Return the labels there are: of the file, named beforehand, or given in answers."""
        return list(dict.fromkeys([*self.classes, *self.answers, *map(str, audit.answers)]))

    @property
    def by(self) -> str:
        """The column that says who gave a label, be it there or not."""
        names = BESIDE.get(self.column, ((f"{self.column}_by",), ""))[0]
        return next((name for name in names if name in self.frame.columns), names[0])

    @property
    def found(self) -> str:
        """The column that says what a check found, be it there or not."""
        return f"{self.column}_check"

    @cached_property
    def known(self) -> Ints:
        """The rows whose label a person gave, as far as the file says so."""
        if self.by not in self.frame.columns:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(self.frame[self.by].isin(["person", "exception"]))

    @property
    def doubt(self) -> Floats:
        """How much each label is doubted: the share of votes against it."""
        vote = BESIDE.get(self.column, ((), "vote_share"))[1]
        if vote not in self.frame.columns:
            raise BadInput(
                f"--by-doubt needs a column {vote!r}, and {self.path} has none: leave it out."
            )
        return np.asarray(1.0 - self.frame[vote].to_numpy(dtype=np.float64))

    @cached_property
    def shown(self) -> pd.DataFrame:
        """The table without the labels and without what is said about them."""
        about = {self.column, self.by, self.found, *HIDDEN}
        hidden = [n for n in self.frame.columns if n in about or str(n).startswith(SHARE_OF)]
        return self.frame.drop(columns=hidden)

    def examples(self, images: Path | None = None) -> Examples:
        """Return the rows as a page shows them, with images if there are some."""
        if images is None:
            return reading.as_examples(self.shown)
        return reading.with_images(self.shown, images)

    def texts(self, column: str) -> list[str]:
        """Return a column as texts, or say what is wrong with it."""
        values = self._filled(column)
        if values.dtype.kind == "f" and (values % 1 == 0).all():
            # The same label is 1 in one column and 1.0 in another.
            values = values.astype(int)
        return [sound(str(value)) for value in values]

    def _filled(self, column: str) -> pd.Series[Any]:
        """Return a column, or say that it is not there or has gaps."""
        if column not in self.frame.columns:
            listed = ", ".join(repr(name) for name in self.frame.columns[:8])
            raise BadInput(
                f"{self.path} has no column {column!r}. Its columns are {listed}: name one of them."
            )
        values = self.frame[column]
        missing = np.flatnonzero(values.isna() | (values.astype(str).str.strip() == ""))
        if len(missing):
            raise BadInput(
                f"{self.path} has no value in column {column!r} of row {missing[0]} (counted from "
                f"0 below the names), {len(missing):,} such rows in all: an audit is of labels, so "
                "fill them in or drop those rows."
            )
        return values


def read(path: Path, column: str = "label", answers: Iterable[str] = ()) -> CheckFile:
    """Read a labelled table."""
    how = How()
    frame = read_table(path, how)
    return CheckFile(path, column, frame, reading.digest([path]), tuple(answers), tuple(how.notes))
