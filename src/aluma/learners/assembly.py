"""Checks and choices that several learners share when they are put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aluma.arrays import checked_tolerance, is_number, positive_integer
from aluma.pool import Pool
from aluma.prediction.prediction import Prediction
from aluma.prediction.svm import SeparatorSide
from aluma.prediction.vote import OneHypothesis, Vote
from aluma.promises.audited import Audited
from aluma.promises.credible import Credible
from aluma.promises.promise import Promise
from aluma.promises.rules import stopping_rule
from aluma.promises.stopping import Limits, Stopping
from aluma.representation.lift import checked_slack
from aluma.sampling.blocks import BLOCK
from aluma.sampling.kernels import checked_sampler
from aluma.spaces.lifted import LiftedSpace
from aluma.spaces.loosening import LooseningSpace
from aluma.spaces.loosening_many import LooseningManySpace
from aluma.spaces.many import ManySpace
from aluma.spaces.plain import ADVICE, PlainSpace
from aluma.spaces.space import Hypotheses

#: Ways to predict by what a version space leaves, by name.
RULES: Mapping[str, type[Prediction[Any]]] = {
    "svm": SeparatorSide,
    "vote": Vote,
    "random": OneHypothesis,
}


def checked_rule(rule: str, rules: Sequence[str]) -> str:
    """Return a way of predicting, or refuse one that a learner does not have."""
    if rule not in rules:
        raise ValueError(f"predict_with must be one of {', '.join(rules)}, got {rule!r}.")
    return rule


def checked_alpha(alpha: Any) -> float:
    """Return the factor within which splits count as best, or say what is wrong with it."""
    if not is_number(alpha) or not alpha >= 1:
        raise ValueError(f"alpha must be at least 1, got {alpha!r}.")
    return float(alpha)


def checked_positive(value: float, name: str) -> float:
    """Return a positive, finite number, or say what is wrong with it."""
    if not is_number(value):
        raise TypeError(f"{name} must be a number, got {value!r}.")
    if not 0 < value < np.inf:
        raise ValueError(f"{name} must be positive and finite, got {value}.")
    return float(value)


def checked_margin(margin: Any) -> float | None:
    """Return a margin gamma as a float, or None where none is stated."""
    if margin is None:
        return None
    if is_number(margin) and 0 < float(margin) < np.inf:
        return float(margin)
    raise ValueError(f"margin must be a positive number, or None, got {margin!r}.")


def slack_or_auto(slack: Any) -> float | str:
    """Return the slack H as a number, or "auto"."""
    return "auto" if slack == "auto" else checked_slack(slack)


def projection(slack: float | str, dimension: int | None) -> dict[str, Any]:
    """Return what a view needs to lift and project its pool, if a dimension is given."""
    if dimension is None:
        return {}
    if slack == "auto":
        raise ValueError(
            "slack='auto' is found from the answers, but a projection needs it beforehand: "
            "give a number, or leave dimension out."
        )
    return {"slack": slack, "dimension": dimension}


def space_with_slack(
    pool: Pool,
    size: int,
    seed: int,
    sampler: str,
    *,
    slack: float | str,
    margin: float | None,
    dimension: int | None,
    classes: int = 2,
    share: float | None = None,
) -> Hypotheses:
    """Return the space that a slack asks for: none, a given one, or found when needed.

    ``share`` is what weights of the bias are multiplied by with more than two classes, if it is
    known (:func:`aluma.representation.bias.bias_share`).
    """
    settings = (pool, positive_integer(size, "n_hypotheses"), seed, checked_sampler(sampler))
    if classes > 2:
        return _space_of_many(
            pool, classes, size, seed, sampler, slack=slack, margin=margin, share=share
        )
    if slack == "auto":
        return LooseningSpace(*settings, margin=margin)
    if dimension is not None or slack == 0:
        # A projected pool has been lifted already: its points allow for the slack.
        return PlainSpace(*settings, slack=float(slack), advice=ADVICE)
    return LiftedSpace(*settings, slack=float(slack))


def _space_of_many(
    pool: Pool,
    classes: int,
    size: int,
    seed: int,
    sampler: str,
    *,
    slack: float | str,
    margin: float | None,
    share: float | None,
) -> Hypotheses:
    """Return the same for more than two classes, with fewer hypotheses the more they weigh.

    Chains move in whole blocks, so as many as that are hypotheses: the next number of blocks, and
    one at least.
    """
    blocks = max(1, round(size / (classes - 1) / BLOCK))
    settings = (pool, classes, blocks * BLOCK, seed, sampler)
    if slack == "auto":
        return LooseningManySpace(*settings, margin=margin, share=share)
    return ManySpace(*settings, slack=float(slack), share=share)


#: What a learner may promise, and the stopping rule that goes with it.
PROMISES: Mapping[str, str] = {"audited": "passed", "credible": "settled"}


def promise_and_stopping(
    promise: str, stopping: str | None, limits: Limits, seed: int
) -> tuple[Promise[Any], Stopping]:
    """Return what is promised, and when that is enough."""
    if promise not in PROMISES:
        raise ValueError(f"promise must be one of {', '.join(PROMISES)}, got {promise!r}.")
    rule = stopping_rule(stopping or PROMISES[promise], limits)
    if promise == "credible":
        return Credible(limits.delta, limits.tolerance), rule
    # Nothing depends on how small this bound is when labels are checked.
    return Audited(Credible(limits.delta, 1.0), limits.tolerance, limits.delta, seed), rule


def competitor_promise(
    promise: str, tolerance: float, delta: float, seed: int
) -> tuple[Promise[Any], Stopping]:
    """Return the same for a learner that, unless it is audited, asks about everything."""
    limits = Limits(checked_tolerance(tolerance), delta, questions_are_cheap=False)
    stopping = None if promise == "audited" else "nothing_left"
    return promise_and_stopping(promise, stopping, limits, seed)
