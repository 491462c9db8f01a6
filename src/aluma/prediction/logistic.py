"""Labels by scikit-learn's logistic regression of the answers: what people reach for today."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aluma.arrays import Floats
from aluma.blas import one_thread
from aluma.pool import Pool
from aluma.prediction.prediction import Prediction
from aluma.spaces.history import Event
from aluma.spaces.situation import Situation
from aluma.spaces.space import Space

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression


class LogisticFits:
    """Fits regressions to answers and keeps the last, for a strategy and a prediction to share.

    Parameters
    ----------
    intercept : fit one, unpenalised, as scikit-learn does by default
    C : inverse strength of regularisation
    """

    def __init__(self, intercept: bool, C: float) -> None:
        self.intercept, self.C = intercept, C
        self._last: tuple[tuple[Event, ...], LogisticRegression] | None = None

    def unfitted(self) -> LogisticRegression:
        """Return a regression with these settings."""
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=self.C, fit_intercept=self.intercept, max_iter=1000)

    @one_thread()
    def fitted(self, at: Situation[Space]) -> LogisticRegression:
        """Return the regression of the answers, fitted once."""
        # Forks share this: what is kept is read once and replaced whole.
        last = self._last
        if last is None or last[0] != at.history:
            model = self.unfitted().fit(at.pool.rows(at.answered), at.signs)
            self._last = last = tuple(at.history), model
        return last[1]


class Logistic(Prediction[Space]):
    """The regression's probabilities; until both classes were told, all are of the class told."""

    words = "logistic regression"

    def __init__(self, fits: LogisticFits) -> None:
        self._fits = fits

    def shares(self, at: Situation[Space], pool: Pool) -> Floats:
        """Return the probability of the positive label."""
        if not both_told(at):
            return np.full(len(pool), float(at.signs.sum() > 0) if at.n_answers else 0.5)
        model = self._fits.fitted(at)
        return np.concatenate([model.predict_proba(rows)[:, 1] for _, rows in pool.blocks()])


def both_told(at: Situation[Space]) -> bool:
    """Say whether answers of both classes are there."""
    return len(set(at.signs.tolist())) == 2
