"""The bounds: values worked out by hand, monotonicity, and the inequalities they claim."""

import doctest
import itertools
import math
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import nnls
from scipy.stats import binom

from aluma import bounds

Floats = NDArray[np.floating[Any]]

PAGE = Path(__file__).parents[1] / "docs" / "bounds.md"
FALSE_ALARM = 1e-6

margins = st.floats(1e-6, 1)
dimensions = st.integers(1, 500)
log_probabilities = st.floats(-1000, 0)
optima = st.floats(1, 1e4)
alphas = st.floats(1, 10)
deltas = st.floats(1e-9, 0.99)
lambdas = st.floats(1e-6, 0.999 * bounds.LARGEST_LAMBDA)
shares = st.floats(0, 0.5)


def max_margin(signed: Floats) -> float:
    """Largest min_i <v, z_i>/|z_i| over unit v, exactly (Lawson and Hanson's LDP by NNLS)."""
    unit = signed / np.linalg.norm(signed, axis=1, keepdims=True)
    n, d = unit.shape
    target = np.append(np.zeros(d), 1.0)
    matrix = np.vstack([unit.T, np.ones(n)])
    residual = matrix @ nnls(matrix, target)[0] - target
    w = -residual[:d] / residual[d]
    assert np.min(unit @ w) == pytest.approx(1, abs=1e-7)
    return float(1 / np.linalg.norm(w))


# Values worked out by hand.


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (bounds.budget(10, probability=0.25), math.ceil(200 * math.log(2))),
        (bounds.budget(10, log_probability=math.log(0.25)), 139),
        (bounds.budget(5, margin=0.5, dimension=3), math.ceil(260 * math.log(2))),
        (bounds.budget(1, probability=0.5, alpha=1, beta=0.75), math.ceil(math.log(12))),
        (bounds.budget(1, probability=1), 3),
        (bounds.sample_size(0.05, 1 / 64, 100, 1000), math.ceil(2048 * math.log(1.6e7))),
        (bounds.vote_size(0.05), 266),
        (bounds.projection_dimension(1, 0, 1, 0.5), math.ceil(12 * math.log(4))),
        (bounds.projection_dimension(1, 1, 10, 0.1), math.ceil(1029 / 17 * math.log(200))),
        (bounds.cal_octahedron(3), 2),
        (bounds.cal_octahedron(10), 45),
        (bounds.cal_octahedron(15), 994),
    ],
)
def test_whole_values(got: int, expected: int) -> None:
    assert isinstance(got, int)
    assert got == expected


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (bounds.volume_lower_bound(0.5, 3), 1 / 64),
        (bounds.log_volume_lower_bound(0.5, 3), -6 * math.log(2)),
        (bounds.grid_margin(1 / 3, 1), 1 / 27),
        (bounds.grid_margin(0.5, 4), 4.0**-6),
        (bounds.log_grid_margin(0.5, 4), -12 * math.log(2)),
        (bounds.lifted_margin(0.2, 0), 0.1),
        (bounds.lifted_margin(0.2, 4), 0.2 / 6),
        (bounds.lifted_margin(0.2, 4, projected=False), 0.2 / 3),
        (bounds.quotient(0, 1, 1, 1), 0.5),
        (bounds.quotient(6, 3, 2, 0.5), 0.25 / (math.exp(-1) + 0.25)),
        (bounds.greedy_factor(0.5, 1 / 64), 1 / (4 * (0.25 - 1 / 1024))),
        (bounds.smallest_verified_split(1 / 64), 0.08599759971),
        (bounds.smallest_verified_split(1 / 2 / math.sqrt(32)), 0.5 - 1 / math.sqrt(32)),
    ],
)
def test_real_values(got: float, expected: float) -> None:
    assert got == pytest.approx(expected, rel=1e-9)


