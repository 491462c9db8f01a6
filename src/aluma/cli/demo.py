"""`aluma demo`: the main job, on data that ship with scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from aluma.arrays import Floats
from aluma.cli.report import report, watched
from aluma.cli.terminal import Out, console, folder
from aluma.extras import LAB, require
from aluma.lab.comparison import compare

REPEATS = 5


def demo(out: Out = Path("aluma-demo")) -> None:
    """Watch ALuMA label 357 handwritten digits, and compare it with what people use instead.

    The data ship with scikit-learn, so nothing is downloaded, and it takes less than a minute. At
    the end there are a table of the labels needed, where ALuMA itself stops and what it promises
    then, a picture and the labelled pool as a CSV file.
    """
    require("aluma demo", "demo", *LAB)
    results = folder(out)
    X, y = threes_and_eights()
    console.print(
        f"{len(y)} images of a 3 or an 8, 64 pixels each. A teacher who knows the answers is asked "
        "one image at a time; all other labels are worked out from the answers. The pixels are "
        "centred, and a constant is added as bias."
    )
    with watched(REPEATS) as watch:
        found = compare(X, y, repeats=REPEATS, to_its_stop=True, watch=watch)
    report(
        found, results, f"3 or 8? Labels needed until all {len(y)} images are right", range(len(y))
    )


def threes_and_eights() -> tuple[Floats, Any]:
    """Return the demo's pool; pixels share a unit, so they keep their relative scale."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    chosen = (y == 3) | (y == 8)
    centred = X[chosen] - X[chosen].mean(axis=0)
    return np.asarray(centred / centred.std()), y[chosen]
