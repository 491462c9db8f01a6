"""A centred pool has the numbers of a centred array, whatever it holds, and makes no such array."""

import math
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from aluma import ALuMA, Pool, Session, WrongPool
from aluma.pool import BLOCK_BYTES, LARGEST_ENTRY
from aluma.pool.moments import moments
from aluma.pool.stores import store_of
from aluma.representation.lift import largest_norm
from evidence import generator

SETTINGS: dict[str, Any] = {"bias": True, "slack": 0.0, "tolerance": 0.0, "n_hypotheses": 300}

#: Columns far from 0, all zeros, constant, of 0 and 1, of large numbers, and ordinary ones.
NUMBERS = np.round(generator(0).standard_normal((200, 7)), 2)
NUMBERS[:, 0] += 1e8
NUMBERS[:, 1] = 0.0
NUMBERS[:, 2] = 0.1
NUMBERS[:, 3] = NUMBERS[:, 3] > 1.2
NUMBERS[:, 4] *= 1e6
NUMBERS[NUMBERS[:, 5] < 0.5, 5] = 0.0


def explicitly(X: np.ndarray, *, scale: bool = True) -> np.ndarray:
    """Return an array centred by sums without rounding."""
    mean = np.array([math.fsum(column) / len(X) for column in X.T])
    # A second look, because the mean of numbers near 1e8 is itself rounded.
    mean += [math.fsum(column) / len(X) for column in (X - mean).T]
    apart = X - mean
    spread = np.sqrt([math.fsum(column) / len(X) for column in (apart**2).T])
    constant = np.ptp(X, axis=0) == 0
    apart[:, constant] = 0.0
    return apart / np.where(constant | (not scale), 1.0, spread)


def kinds(X: np.ndarray) -> dict[str, Any]:
    names = [f"c{j}" for j in range(X.shape[1])]
    return {
        "array": X,
        "column-major": np.asfortranarray(X),
        "frame": pd.DataFrame(X, columns=names, index=[f"r{i}" for i in range(len(X))]),
        "csr": sparse.csr_array(X),
        "csc": sparse.csc_matrix(X),
        "pool": Pool(X),
    }


def agree(pool: Pool, expected: np.ndarray, what: str) -> None:
    """Compare everything that a pool hands out with an array."""
    m, d = expected.shape
    W = generator(1).standard_normal((4, d + pool.bias))
    full = np.hstack([expected, np.ones((m, 1))]) if pool.bias else expected
    size = max(1.0, float(np.abs(full).max()))
    chosen = np.array([m - 1, 0, 0])
    np.testing.assert_allclose(pool.rows(chosen), full[chosen], atol=1e-7 * size, err_msg=what)
    blocks = np.vstack([rows for _, rows in pool.blocks(3)])
    np.testing.assert_allclose(blocks, full, atol=1e-7 * size, err_msg=what)
    products = full @ W.T
    room = 1e-5 * size * math.sqrt(d + 1)
    np.testing.assert_allclose(pool.margins(W), products, atol=room, err_msg=what)
    np.testing.assert_allclose(pool.margins(W, chosen), products[chosen], atol=room, err_msg=what)
    lengths = np.linalg.norm(full, axis=1)
    np.testing.assert_allclose(pool.lengths(), lengths, atol=1e-6 * size, err_msg=what)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("scale", [False, True])
def test_every_kind_has_the_numbers_of_a_centred_array(scale: bool, bias: bool) -> None:
    expected = explicitly(NUMBERS, scale=scale)
    for kind, X in kinds(NUMBERS).items():
        agree(Pool(Pool.centred(X, scale=scale), bias=bias), expected, kind)