def test_logarithms_survive_where_the_values_underflow() -> None:
    assert bounds.volume_lower_bound(0.1, 784) == 0
    assert bounds.grid_margin(1 / 255, 784) == 0
    assert bounds.log_volume_lower_bound(0.1, 784) == pytest.approx(784 * math.log(0.05))
    assert bounds.log_grid_margin(1 / 255, 784) == pytest.approx(-786 * math.log(255 * 28))
    assert bounds.budget(10, margin=0.1, dimension=784) == math.ceil(
        80 * 784 * math.log(20) + 40 * math.log(2)
    )
    assert bounds.quotient(0, 4, 10, log_probability=-2000) == 0
    assert bounds.quotient(10**9, 4, 10, log_probability=-2000) == 1


# Monotonicity and consistency.


@given(margins, margins, dimensions, optima)
def test_a_larger_margin_needs_no_more_labels(a: float, b: float, d: int, opt: float) -> None:
    low, high = sorted((a, b))
    assert bounds.budget(opt, margin=low, dimension=d) >= bounds.budget(
        opt, margin=high, dimension=d
    )
    assert bounds.volume_lower_bound(low, d) <= bounds.volume_lower_bound(high, d)
    assert bounds.projection_dimension(low, 1, 50, 0.1) >= bounds.projection_dimension(
        high, 1, 50, 0.1
    )


@given(log_probabilities, st.floats(0.501, 0.999), optima, alphas)
def test_the_budget_reaches_the_purity_and_no_less_does(
    log_p: float, beta: float, opt: float, alpha: float
) -> None:
    labels = bounds.budget(opt, log_probability=log_p, alpha=alpha, beta=beta)
    assert bounds.quotient(labels, alpha, opt, log_probability=log_p) >= beta - 1e-9
    assert bounds.quotient(labels - 1, alpha, opt, log_probability=log_p) < beta + 1e-9


@given(st.integers(0, 10**5), log_probabilities, optima, alphas)
def test_purity_grows_with_queries(t: int, log_p: float, opt: float, alpha: float) -> None:
    now, later = (bounds.quotient(n, alpha, opt, log_probability=log_p) for n in (t, t + 1))
    assert 0 <= now <= later <= 1


@given(st.integers(1, 50), st.integers(1, 100))
def test_grid_margin_falls_with_refinement_and_dimension(n: int, d: int) -> None:
    here = bounds.log_grid_margin(1 / n, d)
    assert bounds.log_grid_margin(1 / (n + 1), d) < here <= 0
    assert bounds.log_grid_margin(1 / n, d + 1) < here
    assert bounds.grid_margin(1 / n, d) == pytest.approx(math.exp(here), rel=1e-9)


@given(margins, st.floats(0, 100), st.floats(0, 100), st.integers(1, 10**6), deltas)
def test_slack_costs_margin_and_dimensions(
    margin: float, a: float, b: float, m: int, delta: float
) -> None:
    low, high = sorted((a, b))
    assert bounds.lifted_margin(margin, low) >= bounds.lifted_margin(margin, high)
    k = bounds.projection_dimension(margin, high, m, delta)
    assert bounds.projection_dimension(margin, low, m, delta) <= k
    assert bounds.projection_dimension(margin, high, m + 1, delta) >= k
    assert k <= math.ceil(48 * (high + 1) * math.log(2 * m / delta) / margin**2)


@given(deltas, deltas, lambdas, st.integers(1, 1000), st.integers(1, 10**6))
def test_more_confidence_needs_more_hypotheses(
    a: float, b: float, lam: float, rounds: int, m: int
) -> None:
    low, high = sorted((a, b))
    assert bounds.vote_size(low) >= bounds.vote_size(high)
    k = bounds.sample_size(low, lam, rounds, m)
    assert k >= bounds.sample_size(high, lam, rounds, m)
    assert 2 * rounds * m * math.exp(-2 * k * lam**2) <= low / 4 * (1 + 1e-9)


# Lemma 8: P(h) >= (gamma / 2)^d.


