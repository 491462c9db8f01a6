"""The least slack that answers need."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from aluma.representation import smallest_slack


def second_opinion(walls: np.ndarray, margin: float) -> float:
    """Minimise the squared hinge loss over the ball by sequential quadratic programming."""
    best = np.inf
    for seed in range(3):
        start = np.random.default_rng(seed).standard_normal(walls.shape[1])
        found = minimize(
            lambda w: (np.maximum(0, margin - walls @ w) ** 2).sum(),
            start / np.linalg.norm(start),
            jac=lambda w: -2 * np.maximum(0, margin - walls @ w) @ walls,
            constraints={"type": "ineq", "fun": lambda w: 1 - w @ w, "jac": lambda w: -2 * w},
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 500},
        )
        best = min(best, found.fun)
    return best


@pytest.mark.parametrize(("t", "d"), [(10, 3), (40, 5), (12, 12), (8, 20), (1, 4)])
@pytest.mark.parametrize("margin", [0.01, 0.1, 0.9])
def test_it_is_the_minimum_over_the_ball(t: int, d: int, margin: float) -> None:
    walls = np.random.default_rng(t * d).standard_normal((t, d))
    walls /= np.linalg.norm(walls, axis=1).max()
    found = smallest_slack(walls, margin)
    assert found.slack == pytest.approx(second_opinion(walls, margin), rel=1e-5, abs=1e-9)
    assert (found.losses**2).sum() == pytest.approx(found.slack)


def test_separable_answers_need_none_and_it_is_exactly_zero() -> None:
    walls = np.array([[1.0, 0.0], [0.8, 0.1]])
    assert smallest_slack(walls, 0.5).slack == 0.0


def test_a_contradiction_costs_the_margin_twice() -> None:
    """x with + and with -: whatever w, the losses are margin + s and margin - s."""
    walls = np.array([[1.0, 0.0], [-1.0, 0.0]])
    assert smallest_slack(walls, 0.3).slack == pytest.approx(2 * 0.3**2)


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_more_answers_and_more_margin_never_need_less(seed: int) -> None:
    rng = np.random.default_rng(seed)
    walls = rng.uniform(-0.5, 0.5, (12, 4))
    few, all_ = smallest_slack(walls[:8], 0.1).slack, smallest_slack(walls, 0.1).slack
    assert few <= all_ * (1 + 1e-5) + 1e-12
    assert all_ <= smallest_slack(walls, 0.2).slack * (1 + 1e-5) + 1e-12


def test_a_margin_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="above 0"):
        smallest_slack(np.eye(2), 0.0)


def test_rows_that_are_all_alike_are_no_trouble() -> None:
    """Beside many of them the smallest penalty is lost in rounding, and the matrix is singular."""
    walls = np.full((4096, 2), 0.5)
    walls[:1024] *= -1
    # w = s (1, 1) / sqrt(2): a quarter loses margin + c and the others margin - c, with c <= half
    # of sqrt(2); the best c is half of the margin.
    found = smallest_slack(walls, 0.25)
    assert found.slack == pytest.approx(1024 * 0.375**2 + 3072 * 0.125**2)
