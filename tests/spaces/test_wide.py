"""Hypotheses about wide sparse pools: the same as if they were written down."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import kstest

from aluma.pool import Pool
from aluma.pool.shaped import Shape
from aluma.spaces.many import ManySpace
from aluma.spaces.wide import WideHypotheses, is_wide
from evidence import generator, holds, seed_of

CLASSES, WORDS = 3, 2500


def posts(seed: int, rows: int = 30) -> Any:
    """Return rows with few words each, some of which many rows have."""
    rng = generator(seed)
    often = sparse.random(rows, 40, 0.3, "csr", random_state=rng, data_rvs=rng.random)
    rest = sparse.random(rows, WORDS - 40, 0.01, "csr", random_state=rng, data_rvs=rng.random)
    return sparse.csr_matrix(sparse.hstack([often, rest]))


def stretch() -> Shape:
    """Return a map that stretches six directions, most of all those of common words."""
    rng = generator(9)
    rows = rng.standard_normal((6, WORDS)) * np.where(np.arange(WORDS) < 40, 5.0, 0.2)
    directions = np.linalg.qr(rows.T)[0].T
    return Shape(directions, np.array([4.0, 3.0, 2.0, 1.5, 1.2, 0.6]), 0.6)


def pool_of(X: Any, prior: Shape | None) -> Pool:
    return Pool(Pool(X) if prior is None else Pool(X).shaped(prior, lasting=True), bias=0.7)


def space(
    X: Any, size: int, seed: int, answers: int, slack: float = 0.0, prior: Shape | None = None
) -> ManySpace:
    pool = pool_of(X, prior)
    found = ManySpace(pool, CLASSES, size, seed, share=0.5, slack=slack)
    for index in range(answers):
        found.add(index, (-1, 1, 2)[index % CLASSES])
    return found


@pytest.mark.parametrize("prior", [None, stretch()], ids=["as they are", "stretched"])
def test_products_are_those_of_the_hypotheses_written_down(prior: Shape | None) -> None:
    X = posts(1)
    for slack in (0.0, 0.3):
        mine = space(X, 256, 1, 7, slack, prior)
        wide = mine.voters()
        assert isinstance(wide, WideHypotheses)
        written = np.asarray(wide)
        assert written.shape == wide.shape == (256, CLASSES, WORDS + 1)
        for some in (slice(0, 256), slice(3, 40)):
            flat = written[some].reshape(-1, WORDS + 1)
            for pool in (
                mine.pool,
                pool_of(X[4:20], prior),
                # New examples may be dense.
                pool_of(X[4:20].toarray(), prior),
            ):
                (part, products), *_ = wide[some].margin_blocks(pool, None)
                assert part == slice(0, len(pool))
                np.testing.assert_allclose(products, pool.margins(flat), atol=2e-4)


@pytest.mark.parametrize("prior", [None, stretch()], ids=["as they are", "stretched"])
def test_every_hypothesis_votes_as_it_was_told(prior: Shape | None) -> None:
    X = posts(2)
    # A row that is nearly the same as one before, with the same answer.
    X = sparse.csr_matrix(sparse.vstack([X[:6], X[0] * (1 + 1e-7), X[6:]]))
    mine = space(X, 256, 2, 7, prior=prior)
    products = mine.pool.margins(np.asarray(mine.voters()).reshape(-1, WORDS + 1), np.arange(6))
    votes = products.reshape(6, 256, CLASSES).argmax(axis=2)
    assert (votes == np.arange(6)[:, None] % CLASSES).all()


@pytest.mark.parametrize("prior", [None, stretch()], ids=["as they are", "stretched"])
def test_what_no_answer_has_a_say_in_is_normal(prior: Shape | None) -> None:
    """Products with a row, and with the difference of two, before any answer."""
    X = posts(3)

    def look(seed: int, more: int) -> list[float]:
        mine = space(X, 512 * more, seed_of(seed), 0, prior=prior)
        (_, products), *_ = mine.voters().margin_blocks(mine.pool, np.arange(2))
        rows = mine.pool.rows([0, 1])
        rows[:, -1] = 0.35
        apart = np.linalg.norm(rows[1] - rows[0])
        # One class: weights of different classes are different stretches of the same normals.
        one, other = products[:, ::CLASSES] / np.linalg.norm(rows, axis=1)[:, None]
        gap = (products[1] - products[0])[::CLASSES] / apart
        return [float(kstest(values, "norm").pvalue) for values in (one, other, gap)]

    holds(look)


def test_directions_that_are_shortened_are_written_down() -> None:
    """They would have to take away from the products, which numbers beside a row cannot."""
    shorter = Shape(stretch().directions, np.array([4.0, 3.0, 2.0, 1.5, 1.2, 0.3]), 0.6)
    assert is_wide(pool_of(posts(4), stretch()))
    assert not is_wide(pool_of(posts(4), shorter))
    assert isinstance(space(posts(4), 256, 3, 3, prior=shorter).voters(), np.ndarray)
