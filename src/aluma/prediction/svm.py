"""Labels by a support vector machine: the max-margin separator, or one that tolerates errors."""

from __future__ import annotations

import numpy as np

from aluma.arrays import Floats
from aluma.pool import Pool
from aluma.prediction.prediction import Prediction
from aluma.prediction.soft_svm import soft_svm
from aluma.scoring.hyperplane import lengths, sides
from aluma.spaces.separator import SeparatorSpace
from aluma.spaces.situation import Situation
from aluma.spaces.space import Space


class SeparatorSide(Prediction[SeparatorSpace]):
    """The side of the max-margin separator of all answers: shares are 0, 1/2 or 1."""

    words = "SVM"

    def shares(self, at: Situation[SeparatorSpace], pool: Pool) -> Floats:
        """Return 1 in front of the separator, 0 behind it and 1/2 on it."""
        if pool.is_large:
            return sides(pool, at.space.separator.direction)
        sizes = at.space.lengths if pool is at.pool else lengths(pool)
        return sides(pool, at.space.separator.direction, sizes)


class SoftMargin(Prediction[Space]):
    """The soft-margin machine of the answers (Section 6.3), whether they contradict or not.

    Parameters
    ----------
    regularization : weight of ``|w|^2 / 2`` against the mean hinge loss
    """

    words = "soft-margin SVM"

    def __init__(self, regularization: float) -> None:
        self.regularization = regularization

    def shares(self, at: Situation[Space], pool: Pool) -> Floats:
        """Return 1 in front of the machine's halfspace, 0 behind it and 1/2 on it."""
        signs = at.signs.astype(np.float64)
        return sides(pool, soft_svm(at.pool.rows(at.answered), signs, self.regularization))
