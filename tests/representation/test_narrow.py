"""A pool whose examples all lie in one direction is warned about, and no other."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics.pairwise import rbf_kernel

import aluma
from aluma import ActiveClassifier, ALuMA, NarrowPool, Pool, Session
from aluma.app import features
from aluma.learners.registry import ENTRIES
from aluma.representation.narrow import NARROW, narrowness
from evidence import generator, seed_of

SETTINGS: dict[str, Any] = {"slack": "auto", "tolerance": 0.0, "n_hypotheses": 300}

WINE, CULTIVAR = load_wine(return_X_y=True)
NEAR = generator(0).standard_normal((60, 4))
FAR = NEAR + np.array([40.0, 0.0, 0.0, 10.0])


def words(rows: int, vocabulary: int) -> sparse.csr_array:
    """Return texts as unit rows of word counts, by Zipf's law, with weights for rare words."""
    chance = 1 / np.arange(1, vocabulary + 1)
    counts = generator(1).multinomial(15, chance / chance.sum(), rows)
    weights = counts * np.log(rows / (1 + (counts > 0).sum(axis=0)))
    return sparse.csr_array(weights / np.linalg.norm(weights, axis=1, keepdims=True))


def heavy_tailed(columns: int) -> np.ndarray:
    """Return rows of which two are far away and all others together."""
    X = 1 + 1e-3 * generator(2).random((400, columns))
    X[:2] = 1e6
    return X


def test_the_number_is_the_length_of_the_mean_unit_row() -> None:
    X = generator(3).standard_normal((50, 3)) + 2
    units = X / np.linalg.norm(X, axis=1, keepdims=True)
    expected = np.linalg.norm(units.mean(axis=0))
    assert narrowness(Pool(X)) == pytest.approx(expected)
    assert narrowness(Pool(sparse.csr_array(X))) == pytest.approx(expected)
    # A scale of rows is nothing to halfspaces through the origin, and rows of zeros less.
    assert narrowness(Pool(np.vstack([7 * X, np.zeros((9, 3))]))) == pytest.approx(expected)


def test_a_bias_and_a_constant_column_count_for_lengths_only() -> None:
    X = generator(3).standard_normal((50, 3)) + 2
    units = X / np.sqrt((X**2).sum(axis=1, keepdims=True) + 1)
    expected = np.linalg.norm(units.mean(axis=0))
    assert narrowness(Pool(X, bias=True)) == pytest.approx(expected)
    assert narrowness(Pool(np.hstack([np.ones((50, 1)), X]))) == pytest.approx(expected)
    # Nothing but constants: nothing that could be told apart, and nothing to see from elsewhere.
    assert narrowness(Pool(np.ones((50, 3)), bias=True)) == 0


def test_some_rows_stand_for_a_large_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    X = generator(4).standard_normal((5000, 6)) + 1
    whole = np.linalg.norm((X / np.linalg.norm(X, axis=1, keepdims=True)).mean(axis=0))
    assert narrowness(Pool(X)) == pytest.approx(whole, abs=0.05)
    looked: list[int] = []
    rows = Pool.rows

    def counted(self: Pool, indices: Any) -> Any:
        looked.append(len(indices))
        return rows(self, indices)

    monkeypatch.setattr(Pool, "rows", counted)
    narrowness(Pool(X))
    assert sum(looked) <= 2001
    looked.clear()
    monkeypatch.setattr("aluma.representation.narrow.ENTRIES", 600)
    assert narrowness(Pool(X)) == pytest.approx(whole, abs=0.2)
    assert sum(looked) <= 101


@pytest.mark.parametrize(
    ("name", "X"),
    [
        ("wine", WINE),
        ("two kinds of wine", WINE[CULTIVAR < 2]),
        ("breast cancer", load_breast_cancer().data),
        ("iris", load_iris().data[50:]),
        ("sparse wine", sparse.csr_array(WINE)),
        ("wine frame", pd.DataFrame(WINE)),
    ],
)
def test_raw_tables_are_narrow_and_centred_ones_are_not(name: str, X: Any) -> None:
    for bias in (False, True):
        assert narrowness(Pool(X, bias=bias)) > 0.99, name
        assert narrowness(Pool(Pool.centred(X), bias=bias)) < 0.3, name
        assert narrowness(Pool(Pool.centred(X, scale=False), bias=bias)) < 0.6, name


