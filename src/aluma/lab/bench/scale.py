"""What large pools cost: asking, telling, labelling and certifying, in memory, on a disk, on Dask.

All as ratios to one pass: 64 hypotheses voting on every example, counted in the same run. In CPU
seconds of this process; where a cluster is among the places, in wall time for all of them, with as
many threads in memory as the cluster has.
"""

from __future__ import annotations

import cProfile
import json
import logging
import os
import pstats
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from aluma.arrays import Floats, Ints, Singles
from aluma.extras import needed
from aluma.learners.aluma import ALuMA
from aluma.pool import Pool
from aluma.sampling.blocks import BLOCK
from aluma.sampling.diagnostics import effective_sample_size
from aluma.sampling.draw import MOST_BLOCKS
from aluma.scoring.exact import count_exactly
from aluma.spaces.version_space import VersionSpace

#: What has to hold in memory, in passes: a question on average, all labels, a certificate.
ASK, PREDICT, CERTIFY = 0.25, 4.0, 2.0
#: How many times as long as in memory it may take from a file, and on a cluster.
FROM_FILES, ON_DASK = 1.5, 1.3
#: Bytes above what the interpreter and the pool itself need.
MOST_BYTES = 2**30
#: Rows that are written at a time.
CHUNK = 2**15
PLACES = ("memory", "npy", "zarr", "parquet", "dask")
#: Places too, if they are asked for: a cluster whose workers are killed again and again, and a
#: Parquet file with a column for each number instead of lists.
KILLED, KILLS, COLUMNS = "killed", 20, "columns"
ON_A_CLUSTER = ("dask", KILLED)
#: In place of a place: draws of `VersionSpace.sample`, how many, how many times as many a second
#: as hit-and-run makes with the paper's 1,000 steps, how many of those are timed, and how often
#: both are, in turn.
DRAWS, MANY_DRAWS, OVER_HIT_AND_RUN, FEW_DRAWS, TURNS = "draws", 16_000, 800.0, 256, 5
#: What is measured in seconds beside a pass, and what the table calls it.
HEADS = {
    "opening": "opening",
    "ask": "ask",
    "tell": "tell",
    "predict": "predict",
    "certify": "certificate",
    "finished": "finished, one answer later",
    "looked": "the same anew",
    "predict_again": "predict again",
}
#: What is measured in seconds.
SECONDS = ("one_pass", *HEADS)
#: How often, spread over a run, the learner is asked whether it has finished.
LOOKS = 3
#: Worker processes of a cluster here, with a thread each.
WORKERS = 2


@dataclass(frozen=True)
class Cost:
    """What a pool in one place cost, in seconds, and what was asked there.

    ``finished`` is what it takes to say whether the learner has finished after one more answer, a
    few times on the way; ``looked`` is the same without anything that was known before.
    ``predict_again`` is of labels after one more answer. ``worked`` are CPU seconds of the whole
    run, of the workers too if there are any: they do not depend on what else a machine does.
    ``labels`` are in bits, and ``differing`` of them not those that all hypotheses vote for.
    """

    one_pass: float
    opening: float
    ask: float
    tell: float
    predict: float
    certify: float
    finished: float
    looked: float
    predict_again: float
    worked: float
    peak: int
    questions: tuple[int, ...]
    labels: npt.NDArray[np.uint8]
    traffic: tuple[float, float] | None = None
    differing: int | None = None


def run(
    console: Console,
    quick: bool = False,
    rows: int | None = None,
    features: int | None = None,
    answers: int | None = None,
    places: str | None = None,
    results: Path | None = None,
) -> bool:
    """Measure and print; return whether every required ratio was reached.

    With ``results``, a line for each place is added to that file, which
    :mod:`aluma.lab.bench.scale_model` draws.
    """
    m, d = rows or (300_000 if quick else 1_000_000), features or (8 if quick else 100)
    n = answers or (20 if quick else 400)
    if places == DRAWS:
        return _enough_draws(console)
    wanted = PLACES if places is None else tuple(places.split(","))
    in_wall_time = any(place in ON_A_CLUSTER for place in wanted)
    clock = time.perf_counter if in_wall_time else time.process_time
    if in_wall_time:
        numba.set_num_threads(min(WORKERS, numba.get_num_threads()))
    costs: dict[str, Cost] = {}
    with TemporaryDirectory() as folder, console.status("writing") as status:
        X, y = _labelled(m, d)
        for place in wanted:
            status.update(f"{place}: {m:,} x {d}, {n} answers")
            with ExitStack() as stack:
                costs[place] = _measured(stack, place, Path(folder), X, y, n, clock)
            console.print(_in_words(place, costs[place], next(iter(costs.values()))))
            if results is not None:
                _keep(results, place, m, d, n, costs[place])
    kind = "wall" if in_wall_time else "CPU"
    console.print(_table(costs, f"{m:,} x {d}, {n} answers; in passes of 64 hypotheses, {kind}"))
    return quick or _met(costs)


