"""Pools on a cluster: the same questions as in memory, whatever happens to the workers."""

from __future__ import annotations

import logging
import os
import signal
import threading
from typing import Any

import numpy as np
import pytest

from aluma import ALuMA, Passive, SimpleMargin
from aluma.errors import ClusterLost, Unreadable
from aluma.pool import Pool
from aluma.pool.chunked import Chunked
from aluma.pool.sample import Purpose
from evidence import generator

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.timeout(60)]

#: Enough rows that a sample stands for the pool, if it is as small as here.
MANY = 20_000
SETTINGS: dict[str, Any] = {
    "classes": (-1, 1),
    "slack": 0,
    "promise": "credible",
    "tolerance": 0,
    "n_hypotheses": 64,
}
W = np.array([1.0, -0.5])


@pytest.fixture(autouse=True)
def small_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aluma.pool.sample.MOST_ROWS", 4096)


@pytest.fixture(scope="module")
def numbers() -> np.ndarray:
    X = generator(0).standard_normal((MANY, 2)).astype(np.float32)
    X[17] = 0
    return X


def truth(numbers: np.ndarray, i: int) -> int:
    return 1 if numbers[i] @ W >= 0 else -1


def asked(learner: Any, numbers: np.ndarray, n: int) -> list[int]:
    questions = []
    for _ in range(n):
        questions.append(int(learner.ask()))
        learner.tell(questions[-1], truth(numbers, questions[-1]))
    return questions


def test_a_dask_array_is_the_pool_that_its_numbers_are(client: Any, numbers: np.ndarray) -> None:
    same = Pool(numbers)
    pool = Pool(da.from_array(numbers, chunks=(3_333, 1)), client=client)
    assert pool.is_large
    assert np.flatnonzero(pool.is_zero).tolist() == [17]
    chosen = np.array([MANY - 1, 3, 17, 3, 12_000])
    assert np.array_equal(pool.rows(chosen), same.rows(chosen))
    assert pool.fingerprint() == same.fingerprint()
    assert np.array_equal(pool.lengths(), same.lengths())
    for purpose in Purpose:
        one, other = pool.sample(purpose), same.sample(purpose)
        assert np.array_equal(one.rows, other.rows)
        assert np.array_equal(one.pool.data, other.pool.data)


def test_the_same_questions_labels_and_promises_as_in_memory(
    client: Any, numbers: np.ndarray
) -> None:
    expected = everything(numbers, numbers)
    # The client that is active is taken.
    with client.as_current():
        assert everything(da.from_array(numbers, chunks=(4_321, 2)), numbers) == expected


def everything(X: Any, numbers: np.ndarray) -> tuple[Any, ...]:
    """Return what learners ask, label and promise on a pool."""
    learner = ALuMA(Pool(X), **SETTINGS)
    # Enough that the sample is settled and all of the pool has to be looked at.
    questions = asked(learner, numbers, 12)
    said = learner.certificate(proof_seconds=0.0)
    margin = SimpleMargin(Pool(X), classes=(-1, 1))
    passive = Passive(Pool(X), classes=(-1, 1))
    return (
        questions,
        learner.ask(5).tolist(),
        asked(margin, numbers, 3),
        asked(passive, numbers, 2),
        learner.predict().tolist(),
        margin.predict().tolist(),
        (said.credible_bound, said.expected_error, said.sampled),
    )


