"""Who labels pools of embeddings: ALuMA, and what a sceptic would use instead.

The others have logistic regression as their model. Coverage methods choose the first questions, as
many as FIRST or until both classes are told, and margins the rest.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from aluma.arrays import Bools, Floats, Ints
from aluma.extras import needed
from aluma.learners.aluma import ALuMA

#: Questions that a coverage method chooses before margins do.
FIRST = 5
#: Inverse strength of regularisation, of those that are tried with one only.
USUAL = 10.0


class Entrant(ABC):
    """Asks for labels, some at a time, and labels all rows."""

    def __init__(self, X: Floats, seed: int) -> None:
        self.X, self.seed = X, seed
        self.told: dict[int, bool] = {}

    @abstractmethod
    def ask(self, n: int) -> Ints:
        """Return n rows that have not been told."""

    def tell(self, rows: Ints, positive: Bools) -> None:
        """Take answers."""
        self.told.update(zip(rows.tolist(), positive.tolist(), strict=True))

    @abstractmethod
    def guess(self) -> Bools:
        """Say which rows are positive."""

    def labels(self) -> Bools:
        """Say which rows are positive, as told where they were."""
        found = self.guess().copy()
        found[list(self.told)] = list(self.told.values())
        return found


def standardised(X: Floats) -> Floats:
    """Return columns of variance 1, as the estimator makes them."""
    return np.asarray(X / np.maximum(X.std(axis=0), 1e-12))


class Ours(Entrant):
    """ALuMA with its defaults, a bias, and no labels spent on checks; or with other settings.

    ``unit`` is what rows are multiplied by, or a function of all of them.
    """

    def __init__(
        self,
        X: Floats,
        seed: int,
        *,
        unit: float | Callable[[Floats], Floats] = 1.0,
        **settings: Any,
    ) -> None:
        X = unit(X) if callable(unit) else unit * X
        super().__init__(X, seed)
        given: dict[str, Any] = {"bias": True, "promise": "credible", "tolerance": 0.0, **settings}
        self.learner = ALuMA(X, classes=(False, True), random_state=seed, **given)

    def ask(self, n: int) -> Ints:
        """Return ALuMA's questions."""
        return np.array([self.learner.ask()]) if n == 1 else np.asarray(self.learner.ask(n))

    def tell(self, rows: Ints, positive: Bools) -> None:
        """Take answers."""
        super().tell(rows, positive)
        self.learner.tell(rows, positive)

    def guess(self) -> Bools:
        """Return ALuMA's labels."""
        return np.asarray(self.learner.predict(), dtype=bool)


class Regression(Entrant):
    """Logistic regression; without answers of both classes, everything is of the class told."""

    def __init__(self, X: Floats, seed: int, C: float = USUAL) -> None:
        super().__init__(X, seed)
        self.C, self.rng = C, np.random.default_rng(seed)
        self._fitted: tuple[int, Any] | None = None

    def ask(self, n: int) -> Ints:
        """Return the rows nearest to the boundary; random ones while there is none."""
        rows = self.left
        if not self.both:
            return np.asarray(self.rng.permutation(rows)[:n])
        near = np.abs(self.model().decision_function(self.X[rows]))
        return rows[np.argsort(near, kind="stable")[:n]]

    @property
    def left(self) -> Ints:
        """Rows that have not been told."""
        return np.setdiff1d(np.arange(len(self.X)), list(self.told))

    @property
    def both(self) -> bool:
        """Whether answers of both classes are there."""
        return len(set(self.told.values())) == 2

    def model(self) -> Any:
        """Return the regression of the answers, fitted once."""
        if self._fitted is None or self._fitted[0] != len(self.told):
            rows = list(self.told)
            model = self.unfitted().fit(self.X[rows], [self.told[row] for row in rows])
            self._fitted = len(self.told), model
        return self._fitted[1]

    def unfitted(self) -> Any:
        """Return a regression with these settings."""
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=self.C, max_iter=1000)

    def guess(self) -> Bools:
        """Return the regression's labels."""
        if not self.both:
            return np.full(len(self.X), next(iter(self.told.values()), False))
        return np.asarray(self.model().predict(self.X), dtype=bool)


class AtRandom(Regression):
    """Rows at random."""

    def ask(self, n: int) -> Ints:
        """Return random rows."""
        return np.asarray(self.rng.permutation(self.left)[:n])


