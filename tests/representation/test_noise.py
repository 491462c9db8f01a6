"""Slack by random checks: it finds the noise there is, and none where there is none."""

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from aluma.representation import noise as module
from aluma.representation.noise import CANDIDATES, SlackChoice, slack_by_checks
from evidence import caught, generator, holds, stream

Problem = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float]


def problem(rng: np.random.Generator, d: int, n: int, checks: int, noise: float) -> Problem:
    """Return n learnt answers and some checks, as a probit model with some noise gives them."""
    rows = rng.standard_normal((n + checks, d))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    products = rows @ rng.standard_normal(d)
    signs = np.where(products + noise * rng.standard_normal(n + checks) > 0, 1, -1)
    return rows[:n], signs[:n], rows[n:], signs[n:], 1.0


def noises(seed: int, runs: int, noise: float, flipped: float = 0.0) -> np.ndarray:
    """Return the noise that each of some runs finds; a share of the checks may be flipped."""
    found = []
    for run in range(runs):
        rng = stream(seed, run)
        rows, signs, checked, answers, longest = problem(rng, 10, 60, 60, noise)
        wrong = rng.random(60) < flipped
        choice = slack_by_checks(rows, signs, checked, np.where(wrong, -answers, answers), longest)
        found.append(choice.slack**0.25)
    return np.array(found)


def often(happened: np.ndarray, share: float) -> float:
    """Return the p-value of "this happens in at least such a share of the runs"."""
    return float(binom.cdf(happened.sum(), len(happened), share))


@pytest.mark.parametrize("noise", [0.25, 0.5, 1.0])
def test_the_noise_there_is_is_found(noise: float) -> None:
    """Within a factor of 2 in three runs of four; 57 to 60 of 60 were when this was written."""

    def look(seed: int, more: int) -> float:
        found = noises(seed, 20 * more, noise)
        return often((found >= noise / 2) & (found <= noise * 2), 0.75)

    holds(look)


def test_where_there_is_no_noise_none_is_found() -> None:
    """In three runs of four at least; no run of 60 found any when this was written."""
    holds(lambda seed, more: often(noises(seed, 20 * more, 0.0) == 0, 0.75))


def test_checks_that_go_against_the_answers_are_no_noiseless_ones() -> None:
    caught(lambda seed, more: often(noises(seed, 20 * more, 0.0, flipped=0.3) == 0, 0.75))


# What cannot matter.


def same(one: SlackChoice, other: SlackChoice) -> None:
    assert one.slack == other.slack
    for slack, value in one.log_likelihoods.items():
        assert other.log_likelihoods[slack] == pytest.approx(value, abs=0.01)


@settings(max_examples=10)
@given(st.floats(-150, 150), st.sampled_from([0.0, 0.5]))
def test_scale_does_not_matter(power: float, noise: float) -> None:
    rows, signs, checked, answers, _ = problem(generator(1), 5, 20, 20, noise)
    scale = 10.0**power
    scaled = slack_by_checks(rows * scale, signs, checked * scale, answers, scale)
    same(slack_by_checks(rows, signs, checked, answers, 1.0), scaled)


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.5]))
def test_neither_order_nor_coordinates_matter(seed: int, noise: float) -> None:
    rows, signs, checked, answers, _ = problem(generator(2), 5, 20, 20, noise)
    rng = np.random.default_rng(seed)
    p, q = rng.permutation(20), rng.permutation(20)
    turn = np.linalg.qr(rng.standard_normal((5, 5)))[0]
    moved = slack_by_checks(rows[p] @ turn, signs[p], checked[q] @ turn, answers[q], 1.0)
    same(slack_by_checks(rows, signs, checked, answers, 1.0), moved)
    mirrored = slack_by_checks(rows, -signs, checked, -answers, 1.0)
    same(slack_by_checks(rows, signs, checked, answers, 1.0), mirrored)


def test_features_that_are_always_zero_do_not_matter() -> None:
    rows, signs, checked, answers, _ = problem(generator(3), 5, 20, 20, 0.5)
    wide = [np.hstack([part, np.zeros((20, 300))]) for part in (rows, checked)]
    same(
        slack_by_checks(rows, signs, checked, answers, 1.0),
        slack_by_checks(wide[0], signs, wide[1], answers, 1.0),
    )


