"""Passive learning, found by asking only for labels that are not implied yet.

CAL passes over an example when its label follows from the answers so far. Such a label rules out no
halfspace, so what CAL has left after reading n examples is what a passive learner has left that was
given all n labels; but a few thousand answers are taken in instead of tens of thousands.
"""

from __future__ import annotations

import numpy as np

from aluma.arrays import Ints
from aluma.lab.play import Result
from aluma.strategies.order import first_occurrences


def with_reading(result: Result, order: Ints) -> Result:
    """Return what became of CAL with ``read``: the examples met when each count was measured.

    They are counted up to the last one asked about.
    """
    met = first_occurrences(order)
    place = np.empty(int(met.max()) + 1, dtype=np.int64)
    place[met] = np.arange(len(met))
    return {**result, "read": [int(place[result["asked"][n - 1]]) + 1 for n in result["labels"]]}


def as_read(result: Result) -> Result:
    """Return what becomes of a passive learner that reads the same order."""
    return {**result, "labels": result["read"]}
