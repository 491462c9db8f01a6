"""Points of four kinds, that no two answers would do for."""

from pathlib import Path

import numpy as np
import pandas as pd

FOUR = ("sport", "politics", "science", "other")


def quarters(size: int = 80, seed: int = 5) -> tuple[pd.DataFrame, list[str]]:
    """Return points of the plane, and in which quarter of it each lies."""
    points = np.random.default_rng(seed).standard_normal((size, 2)).round(3)
    places = (points[:, 0] > 0) * 2 + (points[:, 1] > 0)
    return pd.DataFrame(points, columns=["x", "y"]), [FOUR[place] for place in places]


def in_file(path: Path, size: int = 80, seed: int = 5) -> list[str]:
    """Write such points to a file, and return what each is."""
    frame, truth = quarters(size, seed)
    frame.to_csv(path, index=False)
    return truth
