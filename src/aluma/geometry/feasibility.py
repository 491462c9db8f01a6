"""Can all answers be true at once? A point that shows it, or answers that cannot.

The least vector in the convex hull of the walls settles both sides of the question: if it is not
zero, it is the direction of largest margin and lies inside every wall; if it is zero, its weights
are a non-negative combination of the walls that sums to zero, and no direction is inside them all
(Gordan's theorem). A non-negative least squares problem finds it (Lawson and Hanson), and what it
says is believed only after a check in plain arithmetic. Where the check fails, linear programs
(HiGHS) give a second opinion, checked in the same way; an answer that neither can settle raises
:class:`Undecided`, never :class:`Infeasible`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aluma.arrays import Floats, Ints
from aluma.errors import Undecided
from aluma.geometry.cone import Cone, guard

#: A convex combination of unit walls counts as zero below this norm (or twice the guard of the
#: dimension, if that is more): answers that only a thinner cone could satisfy are a contradiction.
ZERO = 1e-12
#: Weights of a contradiction that are this much smaller than its largest are rounding.
ROUNDING = 1e-9
#: Margins below this are computed again in a way that does not cancel.
THIN = 1e-5


class Infeasible(Exception):
    """No direction is inside all walls; ``support`` are the positions of walls that show it.

    The support is irreducible: without any one of its walls, the others have a common inside.
    """

    def __init__(self, support: Ints) -> None:
        super().__init__(f"walls {support.tolist()} have no common inside")
        self.support = support


def tolerance(dimension: int) -> float:
    """Return the norm below which a convex combination of unit walls counts as zero."""
    return max(ZERO, 2 * guard(dimension))


def interior_point(cone: Cone) -> Floats:
    """Return a unit direction verified to be inside every wall, that of largest margin.

    Raises :class:`Infeasible` with an irreducible set of walls when a combination of them is
    verified to vanish, and :class:`Undecided` when nothing can be verified.
    """
    if len(cone) == 0:
        return np.asarray(np.eye(1, cone.dimension)[0])
    cone = cone.written()
    weights = least_combination_of(cone.coordinates)
    rough = _verified(cone, cone.coordinates.T @ weights)
    if rough is not None and (cone.walls @ rough).min() >= THIN:
        return rough
    support = None if rough is not None else _verified_conflict(cone, weights)
    if support is not None:
        raise Infeasible(support)
    fine = _verified(cone, _equally_far(cone.coordinates, weights))
    if fine is not None or rough is not None:
        return _farther(cone, fine, rough)
    point = _verified(cone, _linear_program_point(cone.coordinates))
    if point is not None:
        return point
    support = _verified_conflict(cone, _linear_program_weights(cone.coordinates))
    if support is not None:
        raise Infeasible(support)
    raise Undecided(
        f"{len(cone)} answers in dimension {cone.dimension} leave a cone too thin for float64: "
        "neither a consistent halfspace nor a contradiction could be verified. Undo the last "
        "answer, or rescale features that differ by many orders of magnitude."
    )


def opposite_point(cone: Cone, x: Floats, inside: Floats) -> Floats | None:
    """Return a direction inside the cone with ``<w, x> < 0``, or None if provably there is none.

    ``inside`` is any direction inside the cone. What the walls do not span of ``x`` is free, so
    most examples are settled at once while there are fewer answers than features.
    """
    unit = x / np.linalg.norm(x)
    unseen = unit - cone.basis @ (cone.basis.T @ unit)
    if np.linalg.norm(unseen) > tolerance(cone.dimension):
        found = _strictly(cone, -unseen, unit, inside)
        if found is not None:
            return found
    try:
        return interior_point(cone.with_walls(-unit[None, :]))
    except Infeasible:
        return None


def is_settled(cone: Cone, x: Floats, inside: Floats) -> bool:
    """Say whether provably every direction inside the cone has ``<w, x> > 0``."""
    try:
        return opposite_point(cone, x, inside) is None
    except Undecided:
        return False


def least_combination_of(walls: Floats) -> Floats:
    """Return convex weights of the least vector in the hull of the walls.

    Least squares for ``walls.T @ u = 0, sum(u) = 1`` over u >= 0 is that problem up to scale.
    """
    system = np.vstack([walls.T, np.ones(len(walls))])
    target = np.zeros(len(system))
    target[-1] = 1.0
    try:
        weights, _ = nnls(system, target, maxiter=30 * len(walls))
    except RuntimeError:
        # It ran in circles, as it may on nearly parallel walls: the checks will ask for another.
        weights = np.ones(len(walls))
    return np.asarray(weights / weights.sum())


def _equally_far(walls: Floats, weights: Floats) -> Floats:
    """Return the least point whose product with the walls of the support is 1.

    It is the direction of largest margin again, but its margin is the inverse of its norm instead
    of what cancellation leaves of a sum: exact however thin the cone. Walls that the support lacks
    and that it turns out to be behind of are taken in.
    """
    chosen = np.flatnonzero(weights > 0)
    while True:
        point = np.linalg.lstsq(walls[chosen], np.ones(len(chosen)), rcond=None)[0]
        products = walls @ point
        worst = int(products.argmin())
        if products[worst] > 0.5 or worst in chosen or len(chosen) > 2 * walls.shape[1]:
            return np.asarray(point)
        chosen = np.append(chosen, worst)


def _verified(cone: Cone, coordinates: Floats) -> Floats | None:
    """Return a point as a unit vector of the space if clearly inside every wall, else None."""
    point = cone.basis @ coordinates
    size = np.linalg.norm(point)
    if not size > 0:
        return None
    unit = np.asarray(point / size)
    return unit if (cone.walls @ unit).min() > guard(cone.dimension) else None


def _farther(cone: Cone, *points: Floats | None) -> Floats:
    """Return that of the known points which is farthest from the walls."""
    known = [point for point in points if point is not None]
    return max(known, key=lambda point: float((cone.walls @ point).min()))


def _verified_conflict(cone: Cone, weights: Floats) -> Ints | None:
    """Return an irreducible support of a combination that vanishes, or None if it does not.

    When the walls of the support have rank one less than their number, the vanishing combination
    is unique; with all its weights positive, no proper subset has one.
    """
    limit = tolerance(cone.dimension)
    while np.linalg.norm(cone.walls.T @ weights) <= limit * weights.sum():
        support = np.flatnonzero(weights > 0)
        vanishing = _vanishing(cone.walls[support], limit)
        if len(vanishing) == 1:
            unique = np.abs(vanishing[0])
            # A weight that is only rounding belongs to a wall that the contradiction does not need.
            small = unique <= ROUNDING * unique.max()
            if not small.any():
                return support
            fewer = np.zeros_like(weights)
            fewer[support[~small]] = unique[~small] / unique[~small].sum()
            if np.linalg.norm(cone.walls.T @ fewer) > limit:
                return support
            weights = fewer
        elif len(vanishing) == 0:
            return None
        else:
            weights = _without_one(weights, support, vanishing)
    return None


def _vanishing(walls: Floats, limit: float) -> Floats:
    """Return an orthonormal basis, as rows, of the combinations of the walls that vanish."""
    # Of the factors of a tall matrix only the small one has the combinations.
    _, sizes, right = np.linalg.svd(np.linalg.qr(walls.T, mode="r"))
    return np.asarray(right[int((sizes > limit).sum()) :])


def _without_one(weights: Floats, support: Ints, vanishing: Floats) -> Floats:
    """Use a second vanishing combination to take one wall out of the support (Caratheodory)."""
    part = weights[support]
    along = part / np.linalg.norm(part)
    others = vanishing - np.outer(vanishing @ along, along)
    second = others[np.linalg.norm(others, axis=1).argmax()]
    second = second if second.max() > 0 else -second
    share = np.full(len(part), np.inf)
    share[second > 0] = part[second > 0] / second[second > 0]
    reduced = np.zeros_like(weights)
    reduced[support] = np.maximum(part - share.min() * second, 0.0)
    reduced[support[share.argmin()]] = 0.0
    return np.asarray(reduced / reduced.sum())


def _strictly(cone: Cone, away: Floats, x: Floats, inside: Floats) -> Floats | None:
    """Move a point of the closed cone inside while it stays on the negative side of ``x``."""
    unit = away / np.linalg.norm(away)
    step = 0.5
    while step > guard(cone.dimension):
        point = (1 - step) * unit + step * inside
        point /= np.linalg.norm(point)
        clear = len(cone) == 0 or (cone.walls @ point).min() > guard(cone.dimension)
        if clear and point @ x < -guard(cone.dimension):
            return np.asarray(point)
        step /= 2
    return None


def _linear_program_point(walls: Floats) -> Floats:
    """Maximise the smallest product with a wall over the unit box."""
    n, rank = walls.shape
    result = linprog(
        np.append(np.zeros(rank), -1.0),
        A_ub=np.hstack([-walls, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * rank + [(None, 1)],
    )
    return np.zeros(rank) if result.x is None else np.asarray(result.x[:-1])


def _linear_program_weights(walls: Floats) -> Floats:
    """Look for convex weights whose combination of the walls vanishes; zeros if there are none."""
    n, rank = walls.shape
    result = linprog(
        np.zeros(n),
        A_eq=np.vstack([walls.T, np.ones(n)]),
        b_eq=np.append(np.zeros(rank), 1.0),
        bounds=(0, None),
    )
    return np.eye(1, n)[0] if result.x is None else np.asarray(result.x)


# SciPy's optimisers are slow to import, so it happens when the first of them is called.


def nnls(*args: Any, **settings: Any) -> Any:
    """Call ``scipy.optimize.nnls``."""
    from scipy import optimize

    return optimize.nnls(*args, **settings)


def linprog(*args: Any, **settings: Any) -> Any:
    """Call ``scipy.optimize.linprog``."""
    from scipy import optimize

    return optimize.linprog(*args, **settings)
