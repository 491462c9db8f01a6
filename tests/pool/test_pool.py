"""Pools of every kind hold the same numbers, refuse bad ones, and are never copied."""

import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from aluma.pool import BLOCK_BYTES, LARGEST_ENTRY, Pool

NUMBERS = np.round(np.random.default_rng(0).standard_normal((300, 7)), 2)
NUMBERS[NUMBERS > 0.8] = 0.0


def memory_map(folder: Path, X: np.ndarray, order: str = "C") -> np.memmap:
    out = np.memmap(folder / f"{order}.dat", dtype=X.dtype, mode="w+", shape=X.shape, order=order)
    out[:] = X
    out.flush()
    return np.memmap(folder / f"{order}.dat", dtype=X.dtype, mode="r", shape=X.shape, order=order)


def every_kind(folder: Path, X: np.ndarray) -> dict[str, object]:
    frame = pd.DataFrame(X)
    mixed = frame.assign(extra=1).drop(columns="extra")
    mixed[0] = mixed[0].astype("Float64")
    return {
        "array": X,
        "column-major": np.asfortranarray(X),
        "strided": np.repeat(X, 2, axis=1)[:, ::2],
        "list": X.tolist(),
        "memmap": memory_map(folder, X),
        "column-major memmap": memory_map(folder, X, "F"),
        "csr_array": sparse.csr_array(X),
        "csr_matrix": sparse.csr_matrix(X),
        "csc_array": sparse.csc_array(X),
        "coo_matrix": sparse.coo_matrix(X),
        "frame": frame,
        "mixed frame": mixed,
        "pool": Pool(X),
    }


@pytest.mark.parametrize("bias", [False, True])
def test_every_kind_gives_the_same_rows_and_products(tmp_path: Path, bias: bool) -> None:
    W = np.random.default_rng(1).standard_normal((5, 7 + bias))
    expected = np.hstack([NUMBERS, np.ones((300, 1))]) if bias else NUMBERS
    chosen = np.array([299, 0, 17, 17])
    for kind, X in every_kind(tmp_path, NUMBERS).items():
        pool = Pool(X, bias=bias)
        assert len(pool) == 300, kind
        assert pool.dimension == 7 + bias, kind
        np.testing.assert_array_equal(pool.rows(chosen), expected[chosen], err_msg=kind)
        assert pool.rows(chosen).dtype == np.float64
        margins = pool.margins(W)
        assert margins.dtype == np.float32
        np.testing.assert_allclose(margins, expected @ W.T, atol=1e-5, err_msg=kind)
        np.testing.assert_allclose(
            pool.margins(W, chosen), expected[chosen] @ W.T, atol=1e-5, err_msg=kind
        )


@pytest.mark.parametrize(
    "dtype", [bool, np.int8, np.uint16, np.int64, np.float16, np.float32, np.float64]
)
def test_every_real_type_is_taken(dtype: type) -> None:
    X = np.array([[0, 1], [1, 1]]).astype(dtype)
    kinds = [X, pd.DataFrame(X)]
    if dtype is not np.float16:  # scipy has no sparse float16
        kinds.append(sparse.csr_array(X))
    for data in kinds:
        pool = Pool(data, bias=True)
        np.testing.assert_array_equal(pool.rows([0, 1]), [[0, 1, 1], [1, 1, 1]])
        np.testing.assert_array_equal(pool.margins(np.array([[1, 2, 3.0]])), [[5], [6]])


@given(
    hnp.arrays(
        np.float32,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=12),
        elements=st.floats(-100, 100, width=16),
    ),
    st.integers(1, 5),
)
def test_blocks_cover_the_pool_once(X: np.ndarray, size: int) -> None:
    for data in (X, sparse.csr_array(X)):
        seen = list(Pool(data).blocks(size))
        np.testing.assert_array_equal(np.vstack([rows for _, rows in seen]), X)
        assert [part.start for part, _ in seen] == list(range(0, len(X), size))
        assert seen[-1][0].stop == len(X)


def test_products_taken_in_many_blocks_are_those_taken_in_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    W = np.random.default_rng(2).standard_normal((3, 8))
    chosen = np.random.default_rng(3).permutation(300)[:100]
    for data in (NUMBERS, sparse.csr_array(NUMBERS)):
        pool = Pool(data, bias=True)
        whole, some, digest = pool.margins(W), pool.margins(W, chosen), pool.fingerprint()
        with monkeypatch.context() as patch:
            patch.setattr("aluma.pool.store.BLOCK_BYTES", 1000)
            assert len(list(pool.margin_blocks(W))) > 10
            np.testing.assert_allclose(pool.margins(W), whole, atol=1e-6)
            np.testing.assert_allclose(pool.margins(W, chosen), some, atol=1e-6)
            assert Pool(data, bias=True).fingerprint() != ""
        assert pool.fingerprint() == digest


