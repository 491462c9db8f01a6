"""Labels by the halfspace of least importance-weighted loss."""

from __future__ import annotations

from aluma.arrays import Floats
from aluma.pool import Pool
from aluma.prediction.prediction import Prediction
from aluma.scoring.hyperplane import sides
from aluma.scoring.weighted_loss import WeightedLoss
from aluma.spaces.situation import Situation
from aluma.spaces.space import Space


class LeastLoss(Prediction[Space]):
    """Label by the halfspace of least weighted loss; the weights are in the history's marks."""

    words = "the least weighted loss"

    def __init__(self, losses: WeightedLoss) -> None:
        self._losses, self._fitted = losses, losses.start()

    def shares(self, at: Situation[Space], pool: Pool) -> Floats:
        """Return 1 in front of that halfspace and 0 behind it."""
        reading = at.history[-1].mark if at.history else self._losses.start()
        if self._fitted.weights is not reading.weights:
            self._fitted = self._losses.fit(reading)
        return sides(pool, self._fitted.best)
