"""Passive learning: its order, and the soft-margin machine against a general solver."""

import numpy as np
import pytest
from scipy.optimize import minimize

from aluma.learners.passive import Passive
from aluma.prediction.soft_svm import soft_svm
from evidence import generator

RNG = generator(6)
X = RNG.standard_normal((60, 3))
Y = np.where(X @ [1.0, -0.5, 0.2] + 0.5 * RNG.standard_normal(60) > 0, 1, -1)


def objective(w: np.ndarray, rows: np.ndarray, signs: np.ndarray, regularization: float) -> float:
    return float(regularization / 2 * w @ w + np.maximum(0, 1 - signs * (rows @ w)).mean())


@pytest.mark.parametrize("regularization", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("n", [1, 2, 7, 60])
def test_the_machine_is_the_minimum(n: int, regularization: float) -> None:
    rows, signs = X[:n], Y[:n].astype(float)
    w = soft_svm(rows, signs, regularization)
    found = objective(w, rows, signs, regularization)

    def joint(z: np.ndarray) -> float:
        return float(regularization / 2 * z[:3] @ z[:3] + z[3:].mean())

    start = np.concatenate([np.zeros(3), np.ones(n)])
    constraints = [
        {"type": "ineq", "fun": lambda z: z[3:] - 1 + signs * (rows @ z[:3])},
        {"type": "ineq", "fun": lambda z: z[3:]},
    ]
    best = minimize(joint, start, constraints=constraints, method="SLSQP").fun
    assert found <= best * 1.001 + 1e-6


def test_one_class_is_enough() -> None:
    w = soft_svm(X[:5], np.ones(5), 0.1)
    np.testing.assert_allclose(w, -soft_svm(X[:5], -np.ones(5), 0.1), atol=1e-6)
    assert np.linalg.norm(w) > 0
    assert not soft_svm(X[:0], np.ones(0), 0.1).any()


def test_predictions_are_those_of_the_machine() -> None:
    learner = Passive(X, classes=(-1, 1), predict_with="soft_svm", regularization=0.05)
    for _ in range(40):
        i = learner.ask()
        learner.tell(i, Y[i])
    told = learner.answered
    w = soft_svm(X[told], Y[told].astype(float), 0.05)
    new = generator(0).standard_normal((200, 3))
    np.testing.assert_array_equal(learner.predict(new), np.where(new @ w >= 0, 1, -1))
    learner.undo()
    assert learner.n_answers == 39


def test_a_wrong_regularization_is_refused() -> None:
    for wrong in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="regularization must be positive"):
            Passive(X, regularization=wrong)


def test_a_random_hypothesis_is_one_of_the_population() -> None:
    clean = np.where(X @ [1.0, -0.5, 0.2] > 0, 1, -1)
    learner = Passive(X, classes=(-1, 1), predict_with="random", n_hypotheses=256)
    learner.tell(np.arange(10), clean[:10])
    first = learner.population.hypotheses()[0]
    np.testing.assert_array_equal(learner.predict(X), np.where(X @ first >= 0, 1, -1))


def test_an_order_is_kept_without_its_repetitions() -> None:
    learner = Passive(X, order=[5, 1, 5, 2], predict_with="svm")
    assert learner.ask(3).tolist() == [5, 1, 2]
    for wrong, error in (([60], IndexError), ([], ValueError), ([0.5], TypeError)):
        with pytest.raises(error, match="order"):
            Passive(X, order=wrong)
