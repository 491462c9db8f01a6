"""Stochastic gradient steps come near the exact minimum, and stay where they are allowed to."""

import numpy as np

from aluma.geometry.logistic_ball import Loss
from aluma.lab.experiments.theory.steps import Answers, descended, pegasos
from aluma.lab.paper_figures import IWAL_NORM, SOFT_SVM_REGULARIZATION
from aluma.prediction.soft_svm import soft_svm
from evidence import generator


def answers() -> Answers:
    """Return noisy answers about rows that are no longer than 1."""
    rng = generator(3)
    X = rng.standard_normal((60, 3))
    X /= np.linalg.norm(X, axis=1).max()
    signs = np.where(X[:, 0] + 0.2 * rng.standard_normal(60) > 0, 1.0, -1.0)
    return Answers(np.arange(60), X * signs[:, None], rng.uniform(1, 4, 60), np.zeros(3))


def test_steps_in_the_ball_come_near_the_least_weighted_loss() -> None:
    told = answers()
    loss = Loss(told.rows, told.weights, IWAL_NORM)
    u = descended(told, 200, generator(0))
    assert np.linalg.norm(u) <= IWAL_NORM * (1 + 1e-12)
    least, start = loss.value(loss.minimiser(np.zeros(3))), loss.value(np.zeros(3))
    assert loss.value(u) - least < 0.05 * (start - least)


def test_pegasos_comes_near_the_support_vector_machine() -> None:
    told = answers()

    def objective(u: np.ndarray) -> float:
        hinge = np.maximum(0.0, 1.0 - told.rows @ u).mean()
        return float(SOFT_SVM_REGULARIZATION / 2 * u @ u + hinge)

    least = objective(soft_svm(told.rows, np.ones(60), SOFT_SVM_REGULARIZATION))
    found = objective(pegasos(told, 500, generator(0)))
    assert found - least < 0.1 * (1.0 - least)
