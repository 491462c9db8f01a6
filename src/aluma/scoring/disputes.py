"""How far hypotheses dispute a labelling of the pool."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints
from aluma.pool import Pool


class Disputes(NamedTuple):
    """A labelling, and how often it is disputed, by hypothesis and by example.

    ``positive`` says who is; of more than two classes it has the number of each label.
    """

    positive: npt.NDArray[Any]
    by_hypothesis: Ints
    by_example: Ints


def disputes(pool: Pool, positive: npt.NDArray[Any], hypotheses: Floats) -> Disputes:
    """Count disagreements of hypotheses with a labelling of a pool."""
    return _counted(pool, positive, hypotheses, pool.is_zero, None)


def soft_disputes(
    pool: Pool,
    positive: npt.NDArray[Any],
    halfspaces: Floats,
    asked: Ints,
    rng: np.random.Generator,
) -> Disputes:
    """Count disagreements of lifted hypotheses, given their halfspaces in units of the noise.

    What an unasked example has to itself is a Gaussian that nothing constrains, drawn here; about
    asked examples every hypothesis agrees with the answer.
    """
    settled = pool.is_zero
    settled[asked] = True
    return _counted(pool, positive, halfspaces, settled, rng)


def _counted(
    pool: Pool,
    positive: npt.NDArray[Any],
    hypotheses: Floats,
    settled: Bools,
    noise: np.random.Generator | None,
) -> Disputes:
    by_hypothesis = np.zeros(len(hypotheses), dtype=np.int64)
    by_example = np.zeros(len(pool), dtype=np.int64)
    for part, margins in pool.margin_blocks(hypotheses):
        if noise is not None:
            margins += noise.standard_normal(margins.shape, dtype=np.float32)
        differs = (margins >= 0) != positive[part, None]
        differs[settled[part]] = False
        by_hypothesis += differs.sum(axis=0)
        by_example[part] = differs.sum(axis=1)
    return Disputes(positive, by_hypothesis, by_example)
