"""Rules by which people stop labelling, as functions of a run that was recorded.

Each returns the place at which it would have stopped, or None. Two kinds of runs: a learner that
was looked at every few answers (:class:`Followed`), and screening for a rare class, most likely
first (:func:`screening_order`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.stats import hypergeom
from sklearn.linear_model import LogisticRegression

from aluma.arrays import Bools, Floats, Ints
from aluma.lab.bench import one_core

#: small-text's defaults, and the answers between two of its looks: its learner asks for 10 at once.
KAPPA, KAPPA_WINDOW, KAPPA_EVERY = 0.99, 3, 10
#: What buscarpy is asked for by default, and answers between two looks at it.
RECALL, CONFIDENCE, RECALL_EVERY = 0.95, 0.95, 100
#: A screening model is fitted anew after every answer up to here, then ever more seldom.
FITTED_EVERY_TIME = 50


@dataclass
class Followed:
    """A learner's run, looked at every few answers.

    Attributes
    ----------
    labels : answers at each look
    predictions : the labels of the pool then, +1 or -1
    wrong : the share of them that was wrong
    settled : whether the learner's own rule said that it had finished, by tolerance
    """

    labels: list[int] = field(default_factory=list)
    predictions: list[Ints] = field(default_factory=list)
    wrong: list[float] = field(default_factory=list)
    settled: dict[float, list[bool]] = field(default_factory=dict)


def first(said: Sequence[bool]) -> int | None:
    """Return the first look at which a rule said stop."""
    return next((look for look, stop in enumerate(said) if stop), None)


def kappa_average(
    predictions: Sequence[npt.NDArray[np.generic]],
    window: int = KAPPA_WINDOW,
    threshold: float = KAPPA,
) -> int | None:
    """Return the first look at which successive predictions agree, on average over a window.

    Bloodgood and Vijay-Shanker 2009, "A method for stopping active learning based on stabilizing
    predictions" (CoNLL), as ``small_text.stopping_criteria.KappaAverage`` has it (version 1.4.1):
    Cohen's kappa between each two successive predictions of a set of examples, averaged over the
    last ``window`` of them, is at least ``threshold``.
    """
    agreed: list[float] = []
    for look in range(1, len(predictions)):
        agreed.append(cohens_kappa(predictions[look - 1], predictions[look]))
        if len(agreed) >= window and float(np.mean(agreed[-window:])) >= threshold:
            return look
    return None


def cohens_kappa(one: npt.NDArray[np.generic], other: npt.NDArray[np.generic]) -> float:
    """Return the agreement of two labellings beyond chance; of equal ones 1."""
    same = float(np.mean(one == other))
    if same == 1.0:
        return 1.0
    by_chance = sum(
        float(np.mean(one == label)) * float(np.mean(other == label))
        for label in np.union1d(one, other)
    )
    return (same - by_chance) / (1.0 - by_chance)


def kappa_of(run: Followed, every: int = KAPPA_EVERY) -> int | None:
    """Return the look of a run at which small-text's rule stops, if it looks so many answers apart.

    After every single answer successive predictions are nearly always the same, and the rule would
    stop at once.
    """
    seen = [look for look, count in enumerate(run.labels) if count % every == 0]
    stopped = kappa_average([run.predictions[look] for look in seen])
    return None if stopped is None else seen[stopped]


def consecutive_irrelevant(relevant: Sequence[bool] | Bools, n: int) -> int | None:
    """Return after how many answers the last n were all irrelevant.

    ASReview's ``NConsecutiveIrrelevant`` (version 3.0.8, asreview/models/stoppers.py). It applies
    to screening for a rare class, most likely first, which is what ASReview does; a learner that
    asks what it is unsure about meets both classes. The last example of a pool ends screening too.
    """
    in_a_row = 0
    for count, one in enumerate(relevant, start=1):
        in_a_row = 0 if one else in_a_row + 1
        if in_a_row >= n and count > n:
            return count
    return None


def recall_p_value(relevant: Bools, size: int, recall: float = RECALL) -> float:
    """Return the p-value of "less than ``recall`` of the relevant ones were found".

    Callaghan and Mueller-Hansen 2020, "Statistical stopping criteria for automated screening in
    systematic reviews" (Systematic Reviews 9:273), as ``buscarpy.calculate_h0`` has it (version
    0.0.2): the last 1, 2, ... answers are taken for a random draw of what was left before them,
    each has a hypergeometric p-value, and the least counts. It is small where so few relevant ones
    were among them that more cannot well be left. ``size`` is that of the whole pool.
    """
    found = int(relevant.sum())
    drawn = np.arange(1, len(relevant) + 1)
    met = np.cumsum(relevant[::-1])
    left = size - (len(relevant) - drawn)
    # So many there would be at least among those left before, had the goal been missed.
    least = np.floor(found / recall + 1 - (found - met))
    possible = least <= left
    p = hypergeom.cdf(met, left, np.minimum(least, left), drawn)
    return float(np.where(possible, p, 0.0).min())


def recall_reached(
    relevant: Bools,
    size: int,
    recall: float = RECALL,
    confidence: float = CONFIDENCE,
    every: int = RECALL_EVERY,
) -> int | None:
    """Return after how many answers the p-value is below 1 - confidence, looked at so often.

    As ``buscarpy.retrospective_h0``. For screening, as :func:`consecutive_irrelevant`.
    """
    for count in range(every, len(relevant) + 1, every):
        if recall_p_value(relevant[:count], size, recall) < 1.0 - confidence:
            return count
    return None


@one_core()
def screening_order(X: Floats, relevant: Bools, seed: int) -> Ints:
    """Return the order in which a pool is screened, most likely relevant first.

    It begins with one example of each class, as ``asreview simulate --n-prior-included 1
    --n-prior-excluded 1`` does, and goes on by logistic regression with balanced classes on what
    was seen. ASReview's own models are others.
    """
    rng = np.random.default_rng(seed)
    order = [int(rng.choice(np.flatnonzero(relevant == kind))) for kind in (True, False)]
    left = np.ones(len(relevant), dtype=bool)
    left[order] = False
    model = LogisticRegression(class_weight="balanced", max_iter=1000)
    while left.any():
        scores = model.fit(X[order], relevant[order]).decision_function(X)
        more = max(1, len(order) // FITTED_EVERY_TIME)
        ranked = np.argsort(np.where(left, -scores, np.inf), kind="stable")
        coming = ranked[: min(more, int(left.sum()))]
        order += coming.tolist()
        left[coming] = False
    return np.array(order, dtype=np.int64)
