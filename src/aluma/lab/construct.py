"""Construct a learner for a problem.

Apart from the list of entrants, which imports every learner: a result depends on its own only.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from aluma.lab.experiments.problem import CLASSES, Problem
from aluma.learners.learner import Learner


def construct(
    kind: type[Learner],
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
    taken = {name: value for name, value in offered.items() if name in accepted(kind)}
    common = {"classes": CLASSES, "random_state": seed}
    return kind(problem.X, **{**common, **taken, **settings})


def accepted(kind: type[Learner]) -> set[str]:
    """Return the names of a learner's parameters, also of those that it hands on."""
    names: set[str] = set()
    for one in kind.__mro__:
        if "__init__" in vars(one):
            parameters = inspect.signature(one).parameters.values()
            names |= {parameter.name for parameter in parameters}
            if all(parameter.kind != parameter.VAR_KEYWORD for parameter in parameters):
                break
    return names
