"""Error curves of ALuMA with slack and of what people would use instead, on noisy pools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from aluma.arrays import Floats, Ints
from aluma.errors import Conflict, Exhausted, Undecided
from aluma.lab.bench.noise_pools import Task
from aluma.learners.aluma import ALuMA
from aluma.learners.iwal import IWAL
from aluma.learners.learner import Learner

#: Regularisation of the passive soft-margin machine, as the paper's model selection chose it.
LAMBDA = 1e-3


@dataclass(frozen=True)
class Curve:
    """Errors on the pool and on test examples at some budgets; answers that were set aside."""

    train: Floats
    test: Floats
    set_aside: int = 0


#: A task, the budgets to be measured at and a seed; returns the curve.
Contender: TypeAlias = Callable[[Task, Sequence[int], int], Curve]


def aluma(hypotheses: int, **settings: Any) -> Contender:
    """Return ALuMA as a contender: Algorithm 4, with its vote on the pool and its machine on tests.

    An answer that contradicts the others (after a projection, or without slack) is set aside: it
    is looked at and counts, but the version space stays as it is.
    """

    def run(task: Task, budgets: Sequence[int], seed: int) -> Curve:
        learner = ALuMA(
            task.X, classes=(-1.0, 1.0), n_hypotheses=hypotheses, random_state=seed, **settings
        )
        return follow(learner, task, budgets)

    return run


def iwal(**settings: Any) -> Contender:
    """Return IWAL as a contender."""

    def run(task: Task, budgets: Sequence[int], seed: int) -> Curve:
        learner = IWAL(task.X, classes=(-1.0, 1.0), random_state=seed, **settings)
        return follow(learner, task, budgets)

    return run


def follow(learner: Learner, task: Task, budgets: Sequence[int]) -> Curve:
    """Answer a learner's questions; its vote labels the pool, a machine on those the tests."""
    train: list[float] = []
    test: list[float] = []
    aside = asked = 0
    while len(train) < len(budgets):
        try:
            index = learner.ask()
        except Exhausted:
            break
        asked += 1
        try:
            learner.tell(index, task.answers[index])
        except (Conflict, Undecided):
            learner.skip(index)
            aside += 1
        if asked == budgets[len(train)]:
            labels = _labelled(task, learner.predict(task.X), learner.answered)
            train.append(float(np.mean(labels != task.y)))
            test.append(_test_error(_machine(task.X, labels), task))
    return Curve(_padded(train, len(budgets)), _padded(test, len(budgets)), aside)


def soft_machine(task: Task, budgets: Sequence[int], seed: int) -> Curve:
    """Passive learning: a soft-margin machine on random labels."""
    order = np.random.default_rng((seed, 2)).permutation(len(task.y))
    return _curve(
        [
            _errors(_machine(task.X[order[:n]], task.answers[order[:n]]), task, order[:n])
            for n in budgets
        ]
    )


def logistic_margin(task: Task, budgets: Sequence[int], seed: int) -> Curve:
    """Ask about the example that a logistic regression is least sure of; start at random."""
    model = LogisticRegression(C=10.0, max_iter=1000)
    order = np.random.default_rng((seed, 2)).permutation(len(task.y))
    asked: list[int] = []
    errors = []
    for n in range(1, max(budgets) + 1):
        asked.append(_next(model, task.X, asked, order, task.answers))
        both = len(np.unique(task.answers[asked])) == 2
        if both:
            model.fit(task.X[asked], task.answers[asked])
        if n in budgets:
            errors.append(_errors(model if both else None, task, np.array(asked)))
    return _curve(errors)


def _next(model: LogisticRegression, X: Any, asked: list[int], order: Ints, answers: Floats) -> int:
    if len(np.unique(answers[asked])) < 2:
        return int(order[len(asked)])
    doubt = np.abs(model.decision_function(X))
    doubt[asked] = np.inf
    return int(doubt.argmin())


def _machine(X: Any, y: Floats) -> LinearSVC | None:
    if len(np.unique(y)) < 2:
        return None
    return LinearSVC(C=1 / (LAMBDA * len(y)), dual=False, max_iter=5000).fit(X, y)


def _labelled(task: Task, labels: Floats, asked: Ints) -> Floats:
    """Return the pool's labels, asked ones as answered; but a teacher's mistakes count for nobody.

    Otherwise those who ask would have their answers held against them where they are wrong.
    """
    if np.array_equal(task.answers, task.y):
        labels[asked] = task.answers[asked]
    return labels


def _errors(model: Any, task: Task, asked: Ints) -> tuple[float, float]:
    """Return the errors of a model on the pool and on tests."""
    labels = np.full(len(task.y), -1.0) if model is None else model.predict(task.X)
    return float(np.mean(_labelled(task, labels, asked) != task.y)), _test_error(model, task)


def _test_error(model: Any, task: Task) -> float:
    """Return the error on test examples; without a model everything is labelled -1."""
    labels = -1.0 if model is None else model.predict(task.X_test)
    return float(np.mean(labels != task.y_test))


def _curve(errors: Sequence[tuple[float, float]]) -> Curve:
    train, test = np.array(errors).T
    return Curve(train, test)


def _padded(values: Sequence[float], n: int) -> Floats:
    """Return n values; a learner that asks no more stays as it is."""
    return np.array([*values, *[values[-1] if values else np.nan] * (n - len(values))])
