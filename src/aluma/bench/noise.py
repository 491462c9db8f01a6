"""Noise and kernels."""

from __future__ import annotations
import warnings
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from aluma.arrays import Floats


def relative_margin(points: Floats, y: Floats) -> float:
    """Return the largest margin ``y <w, x> / (|w| |x|)`` of a halfspace; negative if there is none."""
    walls = y[:, None] * points / np.linalg.norm(points, axis=1, keepdims=True)
    # A machine that also sees the pool mirrored has no use for an intercept.
    both = np.vstack([walls, -walls])
    machine = SVC(kernel="linear", C=1e6, max_iter=20_000)
    with warnings.catch_warnings():
        # Where there is no margin, it never ends.
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(both, np.repeat([1, -1], len(walls)))
    w = machine.coef_[0]
    return float((walls @ w).min() / np.linalg.norm(w))