@given(st.lists(st.floats(-1.5, 1.5), min_size=1, max_size=12))
def test_volume_bound_in_the_plane(angles: list[float]) -> None:
    # Signed examples at these angles leave the w within pi/2 of all of them: an exact wedge.
    width = math.pi - (max(angles) - min(angles))
    signed = np.column_stack([np.cos(angles), np.sin(angles)])
    assert max_margin(signed) == pytest.approx(math.sin(width / 2), rel=1e-6)
    assert width / (2 * math.pi) >= bounds.volume_lower_bound(math.sin(width / 2), 2)


def test_volume_bound_in_space() -> None:
    """Monte Carlo at 5 standard errors: false alarm below 3e-7 a pool, one-sided, 30 pools."""
    rng = np.random.default_rng(0)
    draws = rng.standard_normal((100_000, 3))
    for size in (4, 8, 16):
        for _ in range(10):
            pool, target = rng.standard_normal((size, 3)), rng.standard_normal(3)
            signed = pool * np.sign(pool @ target)[:, None]
            share = np.mean(np.all(draws @ signed.T > 0, axis=1))
            bound = bounds.volume_lower_bound(max_margin(signed), 3)
            assert share >= bound - 5 * math.sqrt(bound / len(draws))


def test_volume_check_in_space_can_fail() -> None:
    # A cone around e3 whose walls touch a cap of half-angle rho has margin exactly sin(rho).
    rho, turns = 0.5, np.arange(8) * math.pi / 4
    walls = np.column_stack(
        [math.cos(rho) * np.cos(turns), math.cos(rho) * np.sin(turns), np.full(8, math.sin(rho))]
    )
    assert max_margin(walls) == pytest.approx(math.sin(rho))
    draws = np.random.default_rng(1).standard_normal((100_000, 3))
    share = np.mean(np.all(draws @ walls.T > 0, axis=1))
    assert bounds.volume_lower_bound(math.sin(rho), 3) < share < math.sin(rho) ** 3


# Lemma grid.


@pytest.mark.parametrize("n", range(1, 9))
def test_grid_margin_in_the_plane(n: int) -> None:
    # More examples leave smaller cones, so the full grid has the smallest margin of all pools.
    points = [p for p in itertools.product(range(-n, n + 1), repeat=2) if p != (0, 0)]
    walls = np.unique(np.round([math.atan2(y, x) % math.pi for x, y in points], 12))
    gaps = np.diff(np.append(walls, walls[0] + math.pi))
    smallest = math.sin(gaps[gaps > 1e-9].min() / 2)
    sharp = bounds.grid_margin(1 / n, 2) / (1 / n) ** 2
    assert bounds.grid_margin(1 / n, 2) <= sharp <= smallest
    assert sharp == pytest.approx(1 / (2 * (math.sqrt(2) * n) ** 2))


def test_grid_margin_in_space() -> None:
    pool = np.array([p for p in itertools.product((-1.0, 0, 1), repeat=3) if any(p)])
    rng = np.random.default_rng(2)
    signs = {tuple(np.sign(pool @ rng.standard_normal(3))) for _ in range(300)}
    smallest = min(max_margin(pool * np.array(s)[:, None]) for s in signs)
    assert bounds.grid_margin(1, 3) <= smallest < 10 * bounds.grid_margin(1, 3)


# The run-time check of Algorithm 2.


def worst_factor(q: float, best: float, lam: float, steps: int = 41) -> float:
    """Largest ratio of split products over all volume shares within 2 lambda of the votes."""

    def products(vote: float) -> Floats:
        p = np.linspace(max(0.0, vote - 2 * lam), min(1.0, vote + 2 * lam), steps)
        return p * (1 - p)

    most = max(float(products(v).max()) for v in np.linspace(0, best, steps))
    # The ratio is unbounded where the chosen example may not split at all.
    least = float(products(q).min())
    return most / least if least > 0 else math.inf


