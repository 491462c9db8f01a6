"""How much slack to allow for, by random checks: the noise under which they were to be expected.

Answers to questions that split the hypotheses evenly hardly speak of noise: each of them was as
likely as not, with whatever slack. Random examples do, because most of them have a label that the
answers before make likely. Slack H stands for the noise ``s = H^(1/4)`` of a probit model
(:mod:`aluma.representation.own`), so it has a likelihood, which
:mod:`aluma.representation.probit` approximates.

Whether there is a reason to change the slack is what the checks decide: how likely they are given
the answers that were learnt from before. To which other slack is decided by all answers together,
since a few dozen checks alone would often name an extreme one. (Questions were chosen by nothing
but the answers before them, so the chance of all answers is a likelihood like any other.)

Without noise, the chance of some answers is the share of all halfspaces that agree with them: never
0 unless they contradict each other, in which case no noise is no candidate. It is computed as a
noise that is small beside every margin that matters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aluma.arrays import Floats
from aluma.errors import Undecided
from aluma.geometry.cone import Cone
from aluma.geometry.feasibility import Infeasible, interior_point
from aluma.geometry.walls import signed_units
from aluma.representation.probit import Factors, in_span, posterior

#: What is tried, the incumbent first: no slack, and noises s from 1/16 of the longest example, as
#: much as a margin that slack is measured at, to 2.8 times it, where even the longest example is
#: labelled against its halfspace more than one time in three. A step is a factor of sqrt 2 in s.
CANDIDATES = (0.0, *(4.0**k for k in range(-8, 4)))
#: The incumbent goes when the checks are more than e^WORTH, about seven, times as likely under
#: another. With 0.5, 1, 2 and 3, mean errors over 14 pools were within 0.05 points; below 2, slack
#: was sometimes lowered by chance, and with 3, noise of 5% was overlooked more often.
WORTH = 2.0
#: Slacks under which all answers are at most e^NEARLY times less likely than under the best are as
#: good: the least of them is taken.
NEARLY = 0.5
#: The noise s that stands for none.
NO_NOISE = 1e-3
#: A round of approximation takes about ``n min(n, d)^2`` products for n answers; of more answers
#: than this allows for (500 at least), the first ones do not count. All in all it takes a second
#: or two then, and milliseconds for a hundred answers.
MOST_PRODUCTS = 1.25e8


@dataclass(frozen=True)
class SlackChoice:
    """The slack that checks call for.

    Attributes
    ----------
    slack : the choice
    log_likelihoods : of the checks given the answers learnt before, by candidate
    log_evidences : of all answers, by candidate; minus infinity where they are impossible
    """

    slack: float
    log_likelihoods: Mapping[float, float]
    log_evidences: Mapping[float, float]


def slack_by_checks(
    learnt_rows: npt.ArrayLike,
    learnt_signs: npt.ArrayLike,
    check_rows: npt.ArrayLike,
    check_signs: npt.ArrayLike,
    longest: float,
    candidates: Sequence[float] = CANDIDATES,
) -> SlackChoice:
    """Return the slack H under which random checks, and all answers, were to be expected.

    Parameters
    ----------
    learnt_rows : (n, d) examples that were learnt from before
    learnt_signs : (n,) their answers, +1 or -1
    check_rows, check_signs : of the random checks
    longest : length of the longest example of the pool
    candidates : slacks to choose from; the first is the one there is, and stays unless the checks
        are more than e^2 times as likely under the choice

    Notes
    -----
    Examples that are all zeros say nothing and are left out. With more than 500 features, the last
    500 answers count, checks included; with d < 500, the last ``1.25e8 / d^2`` (``MOST_PRODUCTS``).
    The choice does not change if all examples and ``longest`` are scaled alike.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 4))
    >>> longest = np.linalg.norm(X, axis=1).max()
    >>> clean = np.sign(X[:, 0])
    >>> slack_by_checks(X[:100], clean[:100], X[100:], clean[100:], longest).slack
    0.0
    >>> noisy = np.sign(X[:, 0] + rng.standard_normal(200))
    >>> slack_by_checks(X[:100], noisy[:100], X[100:], noisy[100:], longest).slack > 0
    True
    """
    if not 0 < longest < np.inf:
        raise ValueError(f"longest must be a positive length, got {longest}.")
    learnt, told = _answers(learnt_rows, learnt_signs, longest)
    checks, answers = _answers(check_rows, check_signs, longest)
    if not len(checks):
        return SlackChoice(candidates[0], dict.fromkeys(candidates, 0.0), {})
    first = max(0, len(learnt) + len(checks) - _affordable(checks.shape[1]))
    learnt, told = learnt[first:], told[first:]
    rows, signs = in_span(np.concatenate([learnt, checks])), np.concatenate([told, answers])
    evidence: dict[float, float] = {}
    likelihood: dict[float, float] = {}
    before = everything = None
    # From much noise to little: the factors of one are a good start for the next.
    for slack in sorted(set(candidates), reverse=True):
        if slack == 0 and _contradictory(rows, signs):
            evidence[slack] = likelihood[slack] = -np.inf
            continue
        noise = slack**0.25 if slack else NO_NOISE
        n = len(learnt)
        earlier, before = _log_evidence(rows[:n], signs[:n], noise, before)
        evidence[slack], everything = _log_evidence(rows, signs, noise, everything)
        likelihood[slack] = evidence[slack] - earlier
    return SlackChoice(chosen(candidates[0], likelihood, evidence), likelihood, evidence)


def _answers(rows: npt.ArrayLike, signs: npt.ArrayLike, longest: float) -> tuple[Floats, Floats]:
    """Return examples in units of the longest, and their answers, without those of length 0."""
    array = np.asarray(rows, dtype=np.float64) / longest
    answers = np.asarray(signs, dtype=np.float64)
    wrong = answers[np.abs(answers) != 1]
    if len(wrong):
        raise ValueError(f"signs must be -1 or +1, got {wrong[0]:g}.")
    told = array.any(axis=1)
    return array[told], answers[told]


def _affordable(dimension: int) -> int:
    """Return how many answers can be afforded: ``n min(n, d)^2`` is at most MOST_PRODUCTS."""
    return int(max(np.cbrt(MOST_PRODUCTS), MOST_PRODUCTS / dimension**2))


def _log_evidence(
    rows: Floats, signs: Floats, noise: float, start: Factors | None
) -> tuple[float, Factors]:
    found = posterior(rows, signs, noise, start)
    return found.log_evidence, found.factors


def _contradictory(rows: Floats, signs: Floats) -> bool:
    """Say whether no halfspace can be shown to agree with all answers."""
    walls = np.unique(signed_units(rows, signs), axis=0)
    try:
        interior_point(Cone.whole(rows.shape[1]).with_walls(walls))
    except (Infeasible, Undecided):
        return True
    return False


def chosen(
    incumbent: float, likelihood: Mapping[float, float], evidence: Mapping[float, float]
) -> float:
    """Return the incumbent, or the slack by all answers if the checks speak for it."""
    others = {slack: evidence[slack] for slack in evidence if slack > 0}
    if not others:
        return incumbent
    best = max(others.values())
    chosen = min(slack for slack, value in others.items() if value >= best - NEARLY)
    return chosen if likelihood[chosen] > likelihood[incumbent] + WORTH else incumbent