def _enough_draws(console: Console, answers: int = 200, dimension: int = 100) -> bool:
    """Compare draws by reflections with those by hit-and-run; say whether they are enough."""
    rng = np.random.default_rng(0)
    target, space = rng.standard_normal(dimension), VersionSpace(dimension)
    examples = rng.standard_normal((answers, dimension))
    for x in examples:
        space.add(x, 1 if x @ target > 0 else -1)
    # Once before, so that everything is compiled and memory has been touched.
    drawn = space.sample(MANY_DRAWS)
    walk = partial(space.sample, FEW_DRAWS, sampler="hit_and_run", steps=1000)
    seconds = [
        (_timed(time.process_time, partial(space.sample, MANY_DRAWS))[1],
         _timed(time.process_time, walk)[1])
        for _ in range(TURNS)
    ]  # fmt: skip
    ratio = float(np.median([theirs * MANY_DRAWS / (ours * FEW_DRAWS) for ours, theirs in seconds]))
    ours, theirs = np.median(seconds, axis=0)
    judged = [*rng.standard_normal((12, dimension)), *examples[:12], drawn.mean(axis=0)]
    worth, of_squares = _worth(drawn, np.array(judged).T)
    console.print(
        f"{MANY_DRAWS:,} draws after {answers} answers in {dimension} dimensions: "
        f"{MANY_DRAWS / ours:,.0f} a CPU second, {ratio:.0f} times hit-and-run of 1,000 steps "
        f"(wanted: {OVER_HIT_AND_RUN:.0f}), which makes {FEW_DRAWS / theirs:.0f}; medians of "
        f"{TURNS}. For the slowest of {len(judged)} functions a draw is worth {worth.min():.2f} "
        f"independent ones, on average {worth.mean():.2f}; of their squares {of_squares.min():.2f} "
        f"and {of_squares.mean():.2f}"
    )
    console.print(_ledger(space))
    return ratio >= OVER_HIT_AND_RUN


def _ledger(space: VersionSpace) -> str:
    """Return where the time of many draws goes, in words."""
    profile, threads = cProfile.Profile(time.process_time), numba.get_num_threads()
    # A profile sees its own thread only.
    numba.set_num_threads(1)
    try:
        profile.runcall(space.sample, MANY_DRAWS)
    finally:
        numba.set_num_threads(threads)
    # Of each function: calls, and seconds in it, without and with those that it calls.
    found: dict[str, tuple[int, float, float]] = {
        f"{Path(file).stem}.{name}": (calls, own, whole)
        for (file, _, name), (_, calls, own, whole, _) in vars(pstats.Stats(profile))[
            "stats"
        ].items()
    }
    flights, _, whole = found["reflection.fly"]
    parts = {
        "bounces": found["reflection._bounce"][1],
        "products with walls": found["chains.products"][1] + found["chains.combined"][1],
    }
    parts["normal numbers, end points and their sides"] = whole - sum(parts.values())
    parts["the rest"] = found["draw.draw"][2] - sum(parts.values())
    took = ", ".join(f"{name} {1e6 * one / MANY_DRAWS:.1f}" for name, one in parts.items())
    return (
        f"Microseconds a draw, by one thread with a profiler: {took}. "
        f"{flights * BLOCK / MANY_DRAWS:.2f} flights for each, with those that spread the chains"
    )


