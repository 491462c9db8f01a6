"""A labelling that is checked: a code for every example, and what the codes stand for.

Labels of ten million examples are ten megabytes like that, and a hundred as a list.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Signs, plain
from aluma.pool.store import parts

#: Labels that are turned into codes at a time.
AT_ONCE = 2**20


@dataclass(frozen=True, eq=False)
class Labelling:
    """Labels of all examples.

    Attributes
    ----------
    values : the different labels as plain values; 1, 1.0 and True are three
    codes : for each example the place of its label among those
    """

    values: Sequence[Hashable]
    codes: Signs

    def __post_init__(self) -> None:
        if not len(self.codes):
            raise ValueError("there are no labels: give one for every example of the pool.")

    @classmethod
    def of(cls, labels: Iterable[Any]) -> Labelling:
        """Return labels as they are now."""
        if type(labels) is np.ndarray and labels.dtype.kind in "biu" and labels.ndim == 1:
            return cls._of_numbers(labels)
        places: dict[tuple[type, Hashable, float], int] = {}
        codes = []
        for label in labels:
            value = plain(label)
            # 0.0 and -0.0 are written in two ways, too.
            sign = math.copysign(1.0, value) if isinstance(value, float) else 1.0
            codes.append(places.setdefault((type(value), value, sign), len(places)))
        kind = np.min_scalar_type(-len(places))
        return cls([value for _, value, _ in places], np.array(codes, dtype=kind))

    @classmethod
    def _of_numbers(cls, labels: npt.NDArray[Any]) -> Labelling:
        """Return the same for an array of whole numbers, some at a time."""
        values = np.unique(labels)
        codes = np.empty(len(labels), dtype=np.min_scalar_type(-len(values)))
        for part in parts(len(labels), AT_ONCE):
            codes[part] = np.searchsorted(values, labels[part])
        return cls(values.tolist(), codes)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, i: int) -> Hashable:
        return self.values[int(self.codes[i])]

    @property
    def listed(self) -> list[Hashable]:
        """All labels, in order."""
        return [self.values[code] for code in self.codes.tolist()]

    def differs(self, value: Hashable) -> Bools:
        """Say which labels are another than a plain value."""
        return np.array([one != value for one in self.values], dtype=bool)[self.codes]