def test_a_frame_gives_back_its_index_and_columns() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}, index=["left", "right"])
    pool = Pool(frame)
    assert pool.index.equals(frame.index)
    assert pool.columns == ("a", "b")
    again = Pool(pool, bias=True)
    assert again.index[1] == "right"
    assert again.dimension == 3
    assert pool.dimension == 2
    plain = Pool(frame.to_numpy())
    assert list(plain.index) == [0, 1]
    assert plain.columns is None


def test_a_pool_of_a_pool_keeps_its_bias() -> None:
    assert Pool(Pool(NUMBERS, bias=True)).bias


def test_zero_rows_are_undecidable_unless_there_is_a_bias() -> None:
    X = np.array([[0, 0], [1, 0], [0, -0.0], [0, 1e-60]])
    explicit = sparse.csr_array((np.array([0.0, 1.0]), ([0, 1], [1, 0])), shape=(4, 2))
    assert explicit.nnz == 2
    for data in (X, sparse.csr_array(X), explicit, pd.DataFrame(X)):
        np.testing.assert_array_equal(Pool(data).is_zero, [True, False, True, True])
        assert not Pool(data, bias=True).is_zero.any()


def test_changing_the_mask_of_zero_rows_leaves_the_pool_alone() -> None:
    pool = Pool(np.eye(2))
    pool.is_zero[:] = True
    assert not pool.is_zero.any()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_an_entry_that_is_not_finite_is_named(bad: float) -> None:
    X = NUMBERS.copy()
    X[123, 4] = bad
    single, half = X.astype(np.float32), X.astype(np.float16)
    for data in (X, single, half, sparse.csr_array(X), sparse.csc_array(X)):
        with pytest.raises(ValueError, match=r"row 123, column 4.*finite"):
            Pool(data)
    frame = pd.DataFrame(X, columns=list("abcdefg"), index=[f"r{i}" for i in range(300)])
    with pytest.raises(ValueError, match=r"row 123 \(index 'r123'\), column 'e'"):
        Pool(frame)


def test_a_missing_value_of_a_nullable_column_is_named() -> None:
    frame = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [0.5, 1.5]})
    with pytest.raises(ValueError, match=r"row 1 \(index 1\), column 'a'"):
        Pool(frame)


