"""Examples whose blocks are kept by the workers of a Dask cluster.

What is to be done with the blocks is sent to where they are: one task for each thread of the
cluster, which works on all blocks of that worker, so that what travels depends on the number of
threads and not on that of examples or blocks. Everything a task needs is itself made by a task, the
hypotheses too: whatever goes with a lost worker, the scheduler makes again elsewhere, and what
comes back is the same.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from aluma.arrays import Ints
from aluma.blas import one_thread
from aluma.errors import ClusterLost, Unreadable
from aluma.extras import needed
from aluma.pool.chunked import Chunked
from aluma.pool.dask_source import DaskSource, checked
from aluma.pool.dense import Dense
from aluma.pool.store import T, Together, parts

logger = logging.getLogger(__name__)

#: How often work is sent anew when the workers that did it were lost.
TRIES = 5
#: Seconds between two looks whether the cluster is still there.
LOOK_SECONDS = 10.0
#: Seconds that a cluster may be without any worker: new ones may be under way.
MOST_SECONDS_WITHOUT = 300.0
#: Functions with what they know of the pool (how rows are stretched, say) that the cluster keeps.
KEPT_WORKS = 16

#: What is said about a block: its rows, how wide it has to be, and where it is in words.
Name: TypeAlias = tuple[slice, int, str]


class Task(NamedTuple):
    """Work that was sent: the pieces it is about, and the future of what comes back."""

    pieces: list[int]
    future: Any


def _checked(client: Any) -> Any:
    """Return a client, or say that it is none."""
    kind = needed("distributed", "scale", "a pool on a cluster").Client
    if not isinstance(client, kind):
        raise TypeError(
            f"client must be a dask.distributed.Client, got {type(client).__name__}: make one with "
            "Client(address), or leave it out."
        )
    return client


class Distributed(Chunked):
    """Rows of an array whose blocks are kept by the workers of a cluster.

    Parameters
    ----------
    source : the blocks of a Dask array
    client : of the cluster

    Attributes
    ----------
    sent, received : bytes of arrays that went to the cluster, and that came back, so far
    trips : how often something was sent there and waited for
    """

    source: DaskSource

    def __init__(self, source: DaskSource, client: Any) -> None:
        super().__init__(source)
        self.client = _checked(client)
        delayed = source.array.to_delayed().ravel()
        self._recipes = [delayed[number] for number in source.numbers]
        self._threads: dict[str, int] = dict(client.nthreads())
        self._blocks = self._begun()
        self._works: dict[str, Any] = {}
        self.sent = self.received = self.trips = 0

    def each(
        self,
        work: Callable[..., T],
        step: int,
        shared: tuple[Any, ...],
        together: Together[T] | None = None,
    ) -> Iterator[T]:
        """Yield what the workers make of each block of rows; with ``together``, of all theirs."""
        self.sent += size_of(shared)
        pieces = range(len(self.source.pieces))
        found = self._done(_worked, dict.fromkeys(pieces), work, (step, shared, together))
        self.received += sum(size_of(made) for _, made in found)
        if together is not None:
            yield from (one for _, made in found for one in made)
            return
        by_piece = {
            piece: one for held, made in found for piece, one in zip(held, made, strict=True)
        }
        for piece in pieces:
            yield from by_piece[piece]

    def _fetched(self, rows: Ints) -> npt.NDArray[Any]:
        """Return rows, ascending and all different, and no others."""
        places = dict(self._by_piece(rows))
        wanted = {piece: rows[at] - self._starts[piece] for piece, at in places.items()}
        out = np.empty((len(rows), self.shape[1]), self.dtype)
        for pieces, made in self._done(_picked, wanted, None, None):
            for piece, numbers in zip(pieces, made, strict=True):
                out[places[piece]] = numbers
        self.sent += rows.nbytes
        self.received += out.nbytes
        return out

    def _between(self, start: int, stop: int) -> npt.NDArray[Any]:
        return self._fetched(np.arange(start, max(start, stop)))

    def _read(self, piece: int, step: int) -> Iterator[tuple[int, Dense]]:
        rows = self.source.pieces[piece]
        for part in parts(rows.stop - rows.start, step):
            start, stop = rows.start + part.start, rows.start + part.stop
            yield start, Dense(self._between(start, stop), columns=self.columns)

    def _begun(self) -> list[Any]:
        """Have all blocks computed, as many for each thread of the cluster, wherever that can be.

        Left to itself the scheduler may put all of them on one worker. What is persisted already
        stays where it is.
        """
        distributed = needed("distributed", "scale", "a pool on a cluster")
        threads = [one for one, n in sorted(self._threads.items()) for _ in range(n)]
        if not threads or distributed.futures_of(self.source.array):
            return list(self.client.compute(self._recipes))
        share = -(-len(self._recipes) // len(threads))
        blocks: list[Any] = []
        for part, worker in zip(parts(len(self._recipes), share), threads, strict=False):
            blocks += self.client.compute(
                self._recipes[part], workers=[worker], allow_other_workers=True
            )
        return blocks

    # -- sending work --------------------------------------------------------------------------

    def _done(
        self,
        how: Callable[..., list[Any]],
        jobs: dict[int, Any],
        work: Callable[..., Any] | None,
        said: Any,
    ) -> list[tuple[list[int], list[Any]]]:
        """Return what workers make of pieces, with the pieces; what is lost is done again.

        ``jobs`` has what is said about each piece; ``work`` and ``said``, which may be large, are
        for all.
        """
        if not jobs:
            return []
        lost: tuple[type[BaseException], ...] = (*_losses(), OSError)
        for trial in range(1, TRIES + 1):
            self._check_alive(None)
            try:
                return self._gathered(self._submitted(how, jobs, work, said))
            except Unreadable:
                raise
            except lost as error:
                self._check_alive(error)
                if trial == TRIES:
                    raise ClusterLost(
                        f"workers were lost {TRIES} times while they worked on {len(jobs)} "
                        f"blocks ({error}): they may lack memory. Use smaller blocks or more "
                        "workers; all answers so far are as they were."
                    ) from error
                logger.warning("workers were lost, so their work is sent again: %s", error)
                self._restore()
        raise AssertionError("unreachable")

    def _submitted(
        self,
        how: Callable[..., list[Any]],
        jobs: dict[int, Any],
        work: Callable[..., Any] | None,
        said: Any,
    ) -> list[Task]:
        """Send work to where the blocks are, one task for each thread there."""
        self.trips += 1
        given = None if said is None else self._handed(said)
        kept = None if work is None else self._kept_work(work)
        tasks = []
        for pieces in self._groups(list(jobs)):
            blocks = [self._blocks[piece] for piece in pieces]
            names = [self._named(piece) for piece in pieces]
            mine = [jobs[piece] for piece in pieces]
            future = self.client.submit(how, blocks, names, mine, kept, given, pure=False)
            tasks.append(Task(pieces, future))
        return tasks

    def _handed(self, thing: Any) -> Any:
        """Return a future of something that is sent: a task of its own, which can be done again."""
        # Hypotheses of many dimensions are large, and meant to be: no warning for each question.
        quiet = {"distributed.admin.large-graph-warning-threshold": "1GB"}
        with needed("dask", "scale", "a pool on a cluster").config.set(quiet):
            return self.client.submit(_same, thing, pure=False)

    def _kept_work(self, work: Callable[..., Any]) -> Any:
        """Return a future of a function, which is sent once: it may hold a map of the examples."""
        pickled = needed("cloudpickle", "scale", "a pool on a cluster").dumps(work)
        name = hashlib.blake2b(pickled, digest_size=16).hexdigest()
        future = self._works.pop(name, None)
        if future is None or future.status in ("cancelled", "lost", "error"):
            future = self._handed(work)
            self.sent += len(pickled)
        self._works[name] = future
        while len(self._works) > KEPT_WORKS:
            self._works.pop(next(iter(self._works)))
        return future

    def _groups(self, pieces: list[int]) -> list[list[int]]:
        """Return the pieces in groups that are on one worker, as many as it has threads.

        Those that are nowhere, since they are being computed, are alone: each is worked on where
        it will be.
        """
        holders = self.client.who_has([self._blocks[piece] for piece in pieces])
        by_worker: dict[str, list[int]] = {}
        alone: list[list[int]] = []
        for piece in pieces:
            found = sorted(holders.get(self._blocks[piece].key, ()))
            if not found:
                alone.append([piece])
                continue
            least = min(found, key=lambda one: len(by_worker.get(one, ())))
            by_worker.setdefault(least, []).append(piece)
        if not by_worker.keys() <= self._threads.keys():
            self._threads = dict(self.client.nthreads())
        for worker, held in by_worker.items():
            threads = self._threads.get(worker, 1)
            alone += [held[first::threads] for first in range(min(threads, len(held)))]
        return alone

    def _gathered(self, tasks: list[Task]) -> list[tuple[list[int], list[Any]]]:
        """Wait for what was sent, and return what comes back."""
        futures = [task.future for task in tasks]
        self._wait(futures)
        for task in tasks:
            if task.future.status == "error":
                self._raise(task)
        made = self.client.gather(futures)
        return [(task.pieces, one) for task, one in zip(tasks, made, strict=True)]

    def _wait(self, futures: list[Any]) -> None:
        """Wait until everything is done, as long as there is somebody to do it."""
        distributed = needed("distributed", "scale", "a pool on a cluster")
        without = 0.0
        while True:
            try:
                # Otherwise it takes the default client, which may be another one or none.
                with self.client.as_current():
                    distributed.wait(futures, timeout=LOOK_SECONDS)
                return
            except TimeoutError:
                self._check_alive(None)
                without = 0.0 if self.client.nthreads() else without + LOOK_SECONDS
                if without >= MOST_SECONDS_WITHOUT:
                    raise ClusterLost(
                        f"the cluster has had no worker for {without:.0f} seconds: start some. All "
                        "answers so far are as they were."
                    ) from None

    def _restore(self) -> None:
        """Have blocks computed again that went with their workers for good."""
        for piece, block in enumerate(self._blocks):
            if block.status == "error":
                self.client.retry([block])
            elif block.status in ("cancelled", "lost"):
                self._blocks[piece] = self.client.compute(self._recipes[piece])

    def _named(self, piece: int) -> Name:
        """Return the rows of a piece, how wide they are, and where they are in words."""
        return self.source.pieces[piece], self.shape[1], self.source.where(piece)

    def _raise(self, task: Task) -> None:
        """Say that a block cannot be read, or let an error be seen as it is."""
        error: BaseException = task.future.exception()
        if isinstance(error, _losses()):
            raise error
        for piece in task.pieces:
            if self._blocks[piece].status == "error":
                cause: BaseException = self._blocks[piece].exception()
                if isinstance(cause, (*_losses(), Unreadable)):
                    raise cause
                raise Unreadable(
                    f"{self.source.where(piece)} cannot be read ({cause}): restore what it is made "
                    "of, or leave its rows out."
                ) from cause
        raise error

    def _check_alive(self, error: BaseException | None) -> None:
        if self.client.status != "running":
            raise ClusterLost(
                f"the Dask scheduler of this pool does not answer (its client is "
                f"{self.client.status}): all answers so far are as they were. Connect a new client "
                "and make the pool and the learner anew, or open the session again."
            ) from error


def _losses() -> tuple[type[BaseException], ...]:
    """Return what is raised where work, or what it needs, went with a worker."""
    distributed = needed("distributed", "scale", "a pool on a cluster")
    return distributed.CancelledError, distributed.KilledWorker


# -- what runs on a worker ---------------------------------------------------------------------


def _same(thing: T) -> T:
    """Return what is given: made by a task, it is made again where it is lost."""
    return thing


def _worked(
    blocks: list[Any],
    names: list[Name],
    jobs: list[None],
    work: Callable[..., T],
    said: tuple[int, tuple[Any, ...], Together[T] | None],
) -> list[Any]:
    """Do some work on blocks, about ``step`` rows at a time."""
    del jobs
    step, shared, together = said
    found: list[Any] = []
    with one_thread():
        for rows, (piece, width, where) in zip(blocks, names, strict=True):
            block = checked(np.asarray(rows), piece, width, where)
            made = [
                work(piece.start + part.start, Dense(block[part]), *shared)
                for part in parts(len(block), step)
            ]
            if together is None:
                found.append(made)
                continue
            for one in made:
                found = [one if not found else together(found[0], one)]
    return found


def _picked(
    blocks: list[Any], names: list[Name], jobs: list[Ints], work: None, said: None
) -> list[npt.NDArray[Any]]:
    """Return some rows of blocks."""
    del work, said
    return [
        checked(np.asarray(rows), *name)[wanted]
        for rows, name, wanted in zip(blocks, names, jobs, strict=True)
    ]


def size_of(what: Any) -> int:
    """Return how many bytes the arrays in something have."""
    if isinstance(what, np.ndarray):
        return what.nbytes
    return sum(map(size_of, what)) if isinstance(what, list | tuple) else 8
