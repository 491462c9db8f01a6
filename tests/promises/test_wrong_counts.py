"""Bounds on the count of wrong labels, held against every possible course of an audit.

For small sets the probability that a bound ever fails is computed exactly, over all orders in which
labels can be checked: nothing is sampled, so nothing can be lucky.
"""

from collections.abc import Callable
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import hypergeom

from aluma.promises import wrong_counts
from aluma.promises.wrong_counts import UniformChecks, WeightedChecks


def chance_of_ever(n: int, wrong: int, fails) -> float:
    """Return the probability that ``fails(checked, found)`` is ever true, checks being uniform.

    A course is a path (checked, found); those that have failed are taken out.
    """
    alive, failed = {0: 1.0}, 0.0
    for checked in range(n + 1):
        after: dict[int, float] = {}
        for found, weight in alive.items():
            if fails(checked, found):
                failed += weight
                continue
            if checked < n:
                hit = (wrong - found) / (n - checked)
                for more, chance in ((1, hit), (0, 1 - hit)):
                    if chance > 0:
                        after[found + more] = after.get(found + more, 0.0) + weight * chance
        alive = after
    return failed


@pytest.mark.parametrize("delta", [0.05, 0.3])
@pytest.mark.parametrize(("n", "goal"), [(1, 0), (2, 0), (7, 1), (20, 1), (40, 2)])
def test_uniform_bounds_fail_with_delta_at_most_however_often_one_looks(
    n: int, goal: int, delta: float
) -> None:
    checks = UniformChecks(n, goal, delta)
    worst = 0.0
    for wrong in range(n + 1):
        above = chance_of_ever(n, wrong, lambda t, k, w=wrong: checks.most(t, k) < w)
        below = chance_of_ever(n, wrong, lambda t, k, w=wrong: checks.least(t, k) > w)
        assert above <= delta + 1e-12
        assert below <= delta + 1e-12
        worst = max(worst, above)
    if n >= 20:
        # Not by being empty: where it matters most of delta is used.
        assert worst > delta / 4


def test_a_bound_for_one_look_fails_when_one_looks_often() -> None:
    """The control: what is right for a number of checks fixed beforehand is not at any time."""
    n, wrong, delta = 60, 12, 0.05

    def one_look(checked: int, found: int) -> bool:
        # Rejects the true count if so few wrong ones had a chance of delta or less.
        return bool(hypergeom.cdf(found, n, wrong, checked) <= delta)

    assert chance_of_ever(n, wrong, one_look) > 2 * delta
    checks = UniformChecks(n, 3, delta)
    assert chance_of_ever(n, wrong, lambda t, k: checks.most(t, k) < wrong) <= delta


def _bounds_of(checks: WeightedChecks) -> Callable[[tuple[float, ...]], tuple[float, float]]:
    return lambda seen: (checks.least(np.array(seen)), checks.most(np.array(seen)))


@pytest.mark.parametrize(
    ("weights", "delta"),
    [((1, 1, 1, 1), 0.3), ((1, 2, 3, 4), 0.3), ((1, 1, 1, 20), 0.45), ((1, 2, 2, 3, 9), 0.25)],
)
def test_weighted_bounds_fail_with_delta_at_most_for_every_labelling(
    weights: tuple[int, ...], delta: float
) -> None:
    """All orders of drawing, all sets of wrong labels: helpful, useless and adversarial weights."""
    rates, n = np.array(weights, dtype=float), len(weights)
    courses = []
    for order in permutations(range(n)):
        drawn = rates[list(order)]
        chance = float(np.prod(drawn / np.cumsum(drawn[::-1])[::-1]))
        checks = WeightedChecks(drawn, delta)
        courses.append((list(order), chance, cache(_bounds_of(checks))))
    assert sum(chance for _, chance, _ in courses) == pytest.approx(1)
    for code in range(2**n):
        wrong = np.array([code >> bit & 1 for bit in range(n)], dtype=float)
        failed = [0.0, 0.0]
        for order, chance, checks in courses:
            looks = [checks(tuple(wrong[order[:t]])) for t in range(n + 1)]
            failed[0] += chance * any(most < wrong.sum() for _, most in looks)
            failed[1] += chance * any(least > wrong.sum() for least, _ in looks)
        assert max(failed) <= delta + 1e-12


def test_weights_that_are_all_alike_cost_about_what_uniform_draws_do() -> None:
    n = 2000
    uniform, weighted = UniformChecks(n, 100, 0.05), WeightedChecks(np.ones(n), 0.05)
    for checked, found in ((60, 0), (120, 1), (400, 8)):
        outcomes = np.zeros(checked)
        outcomes[checked // 2 : checked // 2 + found] = 1
        assert weighted.most(outcomes) <= 1.6 * uniform.most(checked, found)
        assert weighted.least(outcomes) <= found + n * 0.06


@pytest.mark.parametrize(("n", "checked", "wrong"), [(150, 40, 0), (190, 90, 7), (200, 199, 20)])
def test_exact_and_floating_arithmetic_agree(
    n: int, checked: int, wrong: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = UniformChecks(n, 8, 0.05)
    found = exact.most(checked, wrong), exact.least(checked, wrong)
    monkeypatch.setattr(wrong_counts, "EXACT", 0)
    floating = UniformChecks(n, 8, 0.05)
    assert (floating.most(checked, wrong), floating.least(checked, wrong)) == found


def test_bounds_are_possible_counts_and_meet_when_everything_is_checked() -> None:
    for n in (1, 5, 250, 3000):
        checks = UniformChecks(n, n // 20, 0.05)
        for wrong in {0, 1, n // 3, n}:
            assert checks.most(n, wrong) == checks.least(n, wrong) == wrong
        assert checks.most(0, 0) == n
        assert checks.least(0, 0) == 0
        half = n // 2
        for wrong in {0, half // 4, half}:
            least, most = checks.least(half, wrong), checks.most(half, wrong)
            assert wrong <= least <= most <= n - (half - wrong)
