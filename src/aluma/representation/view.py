"""How a learner sees its examples: as given, by a kernel, stretched by a prior, or lifted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aluma.pool import Pool
from aluma.pool.shaped import Shape
from aluma.representation.bias import checked_bias, typical_length, usual_bias, with_bias
from aluma.representation.kernels import Kernel, KernelMap
from aluma.representation.narrow import warn_if_narrow
from aluma.representation.prior import checked_prior, shape_of

if TYPE_CHECKING:
    from aluma.representation.transformer import Lift


class View:
    """A pool as given (``examples``), and as the points (``pool``) that halfspaces divide.

    Parameters
    ----------
    X : whatever :class:`aluma.pool.Pool` takes
    bias : append a constant to the examples, or to the kernel's features: True for one half as
        long as a typical row, or the number itself
    kernel : see :class:`aluma.representation.kernels.Kernel`
    slack, dimension : with a dimension, the pool is lifted and projected by Algorithm 3
    prior : "ball" or "pool", see :mod:`aluma.representation.prior`
    seed : of landmarks and projections
    client : of a Dask cluster that keeps the examples, if it is not the active one

    A pool as given whose examples all point the same way is warned about, see
    :class:`aluma.errors.NarrowPool`.
    """

    examples: Pool
    pool: Pool

    def __init__(
        self,
        X: Any,
        *,
        bias: bool | float = False,
        kernel: Any = None,
        slack: float = 0.0,
        dimension: int | None = None,
        prior: str = "ball",
        seed: int = 0,
        client: Any = None,
    ) -> None:
        bias = checked_bias(bias)
        self.examples = with_bias(X if client is None else Pool(X, client=client), bias)
        self._map: KernelMap | None = None
        self._shape: Shape | None = None
        self._lift: Lift | None = None
        chosen = Kernel.of(kernel)
        if chosen.sees_directions:
            warn_if_narrow(self.examples)
        self._constant = self.examples.constant
        self.pool = self.examples
        if not chosen.is_linear:
            self._map = KernelMap(chosen, seed).fit(self.examples)
            features = Pool(self._map.features(self.examples))
            if bias is True:
                self._constant = usual_bias(features)
            self.pool = Pool(features, bias=self._constant)
        if checked_prior(prior) == "pool":
            self._shape = shape_of(self.pool, seed)
        if self._shape is not None:
            shaped = self.pool.shaped(self._shape, lasting=True)
            # Beside a typical row the bias stays as long as it is.
            self._constant *= typical_length(shaped) / typical_length(self.pool)
            self.pool = Pool(shaped, bias=self._constant)
        if dimension is not None:
            # Slow to import, and rarely wanted.
            from aluma.representation.transformer import Lift

            self._lift = Lift(slack=slack, dimension=dimension, random_state=seed)
            self.pool = Pool(self._lift.fit_transform(self.pool))
        self.pool.index = self.examples.index

    @classmethod
    def of(cls, X: Any, **settings: Any) -> View:
        """Return X if it is a view already, else a view of it."""
        return X if isinstance(X, View) else cls(X, **settings)

    def __len__(self) -> int:
        return len(self.examples)

    def new(self, examples: Pool) -> Pool:
        """Return new examples as points; they have no coordinate of their own."""
        if examples.dimension != self.examples.dimension:
            raise ValueError(
                f"X has {examples.dimension - examples.bias} features, the pool has "
                f"{self.examples.dimension - self.examples.bias}."
            )
        points = examples
        if self._map is not None:
            points = Pool(self._map.features(examples), bias=self._constant)
        if self._shape is not None:
            points = Pool(points.shaped(self._shape), bias=self._constant)
        return points if self._lift is None else Pool(self._lift.transform(points))
