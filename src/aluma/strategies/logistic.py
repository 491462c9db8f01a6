"""What people use today, for comparisons: logistic regression, or scikit-activeml's strategies."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from aluma.arrays import Ints
from aluma.prediction.logistic import LogisticFits, both_told
from aluma.scoring.hyperplane import ascending
from aluma.spaces.situation import Question, Situation
from aluma.spaces.space import Space
from aluma.strategies.order import random_order
from aluma.strategies.strategy import Strategy
from aluma.streams import OfSeed, stream


class ByLogistic(Strategy[Space]):
    """Random until answers of both classes are there, then by a logistic regression of them."""

    def __init__(self, fits: LogisticFits, seed: int) -> None:
        self.fits, self.seed = fits, seed

    @abstractmethod
    def informed(self, at: Situation[Space], rows: Ints, n: int) -> Ints:
        """Return n of the rows to ask about, when both classes have been told."""

    def ask(self, at: Situation[Space]) -> Question:
        """Return the first of a batch."""
        return Question(int(self.ask_batch(at, 1)[0]))

    def ask_batch(self, at: Situation[Space], n: int) -> Ints:
        """Return n examples."""
        if not both_told(at):
            order = random_order(self.seed, len(at.pool))
            return np.asarray(order[at.eligible[order]][:n])
        return self.informed(at, np.flatnonzero(at.eligible), n)


class LeastMargin(ByLogistic):
    """The examples whose probability is closest to 1/2."""

    def informed(self, at: Situation[Space], rows: Ints, n: int) -> Ints:
        """Return the n smallest margins."""
        model = self.fits.fitted(at)
        margins = at.pool.margins(model.coef_, rows)[:, 0] + float(np.ravel(model.intercept_)[0])
        return np.asarray(rows[ascending(np.abs(margins.astype(np.float64)))][:n])


class FromSkactiveml(ByLogistic):
    """A pool strategy of scikit-activeml, with logistic regression as its classifier.

    Parameters
    ----------
    fits, seed : the regression, and what makes the strategy's own draws repeatable
    kind : the strategy's class
    settings : its keyword arguments
    """

    def __init__(
        self, fits: LogisticFits, seed: int, kind: Any, settings: Mapping[str, Any]
    ) -> None:
        super().__init__(fits, seed)
        self.kind, self.settings = kind, dict(settings)

    def informed(self, at: Situation[Space], rows: Ints, n: int) -> Ints:
        """Return what the strategy chooses."""
        from skactiveml.classifier import SklearnClassifier

        # Keyed by the history, so that asking twice, undo and replay give the same question.
        told = (2 * event.index + (event.sign > 0) for event in at.history)
        seed = int(stream(self.seed, OfSeed.ELSEWHERE, *told).integers(2**31))
        known = np.full(len(at.pool), np.nan)
        known[at.answered] = at.signs
        classifier = SklearnClassifier(self.fits.unfitted(), classes=[-1, 1], random_state=seed)
        given = {"clf": classifier, "ensemble": classifier, "discriminator": classifier}
        chooser = self.kind(random_state=seed, **self.settings)
        wanted = inspect.signature(chooser.query).parameters
        found = chooser.query(
            X=at.pool.rows(np.arange(len(at.pool))),
            y=known,
            candidates=rows,
            batch_size=n,
            **{name: value for name, value in given.items() if name in wanted},
        )
        return np.asarray(found, dtype=np.int64)
