"""Construct a learner for a problem.

Apart from the list of entrants, which imports every learner: a result depends on its own only.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from aluma.experiments.problem import CLASSES, Problem
from aluma.learners.base import Learner


def construct(
    kind: type[Learner],
    settings: Mapping[str, Any],
    problem: Problem,
    hypotheses: int,
    seed: int,
) -> Learner:
    """Return a learner, ready for its first question.

    The size of its population and the order of a stream are set if it takes them.
    """
    offered: dict[str, Any] = {"n_hypotheses": hypotheses}
    if problem.order is not None:
        offered["order"] = problem.order
    taken = {name: value for name, value in offered.items() if name in accepted(kind)}
    common = {"classes": CLASSES, "bias": problem.bias, "random_state": seed}
    return kind(problem.X, **{**common, **taken, **settings})


def accepted(kind: type[Learner]) -> set[str]:
    """Return the names of a learner's parameters."""
    return set(inspect.signature(kind).parameters)
