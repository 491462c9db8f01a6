"""Pools in files: the same numbers give the same pool, whatever they are read from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from aluma import ALuMA, SimpleMargin
from aluma.errors import BadInput, Unreadable
from aluma.pool import Pool, zarr_arrays
from aluma.pool.chunked import FOR_EACH_ROW, Chunked
from aluma.pool.parquet import _put_side_by_side
from aluma.pool.sample import Purpose
from evidence import generator

#: Enough rows that a sample stands for the pool, if it is as small as here.
MANY = 20_000
PLAIN: dict[str, Any] = {
    "classes": (-1, 1),
    "slack": 0,
    "promise": "credible",
    "tolerance": 0,
}
KINDS = ["npy", "zarr", "columns", "lists", "folder"]


def written(kind: str, folder: Path, X: np.ndarray) -> Path:
    """Write an array as a file of a kind, in chunks that divide it unevenly."""
    path = folder / {"npy": "x.npy", "zarr": "x.zarr", "folder": "many"}.get(
        kind, f"{kind}.parquet"
    )
    if kind == "npy":
        np.save(path, X)
    elif kind == "zarr":
        zarr = pytest.importorskip("zarr")
        chunks = (max(1, len(X) // 37), X.shape[1])
        array = zarr.create_array(store=str(path), shape=X.shape, chunks=chunks, dtype=X.dtype)
        array[:] = X
    else:
        as_parquet(kind, path, X)
    return path


def as_parquet(kind: str, path: Path, X: np.ndarray) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    if kind == "columns":
        table = pa.table({f"c{i}": X[:, i] for i in range(X.shape[1])})
        parquet.write_table(table, path, row_group_size=max(1, len(X) // 7))
        return
    lists = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), X.shape[1])
    table = pa.table({"id": np.arange(len(X)), "embedding": lists})
    if kind == "lists":
        parquet.write_table(table, path, row_group_size=max(1, len(X) // 5))
        return
    path.mkdir()
    for place, start in enumerate(range(0, len(X), len(X) // 3 + 1)):
        parquet.write_table(table.slice(start, len(X) // 3 + 1), path / f"part-{place}.parquet")


@pytest.fixture(autouse=True)
def small_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aluma.pool.sample.MOST_ROWS", 4096)
    # Some pieces are kept, and the others are read whenever they are wanted.
    monkeypatch.setattr("aluma.pool.chunked.KEPT_BYTES", 100_000 + FOR_EACH_ROW * MANY)


@pytest.fixture(scope="module")
def numbers() -> np.ndarray:
    X = generator(0).standard_normal((MANY, 3)).astype(np.float32)
    X[17] = 0
    return X


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_the_pool_that_its_numbers_are(
    kind: str, tmp_path: Path, numbers: np.ndarray
) -> None:
    path = written(kind, tmp_path, numbers)
    pool, same = Pool.open(path), Pool(numbers)
    assert pool.is_large
    assert len(pool) == MANY
    assert np.flatnonzero(pool.is_zero).tolist() == [17]
    chosen = np.array([MANY - 1, 3, 17, 3, 15_000])
    assert np.array_equal(pool.rows(chosen), same.rows(chosen))
    assert pool.fingerprint() == same.fingerprint()
    assert np.array_equal(pool.lengths(), same.lengths())
    W = generator(1).standard_normal((3, 3))
    np.testing.assert_allclose(pool.margins(W), same.margins(W), atol=1e-5)
    for purpose in Purpose:
        one, other = pool.sample(purpose), same.sample(purpose)
        assert np.array_equal(one.rows, other.rows)
        assert np.array_equal(one.pool.data, other.pool.data)
    # Once a sample is kept, rows come from it or from the file.
    assert np.array_equal(pool.rows(chosen), same.rows(chosen))
    start = next(slice_.start for slice_, _ in pool.blocks(1000))
    assert start == 0
    assert sum(len(rows) for _, rows in pool.blocks(1000)) == MANY


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_small_is_read_into_memory(kind: str, tmp_path: Path) -> None:
    X = generator(2).standard_normal((50, 3))
    pool = Pool.open(written(kind, tmp_path, X), bias=True)
    assert not pool.is_large
    assert np.array_equal(pool.data, X)
    assert pool.bias


def asked(learner: Any, truth: Callable[[int], int], n: int) -> list[int]:
    questions = []
    for _ in range(n):
        questions.append(int(learner.ask()))
        learner.tell(questions[-1], truth(questions[-1]))
    return questions


@pytest.mark.parametrize("kind", ["zarr", "columns"])
def test_the_same_questions_from_a_file_as_from_memory(
    kind: str, tmp_path: Path, numbers: np.ndarray
) -> None:
    path = written(kind, tmp_path, numbers)
    w = np.array([1.0, -0.5, 0.25])

    def truth(i: int) -> int:
        return 1 if numbers[i] @ w >= 0 else -1

    found = []
    for pool in (Pool(numbers), Pool.open(path)):
        learner = ALuMA(pool, n_hypotheses=64, **PLAIN)
        # Enough that the sample is settled and all of the pool has to be looked at.
        questions = asked(learner, truth, 24)
        margin = SimpleMargin(pool, classes=(-1, 1))
        found.append((questions, asked(margin, truth, 6), learner.predict().tolist()))
    assert found[0] == found[1]


class Counted:
    """A source of five pieces, of two blocks each, that counts how often each is read."""

    columns = None

    def __init__(self, X: np.ndarray) -> None:
        self.X, self.shape, self.dtype = X, X.shape, X.dtype
        fifth = len(X) // 5
        self.pieces = [slice(start, start + fifth) for start in range(0, len(X), fifth)]
        self.times = [0] * 5

    def read(self, piece: int, step: int) -> Iterator[np.ndarray]:
        del step
        self.times[piece] += 1
        yield from np.split(self.X[self.pieces[piece]], 2)

    def where(self, piece: int) -> str:
        return f"piece {piece}"


def test_pieces_that_were_read_stay_as_long_as_there_is_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = generator(4).standard_normal((100, 3)).astype(np.float32)
    source = Counted(X)
    room = 3 * X[:20].nbytes + 1 + FOR_EACH_ROW * len(X)
    monkeypatch.setattr("aluma.pool.chunked.KEPT_BYTES", room)
    store = Chunked(source)
    # The first block of the first piece is enough, so that piece is not kept, nor its room taken.
    assert np.array_equal(store.dense(slice(0, 5)), X[:5])
    for _ in range(3):
        found = [rows.data for _, rows in store.stream(7)]
        assert np.array_equal(np.concatenate(found), X)
    assert source.times == [2, 1, 1, 3, 3]
    assert np.array_equal(store.dense(np.array([99, 2, 45])), X[[99, 2, 45]])
    assert source.times == [2, 1, 1, 3, 4]


@pytest.mark.parametrize(("more", "kept"), [(0, 5), (-1, 4), (-(10**6), 0)])
def test_what_all_rows_need_elsewhere_is_no_room_for_pieces(
    monkeypatch: pytest.MonkeyPatch, more: int, kept: int
) -> None:
    X = generator(4).standard_normal((100, 3)).astype(np.float32)
    monkeypatch.setattr("aluma.pool.chunked.KEPT_BYTES", X.nbytes + FOR_EACH_ROW * len(X) + more)
    store = Chunked(Counted(X))
    for _ in range(2):
        assert np.array_equal(store.dense(slice(0, 100)), X)
    assert len(store._pieces) == kept


def test_a_centred_pool_in_a_file(tmp_path: Path, numbers: np.ndarray) -> None:
    shifted = numbers + np.float32(3)
    pool = Pool.centred(Pool.open(written("zarr", tmp_path, shifted)))
    same = Pool.centred(shifted)
    np.testing.assert_allclose(pool.rows([5, 8_000]), same.rows([5, 8_000]))
    assert pool.preparation == "centred and scaled"
    assert np.array_equal(pool.sample(Purpose.QUESTIONS).rows, same.sample(Purpose.QUESTIONS).rows)


@pytest.mark.parametrize("kind", KINDS)
def test_a_bad_number_is_named_with_its_place(
    kind: str, tmp_path: Path, numbers: np.ndarray
) -> None:
    X = numbers.copy()
    X[12_222, 2] = np.nan
    with pytest.raises(ValueError, match=r"nan at row 12222.*column") as found:
        Pool.open(written(kind, tmp_path, X))
    if kind != "npy":
        assert "chunk" in str(found.value) or "row group" in str(found.value)


def test_a_broken_chunk_is_named(tmp_path: Path, numbers: np.ndarray) -> None:
    path = written("zarr", tmp_path, numbers)
    chunk = sorted(one for one in (path / "c").rglob("*") if one.is_file())[5]
    chunk.write_bytes(b"no chunk at all")
    with pytest.raises(Unreadable, match=r"chunk.*x\.zarr.*cannot be read"):
        Pool.open(path)


def test_a_broken_row_group_is_named(tmp_path: Path, numbers: np.ndarray) -> None:
    path = written("columns", tmp_path, numbers)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 20_000] = b"\xff" * 20_000
    path.write_bytes(content)
    with pytest.raises((Unreadable, ValueError), match=r"row group.*columns\.parquet|nan at row"):
        Pool.open(path)


def test_lists_of_another_length_are_refused(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    parquet.write_table(pa.table({"e": [[1.0, 2.0], [3.0], [1.0, 2.0, 3.0]]}), path)
    with pytest.raises(Unreadable, match="row group 0"):
        Pool.open(path)
    parquet.write_table(pa.table({"e": [[1.0, 2.0], None]}), path)
    with pytest.raises(Unreadable, match="row group 0"):
        Pool.open(path)


def test_files_of_a_folder_need_the_same_columns(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"a": [1.0], "b": [2.0]}), tmp_path / "0.parquet")
    parquet.write_table(pa.table({"a": [1.0]}), tmp_path / "1.parquet")
    with pytest.raises(BadInput, match=r"1\.parquet has no column 'b'"):
        Pool.open(tmp_path)


def test_what_is_no_pool_is_refused_with_the_way_out(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    with pytest.raises(BadInput, match="no file or folder"):
        Pool.open(tmp_path / "nothing.zarr")
    (tmp_path / "x.txt").write_text("1 2 3")
    with pytest.raises(BadInput, match=r"\.npy, \.zarr, \.parquet"):
        Pool.open(tmp_path / "x.txt")
    (tmp_path / "x.npy").write_text("1 2 3")
    with pytest.raises(BadInput, match="cannot be read as an array"):
        Pool.open(tmp_path / "x.npy")
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"a": [1.0, 2.0], "text": ["x", "y"]}), path)
    with pytest.raises(BadInput, match=r"hold no numbers: 'text'.*columns="):
        Pool.open(path)
    assert Pool.open(path, columns=["a"]).columns == ("a",)
    with pytest.raises(BadInput, match="no column 'z'"):
        Pool.open(path, columns=["z"])


def test_a_zarr_array_is_a_pool_and_a_group_of_two_is_not(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    X = generator(3).standard_normal((30, 2))
    group = zarr.open_group(str(tmp_path / "g.zarr"), mode="w")
    array = group.create_array("one", shape=X.shape, chunks=(7, 2), dtype=X.dtype)
    array[:] = X
    assert np.array_equal(Pool(array).data, X)
    assert np.array_equal(Pool.open(tmp_path / "g.zarr").data, X)
    group.create_array("two", shape=(3, 2), chunks=(3, 2), dtype="f4")
    with pytest.raises(BadInput, match=r"group of 2 arrays \(one, two\)"):
        Pool.open(tmp_path / "g.zarr")


@pytest.mark.parametrize("name", ["none.npy", "a" * 5000, "a\0b.npy"])
def test_a_path_that_cannot_be_is_not_there(name: str) -> None:
    with pytest.raises(BadInput, match="there is no file or folder"):
        Pool(name)


@pytest.mark.parametrize(
    ("shape", "codec"), [((10, 3), {"id": "pickle"}), ((10**12, 3), None), ((10**6, 10**6), None)]
)
def test_an_array_that_is_unpickled_or_too_large_is_refused(
    tmp_path: Path, shape: tuple[int, int], codec: dict[str, str] | None
) -> None:
    pytest.importorskip("zarr")
    about = {"zarr_format": 2, "shape": shape, "chunks": [min(shape[0], 10**6), shape[1]],
             "dtype": "<f8", "compressor": codec, "fill_value": 0, "order": "C",
             "filters": None}  # fmt: skip
    (tmp_path / ".zarray").write_text(json.dumps(about))
    with pytest.raises(BadInput):
        Pool.open(tmp_path)


def test_codecs_that_unpickle_are_seen_whatever_version_of_zarr_lets_them_through() -> None:
    one = SimpleNamespace(codec_id="pickle")
    for named in ({"filters": [one]}, {"filters": None, "compressor": one}):
        array = SimpleNamespace(metadata=SimpleNamespace(**named), store_path="x")
        with pytest.raises(BadInput, match="pickled"):
            zarr_arrays._check_codecs(array)


def test_columns_are_put_side_by_side_whatever_their_number() -> None:
    columns = np.arange(130 * 70, dtype=np.float32).reshape(70, 130)
    out = np.empty((130, 70), dtype=np.float32)
    _put_side_by_side(columns, out)
    assert np.array_equal(out, columns.T)
