"""A scikit-learn classifier that looks at few of the labels it is given."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from aluma import bounds
from aluma.arrays import Floats, Ints, is_number, positive_integer, probability
from aluma.completion import Asked, codes_of, complete, is_pool, question, values_of
from aluma.errors import Undecided
from aluma.learners.learner import Learner
from aluma.learners.registry import ENTRIES, strategy
from aluma.learners.settings import accepted, taken
from aluma.pool import Pool
from aluma.pool.units import divisors
from aluma.promises.ledger import Ledger
from aluma.representation.bias import checked_bias, with_bias
from aluma.representation.kernels import KernelMap, is_precomputed
from aluma.representation.lift import checked_slack
from aluma.representation.prior import checked_prior
from aluma.streams import entropy

#: What X may be. The support vector machine takes no 64-bit sparse indices.
ACCEPTED: dict[str, Any] = {
    "accept_sparse": "csr",
    "accept_large_sparse": False,
    "dtype": [np.float64, np.float32],
}

#: Numbers that a projected pool may have: two gigabytes of them.
MOST_PROJECTED = 2**28


class ActiveClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier fitted with at most ``budget`` of the labels (Algorithm 4).

    ``y`` plays the teacher. Beforehand only the set of its classes is read; then a learner asks
    for one label after the other and labels the rest of ``X`` by its vote, and a support vector
    machine is fitted to the completed labels.

    Unlike the learners, which use ``X`` as given, it centres the columns (a sparse ``X`` is scaled
    only, or it would not stay sparse), divides them by their deviations where they have units of
    their own, and adds a bias, all by default. ``coef_`` and ``intercept_`` are for the columns as
    given.

    Parameters
    ----------
    strategy : str
        Who chooses the questions: a name in :data:`aluma.learners.registry.ENTRIES`.
    budget : int
        How many labels are looked at, at most; fewer if the learner has finished before.
    kernel : str, callable, dict or None
        For boundaries that are not flat: "rbf", "poly", "cosine", "precomputed" (``X`` is then the
        kernel matrix of the pool, and used as it is), a function, or a dict with parameters such as
        ``{"name": "rbf", "gamma": 0.5}``; see :class:`aluma.representation.Kernel`.
    slack : "auto" or float
        What contradicting answers may cost, H in Algorithm 3. "auto" assumes that the classes can
        be separated until answers contradict each other, and then starts again from the answers it
        has with the smallest slack that they need at ``margin``. For strategies that allow for it.
    margin : float, optional
        gamma, for examples scaled so that the longest has length 1.
    dimension : int, "auto" or None
        Project the lifted examples to that many dimensions, as Algorithm 3 does, instead of using
        their exact version space; ``slack`` must then be a number. "auto" takes as many as Theorem
        17 asks for at ``margin``, ``slack`` and half of ``delta``
        (:func:`aluma.bounds.projection_dimension`), and the learner gets the other half.
    delta : float
        What may fail, in all; ``promise_`` says where it went.
    estimate : {"sampling", "verified", "volume"}
        How "aluma" estimates splits: by votes, by Algorithm 2 or by Algorithm 1 of the paper, see
        docs/estimate.md. The last two promise something, and for more than two classes have a
        learner for each class against the rest.
    alpha : float
        "aluma" asks, of all examples whose split is within this factor of the best, the one that
        leaves the least disagreement. 1 is the paper's.
    tolerance : float, optional
        Check the labels at random and stop when at most this share of ``labels_`` is wrong, with
        confidence 1 - ``delta``, whatever the data; ``budget`` then counts checks too. For
        strategies that take ``promise="audited"``, and of those for more than two classes "aluma"
        only. By default nothing is checked.
    prior : {"pool", "ball"}
        Which halfspaces are likely beforehand, for strategies that let one choose: "pool" expects
        directions in which rows differ much to tell the classes apart, "ball" has all alike, as the
        paper does; see :class:`aluma.ALuMA`.
    C : float
        Of the support vector machine that is fitted to the completed labels: what a wrong one
        costs.
    standardize : "auto" or bool
        True centres the columns and divides each by its standard deviation. The scale of a column
        says how much it is expected to matter, which in embeddings, components and pixels means
        something: "auto" divides columns by their deviations only where the largest is more than
        30 times the median, as in a table of unlike things, and elsewhere all by one number. False
        uses ``X`` as it is.
    bias : bool or float
        Consider halfspaces that do not pass through the origin of the (centred) columns, by a
        constant feature: True for one half as long as a typical row, or the number itself.
    n_hypotheses : int
        Size of the population that splits are estimated and labels voted with; "iwal" has none.
    random_state : int, RandomState, Generator or None
        With an int, fitting again asks the same questions.

    Attributes
    ----------
    classes_ : array of the classes, sorted
    queried_ : array of the positions in ``X`` whose labels were looked at, in order
    n_queries_ : how many they are
    labels_ : array of the labels of ``X``: as answered where asked, inferred elsewhere
    coef_, intercept_ : halfspaces, one for two classes and otherwise one for each class; of the
        columns, so only without a kernel
    promise_ : what can be said of ``labels_``: proven by checks at random, or under which
        assumption it is an estimate, and where ``delta`` went. It says nothing about other examples
    dimension_ : what the examples were projected to, or None
    slack_ : the largest slack that was allowed for
    doubts_ : array of the shares of halfspaces that dispute each answer, in the order of
        ``queried_``: large ones are worth checking
    conflict_ : None, or a tuple of positions in ``X``
        The first answers that no halfspace could agree with at once (for one class against the
        rest, if there are more than two); empty if it could not be settled in float64.
    n_features_in_, feature_names_in_ : as in every scikit-learn estimator

    Notes
    -----
    Algorithm 4 as printed, with inputs X (or, with ``kernel="precomputed"``, K), N, gamma, H and
    delta, is ``ActiveClassifier(budget=N, margin=gamma, slack=H, delta=delta, dimension="auto",
    estimate="volume", alpha=1, prior="ball", standardize=False, bias=False).fit(X, y)``.

    With more than two classes, "aluma" has one learner for all of them. Other strategies, other
    estimates than "sampling" and a projection to some ``dimension`` have a learner for each class
    against the rest, which choose the questions in turn; an answer is told to all of them and
    counts once. An example gets the class with the largest vote, in ``predict`` the largest
    decision value, and the first of classes that tie. With two classes ties go to ``classes_[1]``.

    Where slack is not allowed for, a learner whose answers contradict each other asks no more; with
    two classes that ends the asking. Its vote cannot be relied on any more: the support vector
    machine, which tolerates contradictions, is then fitted to the answers alone and infers the
    other labels.

    References
    ----------
    A. Gonen, S. Sabato and S. Shalev-Shwartz, "Efficient active learning of halfspaces: an
    aggressive approach", Journal of Machine Learning Research 14, 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ActiveClassifier(budget=20).fit(X, y)
    >>> model.n_queries_
    20
    >>> model.score(X, y) > 0.9
    True
    """

    classes_: npt.NDArray[Any]
    queried_: Ints
    n_queries_: int
    labels_: npt.NDArray[Any]
    coef_: Floats
    intercept_: Floats
    conflict_: tuple[int, ...] | None
    promise_: str
    dimension_: int | None
    slack_: float
    doubts_: Floats

    def __init__(
        self,
        strategy: str = "aluma",
        budget: int = 100,
        *,
        kernel: Any = None,
        slack: float | str = "auto",
        margin: float | None = None,
        dimension: int | str | None = None,
        delta: float = 0.05,
        estimate: str = "sampling",
        alpha: float = 1.05,
        tolerance: float | None = None,
        prior: str = "pool",
        C: float = 1.0,
        standardize: bool | str = "auto",
        bias: bool | float = True,
        n_hypotheses: int = 1000,
        random_state: Any = 0,
    ) -> None:
        self.strategy = strategy
        self.budget = budget
        self.kernel = kernel
        self.slack = slack
        self.margin = margin
        self.dimension = dimension
        self.delta = delta
        self.estimate = estimate
        self.alpha = alpha
        self.tolerance = tolerance
        self.prior = prior
        self.C = C
        self.standardize = standardize
        self.bias = bias
        self.n_hypotheses = n_hypotheses
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> ActiveClassifier:
        """Ask for at most ``budget`` entries of ``y``, complete them and fit a halfspace.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features), or a pool that need
            not fit into memory: a Pool, a zarr or Dask array, or a path (without a kernel)
        y : array of n_samples labels, of two or more classes

        Returns
        -------
        self
        """
        budget = positive_integer(self.budget, "budget")
        self._check_settings()
        if is_pool(X):
            X = Pool(X)
            self._check_pool(X)
            y = column_or_1d(y)
            check_consistent_length(range(len(X)), y)
        else:
            X, y = validate_data(self, X, y, **ACCEPTED)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has one class only ({self.classes_[0]!r}), so there is nothing to decide: "
                "give labels of at least two classes."
            )
        features = self._fit_features(X)
        positives = range(len(self.classes_)) if len(self.classes_) > 2 else range(1, 2)

        jointly = len(positives) > 1 and self._is_joint()
        ledger = self._ledger(len(y), 1 if jointly else len(positives))
        learners = self._learners(features, ledger, jointly)
        decided = [None] if jointly else positives
        asked = question(learners, decided, lambda i: int(codes[i]), budget)
        completed, self._halfspaces = complete(
            learners, positives, features, asked, bool(self.bias), float(self.C)
        )

        self.queried_ = np.array(asked.indices, dtype=np.int64)
        self.n_queries_ = len(asked.indices)
        self.labels_ = self.classes_[completed]
        self.promise_ = _promise(learners, asked, ledger)
        self.dimension_ = ledger.dimension
        self._note_slack(learners, asked)
        if self._map.kernel.is_linear:
            self.coef_, self.intercept_ = _unscaled(self._halfspaces, self._scaler)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the signed distances, up to scale, from the halfspaces' boundaries.

        Of shape (n_samples,), positive for ``classes_[1]``, if there are two classes; otherwise
        (n_samples, n_classes).
        """
        values = self._decisions(X)
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of each example by Algorithm 4's support vector machine."""
        values = self._decisions(X)
        return np.asarray(self.classes_[codes_of(values, 0.0)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        return tags

    def _decisions(self, X: Any) -> Floats:
        check_is_fitted(self)
        if is_pool(X):
            return self._decisions_of(Pool(X))
        X = validate_data(self, X, reset=False, **ACCEPTED)
        if self._map.kernel.is_linear:
            return np.asarray(X @ self.coef_.T + self.intercept_)
        return values_of(self._features(X), self._halfspaces)

    def _decisions_of(self, pool: Pool) -> Floats:
        """Return the decision values of a pool's examples, computed where they are."""
        if pool.dimension != self.n_features_in_ or not self._map.kernel.is_linear:
            raise ValueError(
                f"X has {pool.dimension} features and the classifier {self.n_features_in_}, with "
                f"kernel {self.kernel!r}: pools need the same columns, and no kernel."
            )
        return values_of(pool, np.column_stack([self.coef_, self.intercept_]))

    def _check_pool(self, pool: Pool) -> None:
        """Say what cannot be done with a pool that need not fit into memory."""
        if self.kernel not in (None, "linear"):
            raise ValueError(
                f"kernel={self.kernel!r} makes features in memory: pass an array, or leave it out."
            )
        if pool.bias:
            raise ValueError("the pool has a bias already: use bias=True of the classifier.")
        self.n_features_in_ = pool.dimension

    def _fit_features(self, X: Any) -> Any:
        """Learn to scale the columns and to compute the kernel's features; return those of X."""
        if isinstance(X, Pool):
            self._map = KernelMap(None, 0)
            scale: bool | str = "auto" if self.standardize == "auto" else True
            seen = Pool.centred(X, scale=scale) if self.standardize and not X.preparation else X
            self._scaler = scaler_of(*seen.moved_by) if seen.preparation else None
            return seen
        scaled = self.standardize and not is_precomputed(self.kernel)
        self._scaler = scaler_for(X, self.standardize) if scaled else None
        examples = Pool(X if self._scaler is None else self._scaler.transform(X))
        self._map = KernelMap(self.kernel, _landmark_seed(self.random_state)).fit(examples)
        return self._map.features(examples)

    def _features(self, X: Any) -> Any:
        return self._map.features(Pool(X if self._scaler is None else self._scaler.transform(X)))

    def _is_prepared(self) -> bool:
        """Say whether the features are centred, or a kernel's: a sparse X is scaled only."""
        centred = self._scaler is not None and self._scaler.with_mean
        return bool(centred or not self._map.kernel.is_linear)

    def _note_slack(self, learners: Sequence[Learner], asked: Asked) -> None:
        """Keep what contradictions cost, and who is in doubt."""
        loosened = [learner.conflict for learner in learners if learner.conflict is not None]
        self.conflict_ = asked.conflict
        if asked.conflict is None and loosened:
            self.conflict_ = loosened[0].indices
        self.slack_ = max(learner.allowed_slack for learner in learners)
        self.doubts_ = np.zeros(len(asked.indices))
        for learner in learners:
            doubts = learner.doubts()
            self.doubts_[: len(doubts)] = np.maximum(self.doubts_[: len(doubts)], doubts)

    def _is_joint(self) -> bool:
        """Say whether one learner tells more than two classes apart."""
        known = isinstance(self.strategy, str) and self.strategy in ENTRIES
        simple = self.dimension is None and self.estimate == "sampling"
        return known and ENTRIES[self.strategy].any_number and simple

    def _check_settings(self) -> None:
        """Refuse what no learner looks at."""
        probability(self.delta, "delta")
        checked_prior(self.prior)
        if not is_number(self.C) or not 0 < self.C < np.inf:
            raise ValueError(f"C must be a positive number, got {self.C!r}: 1.0 is usual.")
        if self.standardize != "auto" and not isinstance(self.standardize, bool | np.bool_):
            raise ValueError(
                f"standardize must be 'auto', True or False, got {self.standardize!r}."
            )
        usual = inspect.signature(type(self)).parameters
        known = accepted(strategy(self.strategy))
        for name in ("estimate", "alpha"):
            if name not in known and getattr(self, name) != usual[name].default:
                raise ValueError(
                    f"strategy {self.strategy!r} takes no {name}, got {getattr(self, name)!r}: "
                    "leave it out, or use strategy='aluma'."
                )

    def _ledger(self, m: int, count: int) -> Ledger:
        """Return where delta goes, and with it the dimension that the examples are projected to."""
        plan = Ledger(self.delta, count, self.estimate, checked=self.tolerance is not None)
        if not isinstance(self.dimension, str):
            return replace(plan, dimension=self.dimension)
        plan = replace(plan, by_theorem=True)
        return replace(plan, dimension=self._theorems_dimension(m, plan.projection))

    def _theorems_dimension(self, m: int, delta: float) -> int:
        """Return the k of Theorem 17, or say why there is none."""
        if self.dimension != "auto" or self.margin is None or self.slack == "auto":
            raise ValueError(
                f"dimension={self.dimension!r}, margin={self.margin!r} and slack={self.slack!r}: "
                "dimension must be a number, None or 'auto'; 'auto' follows from the margin and "
                "the slack (0 if the classes can be separated), so give both as numbers."
            )
        k = bounds.projection_dimension(self.margin, checked_slack(self.slack), m, delta)
        if m * k > MOST_PROJECTED:
            raise ValueError(
                f"Theorem 17 asks for {k:,} dimensions at margin {self.margin:g}, slack "
                f"{self.slack:g} and {m:,} examples, which do not fit into memory: leave dimension "
                "out, which has the exact lifted version space, or choose a number."
            )
        return k

    def _learners(self, X: Any, ledger: Ledger, jointly: bool) -> list[Learner]:
        """Return learners of "this class or not", or of all classes, on one pool.

        A single one has the seed given.
        """
        chosen, seed, count = strategy(self.strategy), entropy(self.random_state), ledger.learners
        offered: dict[str, Any] = {
            "classes": tuple(range(len(self.classes_))) if jointly else (False, True),
            "n_hypotheses": self.n_hypotheses,
            # Of several classes, the sides of separators leave too many claimed twice or by none.
            "predict_with": "vote",
            "promise": "credible" if self.tolerance is None else "audited",
            "tolerance": 0.0 if self.tolerance is None else self.tolerance,
            "slack": self.slack,
            "margin": self.margin,
            "dimension": ledger.dimension,
            "delta": ledger.each,
            "estimate": self.estimate,
            "alpha": self.alpha,
            "prior": self.prior,
            # VolEst's share of delta is for so many rounds.
            "budget": self.budget if self.estimate != "sampling" else None,
        }
        settings = taken(chosen, offered)
        if self.tolerance is not None and (count > 1 or "promise" not in settings):
            raise ValueError(
                f"tolerance={self.tolerance!r} checks labels at random, by a strategy that can; "
                f"{self.strategy!r} cannot for {len(self.classes_)} classes. Leave it out and "
                "check labels_ with aluma.audit(), or use strategy='aluma' and no dimension."
            )
        if "slack" not in settings and (
            self.slack not in ("auto", 0) or self.dimension is not None
        ):
            raise ValueError(
                f"strategy {self.strategy!r} does not allow for slack: leave slack at 'auto' and "
                "dimension out, or use strategy='aluma'."
            )
        pool = with_bias(Pool(X, prepared=self._is_prepared()), checked_bias(self.bias))
        seeds = np.random.SeedSequence(seed).generate_state(count, np.uint64).tolist()
        each = [{"random_state": one, **settings} for one in (seeds if count > 1 else [seed])]
        return [chosen(pool, **its) for its in each]


def _promise(learners: Sequence[Learner], asked: Asked, ledger: Ledger) -> str:
    """Return what can be said of the completed labels, and where delta went."""
    if len(learners) == 1 and asked.conflict is None and learners[0].parts.promise.certifies:
        # Nothing needs to be proven for it.
        with suppress(Undecided):
            if ledger.estimate != "sampling":
                ledger = replace(ledger, hypotheses=learners[0].population.size)
            return f"{learners[0].certificate(proof_seconds=0.0)} {ledger}"
    return (
        f"{len(asked.indices):,} of {len(learners[0].pool):,} labels were given. No other has been "
        "checked at random, so nothing is promised about them: aluma.audit() checks any labels."
    )


def _landmark_seed(random_state: Any) -> int:
    """Return the seed of the landmarks; a generator's own draws are left to the learners."""
    return random_state if isinstance(random_state, int) and random_state >= 0 else 0


def scaler_for(X: Any, standardize: bool | str) -> StandardScaler:
    """Return what centres and scales columns, as "auto" or True says; a sparse X is scaled only."""
    scaler = StandardScaler(with_mean=isinstance(X, np.ndarray)).fit(X)
    if standardize == "auto":
        spread = np.sqrt(scaler.var_)
        # Where a column is constant, the scaler has 1.
        varies = spread == scaler.scale_
        scaler.scale_ = divisors(spread, varies, "auto")
        scaler.var_ = scaler.scale_**2
    return scaler


def scaler_of(mean: Floats, scale: Floats) -> StandardScaler:
    """Return what does to columns what a centred pool does."""
    scaler = StandardScaler()
    scaler.mean_, scaler.scale_, scaler.var_ = mean, scale, scale**2
    scaler.n_features_in_ = len(mean)
    return scaler


def _unscaled(halfspaces: Floats, scaler: StandardScaler | None) -> tuple[Floats, Floats]:
    """Return coefficients and intercepts for the columns as they were before scaling."""
    coef, intercept = halfspaces[:, :-1], halfspaces[:, -1]
    if scaler is None:
        return coef, intercept
    coef = coef / scaler.scale_
    return coef, intercept - coef @ scaler.mean_ if scaler.with_mean else intercept
