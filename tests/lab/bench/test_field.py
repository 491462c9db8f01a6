"""The field's labels are counted right, and its tables come out."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from aluma.lab.bench import field
from aluma.lab.bench.label_counts import circles_sample, first_right
from aluma.lab.datasets import octahedron


def test_the_bottom_circle_is_as_rare_as_in_the_proof() -> None:
    order = circles_sample(30, 400_000, np.random.default_rng(0))
    tau = (1 / 30) / (4 * np.log(4 * 30))
    share = (order >= 30).mean()
    # Five standard deviations: false alarm below 1e-6.
    assert abs(share - tau) < 5 * np.sqrt(tau / 400_000)
    assert set(order.tolist()) == set(range(60))


def test_the_first_right_vote_is_found_by_bisection() -> None:
    pool = octahedron(4, seed=0)
    X, y = pool.X, pool.y
    order = np.arange(24)
    found = int(first_right(X, y, order, seed=0))
    assert 4 <= found < 24
    assert first_right(X, y, order[:found], seed=0) == found
    assert first_right(X, y, order[: found - 1], seed=0) == np.inf


@pytest.mark.parametrize("name", [row[0] for row in field.OCTAHEDRON])
def test_every_learner_gets_a_small_octahedron_right(name: str) -> None:
    pool = octahedron(4, seed=3)
    X, y = pool.X, pool.y
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