def test_what_comes_back_does_not_grow_with_the_pool(client: Any) -> None:
    came = []
    for m in (MANY, 2 * MANY):
        X = generator(1).standard_normal((m, 2)).astype(np.float32)
        pool = Pool(da.from_array(X, chunks=(m // 4, 2)), client=client)
        learner = ALuMA(pool, **SETTINGS)
        asked(learner, X, 6)
        store: Any = pool._store
        before = store.received, store.sent
        asked(learner, X, 2)
        came.append((store.received - before[0], store.sent - before[1]))
    (few, _), (many, _) = came
    # A look at every example would bring back 8 bytes for each.
    assert few < 8 * MANY
    assert many < 8 * MANY


def test_every_worker_has_its_share(client: Any, numbers: np.ndarray) -> None:
    pool = Pool(da.from_array(numbers, chunks=(2_000, 2)), client=client)
    store: Any = pool._store
    groups = store._groups(list(range(10)))
    # The scheduler has the last word: all on one worker is what must not be.
    assert sorted(map(len, groups))[-1] <= 7


def test_a_question_takes_few_round_trips(client: Any, numbers: np.ndarray) -> None:
    pool = Pool(da.from_array(numbers, chunks=(1_000, 2)), client=client)
    store: Any = pool._store
    learner = ALuMA(pool, **SETTINGS)
    # A look for bad numbers, the samples, and a few rows to see how long they are.
    assert store.trips <= 5
    asked(learner, numbers, 6)
    for _ in range(4):
        before = store.trips
        asked(learner, numbers, 1)
        assert store.trips - before <= 4


def test_without_a_client_blocks_are_computed_here(numbers: np.ndarray) -> None:
    pool = Pool(da.from_array(numbers, chunks=(4_321, 2)))
    assert type(pool._store) is Chunked
    assert pool.fingerprint() == Pool(numbers).fingerprint()
    assert len(asked(ALuMA(pool, **SETTINGS), numbers, 3)) == 3


def test_bad_blocks_are_named(client: Any, numbers: np.ndarray) -> None:
    wrong = numbers.copy()
    wrong[9_000, 1] = np.nan
    with pytest.raises(ValueError, match=r"nan at row 9000, column 1, in block 2 \(rows 8000"):
        Pool(da.from_array(wrong, chunks=(4_000, 2)), client=client)

    def narrow(block: np.ndarray, block_info: Any = None) -> np.ndarray:
        return block[:, :1] if block_info[0]["chunk-location"][0] == 1 else block

    array = da.from_array(numbers, chunks=(4_000, 2)).map_blocks(narrow, dtype=np.float32)
    with pytest.raises(Unreadable, match=r"block 1 .*has shape \(4000, 1\)"):
        Pool(array, client=client)

    def broken(block: np.ndarray, block_info: Any = None) -> np.ndarray:
        if block_info[0]["chunk-location"][0] == 3:
            raise RuntimeError("the disk is gone")
        return block

    array = da.from_array(numbers, chunks=(4_000, 2)).map_blocks(broken, dtype=np.float32)
    with pytest.raises(Unreadable, match=r"block 3 .*cannot be read \(the disk is gone\)"):
        Pool(array, client=client)


def test_what_is_no_dask_array_needs_no_client(client: Any, numbers: np.ndarray) -> None:
    with pytest.raises(TypeError, match="client= is for Dask arrays, zarr arrays and paths"):
        Pool(numbers, client=client)
    with pytest.raises(TypeError, match=r"must be a dask.distributed.Client, got str"):
        Pool(da.from_array(numbers), client="tcp://127.0.0.1:8786")
    unknown = da.from_array(numbers, chunks=(4_000, 2))
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        Pool(unknown[unknown[:, 0] > 0], client=client)


def killed_soon(client: Any, seconds: float) -> threading.Timer:
    """Kill one of two workers in a moment, once both are there."""
    client.wait_for_workers(2, timeout=60)
    pid = sorted(client.run(os.getpid).values())[0]
    timer = threading.Timer(seconds, os.kill, (pid, signal.SIGKILL))
    timer.start()
    return timer


@pytest.mark.timeout(120)
def test_killed_workers_change_nothing_and_a_lost_scheduler_is_said(numbers: np.ndarray) -> None:
    expected = ALuMA(Pool(numbers), **SETTINGS)
    questions = asked(expected, numbers, 10)
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    ) as cluster:
        client = distributed.Client(cluster, timeout=30)
        pool = Pool(da.from_array(numbers, chunks=(4_000, 2)), client=client)
        learner = ALuMA(pool, **SETTINGS)
        # From the seventh on, questions need every block.
        assert asked(learner, numbers, 6) == questions[:6]
        timer = killed_soon(client, 0.01)
        assert asked(learner, numbers, 4) == questions[6:]
        timer.join()
        timer = killed_soon(client, 0.0)
        assert np.array_equal(learner.predict(), expected.predict())
        timer.join()
        client.close()
        with pytest.raises(ClusterLost, match="does not answer"):
            learner.predict()
        assert learner.n_answers == 10
