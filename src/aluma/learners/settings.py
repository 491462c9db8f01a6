"""Which settings a learner takes, read off its signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from aluma.learners.learner import Learner

#: What makes a learner that of the paper, besides ``alpha=1``: halfspaces that agree with every
#: answer, all of them alike beforehand, and no labels spent on checks. For experiments that count
#: answers to the last example.
PAPER: Mapping[str, Any] = {
    "promise": "credible",
    "slack": 0.0,
    "tolerance": 0.0,
    "prior": "ball",
}


def accepted(learner: Callable[..., Learner]) -> set[str]:
    """Return the names of the settings that a learner takes."""
    return set(inspect.signature(learner).parameters)


def taken(learner: Callable[..., Learner], offered: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of some settings that a learner takes."""
    names = accepted(learner)
    return {name: value for name, value in offered.items() if name in names}
