"""Problems: prepared as their experiments say, the same for the same seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aluma.lab.experiments import problems


@pytest.mark.parametrize("data", ["pair", "components", "posts", "pages"])
def test_parts_of_real_pools(data_folder: Path, data: str) -> None:
    make = {
        "pair": lambda seed: problems.mnist_pair((4, 7), 100, seed),
        "components": lambda seed: problems.mnist_components((3, 5), 100, seed),
        "posts": lambda seed: problems.pcmac_projected(100, seed),
        "pages": lambda seed: problems.web_pages(100, seed),
    }[data]
    one, same, other = make(0), make(0), make(1)
    assert one.X.shape[0] == len(one.positive) == 100
    assert one.X.shape[1] == {"pair": 784, "components": 25, "posts": 300, "pages": 301}[data]
    assert one.X_test.shape == (len(one.positive_test), one.X.shape[1])
    assert len(one.positive_test) == {"posts": 1846}.get(data, 500)
    assert abs(one.X - same.X).max() == 0
    assert abs(one.X - other.X).max() > 0


def test_a_pair_is_centred_in_the_unit_ball_with_a_bias(data_folder: Path) -> None:
    pair = problems.mnist_pair((4, 7), 200, 0)
    assert pair.bias
    np.testing.assert_allclose(pair.X.mean(axis=0), 0.0, atol=1e-6)
    assert np.linalg.norm(pair.X, axis=1).max() == pytest.approx(1.0, abs=1e-6)


def test_pages_without_words_can_be_decided(data_folder: Path) -> None:
    pages = problems.web_pages("all", 0)
    assert (pages.X[:, -1].toarray() == 1).all()
    assert (np.diff(pages.X.indptr) == 1).sum() == 207


def test_the_projection_keeps_lengths_on_average(data_folder: Path) -> None:
    posts = problems.pcmac_projected(1000, 0)
    # Squared lengths have mean 1 and standard deviation sqrt(2 / 300) at most, here over 1,000.
    assert np.mean(np.sum(posts.X**2, axis=1)) == pytest.approx(1.0, abs=0.02)


def test_two_circles_judge_the_top_and_come_in_an_order() -> None:
    circles = problems.two_circles(10, 0)
    assert circles.judged.tolist() == list(range(10))
    assert circles.positive[:10].all()
    assert sorted(circles.order) == list(range(20))
    assert problems.top_circle(9, 0).positive.sum() == 1
