"""Stores: pools in files that are damaged, while a session knows what they were.

A damaged pool is refused when it is read, or by the session because its numbers are others; or the
damage was where no number is, and the pool is the same.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

import numpy as np

from aluma.errors import AlumaError
from aluma.lab.bench.attack_damage import harmed
from aluma.lab.bench.attack_tally import Tally
from aluma.pool import Pool
from aluma.session import Session

Table: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float64]]
ROWS, COLUMNS = 400, 4
LABELS = ("no", "yes")


def stores(folder: Path, number: int, rng: np.random.Generator) -> list[Tally]:
    """Damage each kind of store so often."""
    X = np.random.default_rng(9).standard_normal((ROWS, COLUMNS))
    return [
        _damaged(folder / kind, kind, write, X, number, rng)
        for kind, (write, needs) in STORES.items()
        if find_spec(needs) is not None
    ]


def _damaged(
    folder: Path,
    kind: str,
    write: Callable[[Path, Table], None],
    X: Table,
    number: int,
    rng: np.random.Generator,
) -> Tally:
    tally = Tally(f"damage: a pool in {kind}")
    folder.mkdir()
    path, session = folder / f"x.{kind}", folder / "s.aluma"
    write(path, X)
    Session.create(session, Pool.open(path), strategy="passive", classes=LABELS).close()
    files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
    for _ in range(number):
        one = files[int(rng.integers(len(files)))]
        content = one.read_bytes()
        one.write_bytes(harmed(content, rng))
        try:
            Session.open(session, Pool.open(path)).close()
            same = np.array_equal(Pool.open(path).rows(np.arange(ROWS)), X)
            if same:
                tally.count("harmless")
            else:
                tally.fail("other numbers were taken for the same pool")
        except (AlumaError, ValueError, TypeError):
            tally.count("refused")
        except Exception as error:  # noqa: BLE001 - whatever it is, it is no refusal
            tally.fail(f"{type(error).__name__}: {error}")
        one.write_bytes(content)
    # And it is the damage that was refused.
    Session.open(session, Pool.open(path)).close()
    shutil.rmtree(folder)
    return tally


def _zarr(path: Path, X: Table) -> None:
    import zarr

    array = zarr.create_array(store=str(path), shape=X.shape, chunks=(90, COLUMNS), dtype=X.dtype)
    array[:] = X


def _parquet(path: Path, X: Table) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    columns = {f"c{j}": X[:, j] for j in range(COLUMNS)}
    parquet.write_table(pa.table(columns), path, row_group_size=150)


def _npy(path: Path, X: Table) -> None:
    np.save(path, X)


#: Who writes each kind, and the package that this needs.
STORES: dict[str, tuple[Callable[[Path, Table], None], str]] = {
    "npy": (_npy, "numpy"),
    "zarr": (_zarr, "zarr"),
    "parquet": (_parquet, "pyarrow"),
}