@pytest.mark.parametrize("lam", [1e-3, 1 / 64, 1 / 24, 0.1, 0.17])
def test_verified_factor_against_brute_force(lam: float) -> None:
    outcomes = set()
    for q in np.linspace(0, 0.5, 51):
        worst = worst_factor(q, q, lam)
        verified = bounds.verified_factor(q, lam)
        outcomes.add(verified)
        # Passing rules every counterexample out; failing means that one exists.
        assert worst <= 2 if verified else worst > 1.99
        assert bounds.greedy_factor(q, lam) == pytest.approx(worst, rel=1e-2)
    assert outcomes == {True, False}


@given(shares, shares, lambdas)
def test_a_choice_that_is_not_the_most_even(a: float, b: float, lam: float) -> None:
    q, best = sorted((a, b))
    factor = bounds.greedy_factor(q, lam, best=best)
    assert factor >= bounds.greedy_factor(q, lam)
    assert factor >= worst_factor(q, best, lam, steps=11) * (1 - 1e-9)
    assert bounds.verified_factor(q, lam, best=best) == (factor <= 2)


@given(lambdas)
def test_smallest_verified_split_is_where_the_check_turns(lam: float) -> None:
    q = bounds.smallest_verified_split(lam)
    assert 2 * lam < q <= 0.5
    assert bounds.verified_factor(min(0.5, q * (1 + 1e-9)), lam)
    assert not bounds.verified_factor(q * (1 - 1e-9), lam)


def test_algorithm_2_keeps_its_factor_with_the_drawn_votes() -> None:
    """Fails by chance with probability delta/4 a round at most; false alarm below 1e-6."""
    rng = np.random.default_rng(3)
    delta, lam, m, rounds = 0.2, 1 / 64, 40, 400
    k = bounds.sample_size(delta, lam, 1, m)
    failures = verified = 0
    for _ in range(rounds):
        p = rng.uniform(0, 0.3, m)
        drift = rng.choice([-lam, lam], m)
        votes = rng.binomial(k, np.clip(p + drift, 0, 1)) / k
        evenness = np.minimum(votes, 1 - votes)
        chosen = int(np.argmax(evenness))
        if bounds.verified_factor(float(evenness[chosen]), lam):
            verified += 1
            failures += bool(2 * p[chosen] * (1 - p[chosen]) < np.max(p * (1 - p)))
    assert verified > rounds / 2
    assert failures <= binom.isf(FALSE_ALARM, verified, delta / 4)


# The constant of the random projection.


def signs(rng: np.random.Generator, k: int, n: int) -> Floats:
    return (2.0 * rng.integers(0, 2, (k, n)) - 1) / math.sqrt(k)


@pytest.mark.parametrize("support", [2, 3, 64])
@pytest.mark.parametrize(("k", "tau"), [(10, 0.9), (40, 0.5), (160, 0.25)])
def test_tails_of_projected_norms(support: int, k: int, tau: float) -> None:
    """Two one-sided binomial tests, 18 in all: false alarm below 2e-5 together."""
    rng = np.random.default_rng(4)
    u = np.full(support, support**-0.5)
    trials = 4000
    norms = np.array([np.sum((signs(rng, k, support) @ u) ** 2) for _ in range(trials)])
    bound = math.exp(-k * (tau**2 / 2 - tau**3 / 3) / 2)
    assert np.sum(norms >= 1 + tau) <= binom.isf(FALSE_ALARM, trials, bound)
    assert np.sum(norms <= 1 - tau) <= binom.isf(FALSE_ALARM, trials, bound)


def projection_failures(eta: float, m: int, k: int, trials: int, n: int = 30) -> int:
    """How often a random projection of a pool at cosine eta to w loses half of its margin."""
    rng = np.random.default_rng(5)
    failures = 0
    for _ in range(trials):
        w = rng.standard_normal(n)
        w /= np.linalg.norm(w)
        across = rng.standard_normal((m, n))
        across -= np.outer(across @ w, w)
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        matrix = signs(rng, k, n)
        pool = (eta * w + math.sqrt(1 - eta**2) * across) @ matrix.T
        seen = matrix @ w
        cosines = pool @ seen / (np.linalg.norm(pool, axis=1) * np.linalg.norm(seen))
        failures += bool(cosines.min() < eta / 2)
    return failures


