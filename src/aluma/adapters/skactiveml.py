"""scikit-activeml: ALuMA as one of its pool strategies, and the vote as one of its classifiers.

``ALuMAQuery`` chooses like :class:`aluma.ALuMA`; ``ALuMAClassifier`` labels by the vote of the
halfspaces that agree with the labels. Both take any number of classes and what scikit-activeml
takes for a missing label. Answers that contradict each other are allowed for (``slack="auto"``).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from aluma.arrays import Floats, Ints, positive_integer
from aluma.estimator import scaler_for
from aluma.extras import needed
from aluma.learners.aluma import ALuMA
from aluma.pool import Pool
from aluma.representation.bias import with_bias
from aluma.spaces.history import Event

_base: Any = needed("skactiveml.base", "skactiveml", "aluma.adapters.skactiveml")
_utils: Any = needed("skactiveml.utils", "skactiveml", "aluma.adapters.skactiveml")

#: What scikit-activeml writes for a label that is not known, by its codes.
UNKNOWN = -1


class ALuMAQuery(_base.SingleAnnotatorPoolQueryStrategy):  # type: ignore[misc]
    """Ask where the version space splits most evenly (the paper's learner).

    Parameters
    ----------
    classes : sequence, optional
        All labels there may be; by default those that ``y`` has.
    standardize : "auto" or bool
        Centre the columns, and divide them by their deviations where they have units of their own;
        True in any case, False uses ``X`` as it is. See :class:`aluma.ActiveClassifier`.
    n_hypotheses : int
        Halfspaces that splits are estimated with.
    missing_label : scalar or str or None
        What stands for a label that is not known.
    random_state : int, RandomState or None
        With an int, the same calls in the same order choose the same examples.

    Notes
    -----
    A strategy remembers what it was told in earlier calls: where ``y`` has only become longer it
    learns the new labels alone, as a learner does. Where ``X`` or an earlier label has changed it
    begins anew, which takes longer the more labels there are.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((100, 3))
    >>> y = np.full(100, np.nan)
    >>> query = ALuMAQuery(random_state=0)
    >>> for _ in range(20):
    ...     i = query.query(X, y)
    ...     y[i] = X[i, 0] > 0.3
    >>> int(np.isfinite(y).sum())
    20
    """

    def __init__(
        self,
        classes: Any = None,
        *,
        standardize: bool | str = "auto",
        n_hypotheses: int = 1000,
        missing_label: Any = np.nan,
        random_state: Any = None,
    ) -> None:
        super().__init__(missing_label=missing_label, random_state=random_state)
        self.classes = classes
        self.standardize = standardize
        self.n_hypotheses = n_hypotheses

    def query(
        self,
        X: Any,
        y: Any,
        candidates: Any = None,
        batch_size: int = 1,
        return_utilities: bool = False,
    ) -> Any:
        """Choose the unlabelled examples to ask about.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), labelled and unlabelled examples
        y : array of their labels, ``missing_label`` where there is none
        candidates : indices of unlabelled examples to choose among; by default all of them
        batch_size : how many; of several, they are informative together
        return_utilities : whether to return the second value

        Returns
        -------
        query_indices : array of ``batch_size`` indices
        utilities : array of shape (batch_size, n_samples)
            1 for the example that is chosen, and for the others the share of halfspaces that an
            answer is expected to rule out. NaN where nothing can be chosen.
        """
        X, y, candidates, batch_size, return_utilities = self._validate_data(
            X, y, candidates, batch_size, return_utilities, reset=True
        )
        _, rows = self._transform_candidates(
            candidates, X, y, enforce_mapping=True, allow_only_unlabeled=True
        )
        encoder = _utils.ExtLabelEncoder(classes=self.classes, missing_label=self.missing_label)
        codes = encoder.fit_transform(y)
        if not batch_size:
            chosen = np.empty(0, dtype=np.int64)
            return (chosen, np.empty((0, len(X)))) if return_utilities else chosen
        # At least two, so that there is a vote before labels are known.
        learner = self._learner(X, codes, max(2, len(encoder.classes_)))
        chosen = _among(learner, rows).ask(batch_size)
        if not return_utilities:
            return chosen
        return chosen, _utilities(learner.predict_proba(), rows, chosen)

    def _learner(self, X: Any, codes: Ints, n_classes: int) -> ALuMA:
        kept = getattr(self, "_kept", None)
        wish = _Wish.of(self, X, n_classes)
        self._kept = _taught(wish, X, codes, kept)
        return self._kept.learner


class ALuMAClassifier(_base.SkactivemlClassifier):  # type: ignore[misc]
    """Label by the vote of the halfspaces that agree with the labels known (ALuMA's own rule).

    Probabilities are shares of votes. They say how settled a label is if a straight boundary fits;
    they are not frequencies of being right.

    Parameters
    ----------
    classes : sequence, optional
        All labels there may be; by default those that ``y`` has.
    standardize, n_hypotheses, missing_label
        As for :class:`ALuMAQuery`.
    warm_start : bool
        Where ``y`` has only become longer since the last call of ``fit``, learn the new labels
        alone. That is much faster in a loop; the draws then depend on the order of the labels.
    cost_matrix : array of shape (n_classes, n_classes), optional
        What it costs to predict class j for an example of class i.
    random_state : int, RandomState or None
        With an int, fitting again gives the same votes.
    """

    classes_: npt.NDArray[Any]

    def __init__(
        self,
        classes: Any = None,
        *,
        standardize: bool | str = "auto",
        n_hypotheses: int = 1000,
        warm_start: bool = False,
        missing_label: Any = np.nan,
        cost_matrix: Any = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            classes=classes,
            missing_label=missing_label,
            cost_matrix=cost_matrix,
            random_state=random_state,
        )
        self.standardize = standardize
        self.n_hypotheses = n_hypotheses
        self.warm_start = warm_start

    def fit(self, X: Any, y: Any) -> ALuMAClassifier:
        """Learn from the labels that are known.

        Parameters
        ----------
        X : array of shape (n_samples, n_features); unlabelled examples help to scale the columns
        y : array of n_samples labels, ``missing_label`` where there is none
        """
        X, codes, _ = self._validate_data(X, y)
        kept = getattr(self, "_kept", None) if self.warm_start else None
        self._kept = None
        if len(X) and len(self.classes_) > 1 and (codes != UNKNOWN).any():
            self._kept = _taught(_Wish.of(self, X, len(self.classes_)), X, codes, kept)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the share of votes for each class, (n_samples, n_classes), as ``classes_``.

        All classes have the same share where no label is known.
        """
        check_is_fitted(self)
        X = check_array(X)
        _utils.check_n_features(self, X, reset=False)
        if self._kept is None:
            return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))
        return self._kept.learner.predict_proba(self._kept.scaled(X))


