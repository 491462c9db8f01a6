"""Example 2 (margin is not enough): a margin alone does not make few labels suffice."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betainc

from aluma.arrays import Floats
from aluma.lab import datasets
from aluma.lab.play import certain_after, play
from aluma.lab.problem import Problem
from aluma.learners.aluma import ALuMA
from aluma.learners.cal import CAL
from aluma.learners.settings import PAPER


def margin_packing(value: str, seed: int) -> dict[str, Any]:
    """Return how many points a packing has, and what learners ask of it, for a "d-gamma".

    ``most`` bounds any packing: caps of half the least angle around its points do not overlap.
    ``claimed`` is the size that the paper says exists, 1 / gamma^d.
    """
    dimension, margin = int(value.partition("-")[0]), float(value.partition("-")[2])
    data = datasets.packing(dimension, margin, seed)
    problem = Problem(data.X, data.y > 0)
    learners = {
        "aluma": ALuMA(data.X, classes=(-1, 1), alpha=1.0, random_state=seed, **PAPER),
        "cal": CAL(data.X, classes=(-1, 1), random_state=seed),
    }
    needed = {}
    for name, learner in learners.items():
        asked = play(learner, problem, [len(data.X)], measure=_nothing)["asked"]
        needed[f"{name}_certain"] = certain_after(problem, asked)
    return {
        "points": len(data.X),
        "most": int(1 / cap_share(dimension, np.arccos(1 - 2 * margin) / 2)),
        "claimed": round(margin**-dimension),
        "least_margin": round(least_margin(data.X[:, :-1], margin), 12),
        **needed,
    }


def least_margin(points: Floats, margin: float) -> float:
    """Return the least distance of any point from the boundaries that cut off one each."""
    products = points @ points.T - (1 - margin)
    signed = np.where(np.eye(len(points), dtype=bool), products, -products)
    return float(signed.min())


def cap_share(dimension: int, angle: float) -> float:
    """Return the share of a sphere that is within an angle, up to a right one, of a point."""
    return float(betainc((dimension - 1) / 2, 0.5, np.sin(angle) ** 2) / 2)


def _nothing(*_: Any) -> dict[str, float]:
    return {}
