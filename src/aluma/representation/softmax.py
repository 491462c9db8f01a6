"""Softmax regression: which weights of several classes are likeliest, given answers and some noise.

The prior is that of the version space, ``W ~ N(0, I)`` for the K vectors, and an example x is of
class k with a chance in proportion to ``exp(<w_k, x> / s)``. As the noise s goes to 0, what is left
of the prior is the version space of the answers, and the likeliest W points into its middle, as the
widest margin does. One convex problem in the span of the answers: milliseconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aluma.arrays import Floats, Ints
from aluma.blas import one_thread

#: Steps at most; 20 to 100 are needed.
MOST_STEPS = 300
#: It ends when no weight pulls more than this; weights are of the order of 1.
PULL = 1e-2


@one_thread()
def likeliest(rows: Floats, told: Ints, classes: int, noise: float) -> Floats:
    """Return the likeliest weights in units of the noise, (K, r).

    They start at 0 whatever was found before, so the same answers give the same weights.

    Parameters
    ----------
    rows : (n, r) the answered examples
    told : (n,) their classes, from 0 to K - 1
    noise : s, above 0

    Examples
    --------
    >>> found = likeliest(np.eye(3), np.array([0, 1, 2]), 3, noise=0.5)
    >>> (np.eye(3) @ found.T).argmax(axis=1)
    array([0, 1, 2])
    """
    # Loaded when it is needed: two classes do without before it is late.
    from scipy.optimize import minimize

    scaled = rows / noise
    right = np.eye(classes)[told]

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(classes, -1)
        products = scaled @ weights.T
        products -= products.max(axis=1, keepdims=True)
        chances = np.exp(products)
        total = chances.sum(axis=1, keepdims=True)
        missed = float(np.log(total).sum() - (products * right).sum())
        pull = weights + (chances / total - right).T @ scaled
        return missed + 0.5 * float(flat @ flat), pull.ravel()

    start = np.zeros(classes * rows.shape[1])
    steps: Any = {"maxiter": MOST_STEPS, "gtol": PULL}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options=steps)
    return np.asarray(found.x.reshape(classes, -1) / noise)
