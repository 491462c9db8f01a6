"""The pools of the field's benchmark have the shapes of the paper, and its tables come out."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from aluma.bench import field, label_counts
from aluma.bench.label_counts import first_right, signs
from aluma.bench.pools import (
    mnist_pair,
    octahedron,
    octahedron_target,
    principal,
    two_circles,
    two_circles_order,
)


def test_the_octahedron_is_that_of_the_example() -> None:
    X = octahedron(4)
    assert X.shape == (16 + 8, 5)
    target = octahedron_target(4, seed=1)
    assert set(np.abs(target[:4])) == {1.0}
    positive = X @ target > 0
    # The d vertices on the target's side and the one face centre that is its own.
    assert positive[:8].sum() == 4
    assert positive[8:].sum() == 1
    np.testing.assert_allclose(X[8:][positive[8:]][0, :4], target[:4] / 4)


def test_two_circles_are_those_of_the_proof() -> None:
    X = two_circles(30)
    top, bottom = X[:30], X[30:]
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0)
    np.testing.assert_allclose(top[:, 2], np.sqrt(0.5))
    np.testing.assert_allclose(bottom[:, :2], np.sqrt(2) * top[:, :2], atol=1e-15)
    y = label_counts.circles_target(30, seed=2)
    assert (y[:30] == 1).all()
    assert (y[30:] == 1).sum() == 15
    with pytest.raises(ValueError, match="must be odd"):
        two_circles(32)


def test_the_bottom_circle_is_as_rare_as_in_the_proof() -> None:
    order = two_circles_order(30, 400_000, np.random.default_rng(0))
    tau = (1 / 30) / (4 * np.log(4 * 30))
    share = (order >= 30).mean()
    # Five standard deviations: false alarm below 1e-6.
    assert abs(share - tau) < 5 * np.sqrt(tau / 400_000)
    assert set(order.tolist()) == set(range(60))


def test_the_first_right_vote_is_found_by_bisection() -> None:
    X = octahedron(4)
    y = signs(X @ octahedron_target(4, seed=0) > 0)
    order = np.arange(24)
    found = int(first_right(X, y, order, seed=0))
    assert 4 <= found < 24
    assert first_right(X, y, order[:found], seed=0) == found
    assert first_right(X, y, order[: found - 1], seed=0) == np.inf


@pytest.mark.parametrize("name", [row[0] for row in field.OCTAHEDRON])
def test_every_learner_gets_a_small_octahedron_right(name: str) -> None:
    X = octahedron(4)
    y = signs(X @ octahedron_target(4, seed=3) > 0)
    count = {row[0]: row[1] for row in field.OCTAHEDRON}[name]
    assert 4 <= count(X, y, 0) <= len(X)


def test_the_tables_come_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALUMA_DATA", str(tmp_path))
    tiny = field.Effort((3,), 2, (6, 14, 30), 2, 5, 256, (5,), 1)
    monkeypatch.setattr(field, "QUICK", tiny)
    screen = Console(file=io.StringIO(), width=120)
    field.run(screen, quick=True)
    text = screen.file.getvalue()  # type: ignore[attr-defined]
    assert "Octahedron, d = 3" in text
    assert "Fitted: CAL ~ (1/epsilon)^" in text
    assert "MNIST is left out: mnist/train-images" in text
    assert (tmp_path / "two-circles.png").stat().st_size > 10_000


def test_mnist_has_the_paper_s_counts(data_folder: Path) -> None:
    X, positive = mnist_pair(3, 5)
    assert X.shape == (11_552, 784)
    new, _ = mnist_pair(3, 5, "t10k")
    assert len(new) == 1_902
    assert X.max() == 1.0
    components, others = principal(X, new, 25)
    assert (components.shape, others.shape) == ((11_552, 25), (1_902, 25))
    assert 5_000 < positive.sum() < 6_000