@pytest.mark.parametrize("sign", [1, -1])
def test_an_entry_that_overflows_products_is_named(sign: int) -> None:
    X = np.ones((3, 2))
    X[2, 1] = sign * 10 * LARGEST_ENTRY
    for data in (X, sparse.csr_array(X)):
        with pytest.raises(ValueError, match=r"row 2, column 1.*Rescale"):
            Pool(data)
    Pool(np.full((3, 2), sign * LARGEST_ENTRY))


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (np.ones(3), ValueError, "two dimensions"),
        (np.ones((2, 2, 2)), ValueError, "two dimensions"),
        (np.float64(1), ValueError, "two dimensions"),
        (np.ones((0, 3)), ValueError, "empty"),
        (np.ones((3, 0)), ValueError, "empty"),
        (sparse.csr_array((0, 3)), ValueError, "empty"),
        (pd.DataFrame({"a": []}, dtype=float), ValueError, "empty"),
        (np.array([["a", "b"]]), TypeError, "real numbers"),
        (np.array([[1, "b"]], dtype=object), TypeError, "dtype object"),
        (np.ones((2, 2), dtype=complex), TypeError, "complex"),
        (sparse.csr_array(np.ones((2, 2), dtype=complex)), TypeError, "complex"),
        (np.ma.masked_array(np.ones((2, 2)), mask=True), TypeError, "masked"),
    ],
)
def test_what_is_no_pool_is_refused(X: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Pool(X)


def test_columns_that_hold_no_numbers_are_named() -> None:
    frame = pd.DataFrame(
        {
            "size": [1.0],
            "name": ["x"],
            "when": [pd.Timestamp(2020, 1, 1)],
            "kind": pd.Categorical([1]),
            "phase": [1j],
        }
    )
    with pytest.raises(TypeError, match=r"4 of 5 .*'name', 'when', 'kind', 'phase'"):
        Pool(frame)


def test_wrong_hypotheses_and_indices_are_refused() -> None:
    pool = Pool(NUMBERS, bias=True)
    with pytest.raises(ValueError, match=r"dimension 8 with its bias"):
        pool.margins(np.ones((3, 7)))
    with pytest.raises(ValueError, match=r"shape \(8,\)"):
        pool.margins(np.ones(8))
    for indices in ([300], [-1]):
        with pytest.raises(IndexError, match="rows 0 to 299"):
            pool.rows(indices)
        with pytest.raises(IndexError, match="rows 0 to 299"):
            pool.margins(np.ones((1, 8)), indices)
    for bad in (np.ones(300, dtype=bool), np.zeros((1, 1), dtype=int), [0.5]):
        with pytest.raises(TypeError, match="one-dimensional array of integers"):
            pool.rows(bad)
    with pytest.raises(ValueError, match="at least 1"):
        next(pool.blocks(-1))
    assert pool.rows([]).shape == (0, 8)
    assert pool.margins(np.ones((2, 8)), []).shape == (0, 2)


def test_fingerprints_tell_contents_apart_and_nothing_else(tmp_path: Path) -> None:
    X = np.round(NUMBERS * 8) / 8
    kinds = every_kind(tmp_path, X)
    thin = {"csr_array", "csr_matrix", "csc_array", "coo_matrix"}
    same = {Pool(kinds[kind]).fingerprint() for kind in kinds.keys() - thin}
    assert len(same) == 1
    negative = np.where(X == 0, -0.0, X)
    assert {Pool(X.astype(np.float32)).fingerprint(), Pool(negative).fingerprint()} == same
    spread = {Pool(kinds[kind]).fingerprint() for kind in thin}
    assert len(spread) == 1
    assert same != spread
    changed = X.copy()
    changed[299, 6] += 0.125
    swapped = X[np.r_[1, 0, 2:300]]
    others = [changed, swapped, X[:-1], X.reshape(-1, 6)[:300], X[:, ::-1]]
    for original, kind in ((X, np.asarray), (X, sparse.csr_array)):
        digests = {Pool(kind(other)).fingerprint() for other in [original, *others]}
        assert len(digests) == 6
        assert Pool(kind(original), bias=True).fingerprint() not in digests


def test_a_stored_zero_does_not_change_the_fingerprint() -> None:
    tidy = sparse.csr_array(np.array([[0.0, 2.0], [1.0, 0.0]]))
    stored = sparse.csr_array((np.array([0.0, 2.0, 1.0]), [0, 1, 0], [0, 2, 3]), shape=(2, 2))
    assert stored.nnz == tidy.nnz + 1
    assert Pool(stored).fingerprint() == Pool(tidy).fingerprint()
    assert stored.nnz == tidy.nnz + 1


def test_repeated_entries_are_summed_without_changing_the_matrix() -> None:
    twice = sparse.csr_array((np.array([1.0, 2.0, 5.0]), [1, 1, 0], [0, 2, 3]), shape=(2, 2))
    pool = Pool(twice)
    np.testing.assert_array_equal(pool.rows([0, 1]), [[0, 3], [5, 0]])
    assert twice.nnz == 3


def test_data_are_kept_where_they_are(tmp_path: Path) -> None:
    X = NUMBERS.astype(np.float32)
    mapped = memory_map(tmp_path, X)
    frame = pd.DataFrame(X)
    assert np.shares_memory(Pool(X, bias=True)._store.data, X)
    assert np.shares_memory(Pool(mapped)._store.data, mapped)
    assert np.shares_memory(Pool(frame)._store.data, frame.to_numpy(copy=False))
    rows = sparse.csr_array(X)
    assert np.shares_memory(Pool(rows)._store.data.data, rows.data)
    pool = Pool(X)
    assert Pool(pool)._store is pool._store


@pytest.mark.parametrize("kind", ["float64", "float32", "memmap", "column-major", "sparse"])
def test_no_step_allocates_more_than_two_blocks(tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((20_000, 256))
    data: object = X
    if kind == "float32":
        data = X.astype(np.float32)
    elif kind == "memmap":
        data = memory_map(tmp_path, X)
    elif kind == "column-major":
        data = np.asfortranarray(X)
    elif kind == "sparse":
        columns = np.arange(0, 5000, 20) + rng.integers(0, 20, (20_000, 1))
        ends = np.arange(0, columns.size + 1, 250)
        data = sparse.csr_array((np.ones(columns.size), columns.ravel(), ends))
    W = rng.standard_normal((64, (5000 if kind == "sparse" else 256) + 1)).astype(np.float32)
    given_weights = W.nbytes if kind == "sparse" else 0
    chosen = np.arange(0, 20_000, 2)
    tracemalloc.start()
    try:
        pool = Pool(data, bias=True)
        for indices in (None, chosen):
            for _ in pool.margin_blocks(W, indices):
                pass
        if kind != "sparse":
            for _ in pool.blocks():
                pass
        pool.fingerprint()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Besides blocks: a byte and two positions for every example.
    assert peak < 2.5 * BLOCK_BYTES + given_weights + 17 * len(pool)