@dataclass(frozen=True)
class _Wish:
    """What a learner is wanted for: with another wish, another learner."""

    examples: bytes
    n_classes: int
    standardize: bool | str
    n_hypotheses: int
    random_state: Any

    @classmethod
    def of(cls, one: Any, X: npt.NDArray[Any], n_classes: int) -> _Wish:
        """Return the wish of a strategy or a classifier."""
        wanted = one.standardize
        if wanted != "auto":
            if not isinstance(wanted, bool | np.bool_):
                raise TypeError(f"standardize must be 'auto', True or False, got {wanted!r}.")
            wanted = bool(wanted)
        size = positive_integer(one.n_hypotheses, "n_hypotheses")
        seen = blake2b(np.ascontiguousarray(X).tobytes(), digest_size=16)
        seen.update(repr((X.shape, X.dtype.str)).encode())
        return cls(seen.digest(), n_classes, wanted, size, one.random_state)

    def met(self, X: npt.NDArray[Any]) -> _Taught:
        """Return a learner that nothing has been told."""
        flat = X.reshape(len(X), -1)
        scaler = scaler_for(flat, self.standardize) if self.standardize else None
        pool = flat if scaler is None else scaler.transform(flat)
        learner = ALuMA(
            with_bias(Pool(pool, prepared=True), True),
            classes=tuple(range(self.n_classes)),
            n_hypotheses=self.n_hypotheses,
            # Whoever loops decides when to stop, and whether labels are checked.
            promise="credible",
            random_state=int(check_random_state(self.random_state).randint(2**31 - 1)),
        )
        return _Taught(self, learner, scaler)


@dataclass
class _Taught:
    """A learner and what it was made for."""

    wish: _Wish
    learner: ALuMA
    scaler: StandardScaler | None

    def scaled(self, X: Any) -> Floats:
        """Return examples as the learner sees them."""
        return np.asarray(X if self.scaler is None else self.scaler.transform(X))


def _taught(wish: _Wish, X: npt.NDArray[Any], codes: Ints, kept: _Taught | None) -> _Taught:
    """Return a learner that has been told the labels, on from what is kept if that has stayed."""
    told = (
        {} if kept is None else dict(zip(kept.learner.answered, kept.learner.answers, strict=True))
    )
    if kept is None or kept.wish != wish or any(codes[i] != code for i, code in told.items()):
        kept, told = wish.met(X), {}
    new = [int(i) for i in np.flatnonzero(codes != UNKNOWN) if i not in told]
    if new:
        kept.learner.tell(new, [int(codes[i]) for i in new])
    return kept


def _among(learner: ALuMA, rows: Ints) -> ALuMA:
    """Return a fork of a learner that asks about these examples only."""
    open_ = learner.eligible
    open_[rows] = False
    others = np.flatnonzero(open_)
    twin = learner.fork()
    if len(others):
        twin.replay([*twin.history, *(Event(int(i), 0) for i in others)])
    return twin


def _utilities(shares: Floats, rows: Ints, chosen: Ints) -> Floats:
    """Return the utilities that each of the chosen was chosen by, a row each."""
    found = np.full((len(chosen), len(shares)), np.nan)
    # Of a class with share p, the answer rules out 1 - p, and it comes with probability p.
    found[:, rows] = (shares * (1 - shares)).sum(axis=1)[rows]
    for place, example in enumerate(chosen):
        found[place, chosen[:place]] = np.nan
        found[place, example] = 1.0
    return found
