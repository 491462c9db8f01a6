"""How often each person errs, and which answer is the likeliest: estimates, by one simple model.

Dawid and Skene 1979 with one number a voice: whoever speaks gives the right answer except with a
probability of their own, and then any of the others, independently of everybody else and of the
example. The right answers and the errors are drawn in turn (Gibbs sampling; both have closed
forms), so the errors come with their uncertainty: two people who disagree tell little about which
of them erred.

A model's vote is one more voice, or three: sure, fairly sure and unsure, with an error each that is
found out in the same way. It stands for what nobody was asked twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aluma.arrays import Floats, Ints
from aluma.streams import OfSeed, stream

#: Sweeps that are kept, after so many that are not.
SWEEPS, BURN_IN = 600, 100
#: Beta laws of an error before anything is known: a person errs in about one of ten, a model more.
PERSON, MODEL = (1.0, 9.0), (1.0, 2.0)
#: Errors stay between these: a voice that is wrong more often than that would be read backwards.
LEAST, MOST = 1e-3, 0.5
#: The voices of a model, by how sure it is.
SURE, FAIRLY, UNSURE = "model, sure", "model, fairly sure", "model, unsure"


@dataclass(frozen=True)
class Error:
    """How often a voice errs: the mean of what is likely, and where 95% of that lies."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Reliability:
    """What the answers tell about those who gave them.

    Attributes
    ----------
    errors : by voice
    examples : those with an answer, in order
    shares : (examples, labels), how likely each label is the right one
    """

    errors: Mapping[str, Error]
    examples: tuple[int, ...]
    shares: Floats

    def weight(self, who: str, labels: int) -> float:
        """Return how much a person's answer counts: the log-odds of its being right."""
        known = self.errors.get(who)
        error = min(max(PERSON[0] / sum(PERSON) if known is None else known.mean, LEAST), MOST)
        return float(np.log((1 - error) * (max(labels, 2) - 1) / error))


def reliability(
    given: Mapping[int, Mapping[str, str]],
    labels: Sequence[str],
    *,
    resolved: Mapping[int, str] | None = None,
    model: Mapping[int, tuple[str, float]] | None = None,
    seed: int = 0,
) -> Reliability:
    """Return estimates from who gave which answer to each example.

    Parameters
    ----------
    given : answers by example and person
    labels : all answers there are
    resolved : right answers that are known
    model : a model's vote by example, made without that example's answer, and how sure it is of it
    """
    examples = sorted(given)
    place = {label: k for k, label in enumerate(labels)}
    voiced = {i: {**given[i], **_model_voice(i, model or {})} for i in examples}
    voices = sorted({who for by in voiced.values() for who in by})
    number = {who: v for v, who in enumerate(voices)}
    records = [
        (row, number[who], place[label])
        for row, i in enumerate(examples)
        for who, label in voiced[i].items()
    ]
    fixed = np.array([place.get((resolved or {}).get(i, ""), -1) for i in examples], dtype=np.int64)
    priors = np.array([MODEL if who in (SURE, FAIRLY, UNSURE) else PERSON for who in voices])
    if not records:
        return Reliability({}, (), np.zeros((0, len(labels))))
    draws, shares = _sampled(np.array(records), fixed, len(labels), priors, seed)
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    means = draws.mean(axis=0)
    errors = {
        who: Error(float(means[v]), float(low[v]), float(high[v])) for who, v in number.items()
    }
    return Reliability(errors, tuple(examples), shares)


def _model_voice(example: int, model: Mapping[int, tuple[str, float]]) -> dict[str, str]:
    if example not in model:
        return {}
    label, share = model[example]
    return {SURE if share >= 0.95 else FAIRLY if share >= 0.8 else UNSURE: label}


def _sampled(
    records: Ints, fixed: Ints, labels: int, priors: Floats, seed: int
) -> tuple[Floats, Floats]:
    """Return draws of the errors, (sweeps, voices), and shares of the right answers."""
    rng = stream(seed, OfSeed.PEOPLE)
    rows, voices, said = records.T
    n, cells, known = len(fixed), rows * labels + said, fixed >= 0
    errors = priors[:, 0] / priors.sum(axis=1)
    # One voice alone tells nothing about its error, whatever is drawn for what is right there.
    telling = ((np.bincount(rows, minlength=n) > 1) | known)[rows]
    heard = np.bincount(voices, weights=telling, minlength=len(priors))
    shares = np.zeros((n, labels))
    draws = np.empty((SWEEPS, len(priors)))
    for sweep in range(-BURN_IN, SWEEPS):
        weights = np.log((1 - errors) * (labels - 1) / errors)
        odds = np.bincount(cells, weights=weights[voices], minlength=n * labels)
        chances = np.exp(odds.reshape(n, labels) - odds.reshape(n, labels).max(axis=1)[:, None])
        chances /= chances.sum(axis=1)[:, None]
        chances[known] = np.eye(labels)[fixed[known]]
        right = (chances.cumsum(axis=1) > rng.random(n)[:, None]).argmax(axis=1)
        wrong = np.bincount(voices, weights=telling & (said != right[rows]), minlength=len(priors))
        drawn = rng.beta(priors[:, 0] + wrong, priors[:, 1] + heard - wrong)
        errors = np.clip(drawn, LEAST, MOST)
        if sweep >= 0:
            draws[sweep] = errors
            shares += chances / SWEEPS
    return draws, shares
