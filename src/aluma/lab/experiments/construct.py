"""Construct a learner for a problem.

Apart from the list of entrants, which imports every learner: a result depends on its own only.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from aluma.lab.experiments.problem import CLASSES, Problem
from aluma.learners.learner import Learner


def construct(
    kind: Callable[..., Learner],
    settings: Mapping[str, Any],
    problem: Problem,
    hypotheses: int,
    seed: int,
) -> Learner:
    """Return a learner, ready for its first question.

    What only some learners have is set if it takes it: the size of a population, the order of a
    stream, and an intercept where others have a bias.
    """
    offered: dict[str, Any] = {
        "n_hypotheses": hypotheses,
        "bias": problem.bias,
        "intercept": problem.bias,
    }
    if problem.order is not None:
        offered["order"] = problem.order
    names = inspect.signature(kind).parameters
    taken = {name: value for name, value in offered.items() if name in names}
    common = {"classes": CLASSES, "random_state": seed}
    return kind(problem.X, **{**common, **taken, **settings})
