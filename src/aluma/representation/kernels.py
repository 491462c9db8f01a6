"""Mercer kernels as features: rows whose inner products are the kernel's values.

Algorithm 3 decomposes a kernel matrix, K = U U^T, and goes on with the rows of U. Any U serves
(Lemma 34): here it is the one of the eigenvectors, ``U = V sqrt(L)`` for ``K = V L V^T``, with
the directions of no length left out, so a singular matrix has few features. A new example x has
the features ``k(x, Z) V / sqrt(L)``, where Z are the landmarks that K was computed on.

With all examples as landmarks this is exact on the pool. For pools whose m x m matrix is too large,
landmarks are a random part of them (Nystroem): the features are then those of the kernel's best
approximation that uses the landmarks alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh

from aluma.arrays import Floats, positive_integer
from aluma.blas import one_thread
from aluma.pool import Pool
from aluma.streams import OfSeed, stream

#: The kernels that go by a name.
NAMES = ("linear", "rbf", "laplacian", "poly", "cosine", "precomputed")
#: Names that scikit-learn has for what is called otherwise here.
ALIASES = {"polynomial": "poly"}
#: Names that scikit-learn knows and that no inner product stands behind, and why.
NO_MERCER = {
    "sigmoid": "tanh(gamma <x, z> + c) has negative eigenvalues on most data",
    "additive_chi2": "it is a negative distance, 0 of every example with itself",
}
#: Pools up to this size have every example as a landmark: their matrix takes 32 MB.
EXACT_UP_TO = 2000
#: Landmarks of larger pools, if not given.
LANDMARKS = 500
#: Entries across the diagonal may differ, and eigenvalues be negative, by this share of the largest
#: entry and eigenvalue: what float32 data and common kernels leave of symmetry.
TOLERANCE = 1e-6
#: Directions whose share of the largest eigenvalue is below this have no length worth a feature.
NEGLIGIBLE = 1e-9


@dataclass(frozen=True)
class Kernel:
    """A kernel and its parameters.

    Attributes
    ----------
    name : "linear", "rbf", "laplacian", "poly" (or "polynomial"), "cosine", "precomputed", or a
        function of two arrays of rows that returns the matrix of their kernel values
    gamma : width of "rbf", ``exp(-gamma |x - z|^2)``, and "laplacian", ``exp(-gamma |x - z|_1)``,
        and factor of "poly", ``(gamma <x, z> + coef0)^degree``; None is
        1 / (features * variance of the pool)
    degree, coef0 : of "poly"
    landmarks : examples that features are computed from; None is all of a pool of up to
        EXACT_UP_TO examples, and LANDMARKS of a larger one
    """

    name: str | Callable[[Any, Any], Any] = "linear"
    gamma: float | None = None
    degree: int = 3
    coef0: float = 1.0
    landmarks: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.name, str) and self.name in ALIASES:
            object.__setattr__(self, "name", ALIASES[self.name])
        if isinstance(self.name, str) and self.name in NO_MERCER:
            raise ValueError(
                f"{self.name!r} is no Mercer kernel ({NO_MERCER[self.name]}), so there are no "
                "features whose halfspaces it could stand for: use 'rbf' or 'poly'."
            )
        if not callable(self.name) and self.name not in NAMES:
            raise ValueError(
                f"there is no kernel {self.name!r}: choose one of {', '.join(NAMES)}, or pass a "
                "function of two arrays of rows."
            )
        if self.gamma is not None and not 0 < self.gamma < np.inf:
            raise ValueError(f"gamma must be positive and finite, got {self.gamma}.")
        positive_integer(self.degree, "degree")
        if not 0 <= self.coef0 < np.inf:
            raise ValueError(f"coef0 must be at least 0 and finite, got {self.coef0}.")
        if self.landmarks is not None:
            positive_integer(self.landmarks, "landmarks")

    @classmethod
    def of(cls, kernel: Any) -> Kernel:
        """Return a kernel from None, its name, a function, or a dict of its attributes."""
        if isinstance(kernel, Kernel):
            return kernel
        if kernel is None:
            return cls()
        if isinstance(kernel, str) or callable(kernel):
            return cls(kernel)
        if isinstance(kernel, Mapping):
            known = [one.name for one in fields(cls)]
            unknown = [key for key in kernel if key not in known]
            if unknown:
                raise ValueError(
                    f"a kernel has no {unknown[0]!r}: its parameters are {', '.join(known)}."
                )
            return cls(**kernel)
        raise TypeError(
            f"kernel must be a name ({', '.join(NAMES)}), a function, or a dict such as "
            f"{{'name': 'rbf', 'gamma': 0.5}}, got {kernel!r}."
        )

    @property
    def is_linear(self) -> bool:
        """Whether the examples are their own features."""
        return self.name == "linear"

    @property
    def sees_directions(self) -> bool:
        """Whether examples that point the same way are alike to it.

        Kernels of distances do not mind where the origin is, and of functions it is not known; a
        matrix has no examples.
        """
        return self.name in ("linear", "poly", "cosine")

    def matrix(self, X: Any, Z: Any, gamma: float) -> Floats:
        """Return the kernel's values for all pairs of rows."""
        if callable(self.name):
            values = np.asarray(self.name(X, Z), dtype=np.float64)
            if values.shape != (X.shape[0], Z.shape[0]):
                raise ValueError(
                    f"the kernel function returned shape {values.shape} for {X.shape[0]} and "
                    f"{Z.shape[0]} rows: it must return one value for every pair."
                )
            return values
        # Slow to import, and most learners have no kernel.
        from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel

        if self.name == "rbf":
            return np.asarray(rbf_kernel(X, Z, gamma=gamma), dtype=np.float64)
        if self.name == "laplacian":
            return np.asarray(laplacian_kernel(X, Z, gamma=gamma), dtype=np.float64)
        values = polynomial_kernel(X, Z, degree=self.degree, gamma=gamma, coef0=self.coef0)
        return np.asarray(values, dtype=np.float64)


