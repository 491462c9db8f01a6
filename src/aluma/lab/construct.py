"""Construct a learner for a problem, with the settings that it takes.

Apart from the list of entrants, which knows every learner: a result depends on its own only.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from aluma.lab.problem import CLASSES, Problem
from aluma.learners.learner import Learner


def construct(
    kind: type[Learner],
    settings: Mapping[str, Any],
    problem: Problem,
    hypotheses: int | None,
    seed: int,
) -> Learner:
    """Return a learner, ready for its first question.

    What only some learners have is set if it takes it: the size of a population (None for its
    own), the order of a stream, and an intercept where others have a bias.
    """
    offered: dict[str, Any] = {"bias": problem.bias, "intercept": problem.bias}
    if hypotheses is not None:
        offered["n_hypotheses"] = hypotheses
    if problem.order is not None:
        offered["order"] = problem.order
    common = {"classes": CLASSES, "random_state": seed}
    return kind(problem.X, **{**common, **taken(kind, offered), **settings})


def taken(kind: type[Learner], offered: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of some settings that a learner has a parameter for."""
    names = accepted(kind)
    return {name: value for name, value in offered.items() if name in names}


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
