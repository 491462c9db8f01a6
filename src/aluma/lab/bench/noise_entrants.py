"""Who is measured on noisy pools, and how: ALuMA with slack, and what people would use instead."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from aluma.arrays import Bools
from aluma.lab import entrants
from aluma.lab.entrants import Entrant
from aluma.lab.paper_figures import SOFT_SVM_REGULARIZATION, Softness
from aluma.lab.play import Known
from aluma.lab.problem import CLASSES, Problem
from aluma.learners.learner import Learner


def by_machine(learner: Learner, problem: Problem, _known: Known) -> dict[str, float]:
    """Measure Algorithm 4: the vote labels the pool, and a machine fitted to that the tests."""
    labels = handed_over(learner, problem)
    return _errors(problem, labels, _predicted(_machine(problem.X, labels), problem.X_test))


def by_itself(learner: Learner, problem: Problem, _known: Known) -> dict[str, float]:
    """Measure a learner that labels the pool and the tests."""
    tests = learner.predict(problem.X_test) == CLASSES[1]
    return _errors(problem, handed_over(learner, problem), tests)


def handed_over(learner: Learner, problem: Problem) -> Bools:
    """Return the pool's labels, asked ones as answered; but a teacher's mistakes count for nobody.

    Otherwise those who ask would have their answers held against them where they are wrong.
    """
    labels = np.asarray(learner.predict(problem.X) == CLASSES[1])
    if problem.said is None:
        labels[learner.answered] = problem.positive[learner.answered]
    return labels


def _errors(problem: Problem, pool: Bools, tests: Bools) -> dict[str, float]:
    return {
        "train": float(np.mean(pool != problem.positive)),
        "test": float(np.mean(tests != problem.positive_test)),
    }


def _machine(X: Any, labels: Bools) -> LinearSVC | None:
    """Return a soft-margin machine, or None where all labels are the same."""
    if len(np.unique(labels)) < 2:
        return None
    C = 1 / (SOFT_SVM_REGULARIZATION * len(labels))
    return LinearSVC(C=C, dual=False, max_iter=5000).fit(X, labels)


def _predicted(machine: LinearSVC | None, X: Any) -> Bools:
    """Return a machine's labels; without one everything is negative."""
    if machine is None:
        return np.zeros(X.shape[0], dtype=bool)
    return np.asarray(machine.predict(X), dtype=bool)


#: Slack that is found as it is needed.
AUTO = Entrant("aluma-auto", "aluma", {"slack": "auto"}, measure=by_machine)
SOFT_SVM = replace(entrants.SOFT_SVM, measure=by_itself)
LOGISTIC = Entrant("logistic", "logistic_margin", {"C": 10.0}, measure=by_itself)
IWAL = replace(entrants.IWAL, measure=by_machine)


def lifted(slack: float) -> Entrant:
    """Return ALuMA with a slack that is known."""
    return Entrant("aluma-lifted", "aluma", {"slack": slack}, measure=by_machine)


def projected(softness: Softness) -> Entrant:
    """Return ALuMA on the lifted pool projected as in the paper: contradictions are set aside."""
    return Entrant("aluma-projected", "aluma", softness._asdict(), measure=by_machine)
