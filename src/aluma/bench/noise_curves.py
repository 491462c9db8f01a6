"""Error curves of ALuMA with slack and of what people would use instead, on noisy pools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from aluma.arrays import Floats, Ints
from aluma.bench.noise_pools import Task
from aluma.learners.aluma import ALuMA
from aluma.learners.base import Exhausted, Learner
from aluma.pool import Pool
from aluma.representation.lift import largest_norm
from aluma.version_space import Conflict

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


def iwal(**settings: Any) -> Contender | None:
    """Return IWAL as a contender, or None where this aluma has none."""
    if find_spec("aluma.learners.iwal") is None:
        return None
    kind: type[Learner] = import_module("aluma.learners.iwal").IWAL

    def run(task: Task, budgets: Sequence[int], seed: int) -> Curve:
        made: Any = kind
        learner = made(task.X, classes=(-1.0, 1.0), random_state=seed, **settings)
        return follow(learner, task, budgets)

    return run


def follow(learner: Learner, task: Task, budgets: Sequence[int]) -> Curve:
    """Answer a learner's questions; the pool is labelled by its vote, tests by a machine on those.

    Labels of the pool are the vote's, also where an answer says otherwise: a teacher's mistakes
    are not held against those who asked about them.
    """
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
        except Conflict:
            learner.skip(index)
            aside += 1
        if asked == budgets[len(train)]:
            labels = learner.predict(task.X)
            train.append(float(np.mean(labels != task.y)))
            test.append(_test_error(task, labels))
    return Curve(_padded(train, len(budgets)), _padded(test, len(budgets)), aside)


def soft_machine(task: Task, budgets: Sequence[int], seed: int) -> Curve:
    """Passive learning: a soft-margin machine on random labels."""
    X, X_test = _prepared(task)
    order = np.random.default_rng((seed, 2)).permutation(len(task.y))
    errors = [
        _errors(_machine(X[order[:n]], task.answers[order[:n]]), task, X, X_test) for n in budgets
    ]
    return _curve(errors)


def logistic_margin(task: Task, budgets: Sequence[int], seed: int) -> Curve:
    """Ask about the example that a logistic regression is least sure of; start at random."""
    X, X_test = _prepared(task)
    model = LogisticRegression(C=10.0, max_iter=1000)
    order = np.random.default_rng((seed, 2)).permutation(len(task.y))
    asked: list[int] = []
    errors = []
    for n in range(1, max(budgets) + 1):
        asked.append(_next(model, X, asked, order, task.answers))
        both = len(np.unique(task.answers[asked])) == 2
        if both:
            model.fit(X[asked], task.answers[asked])
        if n in budgets:
            errors.append(_errors(model if both else None, task, X, X_test))
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


def _test_error(task: Task, labels: Floats) -> float:
    """Return the error on test examples of a machine fitted to labels of the pool."""
    X, X_test = _prepared(task)
    return _errors(_machine(X, labels), task, X, X_test)[1]


def _errors(model: Any, task: Task, X: Any, X_test: Any) -> tuple[float, float]:
    """Return the errors of a model; without one everything is labelled -1."""
    if model is None:
        return float(np.mean(task.y > 0)), float(np.mean(task.y_test > 0))
    return (
        float(np.mean(model.predict(X) != task.y)),
        float(np.mean(model.predict(X_test) != task.y_test)),
    )


def _prepared(task: Task) -> tuple[Any, Any]:
    """Return the examples divided by the length of the longest."""
    longest = largest_norm(Pool(task.X))
    return task.X / longest, task.X_test / longest


def _curve(errors: Sequence[tuple[float, float]]) -> Curve:
    train, test = np.array(errors).T
    return Curve(train, test)


def _padded(values: Sequence[float], n: int) -> Floats:
    """Return n values; a learner that asks no more stays as it is."""
    return np.array([*values, *[values[-1] if values else np.nan] * (n - len(values))])
