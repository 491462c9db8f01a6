"""Lemma 21 (no search needed): what the proof of Theorem 20 rests on."""

from __future__ import annotations

from typing import Any

import numpy as np

from aluma.lab import datasets
from aluma.spaces.version_space import VersionSpace


def opposite_points(points: int, seed: int) -> dict[str, Any]:
    """Return how many labels of the top circle follow from those below and two above.

    The lemma: if the bottom circle is positive to the right, and the two points of the top circle
    that are farthest right and left have one label, then the whole top circle has. ``one_less`` is
    how many follow from the bottom circle and the right one of the two.
    """
    del seed
    X = datasets.two_circles(points).X
    top, bottom = X[:points], X[points:]
    below = np.where(bottom[:, 0] > 0, 1, -1)
    found: dict[str, Any] = {"points": points}
    for name, above in (("determined", [0, points // 2]), ("one_less", [0])):
        for label in (1, -1):
            space = VersionSpace(3)
            space.add(np.vstack([bottom, top[above]]), np.append(below, np.full(len(above), label)))
            known = space.determined(top)
            found[f"{name}_{'plus' if label > 0 else 'minus'}"] = int((known == label).sum())
    return found
