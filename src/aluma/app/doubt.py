"""Which of several answers that cannot all be true a person should look at first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aluma.session import Session


def most_doubtful(session: Session, example: int, label: str, clashing: Sequence[int]) -> list[int]:
    """Return clashing answers in the order in which a fit to all answers disputes them.

    Any one of them, taken away, resolves the contradiction; a slip usually lies furthest on the
    wrong side of what all the other answers say. The fit is by ridge regression, which needs one
    linear system and always ends.
    """
    from sklearn.linear_model import RidgeClassifier

    told = [*session.answered.tolist(), example]
    positive = np.append(session.answers, label) == session.classes_[1]
    if len(clashing) < 2 or positive.all() or not positive.any():
        return list(clashing)
    machine = RidgeClassifier(fit_intercept=False)
    machine.fit(session.pool.rows(told), positive)
    signs = dict(zip(told, np.where(positive, 1.0, -1.0), strict=True))
    margins = machine.decision_function(session.pool.rows(list(clashing)))
    agreed = [signs[i] * margin for i, margin in zip(clashing, margins, strict=True)]
    return [clashing[place] for place in np.argsort(agreed, kind="stable")]