class Elsewhere(Regression):
    """A strategy of scikit-activeml, from the beginning or for the first questions only."""

    def __init__(self, X: Floats, seed: int, strategy: str, first: int | None = None) -> None:
        super().__init__(X, seed)
        pools = needed("skactiveml.pool", "lab", "this benchmark")
        self._strategy = getattr(pools, strategy)(random_state=seed)
        self._first = first

    def ask(self, n: int) -> Ints:
        """Return what the strategy chooses, or later what is nearest to the boundary."""
        covers = self._first is not None
        if covers and self.both and len(self.told) >= (self._first or 0):
            return super().ask(n)
        if not covers and not self.both:
            return super().ask(n)
        known = np.full(len(self.X), np.nan)
        known[list(self.told)] = [float(one) for one in self.told.values()]
        model = self._classifier(covers)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = self._strategy.query(X=self.X, y=known, batch_size=n, **model)
        return np.asarray(found, dtype=np.int64)

    def _classifier(self, covers: bool) -> dict[str, Any]:
        if covers:
            return {}
        classifiers = needed("skactiveml.classifier", "lab", "this benchmark")
        wrapped = classifiers.SklearnClassifier(
            self.unfitted(), classes=[0.0, 1.0], random_state=self.seed
        )
        return {"clf": wrapped}


class DropQuery(Regression):
    """Rows whose label changes when most of their coordinates are dropped, one of each cluster.

    Gupte, Aklilu, Nirschl and Yeung-Levy, "Revisiting active learning in the era of vision
    foundation models", 2024. scikit-activeml has it too, and chooses the same rows with the same
    coordinates dropped; there a question takes more than three times as long, to draw those.

    Parameters
    ----------
    dropped : share of the coordinates that are set to zero
    times : how often
    """

    def __init__(self, X: Floats, seed: int, *, dropped: float = 0.75, times: int = 5) -> None:
        super().__init__(X, seed)
        self.dropped, self.times = dropped, times

    def ask(self, n: int) -> Ints:
        """Return the rows nearest to the centres of n clusters; random ones while there is none."""
        from sklearn.cluster import KMeans

        if not self.both:
            return super().ask(n)
        rows = self.left
        changes = self._changes(self.X[rows])
        kept = max(n, int((changes > 0.5).sum()))
        doubtful = rows[np.argsort(changes)[-kept:]]
        clusters = KMeans(n, n_init=1, random_state=self.seed)
        away = clusters.fit_transform(self.X[doubtful])
        chosen: list[int] = []
        for column in away.T:
            column[chosen] = np.inf
            chosen.append(int(np.argmin(column)))
        return doubtful[chosen]

    def _changes(self, X: Floats) -> Floats:
        """Return how often the label of each row changes, of all times."""
        model = self.model()
        label, changes = model.predict(X), np.zeros(len(X))
        for _ in range(self.times):
            stays = self.rng.random(X.shape, dtype=np.float32) >= self.dropped
            changes += model.predict(X * stays) != label
        return changes / self.times


#: The same with rows in other units, which should not matter.
UNITS: dict[str, Callable[[Floats, int], Entrant]] = {
    "ALuMA, rows x 0.01": partial(Ours, unit=0.01),
    "ALuMA, rows x 100": partial(Ours, unit=100.0),
    "ALuMA, standardised": partial(Ours, unit=standardised),
}

#: Who takes part, by name; the first is judged, and the second shows what the prior brings.
ENTRANTS: dict[str, Callable[[Floats, int], Entrant]] = {
    "ALuMA": Ours,
    "ALuMA, prior ball": partial(Ours, prior="ball"),
    "margin, C=1": partial(Regression, C=1.0),
    "margin, C=10": partial(Regression, C=10.0),
    "margin, C=100": partial(Regression, C=100.0),
    "TypiClust, margin": partial(Elsewhere, strategy="TypiClust", first=FIRST),
    "MaxHerding, margin": partial(Elsewhere, strategy="MaxHerding", first=FIRST),
    "Badge": partial(Elsewhere, strategy="Badge"),
    "DropQuery": DropQuery,
    "Falcun": partial(Elsewhere, strategy="Falcun"),
    "random": AtRandom,
}
