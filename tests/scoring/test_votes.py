"""What counts as a vote for +."""

import numpy as np

from aluma.pool import Pool
from aluma.scoring import vote_shares


def test_ties_and_zero_products_are_positive_votes() -> None:
    pool = Pool(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    W = np.array([[0.0, 1.0], [-0.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    np.testing.assert_allclose(vote_shares(pool, W), [3 / 4, 2 / 4, 3 / 4])
    np.testing.assert_allclose(vote_shares(pool, W, np.array([2, 0])), [3 / 4, 3 / 4])