def _worth(drawn: Floats, judged: Floats) -> Floats:
    """Return how many independent draws each is worth, (2, f) for functions (d, f) and squares.

    Of a draw's direction. Linear functions gain from motion to the other side, squares do not.
    """
    together = MOST_BLOCKS * BLOCK
    whole = drawn[: len(drawn) // together * together]
    values = (whole / np.linalg.norm(whole, axis=1, keepdims=True)) @ judged
    centred = values - values.mean(axis=0)
    both = np.hstack([centred, centred**2])
    chains = both.reshape(-1, together, both.shape[1]).swapaxes(0, 1)
    return np.asarray(effective_sample_size(chains) / len(whole)).reshape(2, -1)


def _labelled(m: int, d: int) -> tuple[Singles, Ints]:
    """Return Gaussian examples and what a halfspace says of them."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((m, d), dtype=np.float32)
    return X, np.where(X @ rng.standard_normal(d, dtype=np.float32) >= 0, 1, -1)


def _measured(
    stack: ExitStack,
    place: str,
    folder: Path,
    X: Singles,
    y: Ints,
    answers: int,
    clock: Callable[[], float],
) -> Cost:
    given = _given(stack, place, folder, X)
    with _peak() as peak:
        pool, opening = _timed(clock, lambda: _opened(given))
        first = np.random.default_rng(1).standard_normal((64, pool.dimension), dtype=np.float32)
        _passed(pool, first[:1])
        _, one_pass = _timed(clock, lambda: _passed(pool, first))
        learner = ALuMA(pool, classes=(-1, 1), slack=0, promise="credible", budget=len(pool))
        store: Any = pool._store
        before, spent = _traffic(store), _cpu_seconds(store)
        went = _answered(learner, y, answers, clock, store.client if place == KILLED else None)
        traffic = None
        if before is not None:
            after = _traffic(store) or before
            traffic = (after[0] - before[0]) / answers, (after[1] - before[1]) / answers
        found, predict = _timed(clock, learner.predict)
        # What is compared later is kept in a bit each.
        labels = np.packbits(found > 0)
        del found
        _, certify = _timed(clock, lambda: learner.certificate(proof_seconds=0.0))
        worked = _cpu_seconds(store) - spent if place != KILLED else np.nan
        differing = _differing(learner, labels) if place == "memory" else None
        _answered(learner, y, 1, clock, None)
        predict_again = _timed(clock, learner.predict)[1]
    return Cost(
        one_pass=one_pass,
        opening=opening,
        ask=went.ask / answers,
        tell=went.tell / answers,
        predict=predict,
        certify=certify,
        finished=went.finished / max(went.looks, 1),
        looked=went.looked / max(went.looks, 1),
        predict_again=predict_again,
        worked=worked,
        peak=peak[0],
        questions=tuple(went.questions),
        labels=labels,
        traffic=traffic,
        differing=differing,
    )


def _whole_run(cost: Cost) -> float:
    """Return the seconds of all questions and answers, the labels and the certificate."""
    return len(cost.questions) * (cost.ask + cost.tell) + cost.predict + cost.certify


def _differing(learner: ALuMA, labels: npt.NDArray[np.uint8]) -> int:
    """Return how many labels, in bits, are not those of the full vote."""
    at = learner._situation()
    voted = np.where(learner.parts.prediction.shares(at, at.pool) >= 0.5, 1, -1)
    voted[at.answered] = at.signs
    return int(np.unpackbits(np.packbits(voted > 0) ^ labels).sum())


@dataclass
class Run:
    """Questions, and the seconds of those, of the answers, and of looks whether it is over."""

    questions: list[int] = field(default_factory=list)
    ask: float = 0.0
    tell: float = 0.0
    looks: int = 0
    finished: float = 0.0
    looked: float = 0.0


def _answered(
    learner: ALuMA, y: Ints, answers: int, clock: Callable[[], float], killed: Any
) -> Run:
    """Answer a learner's questions; a few times, ask it twice in a row whether it has finished.

    With ``killed``, the client of a cluster, its workers are killed now and then.
    """
    run, marks = Run(), {answers * part // (LOOKS + 1) for part in range(1, LOOKS + 1)} - {0}
    for number in range(answers):
        if killed and number * KILLS // answers != (number - 1) * KILLS // answers:
            _kill_one(killed)
        i, seconds = _timed(clock, learner.ask)
        run.ask += seconds
        run.questions.append(int(i))
        run.tell += _timed(clock, partial(learner.tell, int(i), int(y[i])))[1]
        if number in marks:
            # What follows is what is known already when the next answer comes.
            learner.finished  # noqa: B018
        elif number - 1 in marks:
            _look_twice(learner, run, clock)
    return run


def _look_twice(learner: ALuMA, run: Run, clock: Callable[[], float]) -> None:
    """Time whether a learner has finished, by what is known, and by a look at everything."""
    twin = learner.fork()
    said, seconds = _timed(clock, partial(getattr, learner, "finished"))
    run.finished += seconds
    bound, seconds = _timed(clock, partial(getattr, twin, "error_bound"))
    run.looked += seconds
    run.looks += 1
    if said != (bound <= learner.tolerance):
        raise RuntimeError(f"what was known before changed a figure: {said} at {bound}")


def _kill_one(client: Any) -> None:
    """Kill a worker while the next question is worked out, once all of them are there."""
    try:
        client.wait_for_workers(WORKERS, timeout=15)
    except TimeoutError:
        # One that is killed while it starts is not started again by itself, and goes on counting.
        client.cluster.scale(len(client.cluster.worker_spec) + 1)
        client.wait_for_workers(WORKERS, timeout=120)
    pid = min(client.run(os.getpid).values())
    threading.Timer(0.02, os.kill, (pid, signal.SIGKILL)).start()


def _cpu_seconds(store: Any) -> float:
    """Return what this process, which a cluster's scheduler is in, and its workers have taken."""
    client = getattr(store, "client", None)
    return time.process_time() + (sum(client.run(time.process_time).values()) if client else 0.0)


def _traffic(store: Any) -> tuple[int, int] | None:
    return (store.sent, store.received) if hasattr(store, "sent") else None


def _passed(pool: Pool, hypotheses: Singles) -> None:
    """Let hypotheses vote on every example."""
    for _ in pool.mapped(_one_block, hypotheses, room=4 * len(hypotheses)):
        pass


def _one_block(start: int, block: Pool, hypotheses: Singles) -> int:
    return start + int(count_exactly(block, hypotheses).sum())


def _opened(given: Any) -> Pool:
    return (
        Pool.open(given, prepared=True) if isinstance(given, Path) else Pool(given, prepared=True)
    )


def _given(stack: ExitStack, place: str, folder: Path, X: Singles) -> Any:
    """Return what a pool is made of in a place: an array, a file of it, or a Dask array."""
    path = folder / f"x.{'parquet' if place == COLUMNS else place}"
    if place == "memory":
        return X
    if place == "npy":
        np.save(path, X)
    elif place == "zarr":
        zarr = needed("zarr", "scale", "aluma bench scale")
        chunks = (min(CHUNK, len(X)), X.shape[1])
        array = zarr.create_array(store=str(path), shape=X.shape, chunks=chunks, dtype=X.dtype)
        array[:] = X
    elif place == "parquet":
        arrow = needed("pyarrow", "scale", "aluma bench scale")
        lists = arrow.FixedSizeListArray.from_arrays(arrow.array(X.ravel()), X.shape[1])
        parquet = needed("pyarrow.parquet", "scale", "aluma bench scale")
        parquet.write_table(arrow.table({"x": lists}), path, row_group_size=CHUNK)
    elif place == COLUMNS:
        arrow = needed("pyarrow", "scale", "aluma bench scale")
        parquet = needed("pyarrow.parquet", "scale", "aluma bench scale")
        columns = {f"x{number}": column for number, column in enumerate(X.T)}
        parquet.write_table(arrow.table(columns), path, row_group_size=CHUNK)
    else:
        return _on_a_cluster(stack, X)
    return path


def _on_a_cluster(stack: ExitStack, X: Singles) -> Any:
    """Start two workers in processes of their own, with a thread each."""
    distributed = needed("distributed", "scale", "aluma bench scale")
    cluster = stack.enter_context(
        distributed.LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=logging.ERROR,
        )
    )
    stack.enter_context(distributed.Client(cluster))
    array = needed("dask.array", "scale", "aluma bench scale")
    return array.from_array(X, chunks=(CHUNK, X.shape[1]))


