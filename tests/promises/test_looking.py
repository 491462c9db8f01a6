"""What earlier answers have shown is not worked out again, and changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from aluma import ALuMA
from aluma.arrays import Floats
from aluma.pool import Pool
from aluma.promises import credible
from aluma.promises.looking import Look
from evidence import generator

SETTINGS: dict[str, Any] = {
    "classes": (-1, 1),
    "slack": 0,
    "promise": "credible",
    "n_hypotheses": 128,
}


def examples(m: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = generator(0)
    X = rng.standard_normal((m, d)).astype(np.float32)
    return X, np.where(X @ rng.standard_normal(d) >= 0, 1, -1)


class Looks:
    """Counts looks at everything, and the times that it took none to see the pool unsettled."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, reuse: bool) -> None:
        self.everything = self.again = 0
        look, still = credible.look, Look.still_exceeds

        def counted(*args: Any) -> Look:
            self.everything += 1
            return look(*args)

        def counted_again(self_: Look, *args: Any) -> bool:
            found = reuse and still(self_, *args)
            self.again += found
            return found

        monkeypatch.setattr(credible, "look", counted)
        monkeypatch.setattr(Look, "still_exceeds", counted_again)


@pytest.mark.parametrize(
    ("m", "tolerance"), [(3_000, 0.02), (20_000, 0.02), (20_000, 0.0), (3_000, 0.0)]
)
def test_a_learner_finishes_when_it_would_if_everything_were_looked_at(
    m: int, tolerance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aluma.pool.sample.MOST_ROWS", 4096)
    X, y = examples(m, 4)
    found = []
    for reuse in (True, False):
        with monkeypatch.context() as patch:
            looks = Looks(patch, reuse)
            learner, said = ALuMA(X, tolerance=tolerance, **SETTINGS), []
            for _ in range(24):
                i = int(learner.ask())
                learner.tell(i, int(y[i]))
                # Not by way of the next question, which shows most pools to be unsettled.
                at = learner._situation()
                said.append(learner.parts.promise.exceeds(at, tolerance))
            found.append((said, looks))
    (said, with_reuse), (anew, without) = found
    assert said == anew
    assert without.everything >= 24
    assert with_reuse.again >= 3
    assert with_reuse.everything <= without.everything - with_reuse.again


def test_labels_that_were_proven_are_not_voted_on_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aluma.pool.sample.MOST_ROWS", 4096)
    X, y = examples(20_000, 2)
    learner = ALuMA(X, tolerance=0, **SETTINGS)
    for _ in range(8):
        i = int(learner.ask())
        learner.tell(i, int(y[i]))
    learner.certificate(proof_seconds=20.0)
    assert len(learner.parts.promise.proven) > 500
    i = int(learner.ask())
    learner.tell(i, int(y[i]))
    at = learner._situation()
    sample = at.pool.sample(credible.Purpose.PROMISES)
    anew = credible.look(at, sample)
    voted_on: list[int] = []
    vote = at.vote

    def counted(pool: Pool) -> Floats:
        voted_on.append(len(pool))
        return vote(pool)

    reused = credible.look(replace(at, vote=counted), sample, learner.parts.promise.proven)
    assert voted_on[0] <= len(sample.rows) - 500
    for one, other in zip(reused.disputes, anew.disputes, strict=True):
        assert np.array_equal(one, other)
