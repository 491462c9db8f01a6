"""Which of several answers that cannot all be true a person should look at first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aluma.arrays import Floats
from aluma.session import Session


def most_doubtful(session: Session, example: int, label: str, clashing: Sequence[int]) -> list[int]:
    """Return clashing answers in the order in which a fit to all answers disputes them.

    Any one of them, taken away, resolves the contradiction; a slip usually lies furthest on the
    wrong side of what all the other answers say. The fit is by ridge regression, which needs one
    linear system and always ends.
    """
    from sklearn.linear_model import RidgeClassifier

    told = [*session.answered.tolist(), example]
    labels = np.array([*session.answers.tolist(), label])
    if len(clashing) < 2 or len(set(labels.tolist())) < 2:
        return list(clashing)
    machine = RidgeClassifier(fit_intercept=False)
    machine.fit(session.pool.rows(told), labels)
    values = machine.decision_function(session.pool.rows(list(clashing)))
    if values.ndim == 1:
        values = np.stack([-values, values], axis=1)
    said = dict(zip(told, np.searchsorted(machine.classes_, labels), strict=True))
    agreed = [_margin(one, said[i]) for i, one in zip(clashing, values, strict=True)]
    return [clashing[place] for place in np.argsort(agreed, kind="stable")]


def _margin(values: Floats, own: int) -> float:
    """Return by how much a class is ahead of the best of the others."""
    return float(values[own] - np.delete(values, own).max())
