"""What people reach for today, with the face of a learner: for comparisons only.

The strategies are those of the installed libraries. They keep no version space: any answers are
fine, and nothing is promised. They are not among the learners that sessions and the estimator
offer; :func:`aluma.run` drives them like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from aluma.errors import MissingExtra
from aluma.learners.learner import Learner, Parts
from aluma.prediction.logistic import Logistic, LogisticFits
from aluma.promises.nothing_left import NothingLeft
from aluma.promises.promise import no_version_space
from aluma.representation.view import View
from aluma.spaces.unconstrained import Unconstrained
from aluma.strategies.logistic import ByLogistic, FromSkactiveml, LeastMargin
from aluma.streams import entropy


class LogisticMargin(Learner):
    """Margin sampling with logistic regression: ask where its probability is closest to 1/2.

    Until answers of both classes are there, questions come in the random order of the seed and
    everything is predicted to be of the class told.

    Parameters
    ----------
    X, classes, budget, random_state
        As for every learner, see :class:`aluma.learners.learner.Learner`.
    intercept : bool
        Fit one, unpenalised, as scikit-learn does by default.
    C : float
        Inverse strength of regularisation, scikit-learn's default.
    """

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        budget: int | None = None,
        intercept: bool = True,
        C: float = 1.0,
        random_state: Any = 0,
    ) -> None:
        self.intercept, self.C, self.seed = intercept, float(C), entropy(random_state)
        view, fits = View.of(X), LogisticFits(intercept, self.C)
        parts = _parts(view, fits, LeastMargin(fits, self.seed), type(self).__name__)
        super().__init__(view, parts, classes=classes, budget=budget)


class SkactivemlLearner(Learner):
    """A pool strategy of scikit-activeml, with logistic regression as its classifier.

    Parameters
    ----------
    X, classes, budget, intercept, C, random_state
        As for :class:`LogisticMargin`.
    strategy : str
        Name of a class in ``skactiveml.pool``, for instance "UncertaintySampling".
    settings : dict, optional
        Its keyword arguments.
    """

    def __init__(
        self,
        X: Any,
        *,
        strategy: str = "UncertaintySampling",
        settings: Mapping[str, Any] | None = None,
        classes: Sequence[Any] | None = None,
        budget: int | None = None,
        intercept: bool = True,
        C: float = 1.0,
        random_state: Any = 0,
    ) -> None:
        if find_spec("skactiveml") is None:
            raise MissingExtra("SkactivemlLearner", "scikit-activeml", "lab")
        from skactiveml import pool

        if not hasattr(pool, strategy):
            raise ValueError(f"skactiveml.pool has no strategy {strategy!r}.")
        self.strategy, self.settings = strategy, dict(settings or {})
        self.intercept, self.C, self.seed = intercept, float(C), entropy(random_state)
        view, fits = View.of(X), LogisticFits(intercept, self.C)
        chooser = FromSkactiveml(fits, self.seed, getattr(pool, strategy), self.settings)
        parts = _parts(view, fits, chooser, type(self).__name__)
        super().__init__(view, parts, classes=classes, budget=budget)


def _parts(view: View, fits: LogisticFits, strategy: ByLogistic, name: str) -> Parts:
    return Parts(
        space=Unconstrained(view.pool),
        strategy=strategy,
        prediction=Logistic(fits),
        stopping=NothingLeft(),
        promise=no_version_space(name),
    )
