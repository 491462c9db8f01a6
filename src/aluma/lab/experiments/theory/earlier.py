"""The bounds before the paper's, beside it: Dasgupta's, and Golovin and Krause's.

Both depend on p_min, the least probable labeling. Dasgupta (2005): the exact greedy learner needs
at most ``4 OPT_avg ln(1 / p_min)`` labels on average. Golovin and Krause's inequality, as the
paper uses it, gives a worst case of ``2 alpha OPT_max ln(1 / p_min)``: after more labels than that
exp(-t / (alpha OPT_max)) is below p_min^2, and as long as some version space holds two labelings it
is not. The paper's own depends on the target's probability P(h) instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aluma import bounds
from aluma.lab.experiments.theory.guarantee import labelings_of
from aluma.lab.experiments.theory.optimum import AverageOptimum, Optimum, follow_greedy


def compare_bounds(value: str, seed: int) -> dict[str, Any]:
    """Return OPT_max, OPT_avg, p_min, what greedy needs and the three bounds on it, at alpha = 1.

    ``ours_likeliest`` is Theorem 5 for the most probable target, ``ours_mean`` its mean over
    targets drawn from P, ``ours_worst`` for the least probable one. Where the pool lies on a grid
    of step c, ``grid_log`` is ln of the paper's (c / d)^(d^2) for p_min.
    """
    labelings = labelings_of(value, seed)
    probability, found = labelings.probability, follow_greedy(labelings)
    best, least = Optimum(labelings).depth(), float(np.log(probability.min()))
    average = AverageOptimum(labelings).cost()
    ours = np.array([bounds.budget(best, probability=p, alpha=1.0) for p in probability])
    result = {
        "m": labelings.signs.shape[1],
        "labelings": len(probability),
        "opt_max": best,
        "opt_avg": round(average, 6),
        "log_p_min": round(least, 6),
        "greedy_mean": round(float(probability @ found.certain), 6),
        "greedy_worst": int(found.certain.max()),
        "dasgupta_mean": round(-4 * average * least, 3),
        "golovin_krause_worst": int(np.ceil(-2 * best * least)),
        "ours_likeliest": int(ours.min()),
        "ours_mean": round(float(probability @ ours), 3),
        "ours_worst": int(ours.max()),
        "broken": int((found.vote > ours).sum()),
    }
    kind, _, size = value.rpartition("-")
    if kind == "halving":
        # The grid of datasets.lower_bound has steps of about exp(-m) / 8, in the plane.
        step = 1 / np.ceil(8 * np.exp(int(size)))
        result["grid_log"] = round(float(4 * np.log(step / 2)), 3)
    return result