def is_precomputed(kernel: Any) -> bool:
    """Say whether a kernel, in any form and perhaps a wrong one, is given by its matrix.

    For scikit-learn, which asks about an estimator before its settings are checked.
    """
    name = kernel.get("name") if isinstance(kernel, Mapping) else getattr(kernel, "name", kernel)
    return isinstance(name, str) and name == "precomputed"


class KernelMap:
    """Features of a pool, and of new examples, whose inner products are a kernel's values.

    Parameters
    ----------
    kernel : whatever :meth:`Kernel.of` takes
    seed : of the random choice of landmarks

    Examples
    --------
    >>> from sklearn.metrics.pairwise import rbf_kernel
    >>> X = np.random.default_rng(0).standard_normal((30, 2))
    >>> features = KernelMap("rbf").fit(Pool(X)).features(Pool(X))
    >>> bool(np.allclose(features @ features.T, rbf_kernel(X, gamma=1 / (2 * X.var()))))
    True
    """

    def __init__(self, kernel: Any = None, seed: int = 0) -> None:
        self.kernel = Kernel.of(kernel)
        self.seed = seed
        self._columns = 0
        self._gamma = 1.0
        self._landmarks: Any = None
        self._map: Floats = np.empty((0, 0))

    def fit(self, pool: Pool) -> Self:
        """Choose the landmarks and decompose their matrix; the pool's bias is not looked at."""
        self._columns = pool.dimension - pool.bias
        if self.kernel.name in ("linear", "cosine"):
            return self
        if self.kernel.name == "precomputed":
            values, vectors = decomposed(np.asarray(_dense(_whole(pool)), dtype=np.float64))
        else:
            self._gamma = self.kernel.gamma or _scale(pool)
            self._landmarks = pool.held(self._chosen(len(pool)))
            K = self.kernel.matrix(self._landmarks, self._landmarks, self._gamma)
            values, vectors = decomposed(K)
        self._map = vectors / np.sqrt(values)
        return self

    def features(self, pool: Pool) -> Any:
        """Return the features of examples, one row each: an array, or a sparse matrix."""
        columns = pool.dimension - pool.bias
        if columns != self._columns:
            raise ValueError(
                f"the examples have {columns} columns, those the kernel was fitted to "
                f"have {self._columns}."
            )
        if self.kernel.name == "linear":
            return pool.data
        if self.kernel.name == "cosine":
            from sklearn.preprocessing import normalize

            return normalize(_whole(pool))
        out = np.empty((len(pool), self._map.shape[1]))
        step = max(1, 2**20 // len(self._map))
        with one_thread():
            for start in range(0, len(pool), step):
                part = slice(start, start + step)
                out[part] = self._values(pool.held(part)) @ self._map
        return out

    def _values(self, rows: Any) -> Floats:
        """Return the kernel's values of rows with the landmarks."""
        if self.kernel.name == "precomputed":
            return np.asarray(_dense(rows), dtype=np.float64)
        return self.kernel.matrix(rows, self._landmarks, self._gamma)

    def _chosen(self, m: int) -> npt.NDArray[np.int64]:
        wanted = self.kernel.landmarks or (m if m <= EXACT_UP_TO else LANDMARKS)
        if wanted >= m:
            return np.arange(m)
        return np.sort(stream(self.seed, OfSeed.LANDMARKS).choice(m, wanted, replace=False))


@one_thread()
def decomposed(K: Floats) -> tuple[Floats, Floats]:
    """Return eigenvalues, largest first, and eigenvectors of a kernel matrix, or what it lacks.

    It must be symmetric and positive semidefinite up to TOLERANCE; directions that are NEGLIGIBLE
    are left out, so it may be singular.
    """
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(
            f"a kernel matrix has one row and one column for every example of the pool, got shape "
            f"{K.shape}."
        )
    if not np.isfinite(K).all():
        row, column = np.argwhere(~np.isfinite(K))[0]
        raise ValueError(f"the kernel matrix holds {K[row, column]} at ({row}, {column}).")
    size = np.abs(K).max()
    if not size > 0:
        raise ValueError("the kernel matrix is all zeros: no halfspace can decide anything.")
    skew = np.abs(K - K.T)
    if skew.max() > TOLERANCE * size:
        row, column = np.unravel_index(skew.argmax(), K.shape)
        raise ValueError(
            f"the kernel matrix is not symmetric: {K[row, column]:g} at ({row}, {column}) but "
            f"{K[column, row]:g} across the diagonal; up to {TOLERANCE:g} of the largest entry is "
            "taken as rounding."
        )
    values, vectors = eigh((K + K.T) / 2)
    if values[0] < -TOLERANCE * values[-1]:
        raise ValueError(
            f"the kernel matrix is not positive semidefinite: its eigenvalues go from "
            f"{values[0]:g} to {values[-1]:g}, and only -{TOLERANCE:g} of the largest is taken as "
            "rounding. Such a matrix is no matrix of inner products: use a Mercer kernel."
        )
    kept = np.flatnonzero(values > NEGLIGIBLE * values[-1])[::-1]
    return np.asarray(values[kept]), np.asarray(vectors[:, kept])


def _scale(pool: Pool) -> float:
    """Return 1 / (features * variance), as scikit-learn's gamma="scale"."""
    total, squares = 0.0, 0.0
    for start in range(0, len(pool), 4096):
        block = np.asarray(_dense(pool.held(slice(start, start + 4096))), dtype=np.float64)
        total += block.sum()
        squares += (block**2).sum()
    columns = pool.dimension - pool.bias
    n = len(pool) * columns
    variance = squares / n - (total / n) ** 2
    return 1.0 / (columns * variance) if variance > 0 else 1.0


def _whole(pool: Pool) -> Any:
    """Return a pool's numbers, without its bias; those of a centred pool are worked out."""
    return pool.held(slice(0, len(pool)))


def _dense(rows: Any) -> Any:
    return rows if isinstance(rows, np.ndarray) else rows.toarray()
