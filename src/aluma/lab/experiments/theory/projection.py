"""What Algorithm 3's projection leaves of a margin, at the paper's number of dimensions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from aluma import bounds
from aluma.arrays import Floats
from aluma.errors import Undecided
from aluma.geometry.cone import Cone
from aluma.geometry.feasibility import Infeasible, interior_point
from aluma.lab.experiments import problems
from aluma.lab.paper_figures import MNIST_SOFTNESS, W1A_SOFTNESS
from aluma.lab.problem import Problem
from aluma.pool import Pool
from aluma.representation.lift import largest_norm
from aluma.representation.own import OwnCoordinates

#: The pools of Section 6.3, and their slack.
POOLS: Mapping[str, tuple[Callable[[int, int], Problem], float]] = {
    "35": (partial(problems.mnist_components, (3, 5)), MNIST_SOFTNESS.slack),
    "47": (partial(problems.mnist_components, (4, 7)), MNIST_SOFTNESS.slack),
    "w1a": (problems.web_pages, W1A_SOFTNESS.slack),
}


def kept_margin(value: str, seed: int) -> dict[str, Any]:
    """Return the margin of a lifted pool and of its projection, for a "pool-size-dimension".

    Margins are those of cosines, 0 where no halfspace separates. ``theorem`` is how many dimensions
    Theorem 17 asks for to keep half of the lifted margin with probability 0.95.
    """
    # It brings scikit-learn, half of what every command would wait for.
    from aluma.representation.transformer import Lift

    name, size, dimension = value.split("-")
    make, slack = POOLS[name]
    problem = make(int(size), seed)
    X = problem.X.toarray() if hasattr(problem.X, "toarray") else np.asarray(problem.X)
    X, sign = X.astype(np.float64), np.where(problem.positive, 1.0, -1.0)[:, None]
    own = OwnCoordinates(slack, largest_norm(Pool(X)))
    lifted = np.hstack([X * (own.shrink / own.scale), own.own * np.eye(len(X))])
    projected = Lift(slack=slack, dimension=int(dimension), random_state=seed).fit_transform(X)
    before, after = margin_of(lifted * sign), margin_of(projected * sign)
    return {
        "lifted": round(before, 6),
        "projected": round(after, 6),
        "kept": round(after / before, 4),
        "theorem": bounds.projection_dimension(before, 0.0, len(X), 0.05),
    }


def margin_of(signed: Floats) -> float:
    """Return the largest margin of cosines for points times their signs, or 0."""
    units = signed / np.linalg.norm(signed, axis=1, keepdims=True)
    try:
        inside = interior_point(Cone.whole(units.shape[1]).with_walls(units))
    except (Infeasible, Undecided):
        return 0.0
    return float((units @ inside).min())