@given(
    hnp.arrays(
        np.int64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=9),
        elements=st.integers(-40, 40) | st.just(0),
    ),
    st.sampled_from([0.0, 3.0, -1e8]),
    st.booleans(),
)
def test_whatever_the_numbers_are(eighths: np.ndarray, offset: float, scale: bool) -> None:
    # Eighths and whole offsets: differences from the offset are exact.
    X = eighths / 8.0
    expected = explicitly(X, scale=scale)
    X[:, ::2] += offset
    for kind, data in kinds(X).items():
        pool = Pool.centred(data, scale=scale)
        agree(pool, expected, kind)
        rows = pool.rows(np.arange(len(X))).astype(np.float32)
        np.testing.assert_array_equal(pool.is_zero, ~rows.any(axis=1), err_msg=kind)


def test_means_and_deviations_take_no_harm_from_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    X = NUMBERS
    for data in (X, sparse.csr_array(X)):
        whole = moments(store_of(data))
        with monkeypatch.context() as patch:
            patch.setattr("aluma.pool.store.BLOCK_BYTES", 600)
            pieces = moments(store_of(data))
        for one, other in zip(whole, pieces, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(whole[1], (X - X[0]).std(axis=0), rtol=1e-7)


def test_a_constant_column_becomes_exactly_zero() -> None:
    X = np.full((1000, 3), 0.1)
    X[:, 1] = 1e8 + 0.3
    for data in (X, X.astype(np.float32), sparse.csr_array(X), pd.DataFrame(X)):
        pool = Pool.centred(data)
        assert not pool.rows(np.arange(1000)).any()
        assert not pool.margins(np.ones((2, 3))).any()
        assert pool.is_zero.all()


def test_a_column_that_is_constant_but_for_rounding_is_not_blown_up() -> None:
    X = np.array([[0.1 + 0.2, 1.0], [0.3, 2.0], [0.3, 4.0]])
    for data in (X, sparse.csr_array(X)):
        assert np.abs(Pool.centred(data).rows([0, 1, 2])[:, 0]).max() < 1e-15


def test_one_row_is_its_own_middle() -> None:
    X = np.array([[3.0, 0.0, 1e9]])
    for data in (X, sparse.csr_array(X)):
        pool = Pool.centred(data)
        np.testing.assert_array_equal(pool.rows([0]), [[0, 0, 0]])
        assert pool.is_zero.tolist() == [True]
        np.testing.assert_array_equal(pool.alike(X + 1).rows([0]), [[1, 1, 1]])


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float16, np.float32])
def test_every_real_type_is_centred_in_float64(dtype: type) -> None:
    X = np.array([[0, 1], [1, 1], [1, 0], [1, 1]]).astype(dtype)
    expected = explicitly(X.astype(float))
    data: list[Any] = [X, pd.DataFrame(X)]
    if dtype is not np.float16:  # scipy has no sparse float16
        data.append(sparse.csr_array(X))
    for one in data:
        np.testing.assert_allclose(Pool.centred(one).rows(np.arange(4)), expected, atol=1e-15)


def test_lengths_of_small_integers_do_not_overflow() -> None:
    X = np.full((2, 3), 100, dtype=np.uint8)
    for data in (X, sparse.csr_array(X)):
        assert largest_norm(Pool(data)) == pytest.approx(100 * math.sqrt(3))


def test_what_a_pool_refuses_is_refused_alike() -> None:
    X = NUMBERS.copy()
    X[123, 4] = np.nan
    for data in (X, sparse.csr_array(X)):
        with pytest.raises(ValueError, match=r"nan at row 123, column 4.*finite"):
            Pool.centred(data)
    with pytest.raises(ValueError, match="empty"):
        Pool.centred(np.ones((0, 2)))
    pool = Pool.centred(NUMBERS)
    with pytest.raises(ValueError, match="finite"):
        pool.alike(X)
    for data in (np.full((1, 7), LARGEST_ENTRY), sparse.csr_array(np.full((1, 7), 1e30))):
        tiny = Pool.centred(NUMBERS * 1e-5)
        with pytest.raises(ValueError, match=r"row 0, column 0.*overflow"):
            tiny.alike(data)
    with pytest.raises(ValueError, match="centred and scaled already"):
        Pool.centred(pool)


