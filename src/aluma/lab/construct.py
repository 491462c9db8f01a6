"""Construct a learner for a problem, with the settings that it takes.

It is apart from the list of entrants, which imports every learner, so that a result depends on the
code of its own learner only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from aluma.lab.problem import CLASSES, Problem
from aluma.learners.learner import Learner
from aluma.learners.settings import PAPER, taken
from aluma.pool import Pool


def construct(
    kind: Callable[..., Learner],
    settings: Mapping[str, Any],
    problem: Problem,
    hypotheses: int | None,
    seed: int,
) -> Learner:
    """Return a learner, ready for its first question.

    What only some learners have is set if it takes it: the size of a population (None for its
    own), the order of a stream, an intercept where others have a bias, and that nothing but
    questions is asked, without slack unless ``settings`` have some. Pools of experiments are as
    they are on purpose, so nothing is said about narrow ones.
    """
    offered: dict[str, Any] = {**PAPER, "bias": problem.bias, "intercept": bool(problem.bias)}
    if hypotheses is not None:
        offered["n_hypotheses"] = hypotheses
    if problem.order is not None:
        offered["order"] = problem.order
    common = {"classes": CLASSES, "random_state": seed}
    pool = Pool(problem.X, prepared=True)
    return kind(pool, **{**common, **taken(kind, offered), **settings})
