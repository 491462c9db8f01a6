"""Label two million examples that are on a Dask cluster, here one of two processes on this machine.

    pip install 'aluma[scale]'
    python examples/cluster.py [rows]

On a cluster of your own, make the client with its address instead: Client("tcp://scheduler:8786").
"""

from __future__ import annotations

import sys
import time

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from aluma import ALuMA
from aluma.pool import Pool


def main(rows: int) -> None:
    """Label so many examples, and say how many labels are wrong."""
    workers = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**workers) as cluster, Client(cluster) as client:
        # Each block is made by a worker and stays there; so would blocks of a zarr array,
        # da.from_zarr("embeddings.zarr").
        random = da.random.default_rng(0)
        X = random.standard_normal((rows, 32), chunks=(50_000, 32), dtype=np.float32)
        X = client.persist(X)
        target = np.random.default_rng(1).standard_normal(32)

        start = time.perf_counter()
        pool = Pool(X, client=client, prepared=True)
        learner = ALuMA(pool, classes=("no", "yes"))
        while not learner.finished:
            i = learner.ask()
            answer = "yes" if pool.rows([i])[0] @ target >= 0 else "no"
            learner.tell(i, answer)
        labels = learner.predict()
        seconds = time.perf_counter() - start

        truth = np.where((X @ target >= 0).compute(), "yes", "no")
        sys.stdout.write(
            f"{learner.n_answers} answers label {rows:,} examples in {seconds:.0f} s: "
            f"{np.mean(labels != truth):.2%} wrong.\n{learner.certificate(proof_seconds=0.0)}\n"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000)