def test_its_numbers_are_held_nowhere() -> None:
    pool = Pool.centred(NUMBERS)
    with pytest.raises(AttributeError, match=r"rows\(\), blocks\(\) or margins\(\)"):
        _ = pool.data
    assert repr(pool) == "Pool(200 x 7, centred and scaled dense float64)"
    assert pool.preparation == "centred and scaled"
    assert Pool.centred(NUMBERS, scale=False).preparation == "centred"
    assert Pool(NUMBERS).preparation == ""


def test_new_examples_are_shifted_and_scaled_as_the_pool_is() -> None:
    X, new = NUMBERS[:, [0, 3, 4, 5]], NUMBERS[:50, [0, 3, 4, 5]] + 1
    middle = X[0] + (X - X[0]).mean(axis=0)
    expected = (new - middle) / (X - X[0]).std(axis=0)
    for kind, data in kinds(X).items():
        pool = Pool(Pool.centred(data), bias=True)
        for other, examples in kinds(new).items():
            if other == "frame" and kind == "frame":
                examples = examples[["c2", "c0", "c3", "c1"]]
            agree(pool.alike(examples), expected, f"{kind}, {other}")
        again = pool.alike(pool)
        np.testing.assert_array_equal(again.rows([5]), pool.rows([5]))
        with pytest.raises(ValueError, match="by their own columns"):
            pool.alike(Pool.centred(new if kind != "frame" else kinds(new)["frame"]))
        with pytest.raises(ValueError, match="X has 3 features, the pool has 4"):
            pool.alike(new[:, :3])


def test_a_frame_keeps_the_names_of_its_rows_and_columns() -> None:
    frame = kinds(NUMBERS)["frame"]
    pool = Pool.centred(frame)
    assert pool.index.equals(frame.index)
    assert pool.columns == tuple(frame.columns)
    with pytest.raises(ValueError, match="'c0'"):
        pool.alike(frame.rename(columns={"c0": "other"}))


def test_fingerprints_tell_what_is_done_to_the_numbers() -> None:
    X = NUMBERS
    for data in (X, sparse.csr_array(X)):
        given, centred = Pool(data), Pool.centred(data)
        unscaled = Pool.centred(data, scale=False)
        digests = [
            given.fingerprint(),
            centred.fingerprint(),
            unscaled.fingerprint(),
            Pool(centred, bias=True).fingerprint(),
            centred.alike(data).fingerprint(),
            Pool.centred(data[1:]).alike(data).fingerprint(),
        ]
        assert len(set(digests)) == len(digests)
        assert Pool.centred(data.copy()).fingerprint() == centred.fingerprint()
    same = {Pool.centred(one).fingerprint() for one in (X, np.asfortranarray(X), pd.DataFrame(X))}
    assert len(same) == 1


@pytest.mark.parametrize("kind", ["float64", "float32", "memmap", "sparse"])
def test_no_centred_copy_is_ever_made(tmp_path: Path, kind: str) -> None:
    rng = generator(4)
    X = rng.standard_normal((20_000, 256)) + 5
    data: Any = X
    if kind == "float32":
        data = X.astype(np.float32)
    elif kind == "memmap":
        np.save(tmp_path / "x.npy", X)
        data = np.load(tmp_path / "x.npy", mmap_mode="r")
    elif kind == "sparse":
        # One column is full and far from 0, so it is read densely.
        columns = np.arange(0, 5000, 20) + rng.integers(0, 20, (20_000, 1))
        columns[:, 0] = 0
        values = rng.standard_normal(columns.size) + 100 * (columns.ravel() == 0)
        data = sparse.csr_array((values, columns.ravel(), np.arange(0, columns.size + 1, 250)))
    W = rng.standard_normal((64, data.shape[1] + 1)).astype(np.float32)
    operands = 4 * W.nbytes if kind == "sparse" else 0
    chosen = np.arange(0, 20_000, 2)
    tracemalloc.start()
    try:
        pool = Pool(Pool.centred(data), bias=True)
        for indices in (None, chosen):
            for _ in pool.margin_blocks(W, indices):
                pass
        pool.fingerprint()
        pool.lengths()
        if kind != "sparse":
            for _ in pool.blocks():
                pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Besides blocks: a byte, two positions and a length for every example.
    assert peak < 2.5 * BLOCK_BYTES + operands + 25 * len(pool)


