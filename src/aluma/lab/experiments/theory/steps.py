"""IWAL and soft-SVM on W1A by a few gradient steps instead of their exact minimum (Section 6.3).

The paper says neither how it solved its convex programs nor when it stopped. These are the steps
that were usual then: Pegasos (Shalev-Shwartz, Singer and Srebro, 2007) for soft-SVM, and projected
stochastic gradient descent (Zinkevich, 2003) for the ball of IWAL.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from aluma.arrays import Floats, Ints
from aluma.geometry.logistic_ball import Loss
from aluma.lab.construct import construct
from aluma.lab.experiments import problems
from aluma.lab.paper_figures import IWAL_NORM, SOFT_SVM_REGULARIZATION, W1A_LONGEST
from aluma.learners.iwal import IWAL
from aluma.learners.passive import Passive
from aluma.prediction.soft_svm import soft_svm

#: Purpose of the draws of examples: a stream of its own.
STEPPING = 13


class Answers(NamedTuple):
    """Answers that a learner has, as its loss sees them.

    Attributes
    ----------
    asked : examples
    rows : them times their labels, on the scale of the learner
    weights : what each counts
    best : the exact minimiser
    """

    asked: Ints
    rows: Floats
    weights: Floats
    best: Floats


def by_few_steps(value: str, seed: int) -> dict[str, Any]:
    """Return what percentage of W1A is labelled wrong after "labels-passes" over the answers.

    "end" for the passes is the exact minimum. ``known`` counts answers as known, as all experiments
    do; the others are of the halfspace alone.
    """
    labels, _, passes = value.partition("-")
    course = _course(seed)
    found: dict[str, Any] = {}
    for name, answers in course.after(int(labels)).items():
        u = answers.best
        if passes != "end":
            rng = np.random.default_rng((seed, STEPPING))
            steps = descended if name == "iwal" else pegasos
            u = steps(answers, int(passes), rng)
        wrong = (course.problem.X @ u >= 0) != course.problem.positive
        found[name] = round(100 * float(wrong.mean()), 2)
        wrong[answers.asked] = False
        found[f"{name}_known"] = round(100 * float(wrong.mean()), 2)
    return found


def descended(answers: Answers, passes: int, rng: np.random.Generator) -> Floats:
    """Return the last of so many steps on the weighted logistic loss, in the ball.

    An example is drawn in proportion to its weight, so that slopes are at most 1, rows being no
    longer; the steps are the radius over the square root of their number.
    """
    radius, n, u = IWAL_NORM, len(answers.rows), np.zeros(answers.rows.shape[1])
    drawn = rng.choice(n, size=passes * n, p=answers.weights / answers.weights.sum())
    for t, i in enumerate(drawn.tolist(), start=1):
        row = answers.rows[i]
        u = u + radius / t**0.5 * expit(-float(row @ u)) * row
        u *= min(1.0, radius / max(float(np.linalg.norm(u)), 1e-300))
    return u


def pegasos(answers: Answers, passes: int, rng: np.random.Generator) -> Floats:
    """Return the last of so many steps of Pegasos on the regularised hinge loss."""
    penalty, n = SOFT_SVM_REGULARIZATION, len(answers.rows)
    u = np.zeros(answers.rows.shape[1])
    for t, i in enumerate(rng.integers(n, size=passes * n).tolist(), start=1):
        row = answers.rows[i]
        short = float(row @ u) < 1.0
        u = (1.0 - 1.0 / t) * u
        if short:
            u = u + row / (penalty * t)
        u *= min(1.0, penalty**-0.5 / max(float(np.linalg.norm(u)), 1e-300))
    return u


class Course:
    """Both learners on W1A, as in its experiment: they go on to as many labels as are asked for."""

    def __init__(self, seed: int) -> None:
        self.problem = problems.web_pages("all", seed)
        self.iwal = construct(IWAL, {"norm": IWAL_NORM}, self.problem, None, seed)
        self.passive = construct(Passive, {"predict_with": "soft_svm"}, self.problem, None, seed)

    def after(self, labels: int) -> dict[str, Answers]:
        """Return what both know after so many labels, soft-SVM by rows as they are and scaled."""
        for learner in (self.iwal, self.passive):
            while len(learner.history) < labels:
                example = learner.ask()
                learner.tell(example, self.problem.answer(example))
        return {
            "iwal": self._of_iwal(labels),
            "soft_svm": self._of_passive(labels, 1.0),
            "scaled": self._of_passive(labels, W1A_LONGEST),
        }

    def _of_iwal(self, labels: int) -> Answers:
        """Return weighted answers, with rows divided by the longest."""
        reading = self.iwal.history[labels - 1].mark
        signed = np.array(list(reading.weights.values()))
        asked = np.array(list(reading.weights), dtype=np.int64)
        rows = self.problem.X[asked].toarray() / W1A_LONGEST * np.sign(signed)[:, None]
        best = Loss(rows, np.abs(signed), IWAL_NORM).minimiser(np.zeros(rows.shape[1]))
        return Answers(asked, rows, np.abs(signed), best)

    def _of_passive(self, labels: int, longest: float) -> Answers:
        """Return answers that count alike, with rows divided by a length."""
        asked = self.passive.answered[:labels]
        signs = np.where(self.problem.positive[asked], 1.0, -1.0)
        rows = self.problem.X[asked].toarray() / longest
        best = soft_svm(rows, signs, SOFT_SVM_REGULARIZATION)
        return Answers(asked, rows * signs[:, None], np.ones(labels), best)


#: The next case is often of the same seed.
_course = lru_cache(maxsize=1)(Course)
