"""The soft-margin support vector machine: a halfspace that tolerates contradictions."""

from __future__ import annotations

import logging
import warnings

import numpy as np

from aluma.arrays import Floats
from aluma.blas import one_thread

logger = logging.getLogger(__name__)

#: Passes of the solver over the examples at most; a regularisation near 0 needs many.
MOST_PASSES = 50_000
#: When it stops: a largest violation of the optimality conditions.
TOLERANCE = 1e-5


@one_thread()
def soft_svm(rows: Floats, signs: Floats, regularization: float) -> Floats:
    """Return the w that minimises ``regularization / 2 |w|^2 + mean(max(0, 1 - y <w, x>))``.

    Homogeneous: an intercept is a constant feature of the rows. By LIBLINEAR's dual coordinate
    descent. It wants both classes, so where one is missing every example comes with its mirror
    image, which has the same loss.
    """
    # Slow to import, and most learners never ask for it.
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    if len(rows) == 0:
        return np.zeros(rows.shape[1])
    cost = 1.0 / (regularization * len(rows))
    if abs(signs.sum()) == len(signs):
        rows, signs, cost = np.vstack([rows, -rows]), np.concatenate([signs, -signs]), cost / 2
    machine = LinearSVC(
        loss="hinge",
        C=cost,
        fit_intercept=False,
        dual=True,
        tol=TOLERANCE,
        max_iter=MOST_PASSES,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(rows, signs)
    if machine.n_iter_ >= MOST_PASSES:
        logger.warning("the support vector machine of %d answers is not exact", len(signs))
    return np.asarray(machine.coef_[0], dtype=np.float64)