def answered(learner: ALuMA, truth: np.ndarray, budget: int) -> list[int]:
    """Return the questions of a learner that is told the truth."""
    asked = []
    for _ in range(budget):
        asked.append(int(learner.ask()))
        learner.tell(asked[-1], bool(truth[asked[-1]]))
    return asked


@pytest.mark.parametrize("kernel", [None, "rbf", "cosine"])
def test_a_learner_asks_what_it_asks_of_the_centred_array(kernel: str | None) -> None:
    X = generator(2).standard_normal((150, 4)) * [1, 10, 100, 1] + [5, 70, -900, 0]
    pool = Pool.centred(X)
    # The very numbers, bit for bit: reflections are chaotic, and rounding would be seen.
    same = pool.rows(np.arange(150))
    truth = same @ [1.0, -0.5, 0.3, 0.2] > 0.1
    one, other = (ALuMA(given, kernel=kernel, **SETTINGS) for given in (pool, same))
    assert answered(one, truth, 12) == answered(other, truth, 12)
    np.testing.assert_array_equal(one.predict(), other.predict())
    np.testing.assert_array_equal(one.predict_proba(X[:20]), other.predict_proba(same[:20]))


def test_a_sparse_pool_is_labelled_as_well_as_a_dense_one() -> None:
    rng = generator(3)
    X = np.where(rng.random((400, 12)) < 0.4, rng.standard_normal((400, 12)) + 2, 0.0)
    X[:, 0] = 50 + rng.standard_normal(400)
    seen = explicitly(X)
    truth = seen @ rng.standard_normal(12) > 0
    for pool in (Pool.centred(sparse.csr_array(X)), Pool.centred(X)):
        learner = ALuMA(pool, **SETTINGS)
        answered(learner, truth, 50)
        # Nine other pools had from 0.955 to 0.998.
        assert (learner.predict() == truth).mean() > 0.9
        assert (learner.predict(X) == learner.predict()).mean() > 0.9


def test_a_projection_of_a_centred_pool_is_that_of_the_array() -> None:
    X = np.round(generator(5).standard_normal((80, 6)), 1) + 3
    settings = SETTINGS | {"slack": 0.02, "dimension": 20}
    for data in (X, sparse.csr_array(X)):
        pool = Pool.centred(data)
        one, other = ALuMA(pool, **settings), ALuMA(pool.rows(np.arange(80)), **settings)
        places = np.arange(80)
        np.testing.assert_allclose(one.pool.rows(places), other.pool.rows(places), atol=1e-12)


def test_a_session_goes_on_with_a_centred_pool_and_with_no_other(tmp_path: Path) -> None:
    X = generator(6).standard_normal((60, 3)) + np.array([9.0, 0.0, 40.0])
    truth = X[:, 0] > 9
    path = tmp_path / "a.aluma"
    with Session.create(path, Pool.centred(X), classes=(False, True), **SETTINGS) as session:
        for _ in range(6):
            i = session.ask()
            session.tell(i, bool(truth[i]))
        question, labels = session.ask(), session.predict()
    with Session.open(path, Pool.centred(X.copy())) as again:
        assert again.ask() == question
        np.testing.assert_array_equal(again.predict(), labels)
    for wrong in (X, Pool.centred(X, scale=False), Pool.centred(X[::-1])):
        with pytest.raises(WrongPool, match=r"3 features, centred and scaled, and a bias, finger"):
            Session.open(path, wrong)