@pytest.mark.parametrize(("margin", "slack"), [(0.3, 0.0), (0.8, 1.0), (0.9, 0.0)])
def test_projection_keeps_half_the_margin(margin: float, slack: float) -> None:
    """One-sided binomial test, false alarm below 1e-6 each."""
    m, delta, trials = 50, 0.2, 150
    k = bounds.projection_dimension(margin, slack, m, delta)
    eta = bounds.lifted_margin(margin, slack, projected=False)
    assert projection_failures(eta, m, k, trials) <= binom.isf(FALSE_ALARM, trials, delta)


def test_projection_check_can_fail() -> None:
    # At small margins an eighth of the rows breaks the promise (0.63 of the trials, measured).
    m, delta, trials = 50, 0.2, 150
    k = bounds.projection_dimension(0.3, 0, m, delta) // 8
    assert projection_failures(0.3, m, k, trials) > binom.isf(FALSE_ALARM, trials, delta)


# Theorem octahedron.


def cal_queries(d: int, rng: np.random.Generator) -> int:
    """Labels that CAL asks for on one random order of the octahedron, target all ones."""
    hypotheses = np.array(list(itertools.product((-1, 1), repeat=d)))
    labels = np.hstack([hypotheses == 1, np.eye(len(hypotheses), dtype=bool)])
    alive, asked = np.ones(len(hypotheses), dtype=bool), 0
    for x in rng.permutation(labels.shape[1]):
        votes = labels[alive, x]
        if votes.any() and not votes.all():
            asked += 1
            alive &= labels[:, x] == labels[-1, x]
    return asked


@pytest.mark.parametrize("d", [3, 5, 7])
def test_cal_on_the_octahedron(d: int) -> None:
    """One-sided binomial test against probability 1/e, false alarm below 1e-6 each."""
    rng, trials = np.random.default_rng(6), 300
    reached = sum(cal_queries(d, rng) >= bounds.cal_octahedron(d) for _ in range(trials))
    assert reached >= binom.ppf(FALSE_ALARM, trials, math.exp(-1))


