"""scikit-learn's own checks of ActiveClassifier: all of them, no expected failures."""

from typing import Any

from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from aluma.estimator import ActiveClassifier

#: They fit dozens of times, and what they check does not depend on how much is asked: the defaults
#: pass too, but slower.
LITTLE = {"budget": 12, "n_hypotheses": 64}
#: One of them wants 83% of three blobs that overlap, which takes forty questions.
WANTS_A_SCORE = "check_classifiers_train"


@parametrize_with_checks([ActiveClassifier(budget=30, n_hypotheses=100)])
def test_scikit_learn_checks(estimator: ActiveClassifier, check: Any) -> None:
    # A copy: all checks are given the same one.
    wanted = {} if check.func.__name__ == WANTS_A_SCORE else LITTLE
    check(clone(estimator).set_params(**wanted))
