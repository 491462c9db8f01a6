"""ALuMA among scikit-activeml's strategies and classifiers, in loops as its users write them."""

import numpy as np
import pytest

pytest.importorskip("skactiveml", reason="needs scikit-activeml: aluma[skactiveml]")

from skactiveml.exceptions import MappingError
from skactiveml.pool import UncertaintySampling

from aluma import ALuMA, Pool
from aluma.adapters.skactiveml import ALuMAClassifier, ALuMAQuery
from evidence import generator

SIZE = 200


def three_kinds():
    """Return points of the plane and which of three is largest, as text."""
    X = generator(1).standard_normal((SIZE, 3)) * [1.0, 30.0, 0.2] + [5.0, -80.0, 0.0]
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, np.array(["ash", "elm", "oak"])[scaled.argmax(axis=1)]


def test_a_loop_with_three_classes_and_batches_learns_what_it_asks_about():
    X, truth = three_kinds()
    y = np.full(SIZE, None, dtype=object)
    query = ALuMAQuery(missing_label=None, n_hypotheses=200, random_state=0)
    for _ in range(6):
        chosen, utilities = query.query(X, y, batch_size=5, return_utilities=True)
        assert len(set(chosen.tolist())) == 5
        assert all(label is None for label in y[chosen])
        assert np.array_equal(np.nanargmax(utilities, axis=1), chosen)
        assert np.isnan(utilities[0]).sum() == sum(label is not None for label in y)
        y[chosen] = truth[chosen]
    model = ALuMAClassifier(missing_label=None, n_hypotheses=200, random_state=0).fit(X, y)
    assert model.predict_proba(X).shape == (SIZE, 3)
    assert (model.predict(X) == truth).mean() > 0.75  # a third at random


def test_going_on_asks_what_a_learner_asks_and_a_changed_label_begins_anew():
    X = generator(2).standard_normal((80, 2))
    y = np.full(80, np.nan)
    query = ALuMAQuery(standardize=False, n_hypotheses=200, random_state=7)
    first = int(query.query(X, y)[0])
    learner = ALuMA(
        Pool(X, prepared=True), bias=True, classes=(0, 1), n_hypotheses=200, promise="credible",
        random_state=int(np.random.RandomState(7).randint(2**31 - 1)),
    )  # fmt: skip
    for _ in range(6):
        i = int(query.query(X, y)[0])
        assert i == learner.ask()
        y[i] = float(X[i, 0] > 0.2)
        learner.tell(i, int(y[i]))
    y[first] = 1.0 - y[first]
    again = ALuMAQuery(standardize=False, n_hypotheses=200, random_state=7)
    assert query.query(X, y) == again.query(X, y)


def test_candidates_are_indices_and_the_only_ones_chosen():
    X = generator(3).standard_normal((60, 2))
    y = np.where(np.arange(60) < 4, X[:, 0] > 0, np.nan)
    query = ALuMAQuery(n_hypotheses=200, random_state=0)
    chosen, utilities = query.query(X, y, candidates=[10, 20, 30], batch_size=2,
                                    return_utilities=True)  # fmt: skip
    assert set(chosen) <= {10, 20, 30}
    assert np.flatnonzero(np.isfinite(utilities[0])).tolist() == [10, 20, 30]
    with pytest.raises(MappingError):
        query.query(X, y, candidates=X[10:12])
    with pytest.raises(ValueError, match="labeled"):
        query.query(X, y, candidates=[0])


def test_the_classifier_serves_their_strategies_and_goes_on_if_wanted():
    X = generator(4).standard_normal((60, 2))
    y = np.where(np.arange(60) < 6, (X[:, 0] > 0) * 1.0, np.nan)
    y[:2] = 0.0, 1.0
    model = ALuMAClassifier(classes=[0, 1], n_hypotheses=200, warm_start=True, random_state=0)
    chosen = UncertaintySampling(random_state=0).query(X, y, clf=model)
    assert np.isnan(y[chosen]).all()
    model.fit(X, y)
    learner = model._kept.learner
    y[chosen] = (X[chosen, 0] > 0) * 1.0
    assert model.fit(X, y)._kept.learner is learner
    assert learner.n_answers == 7
    model.warm_start = False
    assert model.fit(X, y)._kept.learner is not learner


def test_wrong_settings_are_named():
    X, y = np.eye(3), np.full(3, np.nan)
    with pytest.raises(TypeError, match="standardize must be 'auto', True or False"):
        ALuMAQuery(standardize="yes").query(X, y)
    with pytest.raises(ValueError, match="n_hypotheses must be at least 1"):
        ALuMAClassifier(classes=[0, 1], n_hypotheses=0).fit(X, [0, 1, np.nan])