# Errors name the value, the rule and the way out.


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.budget(10), "exactly one way"),
        (lambda: bounds.budget(10, margin=0.1), "dimension=None.*both margin and dimension"),
        (lambda: bounds.budget(10, dimension=3), "margin=None.*both margin and dimension"),
        (lambda: bounds.budget(10, probability=0.1, log_probability=-1), "exactly one way"),
        (lambda: bounds.budget(9, probability=0.1, margin=0.1, dimension=3), "exactly one way"),
        (lambda: bounds.budget(10, probability=0), "probability is 0.*log_probability"),
        (lambda: bounds.budget(10, probability=1.5), "probability is 1.5"),
        (lambda: bounds.budget(10, log_probability=0.1), "log_probability is 0.1"),
        (lambda: bounds.budget(10, log_probability=-math.inf), "log_probability is -inf"),
        (lambda: bounds.budget(0, probability=0.1), "opt_max is 0.*no label"),
        (lambda: bounds.budget(math.inf, probability=0.1), "opt_max is inf"),
        (lambda: bounds.budget(1, probability=0.1, alpha=0.5), "alpha is 0.5"),
        (lambda: bounds.budget(1, probability=0.1, beta=0.5), "beta is 0.5"),
        (lambda: bounds.budget(1, probability=0.1, beta=1), "beta is 1"),
        (lambda: bounds.budget(1, margin=0, dimension=1), "margin is 0"),
        (lambda: bounds.quotient(-1, 1, 1, 0.5), "t is -1"),
        (lambda: bounds.quotient(1, 1, 1), "pass one of the two"),
        (lambda: bounds.quotient(1, 1, 1, 0.5, log_probability=-1), "pass one of the two"),
        (lambda: bounds.volume_lower_bound(1.1, 2), "margin is 1.1"),
        (lambda: bounds.volume_lower_bound(math.nan, 2), "margin is nan"),
        (lambda: bounds.volume_lower_bound(0.1, 0), "d is 0.*coordinates"),
        (lambda: bounds.grid_margin(0.3, 2), "c is 0.3.*1/n"),
        (lambda: bounds.grid_margin(0.333, 2), r"c is 0\.333"),
        (lambda: bounds.grid_margin(2, 2), "c is 2"),
        (lambda: bounds.log_grid_margin(5e-324, 2), "c is 5e-324"),
        (lambda: bounds.log_grid_margin(math.nan, 2), "c is nan"),
        (lambda: bounds.lifted_margin(0.1, -1), "slack is -1"),
        (lambda: bounds.lifted_margin(0.1, math.inf), "slack is inf"),
        (lambda: bounds.lifted_margin(2.5, 1), "margin is 2.5.*raise slack"),
        (lambda: bounds.projection_dimension(0.1, 0, 0, 0.1), "m is 0"),
        (lambda: bounds.projection_dimension(0.1, 0, 1, 1), "delta is 1"),
        (lambda: bounds.sample_size(0, 0.01, 1, 1), "delta is 0"),
        (lambda: bounds.sample_size(0.1, 0.2, 1, 1), "lam is 0.2.*1/64"),
        (lambda: bounds.sample_size(0.1, 0.01, 0, 1), "T is 0"),
        (lambda: bounds.vote_size(math.nan), "delta is nan"),
        (lambda: bounds.verified_factor(0.6, 0.01), "q is 0.6"),
        (lambda: bounds.verified_factor(0.3, 0.01, best=0.2), "best is 0.2.*q=0.3"),
        (lambda: bounds.smallest_verified_split(0), "lam is 0"),
        (lambda: bounds.cal_octahedron(2), "d is 2"),
    ],
)
def test_errors_say_what_is_wrong(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_whole_numbers_are_not_rounded() -> None:
    with pytest.raises(TypeError, match=r"d is 2\.5.*whole number"):
        bounds.volume_lower_bound(0.1, 2.5)  # type: ignore[arg-type]
    assert bounds.volume_lower_bound(0.5, np.int64(3)) == 1 / 64


# The page.


def test_the_page_shows_what_the_functions_return() -> None:
    text = PAGE.read_text(encoding="utf-8")
    outcome = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert outcome.failed == 0
    shown = {
        re.sub(r"^round\((.*\))(, \d+)?\)$", r"\1", example.source.strip()): example.want.strip()
        for example in doctest.DocTestParser().get_examples(text)
    }
    table = dict(re.findall(r"^\| `(.+?)` \|.*\| `(.+?)` \|$", text, flags=re.MULTILINE))
    public = {name for name, thing in vars(bounds).items() if callable(thing) and name[0].islower()}
    assert {call.split("(")[0] for call in table} == public
    assert {call: shown.get(call) for call in table} == table


@pytest.mark.parametrize("wrong", ["a", None, True, [0.5]])
@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("margin", lambda x: bounds.volume_lower_bound(x, 3)),
        ("margin", lambda x: bounds.log_volume_lower_bound(x, 3)),
        ("margin", lambda x: bounds.lifted_margin(x, 0.1)),
        ("slack", lambda x: bounds.lifted_margin(0.5, x)),
        ("delta", lambda x: bounds.projection_dimension(0.5, 0.1, 10, x)),
        ("c", lambda x: bounds.grid_margin(x, 3)),
        ("opt_max", lambda x: bounds.budget(x, probability=0.1)),
        ("lam", lambda x: bounds.greedy_factor(0.3, x)),
        ("q", lambda x: bounds.greedy_factor(x, 0.01)),
    ],
)
def test_what_is_no_number_is_named(name, bound, wrong):
    with pytest.raises(TypeError, match=rf"{name} is .*, but it must be a number"):
        bound(wrong)


def test_numbers_of_numpy_and_fractions_are_numbers():
    assert bounds.volume_lower_bound(np.float32(0.5), np.int64(2)) == 1 / 16
    assert bounds.volume_lower_bound(Fraction(1, 2), 2) == 1 / 16