@pytest.mark.parametrize(
    ("name", "X"),
    [
        ("digits", load_digits().data),
        ("a 3 or an 8", load_digits().data[np.isin(load_digits().target, (3, 8))]),
        ("texts", words(500, 2000)),
        ("unit rows", NEAR / np.linalg.norm(NEAR, axis=1, keepdims=True)),
        ("short rows", NEAR / 1000),
        ("thresholds", np.column_stack([np.linspace(-1, 1, 99), np.ones(99)])),
    ],
)
def test_pixels_texts_and_short_rows_are_not(name: str, X: Any) -> None:
    for bias in (False, True):
        # The second is the nearest, with 0.885.
        assert narrowness(Pool(X, bias=bias)) < NARROW - 0.02, name


@pytest.mark.parametrize("name", ENTRIES)
def test_every_learner_warns_once_and_where_it_is_made(name: str) -> None:
    with pytest.warns(NarrowPool) as found:
        learner = ENTRIES[name].learner(FAR, bias=True)
    assert len(found) == 1
    assert found[0].filename == __file__
    learner.fork().tell(0, "yes")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ENTRIES[name].learner(Pool.centred(FAR), bias=True)


def test_the_warning_says_what_was_found_and_what_to_do() -> None:
    with pytest.warns(NarrowPool, match=r"length 0\.99\d .*up to 0\.95.*Pool\.centred\(X\), bias"):
        ALuMA(FAR, **SETTINGS)
    far_tails = Pool.centred(heavy_tailed(8000).astype(np.float32))
    with pytest.warns(NarrowPool, match="centred already.*logarithms"):
        ALuMA(far_tails, bias=True, **SETTINGS)


def test_kernels_of_distances_do_not_mind_where_the_origin_is() -> None:
    ALuMA(FAR, kernel="rbf", **SETTINGS)
    ALuMA(FAR, kernel="laplacian", **SETTINGS)
    ALuMA(FAR, kernel=rbf_kernel, **SETTINGS)
    ALuMA(rbf_kernel(FAR, gamma=1e-6), kernel="precomputed", **SETTINGS)
    for kernel in ("linear", "poly", "cosine"):
        with pytest.warns(NarrowPool):
            ALuMA(FAR, kernel=kernel, **SETTINGS)
    with pytest.warns(NarrowPool):
        ALuMA(FAR, dimension=10, slack=0.01, tolerance=0.0)


def test_nothing_is_said_of_prepared_pools_nor_of_a_few_examples(tmp_path: Path) -> None:
    prepared = Pool(FAR, prepared=True)
    assert Pool(prepared, bias=True).prepared
    assert prepared.fingerprint() == Pool(FAR).fingerprint()
    ALuMA(prepared, bias=True, **SETTINGS)
    with Session.create(tmp_path / "a.aluma", prepared, bias=True, **SETTINGS) as session:
        session.tell(3, "yes")
    with Session.open(tmp_path / "a.aluma", prepared) as session:
        assert session.n_answers == 1
    for few in (1, 2, 9):
        ALuMA(FAR[:few], **SETTINGS)
    ALuMA(np.zeros((5, 2)), **SETTINGS)


def test_the_estimator_warns_only_where_it_does_not_centre() -> None:
    y = CULTIVAR == 1
    for more in ({}, {"kernel": "rbf"}, {"bias": False}, {"kernel": "poly"}):
        ActiveClassifier(budget=5, n_hypotheses=200, **more).fit(WINE, y)
    with pytest.warns(NarrowPool):
        ActiveClassifier(budget=3, n_hypotheses=200, standardize=False).fit(WINE, y)


@pytest.mark.parametrize(
    "table", [pd.DataFrame(WINE), pd.DataFrame(heavy_tailed(30)), pd.DataFrame({"x": [1, 2, 1e9]})]
)
def test_what_the_page_makes_of_a_table_is_not_narrow(table: pd.DataFrame) -> None:
    assert narrowness(Pool(features.of_table(table).X, bias=True)) < NARROW


def test_raw_wine_is_warned_about_and_centred_wine_is_learnt() -> None:
    two = CULTIVAR < 2
    X, y = WINE[two], CULTIVAR[two]
    with pytest.warns(NarrowPool):
        ALuMA(X, bias=True, **SETTINGS)
    right = []
    for seed in range(3):
        learner = ALuMA(
            Pool.centred(X), bias=True, classes=(0, 1), random_state=seed_of(seed), **SETTINGS
        )
        aluma.run(learner, y, budget=40)
        right.append((learner.predict() == y).mean())
    # With each of ten seeds all were right.
    assert np.mean(right) > 0.95


def test_huge_constant_columns_are_warned_about() -> None:
    X = np.hstack([NEAR, np.full((60, 2), 1e4), np.zeros((60, 1))])
    with pytest.warns(NarrowPool, match=r"the same in every row are [0-9,]+ times as long"):
        ALuMA(X, bias=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ALuMA(np.hstack([NEAR, np.full((60, 2), 10.0)]), bias=True)
        ALuMA(Pool.centred(X), bias=True)
