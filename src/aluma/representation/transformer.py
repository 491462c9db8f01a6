"""Algorithm 3 as a scikit-learn transformer: pools lifted to where a halfspace separates them.

Apart from :mod:`aluma.representation.lift`, which every learner needs: scikit-learn's base classes
take longer to import than all of the core.
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from aluma import bounds
from aluma.arrays import Floats, positive_integer, probability
from aluma.pool import Pool
from aluma.representation.kernels import KernelMap, is_precomputed
from aluma.representation.lift import ProjectionWarning, checked_slack, largest_norm
from aluma.representation.own import OwnCoordinates
from aluma.representation.projection import SignProjection
from aluma.streams import entropy

NUMBERS = [np.float64, np.float32]


class Lift(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The preprocessing of Algorithm 3: slack, kernel, random projection.

    An example x of the pool becomes ``x' = (a x / c; b e_x)``, where c is the length of the longest
    example (one constant for all, so that relative lengths stay), ``a^2 = 1 / (1 + sqrt(slack))``,
    ``b^2 = 1 - a^2`` and e_x is a coordinate that x has to itself; then x' is projected to k
    dimensions by random signs over sqrt(k). If the labels have a hinge loss of at most ``slack``
    at ``margin`` (Theorem 17), then with probability 1 - delta the projected pool is
    separable, with ``y <w, x> / (|w| |x|) >= margin_``. Points with d + m coordinates are never
    made.

    Parameters
    ----------
    margin : float, optional
        gamma, for examples in the unit ball (after division by c). Needed for the theorem's k.
    slack : float
        H, a bound on ``sum max(0, gamma - y <w, x>)^2`` over the pool for some w of the unit ball.
    kernel : str, callable, dict or None
        See :class:`aluma.representation.kernels.Kernel`. With "precomputed", the pool is its m x m
        kernel matrix, and new examples are rows of their kernel values with the m.
    delta : float
        Probability with which the projection may fail.
    dimension : int, optional
        k. None takes :func:`aluma.bounds.projection_dimension` (4 ln(2m/delta) / (tau^2 - 2 tau^3 /
        3), see docs/bounds.md for the constant), unless that is no less than the d + m it starts
        from or no ``margin`` is given: then nothing is projected.
    bias : bool
        Append a constant 1 to the (kernel's) features first.
    random_state : int, numpy Generator or None

    Attributes
    ----------
    shrink_, own_ : the factors a and b
    scale_ : the length c
    dimension_ : k, or None if nothing is projected
    margin_ : what the theorem promises of the points returned; None without ``margin``, with a
        ``dimension`` below the theorem's, and where slack has no effect on the points
    n_features_in_ : columns of the pool

    Notes
    -----
    ``fit_transform`` returns the pool, whose examples have coordinates of their own. ``transform``
    is for new examples, which have none: they are seen as a halfspace of the original features
    sees them. Where nothing is projected, both return ``a x / c`` only, whatever the slack, and a
    :class:`ProjectionWarning` says so: the exact lifted cone needs no points, and learners use it
    when they are given ``slack`` themselves.

    References
    ----------
    Algorithm 3 and Theorem 17 (lifting) in A. Gonen, S. Sabato and S. Shalev-Shwartz, "Efficient
    active learning of halfspaces: an aggressive approach", JMLR 14, 2013.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((100, 5))
    >>> Lift(slack=0.02, dimension=40).fit_transform(X).shape
    (100, 40)
    """

    def __init__(
        self,
        margin: float | None = None,
        slack: float = 0.0,
        kernel: Any = None,
        delta: float = 0.05,
        dimension: int | None = None,
        *,
        bias: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.margin = margin
        self.slack = slack
        self.kernel = kernel
        self.delta = delta
        self.dimension = dimension
        self.bias = bias
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Measure the pool, decompose its kernel, and draw the signs."""
        pool = self._pool(X, reset=True)
        slack = checked_slack(self.slack)
        probability(self.delta, "delta")
        seed = entropy(self.random_state)
        self._map = KernelMap(self.kernel, seed).fit(pool)
        features = self._features(pool)
        self.scale_ = largest_norm(features) or 1.0
        lifted = OwnCoordinates(slack, self.scale_)
        self.shrink_, self.own_ = lifted.shrink, lifted.own
        self.dimension_ = self._projected(len(pool), features.dimension)
        self._n_features_out = self.dimension_ or features.dimension
        self.margin_ = self._promised(len(pool), slack)
        self._projection = (
            SignProjection(features.dimension, self.dimension_, seed) if self.dimension_ else None
        )
        return self

    def transform(self, X: Any) -> Any:
        """Return new examples, which have no coordinate of their own."""
        check_is_fitted(self, "scale_")
        features = self._features(self._pool(X, reset=False))
        rows = _with_bias(features) if self._projection is None else self._projected_rows(features)
        return rows * (self.shrink_ / self.scale_)

    def _projected_rows(self, features: Pool) -> Floats:
        """Return the projection of examples, without making sparse ones dense all at once."""
        assert self._projection is not None
        if not features.preparation:
            return self._projection.features(_with_bias(features))
        return np.vstack([self._projection.features(rows) for _, rows in features.blocks()])

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> Any:
        """Return the pool, each example with a coordinate of its own."""
        points = self.fit(X).transform(X)
        if self._projection is not None and self.own_ > 0:
            points += self.own_ * self._projection.own(len(points))
        return points

    def _pool(self, X: Any, *, reset: bool) -> Pool:
        """Return the examples, checked as scikit-learn does; a pool has checked itself."""
        if isinstance(X, Pool):
            self.n_features_in_ = X.dimension - X.bias
            return X
        return Pool(validate_data(self, X, reset=reset, accept_sparse="csr", dtype=NUMBERS))

    def _features(self, pool: Pool) -> Pool:
        if self._map.kernel.is_linear:
            return Pool(pool, bias=self.bias)
        return Pool(self._map.features(pool), bias=self.bias or pool.bias)

    def _promised(self, m: int, slack: float) -> float | None:
        """Return the margin that the theorem promises of the points, if it promises any."""
        if self.margin is None:
            return None
        if self.dimension_ is None:
            exact = bounds.lifted_margin(self.margin, slack, projected=False)
            return exact if slack == 0 else None
        enough = bounds.projection_dimension(self.margin, slack, m, self.delta)
        if self.dimension_ < enough:
            return None
        return bounds.lifted_margin(self.margin, slack)

    def _projected(self, m: int, d: int) -> int | None:
        """Return the dimension to project to, or None if that is pointless."""
        if self.dimension is not None:
            return positive_integer(self.dimension, "dimension")
        why = "Neither a dimension nor the margin that it follows from is given"
        if self.margin is not None:
            k = bounds.projection_dimension(self.margin, self.slack, m, self.delta)
            if k < d + m:
                return k
            why = (
                f"Theorem 17 asks for {k:,} dimensions at margin {self.margin:g} and slack "
                f"{self.slack:g}, more than the {d + m:,} that it would project from"
            )
        idle = f", and slack={self.slack:g} has no effect on the points" if self.slack > 0 else ""
        if idle or self.margin is not None:
            warnings.warn(
                f"{why}: nothing is projected{idle}. Use ALuMA(slack=...) instead, which has the "
                "exact lifted cone, or choose a dimension= without the theorem's promise.",
                ProjectionWarning,
                stacklevel=3,
            )
        return None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        # Pools and new examples differ by the coordinates of their own.
        tags.non_deterministic = True
        return tags


def _with_bias(pool: Pool) -> Any:
    """Return a pool's numbers, its bias as a last column."""
    if pool.preparation:
        return pool.rows(np.arange(len(pool)))
    ones = np.full((len(pool), int(pool.bias)), pool.constant)
    if isinstance(pool.data, np.ndarray):
        return np.hstack([pool.data.astype(np.float64, copy=False), ones])
    return sparse.hstack([pool.data, sparse.csr_array(ones)], format="csr")
