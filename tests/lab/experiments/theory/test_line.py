"""Thresholds on the line against what can be said with a pencil."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aluma.lab.experiments.theory import line
from aluma.lab.experiments.theory.line import (
    Interval,
    Line,
    adversary,
    binary_search,
    follow,
    greedy,
)

POOLS = st.lists(st.floats(0.001, 0.999), min_size=1, max_size=40, unique=True).map(sorted)


@given(POOLS, st.floats(0, 1))
def test_binary_search_needs_the_logarithm(points: list[float], threshold: float) -> None:
    pool = Line(np.array(points), Interval(0.0, 1.0), threshold)
    assert follow(pool, binary_search).certain <= np.ceil(np.log2(len(points) + 1))


@given(POOLS, st.floats(0, 1))
def test_greedy_keeps_the_bound_of_the_proof(points: list[float], threshold: float) -> None:
    pool = Line(np.array(points), Interval(0.0, 1.0), threshold)
    needed = follow(pool, greedy)
    # Two questions leave two thirds of the interval, or settle everything.
    if pool.probability > 0:
        assert needed.certain <= 2 * np.log(1 / pool.probability) / np.log(1.5) + 2
    assert needed.vote <= needed.certain


@given(POOLS, st.floats(0, 1), st.floats(1.01, 5))
def test_the_adversary_is_approximately_greedy(points, threshold, alpha) -> None:
    inside, space = np.array(points), Interval(0.0, 1.0)
    products = (inside - space.low) * (space.high - inside)
    x = adversary(alpha)(inside, space)
    chosen = (x - space.low) * (space.high - x)
    assert chosen >= products.max() / alpha * (1 - 1e-6)
    assert not (products[inside < x] >= products.max() / alpha * (1 + 1e-6)).any()


def test_probability_is_the_gap_around_the_target() -> None:
    pool = Line(np.array([0.2, 0.5, 0.6]), Interval(0.0, 1.0), 0.3)
    assert pool.probability == pytest.approx(0.3)
    assert Line(pool.points, pool.space, 0.1).probability == pytest.approx(0.2)
    assert Line(pool.points, pool.space, 0.9).probability == pytest.approx(0.4)


@pytest.mark.parametrize("m", [4, 64])
def test_each_family_shows_what_it_is_for(m: int) -> None:
    wide, halving = line.compare_rules(f"wide-{m}", 0), line.compare_rules(f"halving-{m}", 0)
    assert wide["greedy"] == 2
    assert halving["greedy"] == m
    assert wide["binary"] == halving["binary"] == np.log2(m)


@pytest.mark.parametrize("value", ["1.5-64", "2-512", "4-512"])
def test_only_the_vote_saves_the_approximately_greedy(value: str) -> None:
    found = line.with_and_without_vote(value, 0)
    assert found["careless"] == found["m"]
    assert found["vote"] <= found["bound"] < found["m"]
    assert found["probability"] == 0.5


def test_the_crowded_pool_solves_the_recursion_of_the_proof() -> None:
    alpha = 2.0
    e = -line.crowded(12, alpha).points[:-1]
    for one, following in pairwise(np.append(0.5, e)):
        assert (one - following) * (0.5 + following) == pytest.approx(one / (2 * alpha))


def test_margins_reach_from_wide_to_narrow() -> None:
    found = line.margins(100, 0)
    assert min(found["probability"]) < 1e-4 < 0.01 < max(found["probability"])
    assert max(found["binary"]) == 7
