"""The bound behind elimination, against SciPy's hypergeometric law."""

import itertools

import numpy as np
import pytest
from scipy.stats import hypergeom

from aluma.scoring.tails import FIRST, first_round, too_few


@pytest.mark.parametrize(("k", "n"), [(1000, 32), (1000, 80), (1000, 500), (101, 40), (64, 32)])
def test_an_example_is_dropped_exactly_when_the_hypergeometric_tails_say_so(k: int, n: int) -> None:
    for fewest, delta in itertools.product((1, k // 20, k // 4, k // 2), (1e-4, 1e-2, 0.3)):
        seen = np.arange(n // 2 + 1)
        tails = hypergeom.cdf(seen, k, fewest, n) + hypergeom.cdf(seen, k, k // 2, n)
        dropped = seen[tails <= delta]
        assert too_few(k, fewest, n, delta) == dropped.max(initial=-1)


@pytest.mark.parametrize("k", [40, 1000])
def test_the_first_round_suffices_to_drop_the_unanimous_and_no_smaller_one_does(k: int) -> None:
    for fewest in (k // 40, k // 12, k // 5, k // 2):
        n = first_round(k, fewest, 5e-4)
        assert n == k or 2 * n <= k
        if FIRST < n < k:
            assert too_few(k, fewest, n, 5e-4) >= 0
            assert too_few(k, fewest, n - 1, 5e-4) == -1
    assert first_round(k, 0, 5e-4) == k
