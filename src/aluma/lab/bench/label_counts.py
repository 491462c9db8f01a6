"""How many labels learners need until they label a whole pool right."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aluma.arrays import Floats, Ints
from aluma.lab import datasets
from aluma.lab.problem import CLASSES
from aluma.learners.aluma import ALuMA
from aluma.learners.cal import CAL
from aluma.learners.committee import QueryByCommittee
from aluma.learners.learner import Learner
from aluma.learners.passive import Passive
from aluma.learners.settings import PAPER
from aluma.learners.simple_margin import SimpleMargin
from aluma.running import Answers, run
from aluma.spaces.version_space import VersionSpace

#: Hypotheses that vote on what is right after the fact: one block of chains.
VOTERS = 256
#: Answers after which simple margin is given up.
MOST_OF_MARGIN = 1500
#: Probability with which the sample of two circles may lack a point (Theorem 20).
LACKING = 0.5
#: What a draw is for, beside the seed: each purpose has a stream of its own.
SAMPLING_CIRCLES = 2

#: From a pool, its labels and a seed to the labels needed; infinity if there were never enough.
Counter = Callable[[Floats, Ints, int], float]


def aluma_count(X: Floats, y: Ints, seed: int) -> float:
    """Count ALuMA's labels until its vote is right about the whole pool."""
    return _voting(ALuMA(X, classes=CLASSES, random_state=seed, **PAPER), y)


def committee_count(X: Floats, y: Ints, seed: int) -> float:
    """Count QBC's labels until the vote is right."""
    return _voting(QueryByCommittee(X, classes=CLASSES, random_state=seed), y)


def margin_count(X: Floats, y: Ints, seed: int) -> float:
    """Count TK's labels until the vote of the version space is right."""
    learner = SimpleMargin(
        X, classes=CLASSES, random_state=seed, budget=min(MOST_OF_MARGIN, len(X))
    )
    run(learner, y)
    return first_right(X, y, learner.answered, seed)


def separator_count(X: Floats, y: Ints, seed: int) -> float:
    """Count TK's labels until its max-margin separator is right."""
    learner = SimpleMargin(
        X, classes=CLASSES, random_state=seed, budget=min(MOST_OF_MARGIN, len(X))
    )
    return _voting(learner, y)


def cal_count(X: Floats, y: Ints, seed: int) -> float:
    """Count CAL's labels until the vote is right."""
    learner = CAL(X, classes=CLASSES, random_state=seed, predict_with="svm")
    run(learner, y)
    return first_right(X, y, learner.answered, seed)


def passive_count(X: Floats, y: Ints, seed: int) -> float:
    """Count the labels of random examples until the vote is right."""
    return first_right(X, y, Passive(X, random_state=seed).order, seed)


def _voting(learner: Learner, y: Ints) -> float:
    """Count a learner's labels until it predicts the whole pool right."""
    for answer in Answers(learner, y, stop_when_finished=False):
        if (learner.predict() == y).all():
            return float(answer.count)
    return np.inf


def first_right(X: Floats, y: Ints, answered: Ints, seed: int) -> float:
    """Return after how many of some answers the majority of consistent hypotheses is right.

    By bisection: a vote that is right about everything is taken to stay so.
    """

    def right(n: int) -> bool:
        space = VersionSpace(X.shape[1])
        space.add(X[answered[:n]], y[answered[:n]])
        shares = (X @ space.sample(VOTERS, random_state=seed).T >= 0).mean(axis=1)
        voted = np.where(shares >= 0.5, 1, -1)
        voted[answered[:n]] = y[answered[:n]]
        return bool((voted == y).all())

    if not right(len(answered)):
        return np.inf
    low, high = 0, len(answered)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if right(middle) else (middle, high)
    return float(high)


def circles_cal(points: int, seed: int) -> float:
    """Count CAL's labels on an i.i.d. sample that is large enough to have every point."""
    size = int(np.ceil(4 * points**2 * np.log(4 * points) * np.log(2 * points / LACKING)))
    order = circles_sample(points, size, np.random.default_rng((seed, SAMPLING_CIRCLES)))
    pool = datasets.two_circles(points, seed=seed)
    learner = CAL(pool.X, classes=CLASSES, order=order, predict_with="svm")
    return float(len(run(learner, pool.y)))


def circles_aluma(points: int, seed: int) -> float:
    """Count ALuMA's labels until the vote is right about every point of both circles."""
    pool = datasets.two_circles(points, seed=seed)
    return aluma_count(pool.X, pool.y, seed)


def circles_sample(points: int, size: int, rng: np.random.Generator) -> Ints:
    """Return an i.i.d. sample of the proof's distribution, as positions in the pool.

    The bottom circle has the probability tau = epsilon / (4 ln(4 / epsilon)), epsilon = 1 / points.
    """
    tau = 1 / (4 * points * np.log(4 * points))
    bottom = rng.uniform(size=size) < tau
    return np.asarray(rng.integers(points, size=size) + points * bottom)
