"""Units of columns: those of a table are made alike, coordinates of one thing keep their scales."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from aluma import ActiveClassifier, Pool
from aluma.estimator import scaler_for
from aluma.pool.units import divisors, have_own_units


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
@pytest.mark.parametrize("unit", [0.01, 1.0, 100.0])
def test_columns_of_a_table_are_divided_by_their_deviations(load: Any, unit: float) -> None:
    X = unit * load().data
    np.testing.assert_allclose(scaler_for(X, "auto").scale_, StandardScaler().fit(X).scale_)
    assert Pool.centred(X, scale="auto").preparation == "centred and scaled"


@pytest.mark.parametrize("unit", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("kind", ["pixels", "components", "lengths"])
def test_coordinates_of_one_thing_keep_their_scales(kind: str, unit: float) -> None:
    X = load_iris().data if kind == "lengths" else load_digits().data
    X = unit * (PCA(30, svd_solver="full").fit_transform(X) if kind == "components" else X)
    scaler = scaler_for(X, "auto")
    assert len(set(scaler.scale_)) == 1
    assert np.mean(scaler.transform(X).var(axis=0)) == pytest.approx(1.0)
    pool = Pool.centred(X, scale="auto")
    assert pool.preparation == "centred and scaled as a whole"
    np.testing.assert_allclose(pool.rows([0, 5]), scaler.transform(X[[0, 5]]))


def test_constant_columns_and_none_at_all_are_no_units() -> None:
    assert not have_own_units(np.zeros(0))
    assert divisors(np.zeros(2), np.zeros(2, bool), "auto").tolist() == [1.0, 1.0]
    constant = np.array([[1.0, 7.0], [2.0, 7.0], [4.0, 7.0]])
    assert scaler_for(constant, "auto").transform(constant)[:, 1].tolist() == [0.0, 0.0, 0.0]


def test_the_estimator_does_so_by_itself_for_arrays_and_pools() -> None:
    data, y = load_digits(n_class=2, return_X_y=True)
    X = PCA(20, svd_solver="full").fit_transform(data)
    for given in (X, Pool(X)):
        model = ActiveClassifier(budget=8, n_hypotheses=200).fit(given, y)
        assert len(set(model._scaler.scale_)) == 1
        values = X @ model.coef_[0] + model.intercept_[0]
        np.testing.assert_allclose(model.decision_function(given), values, rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match="standardize must be 'auto', True or False"):
        ActiveClassifier(standardize="columns").fit(X, y)
