"""Who labels pools of several classes: ALuMA, and what people would use instead."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from aluma.arrays import Ints
from aluma.lab.bench.answered_span import AnsweredSpan
from aluma.learners.aluma import ALuMA

#: Rows that Badge chooses among.
MOST_FOR_BADGE = 12_000


class ClassEntrant(ABC):
    """Asks for the class of one row after the other, and labels all of them."""

    def __init__(self, X: Any, classes: int, seed: int) -> None:
        self.X, self.classes, self.seed = X, classes, seed
        self.told: dict[int, int] = {}

    @abstractmethod
    def ask(self) -> int:
        """Return a row that has not been told."""

    def tell(self, row: int, code: int) -> None:
        """Take an answer."""
        self.told[row] = code

    @abstractmethod
    def guess(self) -> Ints:
        """Return a class for every row."""

    def labels(self) -> Ints:
        """Return a class for every row, as told where it was."""
        found = self.guess().copy()
        found[list(self.told)] = list(self.told.values())
        return found


class Jointly(ClassEntrant):
    """ALuMA with all classes in one version space."""

    def __init__(self, X: Any, classes: int, seed: int) -> None:
        super().__init__(X, classes, seed)
        self.learner = ALuMA(
            X, classes=tuple(range(classes)), bias=True, promise="credible", random_state=seed
        )

    def ask(self) -> int:
        """Return ALuMA's question."""
        return int(self.learner.ask())

    def tell(self, row: int, code: int) -> None:
        """Take an answer."""
        super().tell(row, code)
        self.learner.tell(row, code)

    def guess(self) -> Ints:
        """Return the vote."""
        return np.asarray(self.learner.predict(), dtype=np.int64)


class InTurn(ClassEntrant):
    """ALuMA for each class against the rest, which choose the questions in turn."""

    def __init__(self, X: Any, classes: int, seed: int) -> None:
        super().__init__(X, classes, seed)
        seeds = np.random.SeedSequence(seed).generate_state(classes, np.uint64).tolist()
        self.learners = [
            ALuMA(X, classes=(False, True), bias=True, promise="credible", random_state=one)
            for one in seeds
        ]

    def ask(self) -> int:
        """Return the question of the learner whose turn it is."""
        return int(self.learners[len(self.told) % self.classes].ask())

    def tell(self, row: int, code: int) -> None:
        """Take an answer, for all classes."""
        super().tell(row, code)
        for place, learner in enumerate(self.learners):
            learner.tell(row, code == place)

    def guess(self) -> Ints:
        """Return the class with the largest vote."""
        shares = [learner.predict_proba()[:, 1] for learner in self.learners]
        return np.asarray(np.stack(shares, axis=1).argmax(axis=1), dtype=np.int64)


class Skactiveml(ClassEntrant):
    """A pool strategy of scikit-activeml with logistic regression as scikit-learn has it.

    It takes no sparse rows. What it does with one question at a time depends on rows by their
    lengths and by what logistic regression says of them, so it gets them as
    :class:`~aluma.lab.bench.answered_span.AnsweredSpan` has them: the same questions, sooner.
    """

    #: Rows that it may choose from, drawn for each question, where there are more.
    most: int | None = None

    def __init__(self, X: Any, classes: int, seed: int, strategy: str, **settings: Any) -> None:
        from skactiveml import pool
        from skactiveml.classifier import SklearnClassifier
        from sklearn.linear_model import LogisticRegression

        super().__init__(X, classes, seed)
        self.span = AnsweredSpan(X) if hasattr(X, "toarray") else None
        self.known, self.rng = np.full(X.shape[0], np.nan), np.random.default_rng(seed)
        self.chooser = getattr(pool, strategy)(random_state=seed, **settings)
        self.classifier = SklearnClassifier(
            LogisticRegression(max_iter=300), classes=list(range(classes)), random_state=seed
        )

    def ask(self) -> int:
        """Return what the strategy chooses."""
        with _without_remarks():
            chosen = self.chooser.query(
                self.rows(), self.known, self.classifier, candidates=self.candidates()
            )
        return int(chosen[0])

    def candidates(self) -> Ints | None:
        """Return the rows to choose from, None for all that were not told."""
        if self.most is None or len(self.known) <= self.most:
            return None
        left = np.flatnonzero(np.isnan(self.known))
        return np.sort(self.rng.choice(left, min(self.most, len(left)), replace=False))

    def tell(self, row: int, code: int) -> None:
        """Take an answer."""
        super().tell(row, code)
        self.known[row] = code
        if self.span is not None:
            self.span.add(row)

    def rows(self) -> Any:
        """Return all rows as scikit-activeml takes them."""
        return self.X if self.span is None else self.span.rows()

    def guess(self) -> Ints:
        """Return what logistic regression says."""
        with _without_remarks():
            rows = self.rows()
            fitted = self.classifier.fit(rows, self.known)
            return np.asarray(fitted.predict(rows), dtype=np.int64)


@contextmanager
def _without_remarks() -> Iterator[None]:
    """Leave out what scikit-activeml says while too few labels are there to fit anything."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def margin(X: Any, classes: int, seed: int) -> ClassEntrant:
    """Return scikit-activeml's margin sampling."""
    return Skactiveml(X, classes, seed, "UncertaintySampling", method="margin_sampling")


def entropy(X: Any, classes: int, seed: int) -> ClassEntrant:
    """Return scikit-activeml's entropy sampling."""
    return Skactiveml(X, classes, seed, "UncertaintySampling", method="entropy")


def badge(X: Any, classes: int, seed: int) -> ClassEntrant:
    """Return scikit-activeml's Badge.

    It writes down K d numbers for every row, so in large pools it chooses among some only, as its
    users do.
    """
    entrant = Skactiveml(X, classes, seed, "Badge")
    entrant.most = MOST_FOR_BADGE
    return entrant


#: By the name that tables have.
ENTRANTS: dict[str, Callable[[Any, int, int], ClassEntrant]] = {
    "ALuMA": Jointly,
    "in turn": InTurn,
    "margin": margin,
    "entropy": entropy,
    "Badge": badge,
}
