"""The wall that is hit first, found by comparing products, against the smallest of fractions."""

from __future__ import annotations

import numpy as np
import pytest

from aluma.sampling.first_hit import TOGETHER, first_hit
from evidence import generator


@pytest.mark.parametrize("walls", [TOGETHER, 5 * TOGETHER])
def test_the_least_fraction_is_found_among_those_ahead(walls: int) -> None:
    rng = generator(1)
    for _ in range(200):
        # Sizes as in a cone that is nearly too thin for float64, too.
        p, q = rng.standard_normal((2, walls)) * 10.0 ** rng.uniform(-12, 0, (2, walls))
        tangent = np.where(q > 0, p / np.where(q > 0, q, 1.0), np.inf)
        assert first_hit(p, q, 1e-300, 1.0) == tangent.argmin()
        end = float(np.sort(tangent)[1])
        cos, sin = 1.0, np.nextafter(tangent.min(), -np.inf)
        assert first_hit(p, q, cos, sin) == -1
        assert np.isinf(end) or first_hit(p, q, 1.0, end) == tangent.argmin()


def test_walls_that_are_left_are_not_hit() -> None:
    p, q = np.linspace(-1.0, 1.0, TOGETHER), np.zeros(TOGETHER)
    assert first_hit(p, q, 1.0, 1.0) == -1
    assert first_hit(p, q - 1.0, 1.0, 1.0) == -1


def test_a_wall_that_rounding_has_crossed_is_hit_at_once() -> None:
    p, q = np.full(TOGETHER, 0.5), np.ones(TOGETHER)
    p[5] = -1e-15
    assert first_hit(p, q, 1.0, 1.0) == 5


def test_of_walls_hit_at_once_the_first_counts() -> None:
    p, q = np.full(TOGETHER, 0.5), np.ones(TOGETHER)
    assert first_hit(p, q, 1.0, 1.0) == 0