def _timed(clock: Callable[[], float], work: Callable[[], Any]) -> tuple[Any, float]:
    start = clock()
    found = work()
    return found, clock() - start


@contextmanager
def _peak() -> Iterator[list[int]]:
    """Watch the memory of this process that is no file's, and keep its growth at most."""
    start, peak, stop = _own_bytes(), [0], threading.Event()

    def watch() -> None:
        while not stop.wait(0.02):
            peak[0] = max(peak[0], _own_bytes() - start)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        stop.set()
        thread.join()


def _own_bytes() -> int:
    """Return RssAnon, where there is a /proc; else 0."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    line = next(one for one in status.splitlines() if one.startswith("RssAnon"))
    return 1024 * int(line.split()[1])


def _met(costs: dict[str, Cost]) -> bool:
    """Say whether what was measured is what it has to be."""
    here = costs.get("memory")
    if here is None:
        return True
    passes = here.one_pass
    met = here.ask <= ASK * passes and here.predict <= PREDICT * passes
    met &= here.certify <= CERTIFY * passes
    for place, cost in costs.items():
        met &= cost.questions == here.questions and bool((cost.labels == here.labels).all())
        met &= cost.peak <= MOST_BYTES
        if place == "dask":
            met &= _whole_run(cost) <= ON_DASK * _whole_run(here)
        elif place != KILLED:
            compared = (cost.ask, here.ask), (cost.predict, here.predict)
            met &= all(mine <= FROM_FILES * its for mine, its in compared)
    return bool(met)


def _keep(results: Path, place: str, rows: int, features: int, answers: int, cost: Cost) -> None:
    """Add what a place took to a file, as a line of JSON."""
    about = {"place": place, "rows": rows, "features": features, "answers": answers}
    took = {name: getattr(cost, name) for name in (*SECONDS, "peak", "traffic")}
    with results.open("a") as file:
        file.write(json.dumps(about | took) + "\n")


def _in_words(place: str, cost: Cost, first: Cost) -> str:
    """Return the seconds that a place took, in a line, as soon as they are known."""
    took = ", ".join(f"{name} {getattr(cost, name):.4f}" for name in SECONDS)
    same = cost.questions == first.questions and bool((cost.labels == first.labels).all())
    sent = (
        ""
        if cost.traffic is None
        else "; bytes a question {:,.0f} out, {:,.0f} back".format(*cost.traffic)
    )
    if cost.differing is not None:
        sent += f"; {cost.differing} labels are not those of the full vote"
    names = "ask", "tell", "predict", "certify", "predict_again"
    times = ", ".join(f"{name} {getattr(cost, name) / getattr(first, name):.2f}" for name in names)
    return (
        f"{place}: seconds {took}; {cost.peak / 2**20:.0f} MiB{sent}; times the first: {times}, "
        f"the whole run {_whole_run(cost) / _whole_run(first):.2f}, in CPU seconds of all "
        f"processes {cost.worked / first.worked:.2f}; "
        f"questions and labels {'are' if same else 'are NOT'} those of the first"
    )


def _table(costs: dict[str, Cost], title: str) -> Table:
    """Return what was measured, a column for each place, so that it fits a terminal."""
    table = Table(title=title)
    for head in ("", *costs):
        table.add_column(head, justify="right" if head else "left")
    first = next(iter(costs.values()))

    def row(head: str, cell: Callable[[Cost], str]) -> None:
        table.add_row(head, *(cell(cost) for cost in costs.values()))

    def in_passes(cost: Cost, name: str) -> str:
        return f"{getattr(cost, name) / cost.one_pass:.3f}"

    row("a pass, s", lambda cost: f"{cost.one_pass:.3f}")
    for name, head in HEADS.items():
        row(head, partial(in_passes, name=name))
    row("peak MiB", lambda cost: f"{cost.peak / 2**20:.0f}")
    row("bytes a question, out", lambda cost: _sent(cost, 0))
    row("and back", lambda cost: _sent(cost, 1))
    row("same questions", lambda cost: "yes" if cost.questions == first.questions else "no")
    row("same labels", lambda cost: "yes" if (cost.labels == first.labels).all() else "no")
    return table


def _sent(cost: Cost, way: int) -> str:
    return "-" if cost.traffic is None else f"{cost.traffic[way]:,.0f}"
