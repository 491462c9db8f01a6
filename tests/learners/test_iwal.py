"""IWAL: its probabilities against a general solver, its weights, and its predictions."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.stats import ttest_1samp

from aluma.geometry.logistic_ball import Loss
from aluma.learners.iwal import IWAL
from evidence import generator, holds

RNG = generator(4)
X = RNG.standard_normal((80, 3))
Y = np.where(X @ [1.0, -0.5, 0.2] + 0.3 * RNG.standard_normal(80) > 0, 1, -1)


def loss_of(seed: int, n: int, radius: float) -> Loss:
    rng = generator(seed)
    rows = rng.standard_normal((n, 4))
    rows *= np.where(rows[:, 0] + 0.5 * rng.standard_normal(n) > 0, 1, -1)[:, None]
    return Loss(rows, rng.uniform(1, 5, n), radius)


def best(function, start: np.ndarray, *constraints) -> float:
    """Return the least value of a function where the constraints are non-negative."""
    result = minimize(
        function,
        start,
        constraints=[{"type": "ineq", "fun": one} for one in constraints],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    return float(result.fun)


@pytest.mark.parametrize("radius", [0.5, 3.0, 30.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_minimum_is_that_of_a_general_solver(seed: int, radius: float) -> None:
    loss = loss_of(seed, 30, radius)
    u = loss.minimiser(np.zeros(4))
    assert np.linalg.norm(u) <= radius * (1 + 1e-12)
    found = best(loss.value, np.full(4, 0.01), lambda v: radius**2 - v @ v)
    assert loss.value(u) == pytest.approx(found, abs=2e-4)
    again = loss.minimiser(-0.9 * u)
    assert loss.value(again) == pytest.approx(loss.value(u), abs=2e-4)


@pytest.mark.parametrize("slack", [0.5, 10.0, 200.0])
@pytest.mark.parametrize("radius", [0.5, 3.0, 30.0])
def test_bounds_close_in_on_the_furthest_point(radius: float, slack: float) -> None:
    for seed in range(4):
        loss = loss_of(seed, 30, radius)
        x = generator(seed, 1).standard_normal(4)
        u = loss.minimiser(np.zeros(4))
        level = loss.value(u) + slack
        truth = -best(
            lambda v, x=x: -v @ x,
            0.5 * u,
            lambda v: radius**2 - v @ v,
            lambda v, loss=loss, level=level: level - loss.value(v),
        )
        lower, upper = zip(*loss.furthest(x, level, u), strict=True)
        assert max(lower) <= truth + 1e-5 * abs(truth)
        assert min(upper) >= truth - 1e-5 * abs(truth)
        assert min(upper) - max(lower) <= 1e-3 * abs(truth)


def test_sparse_rows_have_the_same_programs() -> None:
    rng = generator(7)
    rows = rng.standard_normal((60, 12)) * (rng.uniform(size=(60, 12)) < 0.2)
    dense = Loss(rows, rng.uniform(1, 5, 60), 5.0)
    thin = Loss(sparse.csr_array(rows), dense.weights, 5.0)
    u = dense.minimiser(np.zeros(12))
    np.testing.assert_allclose(thin.minimiser(np.zeros(12)), u, atol=1e-9)
    level = dense.value(u) + 3.0
    both = (list(loss.furthest(rows[0], level, u)) for loss in (dense, thin))
    np.testing.assert_allclose(*both, rtol=1e-6)


def test_separable_answers_are_pushed_to_the_sphere() -> None:
    rng = generator(0)
    rows = rng.standard_normal((50, 4))
    rows *= np.sign(rows[:, :1])
    loss = Loss(rows, np.ones(50), 10.0)
    u = loss.minimiser(np.zeros(4))
    assert np.linalg.norm(u) == pytest.approx(10.0, rel=1e-3)
    assert loss.value(u) < loss.value(0.9 * u)


def test_the_threshold_is_the_largest_difference_of_losses() -> None:
    learner = IWAL(X, classes=(-1, 1), norm=5.0, deviation=0.3)
    learner.tell(np.arange(30), Y[:30])
    scale = np.linalg.norm(X, axis=1).max()
    rows = X[:30] * Y[:30, None] / scale

    # Those that the order had come to weigh more than one, which differs between seeds.
    def total(v: np.ndarray) -> float:
        return float(learner.weights @ np.logaddexp(0, -rows @ v))

    def in_ball(v: np.ndarray) -> float:
        return 25.0 - float(v @ v)

    least = best(total, np.full(3, 0.01), in_ball)
    level = least + 0.3 * np.sqrt(learner.reading.rounds) * 5.0
    for i in (40, 55, 79):
        x = X[i] / scale
        low = best(lambda v, x=x: v @ x, np.zeros(3), in_ball, lambda v: level - total(v))
        high = -best(lambda v, x=x: -v @ x, np.zeros(3), in_ball, lambda v: level - total(v))
        losses = [np.logaddexp(0, -y * np.array([low, high])) for y in (-1, 1)]
        wanted = max(np.ptp(both) for both in losses) / 5.0
        assert learner.threshold(i) == pytest.approx(wanted, rel=0.02)


def test_at_first_an_example_is_asked_with_its_relative_length() -> None:
    learner = IWAL(X)
    sizes = np.linalg.norm(X, axis=1)
    for i in (0, 10, int(sizes.argmax())):
        assert learner.threshold(i) == pytest.approx(sizes[i] / sizes.max())


def test_weights_are_inverse_to_the_probability_of_asking() -> None:
    learner = IWAL(X, classes=(-1, 1), deviation=0.1)
    weights = []
    for _ in range(12):
        i = learner.ask()
        before = learner.fork()
        learner.tell(i, Y[i])
        weights.append(learner.weights[-1])
        assert weights[-1] >= 1
        assert len(learner.weights) == len(weights)
        # The threshold of the round is a little smaller than before the examples in between.
        assert weights[-1] == pytest.approx(1 / before.threshold(i), rel=0.2)
    assert max(weights) > 1.2
    learner.undo()
    np.testing.assert_array_equal(learner.weights, weights[:-1])


def test_what_is_told_out_of_turn_weighs_one_and_loses_its_turn() -> None:
    learner = IWAL(X, classes=(-1, 1), order=np.arange(80))
    question = learner.ask()
    other = question + 1
    learner.tell(other, Y[other])
    assert learner.weights.tolist() == [1.0]
    assert (learner.reading.place, learner.reading.rounds) == (0, 1)
    while learner.reading.place <= other:
        i = learner.ask()
        learner.tell(i, Y[i])
    assert learner.weights[0] == 1.0
    assert learner.reading.rounds == learner.reading.place


def test_a_known_label_counts_again_when_it_comes_again() -> None:
    order = np.tile(np.arange(10), 30)
    learner = IWAL(X[:10], classes=(-1, 1), order=order, norm=2.0)
    while not learner.finished:
        i = learner.ask()
        learner.tell(i, Y[i])
    reading = learner.reading
    # Every round adds 1 to the total weight, on average, whatever the probabilities are.
    total = sum(abs(weight) for weight in reading.weights.values())
    assert total == pytest.approx(reading.rounds, rel=0.5)


def test_the_weighted_loss_is_unbiased() -> None:
    """Weights minus rounds are a martingale: 0 on average, wherever the run ends."""

    def look(seed: int, more: int) -> float:
        excess = []
        for number in range(30 * more):
            learner = IWAL(X, classes=(-1, 1), deviation=0.1, random_state=1000 * seed + number)
            for _ in range(10):
                i = learner.ask()
                learner.tell(i, Y[i])
            excess.append(learner.weights.sum() - learner.reading.rounds)
        assert np.std(excess) > 0.3
        return ttest_1samp(excess, 0.0).pvalue

    holds(look)


def test_it_predicts_by_the_least_weighted_loss() -> None:
    learner = IWAL(X, classes=(-1, 1), norm=20.0)
    for _ in range(40):
        i = learner.ask()
        learner.tell(i, Y[i])
    scale = np.linalg.norm(X, axis=1).max()
    told = learner.answered
    loss = Loss(X[told] * Y[told, None] / scale, learner.weights, 20.0)
    u = loss.minimiser(np.zeros(3))
    new = generator(0).standard_normal((300, 3))
    clear = np.abs(new @ u) > 0.02 * np.linalg.norm(u)
    np.testing.assert_array_equal(learner.predict(new)[clear], np.where(new @ u > 0, 1, -1)[clear])
    assert (learner.predict() == Y).mean() > 0.9


def test_a_smaller_constant_asks_less() -> None:
    read = []
    for deviation in (2.0, 0.02):
        learner = IWAL(X, classes=(-1, 1), deviation=deviation)
        for _ in range(15):
            i = learner.ask()
            learner.tell(i, Y[i])
        read.append(learner.reading.place)
    assert read[1] > read[0]


@pytest.mark.parametrize("name", ["norm", "deviation"])
@pytest.mark.parametrize("wrong", [0.0, -1.0, np.inf, np.nan])
def test_wrong_constants_are_refused(name: str, wrong: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be positive and finite"):
        IWAL(X, **{name: wrong})


def test_a_kernel_bends_its_boundary() -> None:
    rng = generator(2)
    rows = rng.uniform(-1, 1, size=(200, 2))
    inside = np.where((rows**2).sum(axis=1) < 0.5, 1, -1)
    right = {}
    for kernel in (None, "rbf"):
        learner = IWAL(rows, classes=(-1, 1), bias=True, kernel=kernel, budget=60)
        for _ in range(60):
            i = learner.ask()
            learner.tell(i, inside[i])
        new = rng.uniform(-1, 1, size=(300, 2))
        truth = np.where((new**2).sum(axis=1) < 0.5, 1, -1)
        right[kernel] = (learner.predict(new) == truth).mean()
    assert right["rbf"] > 0.85 > right[None]
