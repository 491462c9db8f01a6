"""Examples in Dask arrays: on the workers of a cluster, or computed here when they are wanted.

With a client, blocks are computed once and stay on the workers. What is to be done with them is
sent there, with hypotheses scattered once for all blocks, and what comes back are counts and the
few best examples. A worker that is lost costs time: its blocks are computed again elsewhere, and
what it was doing is done again. Without a client, a block is computed in this process whenever it
is read.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import Ints
from aluma.blas import one_thread
from aluma.errors import ClusterLost, Unreadable
from aluma.extras import needed
from aluma.pool.chunked import Chunked
from aluma.pool.dense import Dense
from aluma.pool.store import T, parts

logger = logging.getLogger(__name__)

#: How often work is sent anew when workers were lost with what had been scattered to them.
TRIES = 5


def of_dask(X: Any) -> Chunked | None:
    """Return a store for a Dask array, with the client that is active; told without importing."""
    dask = sys.modules.get("dask.array")
    if dask is None or not isinstance(X, dask.Array):
        return None
    client = _active_client()
    return Chunked(DaskSource(X)) if client is None else Distributed(X, client)


def with_client(X: Any, client: Any) -> Chunked:
    """Return a store for a Dask array on the cluster of a client, or say what is wrong."""
    dask = needed("dask.array", "scale", "a pool on a cluster")
    if not isinstance(X, dask.Array):
        raise TypeError(
            f"client= is for Dask arrays, and X is a {type(X).__name__}: leave it out, or pass "
            "dask.array.from_array(X, chunks=...)."
        )
    return Distributed(X, client)


def _active_client() -> Any:
    """Return the client that is active, or None."""
    if "distributed" not in sys.modules:
        return None
    try:
        return needed("distributed", "scale", "a pool on a cluster").default_client()
    except ValueError:
        return None


class DaskSource:
    """The blocks of an array, computed in this process when they are read."""

    columns: tuple[Hashable, ...] | None = None

    def __init__(self, array: Any) -> None:
        self.array = _in_rows(array)
        self.shape: tuple[int, ...] = tuple(map(int, self.array.shape))
        self.dtype = np.dtype(self.array.dtype)
        lengths = self.array.chunks[0] if self.shape else ()
        ends = np.cumsum(lengths, dtype=np.int64)
        self.pieces: Sequence[slice] = [
            slice(int(end) - int(n), int(end)) for n, end in zip(lengths, ends, strict=True) if n
        ]
        self.numbers = [number for number, n in enumerate(lengths) if n]

    def read(self, piece: int, step: int) -> Iterator[npt.NDArray[Any]]:
        """Yield the rows of a block."""
        del step
        rows = self.array.blocks[self.numbers[piece]].compute(scheduler="synchronous")
        yield checked(np.asarray(rows), self.pieces[piece], self.shape[1], self.where(piece))

    def where(self, piece: int) -> str:
        """Return the block and its rows."""
        rows = self.pieces[piece]
        name = f"block {self.numbers[piece]} (rows {rows.start} to {rows.stop - 1})"
        return f"{name} of the Dask array {self.array.name}"


def checked(rows: npt.NDArray[Any], piece: slice, width: int, where: str) -> npt.NDArray[Any]:
    """Return a block, or say that it is not what its array said it would be."""
    if rows.shape != (piece.stop - piece.start, width):
        raise Unreadable(
            f"{where} has shape {rows.shape}, and {(piece.stop - piece.start, width)} was said: "
            "every block needs the same columns."
        )
    return rows


def _in_rows(array: Any) -> Any:
    """Return an array whose blocks hold whole rows, of which it is known how many there are."""
    if len(array.shape) != 2:
        return array
    if np.isnan(array.shape[0]):
        raise ValueError(
            "the Dask array does not know how many rows its blocks have: call "
            "X.compute_chunk_sizes() first."
        )
    return array if len(array.chunks[1]) == 1 else array.rechunk({1: -1})


class Distributed(Chunked):
    """Rows of an array whose blocks are kept by the workers of a cluster.

    Parameters
    ----------
    array : a Dask array
    client : of the cluster

    Attributes
    ----------
    sent, received : bytes that went to each worker and came back, for what was asked so far
    """

    def __init__(self, array: Any, client: Any) -> None:
        source = DaskSource(array)
        super().__init__(source)
        self.client = client
        blocks = source.array.to_delayed().ravel()
        self._futures = client.compute([blocks[number] for number in source.numbers])
        self.sent = self.received = 0

    def each(self, work: Callable[..., T], step: int, shared: tuple[Any, ...]) -> Iterator[T]:
        """Yield what the workers make of each block of rows."""
        self.sent += size_of(shared)
        pieces = range(len(self.source.pieces))
        for found in self._done(_worked, dict.fromkeys(pieces), (work, step, shared)):
            self.received += size_of(found)
            yield from found

    def _fetched(self, rows: Ints) -> npt.NDArray[Any]:
        """Return rows, ascending and all different, and no others."""
        starts = self._starts
        wanted = {one: rows[at] - starts[one] for one, at in self._by_piece(rows)}
        found = np.concatenate(self._done(_picked, wanted, None))
        self.sent += rows.nbytes
        self.received += found.nbytes
        return found

    def _read(self, piece: int, step: int) -> Iterator[tuple[int, Dense]]:
        rows = self.source.pieces[piece]
        for part in parts(rows.stop - rows.start, step):
            wanted = np.arange(part.start, part.stop)
            yield rows.start + part.start, Dense(self._done(_picked, {piece: wanted}, None)[0])

    def _done(self, work: Callable[..., T], jobs: dict[int, Any], shared: Any) -> list[T]:
        """Return what workers make of pieces, in order; what is lost is done again.

        ``jobs`` has what is said about each piece, and ``shared``, which may be large, is for all.
        """
        for trial in range(1, TRIES + 1):
            self._check_alive(None)
            try:
                return self._gathered(work, jobs, shared)
            except (_Lost, OSError) as error:
                if isinstance(error, Unreadable):
                    raise
                self._check_alive(error)
                if trial == TRIES:
                    raise ClusterLost(
                        f"workers were lost {TRIES} times while they worked on {len(jobs)} "
                        f"blocks ({error}): they may lack memory. Use smaller blocks or more "
                        "workers; all answers so far are as they were."
                    ) from error
                logger.warning("workers were lost, so their work is sent again: %s", error)
        raise AssertionError("unreachable")

    def _gathered(self, work: Callable[..., T], jobs: dict[int, Any], shared: Any) -> list[T]:
        """Send work to where the blocks are, and return what comes back."""
        distributed = needed("distributed", "scale", "a pool on a cluster")
        try:
            sent = None
            if shared is not None:
                # In a list: scattered as one thing, to all workers, whichever block they have.
                sent = self.client.scatter([shared], broadcast=True, hash=False)[0]
            tasks = [
                self.client.submit(
                    work, self._futures[one], *self._named(one), jobs[one], sent, pure=False
                )
                for one in jobs
            ]
            distributed.wait(tasks)
            for piece, task in zip(jobs, tasks, strict=True):
                if task.status == "error":
                    self._raise(piece, task.exception())
            return list(self.client.gather(tasks))
        except (distributed.CancelledError, distributed.KilledWorker) as error:
            raise _Lost(str(error)) from error

    def _named(self, piece: int) -> tuple[slice, int, str]:
        """Return the rows of a piece, how wide they are, and where they are in words."""
        return self.source.pieces[piece], self.shape[1], self.source.where(piece)

    def _raise(self, piece: int, error: BaseException) -> None:
        """Say that a block cannot be read, or let an error be seen as it is."""
        if self._futures[piece].status == "error" and not _is_loss(error):
            raise Unreadable(
                f"{self.source.where(piece)} cannot be read ({error}): restore what it is made of, "
                "or leave its rows out."
            ) from error
        raise error

    def _check_alive(self, error: BaseException | None) -> None:
        if self.client.status != "running":
            raise ClusterLost(
                f"the Dask scheduler of this pool does not answer (its client is "
                f"{self.client.status}): all answers so far are as they were. Connect a new client "
                "and make the pool and the learner anew, or open the session again."
            ) from error


class _Lost(Exception):
    """Work, or what it needs, went with a worker."""


def _is_loss(error: BaseException) -> bool:
    return isinstance(error, needed("distributed", "scale", "a pool on a cluster").KilledWorker)


def _worked(
    rows: Any,
    piece: slice,
    width: int,
    where: str,
    job: None,
    sent: tuple[Callable[..., T], int, Any],
) -> list[T]:
    """Do some work on a block, about ``step`` rows at a time; this runs on a worker."""
    del job
    work, step, shared = sent
    block = checked(np.asarray(rows), piece, width, where)
    with one_thread():
        return [
            work(piece.start + part.start, Dense(block[part]), *shared)
            for part in parts(len(block), step)
        ]


def _picked(
    rows: Any, piece: slice, width: int, where: str, wanted: Ints, sent: None
) -> npt.NDArray[Any]:
    """Return some rows of a block; this runs on a worker."""
    del sent
    return checked(np.asarray(rows), piece, width, where)[wanted]


def size_of(what: Any) -> int:
    """Return how many bytes the arrays in something have."""
    if isinstance(what, np.ndarray):
        return what.nbytes
    return sum(map(size_of, what)) if isinstance(what, list | tuple) else 8
