"""Theorem 5 (labels that greed needs) and the greedy factor, against exact values."""

from __future__ import annotations

from typing import Any

import numpy as np

from aluma import bounds
from aluma.arrays import Floats
from aluma.lab import datasets
from aluma.lab.experiments.theory.labelings import (
    Labelings,
    of_circle,
    of_octahedron,
    of_plane,
    of_space,
    of_thresholds,
)
from aluma.lab.experiments.theory.optimum import Optimum, follow_greedy, positive_shares
from aluma.learners.aluma import ALuMA
from aluma.learners.settings import PAPER
from aluma.running import Answers
from aluma.strategies.split import SPLIT_EVERY

#: What a draw is for, beside the seed: each purpose has a stream of its own.
CHOOSING_TARGET = 5


def label_bound(value: str, seed: int) -> dict[str, Any]:
    """Return OPT_max, what greedy needs, and the theorem's bound, for a "class-size"."""
    labelings = labelings_of(value, seed)
    n, m = labelings.signs.shape
    best = Optimum(labelings).depth()
    found = follow_greedy(labelings)
    bound = np.array([bounds.budget(best, probability=p, alpha=1.0) for p in labelings.probability])
    telling = bound < m
    settled = follow_greedy(labelings, SPLIT_EVERY).vote
    fourfold = np.array(
        [
            bounds.budget(best, probability=p, alpha=1.0, greedy_every=SPLIT_EVERY)
            for p in labelings.probability
        ]
    )
    return {
        "m": m,
        "labelings": n,
        "opt_max": best,
        "greedy_worst": int(found.certain.max()),
        "greedy_mean": float(labelings.probability @ found.certain),
        "vote_worst": int(found.vote.max()),
        "bound_least": int(bound.min()),
        "telling": int(telling.sum()),
        "largest_share": round(float((found.vote / bound).max()), 6),
        "broken": int((found.vote > bound).sum()),
        "settled_worst": int(settled.max()),
        "settled_broken": int((settled > fourfold).sum()),
    }


def greedy_factor(value: str, seed: int) -> dict[str, Any]:
    """Return the exact factor of ALuMA's choices beside the one its certificate states.

    ``value`` is "estimate-space-size"; the target is random.
    """
    estimate, space, size = value.split("-")
    X = _points(space, int(size), seed)
    labelings = of_plane(X) if space == "plane" else of_space(X)
    target = int(np.random.default_rng((seed, CHOOSING_TARGET)).choice(len(labelings.probability)))
    truth = labelings.signs[target]
    learner = ALuMA(X, classes=(-1, 1), estimate=estimate, alpha=1.0, random_state=seed, **PAPER)
    left = np.arange(len(labelings.signs))
    factors = []
    for answer in Answers(learner, np.where(truth, 1, -1), stop_when_finished=False):
        shares = positive_shares(labelings, left)
        splits, index = shares * (1 - shares), answer.index
        factors.append(float(splits.max() / splits[index]) if splits[index] > 0 else None)
        left = left[labelings.signs[left, index] == truth[index]]
        if len(left) == 1:
            break
    stated = learner.certificate().greedy_factor
    known = [factor for factor in factors if factor is not None]
    return {
        "asked": len(factors),
        "largest": round(max(known), 9) if len(known) == len(factors) else None,
        "stated": stated,
    }


def labelings_of(value: str, seed: int) -> Labelings:
    """Return the labelings of a pool that is named by its kind and its size."""
    kind, _, size = value.rpartition("-")
    n = int(size)
    if kind == "line":
        # Two wide gaps: targets there have P(h) >= 1/4, and the bound says something.
        rest = np.linspace(0.5, 0.7, n - n // 2, endpoint=False)
        return of_thresholds(np.concatenate([np.linspace(0.2, 0.24, n // 2), rest]))
    if kind == "octahedron":
        return of_octahedron(n)
    if kind == "circle":
        return of_circle(n)
    if kind == "halving":
        return of_plane(datasets.lower_bound(n).X)
    return of_plane(_points(kind, n, seed)) if kind == "plane" else of_space(_points(kind, n, seed))


def _points(space: str, size: int, seed: int) -> Floats:
    dimension = {"plane": 2, "space": 3}[space]
    return np.asarray(datasets.sphere(dimension, size, seed).X)
