"""Shares of the votes for each answer, in the order in which the answers are listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aluma.arrays import Floats
from aluma.learners.learner import Learner


def votes(learner: Learner, labels: Sequence[str], rows: Any = None) -> Floats:
    """Return (n, K) shares of the votes for the K labels, for the pool or for other rows.

    A label that nobody has told yet gets no votes. Before any is told there are none at all, and
    while there is only one it gets all of them.
    """
    known = [str(label) for label in learner.labels.known]
    n = len(learner.examples) if rows is None else len(rows)
    shares = np.zeros((n, len(labels)))
    if len(known) == 1:
        shares[:, list(labels).index(known[0])] = 1.0
    elif known:
        places = [list(labels).index(label) for label in known]
        shares[:, places] = learner.predict_proba(rows)
    return shares


def leading(learner: Learner, labels: Sequence[str], shares: Floats) -> Any:
    """Return which label has most of the votes, its place in the list; -1 where none has any.

    Of two, a tie goes to the one that the learner calls the second, as its labels do.
    """
    known = [str(label) for label in learner.labels.known]
    if len(known) == 2:
        first, second = (list(labels).index(label) for label in known)
        return np.where(shares[:, second] >= 0.5, second, first)
    return np.where(shares.any(axis=1), shares.argmax(axis=1), -1)
