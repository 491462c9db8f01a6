"""What tests of pools share: one cluster, in this process, for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="package")
def client() -> Iterator[Any]:
    """Return a client of two workers, which is not the active one."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster, timeout=30, set_as_default=False) as client,
    ):
        yield client
