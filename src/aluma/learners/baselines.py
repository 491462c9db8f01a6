"""What people reach for today, with the face of a learner: for comparisons only.

The strategies are those of the installed libraries. They keep no version space: any answers are
fine, and nothing is promised. They are not among the strategies that sessions and the estimator
offer; :func:`aluma.run` drives them like any other learner.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from aluma.arrays import Bools, Floats, Ints
from aluma.blas import one_thread
from aluma.learners.learner import Learner
from aluma.pool import Pool
from aluma.scoring.hyperplane import ascending
from aluma.spaces.history import Event
from aluma.strategies.order import random_order
from aluma.streams import entropy, streams


class LogisticLearner(Learner):
    """A learner that predicts by scikit-learn's logistic regression.

    Until answers of both classes are there, questions come in the random order of the seed and
    everything is predicted to be of the class told.

    Parameters
    ----------
    X, classes, budget, random_state
        As for every learner, see :class:`aluma.learners.learner.Learner`.
    intercept : bool
        Fit one, unpenalised, as scikit-learn does by default.
    C : float
        Inverse strength of regularisation, scikit-learn's default.
    """

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        budget: int | None = None,
        intercept: bool = True,
        C: float = 1.0,
        random_state: Any = 0,
    ) -> None:
        super().__init__(X, classes=classes, budget=budget)
        self.intercept, self.C = intercept, float(C)
        self.seed = entropy(random_state)
        self._model: tuple[list[Event], LogisticRegression] | None = None

    @property
    def _signs(self) -> Ints:
        return np.array([event.sign for event in self._history if event.sign], dtype=np.int64)

    @property
    def _both(self) -> bool:
        return len(set(self._signs.tolist())) == 2

    @one_thread()
    def _fitted(self) -> LogisticRegression:
        """Return the regression of the answers, fitted once."""
        if self._model is None or self._model[0] != self._history:
            model = LogisticRegression(C=self.C, fit_intercept=self.intercept, max_iter=1000)
            model.fit(self.pool.rows(self.answered), self._signs)
            self._model = list(self._history), model
        return self._model[1]

    def _choose(self, eligible: Bools) -> int:
        return int(self._choose_batch(eligible, 1)[0])

    def _choose_batch(self, eligible: Bools, n: int) -> Ints:
        if not self._both:
            order = random_order(self.seed, len(self.pool))
            return np.asarray(order[eligible[order]][:n])
        return self._informed(np.flatnonzero(eligible), n)

    @abstractmethod
    def _informed(self, rows: Ints, n: int) -> Ints:
        """Return n of the rows to ask about, when both classes have been told."""

    def _absorb(self, index: int, sign: int) -> None:
        """Take any answer."""

    def _release(self, kept: Sequence[Event]) -> None:
        """Do nothing: the history is all there is."""

    def _positive_shares(self, pool: Pool) -> Floats:
        if not self._both:
            return np.full(len(pool), (self._signs.sum() > 0) if self.n_answers else 0.5)
        model = self._fitted()
        shares = [model.predict_proba(rows)[:, 1] for _, rows in pool.blocks()]
        return np.concatenate(shares)


class LogisticMargin(LogisticLearner):
    """Margin sampling with logistic regression: ask where its probability is closest to 1/2."""

    def _informed(self, rows: Ints, n: int) -> Ints:
        model = self._fitted()
        margins = self.pool.margins(model.coef_, rows)[:, 0] + float(np.ravel(model.intercept_)[0])
        return np.asarray(rows[ascending(np.abs(margins.astype(np.float64)))][:n])


class SkactivemlLearner(LogisticLearner):
    """A pool strategy of scikit-activeml, with logistic regression as its classifier.

    Parameters
    ----------
    X, classes, budget, intercept, C, random_state
        As for :class:`LogisticLearner`.
    strategy : str
        Name of a class in ``skactiveml.pool``, for instance "UncertaintySampling".
    settings : dict, optional
        Its keyword arguments.
    """

    def __init__(
        self,
        X: Any,
        *,
        strategy: str = "UncertaintySampling",
        settings: Mapping[str, Any] | None = None,
        **others: Any,
    ) -> None:
        super().__init__(X, **others)
        if find_spec("skactiveml") is None:
            raise ModuleNotFoundError(
                "scikit-activeml is not installed: pip install scikit-activeml, or compare with "
                "LogisticMargin, which needs scikit-learn only."
            )
        from skactiveml import pool

        if not hasattr(pool, strategy):
            raise ValueError(f"skactiveml.pool has no strategy {strategy!r}.")
        self.strategy, self.settings = strategy, dict(settings or {})
        self._kind = getattr(pool, strategy)

    def _informed(self, rows: Ints, n: int) -> Ints:
        from skactiveml.classifier import SklearnClassifier

        model = LogisticRegression(C=self.C, fit_intercept=self.intercept, max_iter=1000)
        # Keyed by the history, so that asking twice, undo and replay give the same question.
        key = streams((self.seed, 104, *(2 * e.index + (e.sign > 0) for e in self._history)), 1)[0]
        seed = int(key.integers(2**31))
        known = np.full(len(self.pool), np.nan)
        known[self.answered] = self._signs
        classifier = SklearnClassifier(model, classes=[-1, 1], random_state=seed)
        given = {"clf": classifier, "ensemble": classifier, "discriminator": classifier}
        chooser = self._kind(random_state=seed, **self.settings)
        wanted = inspect.signature(chooser.query).parameters
        found = chooser.query(
            X=self.pool.rows(np.arange(len(self.pool))),
            y=known,
            candidates=rows,
            batch_size=n,
            **{name: value for name, value in given.items() if name in wanted},
        )
        return np.asarray(found, dtype=np.int64)
