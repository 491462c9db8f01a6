"""Answers as walls: the unit normals that consistent halfspaces are in front of."""

from __future__ import annotations

from typing import Any

import numpy as np

from aluma.arrays import Floats


def signed_units(rows: Floats, labels: Any, start: int = 0) -> Floats:
    """Return the walls ``y x / |x|`` of answers, or say which of them makes no wall."""
    signs = np.atleast_1d(np.asarray(labels))
    if signs.shape != (len(rows),):
        raise ValueError(
            f"y has shape {np.shape(labels)} for {len(rows)} examples: give one label per example."
        )
    wrong = np.array([label not in (-1, 1) for label in signs.tolist()])
    if wrong.any():
        raise ValueError(f"labels must be -1 or +1, got {signs[wrong][0]!r}.")
    # Scaling by the largest entry first keeps the squares of huge and tiny rows within float64.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    if not largest.all():
        raise ValueError(
            f"answer {start + int(np.argmin(largest))} is about an all-zero example: no "
            "homogeneous halfspace can disagree about it. Add a bias column, or leave it out."
        )
    scaled = rows / largest
    units = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    # Adding zero makes -0.0 the same bits as 0.0: walls are told apart by their bits.
    return np.asarray(units * signs.astype(np.float64)[:, None] + 0.0)
