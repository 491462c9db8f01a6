"""What a large pool needs for every example: hardly more than the labels that are handed out."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from aluma import ALuMA
from aluma.promises.audit import Audit
from evidence import generator, seed_of

#: Bytes an example, at most: eight are the label that is handed out, or sixteen the shares. The
#: rest are shares in float32, codes of labels and masks, not all of which are there at once. It
#: was 24, 32 and 50 when lists and numbers of eight bytes were used.
MOST = {"predict": 10.0, "predict_proba": 25.0, "audit": 12.0}


def most_bytes(m: int, what: str) -> int:
    """Return how many bytes more than before a large pool needs at most for one thing."""
    X = generator(0).standard_normal((m, 2)).astype(np.float32)
    X[m // 2] = 0
    y = np.where(X @ [1.0, 2.0] > 0, 1, -1)
    learner: Any = ALuMA(
        X, classes=(-1, 1), promise="credible", random_state=seed_of(0), n_hypotheses=50
    )
    for _ in range(6):
        learner.tell(learner.ask(), y[learner.ask()])

    def done() -> None:
        if what == "audit":
            assert Audit(learner._labelling(), named=3).coming(5).max() < m
        else:
            assert len(getattr(learner, what)()) == m

    # Once before, so that everything is compiled and samples are drawn.
    done()
    tracemalloc.start()
    try:
        done()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("what", list(MOST))
def test_bytes_for_each_example(what: str) -> None:
    few, many = (most_bytes(m, what) for m in (1_200_000, 2_200_000))
    assert 0.5 <= (many - few) / 1e6 <= MOST[what]
