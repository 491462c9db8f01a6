"""The settled rule: every fourth question is greedy, and the bounds hold with those alone counted.

All exact: labelings of small pools with their probabilities. Between greedy questions the worst
possible are asked, so whatever is asked there instead does no worse in the argument.
"""

import numpy as np
import pytest

from aluma import bounds
from aluma.lab.experiments.theory.labelings import (
    Labelings,
    of_octahedron,
    of_plane,
    of_space,
    of_thresholds,
)
from aluma.lab.experiments.theory.optimum import (
    Optimum,
    asked_about,
    follow_greedy,
    positive_shares,
    reductions,
)
from aluma.strategies.split import SPLIT_EVERY, Split

RNG = np.random.default_rng(3)
POOLS = {
    "line": of_thresholds(np.arange(1, 16) / 16),
    "crowded line": of_thresholds(np.sort(RNG.uniform(size=40) ** 3)),
    "plane": of_plane(RNG.standard_normal((10, 2))),
    "space": of_space(RNG.standard_normal((7, 3))),
    "octahedron": of_octahedron(4),
}
pools = pytest.mark.parametrize("pool", POOLS.values(), ids=POOLS.keys())


def reduction_bound(pool: Labelings, questions: int, every: int) -> np.ndarray:
    """Return what Golovin and Krause's inequality promises of f_avg after 0, 1, ... questions."""
    best = 1 - float((pool.probability**2).sum())
    greedy = -(-np.arange(questions + 1) // every)
    return np.asarray(best * -np.expm1(-greedy / Optimum(pool).depth()))


def test_the_learner_is_greedy_every_fourth_time() -> None:
    strategy = Split(1.05, 0.05)
    assert [strategy.settled(n) > 0 for n in range(9)] == [n % SPLIT_EVERY > 0 for n in range(9)]
    assert not any(Split(1.0, 0.05).settled(n) for n in range(9))


@pools
@pytest.mark.parametrize("every", [1, 2, SPLIT_EVERY])
def test_the_version_space_shrinks_as_greedy_questions_let_it(pool: Labelings, every: int) -> None:
    found = reductions(pool, 40, every)
    assert (found >= reduction_bound(pool, 40, every) - 1e-12).all()
    assert (np.diff(found) >= -1e-12).all()


def test_counting_every_question_would_be_wrong() -> None:
    """The control: the bound without the factor breaks."""
    pool = POOLS["line"]
    found = reductions(pool, 40, SPLIT_EVERY)
    assert (found < reduction_bound(pool, 40, 1) - 0.05).any()


@pools
def test_the_vote_is_right_within_the_budget(pool: Labelings) -> None:
    found, best = follow_greedy(pool, SPLIT_EVERY), Optimum(pool).depth()
    promised = [
        bounds.budget(best, probability=p, alpha=1, greedy_every=SPLIT_EVERY)
        for p in pool.probability
    ]
    assert (found.vote <= promised).all()
    assert found.certain.max() > follow_greedy(pool).certain.max()


def test_purity_is_as_bounded() -> None:
    """Corollary 31 on a line where one labeling has half of the probability."""
    pool, target = of_thresholds(np.append(np.linspace(0, 0.5, 9)[1:], 1 - 1e-9)), 8
    best = Optimum(pool).depth()
    for t in range(60):
        assert bounds.quotient(t, 1, best, 0.5, greedy_every=4) <= purity_after(pool, target, t, 4)


def purity_after(pool: Labelings, target: int, t: int, every: int) -> float:
    """Return P(h) / P(V_t) for a target."""
    space = np.arange(len(pool.signs))
    for asked in range(t):
        x = asked_about(positive_shares(pool, space), greedy=asked % every == 0)
        space = space[pool.signs[space, x] == pool.signs[target, x]]
    return float(pool.probability[target] / pool.probability[space].sum())
