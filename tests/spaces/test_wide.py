"""Hypotheses about wide sparse pools: the same as if they were written down."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import kstest

from aluma.pool import Pool
from aluma.spaces.many import ManySpace
from aluma.spaces.wide import WideHypotheses
from evidence import generator, holds, seed_of

CLASSES, WORDS = 3, 2500


def posts(seed: int, rows: int = 30) -> Any:
    """Return rows with few words each, some of which many rows have."""
    rng = generator(seed)
    often = sparse.random(rows, 40, 0.3, "csr", random_state=rng, data_rvs=rng.random)
    rest = sparse.random(rows, WORDS - 40, 0.01, "csr", random_state=rng, data_rvs=rng.random)
    return sparse.csr_matrix(sparse.hstack([often, rest]))


def space(X: Any, size: int, seed: int, answers: int, slack: float = 0.0) -> ManySpace:
    pool = Pool(X, bias=0.7)
    found = ManySpace(pool, CLASSES, size, seed, share=0.5, slack=slack)
    for index in range(answers):
        found.add(index, (-1, 1, 2)[index % CLASSES])
    return found


def test_products_are_those_of_the_hypotheses_written_down() -> None:
    X = posts(1)
    for slack in (0.0, 0.3):
        mine = space(X, 256, 1, 7, slack)
        wide = mine.voters()
        assert isinstance(wide, WideHypotheses)
        written = np.asarray(wide)
        assert written.shape == wide.shape == (256, CLASSES, WORDS + 1)
        for some in (slice(0, 256), slice(3, 40)):
            flat = written[some].reshape(-1, WORDS + 1)
            for pool in (mine.pool, Pool(X[4:20], bias=0.7)):
                (part, products), *_ = wide[some].margin_blocks(pool, None)
                assert part == slice(0, len(pool))
                np.testing.assert_allclose(products, pool.margins(flat), atol=2e-4)


def test_every_hypothesis_votes_as_it_was_told() -> None:
    X = posts(2)
    # A row that is nearly the same as one before, with the same answer.
    X = sparse.csr_matrix(sparse.vstack([X[:6], X[0] * (1 + 1e-7), X[6:]]))
    mine = space(X, 256, 2, 7)
    products = mine.pool.margins(np.asarray(mine.voters()).reshape(-1, WORDS + 1), np.arange(6))
    votes = products.reshape(6, 256, CLASSES).argmax(axis=2)
    assert (votes == np.arange(6)[:, None] % CLASSES).all()


def test_what_no_answer_has_a_say_in_is_normal() -> None:
    """Products with a row, and with the difference of two, before any answer."""
    X = posts(3)

    def look(seed: int, more: int) -> list[float]:
        mine = space(X, 512 * more, seed_of(seed), 0)
        (_, products), *_ = mine.voters().margin_blocks(mine.pool, np.arange(2))
        rows = np.column_stack([X[:2].toarray(), [0.35, 0.35]])
        apart = np.linalg.norm(rows[1] - rows[0])
        # One class: weights of different classes are different stretches of the same normals.
        one, other = products[:, ::CLASSES] / np.linalg.norm(rows, axis=1)[:, None]
        gap = (products[1] - products[0])[::CLASSES] / apart
        return [float(kstest(values, "norm").pvalue) for values in (one, other, gap)]

    holds(look)
