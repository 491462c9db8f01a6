"""What every loader returns: examples, their labels, and a test set where there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class Dataset:
    """A pool whose labels are known.

    Attributes
    ----------
    name : what reports call it
    X : examples, one a row; an array or a sparse matrix, as published (not centred, no bias)
    y : their labels, -1 or +1
    classes : what -1 and +1 stand for
    X_test, y_test : examples that are not in the pool, or None
    target : a halfspace that labels the pool, where one is known
    """

    name: str
    X: Any
    y: Ints
    classes: tuple[Any, Any] = (-1, 1)
    X_test: Any = None
    y_test: Ints | None = None
    target: Floats | None = None

    def __len__(self) -> int:
        return len(self.y)

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        test = "" if self.y_test is None else f", {len(self.y_test)} for testing"
        return f"Dataset({self.name}: {rows} x {columns}, {int((self.y > 0).sum())} +{test})"


def signs(values: npt.ArrayLike) -> Ints:
    """Return +1 where a value is at least 0 and -1 elsewhere: ties go to the second class."""
    return np.where(np.asarray(values) >= 0, 1, -1).astype(np.int64)
