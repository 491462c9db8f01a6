"""What lifting a pool needs to know: how much slack there is, and how long the examples are."""

from __future__ import annotations

from typing import Any

import numpy as np

from aluma.arrays import is_number
from aluma.pool import Pool


class ProjectionWarning(UserWarning):
    """Nothing is projected, so slack has no effect on the points."""


def checked_slack(slack: Any) -> float:
    """Return a slack H as a float, or say what is wrong with it."""
    if is_number(slack) and 0 <= float(slack) < np.inf:
        return float(slack)
    raise ValueError(f"slack must be a finite number of at least 0, got {slack!r}.")


def largest_norm(pool: Pool) -> float:
    """Return the length of the longest example, its bias included.

    Examples
    --------
    >>> largest_norm(Pool([[3.0, 4.0], [1.0, 0.0]]))
    5.0
    """
    return float(pool.lengths().max())
