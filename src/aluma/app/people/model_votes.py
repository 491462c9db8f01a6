"""What a model that has not seen an example's own answer would say about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from aluma.arrays import Floats
from aluma.pool import Pool

#: Fewest answers before a model has a say, parts that are left out in turn, examples at most.
FEWEST, FOLDS, MOST = 20, 5, 2000


def model_votes(pool: Pool, answers: Mapping[int, str]) -> dict[int, tuple[str, float]]:
    """Return a vote for every answered example, and the share of it: no probability of its truth.

    Answers that hardly occur have none.
    """
    usable, named, shares = model_shares(pool, answers)
    return {
        i: (named[k], float(shares[row, k]))
        for row, (i, k) in enumerate(zip(usable, shares.argmax(axis=1).tolist(), strict=True))
    }


def model_shares(pool: Pool, answers: Mapping[int, str]) -> tuple[list[int], list[str], Floats]:
    """Return examples, labels, and the shares of a logistic regression fitted to the others."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    counts = Counter(answers.values())
    usable = [i for i, label in answers.items() if counts[label] >= FOLDS][-MOST:]
    labels = np.array([answers[i] for i in usable])
    left = Counter(labels.tolist())
    if len(usable) < FEWEST or len(left) < 2 or min(left.values()) < FOLDS:
        return [], [], np.zeros((0, 1))
    rows = np.asarray(pool.rows(usable)[:, : pool.dimension - pool.bias])
    scale = np.sqrt((rows**2).sum(axis=1).mean()) or 1.0
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    model = LogisticRegression(C=10.0, max_iter=5000)
    shares = cross_val_predict(model, rows / scale, labels, cv=folds, method="predict_proba")
    return usable, sorted(left), np.asarray(shares)