def test_examples_of_length_zero_say_nothing() -> None:
    rows, signs, checked, answers, _ = problem(generator(4), 5, 20, 20, 0.5)
    more = [np.vstack([np.zeros((3, 5)), part]) for part in (rows, checked)]
    same(
        slack_by_checks(rows, signs, checked, answers, 1.0),
        slack_by_checks(
            more[0], np.append([1, -1, 1], signs), more[1], np.append([-1, -1, 1], answers), 1.0
        ),
    )


# What there may be little of.


@pytest.mark.parametrize(("d", "n"), [(1, 0), (1, 30), (3, 0), (40, 0), (40, 5)])
def test_few_features_and_few_answers_are_enough(d: int, n: int) -> None:
    for noise in (0.0, 1.0):
        choice = slack_by_checks(*problem(generator(5, n), d, n, 20, noise))
        assert choice.slack in CANDIDATES
        assert np.isfinite([choice.log_evidences[slack] for slack in CANDIDATES if slack]).all()
        if not noise:
            assert choice.slack == 0


def test_without_checks_the_slack_stays() -> None:
    rows, signs, _, _, _ = problem(generator(6), 3, 10, 0, 0.5)
    nothing = np.empty((0, 3)), np.empty(0)
    assert slack_by_checks(rows, signs, *nothing, 1.0).slack == 0
    assert slack_by_checks(rows, signs, *nothing, 1.0, (0.5, 1.0)).slack == 0.5
    assert slack_by_checks(rows, signs, np.zeros((2, 3)), [1, -1], 1.0).slack == 0


def test_one_class_is_no_sign_of_noise() -> None:
    rows = np.abs(generator(7).standard_normal((60, 4)))
    longest = float(np.linalg.norm(rows, axis=1).max())
    assert slack_by_checks(rows[:30], np.ones(30), rows[30:], np.ones(30), longest).slack == 0


def test_the_same_example_with_both_answers_is_noise() -> None:
    rows = generator(8).standard_normal((10, 4))
    longest = float(np.linalg.norm(rows, axis=1).max())
    choice = slack_by_checks(rows, np.ones(10), rows, -np.ones(10), longest)
    assert choice.slack > 0
    assert choice.log_likelihoods[0.0] == -np.inf
    clear = np.sign(rows[:, 0])
    assert slack_by_checks(rows, clear, rows, clear, longest).slack == 0


# Who is there stays, unless there is a reason.


def test_the_first_candidate_stays_unless_checks_speak_against_it() -> None:
    given = problem(generator(9), 10, 60, 60, 0.7)
    free = slack_by_checks(*given)
    assert free.slack > 0
    near, far = 1.5 * free.slack, 1000 * free.slack
    assert slack_by_checks(*given, (near, *CANDIDATES[1:])).slack == near
    moved = slack_by_checks(*given, (far, *CANDIDATES[1:]))
    assert moved.slack == free.slack
    gain = moved.log_likelihoods[moved.slack] - moved.log_likelihoods[far]
    assert gain > module.WORTH


def test_of_many_answers_the_last_count(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, signs, checked, answers, _ = problem(generator(10), 5, 60, 20, 0.5)
    monkeypatch.setattr(module, "MOST_PRODUCTS", 50 * 5**2)
    same(
        slack_by_checks(rows, signs, checked, answers, 1.0),
        slack_by_checks(rows[-30:], signs[-30:], checked, answers, 1.0),
    )


def test_answers_are_signs() -> None:
    with pytest.raises(ValueError, match=r"must be -1 or \+1, got 0"):
        slack_by_checks(np.eye(2), [1, 0], np.eye(2), [1, 1], 1.0, (0.5, 1.0))


@pytest.mark.parametrize("longest", [0.0, -1.0, np.inf, np.nan])
def test_a_length_must_be_one(longest: float) -> None:
    with pytest.raises(ValueError, match="longest must be a positive length"):
        slack_by_checks(np.eye(2), [1, 1], np.eye(2), [1, 1], longest)


def test_the_example_in_the_docstring() -> None:
    assert doctest.testmod(module).failed == 0
